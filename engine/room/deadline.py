"""When the room moves on by itself: countdown, nonces, the game's turn, the grace of absent players, idle rooms, rematch."""

from msgspec import Struct

from engine.room.state import LOBBY, OPENING, OVER, PLAYING, Room

OPENING_MS = 2000  # clients open their nonces after Start within this time (docs/design.md 6)
TURN_BACK_MS = (
    15_000  # what is left of a turn, at least, when the house was away meanwhile; shorter turns get their own length
)
AWAY_AFTER = 3  # automatic turns in a row
WARN_SHARE = 6  # the idle warning comes this fraction (1/6) of the idle time before the end
REMATCH_MS = 1000  # the next game of the room is opened at once; this is when it is tried again


class Due(Struct, frozen=True):
    """Who must act in `turn` and when it ends by itself. at_ms None: never. absent: ended by grace, not by the clock.

    Outside the game itself `turn` is the room's version (0 while nonces are opened), so that any event makes it stale.
    """

    turn: int
    seats: tuple[int, ...]
    since_ms: int
    at_ms: int | None
    absent: bool = False


def due(kit, room: Room | None) -> Due | None:
    """The room's deadline now, or None when nothing is to come.

    Absence (docs/rules.md, time and absence): once everyone who has to act is disconnected, the turn ends at
    min(turn deadline, max(turn start, time of the last drop) + grace); coming back restores the turn deadline.

    When nobody could reach the room in this turn (`Room.back_ms`), neither clock ends before the time that is given anew.
    """
    if room is None:
        return None
    phase = room.phase
    if phase == PLAYING:
        limit = kit.game.deadline(room.state)
        if limit is None:
            return None
        gone, at_ms, anew = limit.since_ms, limit.at_ms, 0
        if room.back_ms > gone:
            gone = room.back_ms
            anew = gone + (TURN_BACK_MS if at_ms is None else min(at_ms - limit.since_ms, TURN_BACK_MS))
            at_ms = at_ms and max(at_ms, anew)
        for index in limit.seats:
            seat = room.seats[index]
            if seat.connected:
                return Due(limit.turn, limit.seats, limit.since_ms, at_ms)
            if seat.dropped_ms > gone:
                gone = seat.dropped_ms
        grace = max(gone + kit.game.grace_ms, anew)
        if at_ms is not None and at_ms <= grace:
            return Due(limit.turn, limit.seats, limit.since_ms, at_ms)
        return Due(limit.turn, limit.seats, limit.since_ms, grace, True)
    if phase == OPENING:
        waiting = tuple(i for i, seat in enumerate(room.seats) if seat.nonce_hash and not seat.opened)
        return Due(0, waiting, room.since_ms, room.since_ms + OPENING_MS)
    if phase == LOBBY and room.counting_ms:
        return Due(room.version, (), room.active_ms, room.counting_ms)
    if phase == OVER and room.next_seated:
        return Due(room.version, (), room.active_ms, room.active_ms + REMATCH_MS)
    if phase in (LOBBY, OVER):
        return Due(room.version, (), room.active_ms, room.closes_ms or warns_ms(room))
    return None


def warns_ms(room: Room) -> int:
    """When an idle room is warned: the end of its idle time less a sixth of it."""
    idle_ms = room.settings.idle_s * 1000
    return room.active_ms + idle_ms - idle_ms // WARN_SHARE
