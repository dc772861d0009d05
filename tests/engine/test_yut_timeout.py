"""Goal: an automatic action is the one that 004 8.5 and docs/rules.md name, and every clock starts when it should."""

import pytest

from engine.game import Deadline, Seated
from engine.games.yut import GAME
from engine.games.yut.types import HOME
from tests.engine.test_yut_table import NOW, Table


def chosen(table: Table) -> tuple[int, int | str]:
    """What the timeout did, checked against the hint of the view and marked as automatic."""
    view = GAME.view(table.state, Seated(table.state.seat))
    table.timeout()
    moved = table.events[0]
    assert moved.auto
    hinted = view.legal_moves[view.hint]
    assert (hinted.throw_index, hinted.from_) == (moved.throw_index, moved.from_)
    assert (hinted.to, hinted.path) == (moved.to, moved.path)
    return moved.throw_index, moved.from_


def test_a_timeout_in_the_throw_phase_throws():
    table = Table({}, {})
    assert table.timeout("geol") == ["thrown"]
    assert table.events[0].auto and table.events[0].draws == 4 and table.state.pending == ("geol",)
    assert Table({}, {}, nakPercent=3).timeout("nak") == ["nak", "turn_changed"]


@pytest.mark.parametrize(
    ("mine", "theirs", "pending", "expected"),
    [
        # (1) captures, the larger one first, before everything else
        ({28: 1, 3: 1}, {4: 1}, ("gae", "do"), (1, 3)),
        ({3: 1, 8: 1}, {4: 1, 10: 2}, ("do", "gae"), (1, 8)),
        ({6: 1, 3: 1}, {5: 1}, ("backdo", "do"), (0, 6)),
        ({}, {2: 1}, ("do", "gae"), (1, HOME)),
        ({1: 1}, {2: 1}, ("gae", "do"), (0, HOME)),  # from home by gae or from 1 by do: the lower index wins
        ({1: 1, 4: 1}, {5: 1, 2: 1}, ("do",), (0, 1)),  # two captures by one result: the lower node
        # (2) pieces out
        ({28: 1, 3: 1}, {}, ("do", "gae"), (1, 28)),
        ({28: 2, 0: 1}, {}, ("gae",), (0, 0)),  # not the larger stack: lower throw index, then lower node
        # (3) onto own pieces, entering from home too
        ({3: 1, 5: 1, 6: 1}, {}, ("gae",), (0, 3)),
        ({2: 1, 12: 1}, {}, ("yut", "gae"), (1, HOME)),
        ({6: 1, 5: 1}, {}, ("geol", "backdo"), (1, 6)),
        # (4) the stack farthest behind with the largest result
        ({6: 1, 8: 1}, {}, ("do", "geol"), (1, 6)),
        ({22: 1, 16: 1}, {}, ("do", "gae", "do"), (1, 16)),
        ({3: 1, 12: 2}, {}, ("gae",), (0, 3)),  # distance per piece, a tie: the lower node
        ({9: 1}, {}, ("backdo", "do"), (1, 9)),
        # a lone backdo: the stack farthest behind
        ({9: 1, 12: 1}, {}, ("backdo",), (0, 12)),
        # (5) from home, lower throw index
        ({}, {}, ("do", "geol"), (0, HOME)),
        ({}, {}, ("backdo", "yut", "do"), (1, HOME)),
    ],
)
def test_a_timeout_in_the_move_phase_follows_the_priorities(mine, theirs, pending, expected):
    assert chosen(Table(mine, theirs, pending=pending)) == expected


def test_report_89_automatic_move_without_home_pieces_and_a_tie():
    table = Table({3: 1, 12: 1, "done": 2}, {}, pending=("do",))
    assert chosen(table) == (0, 3) and table.board() == {4: 1, 12: 1}


def test_a_backdo_capture_is_chosen_even_when_it_gives_no_throw():
    table = Table({6: 1, 28: 1}, {5: 1}, pending=("gae", "backdo"), backdoCaptureBonus=False)
    assert chosen(table) == (1, 6)


def test_an_automatic_move_can_win_the_game():
    table = Table({28: 1, "done": 3}, {}, pending=("gae",))
    assert table.timeout() == ["moved", "finished_pieces", "side_finished"]
    assert GAME.result(table.state).winners == (0,)


def test_every_action_has_its_own_turn_number_and_clock():
    table = Table({}, {})
    assert GAME.deadline(table.state) == Deadline(1, (0,), NOW, NOW + 30_000)
    table.throw("yut")
    assert GAME.deadline(table.state) == Deadline(2, (0,), NOW + 1000, NOW + 31_000)
    table.throw("do")
    table.move(0, HOME)
    assert GAME.deadline(table.state) == Deadline(4, (0,), NOW + 3000, NOW + 33_000)
    table.move(0, HOME)
    changed = table.event("turn_changed")
    assert (changed.turn, changed.since_ms) == (table.events[0].turn, table.events[0].since_ms) == (5, NOW + 4000)
    assert GAME.deadline(table.state) == Deadline(5, (1,), NOW + 4000, NOW + 34_000)


def test_no_limit_means_no_deadline_time():
    table = Table({}, {}, turnSeconds=None)
    assert GAME.deadline(table.state) == Deadline(1, (0,), NOW, None)
    assert GAME.grace_ms == 5000


def test_nobody_is_due_before_the_deal():
    assert GAME.deadline(GAME.new(GAME.Options(), 2)) is None
