"""Whatever is sent to a room, in whatever order: the log re-executes, nothing hidden leaks, patches rebuild every view.

Method: Hypothesis draws a seed and a length, `Script` makes commands of them: sensible ones mostly, or no game would get
anywhere, and among them wrong seats, wrong turns, early timeouts, wrong nonces, garbage. (Lists of drawn commands would
shrink better, but they come out so short that hardly a game begins.) The log is then read the way everybody else reads
it: by an auditor, by a gateway's audiences batch by batch, by a worker from a snapshot.
"""

import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audience import PUBLIC, publication, shown
from engine.fold import Position, advance
from engine.game import SPECTATOR, Seated
from engine.patch import merge
from engine.rng import commitment
from engine.room.events import TimedOut
from engine.room.view import room_view
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import SECRET, Table, nonce_of

PLAYERS = ("ann", "ben", "cho", "dan", "eve")
OPTIONS: dict[str, tuple[dict, ...]] = {
    "yacht": ({}, {"showPreview": False}, {"scoring": "yahtzee", "turnSeconds": None}, {"scoring": "traditional"}),
    "yut": ({}, {"pieces": 2, "nakPercent": 10}, {"ranking": "all", "turnSeconds": None}),
    "duel": ({}, {"turnSeconds": None}),
}
GARBAGE = (b"", b"{}", b'{"type":"act"}', b"\xff", b'{"type":"timeout","turn":-1}', b"[[[[", b'"start"')

LENGTHS = st.integers(0, 40) | st.integers(60, 240)
SEEDS = st.integers(0, 2**32 - 1)


