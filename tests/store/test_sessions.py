"""Goal: the outcomes that a room remembers are bounded, and no session that is in use loses its own (P3).

Method: sessions without end, from one person and from many, at append.lua; the fields of the room's hash are counted, and
repeats are asked for.
"""

import asyncio

from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import key
from services.store.write import (
    NEW,
    OVERLOADED,
    REPEAT,
    ROOM_SESSIONS_MAX,
    SESSION_KEPT_MS,
    SESSIONS_MAX,
    STRANGER,
    WINDOW,
)
from tests.store.table import ROOM, opened

LEAVE = b'{"type":"leave","player":"eve"}'
JOIN = b'{"type":"join","player":"eve"}'


def run(scenario):
    def test(url):
        async def body():
            async with opened(url) as store:
                await store.drain()
                await scenario(store)

        asyncio.run(body())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


async def say(s, player: str, session: str, number: int = 1, **more):
    return await s.writer.append(ROOM, 1, session, number, LEAVE, "", player, **more)


async def sessions(s) -> set[str]:
    """Those that have fields in the room's hash."""
    fields = await s.caller.call("HKEYS", key("r", ROOM))
    return {name.decode()[1:].partition(":")[0] for name in fields if name.startswith(b"@")}


async def age(s, player: str, session: str, ms: int) -> None:
    """As if this session had been silent for so long."""
    await s.caller.call("ZINCRBY", key("o", ROOM), -ms, f"{player} {session}")
    flat = await s.caller.call("HGETALL", key("r", ROOM))
    for name, seen in zip(flat[::2], flat[1::2], strict=True):
        if name.startswith(f"@{session}:".encode()):
            number, entry, *code = seen.decode().split(" ")
            at, _, seq = entry.partition("-")
            await s.caller.call("HSET", key("r", ROOM), name, " ".join([number, f"{int(at) - ms}-{seq}", *code]))


@run
async def test_one_person_has_so_many_sessions_and_the_longest_silent_one_goes(s):
    for n in range(3 * SESSIONS_MAX):
        for number in (1, 2, 65):
            assert (await say(s, "eve", f"tab{n:03d}", number)).status == NEW
        await s.drain()
    assert await sessions(s) == {f"tab{n:03d}" for n in range(2 * SESSIONS_MAX, 3 * SESSIONS_MAX)}
    assert await s.caller.call("ZCARD", key("o", ROOM)) == SESSIONS_MAX
    assert len(await s.caller.call("HKEYS", key("r", ROOM))) < 20 + 3 * SESSIONS_MAX


@run
async def test_a_session_in_use_keeps_its_outcomes_whatever_the_same_person_opens(s):
    first = await say(s, "eve", "used", 1)
    for n in range(3 * SESSIONS_MAX):
        await say(s, "eve", f"tab{n:03d}")
        assert (await say(s, "eve", "used", 2 + n)).status == NEW
        await s.drain()
    again = await say(s, "eve", "used", 1)
    assert (again.status, again.entry, again.code) == (REPEAT, first.entry, "no_seat")


@run
async def test_a_family_at_one_device_has_one_session(s):
    """Two people act through it; when one of them is silent the session is still in use."""
    await say(s, "mum", "family", 1)
    first = await say(s, "child", "family", 2, owner="mum")
    assert await s.caller.call("ZRANGE", key("o", ROOM), 0, -1) == [b"mum family"]
    for n in range(SESSIONS_MAX + 1):
        await s.drain()
        assert (await say(s, "child", f"tab{n:03d}")).status == NEW
    assert (await say(s, "child", "family", 2, owner="mum")).entry == first.entry


async def seat(s, player: str) -> None:
    command = cmd.Join(player)
    assert (await s.writer.append(ROOM, 1, f"seat-{player}", 1, encode(command), "", player, player)).status == NEW
    await s.drain()


