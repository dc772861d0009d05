"""Goal: rooms that can be found, that go on with the same people, and that end. Method: real gateways and workers; the
list is read while rooms come and go, games are followed by players and watchers alike.
"""

import asyncio
import contextlib
import json
import time

import pytest

from services.client import Client, Rejected, create_room, new_player, public_rooms
from services.store.keys import PUBLIC, key
from tests.services.manners_kit import CHOOSE, duel, finish
from tests.services.raw import Raw, Table, request
from tests.services.test_client import audited, run, same
from tests.stack import Stack
from tests.stack import stack as stack


def codes(rooms: list[dict]) -> set[str]:
    return {room["room"] for room in rooms}


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
            await asyncio.sleep(1.1)
            assert one.room not in codes(await public_rooms(stack.urls[0])), (
                "a finished game can be neither joined nor watched"
            )
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2)
            async with asyncio.timeout(3):
                while one.room not in codes(await public_rooms(stack.urls[0])):
                    await asyncio.sleep(0.1)

    run(play())


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


def test_everybody_follows_into_the_next_game(stack: Stack) -> None:
    """Field report 103: all press at once, one has left. One new game; players and watchers, on both gateways, are in it
    without doing anything, and each game is its own log."""

    async def play() -> None:
        async with duel(stack.urls, nonce=True) as (one, two), contextlib.AsyncExitStack() as leave:
            crowd = [await leave.enter_async_context(Client(stack.urls, one.room, first=number)) for number in range(4)]
            first = one.game
            await finish(one, two)
            receipts = one.receipts[-1]
            await asyncio.gather(one.rematch(), two.rematch())
            for client in (one, two, *crowd):
                await client.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
                assert client.closes == [] and client.game == f"{one.room}/2"
            assert {one.seat, two.seat} == {0, 1} and all(client.seat is None for client in crowd)
            assert one.view["commitment"] and receipts.game == first
            for client in (one, two):
                await client.promise()
            await one.start()
            for client in (one, two, *crowd):
                await client.until(lambda c: c.view["phase"] == "playing")
            await finish(one, two)
            await same(one, *crowd)
            assert one.view["revealed"]["nonces"] != ["00" * 32] * 2, "promises of the next game are opened"
            await audited(stack, one)
            # one leaves; the other cannot play alone, and nobody follows into a game that is not
            await two.close()
            await one.until(lambda c: not c.view["seats"][str(1 - c.seat)]["connected"])
            await one.rematch()
            assert one.number == 2 and one.view["phase"] == "over"

    run(play())


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


def test_one_end_however_often_it_is_asked_for(stack: Stack) -> None:
    """Field report 29: the last action again and again, with refreshes and a killed worker in between: one end."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            while one.view["table"]["wins"] == [0, 0]:
                turn = one.view["turn"]
                for client, hand in ((one, "rock"), (two, "scissors")):
                    await client.act(client.seat, {"type": "choose", "hand": hand}, turn)
                await one.until(lambda c, turn=turn: c.view.get("turn") != turn)
            turn = one.view["turn"]
            await one.act(one.seat, CHOOSE, turn)
            stack.worker[0].kill()
            try:
                last = asyncio.create_task(two.act(two.seat, {"type": "choose", "hand": "scissors"}, turn))
                for number in range(3):
                    await two.drop(url=number % 2)
                    await two.ready()
                assert not last.done()
            finally:
                await asyncio.to_thread(stack.worker[0].start)
            await last
            await two.until(lambda c: c.view["phase"] == "over")
            await same(one, two)
            log = await audited(stack, one)
            kinds = [json.loads(data)["type"] for data in log.events]
            assert kinds.count("game_over") == kinds.count("revealed") == 1

    run(play())


# Rooms that end


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
