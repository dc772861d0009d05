"""Goal: people without a seat write nothing into a room's log, and nobody who may do something is ever refused for it.

Method: raw sockets at real gateways; the streams are counted. A worker that stands still makes what gateways know old.
"""

import itertools
from collections.abc import Iterator

import pytest

from tests.services.raw import Raw, Table, request, written
from tests.services.raw import table as table
from tests.stack import Stack
from tests.stack import stack as stack

NONCE = "0" * 64
ASKS = (
    {"type": "leave"},
    {"type": "configure", "settings": {"idle_s": 30}},
    {"type": "move", "seat": 1},
    {"type": "swap", "seat": 0, "other": 1},
    {"type": "ready", "ready": True},
    {"type": "promise", "nonce_hash": NONCE},
    {"type": "kick", "seat": 0},
    {"type": "transfer", "seat": 0},
    {"type": "touch"},
    {"type": "rematch"},
    {"type": "start"},
    {"type": "nonce", "nonce": NONCE},
    {"type": "act", "seat": 0, "action": {"type": "choose", "hand": "rock"}},
)
IN_LOBBY = (
    "no_seat not_host no_seat not_host no_seat no_seat not_host not_host no_seat not_over not_host no_seat not_playing"
)
IN_PLAY = "not_in_lobby " * 8 + "no_seat not_over not_in_lobby no_seat not_your_seat"
numbers = itertools.count(1)


def new(stack: Stack) -> tuple[str, str]:
    """(room, token of its host), with nobody seated."""
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    return made["room"], made["token"]


def somebody(stack: Stack) -> str:
    return request("POST", f"{stack.urls[0]}/api/me", {})[1]["token"]


@pytest.fixture
def lobby(stack: Stack) -> Iterator[tuple[Stack, str, Raw]]:
    """A room whose host watches and has no seat."""
    room, token = new(stack)
    with Raw(stack.urls[0]).hello(room, token) as host:
        yield stack, room, host


def answer(socket: Raw, ask: dict, number: int | None = None) -> str:
    """ok, or the code."""
    number = number or next(numbers)
    socket.say({**ask, "id": number})
    while True:
        told = socket.hear_any()
        if told["type"] == "reject" and told.get("id") == number:
            return told["code"]
        if told["type"] == "ack" and told["id"] == number and told.get("outcome") == "ok":
            return "ok"
        if told["type"] == "update" and [socket.welcome["session"], number] in told.get("done", []):
            return "ok"


def test_strangers_in_the_lobby_leave_no_trace(lobby) -> None:
    stack, room, _ = lobby
    with Raw(stack.urls[1]).hello(room, somebody(stack)) as stranger:
        before = written(stack, room)
        assert [answer(stranger, ask) for ask in ASKS] == IN_LOBBY.split()
        assert written(stack, room) == before
        assert answer(stranger, {"type": "join", "name": "나"}) == "ok"
        assert answer(stranger, {"type": "ready", "ready": True}) == "ok"


def test_strangers_in_a_running_game_leave_no_trace_even_when_they_have_a_name(table: Table) -> None:
    with Raw(table.url).hello(table.room, somebody(table.stack)) as stranger:
        before = table.written()
        assert answer(stranger, {"type": "join", "name": "나"}) == "not_in_lobby"
        assert [answer(stranger, ask) for ask in ASKS] == IN_PLAY.split()
        assert table.written() == before


def test_the_host_needs_no_seat(lobby) -> None:
    stack, room, host = lobby
    assert answer(host, {"type": "configure", "settings": {"keep_order": True}}) == "ok"
    assert answer(host, {"type": "touch"}) == "ok"
    with Raw(stack.urls[1]).hello(room, somebody(stack)) as guest:
        assert answer(guest, {"type": "join", "name": "나"}) == "ok"
        assert answer(host, {"type": "transfer", "seat": 0}) == "ok"
        assert answer(guest, {"type": "configure", "settings": {}}) == "ok"
        before = written(stack, room)
        assert answer(host, {"type": "kick", "seat": 0}) == "not_host"
        assert written(stack, room) > before, "in doubt the log is asked"


def test_who_asked_for_a_seat_is_heard_before_any_gateway_knows_it(lobby) -> None:
    """The Join stands undecided in the log when its sender goes on, here and in a tab at another gateway."""
    stack, room, _ = lobby
    token = somebody(stack)
    with Raw(stack.urls[1]).hello(room, token) as guest, Raw(stack.urls[0]).hello(room, token) as tab:
        stack.worker[0].pause()
        try:
            guest.say({"type": "join", "name": "나", "id": 1})
            guest.say({"type": "promise", "nonce_hash": NONCE, "id": 2})
            guest.hear("ack", 2)
            tab.say({"type": "ready", "ready": True, "id": 1})
            tab.hear("ack", 1)
        finally:
            stack.worker[0].resume()
        while not tab.hear("update")["patch"].get("seats", {}).get("0", {}).get("ready"):
            pass


def test_an_ask_that_is_in_the_log_has_its_outcome_for_good(lobby) -> None:
    """Somebody who was seated when they asked, and is a stranger now, asks again by the same ids (P3)."""
    stack, room, host = lobby
    token = somebody(stack)
    with Raw(stack.urls[1]).hello(room, token, session="the-tab") as guest:
        assert answer(guest, {"type": "join", "name": "나"}, 1) == "ok"
        assert answer(guest, {"type": "ready", "ready": True}, 2) == "ok"
        assert answer(guest, {"type": "swap", "seat": 0, "other": 1}, 3) == "not_host"
        assert answer(guest, {"type": "leave"}, 4) == "ok"
    with Raw(stack.urls[0]).hello(room, somebody(stack)) as other:
        for socket, name in ((host, "너"), (other, "우리")):
            assert answer(socket, {"type": "join", "name": name}) == "ok"
        assert answer(host, {"type": "start"}) == "ok"
        with Raw(stack.urls[0]).hello(room, token, session="the-tab") as guest:
            assert guest.snapshot["view"]["phase"] == "playing"
            before = written(stack, room)
            assert answer(guest, {"type": "ready", "ready": True}, 2) == "ok"
            assert answer(guest, {"type": "swap", "seat": 0, "other": 1}, 3) == "not_host"
            assert answer(guest, {"type": "leave"}, 4) == "ok"
            assert answer(guest, {"type": "leave"}, 5) == "not_in_lobby"
            assert written(stack, room) == before
