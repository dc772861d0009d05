"""What happens in the place of a player who lets the time pass, and the options as clients send them."""

import msgspec
import pytest

from engine.game import Ctx, Rejected, read_options
from engine.games.yacht import GAME
from engine.games.yacht import types as t
from engine.games.yacht.scoring import SACRIFICE
from engine.rng import Rng, unit
from schemas.base import encode
from tests.engine.yacht_kit import T0, Faces, Table, rows


def automatic(dice: tuple, scoring: str = "yacht51", filled: dict | None = None, open_: tuple = ()) -> t.Scored:
    """The box that a timeout writes with these dice."""
    table = Table(scoring=scoring)
    if open_:
        table.leave_open(0, *open_)
    table.fill(0, **(filled or {}))
    table.roll(*dice)
    return table.timeout()[0]


# --- timeouts


def test_checklist_a_timeout_before_the_first_roll_rolls_once_and_scores():
    table = Table()
    events = table.timeout(5, 5, 6, 6, 6)
    assert events == (
        t.Rolled(0, (5, 5, 6, 6, 6), draws=5, auto=True),
        t.Scored(0, "choice", 28, auto=True),
        t.TurnChanged(1, 2, T0, T0 + 60_000),
    )


def test_a_timeout_after_a_roll_keeps_the_dice():
    table = Table()
    table.roll(1, 2, 3, 4, 6)
    table.hold(0, 1)
    assert table.timeout()[0] == t.Scored(0, "choice", 16, auto=True)


def test_ties_go_to_the_upper_row_of_the_rule_sets_own_table():
    assert automatic((3, 3, 3, 3, 3), filled={"yacht": 0}).category == "threes"
    assert automatic((6, 6, 6, 6, 1), filled={"sixes": 0}).category == "choice"
    assert automatic((6, 6, 6, 6, 1), "yahtzee", {"sixes": 0}).category == "threeKind", "choice is the last row there"
    assert automatic((1, 2, 3, 4, 5), "traditional").category == "smallStraight"


def test_the_best_box_is_that_of_most_points_without_bonuses():
    """sixes would bring the 35 as well, fullHouse has one point more by itself."""
    table = Table()
    table.fill(0, ones=5, twos=10, threes=15, fours=20, choice=0)
    table.roll(5, 5, 6, 6, 6)
    assert table.timeout()[0] == t.Scored(0, "fullHouse", 28, auto=True)


@pytest.mark.parametrize("scoring", ["yacht51", "yahtzee", "traditional"])
def test_checklist_when_every_box_gives_0_the_sacrifice_order_decides(scoring):
    def given_up(dice: tuple, *worth: str) -> list:
        """The boxes that timeouts write, one after the other, with those out of the way that these dice fit."""
        table = Table(seats=1, scoring=scoring)
        table.fill(0, **dict.fromkeys(worth, 0))
        taken = []
        while GAME.result(table.state) is None:
            scored = table.timeout(*dice)[1]
            assert scored.points == 0
            taken.append(scored.category)
        return taken

    boxes = rows(t.Options(scoring=scoring))
    fitting = ("threes", "fours", "sixes", "choice")
    expected = [box for box in SACRIFICE if box in boxes and box not in fitting]
    assert given_up((3, 3, 4, 4, 6), *fitting) == expected
    fitting = ("ones", "twos", "fives", "choice")
    expected = [box for box in SACRIFICE if box in boxes and box not in fitting]
    assert given_up((1, 1, 2, 2, 5), *fitting) == expected
    assert SACRIFICE[:7] == (
        "ones",
        "yacht",
        "largeStraight",
        "smallStraight",
        "fullHouse",
        "fourKind",
        "threeKind",
    )
    assert SACRIFICE[7:] == (*t.UPPER[1:], "choice")


def test_report_71_automatic_player_with_its_favourite_box_used():
    assert automatic((1, 2, 3, 4, 5), open_=("ones", "yacht")) == t.Scored(0, "ones", 1, auto=True)
    assert automatic((1, 2, 3, 4, 5), open_=("yacht",)) == t.Scored(0, "yacht", 0, auto=True)
    assert automatic((6, 6, 5, 2, 1), open_=("yacht", "smallStraight")) == t.Scored(0, "yacht", 0, auto=True)


def test_report_72_automatic_scoring_obeys_the_forced_joker():
    first = automatic((5,) * 5, "yahtzee", {"yacht": 50})
    assert first == t.Scored(0, "fives", 25, 100, auto=True)
    second = automatic((5,) * 5, "yahtzee", open_=("ones", "sixes"))
    assert second == t.Scored(0, "ones", 0, 100, auto=True)


def test_a_timeout_gives_the_upper_bonus_too():
    table = Table()
    table.fill(0, fives=25, fours=20, choice=0, fourKind=0, fullHouse=0)
    events = table.timeout(6, 6, 6, 1, 2)
    assert events[1:3] == (t.Scored(0, "sixes", 18, auto=True), t.UpperBonus(0, 35, auto=True))


def test_timeouts_alone_play_a_game_to_its_end():
    for scoring in ("yacht51", "yahtzee", "traditional"):
        table = Table(seats=8, scoring=scoring)
        rng = Rng(b"timeouts")
        while GAME.result(table.state) is None:
            table.fold(GAME.timeout(table.state, Ctx(table.at_ms, rng)))
        assert table.state.turn == 8 * table.state.rounds


