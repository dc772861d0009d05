"""House rules of the traditional set: whatever a host chooses, the action, the preview, the legal actions and a timeout give
the same points. Method: tables as they could stand, then properties over all choices, hands and sheets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import SPECTATOR, Rejected
from engine.games.yacht import GAME
from engine.games.yacht import types as t
from engine.games.yacht.scoring import rules_of
from engine.games.yacht.text import board
from tests.engine.yacht_kit import Table, rows

CHOICES = {
    "upper_bonus": ("none", 35, 50),
    "full_house_score": ("sum", 25, 30, 40),
    "little_straight_score": (15, 20, 25, 30),
    "big_straight_score": (20, 25, 30, 40),
    "full_house_allows_yacht": (True, False),
    "four_kind_score": ("allFive", "fourOnly"),
}
houses = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})
faces = st.tuples(*[st.integers(1, 6)] * 5)


@pytest.mark.parametrize(("chosen", "given_points"), [("none", 0), (35, 35), (50, 50)])
@pytest.mark.parametrize(("ones", "upper"), [(2, 62), (3, 63)])
def test_the_bonus_of_the_house_comes_with_63(chosen, given_points, ones, upper):
    # given an upper half that lacks only the sixes
    table = Table(scoring="traditional", upper_bonus=chosen)
    table.fill(0, ones=ones, twos=6, threes=9, fours=12, fives=15)
    # when they are written
    events = table.play((6, 6, 6, 1, 1), "sixes")
    # then the bonus of the house is there, once, and exactly when 63 are reached
    bonus = given_points if upper >= 63 else 0
    assert [event.points for event in events if type(event) is t.UpperBonus] == ([bonus] if bonus else [])
    assert (table.sheet().upper, table.sheet().upper_bonus, table.sheet().total) == (upper, bonus, upper + bonus)


def test_a_timeout_weighs_the_points_of_the_house():
    # given a full house that is worth less than its sum
    table = Table(scoring="traditional", full_house_score=25)
    table.fill(0, choice=0)
    table.roll(5, 5, 6, 6, 6)
    # when the time passes, then it is written: 25 are more than the 18 of the sixes
    assert table.timeout()[0] == t.Scored(0, "fullHouse", 25, auto=True)
    # and given straights that are worth little, a sum may be as good
    low = Table(scoring="traditional", big_straight_score=20, little_straight_score=15)
    low.fill(0, choice=0)
    low.roll(2, 3, 4, 5, 6)
    assert low.timeout()[0] == t.Scored(0, "largeStraight", 20, auto=True)
    lower = Table(scoring="traditional", big_straight_score=20, little_straight_score=15)
    lower.roll(1, 2, 3, 4, 5)
    assert lower.timeout()[0] == t.Scored(0, "choice", 15, auto=True), "a tie goes to the upper row"


@settings(max_examples=150, deadline=None)
@given(houses, faces, st.sets(st.sampled_from(rows(t.Options(scoring="traditional"))), max_size=11))
def test_action_preview_legal_actions_and_timeout_agree(house, dice, filled):
    table = Table(seats=2, scoring="traditional", **house)
    table.fill(0, **dict.fromkeys(filled, 0))
    table.roll(*dice)
    preview = GAME.view(table.state, SPECTATOR).preview
    offered = [action.category for action in GAME.legal(table.state, 0) if type(action) is t.Score]
    assert offered == list(preview) == [box for box in rows(table.options) if box not in filled]
    before = table.state
    for box in rows(table.options):
        table.state = before
        answer = table.score(box)
        if box in filled:
            assert isinstance(answer, Rejected)
        else:
            assert answer[0] == t.Scored(0, box, preview[box])
            assert table.sheet().total == preview[box] + table.sheet().upper_bonus
    table.state = before
    scored = table.timeout()[0]
    assert scored.points == max(preview.values()) == preview[scored.category]


@settings(max_examples=60, deadline=None)
@given(houses)
def test_the_terminal_shows_only_rows_that_there_are(house):
    table = Table(seats=1, scoring="traditional", **house)
    sheet = board(GAME.view(table.state, SPECTATOR), table.options)
    assert ("upper bonus" in sheet) == (rules_of(table.options).upper_bonus > 0)
    assert "yacht bonus" not in sheet
