"""From publications to sockets: who watches which room, at which version, with which eyes.

A socket is *live* at (game, version): it gets exactly the updates that start there. Whatever does not fit (a gap, a fresh
socket, a subscription that was lost for a moment) makes it *waiting*, and one reading task per room answers all that wait
with one read of the room. Publications that arrive during a read are kept and replayed on top of it, so that nothing falls
between reading and following.

Whose eyes: a player's seat at that version, else the public. Seats are public and change in the lobby and at Start only;
they are followed from the public patches that touch them.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct, UnsetType
from redis.exceptions import RedisError

from engine.audience import PUBLIC
from engine.game import SPECTATOR, Seated
from engine.kit import Kit
from schemas.base import encode
from schemas.wire import LegalActions, Names, People, Snapshot, Welcome
from services.gateway.faults import place
from services.gateway.peer import framed
from services.store.keys import channel
from services.store.publication import NAMES, PEOPLE, SAID, Publication, decode_publication
from services.store.read import Head, missed_events, read_names, read_room, sight
from services.store.redis import Caller, Unreachable

if TYPE_CHECKING:
    from services.gateway.session import Socket

log = structlog.get_logger()

KEPT_MAX = 256  # publications kept during one read
OPENING_S = 3.0  # how long a room may take from its creation to its first version
RETRY_S = 0.1
RETRY_S_MAX = 1.0
READS_AT_ONCE = 32  # rooms read at the same time, so that a reconnect does not read a thousand in one tick

Seats = dict[str, str]  # seat -> player


class _Seat(Struct):
    player: str | UnsetType = UNSET


class _Patch(Struct):
    seats: dict[str, _Seat | None] | UnsetType = UNSET


class _Update(Struct):
    patch: _Patch


_seats_of = msgspec.json.Decoder(_Update).decode


def follow(seats: Seats, publication: Publication) -> Seats:
    """Who sits where after a publication; the same object when nothing about it changed."""
    frame = publication.updates.get(PUBLIC, b"")
    if b'"seats":' not in frame:
        return seats
    patch = _seats_of(frame).patch.seats
    if patch is UNSET:
        return seats
    after = dict(seats)
    for seat, change in patch.items():
        if change is None:
            after.pop(seat, None)
        elif change.player is not UNSET:
            after[seat] = change.player
    return after


def number(game_id: str) -> int:
    return int(game_id.partition("/")[2])


class Room:
    """One room's sockets in this gateway. `found`: the last read, of use while it is the current version."""

    def __init__(self, hub: "Hub", code: str) -> None:
        self.hub = hub
        self.code = code
        self.sockets: set[Socket] = set()
        self.waiting: dict[Socket, bool] = {}  # socket -> it wants a welcome, too
        self.n = 0
        self.version = -1
        self.seats: Seats = {}
        self.found: tuple[Head, Kit, Any] | None = None
        self.kit: Kit | None = None
        self.subscribed = asyncio.Event()
        self._kept: list[Publication] | None = None  # not None while a read is under way
        self._reader: asyncio.Task | None = None
        self._namer: asyncio.Task | None = None

    def seats_of(self, player: str) -> list[int]:
        return [int(seat) for seat, holder in self.seats.items() if holder == player]

    def want(self, socket: "Socket", welcome: bool = False) -> None:
        """Give this socket a fresh snapshot as soon as the room can be read."""
        socket.live = False
        self.waiting[socket] = welcome or self.waiting.get(socket, False)
        if self._reader is None:
            self._reader = asyncio.create_task(self._answer())

    def leave(self, socket: "Socket") -> None:
        self.sockets.discard(socket)
        self.waiting.pop(socket, None)
        if not self.sockets:
            if self._reader is not None:
                self._reader.cancel()
            self.hub.drop(self)

    # reading

    async def _answer(self) -> None:
        retry_s = RETRY_S
        loop = asyncio.get_running_loop()
        opening_end = loop.time() + OPENING_S
        try:
            while self.waiting:
                try:
                    again = await self._round()
                except (RedisError, *Unreachable):
                    # Everybody waits with us: sockets stay open while Redis is away.
                    await asyncio.sleep(retry_s)
                    retry_s = min(2 * retry_s, RETRY_S_MAX)
                    continue
                if again:
                    if loop.time() > opening_end:
                        self._give_up()
                    await asyncio.sleep(0.02)
        except Exception as error:
            log.error("room not read", room=self.code, fault=place(error))
            self._give_up()
        finally:
            self._reader = None
            self._kept = None

    def _give_up(self) -> None:
        for socket in self.waiting:
            socket.end("try_again")
        self.waiting.clear()

    async def _round(self) -> bool:
        """Answer those who wait now. True: ask again soon, the room is still being created."""
        await self.subscribed.wait()
        caller = self.hub.caller
        async with self.hub.reading:
            self._kept = []
            batch = dict(self.waiting)
            names: dict[str, str] = {}
            if any(batch.values()):
                found, names = await asyncio.gather(read_room(caller, self.code), read_names(caller, self.code))
            else:
                found = await read_room(caller, self.code)
            if found is None:
                for socket in batch:
                    socket.gone()
                return False
            if found[2] is None:
                return True
            head = found[0]
            positions = {(s.n, s.version) for s in batch if s.n == head.n and 0 < s.version < head.version}
            missed = dict(
                zip(
                    positions,
                    await asyncio.gather(*(missed_events(caller, self.code, head, *at) for at in positions)),
                    strict=True,
                )
            )
        kept, self._kept = self._kept, None
        if len(kept) > KEPT_MAX:
            return False  # they still wait: read again
        self._deliver(found, names, missed, batch, kept)
        return False

    def _deliver(self, found: Any, names: dict[str, str], missed: dict, batch: dict, kept: list[Publication]) -> None:
        head, k, state = found
        seats = {str(seat): held.player for seat, held in enumerate(state.seats) if held is not None}
        if (head.n, head.version) >= (self.n, self.version):
            self.found, self.kit = found, k
            self.n, self.version, self.seats = head.n, head.version, seats
        frames: dict[tuple, bytes] = {}
        present = []
        for socket, welcome in batch.items():
            if self.waiting.pop(socket, None) is None:
                continue  # it left meanwhile
            present.append(socket)
            events = missed.get((socket.n, socket.version), [])
            socket.sit(seats)
            name = (socket.audience, socket.version if events else 0)
            frame = frames.get(name)
            if frame is None:
                viewer = SPECTATOR if socket.audience == PUBLIC else Seated(int(socket.audience))
                seen = sight(self.code, head, k, state, viewer, events)
                snapshot = Snapshot(
                    seen.game, seen.version, seen.view, seen.head, seen.entry, tuple(map(Raw, seen.events))
                )
                frame = frames[name] = framed(encode(snapshot))
            if welcome:
                socket.tell(framed(self._welcome(socket, seats, names)))
            socket.n = socket.game_n = head.n
            socket.version, socket.live = head.version, True
            socket.tell(frame)
            socket.welcomed()
        at = head.version
        for publication in kept:
            self._follow(publication)
            if publication.from_version == at and publication.updates and number(publication.game) == head.n:
                seats, at = follow(seats, publication), publication.version
            self._route(publication, present, seats)

    def _welcome(self, socket: "Socket", seats: Seats, names: dict[str, str]) -> bytes:
        mine = tuple(int(seat) for seat, player in seats.items() if player == socket.player)
        return encode(Welcome(self.code, socket.player, socket.session, mine, names, self.hub.now_ms()))

    # following

    def published(self, publication: Publication) -> None:
        if self._kept is not None and len(self._kept) <= KEPT_MAX:
            self._kept.append(publication)
        self._follow(publication)
        for session, frames in publication.rejects.items():
            made = [framed(frame) for frame in frames]
            for socket in self.sockets:
                if socket.store_session == session:
                    for frame in made:
                        socket.tell(frame)
        self._route(publication, self.sockets, self.seats)

    def _follow(self, publication: Publication) -> None:
        """Keep the room's own idea of version and seats; a gap makes it wrong until the next read."""
        if publication.updates and number(publication.game) == self.n and publication.from_version == self.version:
            self.seats = follow(self.seats, publication)
            self.version = publication.version
            self.found = None

    def _route(self, publication: Publication, sockets: Iterable["Socket"], seats: Seats) -> None:
        if not publication.updates:
            return
        n, start, version = number(publication.game), publication.from_version, publication.version
        frames: dict[str, bytes] = {}
        for socket in tuple(sockets):
            if not socket.live:
                continue
            if socket.version != start or socket.n != n:
                if (socket.n, socket.version) < (n, version):
                    self.want(socket)
                continue
            if socket.seats is not seats:
                socket.sit(seats)
            audience = socket.audience if socket.audience in publication.updates else PUBLIC
            frame = frames.get(audience)
            if frame is None:
                frame = frames[audience] = framed(publication.updates[audience])
            socket.version = version
            if socket.mark in frame:
                frame = framed(publication.updates[audience].replace(socket.mark, socket.unmark))
            socket.tell(frame)

    def names_changed(self) -> None:
        if self._namer is None:
            self._namer = asyncio.create_task(self._tell_names())

    async def _tell_names(self) -> None:
        try:
            await asyncio.sleep(0)  # one read for all that changes in this tick
            self._namer = None
            self.tell_all(encode(Names(await read_names(self.hub.caller, self.code))))
        except (RedisError, *Unreachable):
            pass  # they come with the next welcome

    def tell_all(self, data: bytes) -> None:
        """Whom it concerns that has no version: names, people, what was said."""
        frame = framed(data)
        for socket in tuple(self.sockets):
            if socket.session:
                socket.tell(frame)

    def resubscribed(self) -> None:
        """Messages may have been lost until now: everybody gets the room as it is, and so asks again for lost answers."""
        if self.subscribed.is_set():
            for socket in tuple(self.sockets):
                if socket.live:
                    self.want(socket)
        self.subscribed.set()

    async def legal(self, seat: int) -> bytes:
        """The `legal_actions` frame of a seat, from the current state."""
        found = self.found
        if found is None or found[0].version != self.version or found[0].n != self.n:
            found = await read_room(self.hub.caller, self.code)
            if found is None or found[2] is None:
                return framed(encode(LegalActions(seat, 0, ())))
            if (found[0].n, found[0].version) == (self.n, self.version):
                self.found = found
        head, k, state = found
        playing = state.state is not None and state.result is None
        return framed(encode(LegalActions(seat, head.version, k.game.legal(state.state, seat) if playing else ())))


