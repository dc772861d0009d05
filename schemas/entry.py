"""One entry of a game's actions stream: a command, as it was when it reached the log.

Stream fields: `d` the command (JSON, hashed as stored), `o` the origin `<session>:<action id>` of a client's command, `p`
the private part (hex), which leaves the server only after the game's end. The entry's id is its time: no command
carries one. Names and addresses are not here; players are ids, so that a person can be erased and the log still verifies.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from schemas.base import Count, GameName, Hex32, Millis, PlayerId, Record, SeatNo


class Settings(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What belongs to the table and not to the rules.

    keep_order: play in the order of seats instead of a drawn one (000 4.1).
    public: listed for everyone; otherwise one needs the code. spectators: people without a seat may watch a running game.
    delay_s: how long after the players spectators see things. countdown_s: from Start to the deal; a leave stops it.
    locked: nobody new may sit down or watch; the host switches it at any time.
    idle_s: a lobby or finished game that nobody touches for so long is closed (a warning comes first).
    """

    keep_order: bool = False
    public: bool = False
    spectators: bool = True
    delay_s: Annotated[int, Meta(ge=0, le=300)] = 0
    countdown_s: Annotated[int, Meta(ge=0, le=10)] = 0
    idle_s: Annotated[int, Meta(ge=30, le=86_400)] = 1800
    locked: bool = False


class Command(Record):
    """Base of all commands; `player` is the authenticated sender, empty for the system's own."""


class Open(Command):
    """Game `n` of a room opens its lobby. Private part: the 32 byte secret whose SHA-256 is `commitment`.

    A rematch carries over: `seated` sit down in this order, `banned` stay out, `silenced` stay
    silent. format: of the log (docs/format.md), which
    is fixed here; absent in logs of format 1.
    """

    player: PlayerId
    game: GameName
    rules_version: Count
    options: dict[str, Any]
    settings: Settings
    commitment: Hex32
    seated: tuple[PlayerId, ...] = ()
    banned: tuple[PlayerId, ...] = ()
    format: Annotated[int, Meta(ge=1, le=1_000)] = 1
    silenced: tuple[PlayerId, ...] = ()
    expelled: tuple[PlayerId, ...] = ()


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


class Move(Command):
    """Change to a free seat in the lobby."""

    player: PlayerId
    seat: SeatNo


class Swap(Command):
    """The host exchanges two seats in the lobby (teams)."""

    player: PlayerId
    seat: SeatNo
    other: SeatNo


class Ready(Command):
    player: PlayerId
    ready: bool


class Promise(Command):
    """A seated player's nonce hash, when it was not given with Join: after a rematch, or to draw a new one."""

    player: PlayerId
    nonce_hash: Hex32


class Kick(Command):
    """The host frees a seat in the lobby; its player may not take one again."""

    player: PlayerId
    seat: SeatNo


class Transfer(Command):
    """The host makes another seated player host."""

    player: PlayerId
    seat: SeatNo


class Lock(Command):
    """The host closes the door, or opens it again."""

    player: PlayerId
    locked: bool


class Expel(Command):
    """The host sends a player away for good; one who is playing cannot be."""

    player: PlayerId
    target: PlayerId


class Silence(Command):
    """The host takes a player's voice in this room, or gives it back."""

    player: PlayerId
    target: PlayerId
    silent: bool = True


class Touch(Command):
    """Somebody is still here: the idle clock starts again."""

    player: PlayerId


class Rematch(Command):
    """A vote for another game with the same people, or its withdrawal."""

    player: PlayerId
    want: bool = True


class Start(Command):
    player: PlayerId


class Nonce(Command):
    """A seat opens its nonce after Start. Private part: the nonce."""

    player: PlayerId


class Act(Command):
    """A game action from `seat`. `turn`, when given, is the turn the client believed it acts in.

    after: the version that the player decided on. When an event since then changed what the seat may do, the action is
    refused as `stale_view`.
    """

    player: PlayerId
    seat: SeatNo
    action: msgspec.Raw
    turn: Count | None = None
    after: Count | None = None


class Connected(Command):
    player: PlayerId


class Disconnected(Command):
    player: PlayerId


class Timeout(Command):
    """The scheduler saw that the deadline of `turn` is over. `decide` judges whether that is so."""

    turn: Count


class HouseAway(Command):
    """The system's: no gateway served from `from_ms` until `to_ms`, by Redis's clock; nobody could act."""

    from_ms: Millis
    to_ms: Millis


class LogFull(Command):
    """The system's: the log of this game has reached its bound, and the game ends by a rule (docs/rules.md)."""


AnyCommand = (
    Open
    | Join
    | Leave
    | Configure
    | Move
    | Swap
    | Ready
    | Promise
    | Kick
    | Lock
    | Expel
    | Silence
    | Transfer
    | Touch
    | Rematch
    | Start
    | Nonce
    | Act
    | Connected
    | Disconnected
    | Timeout
    | HouseAway
    | LogFull
)

decode_command = msgspec.json.Decoder(AnyCommand).decode
