"""Deadlines, absence and "away": when the room acts in a player's place, and when it must not.

The rule (rules page, time and absence): a turn ends at min(turn deadline, max(turn start, drop) + grace) once everyone who
has to act is gone; coming back cancels that and leaves the turn deadline as it was. What is at or after a deadline loses.
"""

import msgspec
import pytest

from engine.game import SPECTATOR
from engine.games.yacht import types as t
from engine.room import events as ev
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import T0, Table, tags
from tests.games.duel import Choose

GRACE = 10_000
TURN = 60_000


def yacht(*players: str, seconds: int | None = 60) -> Table:
    return Table(options={"turnSeconds": seconds}).begin(*(players or ("ann", "ben")))


# --- the turn's own deadline


def test_an_action_just_before_the_deadline_counts_and_one_at_it_does_not():
    table = yacht()
    assert table.due.at_ms == T0 + TURN
    assert table.act(0, t.Roll(), at=T0 + TURN - 1).code == "ok"
    assert table.act(0, t.Score("choice"), at=T0 + TURN).code == "deadline_passed"
    timed = table.timeout()
    assert timed.events[0] == ev.TimedOut(1, (0,), "deadline")
    assert table.due.seats == (1,) and table.due.at_ms == T0 + 2 * TURN
    table.check()


@pytest.mark.parametrize("client_first", [True, False])
def test_a_manual_action_around_the_deadline_happens_once_or_not_at_all(client_first):
    """Report 22: 41 runs with a roll at deadline -20 ms ... +20 ms, the scheduler's timeout right before or after it."""
    for offset in range(-20, 21):
        table = yacht(seconds=30)
        deadline = table.due.at_ms
        timeout = cmd.Timeout(1)
        if client_first:
            manual = table.act(0, t.Roll(), at=deadline + offset, turn=1)
            automatic = table.send(timeout, max(deadline, table.now))
        elif offset < 0:
            assert table.send(timeout, deadline + offset).code == "not_due", "a scheduler that comes early"
            manual = table.act(0, t.Roll(), turn=1)
            automatic = table.send(timeout, deadline)
        else:
            automatic = table.send(timeout, deadline)
            manual = table.act(0, t.Roll(), at=deadline + offset, turn=1)
        rolls = [data for data in table.events if b'"rolled"' in data]
        assert len(rolls) == 1, "one roll in this turn, whoever made it"
        if offset < 0:
            assert manual.code == "ok" and b'"auto"' not in rolls[0]
            assert tags(automatic) == ["timed_out", "scored", "turn_changed"], "the box is chosen for the player"
        else:
            assert manual.code == ("deadline_passed" if client_first else "stale_turn")
            assert tags(automatic) == ["timed_out", "rolled", "scored", "turn_changed"] and b'"auto":true' in rolls[0]
        assert automatic.events[0].cause == "deadline"
        assert table.verify().ok and table.due.turn == 2


def test_a_late_client_without_a_turn_number_is_told_that_time_is_up_while_the_timeout_is_on_its_way():
    table = yacht()
    late = table.act(0, t.Roll(), at=T0 + TURN + 500)
    assert late.code == "deadline_passed"
    timed = table.timeout()
    assert timed.code == "ok"
    assert table.act(0, t.Roll()).code == "not_your_turn"


def test_timeouts_that_are_stale_or_early_or_come_twice_change_nothing():
    table = yacht()
    version = table.room.version
    for turn, at, code in ((1, T0 + 1, "not_due"), (2, T0 + 1, "stale_turn"), (0, T0 + 2, "stale_turn")):
        assert table.send(cmd.Timeout(turn), at).code == code
    assert table.send(cmd.Timeout(1), T0 + TURN - 1).code == "not_due"
    assert table.room.version == version
    assert table.send(cmd.Timeout(1), T0 + TURN).code == "ok"
    assert table.send(cmd.Timeout(1)).code == "stale_turn", "duplicate"
    assert table.room.seats[0].autos == 1 and table.due.turn == 2
    table.check()


def test_an_overdue_deadline_is_executed_once_however_late():
    """Report 31: nobody worked for 20 s across a deadline; the next turn starts when the entry was written."""
    table = yacht()
    late = T0 + TURN + 20_000
    assert table.send(cmd.Timeout(1), late).code == "ok"
    assert table.send(cmd.Timeout(1), late).code == "stale_turn"
    assert (table.due.since_ms, table.due.at_ms) == (late, late + TURN)
    table.check()


def test_timeouts_before_start_and_after_the_end_are_stale():
    table = Table().seat_all("ann")
    assert table.send(cmd.Timeout(0)).code == "stale_turn"
    table.start()
    table.act(0, t.Concede())
    assert table.room.phase == "over" and table.send(cmd.Timeout(1), table.now + TURN).code == "stale_turn"


