"""Goal: any gateway may die, no room is tied to it. Method: kill -9 of one of three gateways while thirty games are played;
everybody it held resumes on the other two, all games end, and the audit finds nothing lost or doubled.
"""

import asyncio
import time
from pathlib import Path

from tests.faults.campaign import judge, play, tables
from tests.faults.test_processes import audit_all
from tests.services.test_client import run, same
from tests.stack import Stack

ROOMS = 30


def test_thirty_rooms_survive_the_death_of_a_gateway(tmp_path: Path) -> None:
    """kill -9 of one of three gateways while thirty games are played: everybody resumes on the others, all games end, no
    acknowledged action is lost or done twice, and the audit finds nothing."""

    async def game(stack: Stack) -> None:
        async with tables(stack.urls, ROOMS, "duel", {"turnSeconds": 15}) as found:
            games = [asyncio.ensure_future(play(table, seed, 0.7)) for seed, table in enumerate(found)]
            async with asyncio.timeout(20):
                while sum(bool(table.moves) for table in found) < ROOMS - 5:
                    await asyncio.sleep(0.01)
            running = [table for table in found if not table.over]
            assert len(running) > ROOMS / 2, "the games were over before the fault"
            moved = [client for table in running for client in table.players if client._at == 1]
            killed = time.monotonic()
            stack.gateway[1].kill()
            await asyncio.gather(*(client.until(lambda c: c.closes, 5) for client in moved))
            await asyncio.gather(*(client.ready() for client in moved))
            back_s = time.monotonic() - killed
            assert moved and back_s < 5, back_s
            await asyncio.gather(*games)
            for table in found:
                for client in table.players:
                    await client.until(lambda c: c.view["phase"] == "over", 20)
                await same(*table.players)
            total = await judge(stack.server.url, found)
            assert total["rooms"] == ROOMS and total["actions"] >= 3 * ROOMS
        assert await asyncio.to_thread(audit_all, stack)

    with Stack(tmp_path, gateways=3, workers=2) as stack:
        run(game(stack), 80)
