"""The list of public rooms (report 102): whoever is on it can be joined or watched, private rooms and ghosts are not.

The worker is the real Drainer; a room is closed by its own idle deadline, in time that passes by entries' ids.
"""

import asyncio
import itertools
import random

from schemas import entry as cmd
from services.gateway import lookup
from services.store import listing
from services.store.delayed import Readers
from services.store.keys import PUBLIC, key, partition
from services.store.listing import list_room, present_rooms, public_rooms
from services.store.redis import Caller, connect
from tests.store.party import Party, party

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
IDLE = cmd.Settings(public=True, idle_s=30)


async def listed(caller) -> list[str]:
    return [code for code, _ in await public_rooms(caller, 1000)]


async def stored(caller) -> set[str]:
    return {name.decode() for name in await caller.call("ZRANGE", PUBLIC, 0, -1)}


def test_a_room_is_listed_while_it_is_public_and_can_be_joined_or_watched(url):
    async def body():
        async with party(url, "ann", "ben", public=True) as p:
            assert await listed(p.caller) == [p.room]
            await p.send(cmd.Configure("ann", None, cmd.Settings()))
            await p.work()
            assert await listed(p.caller) == [] == list(await stored(p.caller)), "private now"
            await p.send(cmd.Configure("ann", None, IDLE))
            await p.work()
            assert await listed(p.caller) == [p.room]
            await p.send(cmd.Start("ann"))
            await p.work()
            assert await listed(p.caller) == [p.room], "it can be watched"

    asyncio.run(body())


def test_it_goes_with_the_end_and_comes_back_with_the_next_game(url):
    async def body():
        async with party(url, "ann", "ben", public=True) as p:
            await p.finish()
            assert await stored(p.caller) == set()
            await p.vote("ann", "ben")
            await p.work()
            assert await listed(p.caller) == [p.room]

    asyncio.run(body())


def test_a_private_room_is_never_on_it(url):
    async def body():
        async with party(url, "ann", "ben") as p:
            await p.finish()
            assert not await p.caller.call("EXISTS", PUBLIC)

    asyncio.run(body())


def test_readers_see_no_ghosts_whatever_the_index_says(url):
    """A worker that dies between a commit and the index leaves the index behind; it is only a hint."""

    async def body():
        async with party(url, "ann", public=True) as p:
            await list_room(p.caller, "ZZZZZZ", True)
            await p.finish()
            await list_room(p.caller, p.room, True)
            assert await listed(p.caller) == []
            assert await stored(p.caller) == set(), "and they are taken off on the way"

    asyncio.run(body())


def test_a_room_that_comes_back_while_it_is_taken_off_is_on_the_list(url, monkeypatch):
    """A reader looks at a room that is over, and in that moment its next game opens."""

    async def body():
        async with party(url, "ann", "ben", public=True) as p:
            await p.finish()
            await list_room(p.caller, p.room, True)  # a ghost, as a worker that died leaves it
            read = listing.read_room
            looks = []

            async def slow(caller, code):
                found = await read(caller, code)
                if not looks:
                    looks.append(code)
                    await p.vote("ann", "ben")
                    await p.work()
                return found

            monkeypatch.setattr(listing, "read_room", slow)
            assert await listed(p.caller) == [p.room]
            assert await stored(p.caller) == {p.room}

    asyncio.run(body())


def test_a_room_that_cannot_be_read_here_hides_no_other_and_stays(url):
    async def body():
        async with (
            party(url, "ann", room="AAAAAA", public=True) as good,
            party(url, "ann", room="BBBBBB", public=True) as strange,
            party(url, "ann", room="CCCCCC", public=True) as broken,
        ):
            await strange.caller.call("HSET", key("r", strange.room), "g", "chess")
            await broken.caller.call("HSET", key("r", broken.room), "snap", "damaged")
            await broken.caller.call("DEL", key("e", f"{broken.room}/1"))
            assert await listed(good.caller) == ["AAAAAA"]
            assert await stored(good.caller) == {"AAAAAA", "BBBBBB", "CCCCCC"}, "another gateway may know its game"

    asyncio.run(body())


def test_the_last_changed_comes_first(url):
    async def body():
        async with party(url, "ann", room="AAAAAA", public=True) as first, party(url, "ann", room="BBBBBB") as second:
            await second.send(cmd.Configure("ann", None, IDLE))
            await second.work()
            assert await listed(first.caller) == ["BBBBBB", "AAAAAA"]
            await asyncio.sleep(0.002)  # the index has milliseconds
            await first.send(cmd.Join("ben"))
            await first.work()
            assert await listed(first.caller) == ["AAAAAA", "BBBBBB"]

    asyncio.run(body())


