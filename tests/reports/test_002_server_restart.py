"""Goal: after a restart of the server in mid-game both players see each other's moves, without doing anything. Method: one
scores and has the answer; gateway and worker die by kill -9 and others, on other addresses, take their place; both clients
come back by themselves, the score is still there, and the first one sees the other's roll.
"""

import asyncio
from pathlib import Path

from services.client import Client, create_room
from tests.services.test_client import audited, run, same
from tests.stack import Stack


def test_others_take_the_place_of_a_killed_gateway_and_worker(tmp_path: Path) -> None:
    async def play(stack: Stack) -> None:
        next_gateway, next_worker = stack.add("gateway", "next-gateway"), stack.add("worker", "next-worker")
        room, token = await create_room(stack.urls[0], "yacht", {"turnSeconds": None}, {"keep_order": True})
        async with Client(stack.urls, room, token) as one, Client(stack.urls, room) as two:
            await one.join("하나")
            await two.join("둘")
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            await one.act(0, {"type": "roll"})
            await one.act(0, {"type": "score", "category": "choice"})
            total = one.view["table"]["sheets"]["0"]["total"]
            stack.worker[0].kill()
            stack.gateway[0].kill()
            await asyncio.gather(*(client.until(lambda c: c.closes) for client in (one, two)))
            for process in (next_gateway, next_worker):
                process.start(wait=False)
            await asyncio.gather(*(client.ready() for client in (one, two)))
            assert one.view["table"]["sheets"]["0"]["total"] == two.view["table"]["sheets"]["0"]["total"] == total > 0
            rolled = asyncio.create_task(two.act(1, {"type": "roll"}))
            await asyncio.to_thread(next_worker.wait_ready)
            await one.until(lambda c: any(event["type"] == "rolled" and event["seat"] == 1 for event in c.events))
            await rolled
            await same(one, two)
            await audited(stack, one)

    with Stack(tmp_path) as stack:
        run(play(stack))
