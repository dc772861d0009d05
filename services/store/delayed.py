"""A room as it was some seconds ago: what those see who may not see it live (`Settings.delay_s`).

The time of everything is in the entry ids, and deciding entries again gives the same bytes (P4). So the past needs no store
of its own: a reader advances over the entries that are old enough, remembers where it stands, and goes on from there the
next time. Entries that were parked are parked again by their records and never run; what is behind the room's cursor was
decided in bounded time already, so a reader cannot be caught in a game that hangs.

A lobby hides nothing and is not delayed, except by the game before it: whoever watches late sees that one end late, too.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from engine.audience import PUBLIC, publication
from engine.fold import Decided, Position, advance, entry_ms, entry_order, park
from engine.kit import Kit, kit
from engine.room.state import LOBBY, Room
from services.store.keys import key
from services.store.publication import Publication
from services.store.read import Head, decode_parked, read_past
from services.store.redis import Caller
from services.store.turn import entry_of

PAGE = 100  # entries read and decided between two looks at other work
PARKED_PAGE = 1000
READERS_MAX = 128


async def first_hidden(caller: Caller, room: str, head: Head, k: Kit, now_ms: int) -> int:
    """Number of the room's earliest game whose end is not for late eyes yet; the current one when there is none before."""
    n = head.n
    while n > 1 and await end_hidden(caller, room, n - 1, k, now_ms):
        n -= 1
    return n


async def end_hidden(caller: Caller, room: str, n: int, k: Kit, now_ms: int) -> bool:
    """Whether the end of game `n`, one that the room has left behind, is not for late eyes yet."""
    past = await read_past(caller, room, n)
    opened = await caller.call("XRANGE", key("e", f"{room}/{n + 1}"), "1-0", "1-0")
    if past is None or not opened:
        return False
    # a next game begins with the settings of the one before
    delay_s = k.decode_event(opened[0][1][1]).settings.delay_s
    return delay_s > 0 and entry_ms(past.cursor) + delay_s * 1000 > now_ms


async def shown_late(caller: Caller, room: str, head: Head, k: Kit, state: Room, now_ms: int) -> bool:
    """Whether people without a seat must not see the room as it is now."""
    if state.settings.delay_s and state.phase != LOBBY:
        return True
    return head.n > 1 and await first_hidden(caller, room, head, k, now_ms) < head.n


class Place(NamedTuple):
    """Where the live room stands: all that a reader has to know of it."""

    n: int
    game: str
    cursor: bytes


