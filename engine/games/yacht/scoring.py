"""What a hand is worth in which box: the three rule sets as data, and one pure function over them.

`outcomes` is that function: every box that may be written now, with what it gives. `score_for` asks it for one box; the
action, the timeout, the preview and the list of legal actions all go through these two, so they cannot disagree.
A hand's plain worth depends on nothing but its sorted faces and the options: it is worked out once and remembered
(252 hands for each choice of options). Only a further yacht in the 13-box set looks at the sheet.
"""

from functools import lru_cache

from msgspec import UNSET, Struct, UnsetType

from engine.fits import refused
from engine.game import Rejected
from engine.games.yacht.types import SEATS_MAX, UPPER, Category, Dice, Options, Sheet
from schemas.base import Detail
from schemas.fits import Fit

UPPER_TARGET = 63
YACHT_POINTS = 50
YACHT_BONUS = 100

_TWELVE = (*UPPER, "choice", "fourKind", "fullHouse", "smallStraight", "largeStraight", "yacht")
_THIRTEEN = (*UPPER, "threeKind", "fourKind", "fullHouse", "smallStraight", "largeStraight", "yacht", "choice")

# Which box an automatic turn gives up when every box it may write gives 0.
SACRIFICE: tuple[Category, ...] = (
    "ones",
    "yacht",
    "largeStraight",
    "smallStraight",
    "fullHouse",
    "fourKind",
    "threeKind",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "choice",
)


class Rules(Struct, frozen=True):
    """A rule set. `boxes` in the order of its own table; `full_house` 0 means the sum of the dice.

    exact_straights: little is 1-2-3-4-5 and big 2-3-4-5-6, instead of runs of four and five. joker: "" where a further
    yacht is a hand like any other.
    """

    boxes: tuple[Category, ...]
    upper_bonus: int
    small: int
    large: int
    exact_straights: bool
    full_house: int
    full_house_allows_yacht: bool
    four_only: bool
    joker: str


_SETS = {
    "yacht51": Rules(_TWELVE, 35, 15, 30, False, 0, True, False, ""),
    "yahtzee": Rules(_THIRTEEN, 35, 30, 40, False, 25, False, False, "forced"),
    "traditional": Rules(_TWELVE, 0, 30, 30, True, 0, False, True, ""),
}

# Where an option has a meaning. Elsewhere it is refused, not ignored: a host who sets it expects it to do something.
FITS = (
    Fit("fullHouseAllowsYacht", {"scoring": ("yacht51",)}, True),
    Fit("fullHouseAllowsYacht", {"scoring": ("traditional",)}, False),
    Fit("fourKindScore", {"scoring": ("yacht51",)}, "allFive"),
    Fit("fourKindScore", {"scoring": ("traditional",)}, "fourOnly"),
    Fit("yahtzeeJoker", {"scoring": ("yahtzee",)}, "forced"),
    Fit("upperBonus", {"scoring": ("traditional",)}, "none"),
    Fit("fullHouseScore", {"scoring": ("traditional",)}, "sum"),
    Fit("littleStraightScore", {"scoring": ("traditional",)}, 30),
    Fit("bigStraightScore", {"scoring": ("traditional",)}, 30),
)


class Worth(Struct, frozen=True):
    """What a box gives. joker: the points are there only because a further yacht stands for any hand.

    yacht_bonus: 100 when the hand is a further yacht over a yacht box that holds 50, wherever it is written.
    """

    points: int
    joker: bool = False
    yacht_bonus: int = 0


def check(options: Options, seats: tuple[int, ...]) -> Rejected | None:
    """Refuses an option that means nothing in the chosen rule set, and more players than a score table can show."""
    if len(seats) > SEATS_MAX:
        return Rejected("room_full", Detail("seats", f"<= {SEATS_MAX}", len(seats)))
    return refused(FITS, (), options, seats)


