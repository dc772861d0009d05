"""Goal: the seat is kept for as long as the game runs; how long somebody was away only decides whether the room acted for them.
Method: in rooms side by side somebody is away for less and for more than the grace (5 s in this game), and back through the
other gateway; the view is there at once, and the log says who acted.
"""

import asyncio
import json

import pytest

from engine.fold import entry_ms
from services.client import Client
from tests.services.manners_kit import CHOOSE, duel
from tests.services.test_client import audited, run
from tests.stack import Stack

GRACE_S = 5.0


@pytest.mark.parametrize("gateway", [0, 1])
def test_back_before_and_after_the_grace(stack: Stack, gateway: int) -> None:
    async def away(away_s: float) -> None:
        async with duel(stack.urls) as (one, two):
            seat = two.seat
            await one.act(one.seat, CHOOSE)
            await two.close()
            await one.until(lambda c: not c.view["seats"][str(seat)]["connected"])
            await asyncio.sleep(away_s)
            async with Client(stack.urls, one.room, two.token, first=gateway) as back:
                assert back.seat == seat
                await one.until(lambda c: c.view["seats"][str(seat)]["connected"])
                turn = back.view["turn"]
                await back.act(seat, CHOOSE, turn)
                log = await audited(stack, back)
            events = [json.loads(data) for data in log.events]
            causes = [event["cause"] for event in events if event["type"] == "timed_out"]
            assert (turn, causes) in ((1, []), (2, ["absent"]))
            # How long it really was, on a busy machine, is in the log.
            gone, came = (
                next(entry_ms(entry.id) for entry in log.entries[::-1] if b'"%s"' % kind in entry.data)
                for kind in (b"disconnected", b"connected")
            )
            really_s = (came - gone) / 1000
            assert really_s < GRACE_S or turn == 2
            assert really_s > GRACE_S or turn == 1
            acted.add(turn)

    acted: set[int] = set()

    async def all_of_them() -> None:
        await asyncio.gather(*(away(away_s) for away_s in (0.0, 1.0, GRACE_S - 0.7, GRACE_S + 0.7)))

    run(all_of_them())
    assert acted == {1, 2}
