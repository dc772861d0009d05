"""The countdown between Start and the deal: what stops it, what does not, and that it ends by itself."""

import msgspec
import pytest

from engine.fold import Position, advance
from engine.game import SPECTATOR
from engine.room import events as ev
from engine.room.lobby import counted_down
from schemas import entry as cmd
from tests.engine.manners_kit import lobby
from tests.engine.room_kit import Table, said, tags

SECONDS = 5
UNSET = msgspec.UNSET


@pytest.fixture
def table():
    """A countdown of 5 s is running for ann (host), ben and cho."""
    table = lobby("ann", "ben", "cho", countdown_s=SECONDS)
    table.send(cmd.Ready("ben", True))
    started = table.start()
    assert said(started) == (ev.CountdownStarted(table.now + SECONDS * 1000),)
    assert table.view(SPECTATOR).starts_ms == table.now + SECONDS * 1000 == table.due.at_ms
    yield table
    table.check()


def test_it_ends_in_the_game_when_its_time_is_over(table):
    end = table.due.at_ms
    assert table.timeout(at=end - 1).code == "not_due"
    assert tags(table.timeout(at=end)) == ["started", "began", "dealt", "turn_changed"]
    view = table.view(SPECTATOR)
    assert view.phase == "playing" and view.starts_ms is UNSET
    assert table.log[-1][1].events[0].at_ms == end and table.at.head, "the chain begins with the entry that started it"


def test_a_second_start_during_it_changes_nothing(table):
    end = table.due.at_ms
    assert table.start(at=table.now + 1000).events == () and table.due.at_ms == end
    assert table.start("ben").code == "not_host"


STOPPERS = {
    "leave": cmd.Leave("cho"),
    "host leaves": cmd.Leave("ann"),
    "join": cmd.Join("dan"),
    "kick": cmd.Kick("ann", 1),
    "move": cmd.Move("cho", 6),
    "swap": cmd.Swap("ann", 0, 1),
    "options": cmd.Configure("ann", {"turnSeconds": 30}),
    "settings": cmd.Configure("ann", None, cmd.Settings(countdown_s=SECONDS)),
    "unready": cmd.Ready("ben", False),
}


@pytest.mark.parametrize("command", STOPPERS.values(), ids=STOPPERS)
def test_it_stops_when_what_was_agreed_to_start_changes(table, command):
    turn, end = table.due.turn, table.due.at_ms
    stopped = table.send(command, at=table.now + 1000)
    assert ev.CountdownStopped() in said(stopped)
    assert table.view(SPECTATOR).starts_ms is UNSET and table.room.phase == "lobby"
    assert table.timeout(at=end, turn=turn).code == "stale_turn", "the deadline that was set for it does nothing"
    assert table.room.phase == "lobby" and table.start(table.room.host).code == "ok", "it can be started again"
    assert table.due.at_ms == end + SECONDS * 1000


GOES_ON = {
    "ready": cmd.Ready("cho", True),
    "promise": cmd.Promise("cho", "ab" * 32),
    "transfer": cmd.Transfer("ann", 1),
    "touch": cmd.Touch("cho"),
    "drop": cmd.Disconnected("cho"),
    "refused": cmd.Join("ben"),
    "a vote": cmd.Rematch("ben"),
}


@pytest.mark.parametrize("command", GOES_ON.values(), ids=GOES_ON)
def test_it_goes_on_whatever_else_happens(table, command):
    end = table.due.at_ms
    table.send(command, at=table.now + 1000)
    assert table.due.at_ms == end == table.view(SPECTATOR).starts_ms
    assert tags(table.timeout())[0] == "started"


def test_a_timeout_for_a_version_that_has_passed_is_stale_and_the_next_one_starts(table):
    """Whoever sees the deadline late has an old turn; the deadline is still there under the new one."""
    turn, end = table.due.turn, table.due.at_ms
    table.send(cmd.Ready("cho", True), at=end + 10)
    assert table.timeout(turn=turn).code == "stale_turn"
    assert tags(table.timeout())[0] == "started"


def test_a_start_that_became_impossible_ends_in_a_stop():
    """Commands cannot bring this about (they stop the countdown), a change of the rules between two releases can."""
    table = lobby("ann", "ben", game="duel", countdown_s=SECONDS)
    table.start()
    room = msgspec.structs.replace(table.room, seats=(table.room.seats[0], None))
    assert counted_down(table.kit, room, table.due.at_ms) == (ev.CountdownStopped(at_ms=table.due.at_ms),)
    timeout = b'{"type":"timeout","turn":%d}' % room.version
    entry = table.entries[-1]._replace(id=b"%d-0" % table.due.at_ms, data=timeout)
    after, (decided,) = advance(table.kit, Position(room, table.at.chance), [entry], table.game_id)
    assert tags(decided) == ["countdown_stopped"]
    assert after.room.phase == "lobby" and not after.room.counting_ms and not after.head
    table.check()


def test_what_cannot_start_starts_no_countdown():
    table = lobby("ann", game="duel", countdown_s=SECONDS)
    assert table.start().code == "not_enough_players" and table.view(SPECTATOR).starts_ms is UNSET
    table.check()


def test_nonces_are_opened_after_the_countdown_and_not_in_it():
    table = Table().seat_all("ann", "ben", nonce=True)
    table.send(cmd.Configure("ann", None, cmd.Settings(countdown_s=SECONDS)))
    table.start()
    assert table.nonce("ann").code == "not_opening"
    assert tags(table.timeout()) == ["started"] and table.room.phase == "opening"
    table.nonce("ann")
    table.nonce("ben")
    assert table.room.phase == "playing"
    table.check()


def test_without_a_countdown_the_game_starts_at_once():
    table = lobby("ann", "ben")
    assert tags(table.start())[0] == "started"
