"""When the room moves on by itself: the opening of nonces, the game's turn, the grace of absent players."""

from msgspec import Struct

from engine.room.state import OPENING, PLAYING, Room

OPENING_MS = 2000  # clients open their nonces after Start within this time (docs/design.md 6)
AWAY_AFTER = 3  # automatic turns in a row


class Due(Struct, frozen=True):
    """Who must act in `turn` and when it ends by itself. at_ms None: never. absent: ended by grace, not by the clock."""

    turn: int
    seats: tuple[int, ...]
    since_ms: int
    at_ms: int | None
    absent: bool = False


def due(kit, room: Room | None) -> Due | None:
    """The room's deadline now, or None when nothing is to come.

    Absence (docs/rules.md, time and absence): once everyone who has to act is disconnected, the turn ends at
    min(turn deadline, max(turn start, time of the last drop) + grace); coming back restores the turn deadline.
    """
    if room is None:
        return None
    if room.phase == PLAYING:
        limit = kit.game.deadline(room.state)
        if limit is None:
            return None
        gone = limit.since_ms
        for index in limit.seats:
            seat = room.seats[index]
            if seat.connected:
                return Due(limit.turn, limit.seats, limit.since_ms, limit.at_ms)
            if seat.dropped_ms > gone:
                gone = seat.dropped_ms
        grace = gone + kit.game.grace_ms
        if limit.at_ms is not None and limit.at_ms <= grace:
            return Due(limit.turn, limit.seats, limit.since_ms, limit.at_ms)
        return Due(limit.turn, limit.seats, limit.since_ms, grace, True)
    if room.phase == OPENING:
        waiting = tuple(i for i, seat in enumerate(room.seats) if seat.nonce_hash and not seat.opened)
        return Due(0, waiting, room.since_ms, room.since_ms + OPENING_MS)
    return None
