"""Goal: a deadline that passes while nobody works takes effect once, as soon as somebody does, whoever it is. Method: all
workers stand still across the deadlines of several rooms and go on; then the worker that armed the next ones is killed and
another one is there for them. Players and log have one outcome.
"""

import asyncio
import json
import time
from pathlib import Path

from tests.faults.campaign import judge, tables
from tests.services.test_client import audited, run
from tests.stack import Stack


def timed_out(client, turn: int) -> bool:
    return any(event["type"] == "timed_out" and event["turn"] == turn for event in client.events)


def test_deadlines_pass_while_workers_stand_still_or_die(tmp_path: Path) -> None:
    async def play(stack: Stack) -> None:
        async with tables(stack.urls, 5, "duel", {"turnSeconds": 15}) as found:
            everybody = [player for table in found for player in table.players]
            for worker in stack.worker:
                worker.pause()
            due = max(table.players[0].view["deadline"]["at_ms"] for table in found) / 1000
            await asyncio.sleep(due + 1.0 - time.time())  # nothing may happen, so there is nothing to wait for
            assert not any(timed_out(player, 1) for player in everybody)
            for worker in stack.worker:
                worker.resume()
            await asyncio.gather(*(player.until(lambda c: timed_out(c, 1)) for player in everybody))
            for worker in stack.worker:
                worker.kill()
            stack.add("worker", "another").start(wait=False)
            await asyncio.gather(*(player.until(lambda c: timed_out(c, 2)) for player in everybody))
            for table in found:
                log = await audited(stack, table.players[0])
                turns = [event["turn"] for event in map(json.loads, log.events) if event["type"] == "timed_out"]
                assert turns == [1, 2]
            await judge(stack.server.url, found)

    with Stack(tmp_path, gateways=2, workers=2) as stack:
        run(play(stack))
