"""The list of public rooms: an index beside the rooms, written after their own commits, so every reader checks it."""

import time

from engine.room.lobby import listed
from services.store.keys import PUBLIC
from services.store.read import read_room
from services.store.redis import Caller

LISTED_MAX = 100


async def list_room(caller: Caller, room: str, wanted: bool) -> None:
    """Put a room on the list (again, at its head) or take it off."""
    if wanted:
        await caller.call("ZADD", PUBLIC, int(time.time() * 1000), room)
    else:
        await caller.call("ZREM", PUBLIC, room)


async def public_rooms(caller: Caller, limit: int = LISTED_MAX) -> list:
    """(code, Room) of public rooms that can be joined or watched, the last changed first. Ghosts are taken off the list."""
    found = []
    for name in await caller.call("ZREVRANGE", PUBLIC, 0, limit - 1):
        code = name.decode()
        read = await read_room(caller, code)
        if read is not None and listed(read[2]):
            found.append((code, read[2]))
        else:
            await caller.call("ZREM", PUBLIC, name)
    return found
