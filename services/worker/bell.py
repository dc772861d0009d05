"""arq behind one module: a Worker that waits for a bell instead of polling, and starts jobs side by side.

Stock arq polls (250 ms median at its default), does four round trips per job start one job after the other, pickles, keeps
results and blocks ids. Here: BLPOP on the bell, a constant payload (the id says everything), no results, overlapped
starts. `settings_for` checks every name against arq's signature, since arq ignores misspelt settings in silence.
"""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import structlog
from arq.worker import Worker, func
from redis.exceptions import RedisError

from services.store.keys import BELL, QUEUE
from services.store.redis import Unreachable, connect

log = structlog.get_logger()

FALLBACK_S = 0.5  # looks at the queue this often without any bell
JOB_TIMEOUT_S = 60  # well above drain.TERM_S
PARKED = 10**15  # ms: a score that lies ahead by every clock
START_TOGETHER = 16


def unpack_job(payload: bytes) -> dict[str, Any]:
    """arq's job record from the constant payload that the scripts write."""
    return {"t": None, "f": payload.decode(), "a": (), "k": {}, "et": 0}


def settings_for(drain: Any, max_jobs: int, **more: Any) -> dict[str, Any]:
    """Keyword arguments for the worker. Raises TypeError for a name that arq does not know."""
    chosen = {
        "functions": [func(drain, name="drain")],
        "queue_name": QUEUE,
        "max_jobs": max_jobs,
        "job_timeout": JOB_TIMEOUT_S,
        "keep_result": 0,
        "max_tries": 1_000_000,
        "poll_delay": 0,
        "health_check_interval": 30,
        "job_serializer": lambda record: b"drain",
        "job_deserializer": unpack_job,
        "log_results": False,
        **more,
    }
    unknown = set(chosen) - set(inspect.signature(Worker).parameters)
    if unknown:
        raise TypeError(f"arq.Worker has no settings {sorted(unknown)}")
    return chosen


class Bell:
    """An event for one waiter at a time, who waits so long at most: what an idle room's every action passes."""

    __slots__ = ("_rung", "_waiter")

    def __init__(self) -> None:
        self._rung = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._rung = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def clear(self) -> None:
        self._rung = False

    async def wait(self, timeout_s: float) -> bool:
        """Whether it rang since it was cleared; False after `timeout_s`."""
        if not self._rung:
            loop = asyncio.get_running_loop()
            waiter = self._waiter = loop.create_future()
            timer = loop.call_later(timeout_s, lambda: waiter.done() or waiter.set_result(None))
            try:
                await waiter
            finally:
                timer.cancel()
                self._waiter = None
        return self._rung


class BellWorker(Worker):
    """arq's Worker, woken by the bell, by a job slot that frees while others wait, or after FALLBACK_S."""

    def __init__(self, url: str, on_round: Callable[[], None] = lambda: None, **settings: Any) -> None:
        super().__init__(**settings)
        self._url = url
        self._on_round = on_round
        self._wake = asyncio.Event()
        self._backlog = False

    async def main(self) -> None:
        listener = self.loop.create_task(self._listen())
        try:
            await super().main()
        finally:
            listener.cancel()

    async def close(self) -> None:
        """arq's own raises for the first job that was cancelled before it began, and leaves the others unfinished."""
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        self.tasks.clear()
        await super().close()

    async def _listen(self) -> None:
        redis = connect(self._url, timeout_s=None, connections=1)
        try:
            while True:
                try:
                    if self.job_counter >= self.max_jobs or not self.allow_pick_jobs:
                        await asyncio.sleep(0.01)
                    elif await redis.blpop([BELL], timeout=5):
                        self._wake.set()
                except (RedisError, *Unreachable):
                    await asyncio.sleep(0.2)
        finally:
            await redis.aclose()

    async def _poll_iteration(self) -> None:
        try:
            async with asyncio.timeout(FALLBACK_S):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()
        self._on_round()
        self._drop_unfinished()
        try:
            await super()._poll_iteration()
        except (RedisError, *Unreachable) as error:
            log.warning("queue unreachable", fault=type(error).__name__)
            await asyncio.sleep(0.2)
        self._backlog = self.job_counter >= self.max_jobs

    def _drop_unfinished(self) -> None:
        """Jobs whose end arq could not tell Redis: it would raise each of them in a round of its own. The sweep knows."""
        for job_id, task in list(self.tasks.items()):
            if task.done() and not task.cancelled() and isinstance(task.exception(), (RedisError, *Unreachable)):
                del self.tasks[job_id]

    def _release_sem_dec_counter_on_complete(self) -> None:
        super()._release_sem_dec_counter_on_complete()
        if self._backlog:
            self._wake.set()

    async def start_jobs(self, job_ids: list[bytes]) -> None:
        running = {job for job, task in self.tasks.items() if not task.done()}
        fresh = [job for job in job_ids if job.decode() not in running][: max(0, self.max_jobs - self.job_counter)]
        for i in range(0, len(fresh), START_TOGETHER):
            await asyncio.gather(*(super(BellWorker, self).start_jobs([job]) for job in fresh[i : i + START_TOGETHER]))

    async def park(self, job_id: str) -> None:
        """Move a lingering job's queue entry into the far future, so that it hides no other from arq's read window."""
        await self.pool.zadd(self.queue_name, {job_id: PARKED}, xx=True)
