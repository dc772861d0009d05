"""Yacht scoring: the tables of the specification, an independent recount of every hand, further yachts, and the odds."""

from collections import Counter
from itertools import permutations, product

import pytest
from msgspec import UNSET

from engine.games.yacht.scoring import check, outcomes, score_for
from engine.games.yacht.types import UPPER, Options
from tests.engine.yacht_kit import rows, sheet_of

Y51 = Options()
Y51_STRICT = Options(full_house_allows_yacht=False)
Y51_FOUR = Options(four_kind_score="fourOnly")
Y13 = Options(scoring="yahtzee")
Y13_FREE = Options(scoring="yahtzee", yahtzee_joker="free")
YT = Options(scoring="traditional")
YT_LOCAL = Options(scoring="traditional", full_house_allows_yacht=True, four_kind_score="allFive")
YT_35 = Options(scoring="traditional", upper_bonus=35, full_house_score=25, big_straight_score=40)
YT_50 = Options(
    scoring="traditional",
    upper_bonus=50,
    full_house_score=40,
    full_house_allows_yacht=True,
    little_straight_score=15,
    big_straight_score=20,
    four_kind_score="allFive",
)
SETS = {
    "yacht51": Y51,
    "yacht51 strict full house": Y51_STRICT,
    "yacht51 four only": Y51_FOUR,
    "13 boxes": Y13,
    "13 boxes free": Y13_FREE,
    "traditional": YT,
    "traditional local": YT_LOCAL,
    "traditional with a bonus of 35": YT_35,
    "traditional with a bonus of 50": YT_50,
}
every_set = pytest.mark.parametrize("options", SETS.values(), ids=SETS)
HANDS = list(product(range(1, 7), repeat=5))
EMPTY = sheet_of()


def points(dice, options, sheet=EMPTY):
    return {box: worth.points for box, worth in outcomes(dice, sheet, options).items()}


def worth(dice, category, options, sheet=EMPTY):
    """(points, joker, yacht bonus), or None when the box may not be written."""
    found = score_for(dice, category, sheet, options)
    return found and (found.points, found.joker, found.yacht_bonus)


# --- the tables


def test_checklist_yacht51_examples():
    assert points((6, 6, 6, 6, 2), Y51) == {
        "ones": 0,
        "twos": 2,
        "threes": 0,
        "fours": 0,
        "fives": 0,
        "sixes": 24,
        "choice": 26,
        "fourKind": 26,
        "fullHouse": 0,
        "smallStraight": 0,
        "largeStraight": 0,
        "yacht": 0,
    }
    house = points((3, 3, 5, 5, 5), Y51)
    assert (house["fullHouse"], house["choice"], house["threes"], house["fives"]) == (21, 21, 6, 15)
    broken = points((1, 2, 3, 4, 6), Y51)
    assert (broken["smallStraight"], broken["largeStraight"]) == (15, 0)
    long = points((2, 3, 4, 5, 6), Y51)
    assert (long["smallStraight"], long["largeStraight"]) == (15, 30)
    alike = points((4, 4, 4, 4, 4), Y51)
    assert (alike["yacht"], alike["fourKind"], alike["fullHouse"], alike["fours"]) == (50, 20, 20, 20)


def test_checklist_full_house_allows_yacht():
    assert worth((4, 4, 4, 4, 4), "fullHouse", Y51) == (20, False, 0)
    assert worth((4, 4, 4, 4, 4), "fullHouse", Y51_STRICT) == (0, False, 0)