def test_out_of_turn_a_passed_deadline_does_not_stop_a_concession():
    table = yacht("ann", "ben", "cho")
    assert tags(table.act(2, t.Concede(), at=T0 + TURN + 5)) == ["conceded"]
    assert table.act(0, t.Concede()).code == "deadline_passed"
    table.check()


def test_a_snapshot_in_the_middle_of_a_turn_keeps_the_deadline():
    """Report 36: whoever folds next, after a deploy or a crash, finds the same deadline."""
    table = yacht()
    table.act(0, t.Roll(), at=T0 + 12_345)
    loaded = table.kit.decode_room(table.kit.encode_room(table.room))
    before = table.due
    table.at = table.at._replace(room=loaded)
    assert table.due == before and before.at_ms == T0 + TURN
    table.check()


# --- absence


def test_who_is_gone_when_the_turn_comes_gets_the_grace_from_the_turns_start():
    table = yacht()
    table.drop("ben", at=T0 + 3_000)
    assert not table.due.absent, "it is ann's turn"
    table.act(0, t.Roll(), at=T0 + 30_000)
    table.act(0, t.Score("choice"))
    assert (table.due.at_ms, table.due.absent) == (T0 + 30_000 + GRACE, True)
    deadline = table.view(SPECTATOR).deadline
    assert deadline.absent is True and deadline.at_ms == T0 + 40_000 and deadline.since_ms == T0 + 30_000
    timed = table.timeout()
    assert timed.events[0] == ev.TimedOut(2, (1,), "absent")
    table.check()


def test_who_drops_during_the_turn_gets_the_grace_from_the_drop():
    table = yacht()
    table.drop("ann", at=T0 + 20_000)
    assert table.due.at_ms == T0 + 20_000 + GRACE
    assert table.timeout(at=T0 + 29_999).code == "not_due"
    assert table.timeout(at=T0 + 30_000).events[0].cause == "absent"
    table.check()


@pytest.mark.parametrize(
    ("dropped", "due", "cause"),
    [
        (49_999, 59_999, "absent"),
        (50_000, 60_000, "deadline"),
        (55_000, 60_000, "deadline"),
    ],
)
def test_the_grace_never_outlasts_the_turn(dropped, due, cause):
    table = yacht()
    table.drop("ann", at=T0 + dropped)
    assert (table.due.at_ms, table.due.absent) == (T0 + due, cause == "absent")
    assert table.timeout().events[0].cause == cause
    table.check()


def test_coming_back_cancels_the_grace_and_leaves_the_turn_deadline_as_it_was():
    table = yacht()
    table.drop("ann", at=T0 + 20_000)
    table.back("ann", at=T0 + 25_000)
    assert (table.due.at_ms, table.due.absent) == (T0 + TURN, False)
    assert table.send(cmd.Timeout(1), T0 + 30_000).code == "not_due", "the scheduler still had the old time"
    table.drop("ann", at=T0 + 35_000)
    assert table.due.at_ms == T0 + 45_000, "a second drop starts the grace anew"
    table.back("ann", at=T0 + 44_999)
    assert table.act(0, t.Roll(), at=T0 + 50_000).code == "ok"
    table.check()


def test_a_second_socket_that_closes_is_no_drop():
    """The log has one entry per change between none and some; a repeated one must not move the grace."""
    table = yacht()
    table.drop("ann", at=T0 + 1_000)
    assert table.drop("ann", at=T0 + 9_000).events == ()
    assert table.due.at_ms == T0 + 11_000


def test_without_a_time_limit_a_connected_idle_player_is_waited_for():
    table = yacht(seconds=None)
    assert table.due.at_ms is None
    assert b'"at_ms"' not in encode(table.view(SPECTATOR).deadline)
    assert table.send(cmd.Timeout(1), T0 + 86_400_000).code == "not_due"
    assert table.act(0, t.Roll()).code == "ok"
    table.check()


def test_a_disconnected_player_is_played_for_after_the_grace_and_the_others_are_not_blocked():
    """000_ section 10; report 26: the current player closes the tab for good, no time limit."""
    table = yacht("ann", "ben", seconds=None)
    table.drop("ann", at=T0 + 1_000)
    for _ in range(12):
        assert table.due.seats == (0,) and table.due.absent
        assert table.due.at_ms == max(table.room.state.since_ms, T0 + 1_000) + GRACE
        assert tags(table.timeout())[:3] == ["timed_out", "rolled", "scored"]
        assert table.due.seats == (1,) and table.due.at_ms is None, "ben has all the time he wants"
        assert table.act(1, t.Roll(), at=table.now + 90_000).code == "ok"
        moves = [one for one in table.game.legal(table.room.state, 1) if isinstance(one, t.Score)]
        assert table.act(1, moves[0]).code == "ok"
    assert table.room.phase == "over"
    assert [line["seat"] for line in table.room.result["ranking"]] in ([0, 1], [1, 0])
    table.check()


