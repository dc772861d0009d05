"""Reading rooms and games: every reader (socket, resume, HTTP, replay, audit) comes through here (P6).

Truth is in the streams. The snapshot is a shortcut: one that is missing, damaged or of another schema is discarded and
the state folded from the events; the chance is folded from the private fields of the actions stream.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

import msgspec

from engine.audience import shown
from engine.chain import text
from engine.fold import Entry, Position, advance, fold
from engine.game import Viewer
from engine.kit import Kit, decode_chance, kit
from engine.room.state import Chance, Room
from engine.room.view import RoomView, room_view
from services.store.keys import key
from services.store.redis import Caller
from services.store.turn import entry_of

PAGE = 1000
MISSED_MAX = 200  # events a resuming client gets one by one; beyond that the snapshot alone


class Head(NamedTuple):
    """A room's hash as it stands. game "" when there is no such room."""

    n: int
    game: str
    version: int
    cursor: bytes
    head: bytes
    snapshot: bytes
    decided: int


async def read_head(caller: Caller, room: str) -> Head | None:
    """None: no such room. Raises ValueError when its hash lacks a part that nothing else tells."""
    h = await caller.call("HMGET", key("r", room), "n", "g", "v", "cur", "head", "snap", "d")
    if h[0] is None:
        return None
    missing = [name for name, value in (("g", h[1]), ("v", h[2]), ("cur", h[3]), ("d", h[6])) if value is None]
    if missing:
        raise ValueError(f"{key('r', room)} has no field {', '.join(missing)}")
    return Head(int(h[0]), h[1].decode(), int(h[2]), h[3], h[4] or b"", h[5] or b"", int(h[6]))


async def read_past(caller: Caller, room: str, n: int) -> Head | None:
    """Where an earlier game of a room ended, as next.lua kept it (without snapshot and game). None: not kept."""
    kept = await caller.call("HGET", key("r", room), f"past:{n}")
    if kept is None:
        return None
    version, cursor, decided, head = kept.split(b" ", 3)
    return Head(n, "", int(version), cursor, head, b"", int(decided))


def from_snapshot(k: Kit, snapshot: bytes, version: int) -> Room | None:
    """The room in a snapshot, or None when it cannot be used (then fold the events)."""
    schema, mark, body = snapshot.partition(b":")
    if not mark or schema != k.snapshot_schema:
        return None
    try:
        room = k.decode_room(body)
    except msgspec.MsgspecError:
        return None
    return room if room.version == version else None


def to_snapshot(k: Kit, room: Room) -> bytes:
    """What `from_snapshot` reads."""
    return k.snapshot_schema + b":" + k.encode_room(room)


async def events_between(caller: Caller, game_id: str, after: int, upto: int) -> list[bytes]:
    """Stored bytes of events after+1 … upto. Raises LostEvents when the stream has a gap."""
    found: list[bytes] = []
    while after + len(found) < upto:
        low = after + len(found) + 1
        high = min(upto, low + PAGE - 1)
        page = await caller.call("XRANGE", key("e", game_id), f"{low}-0", f"{high}-0")
        for entry_id, fields in page:
            if entry_id.endswith(b"-0"):
                if int(entry_id[:-2]) != after + len(found) + 1:
                    raise LostEvents(f"{game_id}: event {after + len(found) + 1} is missing")
                found.append(fields[1])
        if after + len(found) < high:
            raise LostEvents(f"{game_id}: event {after + len(found) + 1} is missing")
    return found


class LostEvents(Exception):
    """The events stream has a gap. Never expected; an operator's matter."""


async def read_room(caller: Caller, room: str) -> tuple[Head, Kit, Room | None] | None:
    """Head, kit and folded state of a room's current game; state None before its lobby opened. None: no such room."""
    head = await read_head(caller, room)
    if head is None:
        return None
    k = kit(head.game)
    if not head.version:
        return head, k, None
    state = from_snapshot(k, head.snapshot, head.version)
    if state is None:
        state = fold(k, await events_between(caller, f"{room}/{head.n}", 0, head.version))
    return head, k, state


class Sight(NamedTuple):
    """What one viewer gets: the view at `version`, and the events after `since` (masked JSON) when they are few."""

    game: str
    version: int
    head: str
    entry: str
    view: RoomView
    events: list[bytes]


async def missed_events(caller: Caller, room: str, head: Head, game: int | None, since: int) -> list[bytes]:
    """Stored events from position (game, since) to `head`; none when there are too many or the position is not of it."""
    if game == head.n and 0 < since < head.version and head.version - since <= MISSED_MAX:
        return await events_between(caller, f"{room}/{head.n}", since, head.version)
    return []