def test_rows_stand_in_table_order():
    twelve = (*UPPER, "choice", "fourKind", "fullHouse", "smallStraight", "largeStraight", "yacht")
    assert rows(Y51) == rows(YT) == twelve
    assert rows(Y13) == (
        *UPPER,
        "threeKind",
        "fourKind",
        "fullHouse",
        "smallStraight",
        "largeStraight",
        "yacht",
        "choice",
    )


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((6, 6, 6, 6, 2), {"threeKind": 26, "fourKind": 26, "fullHouse": 0, "choice": 26}),
        ((3, 3, 5, 5, 5), {"threeKind": 21, "fourKind": 0, "fullHouse": 25, "choice": 21}),
        ((1, 2, 3, 4, 6), {"smallStraight": 30, "largeStraight": 0, "threeKind": 0}),
        ((5, 4, 3, 2, 1), {"smallStraight": 30, "largeStraight": 40}),
        ((3, 4, 5, 6, 3), {"smallStraight": 30, "largeStraight": 0, "threes": 6}),
    ],
)
def test_thirteen_boxes(dice, expected):
    assert points(dice, Y13).items() >= expected.items()


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((6, 6, 6, 6, 2), {"fourKind": 24, "choice": 26, "sixes": 24}),
        ((5, 5, 5, 2, 1), {"fives": 15, "fourKind": 0, "fullHouse": 0}),
        ((5, 5, 6, 6, 6), {"fullHouse": 28}),
        ((1, 2, 3, 4, 5), {"smallStraight": 30, "largeStraight": 0}),
        ((6, 5, 4, 3, 2), {"smallStraight": 0, "largeStraight": 30}),
        ((1, 2, 3, 4, 6), {"smallStraight": 0, "largeStraight": 0}),
        ((2, 3, 4, 5, 5), {"smallStraight": 0, "largeStraight": 0}),
    ],
)
def test_traditional(dice, expected):
    assert points(dice, YT).items() >= expected.items()


def test_local_rules_of_four_of_a_kind_and_full_house():
    assert worth((6, 6, 6, 6, 2), "fourKind", Y51_FOUR) == (24, False, 0)
    assert worth((6, 6, 6, 6, 2), "fourKind", YT_LOCAL) == (26, False, 0)
    assert worth((3, 3, 3, 3, 3), "fullHouse", YT_LOCAL) == (15, False, 0)


@pytest.mark.parametrize(
    ("options", "maximum"),
    [
        (Y51, 325),
        (Y51_STRICT, 323),
        (Y51_FOUR, 319),
        (YT, 297),
        (YT_LOCAL, 305),
        (YT_35, 339),
        (YT_50, 340),
        (Y13, 375),
    ],
)
def test_the_most_a_sheet_can_hold(options, maximum):
    """Of boxes and upper bonus; further yachts of the 13-box set come on top without limit."""
    best = Counter()
    for hand in HANDS:
        for box, got in points(hand, options).items():
            best[box] = max(best[box], got)
    bonus = {UNSET: 0, "none": 0}.get(options.upper_bonus, options.upper_bonus)
    bonus = bonus if options.scoring == "traditional" else 35
    assert sum(best.values()) + bonus == maximum


def recount(dice, options):
    """The tables once more, written as differently as possible."""
    counts = Counter(dice)
    shape = sorted(counts.values())
    distinct = "".join(str(face) for face in sorted(counts))
    total = sum(dice)
    thirteen, traditional = options.scoring == "yahtzee", options.scoring == "traditional"
    four_only = {"fourOnly": True, "allFive": False, None: traditional}[options.four_kind_score]
    alike_is_full = {None: options.scoring == "yacht51"}.get(
        options.full_house_allows_yacht, options.full_house_allows_yacht
    )
    expected = {box: counts[face] * face for face, box in enumerate(UPPER, 1)} | {"choice": total}
    if thirteen:
        expected["threeKind"] = total * (shape[-1] > 2)
    face, times = counts.most_common(1)[0]
    expected["fourKind"] = (face * 4 if four_only else total) * (times > 3)
    full = shape == [2, 3] or (shape == [5] and alike_is_full)
    house = options.full_house_score if isinstance(options.full_house_score, int) else total
    expected["fullHouse"] = (25 if thirteen else house) * full
    if traditional:
        little, big = (
            30 if score is UNSET else score for score in (options.little_straight_score, options.big_straight_score)
        )
        expected["smallStraight"] = little * (distinct == "12345")
        expected["largeStraight"] = big * (distinct == "23456")
    else:
        short = any(run in distinct for run in ("1234", "2345", "3456"))
        expected["smallStraight"] = (30 if thirteen else 15) * short
        expected["largeStraight"] = (40 if thirteen else 30) * (distinct in ("12345", "23456"))
    expected["yacht"] = 50 * (shape == [5])
    return expected


@every_set
def test_every_hand_against_a_recount(options):
    for hand in HANDS:
        assert points(hand, options) == recount(hand, options), hand


@every_set
def test_the_order_of_the_dice_does_not_matter(options):
    for hand in [(1, 2, 3, 4, 6), (5, 5, 5, 5, 2), (3, 3, 5, 5, 5)]:
        assert len({tuple(points(dice, options).items()) for dice in permutations(hand)}) == 1


