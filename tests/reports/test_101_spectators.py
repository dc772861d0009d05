"""Goal: people watch, also late, and take nothing from those who play. Method: two hundred spectators of a running game on two
gateways; view, refusals, the players' latency and the count shown.
"""

import asyncio
import contextlib
import time

import pytest

from services.client import Client, Rejected, create_room, new_player
from tests.services.test_client import run, same
from tests.stack import Stack


def test_two_hundred_watch_a_running_game(stack: Stack) -> None:
    """Field report 101: all get the whole view at once and can do nothing; players wait no longer; the count is shown,
    and told a few times, not two hundred."""

    async def latency(client: Client, seat: int, times: int) -> float:
        found = []
        for number in range(times):
            begun = time.monotonic()
            await client.act(seat, {"type": "set_hold", "held": [number % 2 == 0, True, False, False, False]})
            found.append(time.monotonic() - begun)
        return sorted(found)[times // 2]

    async def play() -> None:
        tokens = [token for _, token in await asyncio.gather(*(new_player(stack.urls[0]) for _ in range(40)))]
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls, room, token) as one:
            await one.join("하나")
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            await one.act(0, {"type": "roll"})
            alone_s = await latency(one, 0, 40)
            async with contextlib.AsyncExitStack() as leave:
                crowd = [Client(stack.urls, room, tokens[number % len(tokens)], first=number) for number in range(200)]
                begun = time.monotonic()
                await asyncio.gather(*(leave.enter_async_context(client) for client in crowd))
                assert time.monotonic() - begun < 10
                assert all(client.view == one.view and client.seat is None for client in crowd)
                with pytest.raises(Rejected) as refused:
                    await crowd[0].act(0, {"type": "roll"})
                assert refused.value.code == "not_your_seat"
                for deed in (crowd[1].join("손님"), crowd[2].leave(), crowd[3].rematch(), crowd[4].start()):
                    with pytest.raises(Rejected):
                        await deed
                await one.until(lambda c: c.present == 41, 6)
                crowded_s = await latency(one, 0, 20)
                await same(one, *crowd)
                assert crowded_s < alone_s + 0.5, (alone_s, crowded_s)
            await one.until(lambda c: c.present == 1, 10)

    run(play())
