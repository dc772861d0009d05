"""Events of the room itself. A game's own events stand between them in the same stream; their tags must not collide."""

from typing import Any

from schemas.base import Record
from schemas.entry import Settings


class Sign(Record, kw_only=True):
    """Base of what people do around a game: a sign of life at `at_ms`, from which the idle clock counts."""

    at_ms: int = 0


class Opened(Sign):
    """The lobby of game `id` is open; `commitment` = SHA-256 of the server's secret for it.

    format: of the log (`engine.chain.FORMAT`); absent in logs of format 1.
    """

    id: str
    player: str
    game: str
    rules_version: int
    options: dict[str, Any]
    settings: Settings
    commitment: str
    banned: tuple[str, ...] = ()
    format: int = 1
    silenced: tuple[str, ...] = ()
    expelled: tuple[str, ...] = ()


class Seated(Sign):
    """`nonce_hash` is the player's promise, "" when it made none."""

    seat: int
    player: str
    nonce_hash: str = ""


class Promised(Sign):
    seat: int
    nonce_hash: str


class Left(Sign):
    """The seat is free. kicked: by the host, for good."""

    seat: int
    player: str
    kicked: bool = False


class SeatChanged(Sign):
    """Who sat on `seat` sits on `to`, and the other way round when that was taken."""

    seat: int
    to: int


class ReadySet(Sign):
    seat: int
    ready: bool


class CountdownStarted(Sign):
    """The game starts at `until_ms` unless a seat changes before."""

    until_ms: int


class CountdownStopped(Sign):
    pass


class Touched(Sign):
    pass


class IdleWarned(Record):
    """Nobody does anything: the room closes at `closes_ms`."""

    closes_ms: int


class Closed(Record):
    """The room is over for good. reason: "idle"; "log_full": nothing was being played, and the log had reached its bound."""

    reason: str


class RematchVoted(Sign):
    seat: int
    want: bool


class RematchAgreed(Sign):
    """Everyone who is here wants another game: `seated` sit down in the lobby of the room's next one."""

    host: str
    seated: tuple[str, ...]


class HostChanged(Sign):
    """`player` is "" when the host left and nobody else was seated: the next to sit down is host."""

    player: str


class Configured(Sign):
    options: dict[str, Any]
    settings: Settings


class Locked(Sign):
    """The host lets nobody new sit down or watch (locked), or does again."""

    locked: bool


class Expelled(Sign):
    """The host sent somebody away, for good; a seat was freed by the `left` before it."""

    player: str


class Silenced(Sign):
    """The host took a player's voice in this room, or gave it back."""

    player: str
    silent: bool


class Started(Record):
    """The Start record: freezes all that chance depends on. From here on seats are 0..n-1 in this order. h(0) of the chain."""

    id: str
    at_ms: int
    game: str
    rules_version: int
    options: dict[str, Any]
    settings: Settings
    seats: tuple[str, ...]
    commitment: str
    nonce_hashes: tuple[str, ...]
    format: int = 1


class NonceOpened(Record):
    seat: int


class Began(Record):
    """The key is fixed and the game is dealt. `withheld`: seats that promised a nonce and did not open it (zeros instead)."""

    withheld: tuple[int, ...] = ()


class Connected(Record):
    seat: int


class Disconnected(Record):
    seat: int
    at_ms: int


class TimedOut(Record):
    """`seats` let `turn` pass. cause: "deadline", or "absent" when the grace of absent players ended it sooner.

    away: those for whom it was the third automatic turn in a row. The game's own events of the automatic action follow.
    """

    turn: int
    seats: tuple[int, ...]
    cause: str
    away: tuple[int, ...] = ()


class HouseAway(Record):
    """No gateway served from `from_ms` to `to_ms`, so that nobody could act: clocks that ran meanwhile start anew at `to_ms`.

    Of the absent the whole grace; of a running turn at least its own length, or 15 seconds when that is less.
    """

    from_ms: int
    to_ms: int


class LogFull(Record):
    """The game's log has reached its bound: all turns that are left were played automatically, by the events that follow."""


class Back(Record):
    """The player acted again: the count of automatic turns starts anew and "away" is cleared."""

    seat: int


class GameOver(Sign):
    """The game's Result as JSON."""

    result: dict[str, Any]


class Revealed(Record):
    """What the commitments hid: enough to recompute every draw. Nonces in seat order, zeros where none was opened."""

    secret: str
    nonces: tuple[str, ...]


RoomEvent = (
    Opened
    | Seated
    | Promised
    | Left
    | SeatChanged
    | ReadySet
    | CountdownStarted
    | CountdownStopped
    | Touched
    | IdleWarned
    | Closed
    | RematchVoted
    | RematchAgreed
    | HostChanged
    | Configured
    | Locked
    | Expelled
    | Silenced
    | Started
    | NonceOpened
    | Began
    | Connected
    | Disconnected
    | TimedOut
    | HouseAway
    | LogFull
    | Back
    | GameOver
    | Revealed
)