def test_house_rules_of_the_traditional_set():
    full, little, big = (5, 5, 6, 6, 6), (1, 2, 3, 4, 5), (6, 5, 4, 3, 2)
    assert [worth(full, "fullHouse", one)[0] for one in (YT, YT_35, YT_50)] == [28, 25, 40]
    assert [worth(little, "smallStraight", one)[0] for one in (YT, YT_35, YT_50)] == [30, 30, 15]
    assert [worth(big, "largeStraight", one)[0] for one in (YT, YT_35, YT_50)] == [30, 40, 20]
    assert worth((4, 4, 4, 4, 4), "fullHouse", YT_35) == (0, False, 0)
    assert worth((4, 4, 4, 4, 4), "fullHouse", YT_50) == (40, False, 0)
    said = Options(scoring="traditional", upper_bonus="none", full_house_score="sum")
    assert all(points(hand, said) == points(hand, YT) for hand in (full, little, big))


def test_a_filled_box_has_no_worth():
    sheet = sheet_of(sixes=24, choice=20)
    assert worth((6, 6, 6, 6, 2), "sixes", Y51, sheet) is None
    assert worth((6, 6, 6, 6, 2), "threeKind", Y51, sheet) is None
    assert set(points((6, 6, 6, 6, 2), Y51, sheet)) == set(rows(Y51)) - {"sixes", "choice"}


# --- reported faults


@every_set
@pytest.mark.parametrize(
    "dice", [(4, 4, 4, 4, 4), (6, 6, 6, 6, 5), (2, 2, 3, 3, 4), (1, 2, 3, 5, 6), (1, 2, 4, 5, 6)], ids=str
)
def test_report_56_no_straight_and_no_crash_with_few_faces(options, dice):
    found = points(dice, options)
    assert (found["smallStraight"], found["largeStraight"]) == (0, 0)


def test_report_59_five_equal_dice_per_mode():
    def got(options):
        found = points((3, 3, 3, 3, 3), options)
        return found["fourKind"], found["fullHouse"], found["yacht"]

    assert got(YT) == (12, 0, 50)
    assert got(Y51) == (15, 15, 50)
    assert got(Y51_STRICT) == (15, 0, 50)
    assert got(Y13) == (15, 0, 50)


@every_set
def test_report_60_best_box_is_never_forced(options):
    assert worth((3, 3, 3, 3, 3), "threes", options) == (15, False, 0)
    assert worth((3, 3, 3, 3, 3), "sixes", options) == (0, False, 0)


def test_report_61_broken_straight():
    def got(options):
        found = points((1, 3, 4, 5, 6), options)
        return found["smallStraight"], found["largeStraight"]

    assert (got(YT), got(Y51), got(Y13)) == ((0, 0), (15, 0), (30, 0))


def test_report_65_only_the_matching_upper_box_is_offered():
    sheet = sheet_of(yacht=50)
    assert points((5, 5, 5, 5, 5), Y13, sheet) == {"fives": 25}
    assert worth((5, 5, 5, 5, 5), "fives", Y13, sheet) == (25, False, 100)
    assert worth((5, 5, 5, 5, 5), "largeStraight", Y13, sheet) is None


def test_report_67_free_joker_needs_the_matching_upper_box_filled():
    threes = (3, 3, 3, 3, 3)
    assert worth(threes, "fullHouse", Y13_FREE, sheet_of(yacht=50)) == (0, False, 100)
    filled = sheet_of(yacht=50, threes=9)
    assert worth(threes, "fullHouse", Y13_FREE, filled) == (25, True, 100)
    assert worth(threes, "smallStraight", Y13_FREE, filled) == (30, True, 100)
    assert worth(threes, "sixes", Y13_FREE, filled) == (0, False, 100), "free may also give up an upper box"


@pytest.mark.parametrize("options", [Y13, Y13_FREE])
def test_report_68_no_joker_while_the_yacht_box_is_open(options):
    sheet = sheet_of(fours=12)
    for box in ("largeStraight", "smallStraight", "fullHouse"):
        assert worth((4, 4, 4, 4, 4), box, options, sheet) == (0, False, 0)
    assert worth((4, 4, 4, 4, 4), "yacht", options, sheet) == (50, False, 0)


