"""The time of the Redis server, which alone decides, and how far this process's own clock is from it.

Processes of one installation may run on machines whose clocks differ, and any clock may be stepped. Nothing is decided by a
process's clock; that it is wrong is said in the log and on /readyz, since people read times there.
"""

import asyncio
import math
import time
from collections.abc import Callable

import structlog
from redis.exceptions import RedisError

from services.store.redis import Caller, Unreachable

log = structlog.get_logger()

EVERY_S = 2.0
AGAIN_S = 1.0  # after Redis did not answer
DIFFERS_MS = 250


def _steady() -> float:
    """Seconds of a clock that nobody sets and that goes on while the machine sleeps, where there is one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


async def server_ms(caller: Caller) -> int:
    """The Redis server's time now, in ms. Raises what the caller raises."""
    seconds, micros = await caller.call("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


class Clock:
    """One per process. `run` in a task of its own; `now_ms` is the process's own time until the first measurement.

    wall, steady: clocks in seconds.
    """

    def __init__(
        self, caller: Caller, wall: Callable[[], float] = time.time, steady: Callable[[], float] = _steady
    ) -> None:
        self._caller = caller
        self._wall, self._steady = wall, steady
        self._offset_ms = (wall() - steady()) * 1000
        self._width_ms = math.inf  # of the interval in which the offset was known to be
        self._said_ms = 0.0
        self.differs_ms = 0  # how far Redis's clock is ahead of this process's, 0 when by less than DIFFERS_MS

    def now_ms(self) -> int:
        """The Redis server's time in ms, as near as it was measured lately."""
        return int(self._steady() * 1000 + self._offset_ms)

    async def measure(self) -> None:
        """Compare with Redis. Raises what the caller raises. A slow answer tells little, and nothing is said on its word."""
        steady, wall = self._steady(), self._wall()
        there_ms = await server_ms(self._caller)
        took_ms = (self._steady() - steady) * 1000
        latest = there_ms - steady * 1000
        if took_ms <= self._width_ms or not latest - took_ms - 1 <= self._offset_ms <= latest + 1:
            self._offset_ms, self._width_ms = latest - took_ms / 2, took_ms
        ahead_ms = there_ms - wall * 1000 - took_ms / 2
        self._tell(0.0 if abs(ahead_ms) - took_ms / 2 <= DIFFERS_MS else ahead_ms, took_ms)

    def _tell(self, ahead_ms: float, took_ms: float) -> None:
        """Once, and when it changed by more than that again."""
        if not ahead_ms and took_ms > DIFFERS_MS:
            return  # it may differ or not
        self.differs_ms = round(ahead_ms)
        if ahead_ms and abs(ahead_ms - self._said_ms) - took_ms / 2 > DIFFERS_MS:
            self._said_ms = ahead_ms
            log.warning("this machine's clock differs from the Redis server's", redis_ahead_ms=self.differs_ms)
        elif not ahead_ms and self._said_ms:
            self._said_ms = 0.0
            log.info("this machine's clock is the Redis server's again")

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            wait_s = EVERY_S
            try:
                await self.measure()
            except (RedisError, *Unreachable):
                wait_s = AGAIN_S
            await asyncio.sleep(wait_s)
