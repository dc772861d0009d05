"""All rooms that this gateway holds sockets of, by the channel on which their publications come."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec
import structlog

from engine.faults import place
from services.gateway.fanout import Room
from services.store.delayed import Readers
from services.store.keys import channel
from services.store.publication import NAMES, PEOPLE, SAID, decode_publication
from services.store.redis import Caller

if TYPE_CHECKING:
    from services.gateway.session import Socket

log = structlog.get_logger()

READS_AT_ONCE = 32  # rooms read at the same time, so that a reconnect does not read a thousand in one tick


class Hub:
    """readers: late readers that all of the gateway share. doubt: whether a room that is not there may come back (known.py).

    subscribe / unsubscribe: of a channel, confirmed through `subscribed`.
    """

    def __init__(
        self,
        caller: Caller,
        subscribe: Callable[[bytes], None],
        unsubscribe: Callable[[bytes], None],
        now_ms: Callable[[], int],
        readers: Readers | None = None,
        doubt: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.caller = caller
        self.now_ms = now_ms
        self.doubt = doubt
        self.readers = Readers(caller) if readers is None else readers
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
        """Whatever a room makes of it is that room's matter: the others' messages come through the same link."""
        room = self._rooms.get(name)
        if room is None:
            return
        try:
            self._tell(room, data)
        except Exception as error:
            log.error("publication failed", room=room.code, fault=place(error))
            room.resubscribed()  # some may have got it and some not

    def _tell(self, room: Room, data: bytes) -> None:
        if data.startswith(NAMES):
            room.name_changed(data[len(NAMES) :].decode())
        elif data.startswith(SAID):
            room.said(data[len(SAID) :])
        elif data.startswith(PEOPLE):
            room.people.counted(int(data[len(PEOPLE) :]))
        else:
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
