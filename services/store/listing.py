"""The list of public rooms: an index beside the rooms, written after their own commits, so every reader checks it."""

import asyncio
from collections import Counter
from typing import NamedTuple

import msgspec

from engine.room.lobby import listed
from engine.room.state import Room
from services.store.clock import server_ms
from services.store.keys import PUBLIC, key
from services.store.read import LostEvents, read_room
from services.store.redis import Caller

LISTED_MAX = 500  # rooms that are looked at, the last changed first
OF_ONE_HOST_MAX = 5


async def list_room(caller: Caller, room: str, wanted: bool) -> None:
    """Put a room on the list (again, at its head) or take it off."""
    if wanted:
        await caller.call("ZADD", PUBLIC, await server_ms(caller), room)
    else:
        await caller.call("ZREM", PUBLIC, room)


class Listed(NamedTuple):
    """A room of the list. at_ms: when it changed last."""

    code: str
    at_ms: int
    state: Room


async def present_rooms(caller: Caller, limit: int = LISTED_MAX) -> list[Listed]:
    """Public rooms in which somebody is, at most OF_ONE_HOST_MAX of one host, the last changed first.

    So the list belongs to nobody: a room is on it while somebody waits in it, and not because it was made.
    """
    flat = await caller.call("ZREVRANGE", PUBLIC, 0, limit - 1, "WITHSCORES")
    codes = {name.decode(): int(float(score)) for name, score in zip(flat[::2], flat[1::2], strict=True)}
    people = await asyncio.gather(*(caller.call("HLEN", key("s", code)) for code in codes))
    here = [code for code, count in zip(codes, people, strict=True) if count]
    found, of_host = [], Counter[str]()
    for code, state in await _read_all(caller, here):
        of_host[state.host] += 1
        if of_host[state.host] <= OF_ONE_HOST_MAX:
            found.append(Listed(code, codes[code], state))
    return found


async def public_rooms(caller: Caller, limit: int = LISTED_MAX) -> list[tuple[str, Room]]:
    """(code, Room) of public rooms that can be joined or watched, the last changed first. Ghosts are taken off the list."""
    return await _read_all(caller, [name.decode() for name in await caller.call("ZREVRANGE", PUBLIC, 0, limit - 1)])


async def _read_all(caller: Caller, codes: list[str]) -> list[tuple[str, Room]]:
    at_ms = await server_ms(caller)
    rooms = await asyncio.gather(*(_read(caller, code, at_ms) for code in codes))
    return [(code, room) for code, room in zip(codes, rooms, strict=True) if room is not None]


async def _read(caller: Caller, code: str, at_ms: int) -> Room | None:
    """A room of the list, None when it does not belong there or cannot be read here (one such room hides no other)."""
    try:
        if (room := await _listed(caller, code, at_ms)) is None:
            await list_room(caller, code, False)
            # It may have come back between the two, as with the next game; whoever commits later than this lists it itself.
            if (room := await _listed(caller, code, at_ms)) is not None:
                await list_room(caller, code, True)
        return room
    except (KeyError, ValueError, LostEvents, msgspec.MsgspecError):
        return None


async def _listed(caller: Caller, code: str, at_ms: int) -> Room | None:
    found = await read_room(caller, code)
    return found[2] if found is not None and listed(found[2], at_ms) else None
