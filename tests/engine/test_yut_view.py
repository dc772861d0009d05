"""Goal: the view says all that a client draws and nothing about what comes; events can be animated as they are."""

import json

import pytest

from engine.game import SPECTATOR, Seated
from engine.games.yut import GAME
from engine.games.yut.types import HOME
from schemas.base import encode
from tests.engine.test_yut_table import Table


def shown(table: Table, viewer=SPECTATOR) -> dict:
    return json.loads(encode(GAME.view(table.state, viewer)))


def test_a_view_is_exactly_this():
    table = Table({22: 2, "done": 1}, {1: 1}, pending=())
    table.throw("yut", "backdo")
    assert shown(table) == {
        "phase": "move",
        "owed": 0,
        "pending": ["yut", "backdo"],
        "board": {"22": {"side": 0, "count": 2, "back": 21}, "1": {"side": 1, "count": 1, "back": 0}},
        "sides": {"0": {"seats": [0], "home": 1, "done": 1}, "1": {"seats": [1], "home": 3, "done": 0}},
        "seat": 0,
        "side": 0,
        "last": {"result": "backdo", "sticks": [True, False, False, False]},
    }
    assert shown(table, Seated(1)) == shown(table)
    mine = shown(table, Seated(0))
    assert mine.pop("hint") == 0  # yut from the centre goes out
    assert mine.pop("legal_moves") == [
        {"throw_index": 0, "from": 22, "to": "goal", "path": [27, 28, 0], "finishes": 2},
        {"throw_index": 0, "from": "home", "to": 4, "path": [1, 2, 3, 4]},
        {"throw_index": 1, "from": 22, "to": 21, "path": [21]},
    ]
    assert mine == shown(table)


def test_legal_moves_tell_captures_and_joins():
    table = Table({1: 1, 3: 2}, {4: 3}, pending=("do", "geol"))
    moves = {(m["throw_index"], m["from"]): m for m in shown(table, Seated(0))["legal_moves"]}
    assert moves[0, 3]["captures"] == 3 and moves[1, 1]["captures"] == 3
    assert moves[0, "home"]["joins"] == 1 and moves[1, "home"]["joins"] == 2
    assert set(moves[1, 3]) == {"throw_index", "from", "to", "path"}


def test_only_the_seat_in_turn_gets_moves_and_only_while_it_moves():
    table = Table({3: 1}, {}, mode="team", seats=4)
    assert GAME.apart(table.state) == () and shown(table, Seated(0)) == shown(table)
    assert (shown(table)["owed"], shown(table)["why"]) == (1, "turn")
    table.throw("do")
    assert GAME.apart(table.state) == (0,)
    assert "legal_moves" in shown(table, Seated(0)) and "legal_moves" not in shown(table, Seated(2))
    assert shown(table)["sides"]["0"]["seats"] == [0, 2] and shown(table)["sides"]["1"]["seats"] == [1, 3]


def test_the_reason_of_an_owed_throw_is_shown():
    table = Table({3: 1}, {5: 1})
    table.throw("mo")
    assert (shown(table)["owed"], shown(table)["why"]) == (1, "mo")
    table.throw("gae")
    table.move(1, 3)
    assert (shown(table)["owed"], shown(table)["why"]) == (1, "capture")


@pytest.mark.parametrize(
    ("options", "back"), [({}, 0), ({"backdoFromDo": "finish"}, "goal"), ({"backdo": False}, None)]
)
def test_a_spot_says_where_a_backdo_would_lead(options, back):
    assert shown(Table({1: 1}, {}, **options))["board"]["1"].get("back") == back


def test_nak_shows_no_sticks():
    table = Table({}, {}, nakPercent=3)
    table.throw("nak")
    assert shown(table)["last"] == {"result": "nak"}


def test_the_end_and_those_who_left_are_shown():
    table = Table({28: 1, "done": 3}, {3: 1}, {}, pending=("gae",))
    table.concede(2)
    assert shown(table)["conceded"] == [2] and shown(table)["sides"]["2"]["out"] is True
    table.move(0, 28)
    view = shown(table, Seated(0))
    assert view["phase"] == "finished" and view["sides"]["0"]["rank"] == 1
    assert not {"seat", "side", "why", "legal_moves", "hint"} & set(view)


def test_nothing_in_view_or_events_tells_of_coming_throws():
    table = Table({}, {})
    table.throw("yut", "do")
    for data in (encode(GAME.view(table.state, Seated(0))), *map(encode, table.events)):
        text = data.decode()
        assert not any(word in text for word in ("rng", "seed", "key", "secret", "next", "nonce")), text


def test_events_are_stored_like_this():
    table = Table({3: 1}, {5: 2})
    table.throw("gae")
    assert [json.loads(encode(event)) for event in table.events] == [
        {
            "type": "thrown",
            "seat": 0,
            "sticks": [True, True, False, False],
            "result": "gae",
            "turn": 2,
            "since_ms": 1_700_000_001_000,
            "draws": 4,
        }
    ]
    table.move(0, 3)
    assert [json.loads(encode(event)) for event in table.events] == [
        {
            "type": "moved",
            "side": 0,
            "throw_index": 0,
            "result": "gae",
            "from": 3,
            "to": 5,
            "path": [4, 5],
            "count": 1,
            "turn": 3,
            "since_ms": 1_700_000_002_000,
        },
        {"type": "captured", "side": 0, "victim_side": 1, "node": 5, "count": 2, "bonus": True},
    ]


def test_every_move_event_says_its_whole_way():
    for start, outcome in ((HOME, "mo"), (5, "geol"), (22, "yut"), (0, "do"), (20, "backdo"), (1, "backdo")):
        table = Table({start: 1} if start != HOME else {}, {}, pending=(outcome,))
        table.move(0, start)
        event = table.events[0]
        if event.to == "goal":
            assert event.path == () or event.path[-1] == 0
        else:
            assert event.path[-1] == event.to
        assert len(event.path) <= 5 and start not in event.path
