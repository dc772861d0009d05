"""The lobby: seats, host rights, options, and what Start asks for. Given / when / then on whole commands."""

import msgspec
import pytest

from engine.game import SPECTATOR
from engine.games.yacht import types as t
from engine.rng import commitment
from engine.room import events as ev
from schemas import entry as cmd
from schemas.base import Detail
from schemas.codes import REJECTS
from tests.engine.room_kit import SECRET, Table, nonce_of, said, tags


def test_a_room_opens_with_a_commitment_and_no_seats():
    table = Table(options={"scoring": "traditional"})
    assert said(table.opened) == (
        ev.Opened(
            "K7Q2MX/1",
            "ann",
            "yacht",
            2,
            {"scoring": "traditional"},
            cmd.Settings(True),
            commitment(SECRET),
            format=2,
        ),
    )
    assert table.room.phase == "lobby" and table.room.version == 1
    assert table.view(SPECTATOR).seats == {}
    table.check()


def test_a_room_opens_once():
    table = Table()
    again = table.send(msgspec.json.decode(table.entries[0].data, type=cmd.AnyCommand), private=SECRET)
    assert again.code == "not_in_lobby" and again.events == ()


def test_a_secret_that_is_not_the_committed_one_opens_nothing():
    table = Table.__new__(Table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.engine.room_kit.commitment", lambda value: commitment(b"another"))
        table.__init__()
    assert table.opened.code == "bad_nonce" and table.at.room is None
    assert table.join("ann").code == "no_room"


def test_everything_before_the_room_is_open_is_refused():
    table = Table(options={"scoring": "nonsense"})
    assert table.opened.code == "bad_options" and table.at.room is None
    for command in (
        cmd.Join("ann"),
        cmd.Leave("ann"),
        cmd.Configure("ann"),
        cmd.Start("ann"),
        cmd.Nonce("ann"),
        cmd.Connected("ann"),
        cmd.Disconnected("ann"),
        cmd.Timeout(0),
    ):
        assert table.send(command).code == "no_room", command
    assert table.send(cmd.Act("ann", 0, msgspec.Raw(b"{}"))).code == "not_playing"


def test_join_takes_the_lowest_free_seat_or_the_one_asked_for():
    table = Table()
    assert said(table.join("ann", seat=1)) == (ev.Seated(1, "ann"),)
    assert said(table.join("ben")) == (ev.Seated(0, "ben"),)
    promise = commitment(nonce_of("cho"))
    assert said(table.join("cho", nonce=True)) == (ev.Seated(2, "cho", promise),)
    assert table.join("dan", seat=1).code == "seat_taken"
    assert table.join("dan", seat=8).detail == Detail("seat", "0..7", 8)
    assert table.join("ann").code == "already_seated"
    table.check()


def test_a_full_room_takes_nobody_and_a_left_seat_is_free_again():
    table = Table().seat_all(*"abcdefgh")
    assert table.join("i").code == "room_full"
    assert said(table.send(cmd.Leave("d"))) == (ev.Left(3, "d"),)
    assert said(table.join("i")) == (ev.Seated(3, "i"),)
    assert table.send(cmd.Leave("d")).code == "no_seat"
    table.check()


def test_host_rights_move_when_the_host_leaves():
    table = Table().seat_all("ann", "ben", "cho")
    assert said(table.send(cmd.Leave("ann"))) == (ev.Left(0, "ann"), ev.HostChanged("ben"))
    assert table.view(SPECTATOR).host == "ben"
    assert table.start("ann").code == "not_host"
    assert table.send(cmd.Configure("ann", {})).code == "not_host"
    assert table.send(cmd.Configure("ben", {"turnSeconds": 30})).code == "ok"
    assert said(table.send(cmd.Leave("cho"))) == (ev.Left(2, "cho"),), "a guest leaves: the host stays"
    table.check()


def test_a_room_that_everyone_left_belongs_to_whoever_sits_down_next():
    table = Table().seat_all("ann")
    assert said(table.send(cmd.Leave("ann"))) == (ev.Left(0, "ann"), ev.HostChanged(""))
    assert table.start("ann").code == "not_host"
    assert said(table.join("ben")) == (ev.Seated(0, "ben"), ev.HostChanged("ben"))
    assert said(table.join("ann")) == (ev.Seated(1, "ann"),)
    assert table.start("ben").code == "ok"
    table.check()


def test_a_host_who_only_watches_keeps_the_rights():
    table = Table().seat_all("ben")
    assert table.room.host == "ann" and table.start("ben").code == "not_host"
    assert table.start("ann").code == "ok"


def test_options_change_whole_and_settings_on_their_own():
    table = Table()
    options = {"scoring": "yahtzee", "yahtzeeJoker": "free"}
    assert said(table.send(cmd.Configure("ann", options))) == (ev.Configured(options, cmd.Settings(True)),)
    assert said(table.send(cmd.Configure("ann", None, cmd.Settings()))) == (ev.Configured(options, cmd.Settings()),)
    view = table.view(SPECTATOR)
    assert view.options == {**options, "turnSeconds": 60, "showPreview": True} and view.settings == {}
    table.check()


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        ({"scoring": "yahtzee", "fullHouseAllowsYacht": True}, ("fullHouseAllowsYacht", True)),
        ({"yahtzeeJoker": "free"}, ("yahtzeeJoker", "free")),
        ({"turnSeconds": 61}, ("turnSeconds", 61)),
        ({"speed": 3}, ("speed", 3)),
        ({"showPreview": "yes"}, ("showPreview", "yes")),
    ],
)
def test_options_that_cannot_be_are_refused_naming_field_expected_and_got(options, detail):
    table = Table()
    for command in (cmd.Configure("ann", options), cmd.Configure("ann", options, cmd.Settings())):
        refused = table.send(command)
        assert refused.code == "bad_options" and (refused.detail.field, refused.detail.got) == detail
        assert refused.detail.expected
    assert table.room.options == {} and table.room.version == 1