def test_report_102_two_hundred_rooms_come_and_go_and_the_list_is_right_at_every_moment(url):
    """Half are closed while the others are made; readers look all the time, and see only what is open."""

    async def body():
        rng = random.Random(102)
        codes = [f"C{ALPHABET[i % 32]}{ALPHABET[i // 32]}QQQ" for i in range(200)]
        caller = Caller(connect(url))
        rooms = [Party(url, code) for code in codes]
        open_now: set[str] = set()
        closed: set[str] = set()
        try:
            waiting = list(rooms)
            while waiting or open_now:
                if waiting and (rng.random() < 0.6 or not open_now):
                    one = waiting.pop()
                    await one.open("ann", "yacht", IDLE if rng.random() < 0.8 else cmd.Settings(idle_s=30))
                    await one.work()
                    if (await one.state()).settings.public:
                        open_now.add(one.room)
                else:
                    one = rooms[codes.index(rng.choice(sorted(open_now)))]
                    for turn, ms in ((1, 25_000), (2, 5_000)):  # warned, closed
                        await one.system(b'{"type":"timeout","turn":%d}' % turn, ms)
                    if rng.random() < 0.3:
                        await one.work_and_die()  # by a worker that dies before it takes the room off the list
                    await one.work()
                    assert (await one.state()).phase == "closed"
                    open_now.discard(one.room)
                    closed.add(one.room)
                assert set(await listed(caller)) == open_now
            assert len(closed) > 120 and await stored(caller) == set()
        finally:
            await asyncio.gather(*(one.caller.close() for one in rooms), caller.close())

    asyncio.run(body())


def test_one_worker_lists_many_rooms_of_a_partition_at_once(url):
    async def body():
        codes = ("".join(one) for one in itertools.product(ALPHABET, repeat=6))
        rooms = [Party(url, code) for code in itertools.islice((c for c in codes if partition(c) == 7), 20)]
        try:
            for one in rooms:
                await one.open("ann", "yacht", IDLE)
            await rooms[0].work()
            assert await stored(rooms[0].caller) == {one.room for one in rooms}
        finally:
            await asyncio.gather(*(one.caller.close() for one in rooms))

    asyncio.run(body())


async def rooms_of(url: str, host: str, *codes: str) -> list[Party]:
    made = []
    for code in codes:
        p = Party(url, code)
        await p.open(host, "duel", cmd.Settings(public=True))
        await p.work()
        made.append(p)
    return made


async def comes(p: Party, player: str) -> None:
    await p.writer.presence(p.room, player, "g1", True, 600_000)


def test_a_room_that_nobody_is_in_is_not_shown(url):
    async def body():
        empty, waiting = await rooms_of(url, "ann", "AAAAA2", "AAAAA3")
        await comes(waiting, "ann")
        assert {code for code, _ in await public_rooms(empty.caller)} >= {"AAAAA2", "AAAAA3"}
        assert [one.code for one in await present_rooms(empty.caller)] == ["AAAAA3"]
        await waiting.writer.presence(waiting.room, "ann", "g1", False, 600_000)
        assert await present_rooms(empty.caller) == []
        for p in (empty, waiting):
            await p.caller.close()

    asyncio.run(body())


def test_one_host_has_five_rooms_on_it_and_others_have_theirs(url):
    async def body():
        many = await rooms_of(url, "eve", *(f"AAAA{a}{b}" for a in "23" for b in ALPHABET[:10]))
        (mine,) = await rooms_of(url, "ann", "BBBBBB")
        for p in (*many, mine):
            await comes(p, "somebody")
        shown = [one.code for one in await present_rooms(mine.caller)]
        assert len(shown) == 6 and "BBBBBB" in shown
        for p in (*many, mine):
            await p.caller.close()

    asyncio.run(body())


def test_the_list_has_pages(url, monkeypatch):
    monkeypatch.setattr(lookup, "PAGE", 2)

    async def body():
        made = [(await rooms_of(url, f"host{n}", f"CCCCC{n + 2}"))[0] for n in range(5)]
        for p in made:
            await comes(p, "somebody")
        caller = made[0].caller
        shown = lookup.Lookup(caller, Readers(caller), lambda: 0)
        pages, after = [], ""
        while not pages or after:
            page = await shown.public(after)
            pages.append([room.room for room in page.rooms])
            after = page.next
        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(sum(pages, [])) == [f"CCCCC{n + 2}" for n in range(5)]
        assert pages[0][0] == "CCCCC6", "the last changed first"
        for p in made:
            await p.caller.close()

    asyncio.run(body())
