"""drain(partition): claim rooms, fold them, commit; linger at the doorbell; hand over. One arq job per partition and epoch.

The turn script commits the last batch and claims the next in one round trip. Its checks make double work harmless: a
worker that was paused past its lease finds the epoch over and changes nothing.
"""

import asyncio
import random
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog
from redis.exceptions import RedisError

from engine.faults import place
from engine.fold import Decided, Position, entry_ms
from engine.kit import Kit, encode_chance, kit
from engine.room.lobby import listed, reopening
from engine.room.state import Room
from engine.room.view import RoomView
from services.settings import Settings
from services.store.clock import Clock
from services.store.listing import list_room
from services.store.outcome import fold_claim
from services.store.read import from_snapshot, load_chance, rebuild
from services.store.redis import Caller, Unreachable
from services.store.turn import EPOCH_OVER, LINGER, RELEASED, Claim, Commit, pushed, read_stored, turn
from services.store.write import Writer, part_name
from services.worker import alone, guard
from services.worker.bell import Bell

log = structlog.get_logger()

ROOMS = 64  # per turn
ENTRIES = 32  # per room and turn
TERM_S = 20.0  # a partition is handed on after about this long, so that load spreads over workers
SLICE_S = 0.02  # folding yields to the event loop this often: other partitions have leases to renew
RECENT = 4096  # rooms whose fold is remembered: saves reading the snapshot and building the view before
ALONE_FROM = 3  # claims without a commit from which on a room is tried in a child process first
LONG = 16  # times as long as otherwise a room's fold may take that was tried alone; as turn.lua's longest
TRYING_S = 20.0  # a term is so much longer while rooms are tried


class Folded(NamedTuple):
    """A room as this worker folded it last. Used again only when the room stands exactly there."""

    game: str
    n: int
    cursor: bytes
    at: Position
    public: RoomView | None

    def fits(self, claim: Claim) -> bool:
        return (self.n, self.cursor, self.at.head) == (claim.n, claim.cursor, claim.head) and (
            self.at.room is not None and self.at.room.version == claim.version
        )


class Untried(Exception):
    """A room was to be tried alone and no child process came to it: this machine has too much to do."""


class Trying(NamedTuple):
    """A claimed room that a child process tries. The other rooms of its partition go on meanwhile."""

    claim: Claim
    verdict: asyncio.Task[alone.Verdict]