def test_start_is_the_hosts_and_asks_for_players_the_game_can_be_played_with():
    table = Table()
    assert table.start("ben").code == "not_host"
    empty = table.start()
    assert (empty.code, empty.detail) == ("not_enough_players", Detail("seats", tuple(range(1, 9)), 0))
    yut = Table("yut").seat_all("ann")
    assert yut.start().detail == Detail("seats", tuple(range(2, 9)), 1)
    yut.seat_all("b", "c", "d", "e")
    assert yut.start().code == "bad_options", "five single sides are too many for its board"
    assert yut.room.phase == "lobby"
    for one in (table, yut):
        one.check()


def test_start_freezes_seats_without_holes_in_their_order():
    table = Table()
    table.join("ann", seat=6)
    table.join("ben", seat=2)
    started = table.start()
    assert tags(started) == ["started", "began", "dealt", "turn_changed"]
    frozen = started.events[0]
    assert frozen.seats == ("ben", "ann") and frozen.nonce_hashes == ("", "")
    assert frozen.commitment == commitment(SECRET) and frozen.id == "K7Q2MX/1" and frozen.at_ms == table.now
    assert [seat.player for seat in table.room.seats] == ["ben", "ann"]
    table.check()


def test_the_lobby_is_over_after_start():
    table = Table().begin("ann", "ben")
    for command in (cmd.Join("cho"), cmd.Leave("ann"), cmd.Configure("ann", {}), cmd.Start("ann")):
        assert table.send(command).code == "not_in_lobby", command
    table.check()


def test_an_action_needs_ones_own_seat_and_a_game_that_goes_on():
    table = Table().seat_all("ann", "ben")
    assert table.act(0, t.Roll()).code == "not_playing"
    table.start()
    for player, seat in (("ben", 0), ("ann", 1), ("cho", 0), ("ann", 2), ("ann", 31)):
        refused = table.send(cmd.Act(player, seat, msgspec.Raw(b'{"type":"roll"}')))
        assert (refused.code, refused.detail) == ("not_your_seat", Detail("seat", None, seat))
    assert table.act(1, t.Roll()).code == "not_your_turn"
    stale = table.act(0, t.Roll(), turn=2)
    assert (stale.code, stale.detail) == ("stale_turn", Detail("turn", 1, 2))
    assert table.act(0, t.Roll(), turn=1).code == "ok"
    for raw in (b'{"type":"fly"}', b'{"type":"score"}', b'{"type":"roll","dice":[6,6,6,6,6]}', b"[]", b"7", b"null"):
        assert table.act(0, raw).code == "bad_action", raw
    table.check()


def test_an_entry_that_is_no_command_is_refused_and_the_room_goes_on():
    table = Table().begin("ann")
    version = table.room.version
    deep = b"[" * 200_000
    for data in (b"", b"{", b"\xff", b'{"type":"win"}', b'{"type":"join"}', b'{"type":"join","player":"a b"}', deep):
        assert table.send(data).code == "bad_message"
    assert table.room.version == version and table.act(0, t.Roll()).code == "ok"
    table.check()


def test_seats_come_and_go_in_the_lobby_as_sockets_do():
    table = Table().seat_all("ann", "ben")
    assert table.drop("ben", at=table.now + 5).events == (ev.Disconnected(1, table.now),)
    assert table.drop("ben").events == (), "one more socket that ends changes nothing"
    assert table.view(SPECTATOR).seats["1"].connected is False
    assert table.back("ben").events == (ev.Connected(1),)
    assert table.back("ben").events == ()
    assert table.back("eve").code == "no_seat" and table.drop("eve").code == "no_seat"
    table.check()


def test_every_refusal_has_a_text():
    table = Table()
    codes = {"no_room", "not_in_lobby", "room_full", "seat_taken", "already_seated", "no_seat", "not_host", "bad_nonce"}
    codes |= {"not_enough_players", "not_playing", "not_your_seat", "stale_turn", "deadline_passed", "bad_action"}
    codes |= {"bad_message", "bad_options", "not_opening", "not_due", "internal"}
    assert codes <= set(REJECTS)
    assert not set(table.game.codes) & set(REJECTS), "a game's codes do not hide the room's"