def test_yut_waits_five_seconds():
    table = Table("yut").begin("ann", "ben")
    table.drop("ann", at=T0 + 2_000)
    assert table.due.at_ms == T0 + 7_000
    assert tags(table.timeout())[:2] == ["timed_out", "thrown"]
    table.check()


@pytest.mark.parametrize("game", ["yacht", "yut"])
def test_a_room_whose_players_are_all_absent_plays_itself_out(game):
    table = Table(game, {"turnSeconds": None}).begin("ann", "ben")
    table.drop("ann", at=T0 + 1)
    table.drop("ben", at=T0 + 2)
    for _ in range(2_000):
        if table.room.phase == "over":
            break
        grace = table.game.grace_ms
        assert table.due.at_ms - max(table.due.since_ms, T0 + 1) in (grace, grace + 1)
        assert table.timeout().code == "ok"
    assert table.room.phase == "over" and all(seat.away for seat in table.room.seats)
    assert b'"revealed"' in table.events[-1] and table.view(SPECTATOR).deadline is msgspec.UNSET
    table.check()


# --- away


def test_three_automatic_turns_in_a_row_make_a_player_away_and_the_next_own_action_brings_it_back():
    table = yacht("ann", "ben", "cho")
    table.drop("ben", at=T0 + 1)
    for round_ in (1, 2, 3):
        table.act(0, t.Roll())
        table.act(0, t.Score(("ones", "twos", "threes")[round_ - 1]))
        timed = table.timeout()
        assert timed.events[0].away == ((1,) if round_ == 3 else ())
        assert table.room.seats[1].autos == round_
        table.act(2, t.Roll())
        table.act(2, t.Score(("ones", "twos", "threes")[round_ - 1]))
    assert table.view(SPECTATOR).seats["1"].away is True
    table.back("ben")
    assert table.room.seats[1].away, "being there is not yet playing"
    table.act(0, t.Roll())
    table.act(0, t.Score("fours"))
    assert tags(table.act(1, t.Roll())) == ["back", "rolled"]
    assert not table.room.seats[1].away and table.room.seats[1].autos == 0
    hold = t.SetHold((True, False, False, False, False))
    assert tags(table.act(1, hold)) == ["hold_changed"], "back is said once"
    table.check()


def test_an_own_action_between_automatic_turns_starts_the_count_anew():
    table = yacht("ann")
    counts = []
    for own_roll in (False, False, True, False, False):
        if own_roll:
            assert tags(table.act(0, t.Roll())) == ["back", "rolled"]
        assert table.timeout().events[0].away == ((0,) if len(counts) == 4 else ())
        counts.append(table.room.seats[0].autos)
    assert counts == [1, 2, 1, 2, 3]
    table.check()


def test_a_roll_and_its_box_are_one_automatic_turn_in_yacht():
    table = yacht("ann")
    assert tags(table.timeout()) == ["timed_out", "rolled", "scored", "round_changed", "turn_changed"]
    assert table.room.seats[0].autos == 1


def test_a_refused_action_does_not_bring_anyone_back():
    table = yacht("ann", "ben")
    table.timeout()
    assert table.room.seats[0].autos == 1
    assert table.act(0, t.Roll()).code == "not_your_turn"
    assert table.room.seats[0].autos == 1


# --- several who have to act at once


def test_in_a_simultaneous_phase_one_absent_player_is_waited_for_as_long_as_another_still_thinks():
    table = Table("duel", {"turnSeconds": 15}).begin("ann", "ben")
    assert table.due.seats == (0, 1)
    table.drop("ann", at=T0 + 1_000)
    assert (table.due.at_ms, table.due.absent) == (T0 + 15_000, False)
    assert table.act(1, Choose("rock"), at=T0 + 4_000).code == "ok"
    assert table.due.seats == (0,) and (table.due.at_ms, table.due.absent) == (T0 + 6_000, True)
    timed = table.timeout()
    assert timed.events[0] == ev.TimedOut(1, (0,), "absent") and table.due.seats == (0, 1)
    table.check()


def test_in_a_simultaneous_phase_the_grace_runs_from_the_last_drop():
    table = Table("duel", {"turnSeconds": 15}).begin("ann", "ben")
    table.drop("ann", at=T0 + 1_000)
    table.drop("ben", at=T0 + 3_000)
    assert (table.due.at_ms, table.due.absent) == (T0 + 8_000, True)
    assert table.timeout().events[0] == ev.TimedOut(1, (0, 1), "absent")
    table.check()
