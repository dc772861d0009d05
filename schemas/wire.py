"""The WebSocket protocol: client -> server and server -> client, one Decoder each. UTF-8 JSON text frames, <= 8 KiB in.

A client says `hello` first, gets `welcome` and a `snapshot`, then `update`s whose `from` equals the version it has; any
other `from` is a gap and asks for a new `hello`. Every message with an `id` is answered: `ack` (it is in the log) or
`reject`. The outcome of an acked message arrives as a pair in some update's `done`, or as a `reject`. Resending the same
id in the same session is always safe and never acts twice.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from schemas.base import (
    ActionId,
    Count,
    Detail,
    GameName,
    Hex32,
    Millis,
    PlayerId,
    RoomCode,
    SeatNo,
    SessionId,
    snake,
)
from schemas.entry import Settings

FRAME_BYTES_MAX = 8192
DEPTH_MAX = 16


class Ask(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="type", tag=snake):
    """Client -> server. Unknown types and unknown fields are refused, not ignored."""


class Hello(Ask):
    """First message: which room, who (token, unless the cookie or a bearer header says it), and the position to resume from."""

    room: RoomCode
    session: SessionId
    token: str | None = None
    game: int | None = None
    version: Count = 0


class Act(Ask):
    id: ActionId
    seat: SeatNo
    action: msgspec.Raw
    turn: Count | None = None


class Join(Ask):
    id: ActionId
    name: str
    seat: SeatNo | None = None
    nonce_hash: Hex32 | None = None


class Leave(Ask):
    id: ActionId


class Configure(Ask):
    id: ActionId
    options: dict[str, Any] | None = None
    settings: Settings | None = None


class Start(Ask):
    id: ActionId


class Nonce(Ask):
    id: ActionId
    nonce: Hex32


class Legal(Ask):
    """Which actions may this seat take now? Answered with `legal_actions`."""

    seat: SeatNo


class Ping(Ask):
    t: Count


AnyAsk = Hello | Act | Join | Leave | Configure | Start | Nonce | Legal | Ping


class Tell(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=snake):
    """Server -> client."""


class Welcome(Tell):
    """Who you are here. `names` maps player id -> nickname of everyone at the table."""

    room: RoomCode
    player: PlayerId
    session: SessionId
    seats: tuple[SeatNo, ...]
    names: dict[str, str]
    now_ms: Millis


class Snapshot(Tell):
    """The whole view of your audience at `version`, and the events missed since the position you gave (if few)."""

    game: str
    version: Count
    view: Any
    head: str = ""
    entry: str = ""
    events: tuple[Any, ...] = ()


class Update(Tell):
    """What happened: `view` of version `from` + `patch` (RFC 7396) = view of `version`. Events of others' secrets are left out.

    `entry` and `head` are the receipt: id of the last decided entry (its first part is the time in ms) and chain head
    after it. `done`: [session, action id]
    of the actions accepted in it.
    """

    game: str
    from_: Count = field(name="from")
    version: Count
    entry: str
    head: str
    events: tuple[Any, ...]
    patch: dict[str, Any]
    done: tuple[tuple[str, int], ...] = ()


class Ack(Tell):
    """The message is in the log as `entry`; it will be decided exactly once.

    `outcome` is "ok" when this answers a repeat of a message that was accepted already (its `done` may have been missed).
    """

    id: ActionId
    entry: str
    outcome: str = ""


class Reject(Tell):
    """Refused, nothing changed. `id` is missing when the refused message had none that could be read."""

    code: str
    text: str
    id: ActionId | UnsetType = UNSET
    detail: Detail | UnsetType = UNSET


class LegalActions(Tell):
    seat: SeatNo
    version: Count
    actions: tuple[Any, ...]


class Names(Tell):
    names: dict[str, str]


class Pong(Tell):
    t: Count
    now_ms: Millis


AnyTell = Welcome | Snapshot | Update | Ack | Reject | LegalActions | Names | Pong


# HTTP bodies


class CreateRoom(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """POST /api/rooms"""

    game: GameName
    options: dict[str, Any] = {}
    settings: Settings = Settings()


class RoomCreated(Struct, frozen=True):
    room: RoomCode
    player: PlayerId
    token: str


class RoomSummary(Struct, frozen=True, omit_defaults=True):
    """GET /api/rooms/{code}: what a link preview or a join page shows."""

    room: RoomCode
    game: GameName
    n: int
    phase: str
    version: Count
    players: int
    seats_max: int
    options: dict[str, Any]
    settings: Settings


class Me(Struct, frozen=True):
    """POST /api/me: the caller's player id; a new one is made when the caller has none."""

    player: PlayerId
    token: str


class GameInfo(Struct, frozen=True):
    """One of GET /api/games. Schemas are JSON Schema 2020-12; `codes` maps the game's own reject codes to Korean text."""

    name: GameName
    rules_version: int
    seats_min: int
    seats_max: int
    options: dict[str, Any]
    defaults: dict[str, Any]
    action: dict[str, Any]
    codes: dict[str, str]


decode_ask = msgspec.json.Decoder(AnyAsk).decode
decode_tell = msgspec.json.Decoder(AnyTell).decode
