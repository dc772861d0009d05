"""From the log to state and back: `step` one entry, `advance` a batch, `fold` events, `verify` a whole game.

An entry is (id, data, private, origin) as bytes, straight from the actions stream. Its time is in its id. Deciding the same
entries again under the same rules version gives the same bytes (P4); `verify` is that sentence as a function.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from engine import chain
from engine.faults import place
from engine.game import Rejected
from engine.kit import Kit
from engine.room.decide import decide, ending
from engine.room.events import Started
from engine.room.state import Chance, Room
from schemas.base import Detail, encode
from schemas.entry import decode_command


class Entry(NamedTuple):
    """id: b"<ms>-<seq>". private: hex or b"". origin: b"<session>:<action id>" or b"" for the system's own."""

    id: bytes
    data: bytes
    private: bytes = b""
    origin: bytes = b""


class Position(NamedTuple):
    """All that a game is after its last decided entry. head is b"" before Start."""

    room: Room | None = None
    chance: Chance = Chance()
    head: bytes = b""


class Decided(NamedTuple):
    """One entry's outcome. code "ok" or a reject code; why: name of the fault when the entry was parked.

    where: type, file and line of a fault that was met just now; it is for the game maker and not recorded.
    """

    entry: Entry
    code: str
    detail: Detail
    events: tuple
    event_bytes: list[bytes]
    why: str = ""
    where: str = ""


PARKED = "internal"
Tried = Callable[[Position, Position, Decided], object]


def entry_ms(entry_id: bytes) -> int:
    """An entry's time."""
    return int(entry_id[: entry_id.index(b"-")])


def entry_order(entry_id: bytes) -> tuple[int, int]:
    """Ids as the stream orders them."""
    ms, _, seq = entry_id.partition(b"-")
    return int(ms), int(seq)


def step(kit: Kit, at: Position, entry: Entry, game_id: str) -> tuple[Position, Decided]:
    """Decide one entry. Raises whatever the game raises: the caller parks it (`park`)."""
    room, chance, head = at
    at_ms = entry_ms(entry.id)
    try:
        command = decode_command(entry.data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        outcome = Rejected("bad_message", Detail(field="entry", expected=str(error)))
    else:  # outside the net: the same errors raised by a game are its faults, to be parked
        private = bytes.fromhex(entry.private.decode()) if entry.private else b""
        outcome = decide(kit, room, chance, command, private, at_ms, game_id)
    if isinstance(outcome, Rejected):
        if head:
            head = _link(head, room, chance, entry, outcome.code, [])
        return Position(room, chance, head), Decided(entry, outcome.code, outcome.detail, (), [])
    events, chance = outcome
    room = kit.evolve(room, events)
    closing = ending(kit, room, chance, at_ms) if room is not None and events else ()
    if closing:
        room = kit.evolve(room, closing)
        events = (*events, *closing)
    event_bytes = [encode(event) for event in events]
    if not head and events and type(events[0]) is Started:
        head = chain.start(event_bytes[0])
    if head:
        head = _link(head, room, chance, entry, "ok", event_bytes)
    return Position(room, chance, head), Decided(entry, "ok", _NO_DETAIL, events, event_bytes)


_NO_DETAIL = Detail()


def _link(head: bytes, room: Room, chance: Chance, entry: Entry, code: str, events: list[bytes]) -> bytes:
    blind = chain.blind(room.format, chance.secret, entry.id)
    return chain.link(head, entry.id, entry.data, code, blind, events)


def park(at: Position, entry: Entry, why: str) -> tuple[Position, Decided]:
    """Set an entry aside that cannot be decided: rejected as `internal`, nothing changed, `why` recorded as input for audit."""
    head = _link(at.head, at.room, at.chance, entry, PARKED, []) if at.head and at.room is not None else at.head
    return Position(at.room, at.chance, head), Decided(entry, PARKED, _NO_DETAIL, (), [], why)


def advance(
    kit: Kit, at: Position, entries: Iterable[Entry], game_id: str, tried: Tried | None = None
) -> tuple[Position, list[Decided]]:
    """Decide entries in order. A fault of the engine parks the one entry it happened in (P7).

    tried: called with (before, after, decided) of each entry; what it raises parks that entry too. So everything that has
    to be made of a decision can be made inside the net.
    """
    done: list[Decided] = []
    for entry in entries:
        try:
            after, decided = step(kit, at, entry, game_id)
            if tried is not None:
                tried(at, after, decided)
            at = after
        except Exception as error:
            at, decided = park(at, entry, type(error).__name__)
            decided = decided._replace(where=place(error))
        done.append(decided)
    return at, done


def fold(kit: Kit, events: Iterable[bytes], room: Room | None = None) -> Room | None:
    """State from stored events. Raises msgspec.MsgspecError when one cannot be read."""
    return kit.evolve(room, map(kit.decode_event, events))


class Report(NamedTuple):
    """ok: the log re-executes. Otherwise `where` is the first bad entry id or event version and `what` says why."""

    ok: bool
    where: str
    what: str
    entries: int
    events: int
    head: bytes
    room: Room | None


def verify(
    kit: Kit,
    game_id: str,
    entries: Iterable[Entry],
    events: list[bytes],
    parked: dict[bytes, str],
    head: bytes | None = None,
    on_decided: Callable[[Position, Decided], None] | None = None,
) -> Report:
    """Decide a game again and compare every byte.

    events: the events stream in order of version; parked: entry id -> fault, read as input; head: the stored chain head to
    compare (None: do not). Events beyond the last entry, a missing event, another byte, another head: not ok.
    """
    at = Position()
    seen = count = 0

    def bad(where: bytes | str, what: str) -> Report:
        name = where if isinstance(where, str) else where.decode()
        return Report(False, name, what, count, seen, at.head, at.room)

    unused = dict(parked)
    last = b"0-0"
    for entry in entries:
        count += 1
        last = entry.id
        if entry.id in parked:
            at, decided = park(at, entry, unused.pop(entry.id))
        else:
            try:
                at, decided = step(kit, at, entry, game_id)
            except Exception as error:
                return bad(entry.id, f"deciding again raises {type(error).__name__}, and no record says it was parked")
        for data in decided.event_bytes:
            if seen >= len(events):
                return bad(entry.id, f"event {seen + 1} is missing from the events stream")
            if events[seen] != data:
                return bad(entry.id, f"event {seen + 1} differs: decided {data.decode()}, stored {_clip(events[seen])}")
            seen += 1
        if on_decided is not None:
            on_decided(at, decided)
    if seen != len(events):
        return bad(f"event {seen + 1}", f"{len(events) - seen} stored events come from no entry")
    for entry_id in unused:
        if entry_order(entry_id) < entry_order(last):  # later ones were written while the log was being read
            return bad(entry_id, "a record says that this entry was parked, and there is no such entry")
    if head is not None and head != at.head:
        return bad("head", f"chain head is {chain.text(at.head)}, stored {chain.text(head)}")
    return Report(True, "", "", count, seen, at.head, at.room)


def _clip(data: bytes) -> str:
    text = data.decode(errors="replace")
    return text if len(text) <= 200 else text[:200] + "…"