@lru_cache(256)
def rules_of(options: Options) -> Rules:
    """The rule set with the host's choices in it."""
    base = _SETS[options.scoring]
    full, four = options.full_house_allows_yacht, options.four_kind_score
    return Rules(
        base.boxes,
        _points(options.upper_bonus, base.upper_bonus),
        _points(options.little_straight_score, base.small),
        _points(options.big_straight_score, base.large),
        base.exact_straights,
        _points(options.full_house_score, base.full_house),
        base.full_house_allows_yacht if full is None else full,
        base.four_only if four is None else four == "fourOnly",
        options.yahtzee_joker or base.joker,
    )


def _points(chosen: int | str | UnsetType, usual: int) -> int:
    """The points a host chose; "none" and "sum" are the 0 of Rules."""
    return usual if chosen is UNSET else 0 if isinstance(chosen, str) else chosen


def outcomes(dice: Dice, sheet: Sheet, options: Options) -> dict[Category, Worth]:
    """Every box that may be written with these five dice, in table order, and its worth; {} only on a full sheet."""
    hand = tuple(sorted(dice))
    scores = sheet.scores
    if hand[0] == hand[4] and "yacht" in scores:
        rules = rules_of(options)
        if rules.joker:
            return _further_yacht(hand, scores, rules, options)
    return {box: worth for box, worth in _plain(options, hand).items() if box not in scores}


def score_for(dice: Dice, category: Category, sheet: Sheet, options: Options) -> Worth | None:
    """What `category` gives for these five dice; None when it may not be written now."""
    return outcomes(dice, sheet, options).get(category)


def automatic(dice: Dice, sheet: Sheet, options: Options) -> Category:
    """The box an automatic turn writes: most points in the box itself (bonuses do not count), upper row on a tie."""
    allowed = outcomes(dice, sheet, options)
    best = max(allowed, key=lambda box: allowed[box].points)  # max keeps the first of equals, and rows are in order
    if allowed[best].points:
        return best
    return next(box for box in SACRIFICE if box in allowed)


def _further_yacht(hand: Dice, scores: dict[Category, int], rules: Rules, options: Options) -> dict[Category, Worth]:
    """Five alike in the 13-box set after the yacht box is filled: where it may go, and as what."""
    plain = _plain(options, hand)
    own = UPPER[hand[0] - 1]
    free = [box for box in rules.boxes if box not in scores]
    wild = own in scores
    if rules.joker == "forced":
        free = ([box for box in free if box not in UPPER] or free) if wild else [own]
    bonus = YACHT_BONUS if scores["yacht"] == YACHT_POINTS else 0
    fixed = {"fullHouse": rules.full_house, "smallStraight": rules.small, "largeStraight": rules.large} if wild else {}
    return {
        box: Worth(fixed[box], True, bonus) if box in fixed else Worth(plain[box].points, False, bonus) for box in free
    }


@lru_cache(8192)
def _plain(options: Options, hand: Dice) -> dict[Category, Worth]:
    """The worth of a sorted hand in every box of the rule set, as on an empty sheet."""
    rules = rules_of(options)
    total = sum(hand)
    counts = sorted((hand.count(face) for face in set(hand)), reverse=True)
    yacht = counts[0] == 5
    four = next((face for face in hand if hand.count(face) >= 4), 0)
    if rules.exact_straights:
        small, large = hand == (1, 2, 3, 4, 5), hand == (2, 3, 4, 5, 6)
    else:
        small, large = _has_run(hand, 4), _has_run(hand, 5)
    points = {box: face * hand.count(face) for face, box in enumerate(UPPER, 1)}
    points["choice"] = total
    points["threeKind"] = total if counts[0] >= 3 else 0
    points["fourKind"] = (4 * four if rules.four_only else total) if four else 0
    full = counts == [3, 2] or (yacht and rules.full_house_allows_yacht)
    points["fullHouse"] = (rules.full_house or total) if full else 0
    points["smallStraight"] = rules.small if small else 0
    points["largeStraight"] = rules.large if large else 0
    points["yacht"] = YACHT_POINTS if yacht else 0
    return {box: Worth(points[box]) for box in rules.boxes}


def _has_run(hand: Dice, length: int) -> bool:
    faces = set(hand)
    return any(faces.issuperset(range(low, low + length)) for low in range(1, 8 - length))
