"""The doorbell that brings its entry along, and claims without what the worker knows (docs/design.md 5), by sentence.

Method: append.lua and turn.lua against a real server, with a subscriber at the door; one test starts the real Drainer.
"""

import asyncio
from contextlib import asynccontextmanager

from schemas import entry as cmd
from schemas.base import encode
from services.settings import Settings
from services.store.keys import key, part_key
from services.store.redis import connect
from services.store.turn import CLAIMS, LINGER, Turn, pushed
from services.worker.drain import Drainer
from tests.store.table import ROOM, Store, opened

DOOR = "door:mine"


@asynccontextmanager
async def heard(s: Store):
    """A function that says what rang at DOOR next, None when nothing did."""
    redis = connect(s.url)
    pubsub = redis.pubsub()
    await pubsub.subscribe(DOOR)
    assert (await pubsub.get_message(timeout=60))["type"] == "subscribe"

    async def next_ring() -> bytes | None:
        await redis.publish(DOOR, "now")  # whatever rang is before it
        data = (await pubsub.get_message(timeout=60))["data"]
        if data == b"now":
            return None
        assert (await pubsub.get_message(timeout=60))["data"] == b"now"
        return data

    try:
        yield next_ring
    finally:
        await pubsub.aclose()
        await redis.aclose()


async def lingering(s: Store) -> Turn:
    """The room is decided by the worker at DOOR, which lingers there."""
    claims = (await s.turn(door=DOOR)).claims
    reply = await s.turn([s.decide(claim) for claim in claims], door=DOOR)
    assert reply.status == LINGER
    return reply


def run(scenario):
    def test(url):
        async def body():
            async with opened(url) as s, heard(s) as ring:
                await scenario(s, ring)

        asyncio.run(body())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


@run
async def test_the_doorbell_of_a_worker_that_knows_the_room_brings_the_entry_as_a_claim(s, ring):
    await lingering(s)
    appended = await s.append(1, cmd.Join("host"))
    part, claim = pushed(await ring())
    assert part == s.job
    assert (claim.room, claim.n, claim.version, claim.decided, claim.stored) == (ROOM, 1, 1, 1, None)
    assert claim.entries[0].id == appended.entry.encode() and claim.entries[0].origin == b"sess:1"
    assert await s.m("claimed") == ROOM.encode() and await s.m("door") == b""
    assert await s.caller.call("ZCARD", part_key("ready", s.part)) == 0
    assert (await s.turn([s.decide(claim)], door=DOOR)).refused == 0
    assert await s.get("d") == b"2"


@run
async def test_private_parts_come_along(s, ring):
    await lingering(s)
    await s.writer.append(ROOM, 1, "sess", 1, b"{}", "ab" * 32)
    _, claim = pushed(await ring())
    assert (claim.entries[0].data, claim.entries[0].private) == (b"{}", b"ab" * 32)


@run
async def test_a_claim_that_was_lost_on_the_way_comes_back_with_the_next_turn(s, ring):
    await lingering(s)
    await s.append(1)
    assert pushed(await ring()) is not None
    claims = (await s.turn(door=DOOR)).claims
    assert [(claim.claims, claim.stored) for claim in claims] == [(1, None)]
    await s.append(2)
    await s.turn([s.decide(claims[0])], door=DOOR)
    assert await s.get("claims") is None


@run
async def test_a_second_entry_waits_for_the_turn(s, ring):
    await lingering(s)
    await s.append(1)
    _, claim = pushed(await ring())
    await s.append(2)
    assert await ring() is None
    reply = await s.turn([s.decide(claim)], door=DOOR)
    assert [entry.origin for entry in reply.claims[0].entries] == [b"sess:2"]


@run
async def test_an_entry_that_was_written_past_the_scripts_is_not_overtaken(s, ring):
    await lingering(s)
    await s.caller.call("XADD", key("a", f"{ROOM}/1"), "*", "d", encode(cmd.Leave("nobody")))
    await s.append(1)
    assert await ring() == s.job.encode()
    assert len((await s.turn(door=DOOR)).claims[0].entries) == 2


