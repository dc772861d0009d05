"""Goal: who has no seat cannot fill a room: not its log, not its names, not its talk; and a log that is full ends its game.

Method: append.lua and say.lua by themselves; long logs are made by setting the count of entries.
"""

import asyncio

import msgspec
import pytest

from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import channel, key
from services.store.write import (
    LOG_FULL,
    NAME_TAKEN,
    NEW,
    REPEAT,
    STRANGER,
    TOO_OFTEN,
)
from tests.store.party import party
from tests.store.table import ROOM

LONG, SEATED, FULL = 512, 16_000, 20_000  # as in append.lua and bounds.lua


def run(*players: str):
    def decorate(scenario):
        def test(url):
            async def body():
                async with party(url, *players) as p:
                    await scenario(p)

            asyncio.run(body())

        test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
        return test

    return decorate


async def join(p, player: str, name: str = "", number: int = 1, stranger: str = "", skeleton: str = "") -> int:
    name = name or player
    data, session = encode(cmd.Join(player)), f"j-{player}"
    reply = await p.writer.append(
        ROOM, 1, session, number, data, "", player, name, stranger, skeleton=skeleton or name.casefold()
    )
    return reply.status


async def names(p) -> dict[str, str]:
    flat = await p.caller.call("HGETALL", key("n", ROOM))
    return {
        player.decode(): name.decode().partition("\n")[2] for player, name in zip(flat[::2], flat[1::2], strict=True)
    }


async def long(p, entries: int) -> None:
    """As if so many entries had been written and decided."""
    await p.caller.call("HSET", key("r", ROOM), "a", entries, "d", entries)


# --- joins


@run("ann")
async def test_a_player_may_ask_for_a_seat_so_often(p):
    told = [await join(p, "eve", number=number) for number in range(1, 16)]
    assert told == [NEW] * 10 + [TOO_OFTEN] * 5
    assert await join(p, "ben") == NEW, "others may"
    assert await join(p, "eve", number=3) == REPEAT
    await p.caller.call("DEL", key("l", ROOM))  # ten seconds later
    assert await join(p, "eve", number=20) == NEW


@run("ann")
async def test_a_join_without_hope_is_tried_until_the_log_is_long(p):
    assert await join(p, "eve", stranger="when long") == NEW
    await p.work()
    await long(p, LONG)
    assert await join(p, "eva", stranger="when long") == STRANGER
    assert await join(p, "eva") == NEW


# --- names


@run("ann", "ben")
async def test_who_is_refused_leaves_no_name(p):
    await p.send(cmd.Start("ann"))
    await p.work()
    assert await join(p, "eve", "이브") == NEW
    await p.work()
    assert (await names(p)).keys() == {"ann", "ben"}
    ttl = await p.caller.call("PTTL", key("w", ROOM))
    assert 0 < ttl <= 3_600_000


@run("ann")
async def test_who_sits_has_a_name_may_change_it_and_takes_it_along_when_leaving(p):
    assert await join(p, "ben", "벤") == NEW
    assert "ben" not in await names(p)
    await p.work()
    assert (await names(p))["ben"] == "벤"
    assert await join(p, "ben", "벤벤", 2) == NEW
    assert (await names(p))["ben"] == "벤벤", "at once: who has a seat is known"
    await p.send(cmd.Leave("ben"))
    await p.work()
    assert "ben" not in await names(p)


@run("ann")
async def test_two_people_at_a_table_do_not_look_alike(p):
    assert await join(p, "ben", "Host", skeleton="host") == NEW
    await p.work()
    assert await join(p, "eve", "h0st", skeleton="host") == NAME_TAKEN
    assert await join(p, "ben", "HOST", 2, skeleton="host") == NEW, "nobody is taken for oneself"
    for player in ("cho", "dan"):  # both wait: neither has a name yet
        assert await join(p, player, "같이", skeleton="같이") == NEW
    await p.work()
    found = await names(p)
    assert (found["cho"], found["dan"]) == ("같이", "같이 2")


@run("ann")
async def test_a_new_name_is_told_with_the_player_whose_it_is(p):
    async with p.caller.redis.pubsub() as heard:
        await heard.subscribe(channel(ROOM))
        await join(p, "ben", "벤")
        await p.work()
        await join(p, "ben", "벤", 2)
        await join(p, "ben", "벤벤", 3)
        told = []
        while len(told) < 2:
            message = await heard.get_message(timeout=60)
            if message and message["type"] == "message" and message["data"].startswith(b"names"):
                told.append(message["data"])
    assert told == [b"names ben", b"names ben"], "an unchanged one is no news"


# --- the length of a log


@run("ann", "ben")
async def test_near_its_end_a_log_is_written_by_those_who_have_a_seat(p):
    await long(p, SEATED - 1)
    assert await join(p, "eve") == NEW
    assert await join(p, "eva") == LOG_FULL
    data = encode(cmd.Ready("ben", True))
    assert (await p.writer.append(ROOM, 1, "s-ben", 9, data, "", "ben")).status == NEW
    assert await p.writer.presence(ROOM, "ben", "g1", True, 60_000)


@pytest.mark.parametrize("writer", ["player", "system"])
def test_a_log_that_is_full_ends_its_game(url, writer):
    async def scenario(p):
        await p.send(cmd.Start("ann"))
        await p.work()
        await long(p, FULL - 1)
        act = cmd.Act("ann", 0, msgspec.Raw(b'{"type":"concede"}'))
        if writer == "player":
            assert (await p.writer.append(ROOM, 1, "s-ann", 99, encode(act), "", "ann")).status == NEW
        else:
            assert await p.writer.presence(ROOM, "ben", "g1", False, 60_000) or await p.writer.presence(
                ROOM, "ben", "g1", True, 60_000
            )
        last = (await p.caller.call("XREVRANGE", key("a", f"{ROOM}/1"), "+", "-", "COUNT", 1))[0]
        assert last[1] == [b"d", b'{"type":"log_full"}']
        assert (await p.writer.append(ROOM, 1, "s-ann", 100, encode(act), "", "ann")).status == LOG_FULL
        assert (await p.writer.append(ROOM, 1, "s-ben", 100, encode(cmd.Touch("ben")), "", "ben")).status == LOG_FULL
        await p.work()
        room = await p.state()
        assert room.phase == "over" and room.revealed is not None
        entries = await p.caller.call("XLEN", key("a", f"{ROOM}/1"))
        assert not await p.writer.presence(ROOM, "ann", "g2", True, 60_000)
        assert await p.caller.call("XLEN", key("a", f"{ROOM}/1")) == entries

    async def body():
        async with party(url, "ann", "ben") as p:
            await scenario(p)

    asyncio.run(body())
