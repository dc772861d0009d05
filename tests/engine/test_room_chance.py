"""Commit, freeze, open: where the key of a game comes from, and that neither side can choose it alone (DESIGN 6)."""

import hashlib
import hmac

import pytest

from engine.game import SPECTATOR, Seated
from engine.games.yacht import types as t
from engine.rng import NO_NONCE, commitment
from engine.room import events as ev
from engine.room.deadline import OPENING_MS
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import SECRET, Table, nonce_of, tags


def key_of(secret: bytes, game_id: str, *nonces: bytes) -> bytes:
    """The published formula, written out once more."""
    parts = [game_id.encode(), *nonces]
    return hmac.new(secret, b"".join(len(p).to_bytes(4, "big") + p for p in parts), hashlib.sha256).digest()


def dice_of(key: bytes, first: int, count: int) -> tuple[int, ...]:
    found = []
    for n in range(first, first + count):
        value = int.from_bytes(hmac.new(key, f"noripan/1:{n}".encode(), hashlib.sha256).digest()[:8], "big") >> 11
        found.append(1 + value * 6 // 2**53)
    return tuple(found)


def test_nobody_promised_anything_so_the_game_begins_at_once():
    table = Table().seat_all("ann", "ben")
    assert tags(table.start()) == ["started", "began", "dealt", "turn_changed"]
    assert table.at.chance.key == key_of(SECRET, "K7Q2MX/1", NO_NONCE, NO_NONCE)


def test_the_game_begins_when_the_last_promised_nonce_is_open():
    table = Table().seat_all("ann", "ben", nonce=True)
    table.join("cho")
    started = table.start()
    assert tags(started) == ["started"] and table.room.phase == "opening"
    assert started.events[0].nonce_hashes == (commitment(nonce_of("ann")), commitment(nonce_of("ben")), "")
    due = table.due
    assert (due.turn, due.seats, due.at_ms) == (0, (0, 1), table.now + OPENING_MS)
    assert table.view(SPECTATOR).acting == (0, 1)
    assert table.nonce("ben").events == (ev.NonceOpened(1),)
    assert table.due.seats == (0,)
    last = table.nonce("ann")
    assert last.events[:2] == (ev.NonceOpened(0), ev.Began())
    assert table.room.phase == "playing"
    assert table.at.chance.key == key_of(SECRET, "K7Q2MX/1", nonce_of("ann"), nonce_of("ben"), NO_NONCE)
    table.check()


def test_a_withheld_nonce_counts_as_zeros_after_two_seconds_and_is_recorded_so():
    table = Table().seat_all("ann", "ben", nonce=True)
    table.start()
    table.nonce("ann")
    began_ms = table.room.since_ms
    early = table.timeout(at=began_ms + OPENING_MS - 1)
    assert early.code == "not_due" and table.room.phase == "opening"
    forced = table.timeout(at=began_ms + OPENING_MS)
    assert forced.events[0] == ev.Began((1,)) and table.room.phase == "playing"
    assert table.at.chance.key == key_of(SECRET, "K7Q2MX/1", nonce_of("ann"), NO_NONCE)
    assert table.nonce("ben").code == "not_opening", "the dice do not change afterwards"
    assert table.timeout(turn=0).code == "stale_turn", "the scheduler may come twice"
    table.check()


def test_a_nonce_at_the_deadline_is_too_late_whoever_comes_first():
    table = Table().seat_all("ann", nonce=True)
    table.start()
    late = table.nonce("ann", at=table.room.since_ms + OPENING_MS)
    assert late.code == "deadline_passed" and table.room.phase == "opening"
    assert table.timeout().events[0] == ev.Began((0,))
    table.check()


def test_a_wrong_nonce_is_refused_and_the_right_one_still_counts():
    table = Table().seat_all("ann", "ben", nonce=True)
    assert table.nonce("ann").code == "not_opening", "never before the freeze"
    table.start()
    for wrong in (b"", bytes(32), nonce_of("ben"), nonce_of("ann") + b"\0"):
        assert table.nonce("ann", wrong).code == "bad_nonce"
    assert table.nonce("eve").code == "no_seat"
    assert tags(table.nonce("ann")) == ["nonce_opened"]
    assert table.nonce("ann").code == "not_opening", "once"
    table.check()


def test_a_seat_without_a_promise_has_nothing_to_open():
    table = Table().seat_all("ann", nonce=True)
    table.join("ben")
    table.start()
    for value in (b"", NO_NONCE, nonce_of("ben")):
        assert table.nonce("ben", value).code == "bad_nonce"


def test_nobody_acts_while_nonces_are_opened():
    table = Table().seat_all("ann", nonce=True)
    table.start()
    assert table.act(0, t.Roll()).code == "not_playing"
    assert table.join("ben").code == "not_in_lobby"


def test_an_absent_player_does_not_hold_up_the_opening():
    table = Table().seat_all("ann", "ben", nonce=True)
    table.drop("ben")
    table.start()
    table.nonce("ann")
    assert table.timeout(at=table.room.since_ms + OPENING_MS).events[0] == ev.Began((1,))
    table.check()


def test_the_dice_are_the_published_formula():
    table = Table(keep_order=False).begin("ann", "ben", "cho")
    key = key_of(SECRET, "K7Q2MX/1", NO_NONCE, NO_NONCE, NO_NONCE)
    assert table.room.draws == 2, "the shuffle of three seats"
    seat = table.due.seats[0]
    assert table.act(seat, t.Roll()).events[0].dice == dice_of(key, 2, 5)
    table.act(seat, t.SetHold((True, False, True, False, True)))
    rolled = table.act(seat, t.Roll()).events[0]
    assert (rolled.dice[1], rolled.dice[3]) == dice_of(key, 7, 2) and rolled.draws == 2


def test_dice_depend_on_what_was_done_and_never_on_when():
    """Report 17: the same secret and commands with other delays give the same dice; another game of the room does not."""

    def rolls(delay_ms: int, n: int = 1, refused: int = 0) -> list:
        table = Table(options={"turnSeconds": None}, n=n).begin("ann", "ben")
        found = []
        for _ in range(4):
            seat = table.due.seats[0]
            for _ in range(refused):
                assert table.act(seat, t.Score("ones")).code == "not_rolled"
            found.append(table.act(seat, t.Roll(), at=table.now + delay_ms).events[0].dice)
            assert table.act(seat, t.Score("ones" if len(found) < 3 else "twos")).code == "ok"
        return found

    assert rolls(0) == rolls(1) == rolls(7_777) == rolls(0, refused=3)
    assert rolls(0) != rolls(0, n=2)


@pytest.mark.parametrize("n", [1, 2])
def test_games_in_the_same_millisecond_with_other_secrets_roll_other_dice(n):
    """Report 17: 500 pairs of rooms roll in the same millisecond; pairs are equal about as often as chance has it."""
    equal = 0
    for pair in range(250):
        dice = []
        for side in (b"a", b"b"):
            table = Table(secret=hashlib.sha256(b"%d %d %s" % (n, pair, side)).digest()).begin("ann")
            dice.append(table.act(0, t.Roll()).events[0].dice)
        equal += dice[0] == dice[1]
    assert equal <= 2


def test_the_secret_and_the_nonces_are_shown_at_the_end_and_not_before():
    table = Table(options={"turnSeconds": None}).seat_all("ann", "ben", nonce=True)
    table.join("cho")
    table.start()
    table.nonce("ann")
    table.timeout(at=table.now + OPENING_MS)
    hidden = [SECRET.hex(), table.at.chance.key.hex(), nonce_of("ann").hex(), nonce_of("ben").hex()]
    for seat in (0, 1, 2):
        for viewer in (SPECTATOR, Seated(seat)):
            shown = encode(table.view(viewer)).decode() + b"".join(table.events).decode()
            assert not [one for one in hidden if one in shown]
        last = table.act(seat, t.Concede())
    assert tags(last)[-2:] == ["game_over", "revealed"]
    assert last.events[-1] == ev.Revealed(SECRET.hex(), (nonce_of("ann").hex(), NO_NONCE.hex(), NO_NONCE.hex()))
    shown = encode(table.view(SPECTATOR)).decode()
    assert SECRET.hex() in shown and nonce_of("ben").hex() not in shown
    assert table.at.chance.key == key_of(SECRET, "K7Q2MX/1", nonce_of("ann"), NO_NONCE, NO_NONCE)
    table.check()


def test_private_parts_of_commands_that_are_refused_leave_no_trace():
    table = Table().seat_all("ann", nonce=True)
    before = table.at
    table.nonce("ann")
    table.send(cmd.Join("ben"), private=b"x" * 32)
    assert table.at.chance == before.chance
