"""turn.lua as a typed call: commit what was decided, claim what is next (docs/design.md 4 and 5)."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from engine.fold import Entry
from services.store.keys import key, part_key, tag
from services.store.redis import Caller

CLAIMS, LINGER, RELEASED, EPOCH_OVER = 1, 2, 0, -2


_ORIGIN = re.compile(rb"[0-9A-Za-z_-]{1,32}:[0-9]{1,16}").fullmatch


class Stored(NamedTuple):
    """What a worker that does not know a room reads of it. snapshot, chance b"": none."""

    game: str
    snapshot: bytes
    chance: bytes


class Claim(NamedTuple):
    """A room with unread entries, as it stands: all of its hash that a fold needs.

    stored None: the worker at this door committed the room last and knows it (if it does not, `read_stored`).
    """

    room: str
    n: int
    version: int
    cursor: bytes
    decided: int
    head: bytes
    claims: int
    entries: list[Entry]
    stored: Stored | None


class Commit(NamedTuple):
    """One room's batch. The first fields are what the script compares; `chance` b"": unchanged; due_ms None: none.

    seated: players with a seat, a space around each: it is noticed when they come and go. gone_ms: after which all of
    the room's keys are, None never.
    """

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
    seated: str
    gone_ms: int | None
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
    if len(fields) == 4 and fields[0] == b"d" and fields[2] == b"o":  # almost every entry: a client's, nothing private
        origin = fields[3]
        return Entry(item[0], fields[1], b"", origin if _ORIGIN(origin) else b"")
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
    linger: bool = True,
    held: Iterable[str] = (),
    failed: Iterable[str] = (),
) -> Turn:
    """Commit and claim in one round trip. After an exception the outcome of the commits is unknown: claim again.

    linger: with nothing ready, the worker keeps the partition and listens at its door.
    held: claimed rooms that stay so without a commit, while the worker lingers or claims others. failed: those whose fold did.
    fold_ms: how long one fold may keep the process from renewing its lease; claims hold the partition so much longer.
    """
    args: list = [tag(part), epoch, lease_ms, rooms, entries, door, "1" if linger else "", lease_ms + fold_ms]
    args += (" ".join(held), " ".join(failed))
    for c in commits:
        args += c[:10]
        args += (
            "" if c.due_ms is None else c.due_ms,
            c.turn,
            c.seated,
            "" if c.gone_ms is None else c.gone_ms,
            c.publication,
            len(c.events),
        )
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
    return Turn(reply[0], reply[1], [_claim(*item) for item in reply[2:]])


def _claim(
    room: bytes,
    n: bytes,
    version: bytes,
    cursor: bytes,
    decided: bytes,
    head: bytes,
    claims: int,
    entries: list,
    *stored: bytes | None,
) -> Claim:
    known = None if not stored else _stored(*stored)
    found = [entry_of(entry) for entry in entries]
    return Claim(room.decode(), int(n), int(version), cursor, int(decided), head or b"", claims, found, known)


def _stored(game: bytes, snapshot: bytes | None = None, chance: bytes | None = None) -> Stored:
    return Stored(game.decode(), snapshot or b"", chance or b"")


async def read_stored(caller: Caller, room: str) -> Stored:
    """What a claim without it leaves out. Raises LookupError when the room is gone."""
    game, snapshot, chance = await caller.call("HMGET", key("r", room), "g", "snap", "chance")
    if game is None:
        raise LookupError(room)
    return _stored(game, snapshot, chance)


def pushed(data: bytes) -> tuple[str, Claim] | None:
    """(partition's name, claim) of a doorbell message that brings the one unread entry with it; None for a plain ring.

    `<pNN> <room> <n> <v> <cur> <d> <bytes of head> <entry> <origin> [private]`, a line feed, head, data (append.lua).
    """
    line, feed, rest = data.partition(b"\n")
    if not feed:
        return None
    try:
        part, room, n, version, cursor, decided, length, entry_id, origin, *private = line.split(b" ")
        cut = int(length)
        entry = Entry(entry_id, rest[cut:], private[0] if private else b"", origin if _ORIGIN(origin) else b"")
        claim = Claim(room.decode(), int(n), int(version), cursor, int(decided), rest[:cut], 1, [entry], None)
        return part.decode(), claim
    except ValueError:
        return None  # nobody of ours said that
