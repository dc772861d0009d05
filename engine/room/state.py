"""The folded room, its private chance, and `evolve` (total: no rules, no chance)."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine.room import events as ev
from schemas.entry import Settings

S = TypeVar("S")

PEOPLE_MAX = 100  # sent away, and silenced, in a room
LOBBY, OPENING, PLAYING, OVER, CLOSED = "lobby", "opening", "playing", "over", "closed"


class Seat(Struct, frozen=True, array_like=True):
    """A taken seat. dropped_ms: when its player's last connection went (only while not connected).

    autos: automatic turns in a row since the player's own last action.
    """

    player: str
    nonce_hash: str = ""
    opened: bool = False
    connected: bool = True
    dropped_ms: int = 0
    autos: int = 0
    away: bool = False
    ready: bool = False
    rematch: bool = False


class Room(Struct, Generic[S], frozen=True, array_like=True):
    """State of one game of a room at `version`. `seats` has holes only in the lobby. `draws`: rng() values used so far.

    format: of the log. changed: by seat, the version of the last event of the game that may have changed what it may do.
    back_ms: until when nobody could reach the room, the last time that this was so. banned: may not sit or talk;
    expelled: those of them who may not watch either. silenced: may not talk.
    since_ms: start of the opening. active_ms: last sign of life around the game. counting_ms: end of the countdown, 0 none.
    closes_ms: when the warned room closes, 0 not warned. next_seated: who agreed to a rematch, () not agreed.
    """

    id: str
    version: int
    phase: str
    game: str
    rules_version: int
    host: str
    options: dict[str, Any]
    settings: Settings
    commitment: str
    seats: tuple[Seat | None, ...]
    since_ms: int = 0
    draws: int = 0
    state: S | None = None
    result: dict[str, Any] | None = None
    revealed: ev.Revealed | None = None
    banned: tuple[str, ...] = ()
    active_ms: int = 0
    counting_ms: int = 0
    closes_ms: int = 0
    next_seated: tuple[str, ...] = ()
    format: int = 1
    changed: tuple[int, ...] = ()
    back_ms: int = 0
    silenced: tuple[str, ...] = ()
    expelled: tuple[str, ...] = ()

    def seat_of(self, player: str) -> int | None:
        """Index of the player's seat."""
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.player == player:
                return index
        return None


class Chance(Struct, frozen=True):
    """The private side of a game's chance. Never in a view, event or log line before the end.

    secret: 32 bytes from the Open entry. nonces: opened ones by seat. key: fixed when the game begins, b"" before.
    Rebuilt from the private fields of the actions stream, so it is a fold too.
    """

    secret: bytes = b""
    nonces: dict[int, bytes] = {}
    key: bytes = b""


def _opened(room: Room | None, e: ev.Opened, seats_max: int) -> Room:
    return Room(
        e.id,
        1,
        LOBBY,
        e.game,
        e.rules_version,
        e.player,
        e.options,
        e.settings,
        e.commitment,
        (None,) * seats_max,
        banned=e.banned,
        active_ms=e.at_ms,
        format=e.format,
        silenced=e.silenced,
        expelled=e.expelled,
    )


def with_seat(room: Room, index: int, seat: Seat | None) -> tuple[Seat | None, ...]:
    return room.seats[:index] + (seat,) + room.seats[index + 1 :]


def _seated(room: Room, e: ev.Seated) -> Room:
    return replace(room, seats=with_seat(room, e.seat, Seat(e.player, e.nonce_hash)))


def _promised(room: Room, e: ev.Promised) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], nonce_hash=e.nonce_hash)))


def _with(people: tuple[str, ...], player: str) -> tuple[str, ...]:
    """One more. Players are free to make, so the list is bounded: the longest on it goes."""
    return (*people, player)[-PEOPLE_MAX:]


def _left(room: Room, e: ev.Left) -> Room:
    banned = _with(room.banned, e.player) if e.kicked else room.banned
    return replace(room, seats=with_seat(room, e.seat, None), banned=banned)


def _seat_changed(room: Room, e: ev.SeatChanged) -> Room:
    seats = list(room.seats)
    seats[e.seat], seats[e.to] = seats[e.to], seats[e.seat]
    return replace(room, seats=tuple(seats))


def _ready_set(room: Room, e: ev.ReadySet) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], ready=e.ready)))


def _countdown_started(room: Room, e: ev.CountdownStarted) -> Room:
    return replace(room, counting_ms=e.until_ms)


def _countdown_stopped(room: Room, e: ev.CountdownStopped) -> Room:
    return replace(room, counting_ms=0)


def _touched(room: Room, e: ev.Touched) -> Room:
    return room


def _idle_warned(room: Room, e: ev.IdleWarned) -> Room:
    return replace(room, closes_ms=e.closes_ms)


def _closed(room: Room, e: ev.Closed) -> Room:
    return replace(room, phase=CLOSED)


def _rematch_voted(room: Room, e: ev.RematchVoted) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], rematch=e.want)))


def _rematch_agreed(room: Room, e: ev.RematchAgreed) -> Room:
    return replace(room, host=e.host, next_seated=e.seated)


def _host_changed(room: Room, e: ev.HostChanged) -> Room:
    return replace(room, host=e.player)


def _configured(room: Room, e: ev.Configured) -> Room:
    return replace(room, options=e.options, settings=e.settings)


