"""Yacht's records: options, actions, events, state, view, result.

A sheet is one object that both the state and the view hold: scoring makes one new sheet and leaves the others alone, so
that building a view costs no copying and the patch between two views compares only what changed. Events carry whatever
the rules worked out (points, next seat, deadline, the boxes that giving up fills with zeros): folding needs no rules.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from engine.game import Action, Event

Category = Literal[
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "choice",
    "threeKind",
    "fourKind",
    "fullHouse",
    "smallStraight",
    "largeStraight",
    "yacht",
]
Held = tuple[bool, bool, bool, bool, bool]
Dice = tuple[int, ...]  # five faces, or () before the first roll of a turn

UPPER: tuple[Category, ...] = ("ones", "twos", "threes", "fours", "fives", "sixes")
SEATS_MAX = 8
ROLLS_MAX = 3

# Every hold pattern once. Encoders leave a default out only when it is the very same object, so patterns that go into
# events are looked up here: equal decisions then have equal bytes, whether the state was decoded or lived on.
HOLDS: dict[Held, Held] = {h: h for n in range(32) for h in [tuple(bool(n >> i & 1) for i in range(5))]}
NO_HOLDS: Held = HOLDS[False, False, False, False, False]


class Options(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """What the host chooses. UNSET and None (except for turn_seconds) mean: as the rule set has it.

    upper_bonus, full_house_score, little_straight_score, big_straight_score: house rules of the traditional set. "none" and
      "sum" are how it is played without them.
    turn_seconds: for the whole turn, not per roll; None means no limit.
    show_preview: whether everybody sees what an open box would give now, or only the seat in turn.
    """

    scoring: Literal["yacht51", "yahtzee", "traditional"] = "yacht51"
    full_house_allows_yacht: bool | None = None
    four_kind_score: Literal["allFive", "fourOnly"] | None = None
    yahtzee_joker: Literal["forced", "free"] | None = None
    upper_bonus: Literal["none", 35, 50] | UnsetType = UNSET
    full_house_score: Literal["sum", 25, 30, 40] | UnsetType = UNSET
    little_straight_score: Literal[15, 20, 25, 30] | UnsetType = UNSET
    big_straight_score: Literal[20, 25, 30, 40] | UnsetType = UNSET
    turn_seconds: Literal[30, 60, 90] | None = 60
    show_preview: bool = True


# --- actions


class Roll(Action):
    """Roll every die that is not held; the first roll of a turn rolls all five."""


class SetHold(Action):
    held: Held


class Score(Action):
    category: Category


class Concede(Action):
    """Give up, in or out of turn: empty boxes become 0, points made so far are kept."""


AnyAction = Roll | SetHold | Score | Concede


# --- events


class Dealt(Event):
    """The order in which the seats play."""

    order: tuple[int, ...]


class Rolled(Event):
    """`held`: the dice that stayed; `dice`: all five as they lie now."""

    seat: int
    dice: Dice
    held: Held = NO_HOLDS


class HoldChanged(Event):
    seat: int
    held: Held


class Scored(Event):
    """`bonus`: what a further yacht earned on top of the points of the box (100 or nothing)."""

    seat: int
    category: Category
    points: int
    bonus: int = 0


class UpperBonus(Event):
    seat: int
    points: int


class RoundChanged(Event):
    round: int


class TurnChanged(Event):
    """`seat` has to act from `since_ms` until `at_ms` (None: no limit). `turn` counts from 1."""

    seat: int
    turn: int
    since_ms: int
    at_ms: int | None = None


class Conceded(Event):
    """`zeroed`: the boxes that were still open."""

    seat: int
    zeroed: tuple[Category, ...] = ()


AnyEvent = Dealt | Rolled | HoldChanged | Scored | UpperBonus | RoundChanged | TurnChanged | Conceded


# --- state and what is shown of it


class Sheet(Struct, frozen=True, gc=False):
    """One seat's boxes and sums. `upper` and `lower` are sums of boxes: neither holds a bonus; `total` holds all.

    Never changed in place, `scores` neither: states and views share sheets.
    """

    scores: dict[Category, int] = {}
    upper: int = 0
    upper_bonus: int = 0
    lower: int = 0
    yacht_bonus: int = 0
    total: int = 0


class State(Struct, frozen=True, array_like=True, gc=False):
    """sheets: by seat number in decimal. left: open boxes at the whole table; 0 means the game is over.

    turn, since_ms, at_ms: as in Deadline; turn 0 is before the deal.
    """

    options: Options
    order: tuple[int, ...]
    current: int
    round: int
    rounds: int
    turn: int
    since_ms: int
    at_ms: int | None
    dice: Dice
    held: Held
    rolls: int
    conceded: tuple[int, ...]
    left: int
    sheets: dict[str, Sheet]


class View(Struct, frozen=True, gc=False):
    """What everybody sees; absent: `current` after the end, `dice` before a turn's first roll, `preview` without dice.

    preview: exactly the boxes that `score` would accept now, with the points it would write there.
    """

    order: tuple[int, ...]
    round: int
    rounds: int
    held: Held
    rolls_used: int
    sheets: dict[str, Sheet]
    conceded: tuple[int, ...]
    current: int | UnsetType = UNSET
    dice: Dice | UnsetType = UNSET
    preview: dict[Category, int] | UnsetType = UNSET


class Rank(Struct, frozen=True):
    """One line of the result. `yachts`: the yacht box with points in it, and every further one that earned a bonus."""

    rank: int
    seat: int
    total: int
    upper: int
    upper_bonus: int
    lower: int
    yacht_bonus: int
    yachts: int


class Result(Struct, frozen=True):
    """ranking: best first, seats of equal total share a rank (1, 1, 3). winners: everyone of rank 1."""

    ranking: tuple[Rank, ...]
    winners: tuple[int, ...]
    sheets: dict[str, dict[Category, int]]
