"""Goal: throwing, moving, stacking, capturing and going out as 004 sections 5 and 10 say, with its own examples and those
reported from other implementations (test_report_*). Method: a table set up by hand, then given/when/then."""

import pytest

from engine.games.yut.types import GOAL, HOME, Move, Throw
from tests.engine.test_yut_table import Table, trail_to

# --- throwing


def test_yut_and_mo_throw_again_and_geol_ends_the_throwing():
    table = Table({}, {})
    assert table.throw("yut") == ["thrown"] and (table.state.phase, table.state.owed) == ("throw", 1)
    assert table.throw("mo") == ["thrown"] and table.state.why == "mo"
    assert table.throw("geol") == ["thrown"]
    assert (table.state.phase, table.state.owed, table.state.pending) == ("move", 0, ("yut", "mo", "geol"))
    assert table.refused(Throw()) == "cannot_throw"


@pytest.mark.parametrize("outcome", ["do", "gae", "geol"])
def test_a_throw_shows_its_sticks_and_uses_four_draws(outcome):
    table = Table({}, {})
    table.throw(outcome)
    event = table.event("thrown")
    assert (event.result, event.draws, event.owed) == (outcome, 4, 0)
    assert sum(event.sticks) == {"do": 1, "gae": 2, "geol": 3}[outcome]


def test_moving_before_throwing_is_refused():
    table = Table({}, {})
    assert table.refused(Move(0, HOME)) == "throw_first"
    assert table.refused(Throw(), seat=1) == "not_your_turn"


def test_without_backdo_the_marked_stick_makes_do():
    table = Table({}, {}, backdo=False)
    table.throw("backdo")
    assert table.state.pending == ("do",)


# --- examples of section 5.5


def test_example_1_a_piece_goes_round_in_one_turn():
    table = Table({}, {})
    table.throw("yut", "mo", "geol")
    assert table.move(1, HOME) == ["moved"] and table.board() == {5: 1}
    assert table.state.pending == ("yut", "geol")
    assert table.move(1, 5) == ["moved"] and table.event("moved").path == (20, 21, 22)
    assert table.move(0, 22) == ["moved", "finished_pieces", "turn_changed"]
    moved = table.events[0]
    assert (moved.path, moved.to, moved.count) == ((27, 28, 0), GOAL, 1)
    assert (table.state.sides[0].done, table.state.seat, table.board()) == (1, 1, {})


def test_example_2_passing_the_centre_goes_straight_on():
    table = Table({20: 1}, {}, pending=("geol",))
    table.move(0, 20)
    assert table.events[0].path == (21, 22, 23) and table.board() == {23: 1}


def test_example_3_backdo_captures_and_the_piece_then_turns():
    table = Table({6: 1}, {5: 1}, pending=("backdo",))
    assert table.move(0, 6) == ["moved", "captured"]
    assert table.event("captured").bonus
    assert (table.state.phase, table.state.owed, table.state.why) == ("throw", 1, "capture")
    table.throw("do")
    table.move(0, 5)
    assert table.board() == {20: 1} and table.state.sides[1].home == 4


def test_example_4_standing_on_0_is_not_out_and_can_be_captured():
    table = Table({28: 1}, {19: 1}, pending=("do",))
    assert table.move(0, 28) == ["moved", "turn_changed"]
    assert table.board() == {0: 1} and table.state.sides[0].done == 0
    table.throw("do")
    assert table.move(0, 19) == ["moved", "captured"]
    assert table.board() == {} and table.board(1) == {0: 1}
    waiting = Table({0: 1}, {}, pending=("do",))
    assert waiting.move(0, 0) == ["moved", "finished_pieces", "turn_changed"]
    assert waiting.events[0].path == () and waiting.state.sides[0].done == 1


# --- the board in play


@pytest.mark.parametrize(
    ("start", "outcome", "end"),
    [
        (4, "geol", 7),  # past the corner
        (5, "do", 20),  # from the corner
        (8, "geol", 11),
        (10, "do", 25),
        (21, "gae", 23),  # through the centre
        (26, "gae", 27),
        (22, "do", 27),  # from the centre
        (15, "do", 16),  # no short cut
        (14, "gae", 16),
        (24, "gae", 16),
    ],
)
def test_corners_turn_only_those_who_stopped(start, outcome, end):
    table = Table({start: 1}, {}, pending=(outcome,))
    table.move(0, start)
    assert table.board() == {end: 1}
    assert table.trail(end) == trail_to(start) + table.events[0].path


