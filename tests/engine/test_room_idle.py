"""Rooms that nobody touches: warned, then closed; every sign of life starts the clock again; never while a game is on."""

import msgspec
import pytest

from engine.game import SPECTATOR
from engine.rng import commitment
from engine.room import events as ev
from schemas import entry as cmd
from tests.engine.manners_kit import lobby, over
from tests.engine.room_kit import SECRET, nonce_of, said, tags

IDLE_S = 600
WARNED = IDLE_S * 1000 * 5 // 6
SPAN = IDLE_S * 1000 // 6
UNSET = msgspec.UNSET


@pytest.fixture(params=[lobby, over], ids=["lobby", "over"])
def table(request):
    table = request.param("ann", "ben", "cho", idle_s=IDLE_S)
    yield table
    table.check()


def test_report_37_it_is_warned_a_sixth_before_its_end_and_then_closed(table):
    since, had = table.now, table.room.revealed is not None
    assert table.due.at_ms == since + WARNED and table.view(SPECTATOR).closes_ms is UNSET
    assert table.timeout(at=since + WARNED - 1).code == "not_due"
    assert said(table.timeout(at=since + WARNED)) == (ev.IdleWarned(since + WARNED + SPAN),)
    assert table.view(SPECTATOR).closes_ms == since + IDLE_S * 1000 == table.due.at_ms
    assert table.timeout(at=since + IDLE_S * 1000 - 1).code == "not_due"
    closed = table.timeout(at=since + IDLE_S * 1000)
    assert tags(closed) == (["closed"] if had else ["closed", "revealed"]), "every ending reveals the secret, once"
    view = table.view(SPECTATOR)
    assert view.phase == "closed" and view.revealed.secret == SECRET.hex() and view.closes_ms > 0
    assert table.due is None, "nothing is to come"


def test_a_warning_that_came_late_still_leaves_its_time(table):
    late = table.now + 10 * IDLE_S * 1000
    assert said(table.timeout(at=late)) == (ev.IdleWarned(late + SPAN),)


EVERYTHING = (
    cmd.Open("ann", "yacht", 1, {}, cmd.Settings(), commitment(SECRET)),
    cmd.Join("dan"),
    cmd.Leave("ben"),
    cmd.Configure("ann", {}),
    cmd.Move("ben", 5),
    cmd.Swap("ann", 0, 1),
    cmd.Ready("ben", True),
    cmd.Promise("ben", commitment(nonce_of("ben"))),
    cmd.Kick("ann", 1),
    cmd.Transfer("ann", 1),
    cmd.Lock("ann", True),
    cmd.Expel("ann", "eve"),
    cmd.Silence("ann", "eve"),
    cmd.Touch("ann"),
    cmd.Rematch("ann"),
    cmd.Start("ann"),
    cmd.Nonce("ben"),
    cmd.Act("ann", 0, msgspec.Raw(b'{"type":"roll"}')),
    cmd.Connected("ben"),
    cmd.Disconnected("ben"),
    cmd.Timeout(0),
    cmd.HouseAway(0, 1),
    cmd.LogFull(),
)


def test_a_closed_room_refuses_everything(table):
    table.timeout()
    table.timeout()
    before = table.room
    assert {type(command) for command in EVERYTHING} == set(cmd.AnyCommand.__args__)
    for command in (*EVERYTHING, cmd.Timeout(before.version), cmd.Timeout(before.version - 1)):
        assert table.send(command, private=SECRET).code == "room_closed", command
    assert table.room is before


SIGNS = {
    "join": (lobby, cmd.Join("dan")),
    "leave": (lobby, cmd.Leave("ben")),
    "host leaves": (lobby, cmd.Leave("ann")),
    "move": (lobby, cmd.Move("ben", 5)),
    "swap": (lobby, cmd.Swap("ann", 0, 1)),
    "ready": (lobby, cmd.Ready("ben", True)),
    "promise": (lobby, cmd.Promise("ben", commitment(nonce_of("ben")))),
    "kick": (lobby, cmd.Kick("ann", 1)),
    "transfer": (lobby, cmd.Transfer("ann", 1)),
    "configure": (lobby, cmd.Configure("ann", {})),
    "touch": (lobby, cmd.Touch("ben")),
    "touch after the game": (over, cmd.Touch("ben")),
    "a vote": (over, cmd.Rematch("ben")),
}


