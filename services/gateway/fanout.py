"""From publications to sockets: who watches which room, at which version, with which eyes.

A socket is *live* at (game, version): it gets exactly the updates that start there. Whatever does not fit (a gap, a fresh
socket, a subscription that was lost for a moment) makes it *waiting*, and one reading task per room answers all that wait
with one read of the room. Publications that arrive during a read are kept and replayed on top of it, so that nothing falls
between reading and following.

Whose eyes: of the seats that a socket holds, the one that has to act; without a seat, the public. Who sits where and has
to act is public itself, and followed (`facts`). People without a seat are turned away where the room wants no spectators,
and handed to `behind` where it shows itself late.
"""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import structlog
from msgspec import Raw
from redis.exceptions import RedisError

from engine.audience import PUBLIC
from engine.faults import place
from engine.game import SPECTATOR, Seated
from engine.kit import Kit
from schemas.base import encode
from schemas.wire import LegalActions, Names, Snapshot, Welcome
from schemas.wire import People as PeopleTell
from services.gateway.behind import Behind, heard_late
from services.gateway.facts import NOTHING, Facts, facts_of, follow_facts, number
from services.gateway.peer import framed
from services.gateway.people import People
from services.gateway.talk import Remark, remark_of
from services.store.delayed import shown_late
from services.store.keys import key
from services.store.publication import Publication
from services.store.read import Head, missed_events, read_names, read_names_of, read_room, sight
from services.store.redis import Unreachable

if TYPE_CHECKING:
    from services.gateway.hub import Hub
    from services.gateway.session import Socket

log = structlog.get_logger()

KEPT_MAX = 256  # publications kept during one read
OPENING_S = 3.0  # how long a room may take from its creation to its first version
NAMES_S = 2.0  # between two messages about changed nicknames
RETRY_S = 0.1
RETRY_S_MAX = 1.0


class Read:
    """One read of a room. names, said, count: for those who want a welcome. late: people without a seat see it later."""

    def __init__(self, found: tuple[Head, Kit, Any], names: dict[str, str], said: list[Remark], count: int) -> None:
        self.head, self.kit, self.state = found
        self.facts = facts_of(self.kit, self.state)
        self.names, self.said, self.count = names, said, count
        self.late = False
        self.missed: dict[tuple[int, int], list[bytes]] = {}