class Hub:
    """All rooms of this gateway. subscribe / unsubscribe: of a channel, confirmed through `subscribed`."""

    def __init__(
        self,
        caller: Caller,
        subscribe: Callable[[bytes], None],
        unsubscribe: Callable[[bytes], None],
        now_ms: Callable[[], int],
    ) -> None:
        self.caller = caller
        self.now_ms = now_ms
        self.reading = asyncio.Semaphore(READS_AT_ONCE)
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._rooms: dict[bytes, Room] = {}

    def enter(self, code: str, socket: "Socket") -> Room:
        name = channel(code).encode()
        room = self._rooms.get(name)
        if room is None:
            room = self._rooms[name] = Room(self, code)
            self._subscribe(name)
        room.sockets.add(socket)
        return room

    def drop(self, room: Room) -> None:
        name = channel(room.code).encode()
        if self._rooms.get(name) is room:
            del self._rooms[name]
            self._unsubscribe(name)

    def message(self, name: bytes, data: bytes) -> None:
        room = self._rooms.get(name)
        if room is None:
            return
        if data == NAMES:
            room.names_changed()
            return
        if data.startswith(SAID):
            room.tell_all(data[len(SAID) :])
            return
        if data.startswith(PEOPLE):
            room.tell_all(encode(People(int(data[len(PEOPLE) :]))))
            return
        try:
            publication = decode_publication(data)
        except msgspec.MsgspecError:
            log.error("publication not understood", room=room.code)
            return
        room.published(publication)

    def subscribed(self, name: bytes) -> None:
        room = self._rooms.get(name)
        if room is not None:
            room.resubscribed()

    def sockets(self) -> Iterable["Socket"]:
        return itertools.chain.from_iterable(tuple(room.sockets) for room in tuple(self._rooms.values()))