@pytest.mark.parametrize(("outcome", "end"), [("do", 1), ("gae", 2), ("geol", 3), ("yut", 4), ("mo", 5)])
def test_a_piece_enters_counting_from_1(outcome, end):
    table = Table({}, {}, pending=(outcome,))
    table.move(0, HOME)
    assert table.board() == {end: 1} and table.trail(end) == tuple(range(1, end + 1))


def test_finish_rule_pass_and_reach():
    table = Table({28: 2}, {}, pending=("do", "gae"))
    table.move(0, 28)
    assert (table.board(), table.state.sides[0].done) == ({0: 2}, 0)
    assert table.move(0, 0) == ["moved", "finished_pieces", "turn_changed"] and table.state.sides[0].done == 2
    reach = Table({28: 1}, {}, pending=("do",), finishRule="reach")
    assert reach.move(0, 28) == ["moved", "finished_pieces", "turn_changed"]
    assert (reach.events[0].path, reach.events[0].to, reach.state.sides[0].done) == ((0,), GOAL, 1)


# --- backdo


@pytest.mark.parametrize("before", [21, 26])
def test_backdo_from_the_centre_goes_back_the_way_it_came(before):
    table = Table({before: 1}, {}, pending=("do", "backdo"))
    table.move(0, before)
    assert table.board() == {22: 1}
    table.move(0, 22)
    assert table.board() == {before: 1} and table.trail(before) == trail_to(before)


def test_backdo_to_21_then_gae_passes_the_centre_straight():
    table = Table({22: 1}, {}, pending=("backdo", "gae"))
    table.move(0, 22)
    table.move(0, 21)
    assert table.board() == {23: 1}


def test_backdo_from_node_1_stands_on_0_and_any_step_goes_out():
    table = Table({1: 1}, {}, pending=("backdo", "gae"))
    table.move(0, 1)
    assert (table.board(), table.trail(0), table.state.sides[0].done) == ({0: 1}, (0,), 0)
    assert "finished_pieces" in table.move(0, 0)


def test_backdo_from_node_1_goes_out_at_once_with_finish_and_captures_nothing():
    table = Table({1: 1}, {0: 1}, pending=("backdo",), backdoFromDo="finish")
    assert table.move(0, 1) == ["moved", "finished_pieces", "turn_changed"]
    assert (table.state.sides[0].done, table.board(1), table.events[0].path) == (1, {0: 1}, (0,))


def test_backdo_from_node_1_captures_on_0_with_chammeogi():
    table = Table({1: 1}, {0: 2}, pending=("backdo",))
    assert table.move(0, 1) == ["moved", "captured"] and table.event("captured").count == 2
    assert (table.board(), table.board(1)) == ({0: 1}, {})


def test_backdo_from_node_1_joins_own_pieces_on_0_and_the_stack_has_no_record():
    table = Table({1: 1, 0: 1}, {}, pending=("backdo", "backdo"))
    assert table.move(0, 1) == ["moved", "stacked"] and table.board() == {0: 2}
    table.move(0, 0)
    assert table.board() == {19: 2} and table.trail(19) == (19,)


def test_backdo_from_0_follows_the_record():
    for way in (19, 28):
        table = Table({way: 1}, {}, pending=("do", "backdo"))
        table.move(0, way)
        table.move(0, 0)
        assert table.board() == {way: 1}


def test_backdo_needs_a_piece_on_the_board():
    table = Table({3: 1}, {}, pending=("backdo",))
    assert table.refused(Move(0, HOME)) == "cannot_move"
    assert table.starts() == {(0, 3)}


