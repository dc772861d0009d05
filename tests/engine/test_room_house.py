"""The house was away (no gateway served), and the log that is full: what the system's own commands do to a game.

Nobody is played for while nobody could reach the table (docs/rules.md, time and absence).
"""

import msgspec
import pytest

from engine.fold import Position
from engine.games.yacht import types as t
from engine.room import events as ev
from schemas import entry as cmd
from tests.engine.manners_kit import lobby, over
from tests.engine.room_kit import SECRET, T0, Table, tags
from tests.games.duel import Choose

GRACE = {"yacht": 10_000, "yut": 5_000}


def game(name: str = "yacht", seconds: int | None = 60, *players: str) -> Table:
    return Table(name, {"turnSeconds": seconds}).begin(*(players or ("ann", "ben")))


def away(table: Table, from_ms: int, to_ms: int):
    return table.send(cmd.HouseAway(from_ms, to_ms), to_ms)


# --- the turn that was running


@pytest.mark.parametrize(
    ("seconds", "to_ms", "end"),
    [
        (60, T0 + 20_000, T0 + 60_000),  # 40 seconds are left: more than is given anew
        (60, T0 + 50_000, T0 + 65_000),
        (60, T0 + 90_000, T0 + 105_000),  # it ended while nobody could act
    ],
)
def test_a_running_turn_has_at_least_fifteen_seconds_or_its_own_length(seconds, to_ms, end):
    table = game("yacht", seconds)
    assert away(table, T0 + 1_000, to_ms).events == (ev.HouseAway(T0 + 1_000, to_ms),)
    assert table.due.at_ms == end and not table.due.absent
    if end > to_ms + 1:
        assert table.act(0, t.Roll(), at=end - 1).code == "ok"
    assert "timed_out" in tags(table.timeout(at=end))
    table.check()


def test_the_turn_after_it_runs_by_its_own_clock():
    table = game("yacht", 30)
    away(table, T0, T0 + 29_000)
    table.act(0, t.Roll(), at=T0 + 30_000)
    assert table.act(0, t.Score("choice"), at=T0 + 31_000).code == "ok"
    assert table.due.at_ms == T0 + 61_000
    table.check()


# --- the absent


@pytest.mark.parametrize("name", ["yacht", "yut"])
@pytest.mark.parametrize("seconds", [60, None])
def test_the_grace_of_the_absent_starts_anew(name, seconds):
    table = game(name, seconds)
    for player in ("ann", "ben"):
        table.drop(player, T0 + 1_000)
    mover = table.due.seats[0]
    back_ms = T0 + 30_000
    away(table, T0 + 1_500, back_ms)
    assert table.due.absent or table.due.at_ms == back_ms + 15_000
    assert table.due.at_ms - back_ms >= max(GRACE[name], 15_000), "no less than the running turn gets"
    assert table.send(cmd.Timeout(table.due.turn), back_ms + 14_999).code == "not_due"
    table.back(table.room.seats[mover].player)
    assert table.due.at_ms == (None if seconds is None else T0 + 60_000)
    table.check()


def test_who_drops_after_it_is_waited_for_as_always():
    table = game("yacht", None)
    away(table, T0, T0 + 5_000)
    table.drop("ann", T0 + 40_000)
    assert table.due.at_ms == T0 + 50_000 and table.due.absent


def test_who_is_still_gone_when_their_turn_comes_has_the_whole_grace():
    table = game("yacht", None)
    table.drop("ben", T0 + 100)
    away(table, T0, T0 + 5_000)
    table.act(0, t.Roll(), at=T0 + 6_000)
    table.act(0, t.Score("choice"))
    assert table.due.at_ms == T0 + 16_000 and table.due.seats == (1,)


# --- more than one period, and other phases


def test_a_period_that_is_told_twice_counts_once_and_a_later_one_counts_again():
    table = game("yacht", 60)
    away(table, T0 + 1_000, T0 + 58_000)
    again = table.send(cmd.HouseAway(T0 + 1_000, T0 + 58_000), T0 + 58_500)
    assert again.code == "ok" and again.events == ()
    away(table, T0 + 60_000, T0 + 70_000)
    assert table.due.at_ms == T0 + 85_000
    table.check()