def _locked(room: Room, e: ev.Locked) -> Room:
    return replace(room, settings=replace(room.settings, locked=e.locked))


def _expelled(room: Room, e: ev.Expelled) -> Room:
    banned = room.banned if e.player in room.banned else _with(room.banned, e.player)
    return replace(room, banned=banned, expelled=_with(room.expelled, e.player))


def _silenced(room: Room, e: ev.Silenced) -> Room:
    others = tuple(player for player in room.silenced if player != e.player)
    return replace(room, silenced=_with(others, e.player) if e.silent else others)


def _started(room: Room, e: ev.Started) -> Room:
    by_player = {seat.player: seat for seat in room.seats if seat is not None}
    return replace(
        room,
        phase=OPENING,
        since_ms=e.at_ms,
        counting_ms=0,
        closes_ms=0,
        seats=tuple(by_player[player] for player in e.seats),
    )


def _nonce_opened(room: Room, e: ev.NonceOpened) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], opened=True)))


def _connected(room: Room, e: ev.Connected) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], connected=True, dropped_ms=0)))


def _disconnected(room: Room, e: ev.Disconnected) -> Room:
    gone = replace(room.seats[e.seat], connected=False, dropped_ms=e.at_ms)
    return replace(room, seats=with_seat(room, e.seat, gone))


def _timed_out(room: Room, e: ev.TimedOut) -> Room:
    seats = list(room.seats)
    for index in e.seats:
        seat = seats[index]
        seats[index] = replace(seat, autos=seat.autos + 1, away=seat.away or index in e.away)
    return replace(room, seats=tuple(seats))


def _house_away(room: Room, e: ev.HouseAway) -> Room:
    """Every clock that ran meanwhile starts anew; the game's own turn is looked at in `deadline.due`."""
    since_ms = max(room.since_ms, e.to_ms) if room.phase == OPENING else room.since_ms
    return replace(room, back_ms=e.to_ms, since_ms=since_ms, active_ms=max(room.active_ms, e.to_ms), closes_ms=0)


def _log_full(room: Room, e: ev.LogFull) -> Room:
    return room


def _back(room: Room, e: ev.Back) -> Room:
    return replace(room, seats=with_seat(room, e.seat, replace(room.seats[e.seat], autos=0, away=False)))


def _game_over(room: Room, e: ev.GameOver) -> Room:
    return replace(room, phase=OVER, result=e.result)


def _revealed(room: Room, e: ev.Revealed) -> Room:
    return replace(room, revealed=e)


EVOLVE: dict[type, Callable[[Any, Any], Room]] = {
    ev.Seated: _seated,
    ev.Promised: _promised,
    ev.Left: _left,
    ev.SeatChanged: _seat_changed,
    ev.ReadySet: _ready_set,
    ev.CountdownStarted: _countdown_started,
    ev.CountdownStopped: _countdown_stopped,
    ev.Touched: _touched,
    ev.IdleWarned: _idle_warned,
    ev.Closed: _closed,
    ev.RematchVoted: _rematch_voted,
    ev.RematchAgreed: _rematch_agreed,
    ev.HostChanged: _host_changed,
    ev.Configured: _configured,
    ev.Locked: _locked,
    ev.Expelled: _expelled,
    ev.Silenced: _silenced,
    ev.Started: _started,
    ev.NonceOpened: _nonce_opened,
    ev.Connected: _connected,
    ev.Disconnected: _disconnected,
    ev.TimedOut: _timed_out,
    ev.HouseAway: _house_away,
    ev.LogFull: _log_full,
    ev.Back: _back,
    ev.GameOver: _game_over,
    ev.Revealed: _revealed,
}


def evolve(kit: Any, room: Room | None, events: Any) -> Room | None:
    """Fold events onto a room (None: before `opened`). Game events touch only state and draws, so those stay unpacked."""
    if room is None:
        state, draws, version = None, 0, 0
    else:
        state, draws, version = room.state, room.draws, room.version
    game = kit.game
    game_evolve = game.evolve
    handlers = EVOLVE
    of_one_seat = kit.of_one_seat
    for_all = 0  # the last event of the game that is not about one seat
    for_one: dict[int, int] = {}
    for event in events:
        version += 1
        kind = type(event)
        its_seat = of_one_seat[kind]
        if its_seat is not None:
            state = game_evolve(state, event)
            draws += event.draws
            if its_seat:
                for_one[event.seat] = version
            else:
                for_all = version
        elif kind in handlers:
            if for_all or for_one:  # so the game has moved
                room = replace(room, state=state, draws=draws)
            room = handlers[kind](room, event)
            if isinstance(event, ev.Sign):
                room = replace(room, active_ms=event.at_ms, closes_ms=0)
        elif kind is ev.Opened:
            room = _opened(room, event, game.seats_max)
        else:  # began
            state = game.new(kit.options(room.options), len(room.seats))
            room = replace(room, phase=PLAYING, state=state, changed=(version,) * len(room.seats))
    if room is None:
        return None
    if not (for_all or for_one):
        return replace(room, version=version, state=state)
    changed = (for_all,) * len(room.changed) if for_all else room.changed
    if for_one:
        latest = list(changed)
        for seat, at in for_one.items():
            if at > for_all:
                latest[seat] = at
        changed = tuple(latest)
    return replace(room, version=version, state=state, draws=draws, changed=changed)
