"""Events of the room itself. A game's own events stand between them in the same stream; their tags must not collide."""

from typing import Any

from schemas.base import Record
from schemas.entry import Settings


class Opened(Record):
    """The lobby of game `id` is open; `commitment` = SHA-256 of the server's secret for it."""

    id: str
    player: str
    game: str
    rules_version: int
    options: dict[str, Any]
    settings: Settings
    commitment: str


class Seated(Record):
    """`nonce_hash` is the player's promise, "" when it made none."""

    seat: int
    player: str
    nonce_hash: str = ""


class Left(Record):
    seat: int
    player: str


class HostChanged(Record):
    """`player` is "" when the host left and nobody else was seated: the next to sit down is host."""

    player: str


class Configured(Record):
    options: dict[str, Any]
    settings: Settings


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


class Back(Record):
    """The player acted again: the count of automatic turns starts anew and "away" is cleared."""

    seat: int


class GameOver(Record):
    """The game's Result as JSON."""

    result: dict[str, Any]


class Revealed(Record):
    """What the commitments hid: enough to recompute every draw. Nonces in seat order, zeros where none was opened."""

    secret: str
    nonces: tuple[str, ...]


RoomEvent = (
    Opened
    | Seated
    | Left
    | HostChanged
    | Configured
    | Started
    | NonceOpened
    | Began
    | Connected
    | Disconnected
    | TimedOut
    | Back
    | GameOver
    | Revealed
)