def test_a_backdo_capture_gives_no_throw_when_the_option_is_off():
    table = Table({6: 1}, {5: 1}, pending=("backdo",), backdoCaptureBonus=False)
    assert table.move(0, 6) == ["moved", "captured", "turn_changed"]
    assert not table.event("captured").bonus and table.state.seat == 1
    kept = Table({6: 1}, {5: 1, 7: 1}, pending=("backdo", "gae"), backdoCaptureBonus=False)
    assert kept.move(0, 6) == ["moved", "captured"] and (kept.state.phase, kept.state.pending) == ("move", ("gae",))
    assert kept.move(0, HOME) == ["moved", "turn_changed"]
    assert Table({3: 1}, {4: 1}, pending=("do",), backdoCaptureBonus=False).move(0, 3) == ["moved", "captured"]


# --- discarding


def test_a_lone_backdo_with_nothing_on_the_board_is_discarded_and_the_turn_passes():
    table = Table({}, {})
    assert table.throw("backdo") == ["thrown", "discarded", "turn_changed"]
    assert table.event("discarded").throws == ("backdo",) and table.state.seat == 1


def test_backdo_waits_for_the_other_result_to_bring_a_piece_in():
    table = Table({}, {}, pending=("backdo", "gae"))
    assert table.starts() == {(1, HOME)} and table.refused(Move(0, HOME)) == "cannot_move"
    table.move(1, HOME)
    assert table.starts() == {(0, 2)}
    table.move(0, 2)
    assert table.board() == {1: 1}


def test_a_player_may_make_a_backdo_unplayable_by_going_out():
    table = Table({28: 1}, {}, pending=("backdo", "gae"))
    assert table.move(1, 28) == ["moved", "finished_pieces", "discarded", "turn_changed"]


# --- stacking and capturing


def test_own_pieces_stack_move_and_go_out_together():
    table = Table({3: 1}, {}, pending=("geol", "yut"))
    assert table.move(0, HOME) == ["moved", "stacked"] and table.event("stacked").count == 2
    table.move(0, 3)
    assert table.board() == {7: 2} and table.events[0].count == 2
    out = Table({28: 2}, {}, pending=("geol",))
    out.move(0, 28)
    assert out.event("finished_pieces").count == out.state.sides[0].done == 2


def test_a_captured_stack_goes_home_and_gives_one_throw():
    table = Table({3: 1}, {5: 2}, pending=("gae", "do"))
    assert table.move(0, 3) == ["moved", "captured"]
    assert table.event("captured").count == 2 and table.state.sides[1].home == 4
    assert (table.state.phase, table.state.owed, table.state.pending) == ("throw", 1, ("do",))
    assert table.throw("yut") == ["thrown"] and table.state.owed == 1
    table.throw("do")
    assert (table.state.phase, table.state.pending) == ("move", ("do", "yut", "do"))


def test_passing_captures_nobody():
    table = Table({3: 1}, {4: 1, 5: 1}, pending=("geol",))
    assert table.move(0, 3) == ["moved", "turn_changed"] and table.board(1) == {4: 1, 5: 1}


# --- nak


def test_nak_keeps_what_was_collected():
    table = Table({}, {}, nakPercent=10)
    table.throw("yut")
    assert table.throw("nak") == ["nak"] and table.event("nak").draws == 1
    assert (table.state.phase, table.state.pending) == ("move", ("yut",))
    table.move(0, HOME)
    assert table.state.seat == 1 and table.state.throws == (0, 0, 0, 1, 0, 0, 1)


# --- reports from other implementations


@pytest.mark.parametrize(("node", "first", "second"), [(22, 21, 26), (22, 26, 21), (15, 24, 14), (15, 14, 24)])
def test_report_75_a_stack_goes_back_the_way_of_the_last_arrival(node, first, second):
    table = Table({first: 1, second: 1}, {}, pending=("do", "do", "backdo"))
    table.move(0, first)
    assert table.move(0, second) == ["moved", "stacked"]
    table.move(0, node)
    assert table.board() == {second: 2}


def test_report_77_backdo_with_an_empty_board():
    alone = Table({}, {})
    assert alone.throw("backdo") == ["thrown", "discarded", "turn_changed"]
    table = Table({}, {})
    table.throw("yut", "backdo")
    assert table.refused(Move(1, HOME)) == "cannot_move"
    table.move(0, HOME)
    assert table.board() == {4: 1}
    table.move(0, 4)
    assert table.board() == {3: 1}


