"""What one audience may see of a room, built field by field (P6): a new Struct, never a stripped state.

Fields are never null; UNSET means absent, so that a merge patch can carry every change.
"""

from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from engine.game import Viewer
from engine.room.deadline import Due, due
from engine.room.state import LOBBY, OPENING, PLAYING, Room
from schemas.entry import Settings


class SeatView(Struct, frozen=True):
    """A taken seat. away: three automatic turns in a row. ready: in the lobby. rematch: wants another game."""

    player: str
    connected: bool
    away: Literal[True] | UnsetType = UNSET
    ready: Literal[True] | UnsetType = UNSET
    rematch: Literal[True] | UnsetType = UNSET


class DeadlineView(Struct, frozen=True):
    """Milliseconds by the server's clock. at_ms absent: no limit. absent: the grace of an absent player runs."""

    turn: int
    since_ms: int
    at_ms: int | UnsetType = UNSET
    absent: Literal[True] | UnsetType = UNSET


class RevealedView(Struct, frozen=True):
    """Hex; see docs/design.md 6 for how to recompute every draw from it."""

    secret: str
    nonces: tuple[str, ...]


class RoomView(Struct, frozen=True):
    """`seats` by seat number. `table`: the game's own view, from Start on. `acting`: seats that have to act now.

    starts_ms: end of a running countdown. closes_ms: when an idle room closes, after the warning. next: number of the game
    that was agreed on as a rematch. banned, expelled, silenced: players who may not
    sit or talk, not even watch, not talk.
    """

    room: str
    n: int
    phase: str
    game: str
    rules_version: int
    options: dict[str, Any]
    settings: dict[str, Any]
    host: str
    commitment: str
    seats: dict[str, SeatView]
    acting: tuple[int, ...] | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    deadline: DeadlineView | UnsetType = UNSET
    table: Any = UNSET
    result: dict[str, Any] | UnsetType = UNSET
    revealed: RevealedView | UnsetType = UNSET
    starts_ms: int | UnsetType = UNSET
    closes_ms: int | UnsetType = UNSET
    next: int | UnsetType = UNSET
    banned: tuple[str, ...] | UnsetType = UNSET
    expelled: tuple[str, ...] | UnsetType = UNSET
    silenced: tuple[str, ...] | UnsetType = UNSET


@lru_cache(maxsize=256)
def _settings(settings: Settings) -> dict[str, Any]:
    return msgspec.to_builtins(settings)


def room_view(
    kit,
    room: Room,
    viewer: Viewer,
    prev: tuple[Room, RoomView] | None = None,
    now: Due | UnsetType | None = UNSET,
) -> RoomView:
    """The view of `viewer`. `prev`: an earlier room of the same game with its view, whose unchanged parts are reused.

    now: the room's deadline, when the caller has it.
    """
    was, seen = prev if prev is not None else (None, None)
    if was is not None and was.seats is room.seats and was.phase == room.phase:
        seats = seen.seats
    else:
        seats = {
            str(index): SeatView(
                seat.player,
                seat.connected,
                True if seat.away else UNSET,
                True if seat.ready and room.phase == LOBBY else UNSET,
                True if seat.rematch else UNSET,
            )
            for index, seat in enumerate(room.seats)
            if seat is not None
        }
    options = seen.options if was is not None and was.options is room.options else kit.options_view(room.options)
    settings = seen.settings if was is not None and was.settings is room.settings else _settings(room.settings)
    code, _, n = room.id.partition("/")
    if now is UNSET:
        now = due(kit, room)
    acting: Any = UNSET
    turn: Any = UNSET
    deadline: Any = UNSET
    if now is not None and room.phase in (PLAYING, OPENING):
        acting, turn = now.seats or UNSET, now.turn
        at_ms = UNSET if now.at_ms is None else now.at_ms
        deadline = DeadlineView(now.turn, now.since_ms, at_ms, True if now.absent else UNSET)
    return RoomView(
        code,
        int(n),
        room.phase,
        room.game,
        room.rules_version,
        options,
        settings,
        room.host,
        room.commitment,
        seats,
        acting,
        turn,
        deadline,
        UNSET if room.state is None else kit.game.view(room.state, viewer),
        UNSET if room.result is None else room.result,
        UNSET if room.revealed is None else RevealedView(room.revealed.secret, room.revealed.nonces),
        room.counting_ms or UNSET,
        room.closes_ms or UNSET,
        int(n) + 1 if room.next_seated else UNSET,
        room.banned or UNSET,
        room.expelled or UNSET,
        room.silenced or UNSET,
    )
