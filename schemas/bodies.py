"""Bodies of HTTP requests and answers. See /docs of a gateway for which call has which (services/cli/_apidocs.py)."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from schemas.base import Count, GameName, Millis, PlayerId, RoomCode, SeatNo
from schemas.entry import Settings
from schemas.fits import Fit, Seating

STEPS_MAX = 100


class CreateRoom(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """POST /api/rooms"""

    game: GameName
    options: dict[str, Any] = {}
    settings: Settings = Settings()


class RoomCreated(Struct, frozen=True):
    """token: absent for who came with a cookie."""

    room: RoomCode
    player: PlayerId
    token: str | UnsetType = UNSET


class RoomSummary(Struct, frozen=True, omit_defaults=True):
    """GET /api/rooms/{code}: what a link preview or a join page shows."""

    room: RoomCode
    game: GameName
    n: Count
    phase: str
    version: Count
    players: Count
    seats_max: Count
    options: dict[str, Any]
    settings: Settings


class RoomList(Struct, frozen=True, omit_defaults=True):
    """GET /api/rooms?after=: public rooms with somebody in them, the last changed first. next: `after` of the next page."""

    rooms: tuple[RoomSummary, ...]
    next: str = ""


class GameStep(Struct, frozen=True, omit_defaults=True):
    """One event. The view before it + `patch` (RFC 7396) = the view at `version`, when it had just happened.

    events: what happened; nothing when that is hidden from whoever asks. at_ms: when, if the event itself tells it.
    """

    version: Count
    patch: Any
    events: tuple[Any, ...] = ()
    at_ms: Millis | UnsetType = UNSET


class GameSteps(Struct, frozen=True, omit_defaults=True):
    """GET /api/rooms/{code}/games/{n}/steps?from=V: a game step by step, as whoever asks may see it.

    upto: the last event that may be seen now. view: that of event `from`, absent for 0, when there was none. steps: at most
    STEPS_MAX after it; ask again from the last one's version for more. seat: through whose eyes, absent: a spectator's.
    """

    game: str
    upto: Count
    from_: Count = field(name="from")
    steps: tuple[GameStep, ...]
    view: Any = UNSET
    seat: SeatNo | UnsetType = UNSET


class MoveCode(Struct, frozen=True):
    """POST /api/me/move: a one-time code with which another device becomes this player; the old token then is void."""

    code: str
    expires_s: Count


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """POST /api/me/claim, answered with Me."""

    code: Annotated[str, Meta(max_length=32)]


class AskMe(Struct, frozen=True, forbid_unknown_fields=True):
    """Body of POST /api/me. new: a further identity, which leaves the caller's own and its cookie alone."""

    new: bool = False


class Me(Struct, frozen=True):
    """POST /api/me: the caller's player id; a new one is made when the caller has none.

    token: absent for who came with a cookie.
    """

    player: PlayerId
    token: str | UnsetType = UNSET


class GameInfo(Struct, frozen=True):
    """One of GET /api/games. Schemas are JSON Schema 2020-12; `codes` maps the game's own reject codes to Korean text,
    `fits` and `seatings` say which options go together and how many may play by them.
    """

    name: GameName
    rules_version: Count
    seats_min: Count
    seats_max: Count
    options: dict[str, Any]
    defaults: dict[str, Any]
    action: dict[str, Any]
    codes: dict[str, str]
    fits: tuple[Fit, ...] = ()
    seatings: tuple[Seating, ...] = ()