class Delayed:
    """One room's late reader. `at` is the game `n` after its entry `cursor`; `next_ms`: when the next entry may be shown.

    caught_up: it stands in a lobby where nothing is hidden, so that the live room is what it shows. Calls of `advance` wait
    for each other; it raises what the caller raises and may then be called again.
    """

    def __init__(self, caller: Caller, room: str) -> None:
        self.room = room
        self.n = 0
        self.kit: Kit | None = None
        self.at = Position()
        self.cursor = b"0-0"
        self.next_ms = 0
        self.caught_up = False
        self.caller = caller
        self._parked: dict[bytes, str] = {}
        self._parked_to = b"-"
        self._lock = asyncio.Lock()

    def copy(self) -> "Delayed":
        """Another reader at the same position, which goes on by itself."""
        other = Delayed(self.caller, self.room)
        other.n, other.kit, other.at, other.cursor = self.n, self.kit, self.at, self.cursor
        other._parked, other._parked_to = dict(self._parked), self._parked_to
        return other

    @property
    def head(self) -> Head:
        """Its position in the form that `services.store.read.sight` takes."""
        version = 0 if self.at.room is None else self.at.room.version
        return Head(self.n, self.kit.game.name, version, self.cursor, self.at.head, b"", 0)

    async def advance(self, now_ms: int) -> list[Publication]:
        """Go on to what may be shown at `now_ms`. What happened on the way, per game, for the public audience."""
        async with self._lock:
            passed: list[Publication] = []
            while True:
                place = await self._place()
                if place is None:
                    return passed
                if not self.n:
                    self.kit = kit(place.game)
                    head = Head(place.n, place.game, 0, place.cursor, b"", b"", 0)
                    self.n = await first_hidden(self.caller, self.room, head, self.kit, now_ms)
                upto = place.cursor if place.n == self.n else b"+"
                before = self.at
                decided = [] if upto == b"0-0" else await self._consume(upto, now_ms)
                if decided and before.room is not None:
                    self._publish(before, decided, passed)
                if self.next_ms or place.n == self.n:
                    self.caught_up = not self.next_ms and self.at.room is not None and self.at.room.phase == LOBBY
                    return passed
                self.kit, self.at, self.cursor = kit(place.game), Position(), b"0-0"
                self.n += 1
                self._parked, self._parked_to = {}, b"-"

    async def _place(self) -> Place | None:
        h = await self.caller.call("HMGET", key("r", self.room), "n", "g", "cur")
        return None if h[0] is None else Place(int(h[0]), h[1].decode(), h[2])

    def _publish(self, before: Position, decided: list[Decided], passed: list[Publication]) -> None:
        game_id = f"{self.room}/{self.n}"
        made = publication(self.kit, before, self.at, decided, game_id)
        if made is not None:
            passed.append(Publication(game_id, made.from_version, made.version, {PUBLIC: made.updates[PUBLIC]}))

    async def _consume(self, upto: bytes, now_ms: int) -> list[Decided]:
        """Decide entries up to `upto` or the first that is too young; sets `next_ms` (0: there was none)."""
        game_id = f"{self.room}/{self.n}"
        done: list[Decided] = []
        self.next_ms = 0
        while True:
            low = b"-" if self.cursor == b"0-0" else b"(" + self.cursor
            page = await self.caller.call("XRANGE", key("a", game_id), low, upto, "COUNT", PAGE)
            if not page:
                return done
            await self._read_parked(game_id)
            for item in page:
                entry = entry_of(item)
                if entry.id in self._parked:
                    after, one = park(self.at, entry, self._parked[entry.id])
                else:
                    after, [one] = advance(self.kit, self.at, (entry,), game_id)
                shown_ms = _shown_ms(after.room, entry.id)
                if shown_ms > now_ms:
                    self.next_ms = shown_ms
                    return done
                self.at, self.cursor = after, entry.id
                done.append(one)
            await asyncio.sleep(0)

    async def _read_parked(self, game_id: str) -> None:
        """Records of parked entries that were written since the last look."""
        while True:
            page = await self.caller.call("XRANGE", key("e", game_id), self._parked_to, "+", "COUNT", PARKED_PAGE)
            for entry_id, fields in page:
                if fields[0] != b"e":
                    record = decode_parked(fields[1])
                    self._parked[record.entry.encode()] = record.why
                self._parked_to = b"(" + entry_id
            if len(page) < PARKED_PAGE:
                return


def _shown_ms(room: Room | None, entry_id: bytes) -> int:
    """From when on late eyes may see what an entry made of the room."""
    if room is None or room.phase == LOBBY:
        return 0
    return entry_ms(entry_id) + room.settings.delay_s * 1000


async def shown_version(caller: Caller, room: str, n: int, now_ms: int) -> int | None:
    """How many events of game `n` somebody without a seat may see now; None: all there are."""
    reader = Delayed(caller, room)
    await reader.advance(now_ms)
    return await shown_by(reader, n, now_ms)


async def shown_by(reader: Delayed, n: int, now_ms: int) -> int | None:
    """The same, by a reader that has just advanced."""
    if n > reader.n:
        return 0
    if n < reader.n:  # a later game that was over sooner, or is not late at all, does not show this one
        return 0 if await end_hidden(reader.caller, reader.room, n, reader.kit, now_ms) else None
    if not reader.next_ms:
        return None
    return 0 if reader.at.room is None else reader.at.room.version


class TooManyReaders(Exception):
    """Whoever asks has made a server decide too many games from their start lately."""


May = Callable[[], bool]


def always() -> bool:
    return True


class Readers:
    """Late readers, kept for a while: asking again and again costs what happened in between and not the whole game.

    may: asked before a reader begins at the start of a game, which costs the whole of it.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._readers: OrderedDict[str, Delayed] = OrderedDict()

    def known(self, room: str) -> bool:
        """Whether somebody has been there already."""
        return room in self._readers

    def of(self, room: str, may: May = always) -> Delayed:
        """Raises TooManyReaders."""
        reader = self._readers.get(room)
        if reader is None:
            if not may():
                raise TooManyReaders
            reader = self._readers[room] = Delayed(self._caller, room)
        self._readers.move_to_end(room)
        if len(self._readers) > READERS_MAX:
            self._readers.popitem(last=False)
        return reader

    def follow(self, room: str) -> Delayed:
        """A reader of one's own, which does not begin at the start of the game when another has been there already."""
        return self.of(room).copy()

    def keep(self, reader: Delayed) -> None:
        """A reader that is not needed any more, for whoever comes next."""
        known = self.of(reader.room)
        if (known.n, entry_order(known.cursor)) < (reader.n, entry_order(reader.cursor)):
            self._readers[reader.room] = reader

    def drop(self, room: str) -> None:
        self._readers.pop(room, None)

    def forget(self) -> None:
        self._readers.clear()
