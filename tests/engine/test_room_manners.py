"""Table manners in the lobby: who sits where, who is ready, who is host, who has to go. Given / when / then.

After every test the log is decided again and the events are folded (`Table.check`), whatever the test did.
"""

import msgspec
import pytest

from engine.game import SPECTATOR
from engine.rng import commitment
from engine.room import events as ev
from schemas import entry as cmd
from schemas.base import Detail
from tests.engine.room_kit import Table, nonce_of, said, tags


@pytest.fixture
def table():
    """Ann (host), ben and cho on seats 0, 1, 2 of eight."""
    table = Table().seat_all("ann", "ben", "cho")
    yield table
    table.check()


def who(table: Table) -> dict[int, str]:
    return {int(index): seat.player for index, seat in table.view(SPECTATOR).seats.items()}


# --- seats


def test_a_player_moves_to_a_free_seat_and_takes_everything_along(table):
    table.send(cmd.Ready("ben", True))
    table.send(cmd.Promise("ben", commitment(nonce_of("ben"))))
    assert said(table.send(cmd.Move("ben", 5))) == (ev.SeatChanged(1, 5),)
    assert who(table) == {0: "ann", 2: "cho", 5: "ben"}
    seat = table.room.seats[5]
    assert seat.ready and seat.nonce_hash == commitment(nonce_of("ben"))
    assert said(table.join("dan")) == (ev.Seated(1, "dan"),), "the seat that was left is free"


@pytest.mark.parametrize("seat", [0, 1, 8, 31])
def test_nobody_moves_to_a_taken_seat_his_own_or_one_that_is_not_there(table, seat):
    refused = table.send(cmd.Move("ben", seat))
    assert refused.code == "seat_taken" and refused.detail.got == seat
    assert who(table) == {0: "ann", 1: "ben", 2: "cho"}


def test_only_the_seated_move_get_ready_and_promise(table):
    for command in (cmd.Move("eve", 5), cmd.Ready("eve", True), cmd.Promise("eve", "0" * 64), cmd.Touch("eve")):
        assert table.send(command).code == "no_seat", command


def test_the_host_swaps_two_players(table):
    assert said(table.send(cmd.Swap("ann", 0, 2))) == (ev.SeatChanged(0, 2),)
    assert who(table) == {0: "cho", 1: "ben", 2: "ann"} and table.view(SPECTATOR).host == "ann"
    assert table.send(cmd.Swap("ben", 0, 1)).code == "not_host"
    assert table.send(cmd.Swap("ann", 0, 5)).detail == Detail("other", "a taken seat", 5)
    assert table.send(cmd.Swap("ann", 7, 0)).detail == Detail("seat", "a taken seat", 7)
    assert table.send(cmd.Swap("ann", 9, 0)).code == "no_seat"
    assert table.send(cmd.Swap("ann", 1, 1)).detail == Detail("other", "another seat", 1)


def test_ready_is_seen_until_the_game_begins_and_starts_nothing_by_itself(table):
    assert said(table.send(cmd.Ready("ben", True))) == (ev.ReadySet(1, True),)
    assert table.view(SPECTATOR).seats["1"].ready is True
    assert table.send(cmd.Ready("ben", True)).events == (), "saying it twice changes nothing"
    for player in ("ann", "cho"):
        table.send(cmd.Ready(player, True))
    assert table.room.phase == "lobby"
    assert said(table.send(cmd.Ready("ben", False))) == (ev.ReadySet(1, False),)
    table.start()
    assert all(seat.ready is msgspec.UNSET for seat in table.view(SPECTATOR).seats.values())


def test_a_new_player_on_a_seat_is_not_ready_because_the_last_one_was(table):
    table.send(cmd.Ready("ben", True))
    table.send(cmd.Leave("ben"))
    table.join("dan")
    assert who(table)[1] == "dan" and not table.room.seats[1].ready


def test_the_last_promise_counts_and_start_freezes_it(table):
    table.join("dan", nonce=True)
    first, second = commitment(b"\x01" * 32), commitment(nonce_of("ben"))
    for promise in (first, second):
        assert said(table.send(cmd.Promise("ben", promise))) == (ev.Promised(1, promise),)
    frozen = table.start().events[0]
    assert frozen.nonce_hashes == ("", second, "", commitment(nonce_of("dan")))
    assert table.nonce("ben", b"\x01" * 32).code == "bad_nonce", "the promise before the last is void"
    assert table.nonce("ben").code == "ok"
    assert table.send(cmd.Promise("ben", first)).code == "not_in_lobby"
    table.nonce("dan")
    assert table.room.phase == "playing"


# --- the host


def test_who_is_kicked_may_not_sit_again_here(table):
    assert said(table.send(cmd.Kick("ann", 1))) == (ev.Left(1, "ben", True),)
    assert table.join("ben").code == "kicked" and table.join("ben", seat=6).code == "kicked"
    assert table.send(cmd.Kick("ann", 1)).detail == Detail("seat", "a taken seat", 1)
    assert table.join("dan").code == "ok"
    table.send(cmd.Leave("cho"))
    assert table.join("cho").code == "ok", "leaving is no ban"


def test_kicking_is_the_hosts_and_of_others(table):
    assert table.send(cmd.Kick("ben", 2)).code == "not_host"
    assert table.send(cmd.Kick("eve", 2)).code == "not_host"
    assert table.send(cmd.Kick("ann", 0)).detail == Detail("seat", "somebody else's seat", 0)
    assert who(table) == {0: "ann", 1: "ben", 2: "cho"}


