"""The WebSocket protocol: client -> server and server -> client, one Decoder each. UTF-8 JSON text frames, <= 8 KiB in.

A client says `hello` first, gets `welcome` and a `snapshot`, then `update`s whose `from` equals the version it has; any
other `from`, or another `game`, is a gap and asks for a new `hello`. A further `snapshot` may come at any time and replaces
what the client has. Every message with an `id` is answered: `ack` (it is in the log) or `reject`. The outcome of an acked
message arrives as a pair in some update's `done`, or as a `reject`. Resending the same id in the same session is always
safe and never acts twice. What has no `id` takes no effect in the log: `say` is answered by everybody's `said`, `legal` by
`legal_actions`, or either by a `reject` without `id`. In a room that shows itself late, people without a seat get the room
as it was that long ago.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from schemas.base import (
    ActionId,
    AnyRoomCode,
    Count,
    Detail,
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
    """First message: which room, who (token, unless the cookie or a bearer header says it), and the position to resume from.

    tokens: of further people who play on this same device (a family table); each holds a seat of their own.
    """

    room: AnyRoomCode
    session: SessionId
    token: str | None = None
    game: Count | None = None
    version: Count = 0
    tokens: Annotated[tuple[str, ...], Meta(max_length=7)] = ()


class Deed(Ask):
    """Base of what takes effect in the log. `player`: which of the connection's people does it; absent: the first."""

    id: ActionId
    player: PlayerId | None = field(default=None, name="as")


class Act(Ask):
    """`after`: the version that it was decided on; refused as `stale_view` when the seat's moves have changed since."""

    id: ActionId
    seat: SeatNo
    action: msgspec.Raw
    turn: Count | None = None
    after: Count | None = None


class Join(Deed, kw_only=True):
    name: str
    seat: SeatNo | None = None
    nonce_hash: Hex32 | None = None


class Leave(Deed):
    pass


class Configure(Deed, kw_only=True):
    """The host, in the lobby. Absent: unchanged."""

    options: dict[str, Any] | None = None
    settings: Settings | None = None


class Move(Deed, kw_only=True):
    """To a free seat, in the lobby."""

    seat: SeatNo


class Swap(Deed, kw_only=True):
    """The host exchanges two seats, in the lobby."""

    seat: SeatNo
    other: SeatNo


class Ready(Deed, kw_only=True):
    ready: bool


class Promise(Deed, kw_only=True):
    """A nonce hash for a seat that has none, as after a rematch."""

    nonce_hash: Hex32


class Kick(Deed, kw_only=True):
    seat: SeatNo


class Transfer(Deed, kw_only=True):
    """The host makes whoever sits on `seat` host."""

    seat: SeatNo


class Lock(Deed, kw_only=True):
    """The host lets nobody new sit down or watch, or does again; at any time."""

    locked: bool


class Expel(Deed, kw_only=True):
    """The host sends `target` away for good: no seat, no watching, no talk. Not somebody who is playing."""

    target: PlayerId


class Silence(Deed, kw_only=True):
    """The host takes the voice of `target` in this room (silent), or gives it back."""

    target: PlayerId
    silent: bool = True


class Touch(Deed):
    """Still here: a room that was warned stays open."""


class Rematch(Deed, kw_only=True):
    want: bool = True


class Start(Deed):
    pass


class Nonce(Deed, kw_only=True):
    nonce: Hex32


class Say(Ask):
    """An emote, a line of chat or a suggestion to teammates. Not in the log; answered by everyone's `said`, or `reject`.

    A suggestion is of somebody who plays, and reaches the own side alone; where nobody else is on it, it is refused.
    body: an emote's code, the line (plain text), or the suggested action as JSON.
    """

    kind: Literal["emote", "chat", "suggest"]
    body: Annotated[str, Meta(min_length=1, max_length=300)]
    player: PlayerId | None = field(default=None, name="as")


class Legal(Ask):
    """Which actions may this seat take now? Answered with `legal_actions`."""

    seat: SeatNo


class Ping(Ask):
    t: Count


AnyHosts = Configure | Swap | Kick | Transfer | Lock | Expel | Silence | Start
AnyDeed = AnyHosts | Act | Join | Leave | Move | Ready | Promise | Touch | Rematch | Nonce
AnyAsk = Hello | AnyDeed | Say | Legal | Ping
EMOTES = ("hello", "thanks", "nice", "wow", "laugh", "sad", "hurry", "good_game")


class Tell(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=snake):
    """Server -> client."""


class Welcome(Tell):
    """Who you are here. `names` maps player id -> nickname of everyone at the table.

    others: the further people of this connection. people: how many are in the room, on all gateways. said: the last things.
    """

    room: RoomCode
    player: PlayerId
    session: SessionId
    seats: tuple[SeatNo, ...]
    names: dict[str, str]
    now_ms: Millis
    others: tuple[PlayerId, ...] = ()
    people: Count = 0
    said: tuple[Any, ...] = ()


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
    after it. `done`: [session, action id] of the actions accepted in it.
    """

    game: str
    from_: Count = field(name="from")
    version: Count
    entry: str
    head: str
    events: tuple[Any, ...]
    patch: dict[str, Any]
    done: tuple[tuple[str, Count], ...] = ()


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
    """Nicknames that are new or changed, by player id; those of before stay."""

    names: dict[str, str]


class People(Tell):
    """How many people are in the room now: players and spectators, on all gateways."""

    people: Count


class Said(Tell):
    """`to`: the only players who are told, the speaker among them (a suggestion); absent: everybody."""

    player: PlayerId
    kind: str
    body: str
    at_ms: Millis
    to: tuple[PlayerId, ...] = ()


class Pong(Tell):
    t: Count
    now_ms: Millis


AnyTell = Welcome | Snapshot | Update | Ack | Reject | LegalActions | Names | People | Said | Pong


decode_ask = msgspec.json.Decoder(AnyAsk).decode
decode_tell = msgspec.json.Decoder(AnyTell).decode
