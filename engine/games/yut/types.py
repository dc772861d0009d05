"""What Yut Nori says and remembers: options, actions, events, state, view, result.

Pieces of a side are alike, so the state counts them: at home, out, and in stacks on the board. A stack is a node, a
number of pieces and one trail: the nodes it came by, its own node last. An event carries everything that folding and
drawing it needs (path, trail cut, throws owed, clock), so that neither `evolve` nor a client ever applies a rule of
the game.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from engine import game
from schemas.base import Count, Millis, SeatNo

HOME = "home"  # not yet on the board
GOAL = "goal"  # out: past node 0

Node = Annotated[int, Meta(ge=0, le=28)]
Outcome = Literal["do", "gae", "geol", "yut", "mo", "backdo"]
Phase = Literal["throw", "move", "finished"]
Why = Literal["turn", "yut", "mo", "capture"]  # what the owed throw comes from
Sticks = tuple[bool, bool, bool, bool]  # True: flat side up; stick 0 is the marked one

OUTCOMES = ("do", "gae", "geol", "yut", "mo", "backdo", "nak")  # order of State.throws


def _default(value, text: str) -> Meta:
    """Describes an option whose default holds only where the option has a meaning."""
    return Meta(description=text, extra_json_schema={"default": value})


class Options(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """The rules of a table (docs/rules.md). An option that means nothing beside the others is left out (UNSET); given
    there, it is refused.
    """

    mode: Literal["individual", "team"] = "individual"
    pieces: Annotated[int, Meta(ge=2, le=5)] = 4
    stick_model: Literal["realistic", "fair"] = "realistic"
    backdo: bool = True
    backdo_from_do: (
        Annotated[Literal["chammeogi", "finish"], _default("chammeogi", "only with backdo; backdo on node 1")]
        | UnsetType
    ) = UNSET
    finish_rule: Literal["pass", "reach"] = "pass"
    nak_percent: Literal[0, 3, 5, 10] = 0
    backdo_capture_bonus: (
        Annotated[bool, _default(True, "only with backdo; a capture by backdo gives a throw")] | UnsetType
    ) = UNSET
    ranking: (
        Annotated[Literal["first", "all"], _default("first", "only individual; play on after the first is out")]
        | UnsetType
    ) = UNSET
    turn_seconds: Literal[15, 30, 60, None] = 30
    team_concede: (
        Annotated[Literal["everyone", "anyone"], _default("everyone", "only team; whose concession ends it")]
        | UnsetType
    ) = UNSET


# Actions


class Throw(game.Action):
    """Throw the four sticks."""


class Move(game.Action):
    """Use `pending[throw_index]` for the stack on a node, or for one piece from home."""

    throw_index: Annotated[int, Meta(ge=0, le=999)]
    from_: Node | Literal["home"] = field(name="from")


class Concede(game.Action):
    """Give up; at any time, also in somebody else's turn."""


AnyAction = Throw | Move | Concede


# Events. `turn` and `since_ms`: the action that is awaited from now on has this number, and its clock began then.


class TurnChanged(game.Event):
    """`seat` is to throw; whatever was pending is gone. The first one of a game is the deal (draws 1 when it was
    drawn).
    """

    seat: SeatNo
    side: SeatNo
    turn: Count
    since_ms: Millis


class Thrown(game.Event):
    """`owed`: throws still to make before pieces move (1 after yut and mo)."""

    seat: SeatNo
    sticks: Sticks
    result: Outcome
    turn: Count
    since_ms: Millis
    owed: int = 0


class Nak(game.Event):
    """A stick fell off the mat: no sticks, no result, and the throwing ends; results collected before stay."""

    seat: SeatNo
    turn: Count
    since_ms: Millis


class Moved(game.Event):
    """`count` pieces went along `path` (nodes after `from`, the last one `to` unless that is the goal) with `result`.

    `cut`: how many nodes at the end of their trail the path replaces (0 forward; backdo takes its own steps back).
    """

    side: SeatNo
    throw_index: Count
    result: Outcome
    from_: Node | Literal["home"] = field(name="from")
    to: Node | Literal["goal"]
    path: tuple[Node, ...]
    count: int
    turn: Count
    since_ms: Millis
    cut: int = 0


class Stacked(game.Event):
    """The moved pieces joined their own: `count` pieces stand on `node` now."""

    side: SeatNo
    node: Node
    count: int


class Captured(game.Event):
    """`count` pieces of `victim_side` went home from `node`. `bonus`: `side` throws once more before it moves on."""

    side: SeatNo
    victim_side: SeatNo
    node: Node
    count: int
    bonus: bool = False


class FinishedPieces(game.Event):
    """`count` pieces went out; `done` are out now."""

    side: SeatNo
    count: int
    done: int


