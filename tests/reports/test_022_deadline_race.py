"""Goal: what a player does around the deadline and what the room does then never both count. Method: rooms whose deadlines pass
while an action is sent some milliseconds before or after; the log has one action for the seat, made by the player when it
reached the log before the deadline and by the room otherwise, and the player was told which.
"""

import asyncio
import json
import time

from engine.fold import entry_ms
from services.client import Client, Rejected, create_room
from tests.services.manners_kit import CHOOSE
from tests.services.test_client import audited, run
from tests.stack import Stack

OFFSETS_MS = (-15_000, *range(-20, 21, 4), 300)  # the outer ones are certain to be early and late


def test_an_act_at_the_deadline_counts_once(stack: Stack) -> None:
    outcomes: list[str] = []

    async def room(offset_ms: int) -> None:
        code, token = await create_room(stack.urls[0], "duel", {"turnSeconds": 15})
        async with Client(stack.urls[0], code, token) as one, Client(stack.urls[1], code) as two:
            await one.join("하나")
            await two.join("둘")
            await one.start()
            await two.until(lambda c: c.view["phase"] == "playing")
            await two.act(two.seat, CHOOSE, 1)
            deadline_ms, seat = one.view["deadline"]["at_ms"], one.seat
            # server and test share a clock here
            await asyncio.sleep((deadline_ms + offset_ms) / 1000 - time.time())
            try:
                await one.act(seat, CHOOSE, 1)
                outcome = "manual"
            except Rejected as error:
                assert error.code in ("deadline_passed", "stale_turn"), error.code
                outcome = error.code
            outcomes.append(outcome)
            await one.until(lambda c: c.view["turn"] == 2)
            log = await audited(stack, one)
            events = [json.loads(data) for data in log.events]
            first = events[: next(n for n, event in enumerate(events) if event["type"] == "shown")]
            [chosen] = [event for event in first if event["type"] == "chosen" and event["seat"] == seat]
            causes = [event["cause"] for event in first if event["type"] == "timed_out"]
            acts = [entry for entry in log.entries if b'"act"' in entry.data and one.player.encode() in entry.data]
            assert len(acts) == 1
            if outcome == "manual":
                assert "auto" not in chosen and causes == [] and entry_ms(acts[0].id) < deadline_ms
            else:
                assert chosen["auto"] is True and causes == ["deadline"] and entry_ms(acts[0].id) >= deadline_ms

    async def all_of_them() -> None:
        await asyncio.gather(*map(room, OFFSETS_MS))

    run(all_of_them())
    assert "manual" in outcomes and {"deadline_passed", "stale_turn"} & set(outcomes), outcomes
