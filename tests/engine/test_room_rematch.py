"""After the game: votes for another one with the same people, and who sits where in it."""

import msgspec
import pytest

from engine.game import SPECTATOR
from engine.rng import commitment
from engine.room import events as ev
from engine.room.deadline import REMATCH_MS
from schemas import entry as cmd
from tests.engine.manners_kit import NEXT_SECRET, Reopened, lobby, over, votes
from tests.engine.room_kit import SECRET, nonce_of, said, tags


@pytest.fixture
def table():
    """A game of ann (host), ben and cho is over."""
    table = over("ann", "ben", "cho")
    yield table
    table.check()


def test_votes_are_seen_and_can_be_withdrawn(table):
    assert said(table.send(cmd.Rematch("ben"))) == (ev.RematchVoted(1, True),)
    assert votes(table) == {"ann": False, "ben": True, "cho": False}
    assert table.send(cmd.Rematch("ben")).events == (), "twice is once"
    assert said(table.send(cmd.Rematch("ben", False))) == (ev.RematchVoted(1, False),)
    assert votes(table) == {"ann": False, "ben": False, "cho": False}
    assert table.send(cmd.Rematch("cho", False)).events == ()
    assert table.view(SPECTATOR).next is msgspec.UNSET


def test_it_is_agreed_when_everyone_who_is_connected_wants_it(table):
    table.send(cmd.Rematch("cho"))
    table.send(cmd.Rematch("ann"))
    agreed = table.send(cmd.Rematch("ben"))
    assert said(agreed) == (ev.RematchVoted(1, True), ev.RematchAgreed("ann", ("ann", "ben", "cho")))
    view = table.view(SPECTATOR)
    assert view.next == 2 and view.phase == "over" and view.host == "ann"


def test_what_is_agreed_is_not_taken_back(table):
    for player in ("ann", "ben", "cho"):
        table.send(cmd.Rematch(player))
    agreed = table.room
    assert table.send(cmd.Rematch("ben", False)).events == ()
    assert table.send(cmd.Rematch("ben")).events == ()
    assert tags(table.drop("cho")) == ["disconnected"]
    assert table.room.next_seated == agreed.next_seated == ("ann", "ben", "cho")


def test_a_withdrawn_vote_is_waited_for_again(table):
    for player, want in (("ann", True), ("ben", True), ("ann", False), ("cho", True)):
        table.send(cmd.Rematch(player, want))
    assert not table.room.next_seated
    assert tags(table.send(cmd.Rematch("ann"))) == ["rematch_voted", "rematch_agreed"]


def test_votes_are_for_players_and_for_after_the_game(table):
    assert table.send(cmd.Rematch("eve")).code == "no_seat"
    assert lobby("ann").send(cmd.Rematch("ann")).code == "not_over"


def test_who_has_left_is_not_waited_for(table):
    table.drop("ben")
    table.send(cmd.Rematch("ann"))
    agreed = table.send(cmd.Rematch("cho"))
    assert said(agreed)[-1] == ev.RematchAgreed("ann", ("ann", "cho"))


def test_report_103_all_press_it_at_once_and_one_leaves(table):
    """Whoever is gone by the last vote has no seat in the next game, in whatever order vote and leaving reach the log."""
    table.send(cmd.Rematch("ann"))
    table.send(cmd.Rematch("ben"))
    assert said(table.drop("cho")) == (ev.Disconnected(2, table.now), ev.RematchAgreed("ann", ("ann", "ben")))
    other = over("ann", "ben", "cho")
    other.send(cmd.Rematch("ann"))
    other.send(cmd.Rematch("cho"))
    assert tags(other.drop("cho")) == ["disconnected"], "ben is still waited for"
    assert said(other.send(cmd.Rematch("ben")))[-1] == ev.RematchAgreed("ann", ("ann", "ben"))
    for one in (table, other):
        assert sum(b'"rematch_agreed"' in data for data in one.events) == 1, "one next game"
    other.check()


def test_leaving_alone_agrees_nothing(table):
    assert tags(table.drop("cho")) == ["disconnected"]
    table.send(cmd.Rematch("ann"))
    table.send(cmd.Rematch("ann", False))
    assert tags(table.drop("ben")) == ["disconnected"]
    table.send(cmd.Rematch("ann"))
    assert table.room.next_seated == ("ann",), "Yacht can be played alone"


def test_when_everyone_is_gone_nothing_is_agreed(table):
    for player in ("ann", "ben"):
        table.send(cmd.Rematch(player))
        assert tags(table.drop(player)) == ["disconnected"]
    assert tags(table.drop("cho")) == ["disconnected"] and not table.room.next_seated


def test_a_vote_of_somebody_without_a_socket_counts_as_being_here(table):
    table.drop("ben")
    table.drop("cho")
    assert tags(table.send(cmd.Rematch("ben"))) == ["rematch_voted"], "ann is here and has not voted"
    assert said(table.send(cmd.Rematch("ann")))[-1] == ev.RematchAgreed("ann", ("ann",))


def test_who_comes_back_is_waited_for_again(table):
    table.drop("cho")
    table.send(cmd.Rematch("ann"))
    table.back("cho")
    assert tags(table.send(cmd.Rematch("ben"))) == ["rematch_voted"]
    assert said(table.send(cmd.Rematch("cho")))[-1] == ev.RematchAgreed("ann", ("ann", "ben", "cho"))


def test_too_few_for_the_game_agree_nothing():
    table = over("ann", "ben", game="duel")
    table.send(cmd.Rematch("ann"))
    assert tags(table.drop("ben")) == ["disconnected"]
    assert not table.room.next_seated
    table.back("ben")
    assert tags(table.send(cmd.Rematch("ben"))) == ["rematch_voted", "rematch_agreed"]
    table.check()


