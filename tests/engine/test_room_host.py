"""What a host may do about people: close the door, send somebody away, take a voice; in every phase, and for the next games."""

import pytest

from engine.game import SPECTATOR
from engine.room.state import PEOPLE_MAX
from schemas import entry as cmd
from tests.engine.manners_kit import Reopened, lobby, over
from tests.engine.room_kit import Table, tags


def playing(*players: str) -> Table:
    return Table().begin(*players)


PHASES = pytest.mark.parametrize("make", [lobby, playing, over], ids=["lobby", "playing", "over"])


@PHASES
def test_a_closed_door_lets_nobody_new_sit_down(make):
    table = make("ann", "ben")
    assert tags(table.send(cmd.Lock("ann", True))) == ["locked"]
    assert table.view(SPECTATOR).settings["locked"] is True
    assert table.send(cmd.Lock("ann", True)).events == (), "again changes nothing"
    if make is lobby:
        assert table.join("cho").code == "locked"
        table.send(cmd.Leave("ann"))
        assert table.join("ann").code == "locked", "host rights have moved on"
    assert tags(table.send(cmd.Lock(table.room.host, False))) == ["locked"]
    if make is lobby:
        assert table.join("cho").code == "ok"
    table.check()


def test_the_host_without_a_seat_is_let_in():
    table = Table()
    table.send(cmd.Lock("ann", True))
    assert table.join("ben").code == "locked" and table.join("ann").code == "ok"


@PHASES
def test_somebody_sent_away_takes_no_seat_any_more(make):
    table = make("ann", "ben")
    assert tags(table.send(cmd.Expel("ann", "eve"))) == ["expelled"]
    assert table.send(cmd.Expel("ann", "eve")).events == ()
    assert table.view(SPECTATOR).expelled == ("eve",)
    if make is lobby:
        assert table.join("eve").code == "kicked"
    table.check()


def test_who_sits_is_sent_away_from_the_lobby_and_not_from_a_game():
    table = lobby("ann", "ben", "cho")
    assert tags(table.send(cmd.Expel("ann", "ben"))) == ["left", "expelled"]
    assert table.room.banned == table.room.expelled == ("ben",)
    table.start()
    refused = table.send(cmd.Expel("ann", "cho"))
    assert refused.code == "not_in_lobby" and refused.detail.field == "target"
    table.check()


@PHASES
def test_a_voice_is_taken_and_given_back(make):
    table = make("ann", "ben")
    assert tags(table.send(cmd.Silence("ann", "ben"))) == ["silenced"]
    assert table.send(cmd.Silence("ann", "ben")).events == ()
    assert table.view(SPECTATOR).silenced == ("ben",)
    table.send(cmd.Silence("ann", "ben", False))
    assert table.room.silenced == ()
    table.check()


@PHASES
def test_only_the_host_may_and_not_to_themselves(make):
    table = make("ann", "ben")
    for command in (cmd.Lock("ben", True), cmd.Expel("ben", "eve"), cmd.Silence("ben", "eve")):
        assert table.send(command).code == "not_host"
    for command in (cmd.Expel("ann", "ann"), cmd.Silence("ann", "ann")):
        assert table.send(command).code == "no_seat"


def test_whom_a_host_takes_from_a_seat_may_still_watch():
    table = lobby("ann", "ben", "cho")
    table.send(cmd.Kick("ann", 1))
    assert table.room.banned == ("ben",) and table.room.expelled == ()
    table.send(cmd.Expel("ann", "ben"))
    assert table.room.banned == table.room.expelled == ("ben",)
    table.check()


def test_the_next_game_of_the_room_keeps_it():
    table = over("ann", "ben")
    for command in (cmd.Lock("ann", True), cmd.Expel("ann", "eve"), cmd.Silence("ann", "ben")):
        table.send(command)
    for player in ("ann", "ben"):
        table.send(cmd.Rematch(player))
    again = Reopened(table.room)
    assert (
        again.room.banned == again.room.expelled == ("eve",)
        and again.room.silenced == ("ben",)
        and again.room.settings.locked
    )
    again.check()


def test_the_lists_are_bounded_since_players_are_free_to_make():
    table = lobby("ann", "ben")
    for number in range(PEOPLE_MAX + 5):
        table.send(cmd.Expel("ann", f"eve{number}"))
        table.send(cmd.Silence("ann", f"eve{number}"))
    assert len(table.room.banned) == len(table.room.expelled) == len(table.room.silenced) == PEOPLE_MAX
    assert table.room.banned[-1] == f"eve{PEOPLE_MAX + 4}"
