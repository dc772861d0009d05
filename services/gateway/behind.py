"""Sockets of people without a seat in a room that shows itself late (`Settings.delay_s`): what they get comes from here.

Such a socket is *behind*: nothing of the live room reaches it. One task per room advances a late reader
(services/store/delayed.py) and sends what it passes: updates to those who are at its position, a snapshot to those who are
not. When the reader stands in an open lobby it has caught up, and its sockets are handed back to the live room.

What seated players say is held back as long; it may be about what is on the table.
"""

import asyncio
from bisect import insort
from collections.abc import Iterable
from typing import TYPE_CHECKING

import structlog
from msgspec import Raw
from redis.exceptions import RedisError

from engine.audience import PUBLIC
from engine.faults import place
from engine.game import SPECTATOR
from schemas.base import encode
from schemas.wire import Snapshot
from services.gateway.facts import Seats, number
from services.gateway.peer import framed
from services.gateway.talk import Remark
from services.store.publication import Publication
from services.store.read import missed_events, sight
from services.store.redis import Unreachable

if TYPE_CHECKING:
    from services.gateway.fanout import Room
    from services.gateway.session import Socket

log = structlog.get_logger()

LOOK_S = 2.0  # how often the room is looked at when nothing is heard of it: publications may be lost
RETRY_S = 0.2
HELD_MAX = 200  # things said that wait


class Behind:
    """Of one room. Made with the first socket that is behind, closed after the last."""

    def __init__(self, room: "Room") -> None:
        self._room = room
        self._reader = room.hub.readers.follow(room.code)
        self._sockets: set[Socket] = set()
        self._waiting: dict[Socket, bytes] = {}  # -> the welcome that goes before the snapshot, or b""
        self._held: list[tuple[int, bytes]] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task | None = None

    @property
    def any(self) -> bool:
        """Whether somebody is behind."""
        return bool(self._sockets)

    def add(self, socket: "Socket", welcome: bytes = b"") -> None:
        """This socket gets a late snapshot, and what follows it."""
        socket.behind = True
        self._sockets.add(socket)
        self._waiting[socket] = welcome or self._waiting.get(socket, b"")
        self._go()

    def stay(self, socket: "Socket") -> None:
        """The live room goes on without this socket; it has seen everything up to its position."""
        socket.behind = True
        self._sockets.add(socket)
        self._go()

    def discard(self, socket: "Socket") -> None:
        self._sockets.discard(socket)
        self._waiting.pop(socket, None)

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._room.hub.readers.keep(self._reader)

    def stir(self) -> None:
        """Something happened in the live room: it may be time to look when it will be shown."""
        self._wake.set()

    def hold(self, frame: bytes, at_ms: int) -> None:
        """Say this to those behind when its time has come."""
        if (at_ms, frame) not in self._held:
            insort(self._held, (at_ms, frame))
            del self._held[:-HELD_MAX]
            self._wake.set()

    def _go(self) -> None:
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._sockets:
                self._wake.clear()
                try:
                    for publication in await self._reader.advance(self._room.hub.now_ms()):
                        self._route(publication)
                    await self._answer()
                except (RedisError, *Unreachable):
                    await asyncio.sleep(RETRY_S)
                    continue
                next_ms = self._speak()
                if self._reader.caught_up:
                    self._hand_back()
                    return
                due = [at_ms for at_ms in (next_ms, self._reader.next_ms) if at_ms]
                wait_s = min([LOOK_S, *(max(0.0, (at_ms - self._room.hub.now_ms()) / 1000) for at_ms in due)])
                try:
                    async with asyncio.timeout(wait_s):
                        await self._wake.wait()
                except TimeoutError:
                    pass
        except Exception as error:
            log.error("late room not shown", room=self._room.code, fault=place(error))
            for socket in tuple(self._sockets):
                socket.end("try_again")
        finally:
            self._task = None

    def _hand_back(self) -> None:
        sockets, self._sockets = self._sockets, set()
        held, self._held = [framed(frame) for _, frame in self._held], []
        self._waiting.clear()
        for socket in sockets:
            for frame in held:
                socket.tell(frame)
            socket.behind = False
            self._room.want(socket)

    def _route(self, publication: Publication) -> None:
        n = number(publication.game)
        frame = framed(publication.updates[PUBLIC])
        for socket in self._sockets:
            if socket in self._waiting:
                continue
            if (socket.n, socket.version) == (n, publication.from_version):
                socket.version = publication.version
                socket.tell(frame)
            elif (socket.n, socket.version) < (n, publication.version):
                self._waiting[socket] = b""

    async def _answer(self) -> None:
        """Snapshots for those who are not at the reader's position."""
        reader = self._reader
        state = reader.at.room
        if state is None:
            return
        head = reader.head
        for socket in self._sockets:
            if (socket.n, socket.version) < (head.n, head.version):
                self._waiting.setdefault(socket, b"")
        batch, self._waiting = self._waiting, {}
        missed: dict[tuple[int, int], list[bytes]] = {}
        try:
            for socket in batch:
                at = (socket.n, socket.version)
                if at not in missed:
                    missed[at] = await missed_events(self._room.hub.caller, self._room.code, head, *at)
        except BaseException:
            self._waiting = {**batch, **self._waiting}
            raise
        frames: dict[tuple[int, int], bytes] = {}
        for socket, welcome in batch.items():
            if socket not in self._sockets:
                continue  # it left meanwhile
            at = (socket.n, socket.version)
            if at not in frames:
                seen = sight(self._room.code, head, reader.kit, state, SPECTATOR, missed.get(at, []))
                events = tuple(map(Raw, seen.events))
                snapshot = Snapshot(seen.game, seen.version, seen.view, seen.head, seen.entry, events)
                frames[at] = framed(encode(snapshot))
            if welcome:
                socket.tell(framed(welcome))
            socket.n = socket.game_n = head.n
            socket.version, socket.live = head.version, True
            socket.tell(frames[at])
            socket.welcomed()

    def _speak(self) -> int:
        """Tell what was held back long enough; when the next is due, 0 for never."""
        now_ms = self._room.hub.now_ms()
        while self._held and self._held[0][0] <= now_ms:
            frame = framed(self._held.pop(0)[1])
            for socket in self._sockets:
                if socket not in self._waiting:
                    socket.tell(frame)
        return self._held[0][0] if self._held else 0


def heard_late(lines: Iterable[Remark], seats: Seats, delay_s: int, now_ms: int) -> tuple[list[Remark], list]:
    """Of things said to everybody: those that late eyes may read, and (from when on, line) of the others."""
    players = set(seats.values())
    free, held = [], []
    for line in lines:
        at_ms = line.at_ms + delay_s * 1000 if line.player in players else 0
        if at_ms > now_ms:
            held.append((at_ms, line))
        else:
            free.append(line)
    return free, held
