"""Goal: the time limit is the server's: it is an option of the table, its deadlines are in the log, and when one passes the room
plays a default move. Method: every value of the option in Yacht and Yut; view and log name the same deadline, that far from
the turn's beginning, or none; and a limit of five seconds that nobody keeps.
"""

import asyncio
import json

import pytest

from services.store.keys import key
from tests.services.raw import request
from tests.services.test_client import audited, chooser, run, table
from tests.stack import Stack

LIMITS = [("yacht", limit) for limit in (30, 60, 90, None)] + [("yut", limit) for limit in (15, 30, 60, None)]


def test_every_limit_is_in_the_log_and_in_the_view(stack: Stack) -> None:
    async def one_table(game: str, limit_s: int | None) -> None:
        async with table(stack, game, {"turnSeconds": limit_s}, nonce=False) as (one, two):
            mover = await chooser(one, two)
            await mover.act(mover.seat, {"type": "roll" if game == "yacht" else "throw"})
            deadline = mover.view["deadline"]
            log = await audited(stack, mover)
            events = [json.loads(data) for data in log.events]
            due = await asyncio.to_thread(stack.redis.hget, key("r", one.room), "due")
            began = [event for event in events if deadline["since_ms"] in (event.get("since_ms"), event.get("at_ms"))]
            assert began, "the log does not say when the turn began"
            if limit_s is None:
                assert "at_ms" not in deadline and not int(due or 0)
            else:
                assert deadline["at_ms"] - deadline["since_ms"] == limit_s * 1000
                assert int(due) == deadline["at_ms"]
            if game == "yacht":  # its limit is for a turn and part of the event; in Yut each action has its own
                assert began[-1].get("at_ms") == deadline.get("at_ms")

    async def all_of_them() -> None:
        await asyncio.gather(*(one_table(*case) for case in LIMITS))

    run(all_of_them())


@pytest.mark.parametrize("limit", [7, 0, -30, "30", 31.5])
def test_other_limits_are_refused(stack: Stack, limit: object) -> None:
    for game in ("yacht", "yut"):
        status, told, _ = request(
            "POST", f"{stack.urls[0]}/api/rooms", {"game": game, "options": {"turnSeconds": limit}}
        )
        assert (status, told["code"]) == (422, "bad_options")


def test_the_room_plays_when_the_time_is_up(stack: Stack) -> None:
    async def play() -> None:
        async with table(stack, "duel", {"turnSeconds": 5}) as (one, two):
            at_ms = one.view["deadline"]["at_ms"]
            for client in (one, two):
                await client.until(lambda c: c.view["turn"] == 2)
            log = await audited(stack, one)
            events = [json.loads(data) for data in log.events]
            [timed] = [event for event in events if event["type"] == "timed_out"]
            assert (timed["turn"], timed["cause"]) == (1, "deadline")
            assert [event["auto"] for event in events if event["type"] == "chosen"] == [True, True]
            [entry] = [entry for entry in log.entries if b'"timeout"' in entry.data]
            assert int(entry.id.partition(b"-")[0]) >= at_ms

    run(play())
