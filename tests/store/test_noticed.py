"""Goal: who has a seat, or asked for one and waits, is noticed when they come and go; nobody else is. Names do not matter.

Method: the scripts, one by one; joins that nobody has decided, joins that were refused, names without end.
"""

import asyncio

from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import key
from services.store.write import STRANGER
from tests.store.party import party
from tests.store.table import ROOM


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


async def comes_and_goes(p, player: str) -> list[bool]:
    return [await p.writer.presence(ROOM, player, "g1", present, 60_000) for present in (True, False)]


async def fill_names(p) -> None:
    for number in range(200):
        await p.caller.call("HSET", key("n", ROOM), f"early{number:03d}", "x")


@run("ann", "ben")
async def test_a_seat_counts_and_a_name_does_not(p):
    await p.caller.call("HSET", key("n", ROOM), "eve", "Eve")
    assert await comes_and_goes(p, "eve") == [False, False]
    await p.caller.call("HDEL", key("n", ROOM), "ben")
    assert await comes_and_goes(p, "ben") == [True, True]
    await p.send(cmd.Leave("ben"))
    await p.work()
    assert await comes_and_goes(p, "ben") == [False, False]


@run("ann")
async def test_who_asked_for_a_seat_and_goes_before_the_answer_is_seated_as_gone(p):
    await p.writer.presence(ROOM, "ben", "g1", True, 60_000)
    await p.send(cmd.Join("ben"))
    assert await p.writer.presence(ROOM, "ben", "g1", False, 60_000)
    await p.work()
    assert {seat.player: seat.connected for seat in (await p.state()).seats if seat} == {"ann": True, "ben": False}
    assert await p.get("asking") is None


@run("ann", "ben")
async def test_who_was_refused_is_not_noticed_any_more(p):
    await p.send(cmd.Start("ann"))
    await p.work()
    await p.send(cmd.Join("eve"))
    assert await p.get("asking") == b" eve "
    await p.work()
    assert await p.get("asking") is None and await p.get("seated") == b" ann ben "
    assert await comes_and_goes(p, "eve") == [False, False]


@run("ann")
async def test_an_ask_that_a_worker_has_not_seen_outlives_its_commit(p):
    await p.send(cmd.Ready("ann", True))
    await p.writer.sweep(p.part)
    reply = await p.turn()
    await p.send(cmd.Join("ben"))
    commits, _ = await p.drainer._fold(reply.claims)
    await p.turn(commits, rooms=0)
    assert await p.get("asking") == b" ben "
    assert await comes_and_goes(p, "ben") == [True, True]


@run("ann", "ben")
async def test_the_201st_person_has_a_name_and_is_noticed(p):
    """However many were refused before: their names wait apart, and the longest list gives way."""
    for number in range(210):
        data = encode(cmd.Join(f"early{number:03d}", 0))
        await p.writer.append(ROOM, 1, f"s{number}", 1, data, "", f"early{number:03d}", "x", skeleton=f"x{number}")
        if number % 50 == 0:
            await p.work()
    await p.work()
    assert await p.caller.call("HLEN", key("w", ROOM)) == 200
    await p.send(cmd.Join("late"))
    await p.work()
    names = await p.caller.call("HGETALL", key("n", ROOM))
    names = dict(zip(names[::2], names[1::2], strict=True))
    assert names[b"late"].endswith(b"\nlate") and names.keys() == {b"ann", b"ben", b"late"}
    assert await comes_and_goes(p, "late") == [True, True]


@run("ann", "ben")
async def test_a_stranger_is_refused_however_many_names_there_are(p):
    await fill_names(p)
    data = encode(cmd.Leave("eve"))
    for player, refused in (("eve", True), ("early000", True), ("ben", False)):
        reply = await p.writer.append(ROOM, 1, f"s-{player}", 1, data, "", player, "", "unless noticed")
        assert (reply.status == STRANGER) == refused, player


@run("ann", "ben")
async def test_a_room_from_before_seats_were_written_is_noticed_by_its_names(p):
    await p.caller.call("HDEL", key("r", ROOM), "seated")
    assert await comes_and_goes(p, "ben") == [True, True]
    await p.work()
    assert await p.get("seated") == b" ann ben "
