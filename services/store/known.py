"""Is this still the server that we know? One that comes back empty (another volume, a deleted file) must not look like the end
of every room.

The first start of an installation writes `noripan:meta` (check.py), and nothing ever removes it. When it is gone, the data is:
for a minute nobody is told that a room does not exist, since the right data may come back; then the server is taken as it is.
"""

import asyncio
import time

import structlog
from redis.exceptions import RedisError

from services.store.keys import META, PARTITIONS
from services.store.redis import Caller, Unreachable

log = structlog.get_logger()

LOOK_S = 2.0
DOUBT_S = 60.0


class Known:
    """One per process. `run` in a task of its own, so that it is said even when nobody asks."""

    def __init__(self, caller: Caller, doubt_s: float = DOUBT_S) -> None:
        self._caller = caller
        self._doubt_s = doubt_s
        self._since: float | None = None  # when the data was found to be gone

    @property
    def doubtful(self) -> bool:
        """Whether the data was gone when last looked at."""
        return self._since is not None

    async def doubt(self) -> bool:
        """Look now: whether the data is gone, and not for so long that it is believed. Raises what the caller raises."""
        if await self._caller.call("EXISTS", META):
            if self._since is not None:
                self._since = None
                log.info("redis has its data again")
            return False
        now = time.monotonic()
        if self._since is None:
            self._since = now
            log.error("redis came back without its data: rooms are not given up yet", for_s=self._doubt_s)
        if now - self._since < self._doubt_s:
            return True
        await self._caller.call("HSETNX", META, "partitions", PARTITIONS)
        self._since = None
        log.error("redis is taken as it is: all rooms of before are gone")
        return False

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.doubt()
            except (RedisError, *Unreachable):
                pass  # others say that it is away
            await asyncio.sleep(LOOK_S)
