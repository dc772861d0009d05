"""Goal: one end, however often the last action is sent. Method: the worker is dead when the last action comes; the player
refreshes three times meanwhile; the log has one end with one result.
"""

import asyncio
import json

from tests.services.manners_kit import CHOOSE, duel
from tests.services.test_client import audited, run, same
from tests.stack import Stack


def test_one_end_however_often_it_is_asked_for(stack: Stack) -> None:
    """Field report 29: the last action again and again, with refreshes and a killed worker in between: one end."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            while one.view["table"]["wins"] == [0, 0]:
                turn = one.view["turn"]
                for client, hand in ((one, "rock"), (two, "scissors")):
                    await client.act(client.seat, {"type": "choose", "hand": hand}, turn)
                await one.until(lambda c, turn=turn: c.view.get("turn") != turn)
            turn = one.view["turn"]
            await one.act(one.seat, CHOOSE, turn)
            stack.worker[0].kill()
            try:
                last = asyncio.create_task(two.act(two.seat, {"type": "choose", "hand": "scissors"}, turn))
                for number in range(3):
                    await two.drop(url=number % 2)
                    await two.ready()
                assert not last.done()
            finally:
                await asyncio.to_thread(stack.worker[0].start)
            await last
            await two.until(lambda c: c.view["phase"] == "over")
            await same(one, two)
            log = await audited(stack, one)
            kinds = [json.loads(data)["type"] for data in log.events]
            assert kinds.count("game_over") == kinds.count("revealed") == 1

    run(play())
