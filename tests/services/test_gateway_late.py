"""Goal: watchers of a late room cost what happens in it and not its whole log each; and the next game of a room may take its
time to open without anybody losing the connection.

Method: MONITOR counts what gateways read of the actions stream; a worker is stopped while a rematch is agreed on.
"""

import time
from pathlib import Path

from services.client import Client, create_room
from services.gateway.context import LATE_PER_MINUTE
from services.store.keys import key
from tests.services.manners_kit import duel, finish
from tests.services.raw import Raw, request
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack


def late_watcher(url: str, room: str) -> Raw:
    token = request("POST", f"{url}/api/me", {})[1]["token"]
    return Raw(url).hello(room, token)


def test_a_late_watcher_does_not_decide_the_log_from_its_start_when_another_was_there(stack: Stack) -> None:
    async def play() -> str:
        async with duel(stack.urls, {"delay_s": 1}) as (one, two):
            await finish(one, two)
            return one.room

    room = run(play())
    url, log = stack.urls[0], key("a", f"{room}/1")
    with late_watcher(url, room) as first:
        while first.snapshot["view"]["phase"] != "over":
            first.snapshot["view"]["phase"] = first.hear("update")["patch"].get("phase", "playing")
    with stack.redis.monitor() as said:
        for _ in range(3):
            late_watcher(url, room).close()
        assert request("GET", f"{url}/api/rooms/{room}")[0] == 200
        stack.redis.echo("over")
        lows = []
        while (command := said.next_command()["command"]) != "ECHO over":
            if command.startswith(f"XRANGE {log} "):
                lows.append(command.split(" ")[2])
    assert lows and "-" not in lows, "nobody begins at the start"


def test_a_rematch_that_waits_for_a_worker_closes_no_socket(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            await finish(one, two)
            closes = len(one.closes), len(two.closes)
            await one.rematch()
            await two.rematch()
            await one.until(lambda c: c.number == 2)
            stack.worker[0].pause()
            try:
                stack.redis.hset(key("r", one.room), "v", 0)  # as in the moment in which it is opened
                watcher = Raw(stack.urls[0])
                token = request("POST", f"{stack.urls[0]}/api/me", {})[1]["token"]
                watcher.say({"type": "hello", "room": one.room, "session": "watch", "token": token})
                watcher.say({"type": "ping", "t": 1})
                end = time.monotonic() + 4  # longer than a room may take that was never seen open
                while time.monotonic() < end:
                    watcher.say({"type": "ping", "t": 2})
                    assert watcher.hear("pong")
                    time.sleep(0.25)
            finally:
                stack.worker[0].resume()
                watcher.close()
            assert (len(one.closes), len(two.closes)) == closes

    run(play())


def test_an_address_has_only_so_many_late_games_decided_from_their_start(tmp_path: Path) -> None:
    """However it asks (a socket, a look at the room, the steps of its game); what was decided already may be asked for freely."""

    async def play(stack: Stack) -> list[str]:
        made = []
        for _ in range(LATE_PER_MINUTE + 3):
            room, token = await create_room(stack.urls[0], "duel", settings={"delay_s": 300})
            async with Client(stack.urls[0], room, token) as one, Client(stack.urls[0], room) as two:
                await one.join("a", nonce=False)
                await two.join("b", nonce=False)
                await one.start()
                await one.until(lambda c: c.view["phase"] == "playing")
            made.append(room)
        return made

    with Stack(tmp_path, env={"NORIPAN_PROXY_HOPS": "1"}) as stack:
        url, rooms = stack.urls[0], run(play(stack))
        me = {"x_forwarded_for": "192.0.2.1"}
        statuses = [request("GET", f"{url}/api/rooms/{room}", **me)[0] for room in rooms]
        assert statuses == [200] * LATE_PER_MINUTE + [429] * 3
        assert request("GET", f"{url}/api/rooms/{rooms[-1]}/games/1/steps?from=0", **me)[0] == 429
        assert request("GET", f"{url}/api/rooms/{rooms[0]}", **me)[0] == 200
        token = request("POST", f"{url}/api/me", {})[1]["token"]
        with Raw(url, additional_headers={"X-Forwarded-For": "192.0.2.1"}) as raw:
            raw.say({"type": "hello", "room": rooms[-1], "session": "late", "token": token})
            assert raw.code() == 1013
        with Raw(url, additional_headers={"X-Forwarded-For": "192.0.2.1"}).hello(rooms[0], token) as raw:
            assert raw.snapshot["view"]["phase"] == "lobby"
        with Raw(url, additional_headers={"X-Forwarded-For": "192.0.2.2"}).hello(rooms[-1], token) as raw:
            assert raw.snapshot["view"]["phase"] == "lobby"