class Discarded(game.Event):
    """Results that nothing could be done with; nothing is pending after it."""

    throws: tuple[Outcome, ...]


class SideFinished(game.Event):
    """All pieces of `side` are out. `over`: the game ends with it."""

    side: SeatNo
    rank: int
    over: bool = False


class Conceded(game.Event):
    """`seat` gave up. `out`: with it the side, whose pieces leave the board. `over`: the game ends with it."""

    seat: SeatNo
    side: SeatNo
    out: bool = False
    over: bool = False


AnyEvent = (
    TurnChanged | Thrown | Nak | Moved | Stacked | Captured | FinishedPieces | Discarded | SideFinished | Conceded
)


# State


class Stack(Struct, frozen=True, array_like=True, gc=False):
    """Pieces that move as one. trail: never empty, ends with `node`; a single entry means "no record"."""

    node: int
    count: int
    trail: tuple[int, ...]


class Side(Struct, frozen=True, array_like=True, gc=False):
    """home + done + all stacks = options.pieces. captures: pieces it captured. rank: 0 until it finished.

    out: 0, or k for the k-th side that was eliminated.
    """

    home: int
    done: int = 0
    stacks: tuple[Stack, ...] = ()
    captures: int = 0
    rank: int = 0
    out: int = 0


class State(Struct, frozen=True, array_like=True, gc=False):
    """turn: number of the awaited action (0 before the deal), its clock running since since_ms. seat: who is in turn.

    last, sticks: the last throw ("" before any; no sticks after nak). lasts: team play, the seat of each side that
    had the latest turn. conceded: seats. throws: how often each of OUTCOMES fell.
    """

    options: Options
    seats: int
    turn: int
    since_ms: int
    seat: int
    phase: Phase
    owed: int
    why: str
    pending: tuple[Outcome, ...]
    sides: tuple[Side, ...]
    last: str
    sticks: tuple[bool, ...]
    lasts: tuple[int, ...]
    conceded: tuple[int, ...]
    throws: tuple[int, ...]

    def side_of(self, seat: int) -> int:
        """Team play: even seats are side 0 (blue), odd ones side 1 (red). Individual: a seat is its side."""
        return seat & 1 if self.lasts else seat


# View


class LegalMove(Struct, frozen=True, omit_defaults=True):
    """A move as a client shows it: where it leads and what it does. Numbers of pieces; absent means 0.

    captures: sent home. finishes: go out. joins: own pieces already on `to`.
    """

    throw_index: int
    from_: int | Literal["home"] = field(name="from")
    to: int | Literal["goal"]
    path: tuple[int, ...]
    captures: int = 0
    finishes: int = 0
    joins: int = 0


class Spot(Struct, frozen=True):
    """Who stands on a node. back: where a backdo leads from here (absent when the game has no backdo)."""

    side: int
    count: int
    back: int | Literal["goal"] | UnsetType = UNSET


class SideView(Struct, frozen=True):
    """seats: who plays it. rank: once finished. out: eliminated."""

    seats: tuple[int, ...]
    home: int
    done: int
    rank: int | UnsetType = UNSET
    out: Literal[True] | UnsetType = UNSET


class LastThrow(Struct, frozen=True):
    """sticks are absent after nak, which throws none."""

    result: Outcome | Literal["nak"]
    sticks: tuple[bool, ...] | UnsetType = UNSET


class View(Struct, frozen=True):
    """board by node, sides by number. seat, side: in turn (absent when over). why: what the owed throw comes from.

    legal_moves, hint: only for the seat in turn while it moves; hint is the index of the move a timeout would make.
    """

    phase: Phase
    owed: int
    pending: tuple[Outcome, ...]
    board: dict[str, Spot]
    sides: dict[str, SideView]
    seat: int | UnsetType = UNSET
    side: int | UnsetType = UNSET
    why: Why | UnsetType = UNSET
    last: LastThrow | UnsetType = UNSET
    conceded: tuple[int, ...] | UnsetType = UNSET
    legal_moves: tuple[LegalMove, ...] | UnsetType = UNSET
    hint: int | UnsetType = UNSET


# Result


class Place(Struct, frozen=True):
    """One side's place; equal sides share a rank and the next rank is left free (1, 2, 2, 4)."""

    rank: int
    side: int
    seats: tuple[int, ...]
    finished_pieces: int
    remaining_distance: int


class Stats(Struct, frozen=True):
    """throws by outcome (nak too), captured pieces by side number."""

    throws: dict[str, int]
    captures: dict[str, int]


class Result(Struct, frozen=True):
    """ranking is ordered by rank, then side. winners: all seats of rank 1."""

    ranking: tuple[Place, ...]
    winners: tuple[int, ...]
    ended_by: Literal["finished", "conceded"]
    stats: Stats
