"""Who is here: tells the rooms when a player's first socket in this gateway opens and when the last one closes.

What should be so (`_count`) and what Redis was told (`_told`) are kept apart, and one task brings the second to the first:
a player who comes, goes and comes again while Redis is away costs one call. A server that lost its last moments with the
connection is asked what it holds, so that no order of failures can leave a ghost, nor somebody who is here as gone.
Nobody is gone before what they said last is in the log: a seat taken by it would stay connected for ever.
A lease per partition says that this gateway lives. One that was found dead is taken off by the sweep; if that was a
mistake (a long pause), the next beat says so and everybody is registered again.
"""

import asyncio
import secrets
from collections.abc import Iterable

import structlog
from redis.exceptions import RedisError

from services.store.keys import PARTITIONS, partition
from services.store.redis import Unreachable
from services.store.write import Writer

log = structlog.get_logger()

LEASE_MS = 6000
BEAT_S = 2.0
RETRY_S = 0.2
LAST_S = 10.0  # how long the last words of a socket are waited for
STOP_S = 0.5  # and when the gateway ends
TOGETHER = 128

Who = tuple[str, str]  # room, player


class Presence:
    """generation: this process, this start. `run` in a task of its own."""

    def __init__(self, writer: Writer) -> None:
        self.generation = secrets.token_hex(6)
        self._writer = writer
        self._count: dict[Who, int] = {}
        self._told: dict[Who, bool | None] = {}  # None: the outcome of the last call is unknown
        self._open: set[Who] = set()  # to be looked at
        self._wake = asyncio.Event()
        self._opened = 0  # connection to Redis since which what was told is known to be there
        self._leaving: set[asyncio.Task] = set()
        self.ending = False  # the gateway ends: sockets that close say nothing about their players

    def enter(self, room: str, player: str) -> None:
        who = (room, player)
        held = self._count.get(who, 0)
        self._count[who] = held + 1
        if not held:
            self._look(who)

    def leave(self, room: str, player: str) -> None:
        if self.ending:
            return
        who = (room, player)
        held = self._count.pop(who, 0) - 1
        if held > 0:
            self._count[who] = held
        else:
            self._look(who)

    def leave_after(self, work: asyncio.Task | None, room: str, players: Iterable[str], *, cut: bool) -> None:
        """`leave`, when `work` is done or has had its time. cut: then it is cancelled, so that nothing follows."""
        if work is None:
            for player in players:
                self.leave(room, player)
            return
        task = asyncio.get_running_loop().create_task(self._leave_after(work, room, tuple(players), cut))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _leave_after(self, work: asyncio.Task, room: str, players: tuple[str, ...], cut: bool) -> None:
        _, late = await asyncio.wait((work,), timeout=LAST_S)
        if late and cut:
            work.cancel()
            await asyncio.wait((work,), timeout=STOP_S)
        for player in players:
            self.leave(room, player)

    def _look(self, who: Who) -> None:
        self._open.add(who)
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        beat_at = loop.time() + BEAT_S
        while True:
            try:
                async with asyncio.timeout_at(beat_at):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            if not await self._compare() or not await self._settle():
                await asyncio.sleep(RETRY_S)
                self._wake.set()
            if loop.time() >= beat_at:
                beat_at = loop.time() + BEAT_S
                await self._beat()

    async def hand_over(self) -> None:
        """The gateway ends: its people are here for one lease more, in which they come to another gateway, or to the next."""
        self.ending = True
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=STOP_S)
        await self._settle()
        await self._beat()

    async def _compare(self) -> bool:
        """Ask a server that we had to connect to again what it holds of ours, and look at what is not so. False: no answer."""
        opened = self._writer.caller.opened
        if opened == self._opened:
            return True
        try:
            held = await asyncio.gather(*(self._writer.held(part, self.generation) for part in range(PARTITIONS)))
        except (RedisError, *Unreachable):
            return False
        self._told = {who: True for one in held for who in one}
        self._open.update(self._told, self._count)
        self._opened = opened
        return opened == self._writer.caller.opened

    async def _settle(self) -> bool:
        """Tell Redis about everybody whose presence changed. False: some could not be told."""
        batch = [self._open.pop() for _ in range(min(TOGETHER, len(self._open)))]
        while batch:
            for who, done in zip(batch, await asyncio.gather(*map(self._tell, batch)), strict=True):
                if not done:
                    self._open.add(who)
            if self._open.intersection(batch):
                return False
            batch = [self._open.pop() for _ in range(min(TOGETHER, len(self._open)))]
        return True

    async def _tell(self, who: Who) -> bool:
        present = who in self._count
        if present is self._told.get(who, False):
            return True
        self._told[who] = None  # until the answer is there
        try:
            await self._writer.presence(*who, self.generation, present, LEASE_MS)
        except (RedisError, *Unreachable):
            return False
        if present:
            self._told[who] = True
        else:
            del self._told[who]
        if present != (who in self._count):
            self._look(who)  # it changed while the call was under way
        return True

    async def _beat(self) -> None:
        parts: dict[int, list[Who]] = {}
        for who, present in self._told.items():
            if not present:
                continue
            parts.setdefault(partition(who[0]), []).append(who)
        beats = (self._writer.beat(part, self.generation, LEASE_MS) for part in parts)
        replies = await asyncio.gather(*beats, return_exceptions=True)
        for part, alive in zip(parts, replies, strict=True):
            if alive is False:
                log.warning("presence registered again", partition=part, players=len(parts[part]))
                for who in parts[part]:
                    self._told[who] = None
                    self._look(who)
