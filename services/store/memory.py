"""How much of what it may use the Redis server uses: before it refuses every write, new rooms are refused.

A server that is full (`noeviction`) can write nothing any more, and every game of everybody stops. So the last tenth is for
the games that are being played.
"""

import asyncio

import structlog
from redis.exceptions import RedisError

from services.store.redis import Caller, Unreachable

log = structlog.get_logger()

EVERY_S = 2.0
FULL = 90  # percent; from here on no new rooms
AGAIN = 85  # until it is below this again


class Memory:
    """One per gateway. `run` in a task of its own; nothing is full until it was asked."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.percent = 0  # of maxmemory; 0 where the server has no bound
        self.full = False

    async def measure(self) -> None:
        """Ask the server. Raises what the caller raises."""
        told = dict(
            line.split(b":", 1) for line in (await self._caller.call("INFO", "memory")).splitlines() if b":" in line
        )
        bound = int(told.get(b"maxmemory", 0))
        self.percent = round(100 * int(told[b"used_memory"]) / bound) if bound else 0
        full = self.percent >= (AGAIN if self.full else FULL)
        if full != self.full:
            self.full = full
            say = log.error if full else log.info
            say("redis is nearly full: no new rooms" if full else "redis has room again", percent=self.percent)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.measure()
            except (RedisError, *Unreachable):
                pass  # others say that it is away
            await asyncio.sleep(EVERY_S)
