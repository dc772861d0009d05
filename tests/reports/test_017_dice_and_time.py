"""Goal: when something is rolled says nothing about what is rolled. Method: many rooms roll in the same moment and are equal
no more often than chance has it; the log of each, decided again as if everything had come later, has the same dice.
"""

import asyncio
import contextlib
import itertools
import json

from engine.fold import Position, advance, entry_order
from services.client import Client, create_room
from tests.services.test_client import audited, run
from tests.stack import Stack

ROOMS = 40


def dice(events: list[bytes]) -> list[list[int]]:
    return [event["dice"] for event in map(json.loads, events) if event["type"] == "rolled"]


def test_rolls_of_one_moment_are_not_alike_and_delays_change_none(stack: Stack) -> None:
    async def play() -> None:
        async with contextlib.AsyncExitStack() as leave:

            async def seated(number: int) -> Client:
                room, token = await create_room(stack.urls[number % 2], "yacht", {"turnSeconds": None})
                client = await leave.enter_async_context(Client(stack.urls[number % 2], room, token))
                await client.join("하나", nonce=False)  # which would have to be opened in time
                await client.start()
                await client.until(lambda c: c.view["phase"] == "playing")
                return client

            clients = await asyncio.gather(*map(seated, range(ROOMS)))
            for _ in range(2):
                await asyncio.gather(*(client.act(0, {"type": "roll"}) for client in clients))
            logs = [await audited(stack, client) for client in clients]
        rolled = [dice(log.events) for log in logs]
        assert all(len(found) == 2 for found in rolled)
        # 1560 pairs of rolls with 6**5 results each: 0.2 equal pairs are expected, more than 4 in one of a million runs.
        equal = sum(one[n] == two[n] for n in (0, 1) for one, two in itertools.combinations(rolled, 2))
        assert equal <= 4
        for log, found in zip(logs, rolled, strict=True):
            for delay_ms in (1, 7_777):
                late = []
                for number, entry in enumerate(log.entries):
                    ms, seq = entry_order(entry.id)
                    late.append(entry._replace(id=b"%d-%d" % (ms + number * delay_ms, seq)))
                _, decided = advance(log.kit, Position(), late, log.game_id)
                assert dice([data for one in decided for data in one.event_bytes]) == found

    run(play())
