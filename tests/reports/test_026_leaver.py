"""Goal: whoever closes the tab for good blocks nobody, also without a time limit, and the game ends when only leavers remain.
Method: three play Yut without a limit; the one in turn leaves; after the grace the room moves for them and the next one can act;
the others concede one after the other, and the end is there with the second concession.
"""

import contextlib
import json
import random
import time

from services.client import Client, create_room
from services.client.play import choose
from tests.services.test_client import audited, run, same
from tests.stack import Stack

GRACE_S = 5.0


async def one_move_left(held: list[Client]) -> Client:
    """Play until the one in turn has a single result left to move with; who that is."""
    rng = random.Random(26)
    while True:
        [seat] = held[0].view["acting"]
        acting = next(client for client in held if client.seat == seat)
        await acting.until(lambda c: c.version >= held[0].version)
        table = acting.view["table"]
        if table["phase"] == "move" and len(table["pending"]) == 1:
            return acting
        done = await acting.act(seat, choose((await acting.legal(seat)).actions, rng))
        await held[0].until(lambda c, version=done.version: c.version >= version)


def test_the_one_in_turn_leaves_for_good_and_the_others_give_up(stack: Stack) -> None:
    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yut", {"turnSeconds": None})
        async with contextlib.AsyncExitStack() as leave:
            held = []
            for number in range(3):
                client = Client(stack.urls, room, None if number else token, first=number)
                held.append(await leave.enter_async_context(client))
                await client.join(f"p{number}")
            await held[0].start()
            for client in held:
                await client.until(lambda c: c.view["phase"] == "playing")
            gone = await one_move_left(held)
            here = [client for client in held if client is not gone]
            seat = gone.seat
            left = time.monotonic()
            await gone.close()
            watcher = here[0]
            await watcher.until(lambda c: c.view["acting"] != [seat])
            assert time.monotonic() - left > GRACE_S - 0.1
            timed = [event for event in watcher.events if event["type"] == "timed_out"]
            assert timed and {event["cause"] for event in timed} == {"absent"}
            [acting] = watcher.view["acting"]
            mover = next(client for client in here if client.seat == acting)
            await mover.until(lambda c: c.version >= watcher.version)  # it decides on what the watcher has seen
            await mover.act(acting, {"type": "throw"})
            await here[0].act(here[0].seat, {"type": "concede"})
            assert here[0].view["phase"] == "playing", "two sides are left"
            await here[1].act(here[1].seat, {"type": "concede"})
            assert here[1].view["phase"] == "over"
            await same(*here)
            log = await audited(stack, here[1])
            assert [json.loads(data)["type"] for data in log.events].count("game_over") == 1

    run(play())
