"""Goal: after the server was away a worker takes jobs at once, however many drains had failed meanwhile. Method: a BellWorker
with thirty jobs that ended in a connection error, as a server that is killed leaves them; its next round is listened to.
"""

import asyncio

from arq.connections import RedisSettings, create_pool
from redis.exceptions import ConnectionError as RedisConnectionError
from structlog.testing import capture_logs

from services.store.keys import QUEUE
from services.worker.bell import BellWorker, settings_for

FAILED = 30


async def drain(ctx: dict) -> None:
    """Nothing to do."""


async def failed() -> None:
    raise RedisConnectionError("the server is away")


def test_jobs_that_failed_while_the_server_was_away_do_not_each_cost_a_round(url) -> None:
    async def body() -> None:
        pool = await create_pool(RedisSettings.from_dsn(url), default_queue_name=QUEUE)
        worker = BellWorker(url, **settings_for(drain, max_jobs=4, redis_pool=pool, handle_signals=False))
        worker.tasks = {f"p{n:02d}:1": asyncio.ensure_future(failed()) for n in range(FAILED)}
        await asyncio.wait(worker.tasks.values())
        worker._wake.set()
        with capture_logs() as logged:
            await worker._poll_iteration()
        assert logged == [] and worker.tasks == {}
        await pool.aclose()

    asyncio.run(body())