def test_report_79_each_seat_moves_its_own_piece():
    table = Table({}, {}, {})
    for seat in range(3):
        assert table.state.seat == seat
        table.throw("gae")
        tags = table.move(0, HOME)
        assert table.events[0].side == seat and table.board(seat) == {2: 1}
        if seat:
            assert tags == ["moved", "captured"] and table.event("captured").victim_side == seat - 1
            assert 2 not in table.board(seat - 1) and table.state.owed == 1
            table.throw("do")
            table.move(0, HOME)


def test_report_80_throw_index_names_the_current_list():
    table = Table({}, {}, pending=("yut", "mo", "geol"))
    assert table.refused(Move(3, HOME)) == "no_such_throw"
    turn = table.state.turn
    table.move(2, HOME)
    assert table.board() == {3: 1} and table.state.pending == ("yut", "mo") and table.state.turn == turn + 1
    assert table.refused(Move(2, HOME)) == "no_such_throw"
    table.move(0, HOME)
    assert table.board() == {3: 1, 4: 1} and table.state.pending == ("mo",)


def test_report_84_backdo_follows_the_trail():
    table = Table({5: 1}, {}, pending=("do", "backdo", "backdo", "do"))
    seen = []
    for start in (5, 20, 5, 4):
        table.move(0, start)
        seen.append(table.events[0].to)
    assert seen == [20, 5, 4, 5]
    table = Table({21: 1}, {}, pending=("do", "backdo", "gae"))
    for start in (21, 22, 21):
        table.move(0, start)
    assert table.board() == {23: 1}


def test_report_87_a_capture_with_yut_gives_its_own_throw():
    table = Table({}, {4: 1, 1: 1}, pending=("yut", "do"))
    assert table.move(0, HOME) == ["moved", "captured"] and table.state.owed == 1
    table.throw("gae")
    assert table.move(0, HOME) == ["moved", "captured"] and table.state.owed == 1  # the second capture of the turn
    table.throw("gae")
    assert table.state.pending == ("gae", "gae")


def test_report_88_stacks_count_as_pieces_and_the_throw_as_one():
    table = Table({12: 3}, {10: 1}, seat=1, pending=("gae",))
    table.move(0, 10)  # turns off at the corner
    assert table.board() == {12: 3}
    table = Table({12: 3}, {11: 1}, seat=1, pending=("do",))
    assert table.move(0, 11) == ["moved", "captured"]
    assert table.event("captured").count == 3 and table.state.owed == 1 and table.state.sides[0].home == 4
    out = Table({28: 3}, {}, pending=("gae",))
    out.move(0, 28)
    assert out.state.sides[0].done == 3


def test_report_91_reach_takes_the_piece_out_on_backdo_from_node_1():
    for options in ({}, {"backdoFromDo": "chammeogi"}, {"backdoFromDo": "finish"}):
        table = Table({1: 1}, {}, pending=("backdo",), finishRule="reach", **options)
        assert table.move(0, 1) == ["moved", "finished_pieces", "turn_changed"]
        assert table.state.sides[0].done == 1


def test_report_92_backdo_on_0_without_record_goes_to_19_and_then_18():
    table = Table({1: 1}, {}, pending=("backdo", "backdo", "backdo", "gae"))
    for start in (1, 0, 19):
        table.move(0, start)
    assert table.board() == {18: 1} and table.trail(18) == (18,)
    table.move(0, 18)
    assert table.board() == {0: 1} and table.state.sides[0].done == 0


def test_report_93_nak_first_nak_after_yut_and_nak_on_a_bonus_throw():
    first = Table({}, {}, nakPercent=10)
    assert first.throw("nak") == ["nak", "turn_changed"] and first.state.seat == 1
    bonus = Table({3: 1}, {4: 1}, pending=("do", "gae"), nakPercent=10)
    bonus.move(0, 3)
    assert bonus.throw("nak") == ["nak"] and (bonus.state.phase, bonus.state.pending) == ("move", ("gae",))
    empty = Table({3: 1}, {4: 1}, pending=("do",), nakPercent=10)
    empty.move(0, 3)
    assert empty.throw("nak") == ["nak", "turn_changed"]
