"""Goal: a deploy costs nobody a game. Method: every process is stopped (SIGTERM) and started again, one after the other, while
rooms play; all games finish, every process ended in good order, and what players saw is what the log says.
"""

import asyncio
from pathlib import Path

from tests.faults.campaign import Pace, judge, play, tables
from tests.faults.test_processes import audit_all
from tests.services.test_client import run
from tests.stack import Stack

ROOMS = 8


def test_all_games_finish_over_a_rolling_restart_of_everything(tmp_path: Path) -> None:
    async def deploy(stack: Stack) -> None:
        async with tables(stack.urls, ROOMS) as found:
            pace = Pace()
            games = [asyncio.ensure_future(play(table, seed, pace=pace)) for seed, table in enumerate(found)]
            for process in stack.processes:
                pace.give(4 * ROOMS)  # a game has many more
                assert not any(table.over for table in found), "the games were over before the deploy"
                assert await asyncio.to_thread(process.stop) == 0, process.tail()
                process.start(wait=False)
                await asyncio.to_thread(process.wait_ready)
            pace.open()
            await asyncio.gather(*games)
            for table in found:
                for client in table.players:
                    await client.until(lambda c: c.view["phase"] == "over")
                    assert client.closes and set(client.closes) == {1001}
            total = await judge(stack.server.url, found)
            assert total["rooms"] == ROOMS

    with Stack(tmp_path, gateways=2, workers=2, schedulers=1) as stack:
        run(deploy(stack))
        audit_all(stack)
