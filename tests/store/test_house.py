"""Goal: while no gateway serves nobody is played for, and each room's log says when that was before its clocks run again.

Method: serve.lua, due.lua and sweep.lua by hand, with leases that a test ends; then what the engine makes of it.
"""

import asyncio

from schemas import entry as cmd
from services.store.clock import server_ms
from services.store.keys import HOUSE, PARTITIONS, key, part_key
from services.store.redis import Caller, connect
from services.store.write import Writer
from tests.store.party import party
from tests.store.table import ROOM
from tests.store.test_noticed import run as played

AWAY = b'{"type":"house_away"'


def run(scenario):
    def test(url):
        async def body():
            caller = Caller(connect(url))
            try:
                await scenario(Writer(caller), caller)
            finally:
                await caller.close()

        asyncio.run(body())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


async def field(caller, name: str) -> int:
    return int(await caller.call("HGET", HOUSE, name) or 0)


async def die(caller, generation: str, ago_ms: int = 1) -> None:
    """A gateway died, and its lease ended some time ago."""
    now = await server_ms(caller)
    await caller.call("HSET", HOUSE, f"g:{generation}", f"{now - ago_ms} 3000", "until", now - ago_ms)


@run
async def test_the_house_is_open_while_any_gateway_serves(writer, caller):
    assert await writer.serve("g1", 3000), "nobody did before the first"
    assert not await writer.serve("g2", 3000) and not await writer.serve("g1", 3000)
    assert not await writer.serve("g1", 0), "another serves"
    assert await field(caller, "until") > await server_ms(caller)
    assert await field(caller, "n") == 1
    before = await server_ms(caller)
    assert not await writer.serve("g2", 0)
    assert await field(caller, "until") < await server_ms(caller) + 1
    assert await writer.serve("g3", 3000)
    assert await field(caller, "n") == 2
    assert before - 1 <= await field(caller, "from") <= await field(caller, "to") <= await server_ms(caller)


@run
async def test_a_time_away_begins_where_the_last_lease_ended_and_a_gateway_that_was_paused_ends_it_itself(
    writer, caller
):
    await writer.serve("g1", 3000)
    await die(caller, "g1", 5000)
    assert await writer.serve("g1", 3000)
    assert 4000 < await field(caller, "to") - await field(caller, "from") < 60_000
    await caller.call("HSET", HOUSE, "g:old", "1 3000")
    await writer.serve("g1", 3000)
    assert await caller.call("HGET", HOUSE, "g:old") is None, "who died is forgotten"


@run
async def test_a_step_back_of_the_clock_leaves_nobody_open_for_ever(writer, caller):
    await writer.serve("g1", 3000)
    ahead = await server_ms(caller) + 86_400_000
    await caller.call("HSET", HOUSE, "g:g1", f"{ahead} 3000", "until", ahead)
    assert not await writer.serve("g2", 3000), "g1 may live"
    assert int((await caller.call("HGET", HOUSE, "g:g1")).split()[0]) <= await server_ms(caller) + 3000


@played("ann", "ben")
async def test_no_timeout_while_the_house_is_closed_and_first_the_log_says_since_when(p):
    await p.send(cmd.Start("ann"))
    await p.work()
    await p.writer.presence(ROOM, "ann", "g1", True, 6000)
    due = part_key("due", p.part)
    await p.caller.call("ZADD", due, 1, ROOM)
    await p.caller.call("HSET", key("r", ROOM), "due", "1", "turn", "1")
    await p.caller.call("HSET", part_key("g", p.part), "g1", "1 6000")
    await die(p.caller, "test", 4000)
    count = len(await p.stream("a"))
    assert await p.writer.due(p.part) == (0, 0, False)
    assert (await p.writer.sweep(p.part))[1] == 0, "nobody is gone while nobody can be here"
    assert len(await p.stream("a")) == count
    assert await p.writer.serve("test", 60_000)
    assert (await p.writer.sweep(p.part))[1] == 0, "nor before the rooms know it"
    assert await p.writer.due(p.part) == (0, 0, True)
    [entry] = (await p.stream("a"))[count:]
    assert entry[1][1].startswith(AWAY)
    assert b'"to_ms":%d' % await field(p.caller, "to") in entry[1][1]
    assert (await p.writer.due(p.part))[0] == 0, "its deadline is what the commit says"
    assert (await p.writer.sweep(p.part))[1] == 0, "its people have one lease to come back"
    await p.work()
    assert (await p.state()).back_ms == await field(p.caller, "to")
    assert float(await p.caller.call("ZSCORE", due, ROOM) or 0) != 1
    for _ in range(3):
        await p.writer.due(p.part)
    assert sum(item[1][1].startswith(AWAY) for item in await p.stream("a")) == 1, "it is told once"


def test_rooms_with_unread_entries_are_told_and_many_in_several_calls(url):
    async def body():
        async with party(url, "ann") as p:
            r = key("r", ROOM)
            tag = r[:5]
            others = [f"Z{n:05d}" for n in range(300)]
            for room in others:
                await p.caller.call("HSET", f"{tag}:r:{room}", "n", "1", "a", "0", "d", "0", "cur", "0-0")
                await p.caller.call("ZADD", part_key("due", p.part), 9e15, room)
            await p.caller.call("ZREM", part_key("due", p.part), ROOM)
            await p.send(cmd.Ready("ann", True))
            await die(p.caller, "test")
            assert await p.writer.serve("test", 600_000)
            calls = 0
            while (await p.writer.due(p.part, limit=50))[2]:
                calls += 1
            assert calls > 3
            for room in (ROOM, *others):
                [entry] = [
                    e for e in await p.caller.call("XRANGE", f"{tag}:a:{room}/1", "-", "+") if e[1][1].startswith(AWAY)
                ]
                assert entry
            assert [await p.m("away"), await p.m("telling")] == [await p.caller.call("HGET", HOUSE, "n"), None]

    asyncio.run(body())


@run
async def test_a_partition_without_rooms_knows_it_at_once(writer, caller):
    await writer.serve("g1", 3000)
    first = await asyncio.gather(*map(writer.due, range(PARTITIONS)))
    again = await asyncio.gather(*map(writer.due, range(PARTITIONS)))
    assert all(report == (0, 0, True) for report in first) and all(report == (0, 0, False) for report in again)
