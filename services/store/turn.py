"""turn.lua as a typed call: commit what was decided, claim what is next (docs/design.md 4 and 5)."""

import re
from typing import NamedTuple

from engine.fold import Entry
from services.store.keys import part_key, tag
from services.store.redis import Caller

CLAIMS, LINGER, RELEASED, EPOCH_OVER = 1, 2, 0, -2


_ORIGIN = re.compile(rb"[0-9A-Za-z_-]{1,32}:[0-9]{1,16}").fullmatch


class Claim(NamedTuple):
    """A room with unread entries, as it stands: all of its hash that a fold needs."""

    room: str
    n: int
    game: str
    version: int
    cursor: bytes
    decided: int
    head: bytes
    snapshot: bytes
    chance: bytes
    claims: int
    entries: list[Entry]


class Commit(NamedTuple):
    """One room's batch. The first fields are what the script compares; `chance` b"": unchanged; due_ms None: none."""

    room: str
    n: int
    version: int
    cursor: bytes
    new_version: int
    new_cursor: bytes
    decided: int
    head: bytes
    snapshot: bytes
    chance: bytes
    due_ms: int | None
    turn: int
    publication: bytes
    events: list[bytes]
    rejects: list[tuple[str, str]]
    parked: list[bytes]


class Turn(NamedTuple):
    """status: CLAIMS, LINGER, RELEASED, EPOCH_OVER. refused: commits that did not fit, of rooms that stand elsewhere."""

    status: int
    refused: int
    claims: list[Claim]


def entry_of(item: list) -> Entry:
    """A stream item [id, [field, value, …]] as an Entry."""
    fields = item[1]
    pairs = dict(zip(fields[::2], fields[1::2], strict=True))
    origin = pairs.get(b"o", b"")
    if origin and not _ORIGIN(origin):
        origin = b""  # nobody to answer; what the entry says is judged all the same
    return Entry(item[0], pairs.get(b"d", b""), pairs.get(b"p", b""), origin)


async def turn(
    caller: Caller,
    part: int,
    epoch: str,
    lease_ms: int,
    rooms: int,
    entries: int,
    door: str,
    commits: list[Commit],
    fold_ms: int = 0,
) -> Turn:
    """Commit and claim in one round trip. After an exception the outcome of the commits is unknown: claim again.

    fold_ms: how long one fold may keep the process from renewing its lease; claims hold the partition so much longer.
    """
    args: list = [tag(part), epoch, lease_ms, rooms, entries, door, lease_ms + fold_ms]
    for c in commits:
        args += c[:10]
        args += ("" if c.due_ms is None else c.due_ms, c.turn, c.publication, len(c.events))
        args += c.events
        args.append(len(c.rejects))
        for field, value in c.rejects:
            args += (field, value)
        args.append(len(c.parked))
        args += c.parked
    keys = (part_key("m", part), part_key("ready", part), part_key("due", part))
    reply = await caller.run("turn", keys, args)
    if reply[0] == EPOCH_OVER:
        return Turn(EPOCH_OVER, 0, [])
    claims = [
        Claim(
            item[0].decode(),
            int(item[1]),
            item[2].decode(),
            int(item[3]),
            item[4],
            int(item[5]),
            item[6],
            item[7] or b"",
            item[8] or b"",
            item[9],
            [entry_of(entry) for entry in item[10]],
        )
        for item in reply[2:]
    ]
    return Turn(reply[0], reply[1], claims)
