"""Rooms as strangers may see them over HTTP: one by its code, and the list of public ones, which is kept for a second.

Whoever asks here has shown no seat, so a room that shows itself late is shown late.
"""

import asyncio
from collections.abc import Callable

from engine.game import SPECTATOR
from engine.kit import Kit, kit
from engine.room.state import Room
from engine.room.view import room_view
from schemas.bodies import RoomList, RoomSummary
from services.gateway.facts import number
from services.store.delayed import May, Readers, always, shown_late
from services.store.listing import present_rooms
from services.store.read import Head, read_room
from services.store.redis import Caller

LIST_S = 1.0
PAGE = 50


def summary(k: Kit, state: Room) -> RoomSummary:
    """What everybody may know of a room."""
    view = room_view(k, state, SPECTATOR)
    return RoomSummary(
        view.room,
        view.game,
        view.n,
        view.phase,
        state.version,
        len(view.seats),
        k.game.seats_max,
        view.options,
        state.settings,
    )


class Lookup:
    """Of one gateway. Everything raises what the caller raises."""

    def __init__(self, caller: Caller, readers: Readers, now_ms: Callable[[], int]) -> None:
        self._caller = caller
        self._now_ms = now_ms
        self._readers = readers
        self._list: list[tuple[int, RoomSummary]] = []
        self._list_until = 0.0
        self._listing = asyncio.Lock()

    async def room(self, code: str, may: May) -> RoomSummary | None:
        """None: no such room, or its lobby is not open yet. may: see Readers. Raises TooManyReaders."""
        found = await read_room(self._caller, code)
        if found is None or found[2] is None:
            return None
        return await self._shown(code, *found, may)

    async def public(self, after: str = "") -> RoomList:
        """A page of the public rooms, a second old at most. after: `RoomList.next` of the page before."""
        rooms = await self._public()
        if after:
            at_ms, _, code = after.partition("-")
            rooms = [one for one in rooms if (one[0], one[1].room) < (int(at_ms), code)]
        page = rooms[:PAGE]
        more = f"{page[-1][0]}-{page[-1][1].room}" if len(rooms) > PAGE else ""
        return RoomList(tuple(room for _, room in page), more)

    async def _public(self) -> list[tuple[int, RoomSummary]]:
        async with self._listing:
            loop = asyncio.get_running_loop()
            if loop.time() >= self._list_until:
                found = []
                for code, at_ms, state in await present_rooms(self._caller):
                    seen = await self._shown(code, _head(state), kit(state.game), state)
                    if seen is not None:
                        found.append((at_ms, seen))
                self._list = sorted(found, key=lambda one: (one[0], one[1].room), reverse=True)
                self._list_until = loop.time() + LIST_S
            return self._list

    async def _shown(self, code: str, head: Head, k: Kit, state: Room, may: May = always) -> RoomSummary | None:
        now_ms = self._now_ms()
        if not await shown_late(self._caller, code, head, k, state, now_ms):
            self._readers.drop(code)
            return summary(k, state)
        reader = self._readers.of(code, may)
        await reader.advance(now_ms)
        return None if reader.at.room is None else summary(reader.kit, reader.at.room)


def _head(state: Room) -> Head:
    """As much of it as is needed to tell which game of its room this is."""
    return Head(number(state.id), state.game, state.version, b"", b"", b"", 0)