def sight(room: str, head: Head, k: Kit, state: Room, viewer: Viewer, missed: list[bytes]) -> Sight:
    """A room that was read, as a viewer may see it: readers of one room at one moment share all but this."""
    events = shown(k, [k.decode_event(data) for data in missed], missed, viewer) if missed else []
    view = room_view(k, state, viewer)
    return Sight(f"{room}/{head.n}", head.version, text(head.head), head.cursor.decode(), view, events)


def _nickname(value: bytes) -> str:
    """Of a field of `{pNN}:n:<room>` (names.lua); one of before has no skeleton."""
    return value.rpartition(b"\n")[2].decode()


async def read_names(caller: Caller, room: str) -> dict[str, str]:
    """player -> nickname of everyone who has a seat or had one in a game of the room."""
    flat = await caller.call("HGETALL", key("n", room))
    return {player.decode(): _nickname(value) for player, value in zip(flat[::2], flat[1::2], strict=True)}


async def read_names_of(caller: Caller, room: str, players: list[str]) -> dict[str, str]:
    """The nicknames of some; who has none is left out."""
    found = await caller.call("HMGET", key("n", room), *players)
    return {player: _nickname(value) for player, value in zip(players, found, strict=True) if value is not None}


async def entries(caller: Caller, game_id: str, upto: bytes = b"+") -> AsyncIterator[Entry]:
    """The actions stream from its start, private fields included: for folding and audit on the server only."""
    low = b"-"
    while True:
        page = await caller.call("XRANGE", key("a", game_id), low, upto, "COUNT", PAGE)
        for item in page:
            yield entry_of(item)
        if len(page) < PAGE:
            return
        low = b"(" + page[-1][0]


class Parked(msgspec.Struct):
    """The record of an entry that was set aside: its id, and the fault."""

    entry: str
    why: str


decode_parked = msgspec.json.Decoder(Parked).decode


class _Named(msgspec.Struct, tag_field="type", tag="opened"):
    """What is read of an `opened` event before it is known which game's events these are."""

    game: str


_named = msgspec.json.Decoder(_Named).decode


class Log(NamedTuple):
    """A game's whole log for replay and audit. parked: entry id -> fault. head None: where the game ended is not known."""

    kit: Kit
    game_id: str
    entries: list[Entry]
    events: list[bytes]
    parked: dict[bytes, str]
    head: bytes | None


async def read_log(caller: Caller, room: str, n: int | None = None) -> Log | None:
    """The decided part of a game's log (entries up to the cursor). None: no such room or game.

    Each game of a room is read as what its `opened` event says that it is. Raises KeyError when that is not installed.
    """
    h = await read_head(caller, room)
    if h is None or (n is not None and not 1 <= n <= h.n):
        return None
    live = n is None or n == h.n
    game_id = f"{room}/{h.n if n is None else n}"
    upto = h.cursor if live else b"+"
    found = [entry async for entry in entries(caller, game_id, upto)] if upto != b"0-0" else []
    events: list[bytes] = []
    parked: dict[bytes, str] = {}
    low = "-"
    while True:
        page = await caller.call(
            "XRANGE", key("e", game_id), low, f"{h.version}-999999" if live else "+", "COUNT", PAGE
        )
        for entry_id, fields in page:
            if fields[0] == b"e":
                events.append(fields[1])
            else:
                record = decode_parked(fields[1])
                parked[record.entry.encode()] = record.why
            low = "(" + entry_id.decode()
        if len(page) < PAGE:
            break
    if live:
        return Log(kit(h.game), game_id, found, events, parked, h.head)
    past = await read_past(caller, room, n) if found or events else None  # neither: it is in the archive
    return Log(kit(game_of(events, h.game)), game_id, found, events, parked, None if past is None else past.head)


def game_of(events: list[bytes], otherwise: str) -> str:
    """Which game these events are of, as the first of them says; `otherwise` when it does not."""
    try:
        return _named(events[0]).game if events else otherwise
    except msgspec.MsgspecError:
        return otherwise  # whoever decides the log again finds the damage


async def rebuild(caller: Caller, k: Kit, game_id: str, version: int, cursor: bytes) -> tuple[Room | None, Chance]:
    """State and chance of a game from its streams alone: the events for the state, the entries for the private part."""
    room = fold(k, await events_between(caller, game_id, 0, version)) if version else None
    at = Position()
    if cursor != b"0-0":
        async for entry in entries(caller, game_id, cursor):
            if at.chance.key and entry.private == b"":
                break  # the key is fixed and nothing private follows
            at, _ = advance(k, at, (entry,), game_id)
    return room, at.chance


def load_chance(data: bytes) -> Chance | None:
    """The chance stored in a room's hash; None when it must be rebuilt."""
    if not data:
        return Chance()
    try:
        return decode_chance(data)
    except msgspec.MsgspecError:
        return None
