"""The bytes each audience gets for a batch of decided entries: made once here, only routed by the gateways.

Audiences are "public" and, for seats listed by `Game.apart` before or after, the seat number. A seat that is in neither
state sees what everybody sees and gets the public bytes.
"""

from typing import Any, NamedTuple, get_args

from engine import chain
from engine.fold import Decided, Position
from engine.game import SPECTATOR, Seated
from engine.kit import Kit
from engine.patch import diff
from engine.room.events import RoomEvent
from engine.room.state import Room
from engine.room.view import RoomView, room_view
from schemas.base import encode

PUBLIC = "public"
_ROOM_EVENTS = frozenset(get_args(RoomEvent))


class Publication(NamedTuple):
    """updates: audience -> ready `update` message. game, from, version let a gateway see gaps."""

    game: str
    from_version: int
    version: int
    updates: dict[str, bytes]


def apart(kit: Kit, room: Room | None) -> tuple[int, ...]:
    if room is None or room.state is None:
        return ()
    return kit.game.apart(room.state)


def shown(kit: Kit, events: Any, raw: list[bytes], viewer: Any) -> list[bytes]:
    """Stored event bytes as `viewer` may see them: masked ones re-encoded, hidden ones left out."""
    mask = kit.game.mask
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


def publication(kit: Kit, before: Position, after: Position, decided: list[Decided], game_id: str) -> Publication | None:
    """What to publish for a batch; None when it neither changed the room nor accepted anything."""
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
    seats = set(apart(kit, was))
    seats.update(apart(kit, room))

    public_was: RoomView | None = None if was is None else room_view(kit, was, SPECTATOR)
    public_now = room_view(kit, room, SPECTATOR, None if was is None else (was, public_was))
    updates = {PUBLIC: _frame(frame_head, shown(kit, events, raw, SPECTATOR), public_was, public_now, done)}
    for seat in seats:
        viewer = Seated(seat)
        seat_was = None if was is None else room_view(kit, was, viewer, (was, public_was))
        seat_now = room_view(kit, room, viewer, (room, public_now))
        updates[str(seat)] = _frame(frame_head, shown(kit, events, raw, viewer), seat_was, seat_now, done)
    return Publication(game_id, 0 if was is None else was.version, room.version, updates)


def _frame(head: bytes, events: list[bytes], was: RoomView | None, now: RoomView, done: bytes) -> bytes:
    patch = encode(now) if was is None else encode(diff(was, now))
    return b"".join((head, b",".join(events), b'],"patch":', patch, done))
