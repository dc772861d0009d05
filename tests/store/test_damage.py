"""Whatever is damaged in one room's keys, the other rooms of its partition and the sweep of all go on (P7).

Method: two rooms of one partition; the keys of one are damaged by hand in every way that was found to hurt; the other room's
entry is decided and its deadline comes all the same.
"""

import asyncio

import pytest

from schemas.base import encode
from schemas.entry import Join, Leave
from services.scheduler.__main__ import tick
from services.store.keys import key, part_key, partition
from tests.store.table import ROOM, Store

HASH = ("g", "d", "cur", "v", "n")


def neighbour() -> str:
    names = (f"RM{a}{b}XX" for a in "ABCDEFGHJKLMNPQRSTUVWXYZ" for b in "ABCDEFGHJKLMNPQRSTUVWXYZ")
    return next(name for name in names if partition(name) == partition(ROOM))


async def damage(s: Store, kind: str) -> None:
    r, a, e = key("r", ROOM), key("a", f"{ROOM}/1"), key("e", f"{ROOM}/1")
    if kind.startswith("no "):
        await s.caller.call("HDEL", r, kind[3:])
    elif kind == "v is text":
        await s.caller.call("HSET", r, "v", "x")
    elif kind == "events ahead":
        await s.caller.call("XADD", e, "999999-0", "e", "{}")
    elif kind == "actions are no stream":
        await s.caller.call("SET", a, "x")
    elif kind == "origin":
        await s.caller.call("XADD", a, "*", "d", encode(Leave("x")), "o", b"\xff nonsense")
    await s.caller.call("HSET", r, "due", "1")
    await s.caller.call("ZADD", part_key("due", s.part), 1, ROOM)
    await s.caller.call("ZADD", part_key("ready", s.part), 1, ROOM)


@pytest.mark.parametrize(
    "kind",
    [*(f"no {name}" for name in HASH), "v is text", "events ahead", "actions are no stream", "origin", "no turn"],
)
def test_a_damaged_room_hurts_itself_only(url, kind):
    async def body():
        s, other = Store(url), Store(url, neighbour())
        try:
            await s.create()
            await other.create()
            await s.drain()
            if kind != "events ahead":
                await s.append(1)
            await damage(s, kind)
            if kind == "events ahead":
                await s.append(2, Leave("host"))
                await s.append(3, Join("host"))
            await other.append(1)
            # other's deadline is over, too
            await s.caller.call("HSET", key("r", other.room), "due", "2", "turn", "7")
            await s.caller.call("ZADD", part_key("due", s.part), 2, other.room)
            assert not await tick(s.writer)
            entries = await other.stream("a")
            assert entries[-1][1][1] == b'{"type":"timeout","turn":7}'
            await s.drain()
            assert int(await other.get("d")) == 3, "the neighbour's entries are decided"
            assert not await tick(s.writer)
            if kind == "origin":
                assert int(await s.get("d")) == len(await s.stream("a"))
        finally:
            await s.caller.close()
            await other.caller.close()

    asyncio.run(body())