@run
async def test_people_without_a_seat_keep_nobody_out(s):
    """By the hundred: they push out each other, and neither who plays nor who comes to play."""
    await seat(s, "ann")
    first = await say(s, "ann", "phone", 1)
    for n in range(ROOM_SESSIONS_MAX + 20):
        assert (await say(s, f"p{n}", f"tab{n:03d}")).status == NEW
        await s.drain()
    assert len(await sessions(s)) == await s.caller.call("ZCARD", key("o", ROOM)) == ROOM_SESSIONS_MAX
    assert (await say(s, "ann", "phone", 1)).entry == first.entry
    assert (await say(s, "ann", "other tab", 1)).status == NEW
    await seat(s, "ben")
    assert {"phone", "other tab", "seat-ann", "seat-ben"} <= await sessions(s)


@run
async def test_a_room_full_of_seated_peoples_sessions_waits_until_some_were_silent_for_long(s):
    players = [f"p{n}" for n in range(8)]
    for player in players:
        await seat(s, player)
    count = 8
    for n in range(SESSIONS_MAX - 1):
        for player in players:
            assert (await say(s, player, f"{player}-{n:03d}")).status == NEW
            count += 1
        await s.drain()
    for n in range(ROOM_SESSIONS_MAX - count):  # more than these people may have
        await s.caller.call("ZADD", key("o", ROOM), 2**52, f"p{n % 8} older-{n}")
    assert (await say(s, "late", "tab")).status == OVERLOADED
    await age(s, "p7", "p7-003", SESSION_KEPT_MS)
    await s.drain()
    assert (await say(s, "late", "tab")).status == NEW
    assert "p7-003" not in await sessions(s) and "tab" in await sessions(s)


@run
async def test_what_is_undecided_is_not_forgotten(s):
    """Its outcome would be written after its session went, and stay for good."""
    for n in range(SESSIONS_MAX):
        assert (await say(s, "eve", f"tab{n:03d}")).status == NEW
    assert (await say(s, "eve", "more")).status == OVERLOADED
    assert len(await s.stream("a")) == 1 + SESSIONS_MAX
    await s.drain()
    assert (await say(s, "eve", "more")).status == NEW
    await s.drain()
    left = await sessions(s)
    assert len(left) == SESSIONS_MAX and "tab000" not in left and "more" in left


@run
async def test_every_slot_of_a_session_goes_with_it(s):
    for number in range(1, WINDOW + 1):
        await say(s, "eve", "full", number)
    await s.drain()
    for n in range(SESSIONS_MAX):
        await say(s, "eve", f"tab{n:03d}")
        await s.drain()
    assert "full" not in await sessions(s)


@run
async def test_a_strangers_entry_is_refused_unless_it_is_there_or_the_player_has_a_name(s):
    before = await s.stream("a")
    assert (await say(s, "eve", "tab1", 1, stranger="unless noticed")).status == STRANGER
    assert (await say(s, "eve", "tab1", 1, stranger="surely")).status == STRANGER
    assert await s.stream("a") == before and await sessions(s) == set()
    assert (await s.writer.append(ROOM, 1, "tab1", 1, JOIN, "", "eve", "이브")).status == NEW
    assert (await say(s, "eve", "tab1", 2, stranger="unless noticed")).status == NEW
    assert (await say(s, "eve", "tab1", 3, stranger="surely")).status == STRANGER
    assert (await say(s, "eve", "tab1", 2, stranger="surely")).status == REPEAT


@run
async def test_a_late_refusal_does_not_take_the_place_of_the_id_that_has_it_by_now(s):
    """An outage of the workers: more asks of one session wait than it has places, and the first of them is refused."""
    await s.append(10, cmd.Leave("nobody"))
    for number in range(11, 74):
        await s.append(number, cmd.Join("host"))
    last = await s.append(74, cmd.Leave("host"))
    place = await s.get("@sess:10")
    assert place.startswith(b"74 ")
    await s.drain()
    assert await s.get("@sess:10") == place
    again = await s.append(74, cmd.Leave("host"))
    assert (again.status, again.entry, again.code) == (REPEAT, last.entry, "ok")
    assert len(await s.stream("a")) == 1 + 65, "an id acted a second time"
