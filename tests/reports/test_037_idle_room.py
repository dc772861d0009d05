"""Goal: no table is closed under people who think, and an idle room is warned before it closes. Method: a duel without a time
limit has nothing that could end it; an idle lobby is warned, kept by a sign of life, warned again, and closed. Time passes by
hand: the scheduler's entry is written with the id, and so the time, at which it would be due.
"""

import asyncio
import contextlib
import json

import pytest

from services.client import Client, Rejected, create_room, new_player
from services.store.keys import key
from tests.services.manners_kit import CHOOSE
from tests.services.raw import request
from tests.services.test_client import run
from tests.stack import Stack


def test_a_closed_room_is_shown_and_does_nothing(stack: Stack) -> None:
    """Nobody does anything: a warning, then the end. Who comes later sees that; every deed gets `room_closed`."""

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "duel", {}, {"idle_s": 30, "public": True})
        async with Client(stack.urls[0], room, token) as one:
            await one.join("하나")
            # Time passes by hand: what the scheduler writes when the deadline of this version is over.
            await _skip(one, "idle_warned")
            await one.touch()
            await one.until(lambda c: "closes_ms" not in c.view)
            await _skip(one, "idle_warned")
            await _skip(one, "closed")
            assert one.view["phase"] == "closed" and one.closes == []
            for deed in (one.start(), one.leave(), one.touch(), one.rematch(), one.act(0, CHOOSE)):
                with pytest.raises(Rejected) as refused:
                    await deed
                assert refused.value.code == "room_closed"
            _, other = await new_player(stack.urls[1])
            async with Client(stack.urls[1], room, other) as late:
                assert late.view["phase"] == "closed" and late.view == one.view
                with pytest.raises(Rejected) as refused:
                    await late.join("늦은")
                assert refused.value.code == "room_closed"
            assert (await asyncio.to_thread(request, "GET", f"{stack.urls[0]}/api/rooms/{room}"))[1][
                "phase"
            ] == "closed"

    async def _skip(client: Client, event: str) -> None:
        """Write a Timeout as of the deadline: ids may be set ahead of the clock, and time is in them."""
        game = client.game
        await client.until(lambda c: c.view["phase"] == "lobby")
        due, turn = await asyncio.to_thread(stack.redis.hmget, key("r", client.room), "due", "turn")
        data = json.dumps({"type": "timeout", "turn": int(turn)})
        await asyncio.to_thread(stack.redis.xadd, key("a", game), {"d": data}, id=f"{int(due) + 1}-0")
        # whatever wakes the room makes the worker read on
        with contextlib.suppress(Rejected):
            await client.act(0, CHOOSE)
        await client.until(lambda c: any(one["type"] == event for one in c.events[-4:]))

    run(play())


def test_a_game_in_which_people_think_is_never_closed(stack: Stack) -> None:
    """Without a time limit and with everybody here nothing is due, whatever the idle time; that is said in the lobby."""

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "duel", {"turnSeconds": None}, {"idle_s": 30})
        async with Client(stack.urls[0], room, token) as one, Client(stack.urls[1], room) as two:
            assert two.view["settings"]["idle_s"] == 30
            await one.join("하나")
            await two.join("둘")
            await one.start()
            await two.until(lambda c: c.view["phase"] == "playing")
            due = await asyncio.to_thread(stack.redis.hget, key("r", room), "due")
            assert not int(due or 0)
            assert "at_ms" not in two.view["deadline"] and "closes_ms" not in two.view
            # Two hours later, by the clock of the log, nothing the scheduler could write ends it.
            now_ms = int(one.receipts[-1].entry.partition("-")[0])
            for turn in (0, 1, two.version):
                late = f"{now_ms + 7_200_000 + turn}-0"
                data = json.dumps({"type": "timeout", "turn": turn})
                await asyncio.to_thread(stack.redis.xadd, key("a", room + "/1"), {"d": data}, id=late)
            await one.act(one.seat, CHOOSE)
            await two.until(lambda c: c.view["table"]["chosen"] == [one.seat])
            assert two.view["phase"] == "playing"

    run(play())
