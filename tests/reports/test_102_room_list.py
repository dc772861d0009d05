"""Goal: the list of rooms is right while rooms come and go. Method: rooms are made, hidden and closed all the time and the list
is read all the time: no ghost, no private room, and what is shown tells game, rules and seats.
"""

import asyncio
import time

from services.client import Client, create_room, public_rooms
from tests.services.manners_kit import codes
from tests.services.test_client import run
from tests.stack import Stack


def test_the_list_under_many_rooms(stack: Stack) -> None:
    """Field report 102: rooms are made, hidden and closed all the time. No ghosts, no private room, never an error."""

    async def play() -> None:
        hidden: set[str] = set()
        shown: dict[str, float] = {}
        gone: dict[str, float] = {}
        seen: set[str] = set()
        over = asyncio.Event()

        async def reader(url: str) -> None:
            while not over.is_set():
                begun = time.monotonic()
                found = codes(await public_rooms(url))
                assert not found & hidden, "a private room is listed"
                ghosts = {room for room, left in gone.items() if left < begun - 1.5} & found
                assert not ghosts
                seen.update(found)

        async def maker(number: int) -> None:
            for turn in range(5):
                private = (number + turn) % 3 == 0
                room, token = await create_room(stack.urls[turn % 2], "duel", {}, {"public": not private})
                (hidden.add if private else lambda name: shown.update({name: time.monotonic()}))(room)
                async with Client(stack.urls, room, token) as host:
                    if not private:
                        await host.configure(settings={"public": False})
                        gone[room] = time.monotonic()

        readers = [asyncio.create_task(reader(url)) for url in stack.urls]
        stay = [await create_room(stack.urls[0], "duel", {}, {"public": True}) for _ in range(3)]
        await asyncio.gather(*(maker(number) for number in range(12)))
        await asyncio.sleep(1.2)
        over.set()
        await asyncio.gather(*readers)
        for url in stack.urls:
            found = codes(await public_rooms(url))
            assert {room for room, _ in stay} <= found and not found & gone.keys()
        assert seen >= {room for room, _ in stay}

    run(play())
