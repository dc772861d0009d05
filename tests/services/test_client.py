"""Goal: people on different gateways play whole games and see the same thing, whatever their connections do.

Method: real processes and the client of services/client; what clients saw is compared with each other and with a verified
read of the log.
"""

import asyncio
import contextlib
import hashlib
import json
import random
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from engine.fold import verify
from engine.games import add
from schemas import wire
from services.client import Client, Closed, Rejected, create_room
from services.client.play import play_to_end
from services.store.read import read_log
from services.store.redis import Caller, connect
from services.store.write import SAY_MAX
from tests.stack import Stack
from tests.stack import stack as stack

add("tests.games.duel")  # as NORIPAN_GAMES does it for the processes


def run(what: Coroutine[Any, Any, Any], seconds: float = 300) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(seconds):
            return await what

    return asyncio.run(bounded())


@contextlib.asynccontextmanager
async def table(stack: Stack, game: str = "yacht", options: dict | None = None, nonce: bool = True, start: bool = True):
    """Two players, the host on gateway 0 and the guest on gateway 1, seated and (with `start`) playing."""
    room, token = await create_room(stack.urls[0], game, options)
    async with (
        Client(stack.urls, room, token) as one,
        Client(stack.urls, room, None, first=1) as two,
    ):
        await one.join("하나", nonce=nonce)
        await two.join("둘", nonce=nonce)
        if start:
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
        yield one, two


def trace(client: Client) -> str:
    return hashlib.sha256(json.dumps(client.events, sort_keys=True).encode()).hexdigest()


async def same(*clients: Client) -> None:
    """Wait until all are where the furthest is; then they must agree on everything public."""
    version = max(client.version for client in clients)
    for client in clients:
        await client.until(lambda c: c.version >= version)
    assert len({client.version for client in clients}) == 1
    assert all(client.view == clients[0].view for client in clients)


async def audited(stack: Stack, client: Client):
    """The log of the client's game, decided again; its report."""
    caller = Caller(connect(stack.server.url))
    try:
        log = await read_log(caller, client.room)
    finally:
        await caller.close()
    report = verify(log.kit, log.game_id, log.entries, log.events, log.parked, log.head)
    assert report.ok, report
    assert report.room.version == client.version
    return log


async def chooser(one: Client, two: Client) -> Client:
    """Who is to act, as soon as its own view says so."""
    found = one if one.seat in one.view["acting"] else two
    await found.until(lambda c: c.version >= one.version)
    return found


def test_hidden_choices_reach_only_their_seat(stack: Stack) -> None:
    """Duel over two gateways: before the reveal a hand is in the chooser's messages and in nobody else's."""

    async def play() -> None:
        async with table(stack, "duel") as (one, two):
            async with Client(stack.urls[1], one.room) as third:
                await one.act(one.seat, {"type": "choose", "hand": "rock"})
                await same_version(one, two, third)
                assert one.view["table"]["mine"] == "rock"
                for other in (two, third):
                    assert "mine" not in other.view["table"]
                    assert "rock" not in json.dumps([other.events, other.view])
                    assert other.view["table"]["chosen"] == [one.seat]
                await two.act(two.seat, {"type": "choose", "hand": "paper"})
                await same_version(one, two, third)
                assert third.view["table"]["last"] == (["rock", "paper"] if one.seat == 0 else ["paper", "rock"])
                await asyncio.gather(
                    play_to_end(one, one.seat, random.Random(1)), play_to_end(two, two.seat, random.Random(2))
                )
                await audited(stack, one)

    async def same_version(*clients: Client) -> None:
        version = max(client.version for client in clients)
        for client in clients:
            await client.until(lambda c: c.version >= version)

    run(play())


def test_a_move_says_what_it_was_decided_on(stack: Stack) -> None:
    """Two moves decided on one view are one: the second is refused, unless it was decided on what the first did."""

    async def play() -> None:
        async with table(stack) as (one, two):
            client = await chooser(one, two)
            seen = client.version
            await client.act(client.seat, {"type": "roll"})
            with pytest.raises(Rejected) as refused:
                await client.act(client.seat, {"type": "roll"}, after=seen)
            assert refused.value.code == "stale_view"
            await client.act(client.seat, {"type": "roll"})
            assert client.view["table"]["rolls_used"] == 2

    run(play())


def test_asking_again_by_the_same_id_acts_once(stack: Stack) -> None:
    """Field report 1 in small: the same roll three times, over two connections, is one roll with one answer."""

    async def play() -> None:
        async with table(stack) as (one, two):
            client = await chooser(one, two)
            frame_of = []
            transmit = client._transmit

            def doubled(pending):
                frame_of.append(pending.frame)
                transmit(pending)
                transmit(pending)

            client._transmit = doubled
            asked = asyncio.create_task(client.act(client.seat, {"type": "roll"}))
            await asyncio.sleep(0)  # it is on its way; the connection ends before we know more
            await client.drop()
            done = await asked
            client._transmit = transmit
            await same(one, two)
            assert done.version <= client.version
            log = await audited(stack, one)
            assert sum(json.loads(data)["type"] == "rolled" for data in log.events) == 1
            with pytest.raises(Rejected, match="bad_action"):
                await client.act(client.seat, {"type": "rolls"})

    run(play())


