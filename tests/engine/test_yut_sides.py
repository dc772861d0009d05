"""Goal: whose turn it is, who is out, and who gets which place (004 sections 4, 6 and the checklist of 10; docs/rules.md)."""

import pytest

from engine.game import Ctx
from engine.games.yut import GAME
from engine.games.yut.types import HOME, Concede, Move, Options, Throw
from engine.rng import Rng
from tests.engine.test_yut_table import NOW, Table


def ranks(table: Table) -> dict[int, int]:
    return {place.side: place.rank for place in GAME.result(table.state).ranking}


def seats_in_turn(table: Table, turns: int) -> list[int]:
    """Who plays the next turns on an empty board, when everyone throws a lone backdo: discarded, the turn passes."""
    seen = []
    for _ in range(turns):
        seen.append(table.state.seat)
        assert table.throw("backdo") == ["thrown", "discarded", "turn_changed"]
    return seen


# --- the first turn


@pytest.mark.parametrize(("mode", "seats"), [("individual", 2), ("individual", 3), ("individual", 4), ("team", 6)])
def test_the_first_side_is_drawn_evenly(mode, seats):
    options = Options(mode=mode)
    sides = 2 if mode == "team" else seats
    count = [0] * sides
    rng = Rng(b"first")
    for n in range(1, 3001):
        (event,) = GAME.start(options, seats, Ctx(NOW, rng))
        assert (event.turn, event.since_ms, event.draws, event.seat) == (1, NOW, 1, event.side) and rng.n == n
        count[event.seat] += 1
    assert all(abs(one - 3000 / sides) < 150 for one in count), count


def test_keep_order_lets_seat_0_begin_without_a_draw():
    rng = Rng(b"x")
    (event,) = GAME.start(Options(), 3, Ctx(NOW, rng, keep_order=True))
    assert (event.seat, event.draws, rng.n) == (0, 0, 0)


# --- turn order


def test_single_sides_play_by_seat_number():
    assert seats_in_turn(Table({}, {}, {}, seat=2), 5) == [2, 0, 1, 2, 0]


@pytest.mark.parametrize(("seats", "first"), [(4, 0), (4, 1), (6, 0), (6, 1), (8, 1)])
def test_teams_play_one_fixed_cycle(seats, first):
    options = Options(mode="team")
    rng = next(rng for rng in map(Rng, (b"a", b"b", b"c", b"d", b"e", b"f")) if int(Rng(rng.key).next() * 2) == first)
    state = GAME.new(options, seats)
    for event in GAME.start(options, seats, Ctx(NOW, rng)):
        state = GAME.evolve(state, event)
    table = Table({}, {}, seats=seats, mode="team")
    table.state = state
    assert seats_in_turn(table, 2 * seats) == [(first + k) % seats for k in range(2 * seats)]


def test_team_of_four_refuses_blue_2_in_the_turn_of_red_1():
    table = Table({}, {}, mode="team")
    table.throw("do")
    table.move(0, HOME)
    assert table.state.seat == 1
    table.throw("gae")
    assert table.refused(Move(0, HOME), seat=2) == "not_your_turn"
    assert table.refused(Move(0, HOME), seat=3) == "not_your_turn"
    table.move(0, HOME)
    assert table.state.seat == 2 and table.event("turn_changed").side == 0


def test_a_team_shares_one_set_of_pieces():
    table = Table({2: 1}, {}, seat=2, pending=("gae",), mode="team")
    assert table.move(0, HOME) == ["moved", "stacked", "turn_changed"] and table.board() == {2: 2}


def test_a_team_goes_on_with_its_next_remaining_member():
    table = Table({}, {}, seats=6, mode="team")
    table.concede(2)
    assert seats_in_turn(table, 8) == [0, 1, 4, 3, 0, 5, 4, 1]


# --- finishing and places


def test_the_first_side_out_ends_the_game():
    table = Table({28: 1, "done": 3}, {22: 1}, {22: 0, 3: 1}, {"done": 1}, pending=("gae", "yut"))
    assert table.move(0, 28) == ["moved", "finished_pieces", "side_finished"]
    assert table.event("side_finished").over and table.state.pending == ()
    result = GAME.result(table.state)
    # side 3 has a piece out; sides 1 and 2 by distance: 4 + 36 before 9 + 36
    assert [(p.side, p.rank, p.finished_pieces, p.remaining_distance) for p in result.ranking] == [
        (0, 1, 4, 0),
        (3, 2, 1, 36),
        (1, 3, 0, 40),
        (2, 4, 0, 45),
    ]
    assert (result.winners, result.ended_by) == ((0,), "finished")


def test_equal_sides_share_a_rank_and_leave_the_next_one_free():
    table = Table({0: 1, "done": 3}, {3: 1}, {12: 1}, {}, pending=("do",))
    table.move(0, 0)
    assert ranks(table) == {0: 1, 1: 2, 2: 2, 3: 4}


