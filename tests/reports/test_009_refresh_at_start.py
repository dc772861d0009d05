"""Goal: nobody loses the seat by refreshing while the host starts. Method: Start and the guest's reconnect in the same moment,
fifty rooms at the same instant and sixteen spread over some milliseconds; the guest is seated and acts in every one.
"""

import asyncio

import pytest

from tests.services.manners_kit import CHOOSE, duel
from tests.services.test_client import chooser, run, same, table
from tests.stack import Stack


def test_refreshing_while_the_game_starts_keeps_the_seat(stack: Stack) -> None:
    """Field report 9: Start and the guest's reconnect in the same moment, again and again: a player every time."""

    async def once(number: int) -> None:
        async with duel(stack.urls, start=False, nonce=True) as (one, two):
            await asyncio.gather(one.start(), two.drop(url=number % 2))
            await two.ready()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            assert {one.seat, two.seat} == {0, 1}
            await two.act(two.seat, CHOOSE)

    async def play() -> None:
        for _ in range(5):
            await asyncio.gather(*(once(number) for number in range(10)))

    run(play())


@pytest.mark.parametrize("first", [0, 1])
def test_refresh_at_the_start_keeps_the_seat(stack: Stack, first: int) -> None:
    """Field report 9: Start and a reconnect in the same moment, eight times each way: seated, present, able to act."""

    async def once(delay_s: float) -> None:
        async with table(stack, start=False) as (one, two):

            async def refresh() -> None:
                await asyncio.sleep(delay_s)
                await two.drop(url=first)
                await two.ready()

            await asyncio.gather(one.start(), refresh())
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing" and c.seat is not None)
            acting = await chooser(one, two)
            await acting.act(acting.seat, {"type": "roll"})
            await acting.act(acting.seat, {"type": "score", "category": "choice"})
            other = two if acting is one else one
            await other.until(lambda c: c.seat in c.view.get("acting", ()))
            await other.act(other.seat, {"type": "roll"})
            await same(one, two)
            assert two.view["seats"][str(two.seat)]["connected"]

    async def all_of_them() -> None:
        await asyncio.gather(*(once(0.006 * step) for step in range(8)))

    run(all_of_them())
