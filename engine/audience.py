"""The bytes each audience gets for a batch of decided entries: made once here, only routed by the gateways.

Audiences are "public" and, for seats listed by `Game.apart` before or after, the seat number. A seat that is in neither
state sees what everybody sees and gets the public bytes.
"""

from typing import Any, NamedTuple, get_args

from msgspec import UNSET, UnsetType

from engine import chain
from engine.fold import Decided, Position
from engine.game import SPECTATOR, Seated, open_to_all
from engine.kit import Kit
from engine.patch import diff
from engine.room.deadline import Due
from engine.room.events import RoomEvent
from engine.room.state import Room
from engine.room.view import RoomView, room_view
from schemas.base import encode

PUBLIC = "public"
_ROOM_EVENTS = frozenset(get_args(RoomEvent))


class Publication(NamedTuple):
    """updates: audience -> ready `update` message. game, from, version let a gateway see gaps.

    public: the spectators' view after it; whoever publishes the next batch of the same room may hand it back in.
    """

    game: str
    from_version: int
    version: int
    updates: dict[str, bytes]
    public: RoomView


def apart(kit: Kit, room: Room | None) -> tuple[int, ...]:
    """Seats that see another room than spectators do; nobody but in a game."""
    if room is None or room.state is None:
        return ()
    return kit.game.apart(room.state)


def shown(kit: Kit, events: Any, raw: list[bytes], viewer: Any) -> list[bytes]:
    """Stored event bytes as `viewer` may see them: masked ones re-encoded, hidden ones left out."""
    mask = kit.game.mask
    if mask is open_to_all:
        return raw
    out = []
    for event, data in zip(events, raw, strict=True):
        if type(event) not in _ROOM_EVENTS:
            masked = mask(event, viewer)
            if masked is None:
                continue
            if masked is not event:
                data = encode(masked)
        out.append(data)
    return out


def publication(
    kit: Kit,
    before: Position,
    after: Position,
    decided: list[Decided],
    game_id: str,
    seen: RoomView | None = None,
    now: Due | UnsetType | None = UNSET,
) -> Publication | None:
    """What to publish for a batch; None when it neither changed the room nor accepted anything.

    seen: the spectators' view of `before`, when the caller has it from the last publication. now: the deadline of `after`,
    when the caller has it.
    """
    room = after.room
    events: list = []
    raw: list[bytes] = []
    accepted = []
    for one in decided:
        if one.code == "ok":
            events += one.events
            raw += one.event_bytes
            if one.entry.origin:
                session, _, number = one.entry.origin.decode().rpartition(":")
                accepted.append((session, int(number)))
    if room is None or (not events and not accepted):
        return None
    was = before.room
    last = decided[-1].entry.id
    frame_head = b'{"type":"update","game":"%s","from":%d,"version":%d,"entry":"%s","head":"%s","events":[' % (
        game_id.encode(),
        0 if was is None else was.version,
        room.version,
        last,
        chain.text(after.head).encode(),
    )
    done = b',"done":' + encode(accepted) + b"}" if accepted else b"}"
    seats = (*apart(kit, was), *apart(kit, room))

    public_was = seen if seen is not None or was is None else room_view(kit, was, SPECTATOR)
    public_now = room_view(kit, room, SPECTATOR, None if was is None else (was, public_was), now)
    patch = public_now if public_was is None else diff(public_was, public_now)
    updates = {PUBLIC: _frame(frame_head, shown(kit, events, raw, SPECTATOR), patch, done)}
    for seat in set(seats) if seats else ():
        viewer = Seated(seat)
        if public_was is None:
            seat_patch: Any = room_view(kit, room, viewer)
        else:
            seat_patch = {name: part for name, part in patch.items() if name != "table"}
            table = _table_patch(kit, was, room, viewer)
            if table:
                seat_patch["table"] = table
        updates[str(seat)] = _frame(frame_head, shown(kit, events, raw, viewer), seat_patch, done)
    return Publication(game_id, 0 if was is None else was.version, room.version, updates, public_now)


def _table_patch(kit: Kit, was: Room, now: Room, viewer: Seated) -> Any:
    """How the game's own view changed for one seat: the only part of a room's view that differs between audiences."""
    view = kit.game.view
    if was.state is None:
        return view(now.state, viewer)
    return {} if was.state is now.state else diff(view(was.state, viewer), view(now.state, viewer))


def _frame(head: bytes, events: list[bytes], patch: Any, done: bytes) -> bytes:
    return b"".join((head, b",".join(events), b'],"patch":', encode(patch), done))
