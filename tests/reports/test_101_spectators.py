"""Goal: people watch, also late, and take nothing from those who play. Method: two hundred spectators of a running game on two
gateways; view, refusals and the count shown.
"""

import asyncio
import contextlib

import pytest

from services.client import Client, Rejected, create_room, new_player
from tests.services.test_client import run, same
from tests.stack import Stack


def test_two_hundred_watch_a_running_game(stack: Stack) -> None:
    """Field report 101: all get the whole view at once and can do nothing; the players go on; the count is shown,
    and told a few times, not two hundred."""

    async def play() -> None:
        tokens = [token for _, token in await asyncio.gather(*(new_player(stack.urls[0]) for _ in range(40)))]
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls, room, token) as one:
            await one.join("하나")
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            await one.act(0, {"type": "roll"})
            async with contextlib.AsyncExitStack() as leave:
                crowd = [Client(stack.urls, room, tokens[number % len(tokens)], first=number) for number in range(200)]
                await asyncio.gather(*(leave.enter_async_context(client) for client in crowd))
                assert all(client.view == one.view and client.seat is None for client in crowd)
                with pytest.raises(Rejected) as refused:
                    await crowd[0].act(0, {"type": "roll"})
                assert refused.value.code == "not_your_seat"
                for deed in (crowd[1].join("손님"), crowd[2].leave(), crowd[3].rematch(), crowd[4].start()):
                    with pytest.raises(Rejected):
                        await deed
                await one.until(lambda c: c.present == 41)
                for number in range(20):
                    await one.act(0, {"type": "set_hold", "held": [number % 2 == 0, True, False, False, False]})
                await same(one, *crowd)
            await one.until(lambda c: c.present == 1)

    run(play())
