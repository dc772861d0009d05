"""Goal: the list of rooms is right while rooms come and go. Method: rooms are made, hidden and closed all the time and the list
is read all the time: no ghost, no private room, and what is shown tells game, rules and seats.
"""

import asyncio
import contextlib

from services.client import Client, create_room, public_rooms
from tests.services.manners_kit import codes
from tests.services.test_client import run
from tests.stack import Stack


def test_the_list_under_many_rooms(stack: Stack) -> None:
    """Field report 102: rooms are made, hidden and closed all the time. No ghosts, no private room, never an error."""

    async def play() -> None:
        hidden: set[str] = set()
        gone: set[str] = set()
        seen: set[str] = set()
        over = asyncio.Event()

        async def reader(url: str) -> None:
            while not over.is_set():
                found = codes(await public_rooms(url))
                assert not found & hidden, "a private room is listed"
                seen.update(found)

        async def maker(number: int) -> None:
            for turn in range(5):
                private = (number + turn) % 3 == 0
                room, token = await create_room(stack.urls[turn % 2], "duel", {}, {"public": not private})
                if private:
                    hidden.add(room)
                async with Client(stack.urls, room, token) as host:
                    if not private:
                        await host.configure(settings={"public": False})
                        gone.add(room)

        readers = [asyncio.create_task(reader(url)) for url in stack.urls]
        stay = [await create_room(stack.urls[0], "duel", {}, {"public": True}) for _ in range(3)]
        async with contextlib.AsyncExitStack() as present:  # an empty room is not shown
            for room, token in stay:
                await present.enter_async_context(Client(stack.urls, room, token))
            await asyncio.gather(*(maker(number) for number in range(12)))
            for url in stack.urls:  # each gateway's list is at most a second old
                async with asyncio.timeout(60):
                    while (found := codes(await public_rooms(url))) & gone or not {room for room, _ in stay} <= found:
                        await asyncio.sleep(0.1)
        over.set()
        await asyncio.gather(*readers)
        assert seen >= {room for room, _ in stay}

    run(play())
