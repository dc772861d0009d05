"""Goal: any gateway may die, no room is tied to it. Method: kill -9 of one gateway while many games are played; everybody it
held resumes on the others, all games end, and the audit finds nothing lost or doubled.
"""

import asyncio
from pathlib import Path

import pytest

from tests.faults.campaign import judge, play, tables
from tests.faults.test_processes import audit_all
from tests.services.test_client import run, same
from tests.stack import Stack


@pytest.mark.parametrize(("rooms", "gateways"), [(30, 3), pytest.param(50, 2, marks=pytest.mark.soak)])
def test_many_rooms_survive_the_death_of_a_gateway(tmp_path: Path, rooms: int, gateways: int) -> None:
    """kill -9 of one gateway while all rooms play: everybody resumes on the others, all games end, no acknowledged action is
    lost or done twice, and the audit finds nothing."""

    async def game(stack: Stack) -> None:
        async with tables(stack.urls, rooms, "duel", {"turnSeconds": 15}) as found:
            games = [asyncio.ensure_future(play(table, seed, 0.7)) for seed, table in enumerate(found)]
            async with asyncio.timeout(300):
                while sum(bool(table.moves) for table in found) < rooms - 5:
                    await asyncio.sleep(0.01)
            running = [table for table in found if not table.over]
            assert len(running) > rooms / 2, "the games were over before the fault"
            moved = [client for table in running for client in table.players if client._at == 1]
            stack.gateway[1].kill()
            await asyncio.gather(*(client.until(lambda c: c.closes) for client in moved))
            await asyncio.gather(*(client.ready() for client in moved))
            assert moved
            await asyncio.gather(*games)
            for table in found:
                for client in table.players:
                    await client.until(lambda c: c.view["phase"] == "over")
                await same(*table.players)
            total = await judge(stack.server.url, found)
            assert total["rooms"] == rooms and total["actions"] >= 3 * rooms
        assert await asyncio.to_thread(audit_all, stack)

    with Stack(tmp_path, gateways=gateways, workers=2) as stack:
        run(game(stack))