# --- a further yacht in the 13-box set


def test_forced_joker_may_take_any_open_lower_box():
    sheet = sheet_of(yacht=50, fives=15, choice=20)
    assert points((5, 5, 5, 5, 5), Y13, sheet) == {
        "threeKind": 25,
        "fourKind": 25,
        "fullHouse": 25,
        "smallStraight": 30,
        "largeStraight": 40,
    }
    assert worth((5, 5, 5, 5, 5), "largeStraight", Y13, sheet) == (40, True, 100)
    assert worth((5, 5, 5, 5, 5), "threeKind", Y13, sheet) == (25, False, 100)


def test_forced_joker_ends_in_an_open_upper_box_with_0():
    lower = {box: 0 for box in rows(Y13) if box not in UPPER}
    sheet = sheet_of(**{**lower, "yacht": 50, "fives": 15, "twos": 4})
    assert points((5, 5, 5, 5, 5), Y13, sheet) == {"ones": 0, "threes": 0, "fours": 0, "sixes": 0}
    assert worth((5, 5, 5, 5, 5), "ones", Y13, sheet) == (0, False, 100), "a forced 0 earns the bonus too"


@pytest.mark.parametrize("options", [Y13, Y13_FREE])
def test_a_yacht_box_with_0_gives_the_joker_but_no_bonus(options):
    sheet = sheet_of(yacht=0, fives=15)
    assert worth((5, 5, 5, 5, 5), "largeStraight", options, sheet) == (40, True, 0)


@pytest.mark.parametrize("options", [Y51, Y51_STRICT, YT])
def test_there_is_no_joker_and_no_bonus_in_twelve_boxes(options):
    sheet = sheet_of(yacht=50, fives=15)
    assert worth((5, 5, 5, 5, 5), "largeStraight", options, sheet) == (0, False, 0)
    assert set(points((5, 5, 5, 5, 5), options, sheet)) == set(rows(options)) - {"yacht", "fives"}


# --- options


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (Options(yahtzee_joker="free"), "yahtzeeJoker"),
        (Options(yahtzee_joker="forced"), "yahtzeeJoker"),
        (Options(scoring="traditional", yahtzee_joker="free"), "yahtzeeJoker"),
        (Options(scoring="yahtzee", full_house_allows_yacht=True), "fullHouseAllowsYacht"),
        (Options(scoring="yahtzee", full_house_allows_yacht=False), "fullHouseAllowsYacht"),
        (Options(scoring="yahtzee", four_kind_score="allFive"), "fourKindScore"),
        (Options(upper_bonus="none"), "upperBonus"),
        (Options(scoring="yahtzee", upper_bonus=35), "upperBonus"),
        (Options(full_house_score="sum"), "fullHouseScore"),
        (Options(scoring="yahtzee", little_straight_score=30), "littleStraightScore"),
        (Options(big_straight_score=30), "bigStraightScore"),
    ],
)
def test_an_option_without_a_meaning_is_refused(options, field):
    refused = check(options, ())
    assert refused.code == "bad_options" and refused.detail.field == field
    assert options.scoring not in refused.detail.expected["scoring"]
    assert refused.detail.beside == {"scoring": options.scoring}


@every_set
def test_every_option_with_a_meaning_is_taken(options):
    assert check(options, tuple(range(8))) is None
    assert check(options, tuple(range(9))).code == "room_full"


# --- the odds of one roll, counted over all 7776 of them


def share(test):
    return round(100 * sum(map(test, HANDS)) / len(HANDS), 2)


def test_the_odds_are_those_of_the_rules_page():
    def most(hand):
        return max(Counter(hand).values())

    assert share(lambda hand: most(hand) == 4) == 1.93
    assert share(lambda hand: points(hand, Y51)["fourKind"] > 0) == 2.01
    assert share(lambda hand: points(hand, Y51_STRICT)["fullHouse"] > 0) == 3.86
    assert share(lambda hand: points(hand, YT)["smallStraight"] > 0) == 1.54
    assert share(lambda hand: points(hand, YT)["largeStraight"] > 0) == 1.54
    assert share(lambda hand: points(hand, Y51)["largeStraight"] > 0) == 3.09
    assert share(lambda hand: points(hand, Y51)["yacht"] > 0) == 0.08
