"""Goal: rooms that can be found, that go on with the same people, and that end. Method: real gateways and workers; the
list is read while rooms come and go, games are followed by players and watchers alike.
"""

import asyncio
import json
import time

from services.client import public_rooms
from services.store.keys import PUBLIC
from tests.services.manners_kit import codes, duel, finish
from tests.services.raw import Raw, Table, request
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack

# The list


def test_the_list_shows_public_rooms_and_what_they_play(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls, {"public": True}, start=False) as (one, two):
            for url in stack.urls:
                [found] = [room for room in await public_rooms(url) if room["room"] == one.room]
                assert (found["phase"], found["players"], found["seats_max"]) == ("lobby", 2, 2)
                assert found["options"] == {"turnSeconds": 15} and found["settings"]["public"] is True
                assert one.token not in json.dumps(found) and one.player not in json.dumps(found)
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            await finish(one, two)
            async with asyncio.timeout(60):  # a finished game can be neither joined nor watched
                while one.room in codes(await public_rooms(stack.urls[0])):
                    await asyncio.sleep(0.1)
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2)
            async with asyncio.timeout(60):
                while one.room not in codes(await public_rooms(stack.urls[0])):
                    await asyncio.sleep(0.1)

    run(play())


def test_the_list_is_read_once_a_second_whoever_asks(stack: Stack) -> None:
    request("GET", f"{stack.urls[0]}/api/rooms")
    with stack.redis.monitor() as said:
        begun = time.monotonic()
        for _ in range(50):
            assert request("GET", f"{stack.urls[0]}/api/rooms")[0] == 200
        took = time.monotonic() - begun
        stack.redis.echo("over")
        reads = 0
        while (command := said.next_command()["command"]) != "ECHO over":
            reads += command.startswith(f"ZREVRANGE {PUBLIC}")
    assert reads <= 1 + took


# Rematch


def test_asks_about_the_old_game_are_told_so(stack: Stack) -> None:
    """`moved` is for those who asked about the game that is over; whoever has seen the next one is never told it."""
    table = Table(stack)
    try:
        async_over(table)
        for number, held in enumerate(table.sockets):
            held.say({"type": "rematch", "id": 500 + number})
        for held in table.sockets:
            while held.hear("snapshot")["view"]["n"] != 2:
                pass
        for number, held in enumerate(table.sockets):
            held.say({"type": "ready", "id": 600 + number, "ready": True})
            while [held.welcome["session"], 600 + number] not in held.hear("update").get("done", []):
                pass
        # a repeat of the vote gets its first outcome, in whichever game the room is now
        table.sockets[0].say({"type": "rematch", "id": 500})
        assert table.sockets[0].hear("ack", 500)["outcome"] == "ok"
        # who comes back from the first game is in the second, too
        with Raw(stack.urls[1]).hello(table.room, table.tokens[1], game=1, version=4) as late:
            assert late.snapshot["view"]["n"] == 2 and "events" not in late.snapshot
            late.say({"type": "ready", "id": 1, "ready": False})
            late.hear("ack", 1)
    finally:
        table.close()


def async_over(table: Table) -> None:
    """Play the duel of raw sockets to its end."""
    number = 100
    while True:
        for seat, held in enumerate(table.sockets):
            number += 1
            seats = held.hello(table.room, table.tokens[seat], held.welcome["session"]).welcome["seats"]
            if held.snapshot["view"]["phase"] == "over":
                return
            hand = {"type": "choose", "hand": ("rock", "scissors")[seats[0]]}
            held.say({"type": "act", "id": number, "seat": seats[0], "action": hand})
            while [held.welcome["session"], number] not in held.hear("update").get("done", []):
                pass