class Room:
    """One room's sockets in this gateway. `found`: the last read, of use while it is the current version."""

    def __init__(self, hub: "Hub", code: str) -> None:
        self.hub = hub
        self.code = code
        self.sockets: set[Socket] = set()
        self.waiting: dict[Socket, bool] = {}  # socket -> it wants a welcome, too
        self.n = 0
        self.version = -1
        self.facts: Facts = NOTHING
        self.people = People(lambda count: self.tell_all(encode(PeopleTell(count))))
        self.found: tuple[Head, Kit, Any] | None = None
        self.kit: Kit | None = None
        self.subscribed = asyncio.Event()
        self._kept: list[Publication] | None = None  # not None while a read is under way
        self._seen_open = False
        self._missed = False  # messages may have been lost since that read began
        self._reader: asyncio.Task | None = None
        self._namer: asyncio.Task | None = None
        self._renamed: set[str] = set()
        self._behind: Behind | None = None

    def want(self, socket: "Socket", welcome: bool = False) -> None:
        """Give this socket a fresh snapshot as soon as the room can be read."""
        socket.live = False
        self.waiting[socket] = welcome or self.waiting.get(socket, False)
        if self._reader is None:
            self._reader = asyncio.create_task(self._answer())

    def leave(self, socket: "Socket") -> None:
        self.sockets.discard(socket)
        self.waiting.pop(socket, None)
        if self._behind is not None:
            self._behind.discard(socket)
        if not self.sockets:
            if self._reader is not None:
                self._reader.cancel()
            if self._behind is not None:
                self._behind.close()
            self.people.close()
            self.hub.drop(self)

    @property
    def behind(self) -> Behind:
        """For the sockets that see this room late."""
        if self._behind is None:
            self._behind = Behind(self)
        return self._behind

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
                    # The next game of a room that is being played opens when a worker is there; nobody gives up on it.
                    if loop.time() > opening_end and not self._seen_open:
                        self._give_up()
                    await asyncio.sleep(0.02)
        except Exception as error:
            log.error("room not read", room=self.code, fault=place(error))
            self._give_up()
        finally:
            self._reader = None
            self._kept = None

    def _give_up(self) -> None:
        for socket in [one for one in self.sockets if one.people and not (one.live or one.behind)]:
            socket.end("try_again")
        self.waiting.clear()

    async def _round(self) -> bool:
        """Answer those who wait now. True: ask again soon, the room is still being created."""
        await self.subscribed.wait()
        async with self.hub.reading:
            self._kept, self._missed = [], False
            batch, known = dict(self.waiting), (self.n, self.version)
            heard = self.people.heard
            found, more = await asyncio.gather(read_room(self.hub.caller, self.code), self._read_talk(batch))
            if found is None:
                doubt = self.hub.doubt is not None and await self.hub.doubt()
                for socket in batch:
                    if doubt:
                        socket.end("try_again")
                    else:
                        socket.gone()
                return False
            if found[2] is None:
                self._seen_open |= found[0].n > 1
                return True
            self._seen_open = True
            read = Read(found, *more)
            head = read.head
            if not all(socket.holds(read.facts.seats) for socket in batch):
                read.late = await shown_late(self.hub.caller, self.code, head, read.kit, read.state, self.hub.now_ms())
            positions = {(s.n, s.version) for s in batch if s.n == head.n and 0 < s.version < head.version}
            missed = await asyncio.gather(*(missed_events(self.hub.caller, self.code, head, *at) for at in positions))
            read.missed = dict(zip(positions, missed, strict=True))
        kept, self._kept = self._kept, None
        if self._missed or len(kept) > KEPT_MAX:
            return False  # they still wait: read again
        if (head.n, head.version) < known:  # the server lost its last second, and with it what was known here
            self.n, self.version = 0, -1
        if any(batch.values()) and self.people.heard == heard:
            self.people.counted(read.count)  # otherwise what was heard since is newer
        self._deliver(read, batch, kept)
        return False

    async def _read_talk(self, batch: dict["Socket", bool]) -> tuple[dict[str, str], list[Remark], int]:
        """Nicknames, what was said, and how many are here, for those of this round who want a welcome; they are here, too."""
        coming = {player for socket, welcome in batch.items() if welcome for player in socket.people}
        if not coming:
            return {}, [], 0
        caller, here = self.hub.caller, key("s", self.code)
        names, frames, count, told = await asyncio.gather(
            read_names(caller, self.code),
            caller.call("LRANGE", key("c", self.code), 0, -1),
            caller.call("HLEN", here),
            caller.call("HMGET", here, *coming),
        )
        return names, [line for line in map(remark_of, frames) if line is not None], count + told.count(None)

    def _deliver(self, read: Read, batch: dict["Socket", bool], kept: list[Publication]) -> None:
        head, facts = read.head, read.facts
        if (head.n, head.version) >= (self.n, self.version):
            self.found, self.kit = (head, read.kit, read.state), read.kit
            self.n, self.version, self.facts = head.n, head.version, facts
        frames: dict[tuple, bytes] = {}
        present = []
        for socket, welcome in batch.items():
            if self.waiting.pop(socket, None) is None:
                continue  # it left meanwhile
            seated = socket.holds(facts.seats)
            late = read.late and not seated
            barred = facts.bars(socket.people, seated, welcome and not socket.n) or (late and socket.bars_late())
            if barred:
                socket.end(barred)
                continue
            socket.sit(facts)
            if late:
                self.behind.add(socket, self._welcome(socket, read) if welcome else b"")
                continue
            present.append(socket)
            if socket.behind:
                socket.behind = False
                self.behind.discard(socket)
            events = read.missed.get((socket.n, socket.version), [])
            name = (socket.audience, socket.version if events else 0)
            frame = frames.get(name)
            if frame is None:
                frame = frames[name] = self._snapshot(read, socket.audience, events)
            if welcome:
                socket.tell(framed(self._welcome(socket, read)))
            socket.n = socket.game_n = head.n
            socket.version, socket.live = head.version, True
            socket.tell(frame)
            socket.welcomed()
        at = head.version
        for publication in kept:
            self._follow(publication)
            if publication.from_version == at and publication.updates and number(publication.game) == head.n:
                facts, at = follow_facts(facts, publication), publication.version
            self._route(publication, present, facts)

    def _snapshot(self, read: Read, audience: str, events: list[bytes]) -> bytes:
        viewer = SPECTATOR if audience == PUBLIC else Seated(int(audience))
        seen = sight(self.code, read.head, read.kit, read.state, viewer, events)
        return framed(
            encode(Snapshot(seen.game, seen.version, seen.view, seen.head, seen.entry, tuple(map(Raw, seen.events))))
        )

    def _welcome(self, socket: "Socket", read: Read) -> bytes:
        mine, now_ms = socket.held, self.hub.now_ms()
        said = [line for line in read.said if not line.to or (mine and line.reaches(socket.people))]
        if read.late and not mine:
            said, held = heard_late(said, read.facts.seats, read.facts.delay_s, now_ms)
            for at_ms, line in held:
                self.behind.hold(line.frame, at_ms)
        return encode(
            Welcome(
                self.code,
                socket.player,
                socket.session,
                mine,
                read.names,
                now_ms,
                socket.people[1:],
                max(self.people.count, 1),
                tuple(Raw(line.frame) for line in said),
            )
        )

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
        self._route(publication, self.sockets, self.facts)
        if self._behind is not None:
            self._behind.stir()

    def _follow(self, publication: Publication) -> None:
        """Keep the room's own idea of version and facts; a gap makes it wrong until the next read."""
        if publication.updates and number(publication.game) == self.n and publication.from_version == self.version:
            before, self.facts = self.facts, follow_facts(self.facts, publication)
            if self.facts.expelled is not before.expelled:  # those who see the room late are sent away now, too
                for socket in tuple(self.sockets):
                    if socket.people and self.facts.bars(socket.people, bool(socket.held), False) == "kicked":
                        socket.end("kicked")
            self.version = publication.version
            self.found = None

    def _route(self, publication: Publication, sockets: Iterable["Socket"], facts: Facts) -> None:
        if not publication.updates:
            return
        n, start, version = number(publication.game), publication.from_version, publication.version
        frames: dict[str, bytes] = {}
        for socket in tuple(sockets):
            if not socket.live or socket.behind:
                continue
            if socket.version != start or socket.n != n:
                if (socket.n, socket.version) < (n, version):
                    self.want(socket)
                continue
            audience, again = socket.audience, False
            if socket.facts is not facts:
                again = socket.sit(facts)
                if not socket.held and (facts.seated_only or facts.late):
                    self._turn_away(socket, facts)
                    continue
                if not again:
                    audience = socket.audience
            if audience not in publication.updates:
                audience = PUBLIC
            frame = frames.get(audience)
            if frame is None:
                frame = frames[audience] = framed(publication.updates[audience])
            socket.version = version
            if socket.mark in frame:
                frame = framed(publication.updates[audience].replace(socket.mark, socket.unmark))
            socket.tell(frame)
            if again and len(publication.updates) > 1:  # somebody's eyes see more than the public's
                self.want(socket)

    def _turn_away(self, socket: "Socket", facts: Facts) -> None:
        """The game starts, and somebody without a seat is here."""
        if facts.seated_only:
            socket.end("no_spectators")
        else:
            self.behind.stay(socket)

    def said(self, frame: bytes) -> None:
        """Somebody said something: everybody whom it is for hears it, late watchers of what players say late."""
        line = remark_of(frame)
        if line is None:
            return
        late: list = []
        if not line.to and self._behind is not None and self._behind.any:
            _, late = heard_late([line], self.facts.seats, self.facts.delay_s, self.hub.now_ms())
            for at_ms, held in late:
                self._behind.hold(held.frame, at_ms)
        made = framed(frame)
        for socket in tuple(self.sockets):
            if socket.people and line.reaches(socket.people) and not (socket.behind and (late or line.to)):
                socket.tell(made)

    def name_changed(self, player: str) -> None:
        self._renamed.add(player)
        if self._namer is None:
            self._namer = asyncio.create_task(self._tell_names())

    async def _tell_names(self) -> None:
        """The first change at once, what comes after it together: a player who changes names all the time is no flood."""
        try:
            while self._renamed:
                renamed, self._renamed = sorted(self._renamed), set()
                names = await read_names_of(self.hub.caller, self.code, renamed)
                if names:
                    self.tell_all(encode(Names(names)))
                await asyncio.sleep(NAMES_S)
        except (RedisError, *Unreachable):
            pass  # they come with the next welcome
        finally:
            self._namer = None

    def tell_all(self, data: bytes) -> None:
        """What concerns everybody and has no version: names, people."""
        frame = framed(data)
        for socket in tuple(self.sockets):
            if socket.people:
                socket.tell(frame)

    def resubscribed(self) -> None:
        """Messages may have been lost until now: everybody gets the room as it is, and so asks again for lost answers."""
        if self.subscribed.is_set():
            self._missed = True
            for socket in tuple(self.sockets):
                if socket.live:
                    self.want(socket)
        self.subscribed.set()

    async def current(self) -> tuple[Head, Kit, Any] | None:
        """The room as it is now; None: it is gone, or its lobby not open."""
        found = self.found
        if found is None or found[0].version != self.version or found[0].n != self.n:
            found = await read_room(self.hub.caller, self.code)
            if found is None or found[2] is None:
                return None
            if (found[0].n, found[0].version) == (self.n, self.version):
                self.found = found
        return found

    async def legal(self, seat: int) -> bytes:
        """The `legal_actions` frame of a seat, from the current state."""
        found = await self.current()
        if found is None:
            return framed(encode(LegalActions(seat, 0, ())))
        head, k, state = found
        playing = state.state is not None and state.result is None
        return framed(encode(LegalActions(seat, head.version, k.game.legal(state.state, seat) if playing else ())))