def test_three_sides_play_on_with_ranking_all():
    table = Table({28: 1, "done": 3}, {"done": 3, 27: 1}, {}, pending=("gae", "do"), ranking="all")
    assert table.move(0, 28) == ["moved", "finished_pieces", "side_finished", "turn_changed"]
    assert not table.event("side_finished").over and table.state.sides[0].rank == 1
    assert (table.state.seat, table.state.phase, table.state.pending) == (1, "throw", ())
    assert GAME.result(table.state) is None and GAME.legal(table.state, 0) == ()
    assert table.refused(Throw(), seat=0) == "not_your_turn"
    table.throw("do")
    table.move(0, 27)
    assert table.state.seat == 2
    table.throw("do")
    table.move(0, HOME)
    assert table.state.seat == 1  # seat 0 is passed over
    table.throw("geol")
    assert table.move(0, 28) == ["moved", "finished_pieces", "side_finished"]
    assert table.event("side_finished").rank == 2 and table.event("side_finished").over
    assert ranks(table) == {0: 1, 1: 2, 2: 3} and GAME.result(table.state).winners == (0,)


def test_a_team_wins_with_all_its_members():
    table = Table({28: 2, "done": 2}, {3: 1}, seats=6, mode="team", pending=("gae",))
    table.concede(4)
    assert table.move(0, 28) == ["moved", "finished_pieces", "side_finished"]
    result = GAME.result(table.state)
    assert result.winners == (0, 2, 4) and ranks(table) == {0: 1, 1: 2}


def test_reach_counts_one_less_for_each_piece_on_the_way():
    table = Table({28: 1, "done": 3}, {3: 1, "done": 1}, pending=("do",), finishRule="reach")
    table.move(0, 28)
    assert [p.remaining_distance for p in GAME.result(table.state).ranking] == [0, 9 + 24 - 3]


def test_stats_count_throws_and_captured_pieces():
    table = Table({3: 1}, {5: 2, 7: 1}, nakPercent=5)
    table.throw("gae")
    table.move(0, 3)
    table.throw("backdo")
    table.move(0, 5)
    table.throw("nak")
    table.concede(1)
    stats = GAME.result(table.state).stats
    assert stats.captures == {"0": 2, "1": 0}
    assert stats.throws == {"do": 0, "gae": 1, "geol": 0, "yut": 0, "mo": 0, "backdo": 1, "nak": 1}


# --- conceding


def test_the_last_single_side_left_wins():
    table = Table({3: 1}, {})
    assert table.concede(0) == ["conceded"] and table.event("conceded").over
    result = GAME.result(table.state)
    assert (ranks(table), result.winners, result.ended_by) == ({1: 1, 0: 2}, (1,), "conceded")
    assert GAME.deadline(table.state) is None and table.refused(Throw()) == "not_playing"


def test_conceding_in_turn_drops_what_is_pending_and_passes_the_turn():
    table = Table({3: 2}, {5: 1}, {}, pending=("gae", "do"))
    assert table.concede(0) == ["conceded", "turn_changed"]
    assert (table.board(), table.state.sides[0].home, table.state.pending) == ({}, 4, ())
    assert (table.state.seat, table.state.phase, table.state.turn) == (1, "throw", 2)
    for seat, entering in ((1, "do"), (2, "gae"), (1, "geol")):
        assert table.state.seat == seat
        table.throw(entering)
        table.move(0, HOME)


def test_conceding_out_of_turn_changes_neither_turn_nor_clock():
    table = Table({3: 1}, {}, {5: 1}, pending=("gae",))
    before = GAME.deadline(table.state)
    assert table.concede(2) == ["conceded"]
    assert GAME.deadline(table.state) == before and table.state.pending == ("gae",)
    assert table.move(0, 3) == ["moved", "turn_changed"] and table.board() == {5: 1}  # nobody is left there to capture


def test_eliminated_sides_rank_below_all_others_the_last_to_go_first():
    table = Table({}, {}, {"done": 3, 28: 1}, {"done": 3})
    table.concede(3)
    assert table.refused(Concede(), seat=3) == "already_conceded" and GAME.legal(table.state, 3) == ()
    table.concede(0)
    assert GAME.result(table.state) is None
    table.concede(2)
    assert ranks(table) == {1: 1, 2: 2, 0: 3, 3: 4}


def test_a_finished_side_cannot_concede_and_stays_first():
    table = Table({0: 1, "done": 3}, {3: 1}, {3: 0, 4: 1}, pending=("do",), ranking="all")
    table.move(0, 0)
    assert table.refused(Concede(), seat=0) == "already_finished"
    table.concede(1)
    assert ranks(table) == {0: 1, 2: 2, 1: 3} and GAME.result(table.state).winners == (0,)


def test_a_team_loses_when_everyone_in_it_has_conceded():
    table = Table({3: 1}, {}, mode="team")
    assert table.concede(0) == ["conceded", "turn_changed"] and table.state.seat == 1
    assert not table.event("conceded").out and table.board() == {3: 1}
    assert table.concede(2) == ["conceded"] and table.event("conceded").over
    assert ranks(table) == {1: 1, 0: 2} and GAME.result(table.state).winners == (1, 3)


def test_a_team_loses_with_its_first_member_when_anyone_may_end_it():
    table = Table({3: 1}, {}, mode="team", teamConcede="anyone")
    assert table.concede(3) == ["conceded"] and table.event("conceded").over
    assert GAME.result(table.state).winners == (0, 2)