@run
async def test_an_entry_whose_rooms_fields_are_damaged_waits_in_ready_and_is_no_error(s, ring):
    r, m = key("r", ROOM), part_key("m", s.part)
    kinds = {
        "head": ("HDEL", r, "head"),
        "v": ("HDEL", r, "v"),
        "cur": ("HDEL", r, "cur"),
        "cur is text": ("HSET", r, "cur", "x"),
        "hold is text": ("HSET", m, "hold", "x"),
        "nobody's door": ("HDEL", r, "by"),
    }
    for kind, damage in kinds.items():
        await s.caller.call("FLUSHALL")
        await s.create()
        await lingering(s)
        await s.caller.call(*damage)
        if kind == "nobody's door":
            await s.caller.call("HDEL", m, "door")
        assert (await s.append(1)).status == 0, kind
        assert await s.caller.call("ZRANGE", part_key("ready", s.part), 0, -1) == [ROOM.encode()], kind


@run
async def test_a_worker_that_does_not_know_the_room_is_only_rung_and_reads_it(s, ring):
    await s.drain()
    assert (await s.append(1)).status == 0
    await s.turn([s.decide(c) for c in (await s.turn(door="door:other")).claims], door="door:other")
    assert (await s.turn(door=DOOR)).status == LINGER
    await s.append(2)
    assert await ring() == s.job.encode()
    claims = (await s.turn(door=DOOR)).claims
    assert claims[0].stored.game == "yacht" and claims[0].stored.snapshot
    s.decide(claims[0])


@run
async def test_a_claim_leaves_out_what_the_worker_that_committed_last_knows(s, ring):
    await lingering(s)
    await s.append(1)
    await s.append(2)
    await s.turn([], door="door:other")  # takes the pushed claim back
    assert (await s.turn(door=DOOR)).claims[0].stored is None
    assert (await s.turn(door="door:other")).claims[0].stored is not None


def test_nobody_at_the_door_any_more_the_entry_waits_in_ready(url):
    async def body():
        async with opened(url) as s:
            await lingering(s)
            await s.append(1)
            assert await s.caller.call("ZRANGE", part_key("ready", s.part), 0, -1) == [ROOM.encode()]
            assert await s.m("claimed") == b""
            assert await s.drain() == 1

    asyncio.run(body())


@run
async def test_a_drainer_decides_what_the_doorbell_brings_without_asking_for_it(s, ring):
    asked = 0
    run_script = s.caller.run

    async def counted(name, keys, args):
        nonlocal asked
        reply = await run_script(name, keys, args)
        asked += name == "turn" and reply[0] == CLAIMS
        return reply

    s.caller.run = counted
    drainer = Drainer(s.caller, Settings(linger_ms=2000), DOOR)
    task = asyncio.create_task(drainer.run(s.part, await s.epoch()))
    while await s.m("door") != DOOR.encode():
        await asyncio.sleep(0.005)
    asked = 0
    for number in range(1, 11):
        appended = await s.append(number)
        drainer.ring(await ring())
        while (await s.append(number)).code == "":
            await asyncio.sleep(0.001)
        assert (await s.append(number)) == (1, appended.entry, "no_seat")
        while await s.m("door") != DOOR.encode():
            await asyncio.sleep(0.001)
    assert asked <= 3  # the lease is renewed by a turn now and then, which may meet an entry
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_what_is_no_doorbell_is_passed_over(url):
    """Anybody who can publish can say anything at a door; the worker goes on listening."""

    async def body():
        drainer = Drainer(Store(url).caller, Settings(), DOOR)
        for noise in (
            b"",
            b"\xff\xfe",
            b"p07",
            b"\n",
            b"p07 x\n",
            b"p07 A 1 1 1-0 x 0 2-0 s:1\n{}",
            b"a b c d e f g h i\n",
        ):
            drainer.ring(noise)
        assert drainer.pushes == {}

    asyncio.run(body())
