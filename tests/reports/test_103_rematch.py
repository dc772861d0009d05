"""Goal: the same people play again and watchers come along. Method: all press rematch at once; one new game for players and
watchers on both gateways, each game its own log; nobody follows when one has left.
"""

import asyncio
import contextlib

from services.client import Client
from tests.services.manners_kit import duel, finish
from tests.services.test_client import audited, run, same
from tests.stack import Stack


def test_everybody_follows_into_the_next_game(stack: Stack) -> None:
    """Field report 103: all press at once, one has left. One new game; players and watchers, on both gateways, are in it
    without doing anything, and each game is its own log."""

    async def play() -> None:
        async with duel(stack.urls, nonce=True) as (one, two), contextlib.AsyncExitStack() as leave:
            crowd = [await leave.enter_async_context(Client(stack.urls, one.room, first=number)) for number in range(4)]
            first = one.game
            await finish(one, two)
            receipts = one.receipts[-1]
            await asyncio.gather(one.rematch(), two.rematch())
            for client in (one, two, *crowd):
                await client.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
                assert client.closes == [] and client.game == f"{one.room}/2"
            assert {one.seat, two.seat} == {0, 1} and all(client.seat is None for client in crowd)
            assert one.view["commitment"] and receipts.game == first
            for client in (one, two):
                await client.promise()
            await one.start()
            for client in (one, two, *crowd):
                await client.until(lambda c: c.view["phase"] == "playing")
            await finish(one, two)
            await same(one, *crowd)
            assert one.view["revealed"]["nonces"] != ["00" * 32] * 2, "promises of the next game are opened"
            await audited(stack, one)
            # one leaves; the other cannot play alone, and nobody follows into a game that is not
            await two.close()
            await one.until(lambda c: not c.view["seats"][str(1 - c.seat)]["connected"])
            await one.rematch()
            assert one.number == 2 and one.view["phase"] == "over"

    run(play())