@pytest.mark.parametrize(("make", "command"), SIGNS.values(), ids=SIGNS)
def test_any_sign_of_life_clears_the_warning_and_starts_the_clock_again(make, command):
    table = make("ann", "ben", "cho", idle_s=IDLE_S)
    table.timeout()
    stale, now = table.due.turn, table.now + SPAN // 2
    assert table.send(command, at=now).code == "ok"
    assert table.view(SPECTATOR).closes_ms is UNSET
    assert table.due.at_ms == now + WARNED
    assert table.timeout(at=now + SPAN, turn=stale).code == "stale_turn" and table.room.phase != "closed"
    assert tags(table.timeout()) == ["idle_warned"], "and the next time it is warned again"
    table.check()


def test_sockets_and_refused_commands_are_no_signs_of_life(table):
    """A tab that was forgotten reconnects for days; that alone keeps no room."""
    end = table.due.at_ms
    for command in (
        cmd.Disconnected("ben"),
        cmd.Connected("ben"),
        cmd.Join("ann"),
        cmd.Touch("eve"),
        cmd.Kick("ben", 0),
    ):
        table.send(command, at=table.now + 1000)
    assert table.due.at_ms == end
    assert tags(table.timeout()) == ["idle_warned"]
    warned = table.due.at_ms
    table.drop("ben")
    assert table.due.at_ms == warned == table.view(SPECTATOR).closes_ms, "the warning stands under a new turn"
    assert tags(table.timeout())[0] == "closed"


def test_a_host_who_only_watches_may_say_that_he_is_still_there():
    table = lobby("ben", idle_s=IDLE_S)
    table.timeout()
    assert tags(table.send(cmd.Touch("ann"))) == ["touched"]
    assert table.view(SPECTATOR).closes_ms is UNSET


def test_a_game_that_is_on_is_never_closed_for_idleness():
    """turnSeconds=null: two connected players may think for a week."""
    table = lobby("ann", "ben", idle_s=30)
    table.send(cmd.Configure("ann", {"turnSeconds": None}))
    table.start()
    assert table.due.at_ms is None
    week = table.now + 7 * 86_400_000
    assert table.timeout(at=week).code == "not_due"
    assert table.act(0, b'{"type":"roll"}').code == "ok" and table.view(SPECTATOR).closes_ms is UNSET
    table.check()


def test_the_clock_starts_again_when_the_game_ends():
    table = lobby("ann", "ben", idle_s=30)
    table.send(cmd.Configure("ann", {"turnSeconds": None}))
    table.start()
    end = table.now + 86_400_000
    table.act(0, b'{"type":"concede"}', at=end)
    table.act(1, b'{"type":"concede"}')
    assert table.room.phase == "over" and table.due.at_ms == end + 25_000
    table.check()


def test_a_warned_room_can_be_started_and_is_not_closed_in_the_game():
    table = lobby("ann", "ben", idle_s=30)
    table.timeout()
    closes = table.due.at_ms
    table.start()
    assert table.room.phase == "playing" and table.view(SPECTATOR).closes_ms is UNSET
    assert table.timeout(at=closes).code == "not_due"


def test_a_countdown_is_not_interrupted_by_idleness():
    table = lobby("ann", "ben", idle_s=30, countdown_s=10)
    table.timeout()
    table.start()
    assert table.view(SPECTATOR).closes_ms is UNSET
    assert tags(table.timeout())[0] == "started"


def test_the_idle_time_is_what_the_host_sets_it_to(table):
    if table.room.phase == "lobby":
        table.send(cmd.Configure("ann", None, cmd.Settings(idle_s=60)))
        assert table.due.at_ms == table.now + 50_000
    assert table.view(SPECTATOR).settings["idle_s"] == table.room.settings.idle_s