def around(player: str, n: int) -> cmd.AnyCommand:
    """One of the commands around a game."""
    seat, other = n % 4, n // 4 % 4
    return (
        cmd.Move(player, seat),
        cmd.Swap(player, seat, other),
        cmd.Ready(player, n % 2 == 0),
        cmd.Promise(player, commitment(nonce_of(player))),
        cmd.Kick(player, seat),
        cmd.Transfer(player, seat),
        cmd.Touch(player),
        cmd.Rematch(player, n % 4 != 0),
    )[n // 16 % 8]


class Script:
    """Of two numbers one is which kind of command, the other everything about it."""

    def __init__(self, game: str, options: dict[str, Any], keep_order: bool, seated: int) -> None:
        self.table = Table(game, options, keep_order=keep_order)
        for player in PLAYERS[:seated]:
            self.table.join(player, nonce=player != "ben")

    def run(self, seed: int, length: int) -> Table:
        rnd = random.Random(seed)
        for _ in range(length):
            self.step(rnd.randrange(32), rnd.randrange(2**16))
        return self.table

    def step(self, kind: int, n: int) -> None:
        table, room = self.table, self.table.room
        player = PLAYERS[n % len(PLAYERS)]
        later = table.now + n * 7 % (6_000 if n % 7 == 0 else 600)
        if kind < 18:
            self.go_on(n, later)
        elif kind == 18:
            soon = table.due is not None and (table.due.at_ms or 0) < table.now + 100_000
            table.timeout() if soon or n % 16 == 0 and table.due else table.send(cmd.Timeout(n % 3), later)
        elif kind == 19:
            table.send(cmd.Timeout(n % 20), later)
        elif kind == 20:
            table.drop(player, later)
        elif kind == 21:
            table.back(player, later)
        elif kind == 22:
            table.nonce(player, bytes(32) if n % 3 == 0 else None, later)
        elif kind == 23:
            table.join(player, seat=n % 10 if n % 2 else None, nonce=n % 3 == 0, at=later)
        elif kind == 24:
            table.send(cmd.Leave(player), later)
        elif kind == 25:
            table.start(player, later)
        elif kind == 26:
            known = OPTIONS[table.game.name]
            options = {"turnSeconds": 61} if n % 5 == 0 else known[n % len(known)]
            table.send(cmd.Configure(player, options, cmd.Settings(n % 2 == 0)), later)
        elif kind == 27:
            table.send(GARBAGE[n % len(GARBAGE)], later)
        elif kind == 28:
            table.send(around(player, n // 5), later)
        elif room.phase == "playing":
            self.odd_action(n, later)
        else:
            table.send(cmd.Act(player, n % 4, msgspec.Raw(b'{"type":"roll"}'), n % 3), later)

    def go_on(self, n: int, later: int) -> None:
        """What brings the room forward; now and then somebody was too late, and seldom somebody gives up."""
        table, room, due = self.table, self.table.room, self.table.due
        if room.phase == "lobby":
            table.start(room.host, later)
        elif due is not None and due.at_ms is not None and later >= due.at_ms and n % 5:
            table.send(cmd.Timeout(due.turn), later)
        elif room.phase == "opening":
            value = nonce_of("eve") if n % 8 == 0 else None
            table.nonce(room.seats[due.seats[n % len(due.seats)]].player, value, later)
        elif room.phase == "playing":
            seat = due.seats[n % len(due.seats)]
            moves = table.game.legal(room.state, seat)
            usual = [one for one in moves if type(one).__name__ != "Concede"] if n % 50 else moves
            table.act(seat, usual[n // 8 % len(usual)], later, due.turn if n % 2 else None)

    def odd_action(self, n: int, later: int) -> None:
        """A move that was right for somebody or at some time, or is somebody else's."""
        table, room = self.table, self.table.room
        moves = table.game.legal(room.state, table.due.seats[0])
        seat = n % len(room.seats)
        player = PLAYERS[n // 8 % 5] if n % 4 == 0 else room.seats[seat].player
        move = moves[n // 4 % len(moves)] if n % 50 == 0 else moves[0]
        turn = n % 30 if n % 3 == 0 else None
        table.send(cmd.Act(player, seat, msgspec.Raw(encode(move)), turn), later)


def with_scripts(test):
    """Run `test(table, cuts)` for drawn logs of every game; `cuts` are sizes of batches."""

    @pytest.mark.parametrize("game", sorted(OPTIONS))
    def all_games(game: str) -> None:
        @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.data())
        def drawn(data: st.DataObject) -> None:
            options = data.draw(st.sampled_from(OPTIONS[game]))
            script = Script(game, options, data.draw(st.booleans()), data.draw(st.integers(2, 4)))
            table = script.run(data.draw(SEEDS), data.draw(LENGTHS))
            test(table, data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=9)))

        drawn()

    all_games.__name__ = test.__name__
    all_games.__doc__ = test.__doc__
    return all_games


def viewers(table: Table) -> list:
    return [SPECTATOR, *(Seated(seat) for seat in range(len(table.room.seats)))]


def hidden(table: Table, over: bool) -> list[str]:
    """What nobody may read: everything that chance comes from, until the end; the key and kept nonces even then."""
    never = [table.at.chance.key.hex()] if table.at.chance.key else []
    never += [nonce_of(seat.player).hex() for seat in table.room.seats if seat is not None and not seat.opened]
    return never if over else [*never, SECRET.hex(), *(nonce_of(player).hex() for player in PLAYERS)]


@with_scripts
def test_the_log_re_executes_and_every_fold_is_the_live_room(table, cuts):
    table.check()
    assert not table.parked, "no command, however odd, makes the engine fail"
    assert table.room.version == len(table.events)
    again = Position()
    start = 0
    while start < len(table.entries):
        size = cuts[start % len(cuts)]
        again, _ = advance(table.kit, again, table.entries[start : start + size], table.game_id)
        again = again._replace(room=again.room and table.kit.decode_room(table.kit.encode_room(again.room)))
        start += size
    assert again.room == table.room and again.head == table.at.head and again.chance == table.at.chance


@with_scripts
def test_refused_commands_change_nothing(table, cuts):
    for before, decided, after in table.log:
        if decided.code != "ok":
            assert after.room is before.room and after.chance is before.chance and not decided.events


@with_scripts
def test_nothing_hidden_is_in_any_view_event_or_refusal(table, cuts):
    """P6 and 000_ section 10, information leak."""
    for _, decided, after in table.log:
        if after.room is None:
            continue
        secrets = hidden(table, after.room.revealed is not None)
        told = encode(decided.detail)
        for viewer in viewers(table):
            view = encode(room_view(table.kit, after.room, viewer))
            events = b"".join(shown(table.kit, decided.events, decided.event_bytes, viewer))
            text = (told + view + events).decode()
            assert not [one for one in secrets if one in text]
            _no_null(json.loads(view))


def _no_null(value: Any) -> None:
    assert value is not None, "a view leaves out what is not there: null means removal in a patch"
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _no_null(one)


@with_scripts
def test_merging_the_updates_of_every_audience_gives_exactly_its_view(table, cuts):
    """From nothing to the end, in batches as a worker cuts them; a seat gets its own update or the public one."""
    seats = range(len(table.room.seats))
    held: dict[str, Any] = {PUBLIC: {}} | {str(seat): {} for seat in seats}
    version = 0
    before, start = Position(), 0
    while start < len(table.entries):
        size = cuts[start % len(cuts)]
        after, decided = advance(table.kit, before, table.entries[start : start + size], table.game_id)
        start += size
        out = publication(table.kit, before, after, decided, table.game_id)
        before = after
        if out is None:
            continue
        secrets = hidden(table, after.room.revealed is not None)
        assert (out.from_version, out.version) == (version, after.room.version)
        version = out.version
        for data in out.updates.values():
            assert not [one for one in secrets if one in data.decode()]
        for audience in held:
            update = json.loads(out.updates.get(audience) or out.updates[PUBLIC])
            assert (update["from"], update["version"]) == (out.from_version, version)
            held[audience] = merge(held[audience], update["patch"])
            viewer = SPECTATOR if audience == PUBLIC else Seated(int(audience))
            assert held[audience] == json.loads(encode(room_view(table.kit, after.room, viewer))), audience
    assert version == table.room.version


def test_the_scripts_get_somewhere():
    """A test of this file: the properties above do not hold for want of trying."""
    codes, causes = set(), set()
    for game, options in OPTIONS.items():
        tables = [Script(game, options[0], True, 2).run(seed, 240) for seed in range(12)]
        began = [table for table in tables if table.room.phase in ("playing", "over")]
        assert (
            len(began) >= 8 and max(len(table.events) for table in began) > {"duel": 15, "yut": 50, "yacht": 100}[game]
        )
        for decided in (one for table in tables for _, one, _ in table.log):
            codes.add(decided.code)
            causes |= {event.cause for event in decided.events if type(event) is TimedOut}
    assert causes == {"deadline", "absent"}
    assert {"ok", "stale_turn", "deadline_passed", "not_due", "bad_message", "not_your_seat", "bad_nonce"} <= codes


def test_hands_that_are_not_open_yet_are_seen_by_their_seat_alone():
    table = Table("duel", {"turnSeconds": None}).begin("ann", "ben")
    before = table.at
    chosen = table.act(0, b'{"type":"choose","hand":"paper"}')
    out = publication(table.kit, before, table.at, [chosen], table.game_id)
    assert set(out.updates) == {PUBLIC, "0", "1"}
    assert b"paper" in out.updates["0"] and b"paper" not in out.updates["1"] + out.updates[PUBLIC]
    for update in out.updates.values():
        assert json.loads(update)["events"][0]["type"] == "chosen", "the others learn that it was made"
    before = table.at
    settled = table.act(1, b'{"type":"choose","hand":"rock"}')
    out = publication(table.kit, before, table.at, [settled], table.game_id)
    assert all(b"paper" in update and b"rock" in update for update in out.updates.values())
