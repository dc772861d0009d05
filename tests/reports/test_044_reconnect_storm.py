"""Goal: clients that lose their gateway come back spread over time, and the server reads a room a few times, not once for each
of them. Method: three hundred real clients whose gateway is killed; the times they draw for their first attempts, counted in
bins of 100 ms; and sixty sockets of one room that say hello at once. Both with the server's commands counted.
"""

import asyncio
import contextlib
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.client import Client, create_room, new_player
from services.store.keys import key
from tests.services.raw import Raw, Table
from tests.services.test_client import run
from tests.stack import Stack

SOCKETS = 300
BIN_S = 0.1


def reads(stack: Stack, seen: Any, room: str) -> int:
    """How often the room was read since the monitor `seen` began."""
    stack.redis.echo("over")
    found = 0
    while (command := seen.next_command()["command"]) != "ECHO over":
        found += command == f"HMGET {key('r', room)} n g v cur head snap d"
    return found


def test_a_storm_of_hellos_reads_the_room_a_few_times(stack: Stack) -> None:
    """Field report 44: sixty sockets come back at once; the room is read together, and everybody is answered."""
    table = Table(stack)
    sockets = [Raw(table.url) for _ in range(60)]
    try:
        with stack.redis.monitor() as seen:
            stack.gateway[0].pause()  # so that they arrive together, however busy this process is
            for index, raw in enumerate(sockets):
                raw.say(
                    {"type": "hello", "room": table.room, "session": f"storm-{index}", "token": table.tokens[index % 2]}
                )
            stack.gateway[0].resume()
            for raw in sockets:
                raw.hear("welcome")
                assert raw.hear("snapshot")["view"]["phase"] == "playing"
            assert 1 <= reads(stack, seen, table.room) <= 20
    finally:
        for raw in sockets:
            raw.close()
        table.close()


def test_clients_come_back_spread_over_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway of three hundred sockets is killed and another one takes its port a little later."""
    waits: list[float] = []  # drawn before each attempt; when it is made then depends on how busy this process is

    class Drawn:
        @staticmethod
        def uniform(low: float, high: float) -> float:
            wait_s = random.uniform(low, high)
            waits.append(wait_s)
            return wait_s

    async def storm(stack: Stack) -> None:
        room, host = await create_room(stack.urls[0], "duel")
        tokens = [host, *[token for _, token in await asyncio.gather(*(new_player(stack.urls[0]) for _ in range(19)))]]
        clients = [Client(stack.urls[0], room, tokens[number % len(tokens)]) for number in range(SOCKETS)]
        async with contextlib.AsyncExitStack() as leave:
            for some in range(0, SOCKETS, 50):
                await asyncio.gather(*(leave.enter_async_context(one) for one in clients[some : some + 50]))
            waits.clear()
            with stack.redis.monitor() as seen:
                stack.gateway[0].kill()
                await asyncio.gather(*(client.until(lambda c: c.closes) for client in clients))
                await asyncio.to_thread(stack.gateway[0].start)
                await asyncio.gather(*(client.ready() for client in clients))
                read = await asyncio.to_thread(reads, stack, seen, room)
        bins = Counter(int(wait_s / BIN_S) for wait_s in waits[:SOCKETS])  # the first attempt of each
        worst = max(bins.values()) / SOCKETS
        print(f"\n{len(waits)} attempts, worst bin {worst:.1%}, {read} reads")
        assert worst < 0.15, sorted(bins.items())
        assert len(waits) >= SOCKETS
        assert 1 <= read < SOCKETS

    monkeypatch.setattr("services.client.client.random", Drawn)
    with Stack(tmp_path) as stack:
        run(storm(stack))
