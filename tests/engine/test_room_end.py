"""How a game ends: by its rules, by concession, by itself; and that the end is part of the same decision."""

import msgspec

from engine.audience import publication
from engine.game import SPECTATOR, Seated
from engine.games.yacht import types as t
from engine.room import events as ev
from schemas import entry as cmd
from schemas.base import encode
from tests.engine.room_kit import SECRET, Table, tags


def play_out(table: Table) -> None:
    """Everyone rolls once and takes the first box that is open."""
    while table.room.phase == "playing":
        seat = table.due.seats[0]
        assert table.act(seat, t.Roll()).code == "ok"
        boxes = [one for one in table.game.legal(table.room.state, seat) if type(one) is t.Score]
        assert table.act(seat, boxes[0]).code == "ok"


def test_twelve_rounds_of_three_players_end_by_themselves_and_equal_totals_share_a_rank():
    table = Table(options={"turnSeconds": None}).begin("ann", "ben", "cho")
    play_out(table)
    over, revealed = table.log[-1][1].events[-2:]
    assert isinstance(over, ev.GameOver) and isinstance(revealed, ev.Revealed)
    assert (
        table.room.phase == "over"
        and table.room.result == over.result
        and table.view(SPECTATOR).deadline is msgspec.UNSET
    )
    totals = [line["total"] for line in over.result["ranking"]]
    assert [line["rank"] for line in over.result["ranking"]] == [1 + sum(b > a for b in totals) for a in totals]
    scored = [data for data in table.events if b'"type":"scored"' in data]
    assert len(scored) == 36
    view = table.view(SPECTATOR)
    assert view.result == over.result and view.deadline is msgspec.UNSET and view.acting is msgspec.UNSET
    assert view.revealed.secret == SECRET.hex()
    table.check()


def test_one_player_alone_plays_twelve_rounds():
    table = Table(options={"turnSeconds": None}).begin("ann")
    play_out(table)
    assert table.room.result["winners"] == [0] and table.room.state.round == 12
    table.check()


def test_a_concession_fills_zeros_is_skipped_afterwards_and_counts_in_the_result():
    table = Table(options={"turnSeconds": None}).begin("ann", "ben", "cho")
    conceded = table.act(1, t.Concede())
    assert tags(conceded) == ["conceded"] and len(conceded.events[0].zeroed) == 12
    assert table.act(1, t.Concede()).code == "already_conceded"
    played = []
    while table.room.phase == "playing":
        seat = table.due.seats[0]
        played.append(seat)
        table.act(seat, t.Roll())
        boxes = [one for one in table.game.legal(table.room.state, seat) if type(one) is t.Score]
        table.act(seat, boxes[0])
    assert played == [0, 2] * 12
    assert {line["seat"]: line["total"] for line in table.room.result["ranking"]}[1] == 0
    table.check()


def test_when_everybody_concedes_the_game_ends_at_once():
    table = Table().begin("ann", "ben")
    assert tags(table.act(0, t.Concede())) == ["conceded", "turn_changed"]
    assert tags(table.act(1, t.Concede())) == ["conceded", "game_over", "revealed"]
    assert table.room.result["winners"] == [0, 1]
    table.check()


def test_a_timeout_can_be_the_last_move():
    table = Table().begin("ann")
    for _ in range(12):
        last = table.timeout()
    assert tags(last)[-2:] == ["game_over", "revealed"] and table.room.phase == "over"
    table.check()


def test_after_the_end_only_presence_is_taken_down():
    table = Table().begin("ann", "ben")
    table.act(0, t.Concede())
    table.act(1, t.Concede())
    for seat in (0, 1):
        assert table.act(seat, t.Roll()).code == "not_playing"
    for command in (cmd.Join("cho"), cmd.Leave("ann"), cmd.Start("ann"), cmd.Configure("ann", {}), cmd.Timeout(2)):
        assert table.send(command).code in ("not_in_lobby", "stale_turn")
    assert table.nonce("ann").code == "not_opening"
    assert tags(table.drop("ann")) == ["disconnected"] and tags(table.back("ann")) == ["connected"]
    assert table.room.phase == "over" and table.view(SPECTATOR).deadline is msgspec.UNSET
    table.check()


def test_a_view_never_holds_the_generator():
    """000_ section 10, information leak: no rng, seed, key, secret or nonce in any view of a running game."""
    table = Table().begin("ann", "ben")
    table.act(0, t.Roll())
    for viewer in (SPECTATOR, Seated(0), Seated(1)):
        keys = set(_keys(msgspec.json.decode(encode(table.view(viewer)))))
        assert not keys & {"rng", "seed", "key", "secret", "nonces", "chance", "draws", "revealed"}


def _keys(value):
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _keys(one)
    elif isinstance(value, list):
        for one in value:
            yield from _keys(one)


def test_the_same_secret_and_actions_give_the_same_dice():
    """000_ section 10, replay."""
    logs = []
    for _ in range(2):
        table = Table(options={"turnSeconds": None}, keep_order=False).begin("ann", "ben")
        play_out(table)
        logs.append(table.events)
    assert logs[0] == logs[1]


# --- what is published


def test_an_update_carries_the_receipt_and_the_accepted_action_numbers():
    table = Table().begin("ann", "ben")
    before = table.at
    table.send(cmd.Act("ann", 0, msgspec.Raw(b'{"type":"roll"}')), origin="tab-1:7")
    table.send(cmd.Act("ben", 1, msgspec.Raw(b'{"type":"roll"}')), origin="tab-2:3")
    decided = [one for _, one, _ in table.log[-2:]]
    got = publication(table.kit, before, table.at, decided, table.game_id)
    update = msgspec.json.decode(got.updates["public"])
    assert (got.from_version, got.version) == (before.room.version, before.room.version + 1)
    assert update["from"] == got.from_version and update["version"] == got.version
    assert update["entry"] == decided[-1].entry.id.decode() and update["game"] == "K7Q2MX/1"
    assert len(update["head"]) == 43 and update["done"] == [["tab-1", 7]]
    assert [event["type"] for event in update["events"]] == ["rolled"]
    assert set(got.updates) == {"public"}


def test_a_batch_that_changed_nothing_is_not_published():
    table = Table().begin("ann", "ben")
    before = table.at
    table.send(cmd.Act("ben", 1, msgspec.Raw(b'{"type":"roll"}')), origin="tab-2:3")
    table.back("ann")
    assert publication(table.kit, before, table.at, [one for _, one, _ in table.log[-2:]], table.game_id) is None