def test_report_22_the_event_names_its_cause():
    """The same roll and box by hand and by the clock differ in nothing but the mark, and the turn number moves on."""
    by_hand, by_clock = Table(), Table()
    manual = by_hand.roll(6, 6, 6, 6, 6) + by_hand.score("yacht")
    auto = by_clock.timeout(6, 6, 6, 6, 6)
    assert [event.auto for event in manual] == [False, False, False]
    assert [event.auto for event in auto] == [True, True, False]
    assert by_hand.state == by_clock.state
    assert GAME.deadline(by_clock.state).turn == 2, "a second Timeout(1) finds another turn"


# --- options as they are sent


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"scoring": "poker"}, "scoring"),
        ({"turnSeconds": 45}, "turnSeconds"),
        ({"turn_seconds": 30}, "turn_seconds"),
        ({"showPreview": None}, "showPreview"),
        ({"scoring": "yahtzee", "yahtzeeJoker": "never"}, "yahtzeeJoker"),
        ({"yahtzeeJoker": "free"}, "yahtzeeJoker"),
        ({"scoring": "yahtzee", "fullHouseAllowsYacht": True}, "fullHouseAllowsYacht"),
        ({"upperBonus": 35}, "upperBonus"),
        ({"scoring": "yahtzee", "fullHouseScore": "sum"}, "fullHouseScore"),
        ({"scoring": "traditional", "upperBonus": 36}, "upperBonus"),
        ({"scoring": "traditional", "upperBonus": None}, "upperBonus"),
        ({"scoring": "traditional", "fullHouseScore": "none"}, "fullHouseScore"),
        ({"scoring": "traditional", "littleStraightScore": 40}, "littleStraightScore"),
        ({"scoring": "traditional", "bigStraightScore": 15}, "bigStraightScore"),
    ],
    ids=str,
)
def test_bad_options_name_the_field(raw, field):
    refused = read_options(GAME, raw)
    assert isinstance(refused, Rejected) and refused.code == "bad_options"
    assert refused.detail.field == field and refused.detail.expected
    assert refused.detail.got == raw[field]


def test_options_as_they_are_sent():
    assert read_options(GAME, {}) == t.Options() == t.Options(turn_seconds=60, show_preview=True)
    assert read_options(GAME, {"turnSeconds": None}).turn_seconds is None
    free = {"scoring": "yahtzee", "yahtzeeJoker": "free", "turnSeconds": 90, "showPreview": False}
    assert msgspec.to_builtins(read_options(GAME, free)) == free
    assert encode(t.Options()) == b"{}"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"roll","dice":[6,6,6,6,6]}',
        b'{"type":"score"}',
        b'{"type":"score","category":"bonus"}',
        b'{"type":"set_hold","held":[true,true,true,true]}',
        b'{"type":"set_hold","held":[1,0,0,0,0]}',
        b'{"type":"timeout"}',
        b"{}",
    ],
)
def test_actions_that_are_no_actions(raw):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=GAME.Action)


# --- chance


def test_checklist_100_000_rolls_are_even():
    """Through the rules: 20 000 rolls of five. Each face within half a point of a sixth."""
    table = Table(seats=1)
    ctx = Ctx(T0, Rng(b"a fixed key for an even hand", 0))
    seen = [0] * 7
    for _ in range(20_000):
        (rolled,) = GAME.decide(table.state, 0, t.Roll(), ctx)
        for face in rolled.dice:
            seen[face] += 1
    assert seen[0] == 0 and sum(seen) == ctx.rng.n == 100_000
    assert all(abs(count / 1000 - 100 / 6) <= 0.5 for count in seen[1:]), seen


def test_report_19_600_000_dice_are_even():
    rng = Rng(b"report 19")
    seen = [0] * 7
    for _ in range(600_000):
        seen[rng.die()] += 1
    assert seen[0] == 0 and all(abs(count - 100_000) <= 1_200 for count in seen[1:]), seen


def test_report_19_the_largest_value_below_1_is_a_6(monkeypatch):
    for digest, value, face in ((b"\xff" * 32, 1 - 2.0**-53, 6), (bytes(32), 0.0, 1)):
        monkeypatch.setattr("engine.rng.unit", lambda _, digest=digest: unit(digest))
        assert Rng(b"").next() == value
        assert Rng(b"").die() == face
        assert [Rng(b"").below(bound) for bound in (1, 2, 6, 8)] == [int(value * bound) for bound in (1, 2, 6, 8)]
        assert all(Rng(b"").below(bound) < bound for bound in range(1, 100))


def test_checklist_the_same_key_and_actions_give_the_same_dice():
    def dice(pause: int) -> list:
        table, rng, seen = Table(), Rng(b"replay"), []
        for _ in range(3):
            table.at_ms += pause
            events = GAME.decide(table.state, 0, t.Roll(), Ctx(table.at_ms, rng))
            seen.append(table.fold(events)[0].dice)
        return seen

    assert dice(0) == dice(1) == dice(5_000)


def test_the_kit_notices_dice_that_were_not_laid_out():
    with pytest.raises(IndexError):
        Faces(1).die(), Faces().die()