def test_a_voter_who_was_away_for_a_moment_has_still_voted():
    """A phone changes networks while the other one votes: both want it, both are here in the end."""
    table = over("ann", "ben", game="duel")
    table.send(cmd.Rematch("ann"))
    table.drop("ann")
    assert tags(table.send(cmd.Rematch("ben"))) == ["rematch_voted"], "nobody to play with at this moment"
    assert said(table.back("ann")) == (ev.Connected(0), ev.RematchAgreed("ann", ("ann", "ben")))
    table.check()


def test_coming_back_without_a_vote_agrees_nothing():
    table = over("ann", "ben", game="duel")
    table.drop("ann")
    table.send(cmd.Rematch("ben"))
    assert tags(table.back("ann")) == ["connected"]
    assert tags(table.send(cmd.Rematch("ann"))) == ["rematch_voted", "rematch_agreed"]
    table.check()


@pytest.mark.parametrize(("gone", "host"), [((), "ann"), (("cho",), "ann"), (("ann",), "ben"), (("ann", "ben"), "cho")])
def test_the_host_stays_if_there_else_it_is_the_first_of_the_others(gone, host):
    table = over("ann", "ben", "cho")
    for player in gone:
        table.drop(player)
    for player in ("cho", "ben", "ann"):
        if player not in gone:
            table.send(cmd.Rematch(player))
    assert table.room.host == host == table.view(SPECTATOR).host
    later = Reopened(table.room)
    assert later.view(SPECTATOR).host == host and later.room.seat_of(host) == 0 or host == "ann"
    assert later.start(host).code == "ok"
    table.check()
    later.check()


def test_a_host_who_only_watched_gives_the_rights_to_a_player():
    table = lobby("ben", "cho")
    table.start()
    for seat in (0, 1):
        table.act(seat, b'{"type":"concede"}')
    table.send(cmd.Rematch("ben"))
    table.send(cmd.Rematch("cho"))
    assert table.view(SPECTATOR).host == "ben", "whether a watcher is still here is not in the log"


def test_until_the_next_game_is_open_the_deadline_asks_for_it_and_the_room_does_not_close(table):
    for player in ("ann", "ben", "cho"):
        table.send(cmd.Rematch(player))
    assert table.due.at_ms == table.now + REMATCH_MS
    for _ in range(3):
        again = table.timeout()
        assert again.code == "ok" and again.events == ()
    assert table.room.phase == "over" and table.due.at_ms <= table.now, "still due: tried until it is done"


# --- the next game


def test_the_next_game_has_the_same_people_rules_and_bans_and_a_new_secret():
    table = lobby("ann", "dan", "ben", "cho", countdown_s=3, public=True)
    table.send(cmd.Configure("ann", {"scoring": "traditional"}))
    table.send(cmd.Kick("ann", 1))
    table.start()
    table.timeout()
    for seat in range(3):
        table.act(seat, b'{"type":"concede"}')
    for player in ("ann", "ben", "cho"):
        table.send(cmd.Rematch(player))
    later = Reopened(table.room)
    assert tags(later.opened) == ["opened", "seated", "seated", "seated"]
    assert [seat.player for seat in later.room.seats if seat] == ["ann", "ben", "cho"]
    assert (later.room.options, later.room.settings) == (table.room.options, table.room.settings)
    assert later.room.id == "K7Q2MX/2" and later.room.commitment == commitment(NEXT_SECRET) != commitment(SECRET)
    assert later.join("dan").code == "kicked", "kicked is kicked, over a rematch too"
    view = later.view(SPECTATOR)
    assert view.n == 2 and view.phase == "lobby" and votes(later) == dict.fromkeys(("ann", "ben", "cho"), False)
    assert all(not seat.ready and not seat.nonce_hash for seat in later.room.seats if seat)
    table.check()
    later.check()


def test_bans_add_up_over_games():
    first = over("ann", "ben")
    for player in ("ann", "ben"):
        first.send(cmd.Rematch(player))
    second = Reopened(first.room)
    second.seat_all("cho")
    second.send(cmd.Kick("ann", 2))
    assert second.room.banned == ("cho",)
    second.start()
    for seat in (0, 1):
        second.act(seat, b'{"type":"concede"}')
    for player in ("ann", "ben"):
        second.send(cmd.Rematch(player))
    third = Reopened(second.room, 3)
    assert third.join("cho").code == "kicked"
    third.send(cmd.Kick("ann", 1))
    assert third.room.banned == ("cho", "ben")
    for one in (first, second, third):
        one.check()


def test_seats_of_those_who_left_are_free_in_the_next_game():
    table = over("ann", "ben", "cho")
    table.drop("ben")
    table.send(cmd.Rematch("ann"))
    table.send(cmd.Rematch("cho"))
    later = Reopened(table.room)
    assert [seat and seat.player for seat in later.room.seats[:3]] == ["ann", "cho", None]
    assert said(later.join("ben")) == (ev.Seated(2, "ben"),), "and who was only away may sit down again"
    later.check()


def test_players_of_a_rematch_promise_nonces_for_it():
    table = over("ann", "ben")
    for player in ("ann", "ben"):
        table.send(cmd.Rematch(player))
    later = Reopened(table.room)
    later.send(cmd.Promise("ben", commitment(nonce_of("ben"))))
    assert later.start().events[0].nonce_hashes == ("", commitment(nonce_of("ben")))
    later.nonce("ben")
    assert later.room.phase == "playing"
    later.check()
