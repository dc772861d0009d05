"""Goal: people talk at a table, within bounds, and nothing of it gets into the game. Method: real gateways and sockets."""

import asyncio
import json

import pytest

from services.client import Client, Rejected
from services.gateway.names import clean_line
from tests.services.manners_kit import CHOOSE, duel
from tests.services.raw import Raw, Table, request
from tests.services.raw import table as table
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack


@pytest.mark.parametrize(
    ("ask", "code", "field"),
    [
        ({"kind": "emote", "body": "spam"}, "bad_message", "body"),
        ({"kind": "chat", "body": "   "}, "bad_message", "body"),
        ({"kind": "chat", "body": "가" * 121}, "bad_message", "body"),
        ({"kind": "chat", "body": "a\u202eb"}, "bad_message", "body"),
        ({"kind": "chat", "body": "a\nb"}, "bad_message", "body"),
        ({"kind": "chat", "body": "a\u0000b"}, "bad_message", "body"),
        ({"kind": "chat", "body": "x" * 301}, "bad_message", "body"),
        ({"kind": "chat", "body": ""}, "bad_message", "body"),
        ({"kind": "shout", "body": "x"}, "bad_message", "kind"),
        ({"kind": "suggest", "body": "{}"}, "bad_action", "body"),
        ({"kind": "suggest", "body": "["}, "bad_action", "body"),
        ({"kind": "suggest", "body": json.dumps({"type": "choose", "hand": "gun"})}, "bad_action", "body.hand"),
        ({"kind": "chat", "body": "x", "as": "somebody"}, "not_your_seat", "as"),
        ({"kind": "chat", "body": "x", "id": 3}, "bad_message", None),
    ],
)
def test_what_cannot_be_said(table: Table, ask: dict, code: str, field: str | None) -> None:
    before = table.written()
    table.sockets[0].say({"type": "say", **ask})
    told = table.sockets[0].hear("reject")
    assert told["code"] == code and len(json.dumps(told)) < 1000
    if field is not None:
        assert told["detail"]["field"] == field
    assert table.written() == before


def test_suggestions_are_of_players_only(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls) as (one, _), Client(stack.urls[1], one.room) as guest:
            for client, code in ((guest, "no_seat"), (one, "no_team")):
                with pytest.raises(Rejected) as refused:
                    await client.say("suggest", json.dumps(CHOOSE))
                assert refused.value.code == code
            await guest.say("emote", "wow")

    run(play())


def test_markup_is_text(stack: Stack) -> None:
    """Field report 40: names and lines with markup travel as they are, in JSON of its own type, and pages run no script
    but their own."""
    evil = "<img src=x onerror=alert(1)>"

    async def play() -> None:
        async with duel(stack.urls, start=False) as (one, two):
            with pytest.raises(Rejected) as refused:
                await one.join(evil)
            assert refused.value.code == "bad_name"
            await two.leave()
            await two.join("<b>둘</b>")
            await one.until(lambda c: c.names.get(two.player) == "<b>둘</b>")
            line = await one.say("chat", evil)
            assert line.body == evil

    run(play())
    _, made, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
    status, _, headers = request("GET", f"{stack.urls[0]}/api/rooms/{made['room']}")
    assert status == 200 and headers["content-type"].startswith("application/json")
    assert headers["x-content-type-options"] == "nosniff"
    for path in ("/", "/r/" + made["room"], "/docs"):
        policy = request("GET", stack.urls[0] + path)[2]["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_strangers_to_the_room_say_nothing(stack: Stack) -> None:
    with Raw(stack.urls[0]) as raw:
        raw.say({"type": "say", "kind": "chat", "body": "x"})
        assert raw.hear("reject")["code"] == "hello_first"


def test_lines_are_counted_as_people_see_them() -> None:
    assert clean_line("👨‍👩‍👧‍👦" * 120, 120) is None  # as many code points are no line of chat
    assert clean_line("👍🏽" * 120, 120) == "👍🏽" * 120 and clean_line("👍🏽" * 121, 120) is None
    assert clean_line("e\u0301" * 120, 120) == "é" * 120
    assert clean_line("ab\u2028cd", 120) is None and clean_line("\ufeff", 120) is None


def test_talk_does_not_wait_for_the_game(stack: Stack) -> None:
    """With the worker stopped nothing is decided, and people still talk."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            stack.worker[0].pause()
            try:
                async with asyncio.timeout(60):
                    await one.say("chat", "멈췄나?")
                    await two.until(lambda c: len(c.said) == 1)
            finally:
                stack.worker[0].resume()

    run(play())