def test_killed_subscriptions_lose_nothing(stack: Stack) -> None:
    """Field report 130: CLIENT KILL TYPE pubsub again and again during play; nobody reconnects, everybody follows."""

    async def play() -> None:
        async with table(stack) as (one, two):
            async with Client(stack.urls[1], one.room) as third:
                game = asyncio.gather(
                    play_to_end(one, one.seat, random.Random(5)), play_to_end(two, two.seat, random.Random(6))
                )
                kills = 0
                while not game.done():
                    kills += await asyncio.to_thread(stack.redis.execute_command, "CLIENT", "KILL", "TYPE", "pubsub")
                    await asyncio.wait([game], timeout=0.15)
                await game
                await same(one, two, third)
                assert kills >= 6
                assert one.closes == two.closes == third.closes == []
                assert one.events[-50:] == two.events[-50:] == third.events[-50:]
                await audited(stack, one)

    run(play())


def test_unknown_rooms_and_players_end_a_client(stack: Stack) -> None:
    async def play() -> None:
        with pytest.raises(Closed, match="no_room"):
            async with Client(stack.urls[0], "ZZZZZZ"):
                pass
        room, token = await create_room(stack.urls[0], "yacht")
        with pytest.raises(Closed, match="unauthorized"):
            async with Client(stack.urls[0], room, token[:-2] + "xx"):
                pass

    run(play())


def test_two_players_with_one_session_name_do_not_meet(stack: Stack) -> None:
    """A session name is the client's own: a stranger who uses the same one neither gets nor uses up its outcomes."""

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        async with (
            Client(stack.urls[0], room, token, session="same") as one,
            Client(stack.urls[0], room, None, session="same") as two,
        ):
            await two.join("둘")
            await one.join("하나")
            with pytest.raises(Rejected, match="not_host"):
                await two.start()
            await one.start()
            assert one.session not in json.dumps([two.events, two.view])

    run(play())


def test_presence_follows_the_sockets(stack: Stack) -> None:
    """Gone with the last socket of a player, back with the first, on whichever gateway."""

    async def play() -> None:
        async with table(stack, start=False) as (one, two):
            async with Client(stack.urls[0], one.room, two.token) as tab:
                await two.drop(url=0)
                await two.ready()
                await asyncio.sleep(0)
                assert one.view["seats"]["1"]["connected"]
                assert tab.seat == 1
            seat = one.view["seats"]["1"]
            assert seat["connected"]
            await two.close()
            await one.until(lambda c: not c.view["seats"]["1"]["connected"])
            async with Client(stack.urls[1], one.room, two.token):
                await one.until(lambda c: c.view["seats"]["1"]["connected"])

    run(play())


def test_what_is_said_too_fast_has_an_end(tmp_path: Path) -> None:
    """A refusal of what was not read names nothing; the client knows all the same, and soon, what was not said."""

    async def play(stack: Stack) -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls[0], room, token) as one:
            told = await asyncio.gather(*(one.say("chat", f"말 {n}") for n in range(12)), return_exceptions=True)
            said = [line for line in told if isinstance(line, wire.Said)]
            assert [error.code for error in told if not isinstance(error, wire.Said)] == ["rate_limited"] * (
                12 - len(said)
            )
            assert 1 <= len(said) <= SAY_MAX and list(one.said) == said
            legal = [one.legal(0) for _ in range(8)]
            mixed = await asyncio.gather(*legal, one.say("emote", "wow"), return_exceptions=True)
            assert all(isinstance(error, Rejected) for error in mixed)

    with Stack(tmp_path, env={"NORIPAN_MESSAGE_RATE": "2", "NORIPAN_MESSAGE_BURST": "5"}) as slow:
        run(play(slow))


def test_an_answer_that_never_comes_is_not_waited_for(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.client.once.ANSWER_S", 0.3)

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls[0], room, token) as one:
            one._send = lambda frame: None  # lost on the way
            with pytest.raises(Closed, match="no answer"):
                await one.say("emote", "wow")
            del one._send
            await one.say("emote", "wow")

    run(play())


def test_a_move_is_over_when_the_view_has_it(stack: Stack) -> None:
    """Its outcome may come first, as the answer to a repeat: who then moves on must not be told that the view is old."""

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yacht", {"turnSeconds": None})
        async with Client(stack.urls, room, token) as one:
            await one.join("하나", nonce=False)
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            late: list = []
            hear = one._hear

            def held(tell) -> None:  # updates wait for a moment, all else does not
                late.append(tell) if type(tell) is wire.Update else hear(tell)

            one._hear = held
            acting = asyncio.create_task(one.act(0, {"type": "roll"}))
            while not late:
                await asyncio.sleep(0.01)
            hear(wire.Ack(one._last_id, late[0].entry, "ok"))
            await asyncio.sleep(0)
            assert not acting.done()
            one._hear = hear
            for tell in late:
                hear(tell)
            done = await acting
            assert one.has(done.entry)
            await one.act(0, {"type": "score", "category": "choice"})

    run(play())
