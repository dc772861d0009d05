"""Goal: a redeploy, a crash and a paused machine are the same to a player: nobody is played for who could not reach the table.

Method: every process is stopped or killed while games of both kinds run, and started again some time later; clients come back
by themselves; the log must not hold an automatic turn, and says when the house was away.
"""

import asyncio

import pytest

from tests.faults.campaign import judge, tables
from tests.faults.test_processes import audit_all, run
from tests.faults.test_timeouts import events
from tests.stack import Stack


async def back_at_the_table(found) -> None:
    for table in found:
        for client in table.players:
            await client.ready()
            await client.until(lambda c: all(seat["connected"] for seat in c.view["seats"].values()))


def restarts(folder, game: str, how: str, away_s: float) -> None:
    """Everything ends and comes back; the movers have most of a minute left, the grace of the absent would be over."""

    async def scenario(stack):
        async with tables(stack.urls, 3, game, {"turnSeconds": 60}) as found:
            await asyncio.gather(*(asyncio.to_thread(getattr(process, how)) for process in stack.processes))
            await asyncio.sleep(away_s)
            for process in stack.processes:
                process.start(wait=False)
            await back_at_the_table(found)
            for table in found:
                assert not events(stack, table.room, b"timed_out"), "somebody was played for who could not be here"
                if away_s > 4:  # a gateway's lease of three seconds, and some
                    assert events(stack, table.room, b"house_away")
            await judge(stack.server.url, found)

    with Stack(folder, gateways=1, workers=1, schedulers=1, env={"NORIPAN_DRAIN_S": "0"}) as stack:
        run(scenario(stack), 180)
        audit_all(stack)


@pytest.mark.parametrize(
    ("game", "how", "away_s"), [("yut", "stop", 6.0), ("yacht", "kill", 11.0), ("yut", "stop", 0.0)]
)
def test_nobody_is_played_for_while_everything_restarts(tmp_path, game, how, away_s):
    restarts(tmp_path, game, how, away_s)


@pytest.mark.soak
@pytest.mark.parametrize("away_s", [0, 1, 2, 3, 4, 6, 10, 15, 20, 30])
@pytest.mark.parametrize("how", ["stop", "kill"])
@pytest.mark.parametrize("game", ["yut", "yacht"])
def test_nobody_is_played_for_however_long_everything_is_away(tmp_path, game, how, away_s):
    restarts(tmp_path, game, how, away_s)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_gateway_that_is_replaced_hands_its_people_over(tmp_path, how):
    """SIGTERM is never worse than kill -9: who is back within the lease was never gone."""

    async def scenario(stack):
        async with tables(stack.urls[1:], 3, "yut", {"turnSeconds": 60}) as found:
            for table in found:
                for client in table.players:
                    client.urls.insert(0, stack.urls[0])  # where they find another
            await asyncio.to_thread(getattr(stack.gateway[1], how))
            await back_at_the_table(found)
            for table in found:
                assert not events(stack, table.room, b"disconnected")
                assert not events(stack, table.room, b"timed_out")
                assert not events(stack, table.room, b"house_away"), "another gateway served"
            await judge(stack.server.url, found)

    with Stack(tmp_path, gateways=2, env={"NORIPAN_DRAIN_S": "0"}) as stack:
        run(scenario(stack), 120)


def test_a_machine_that_slept_plays_for_nobody(tmp_path):
    """Every process of ours stands still, as on a laptop whose lid was closed; the server's clock went on."""

    async def scenario(stack):
        async with tables(stack.urls, 2, "yut", {"turnSeconds": 15}) as found:
            for process in stack.processes:
                process.pause()
            await asyncio.sleep(17)  # the turns would be over
            for process in stack.processes:
                process.resume()
            for table in found:
                for client in table.players:
                    await client.until(lambda c: any(event["type"] == "house_away" for event in c.events))
                assert not events(stack, table.room, b"timed_out")

    with Stack(tmp_path) as stack:
        run(scenario(stack), 120)
