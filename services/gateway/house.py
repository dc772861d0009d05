"""Says that this gateway serves. While no gateway does the house is away: nobody is played for, and when service returns each
room's log says from when to when it was, before anybody can act (docs/design.md 4).
"""

import asyncio

import structlog
from redis.exceptions import RedisError

from services.store.keys import PARTITIONS
from services.store.redis import Unreachable
from services.store.write import Writer

log = structlog.get_logger()

LEASE_MS = 3000
BEAT_S = 0.75
RETRY_S = 0.2


class House:
    """`open` before the first request is served, then `run` in a task of its own; `close` when no more is."""

    def __init__(self, writer: Writer, generation: str) -> None:
        self._writer = writer
        self._generation = generation

    async def open(self) -> None:
        """Until Redis answers: this gateway serves, and all rooms know when none did."""
        while not await self._beat():
            await asyncio.sleep(RETRY_S)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(BEAT_S if await self._beat() else RETRY_S)

    async def close(self) -> None:
        """It serves no more. One try; the lease does the rest."""
        try:
            await self._writer.serve(self._generation, 0)
        except (RedisError, *Unreachable):
            pass

    async def _beat(self) -> bool:
        try:
            if await self._writer.serve(self._generation, LEASE_MS):
                log.info("the house was away")
                await self._tell()
        except (RedisError, *Unreachable):
            return False
        return True

    async def _tell(self) -> None:
        parts = list(range(PARTITIONS))
        while parts:
            await self._writer.serve(self._generation, LEASE_MS)
            reports = await asyncio.gather(*map(self._writer.due, parts))
            parts = [part for part, (_, _, more) in zip(parts, reports, strict=True) if more]
