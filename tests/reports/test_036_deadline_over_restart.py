"""Goal: a deploy in the middle of a turn changes no clock. Method: workers, schedulers, a gateway and the server are killed and
started again during a turn; the deadline that players see afterwards is the one from before, and the log decides the same.
"""

import asyncio
from pathlib import Path

from tests.faults.campaign import judge, tables
from tests.services.test_client import run
from tests.stack import Stack


def test_a_restart_of_everything_leaves_the_deadline_as_it_was(tmp_path: Path) -> None:
    async def scenario(stack: Stack) -> None:
        async with tables(stack.urls, 1, options={"turnSeconds": 60}) as (table,):
            one, two = table.players
            before = one.view["deadline"]
            restarted = (*stack.worker, *stack.scheduler, stack.gateway[0])
            for process in restarted:
                process.restart(wait=False)
            stack.server.kill()
            stack.server.start()
            for process in restarted:
                await asyncio.to_thread(process.wait_ready)
            mover = one if one.seat in one.view["acting"] else two
            await mover.act(mover.seat, {"type": "roll"})
            assert mover.view["deadline"] == before
            await two.until(lambda c: c.version == mover.version)
            await one.until(lambda c: c.version == mover.version)
            await judge(stack.server.url, [table])

    with Stack(tmp_path, gateways=2) as stack:
        run(scenario(stack))
