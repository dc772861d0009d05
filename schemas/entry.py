"""One entry of a game's actions stream: a command, as it was when it reached the log.

Stream fields: `d` the command (JSON, hashed as stored), `o` the origin `<session>:<action id>` of a client's command, `p`
the private part (hex), which leaves the server only after the game's end. The entry's id is its time: no command
carries one. Names and addresses are not here; players are ids, so that a person can be erased and the log still verifies.
"""

from typing import Any

import msgspec

from schemas.base import GameName, Hex32, PlayerId, Record, SeatNo


class Settings(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What belongs to the table and not to the rules.

    keep_order: play in the order of seats instead of a drawn one (000 4.1).
    """

    keep_order: bool = False


class Command(Record):
    """Base of all commands; `player` is the authenticated sender, empty for the system's own."""


class Open(Command):
    """Game `n` of a room opens its lobby. Private part: the 32 byte secret whose SHA-256 is `commitment`."""

    player: PlayerId
    game: GameName
    rules_version: int
    options: dict[str, Any]
    settings: Settings
    commitment: Hex32


class Join(Command):
    """Take a seat (the lowest free one without `seat`). `nonce_hash`: SHA-256 of the client's own 32 random bytes."""

    player: PlayerId
    seat: SeatNo | None = None
    nonce_hash: Hex32 | None = None


class Leave(Command):
    player: PlayerId


class Configure(Command):
    """The host changes options or settings in the lobby; absent means unchanged."""

    player: PlayerId
    options: dict[str, Any] | None = None
    settings: Settings | None = None


class Start(Command):
    player: PlayerId


class Nonce(Command):
    """A seat opens its nonce after Start. Private part: the nonce."""

    player: PlayerId


class Act(Command):
    """A game action from `seat`. `turn`, when given, is the turn the client believed it acts in."""

    player: PlayerId
    seat: SeatNo
    action: msgspec.Raw
    turn: int | None = None


class Connected(Command):
    player: PlayerId


class Disconnected(Command):
    player: PlayerId


class Timeout(Command):
    """The scheduler saw that the deadline of `turn` is over. `decide` judges whether that is so."""

    turn: int


AnyCommand = Open | Join | Leave | Configure | Start | Nonce | Act | Connected | Disconnected | Timeout

decode_command = msgspec.json.Decoder(AnyCommand).decode