@dataclass
class Drainer:
    """One per worker process. `door` is the channel this worker listens on; `bells` wakes the drain that lingers."""

    caller: Caller
    settings: Settings
    door: str
    bells: dict[str, Bell] = field(default_factory=dict)
    pushes: dict[str, Claim] = field(default_factory=dict)  # partition -> what its doorbell brought
    listings: dict[str, bool | None] = field(default_factory=dict)
    rematches: dict[str, Room] = field(default_factory=dict)
    recent: OrderedDict[str, "Folded"] = field(default_factory=OrderedDict)
    children: alone.Children = field(default_factory=alone.Children)
    park_job: Callable[[str], Awaitable[None]] | None = None  # (job id): hides the queue entry of a lingering drain

    def __post_init__(self) -> None:
        self.writer = Writer(self.caller, self.settings.lease_ms)
        self.clock = Clock(self.caller)

    def ring(self, data: bytes) -> None:
        """The doorbell of a partition, perhaps with the entry that rang it."""
        brought = pushed(data)
        name = data.decode(errors="replace") if brought is None else brought[0]
        bell = self.bells.get(name)
        if bell is not None:
            if brought is not None:
                self.pushes[name] = brought[1]
            bell.set()

    def ring_all(self) -> None:
        """Doorbells may have been missed."""
        for bell in self.bells.values():
            bell.set()

    async def run(self, part: int, epoch: str) -> None:
        """Drain a partition until it is idle, the term is over, or the epoch is. Cancelled: hands over, then re-raises."""
        trying: dict[str, Trying] = {}
        try:
            await self._run(part, epoch, trying)
        except asyncio.CancelledError:
            await asyncio.shield(self.writer.handoff(part, epoch))
            raise
        finally:
            for one in trying.values():
                one.verdict.cancel()

    async def _run(self, part: int, epoch: str, trying: "dict[str, Trying]") -> None:
        name = part_name(part)
        bell = self.bells.setdefault(name, Bell())
        loop = asyncio.get_running_loop()
        term_end = loop.time() + TERM_S * random.uniform(0.6, 1.4)
        linger_s = self.settings.linger_ms / 1000
        lease_s = self.settings.lease_ms / 1000
        idle_since: float | None = None
        parked = False
        commits: list[Commit] = []
        failed: list[str] = []
        while True:
            bell.clear()  # before asking for work: the doorbell's push can overtake the reply
            over = loop.time() >= term_end + (TRYING_S if trying else 0.0)
            last = over and bool(commits or trying)
            linger = idle_since is None or bool(trying) or not (over or loop.time() - idle_since >= linger_s)
            reply = await turn(
                self.caller,
                part,
                epoch,
                self.settings.lease_ms,
                0 if last else ROOMS,
                ENTRIES,
                self.door,
                commits,
                self.settings.fold_ms_max,
                linger,
                trying,
                failed,
            )
            if reply.status in (EPOCH_OVER, RELEASED):
                if reply.status == EPOCH_OVER and commits:
                    log.info("fenced", partition=part, epoch=epoch, rooms=len(commits))
                return
            if reply.refused:
                log.warning("commits refused", partition=part, rooms=reply.refused)
            await self._after(commits)
            if last:
                await self.writer.handoff(part, epoch)
                return
            commits, failed = [], []
            if reply.status == LINGER:
                if idle_since is None:
                    idle_since = loop.time()
                if not parked and self.park_job is not None:
                    parked = True
                    await self.park_job(f"{name}:{epoch}")
                wait_s = max(0.001, min(idle_since + linger_s - loop.time(), lease_s / 2))
                if await bell.wait(wait_s):
                    idle_since = None
                # A room that stands elsewhere by now comes back with the next turn.
                claim = self.pushes.pop(name, None)
                known = None if claim is None else self.recent.get(claim.room)
                claims = [] if claim is None or known is None or not known.fits(claim) else [claim]
            else:
                self.pushes.pop(name, None)  # older than the turn, which took its claim back
                claims = reply.claims
            verdicts = {}
            for room, one in list(trying.items()):
                if one.verdict.done():
                    del trying[room]
                    claims.append(one.claim)
                    verdicts[room] = one.verdict
            for claim in claims:
                if claim.claims >= ALONE_FROM and claim.room not in verdicts:
                    one = trying[claim.room] = Trying(claim, asyncio.ensure_future(self._verdict(claim)))
                    one.verdict.add_done_callback(lambda _: bell.set())
            if not claims:
                continue
            idle_since = None
            if verdicts:  # until now it lingered, and these folds may take long
                lease_ms = LONG * (self.settings.lease_ms + self.settings.fold_ms_max)
                await self.writer.renew(part, epoch, lease_ms)
            with self._held(part, epoch):
                commits, failed = await self._fold([one for one in claims if one.room not in trying], verdicts)

    @contextmanager
    def _held(self, part: int, epoch: str) -> Iterator[None]:
        """Renew the lease while the body takes its time.

        One fold blocks this process for up to fold_ms_max, in which nothing is renewed; the lease allows for that.
        """
        loop = asyncio.get_running_loop()
        every_s = self.settings.lease_ms / 3000
        lease_ms = self.settings.lease_ms + self.settings.fold_ms_max

        async def renew() -> None:
            with suppress(RedisError, *Unreachable):
                await self.writer.renew(part, epoch, lease_ms)

        def again() -> None:
            nonlocal timer, task
            timer, task = loop.call_later(every_s, again), asyncio.ensure_future(renew())

        task: asyncio.Task | None = None
        timer = loop.call_later(every_s, again)
        try:
            yield
        finally:
            timer.cancel()

    async def _fold(
        self, claims: list[Claim], verdicts: dict[str, asyncio.Task[alone.Verdict]] | None = None
    ) -> tuple[list[Commit], list[str]]:
        """(commits, rooms whose fold failed). A room whose fold did not even begin, since Redis is away, is in neither.

        verdicts: on rooms that were tried alone.
        """
        commits, failed = [], []
        started = time.monotonic()
        for claim in claims:
            try:
                verdict = (verdicts or {}).get(claim.room)
                commit = await self._fold_room(claim, verdict and verdict.result())
            except (RedisError, *Unreachable) as error:
                log.warning("room not read", room=claim.room, fault=place(error))
                continue
            except asyncio.CancelledError:
                raise
            except Exception as error:  # this room's claims counter brings it to `alone`; the others go on (P7)
                log.error("room not folded", room=claim.room, claims=claim.claims, fault=place(error))
                failed.append(claim.room)
                continue
            commits.append(commit)
            if time.monotonic() - started > SLICE_S:
                await asyncio.sleep(0)
                started = time.monotonic()
        if commits:
            ahead_ms = entry_ms(commits[-1].new_cursor) - self.clock.now_ms()
            if ahead_ms > 1000:
                log.warning("stream ids are ahead of the clock", room=commits[-1].room, ms=round(ahead_ms))
        return commits, failed

    async def _fold_room(self, claim: Claim, verdict: alone.Verdict | None) -> Commit:
        game, before, seen, damaged = await self._before(claim)
        k = kit(game)
        entries = claim.entries
        condemned = None
        if verdict is not None:
            entries = entries[: verdict.survived]
            condemned = claim.entries[verdict.survived] if verdict.guilty else None
            if not entries and condemned is None:
                raise Untried
        with guard.limit():
            after, decided, commit, public = fold_claim(k, claim, before, entries, seen, condemned)
        if damaged:  # put back the chance, or every later claim would read the streams again
            commit = commit._replace(chance=encode_chance(after.chance))
        if after.room is not None:
            unchanged = seen if after.room is before.room else None
            self.recent[claim.room] = Folded(game, claim.n, commit.new_cursor, after, public or unchanged)
            self.recent.move_to_end(claim.room)
            if len(self.recent) > RECENT:
                self.recent.popitem(last=False)
        self._note(before.room, after.room, commit)
        self._report(claim, decided)
        return commit

    async def _before(self, claim: Claim) -> tuple[str, Position, RoomView | None, bool]:
        """(game, where the room stands, its public view when known, whether the stored chance is damaged)."""
        stored = claim.stored
        if stored is None:
            known = self.recent.get(claim.room)
            if known is not None and known.fits(claim):
                return known.game, known.at, known.public, False
            stored = await read_stored(self.caller, claim.room)
        k = kit(stored.game)
        # missing from a room that is open is damaged, too
        chance = load_chance(stored.chance) if stored.chance or not claim.version else None
        room = from_snapshot(k, stored.snapshot, claim.version) if claim.version else None
        damaged = chance is None
        if chance is None or (room is None and claim.version):
            log.warning("rebuilt from streams", room=claim.room, version=claim.version)
            game_id = f"{claim.room}/{claim.n}"
            room, chance = await rebuild(self.caller, k, game_id, claim.version, claim.cursor)
        return stored.game, Position(room, chance, claim.head), None, damaged

    async def _verdict(self, claim: Claim) -> alone.Verdict:
        """What a child process says of this claim. Raises what reading the room raises."""
        game, before, _, _ = await self._before(claim)
        verdict = await self.children.verdict(self._trial(kit(game), claim, before, f"{claim.room}/{claim.n}"))
        log.error(
            "room tried alone",
            room=claim.room,
            claims=claim.claims,
            entries=len(claim.entries),
            survived=verdict.survived,
            guilty=verdict.guilty,
        )
        return verdict

    def _trial(self, k: Kit, claim: Claim, before: Position, game_id: str) -> alone.Trial:
        return alone.Trial(
            list(self.settings.games),
            k.game.name,
            game_id,
            b"" if before.room is None else k.encode_room(before.room),
            encode_chance(before.chance),
            claim.head,
            [tuple(entry) for entry in claim.entries],
            self.settings.fold_ms_max / 1000,
        )

    def _note(self, before: Room | None, after: Room | None, commit: Commit) -> None:
        """Remember what has to follow this commit outside the room's own keys.

        Whatever an earlier commit of the room has left is forgotten: a worker that was fenced may see the room again many
        games later, and must not open another game then.
        """
        self.listings.pop(commit.room, None)
        self.rematches.pop(commit.room, None)
        if after is None:
            return
        if after.settings.public or (before is not None and before.settings.public):
            at_ms = entry_ms(commit.new_cursor)
            was, now = listed(before, at_ms), listed(after, at_ms)
            if now or was:
                # one that is seen late keeps its place, which would tell when something happens
                self.listings[commit.room] = None if now and was and after.settings.delay_s else now
        if after.next_seated:
            self.rematches[commit.room] = after

    async def _after(self, commits: list[Commit]) -> None:
        """What follows commits: the list of public rooms, and the next game of a room that agreed on one.

        Both may be lost with this process: readers of the list check every room, and a rematch has a deadline.
        """
        calls = []
        for commit in commits:
            wanted = self.listings.pop(commit.room, None)
            if wanted is not None:
                calls.append(list_room(self.caller, commit.room, wanted))
            room = self.rematches.pop(commit.room, None)
            if room is not None:
                calls.append(self._reopen(commit, room))
        if calls:  # side by side, so that many public rooms cost one round trip and not one each
            await asyncio.gather(*calls)

    async def _reopen(self, commit: Commit, room: Room) -> bool:
        secret = secrets.token_bytes(32)
        opening = reopening(kit(room.game), room, secret)
        return await self.writer.next_game(
            commit.room, commit.n, commit.new_cursor, opening, secret.hex(), room.next_seated
        )

    def _report(self, claim: Claim, decided: list[Decided]) -> None:
        for one in decided:
            if one.why:
                log.error("parked", room=claim.room, entry=one.entry.id.decode(), fault=one.why, where=one.where)