def test_the_end_of_a_period_is_never_later_than_its_entry():
    table = game("yacht", 60)
    told = table.send(cmd.HouseAway(T0, T0 + 10**9), T0 + 59_000)
    assert told.events == (ev.HouseAway(T0, T0 + 59_000),)


def test_nonces_can_be_opened_after_it():
    table = Table().seat_all("ann", "ben", nonce=True)
    table.start()
    away(table, T0 + 100, T0 + 60_000)
    assert table.due.at_ms == T0 + 62_000
    for player in ("ann", "ben"):
        assert table.nonce(player, at=T0 + 61_000).code == "ok"
    assert table.room.phase == "playing" and b'"withheld"' not in b"".join(table.events)
    table.check()


def test_a_countdown_stops_and_an_idle_clock_starts_again():
    table = lobby("ann", "ben", countdown_s=5, idle_s=60)
    table.start()
    assert tags(away(table, T0 + 1_000, T0 + 40_000)) == ["house_away", "countdown_stopped"]
    assert table.due.at_ms == T0 + 90_000, "the warning comes a sixth before the end of the idle time"
    table.timeout()
    assert table.room.closes_ms
    away(table, T0 + 90_000, T0 + 200_000)
    assert not table.room.closes_ms and table.due.at_ms == T0 + 250_000
    table.check()


def test_a_finished_game_is_not_closed_by_it():
    table = over("ann", "ben", idle_s=60)
    at = table.now
    away(table, at + 1_000, at + 500_000)
    assert table.room.phase == "over" and table.due.at_ms == at + 550_000
    table.check()


def test_several_who_have_to_act_all_have_the_time():
    """And a turn that is shorter than 15 seconds gets its own length."""
    table = Table("duel", {"turnSeconds": 5}).begin("ann", "ben")
    table.act(0, Choose("rock"), at=T0 + 1_000)
    away(table, T0 + 2_000, T0 + 60_000)
    assert table.due.at_ms == T0 + 65_000 and table.due.seats == (1,)
    assert table.act(1, Choose("paper"), at=T0 + 64_999).code == "ok"


# --- the log is full


@pytest.mark.parametrize(("name", "players"), [("yacht", 1), ("yacht", 3), ("yut", 2), ("duel", 2)])
def test_a_full_log_ends_the_game_as_if_every_turn_were_played_automatically(name, players):
    table = Table(name).begin(*("ann", "ben", "cho")[:players])
    twin = Table(name).begin(*("ann", "ben", "cho")[:players])
    full = table.send(cmd.LogFull(), T0 + 1_000)
    assert full.events[0] == ev.LogFull() and table.room.phase == "over" and table.room.revealed is not None
    assert all(event.auto for event in full.events[1:-2] if getattr(event, "draws", 0))
    twin.now = T0 + 1_000
    while twin.room.phase == "playing":
        assert twin.send(cmd.Timeout(twin.due.turn), twin.due.at_ms or twin.now + 1).code == "ok"
    assert table.room.result == twin.room.result and table.room.draws == twin.room.draws
    table.check()


def test_where_nothing_is_played_a_full_log_closes_the_room():
    tables = [Table(), lobby("ann", "ben"), over("ann", "ben"), Table().seat_all("ann", nonce=True)]
    tables[-1].start()
    for table in tables:
        opened = [] if table.room.revealed else ["revealed"]
        assert tags(table.send(cmd.LogFull())) == ["closed", *opened]
        assert table.room.phase == "closed"
        table.check()


# --- the version of the rules and of the log


def test_rules_and_formats_that_this_program_does_not_know_open_nothing():
    for changed in ({"rules_version": 99}, {"rules_version": 0}, {"format": 3}):
        table = Table()
        table.at = Position()
        first = msgspec.json.decode(table.entries[0].data, type=cmd.AnyCommand)
        refused = table.send(msgspec.structs.replace(first, **changed), private=SECRET)
        assert refused.code == "no_rules" and refused.detail.field in changed, refused