def test_the_host_hands_the_rights_on_and_has_them_no_more(table):
    assert said(table.send(cmd.Transfer("ann", 2))) == (ev.HostChanged("cho"),)
    assert table.view(SPECTATOR).host == "cho"
    assert table.send(cmd.Transfer("ann", 0)).code == "not_host" and table.start("ann").code == "not_host"
    assert table.send(cmd.Transfer("cho", 7)).code == "no_seat"
    assert said(table.send(cmd.Kick("cho", 0))) == (ev.Left(0, "ann", True),)
    assert table.join("ann").code == "kicked", "who opened the room has no rights left in it"
    assert table.start("cho").code == "ok"


def test_when_the_host_leaves_a_connected_player_is_next_before_one_who_is_gone(table):
    table.drop("ben")
    assert said(table.send(cmd.Leave("ann"))) == (ev.Left(0, "ann"), ev.HostChanged("cho"))
    assert said(table.send(cmd.Leave("cho"))) == (ev.Left(2, "cho"), ev.HostChanged("ben")), "better than nobody"
    assert said(table.send(cmd.Leave("ben"))) == (ev.Left(1, "ben"), ev.HostChanged(""))
    assert said(table.join("dan")) == (ev.Seated(0, "dan"), ev.HostChanged("dan"))
    assert table.start("dan").code == "ok"


HOST_ONLY = (cmd.Swap("?", 0, 1), cmd.Kick("?", 1), cmd.Transfer("?", 1), cmd.Configure("?", {}), cmd.Start("?"))


@pytest.mark.parametrize("command", HOST_ONLY, ids=lambda command: type(command).__name__)
def test_label_and_rights_never_differ(command):
    """Whoever the view calls host may do it, nobody else may, after each way in which the rights move."""
    ways = (
        lambda table: None,
        lambda table: table.send(cmd.Transfer("ann", 2)),
        lambda table: table.send(cmd.Leave("ann")),
        lambda table: (table.drop("ben"), table.send(cmd.Leave("ann"))),
    )
    for way in ways:
        table = Table().seat_all("ann", "ben", "cho", "dan")
        way(table)
        label = table.view(SPECTATOR).host
        for player in ("ann", "ben", "cho", "dan", "eve"):
            copy = Table().seat_all("ann", "ben", "cho", "dan")
            way(copy)
            seat = next(i for i, one in enumerate(copy.room.seats) if one is not None and one.player != label)
            taken = next(i for i, one in enumerate(copy.room.seats) if one is not None and i != seat)
            fields = {"player": player}
            if isinstance(command, cmd.Swap):
                fields |= {"seat": seat, "other": taken}
            elif isinstance(command, cmd.Kick | cmd.Transfer):
                fields |= {"seat": seat}
            done = copy.send(msgspec.structs.replace(command, **fields))
            assert (done.code == "ok") == (player == label), (player, label, done.code)
            assert done.code in ("ok", "not_host")
            copy.check()


def test_nothing_of_the_lobby_can_be_done_once_the_game_is_on(table):
    table.start()
    for command in (
        cmd.Move("ben", 5),
        cmd.Swap("ann", 0, 1),
        cmd.Ready("ben", True),
        cmd.Promise("ben", "0" * 64),
        cmd.Kick("ann", 1),
        cmd.Transfer("ann", 1),
        cmd.Leave("ben"),
        cmd.Join("dan"),
    ):
        assert table.send(command).code == "not_in_lobby", command
    assert table.send(cmd.Rematch("ben")).code == "not_over"
    assert table.send(cmd.Touch("ben")).events == ()


def test_options_that_cannot_be_leave_everything_as_it_was(table):
    table.send(cmd.Ready("ben", True))
    before = table.room
    for player, options, code in (
        ("ann", {"scoring": "golf"}, "bad_options"),
        ("ann", {"yahtzeeJoker": "free"}, "bad_options"),
        ("ben", {}, "not_host"),
    ):
        assert table.send(cmd.Configure(player, options)).code == code
    assert table.room is before
    for settings in (b'{"idle_s":29}', b'{"countdown_s":11}', b'{"delay_s":-1}', b'{"colour":"red"}'):
        raw = b'{"type":"configure","player":"ann","settings":%s}' % settings
        assert table.send(raw).code == "bad_message"
    assert table.room is before
    assert tags(table.send(cmd.Configure("ann", None, cmd.Settings(idle_s=30, countdown_s=10)))) == ["configured"]


def test_report_9_a_player_who_reloads_while_the_host_starts_is_seated_in_either_order():
    """The three entries of a reload and a start in every order that the log can have."""
    for order in (("drop", "back", "start"), ("drop", "start", "back"), ("start", "drop", "back")):
        table = Table().seat_all("ann", "ben")
        for step in order:
            command = {"drop": cmd.Disconnected("ben"), "back": cmd.Connected("ben"), "start": cmd.Start("ann")}[step]
            assert table.send(command).code == "ok"
        assert table.room.phase == "playing" and table.room.seats[1].player == "ben" and table.room.seats[1].connected
        assert table.act(0, b'{"type":"concede"}').code == "ok" and table.act(1, b'{"type":"roll"}').code == "ok"
        table.check()
