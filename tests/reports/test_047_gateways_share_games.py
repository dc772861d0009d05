"""Goal: which gateway somebody is connected to makes no difference. Method: players and spectators on both gateways follow a
whole game, one player moves over in the middle; all saw the same events, and so does the log.
"""

import asyncio
import json
import random

from services.client import Client
from services.client.play import play_to_end
from tests.services.test_client import audited, run, same, table
from tests.stack import Stack


def test_a_game_over_two_gateways_is_one_game(stack: Stack) -> None:
    """Field report 47: players and spectators on both gateways see the same events; one moves over in the middle."""

    async def play() -> None:
        async with table(stack) as (one, two):
            async with Client(stack.urls[0], one.room) as left, Client(stack.urls[1], one.room) as right:
                seen = len(one.events) - one.version  # events before the first snapshot were never sent
                assert left.seat is None and right.names == {one.player: "하나", two.player: "둘"}
                game = asyncio.gather(
                    play_to_end(one, one.seat, random.Random(1)), play_to_end(two, two.seat, random.Random(2))
                )
                await one.until(lambda c: c.version > 60)
                await one.drop(url=1)
                await game
                await same(one, two, left, right)
                assert one.view["result"]["winners"] and one.view["revealed"]["secret"]
                assert len(one.events) - one.version == seen, "events were lost or doubled over the move"
                tail = left.events[-100:]
                assert all(client.events[-100:] == tail for client in (one, two, right))
                log = await audited(stack, one)
                assert [json.loads(data) for data in log.events][-100:] == tail

    run(play())
