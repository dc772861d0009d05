"""Goal: an entry is condemned only for what its own fold did; overload condemns nobody and holds nobody else up (P7).

Method: scripts and the real Drainer, with epochs that are lost by hand; child processes that really run, and one whose answer
a test gives.
"""

import asyncio
from contextlib import asynccontextmanager

import msgspec
import pytest

from engine import games
from engine.kit import kit
from schemas import entry as cmd
from services.store.keys import key, part_key, partition
from services.store.turn import LINGER
from services.worker import alone
from services.worker.alone import Children, Verdict, in_child
from tests.store.party import Party, worker
from tests.store.table import LEASE_MS, PART, ROOM, Store

CODES = [code for code in (f"K7Q{a}{b}2" for a in "ABCDEFGHJK" for b in "ABCDEFGHJKLMNPQR") if partition(code) == PART][
    :2
]


@pytest.fixture(autouse=True)
def faulty_game():
    games.add("tests.games.faulty")
    yield
    games._added.remove("tests.games.faulty")
    games.games.cache_clear()


@asynccontextmanager
async def rooms(url):
    """Three rooms of one partition that wait for a worker."""
    stores = [Store(url, code) for code in (ROOM, *CODES)]
    try:
        for store in stores:
            await store.create()
        yield stores
    finally:
        for store in stores:
            await store.caller.close()


async def lose_epoch(s: Store) -> None:
    await s.caller.call("HSET", part_key("m", s.part), "lease", 1)
    assert (await s.writer.sweep(s.part))[0]


async def decide_next(s: Store) -> list:
    """(room, claims) of everything that waits, turn by turn, each decided."""
    found, reply = [], await s.turn(door="door:x")
    while reply.claims:
        found.append([(claim.room, claim.claims) for claim in reply.claims])
        reply = await s.turn([s.decide(claim) for claim in reply.claims], door="door:x")
    return found


def test_the_neighbours_of_a_room_that_a_worker_was_lost_over_are_not_counted(url):
    async def body():
        async with rooms(url) as (s, *_):
            for _ in range(3):
                assert len((await s.turn(door="door:x")).claims) in (3, 1)
                await lose_epoch(s)
            [one] = (await s.turn(door="door:x")).claims
            reply = await s.turn([s.decide(one)], door="door:x")
            counts = [one.claims]
            while reply.claims:
                [claim] = reply.claims  # each by itself, so that the next loss says whose it is
                counts.append(claim.claims)
                reply = await s.turn([s.decide(claim)], door="door:x")
            # Three epochs were lost: one over all three, two over one; over the same when all of it took less than a millisecond.
            assert sorted(counts) in ([1, 2, 2], [1, 1, 3])
            assert [await s.get("claims"), await s.m("claimed")] == [None, b""]

    asyncio.run(body())


def test_a_room_that_a_worker_was_lost_over_alone_is_counted_each_time(url):
    async def body():
        async with rooms(url) as (s, *_):
            await decide_next(s)
            await s.append(1)
            for claims in (1, 2, 3):
                assert [claim.claims for claim in (await s.turn(door="door:x")).claims] == [claims]
                await lose_epoch(s)

    asyncio.run(body())


def test_a_room_that_is_held_back_stays_claimed_while_others_go_on(url):
    async def body():
        async with rooms(url) as (s, b, _):
            claims = {claim.room: claim for claim in (await s.turn(door="door:x")).claims}
            done = [s.decide(claims[code]) for code in CODES]
            await s.append(1)
            reply = await s.turn(done, door="door:x", held=[ROOM])
            assert (reply.status, await s.m("claimed")) == (LINGER, ROOM.encode())
            await b.caller.call("HSET", key("r", b.room), "by", "door:x")
            async with s.caller.redis.pubsub() as door:
                await door.subscribe("door:x")
                await door.get_message(timeout=60)
                await b.append(1)
            assert await s.m("claimed") == f"{ROOM} {b.room}".encode(), "the doorbell brought one, and forgot none"
            reply = await s.turn(door="door:x", held=[ROOM])
            assert [claim.room for claim in reply.claims] == [b.room]
            reply = await s.turn([s.decide(reply.claims[0])], door="door:x", failed=[ROOM])
            assert [(claim.room, claim.claims, len(claim.entries)) for claim in reply.claims] == [(ROOM, 2, 2)]

    asyncio.run(body())


def test_one_child_tries_what_waits_and_another_what_the_first_died_before():
    async def body():
        runs: list[list[str]] = []

        async def tried(trials):
            runs.append(list(trials))
            await asyncio.sleep(0)
            return [Verdict(1, False)] if len(runs) == 2 else [Verdict(1, False)] * len(trials)

        children = Children(tried)
        assert await asyncio.gather(*(children.verdict(name) for name in "abcd")) == [Verdict(1, False)] * 4
        assert runs == [["a", "b", "c", "d"]] or (runs[0][0] == "a" and len(runs) <= 3)
        running = [asyncio.ensure_future(children.verdict(name)) for name in "xyz"]
        await asyncio.sleep(0)
        running[1].cancel()
        assert await running[0] == await running[2] == Verdict(1, False)

        async def broken(trials):
            raise OSError("no process")

        with pytest.raises(OSError):
            await Children(broken).verdict("a")

    asyncio.run(body())


@asynccontextmanager
async def faulty(url, *actions: str):
    """A room of the faulty game that was asked for these actions, and the trial of its claim."""
    p = Party(url)
    p.drainer = worker(p, fold_ms_max=300)
    try:
        await p.open("ann", "faulty", cmd.Settings(), {})
        await p.send(cmd.Join("ann"))
        await p.send(cmd.Start("ann"))
        await p.work()
        for action in actions:
            await p.send(cmd.Act("ann", 0, msgspec.Raw(b'{"type":"%s"}' % action.encode())))
        yield p
    finally:
        await p.caller.close()


async def trial_of(p: Party) -> alone.Trial:
    await p.writer.sweep(p.part)
    [claim] = (await p.turn()).claims
    game, before, _, _ = await p.drainer._before(claim)
    trial = p.drainer._trial(kit(game), claim, before, f"{claim.room}/{claim.n}")
    trial.modules = ["tests.games.faulty"]
    return trial


@pytest.mark.parametrize(
    ("actions", "verdict"),
    [
        (("step", "step"), Verdict(2, False)),
        (("step", "crash", "step"), Verdict(1, True)),
        (("step", "spin", "raise", "step"), Verdict(4, False)),  # the worker parks those by itself
    ],
)
def test_a_child_says_which_entry_ended_it(url, actions, verdict):
    async def body():
        async with faulty(url, *actions) as p:
            trial = await trial_of(p)
            good = alone.Trial(**{f: getattr(trial, f) for f in trial.__struct_fields__} | {"entries": []})
            assert await in_child([good, trial]) == [Verdict(0, False), verdict]

    asyncio.run(body())


def test_a_child_that_has_no_time_or_cannot_start_proves_nothing(url, monkeypatch):
    async def body():
        async with faulty(url, "step") as p:
            trial = await trial_of(p)
            monkeypatch.setattr(alone, "SILENT_S", 0.0)
            assert await in_child([trial, trial]) == [Verdict(0, False)] * 2
            monkeypatch.undo()
            trial.modules = ["tests.games.no_such_game"]
            assert await in_child([trial, trial]) == [Verdict(0, False)] * 2

    asyncio.run(body())


def test_while_a_child_runs_its_neighbours_go_on_and_without_proof_nothing_is_condemned(url):
    async def body():
        asked, answer = asyncio.Event(), asyncio.Event()
        verdicts = [Verdict(0, False), Verdict(1, False)]

        async def tried(trials):
            asked.set()
            await answer.wait()
            return [verdicts.pop(0)]

        p, neighbour = Party(url), Party(url, CODES[0])
        p.drainer.children = Children(tried)
        try:
            for room in (p, neighbour):
                await room.open("ann", "yacht", cmd.Settings())
            await p.work()
            await p.send(cmd.Join("ann"))
            await p.caller.call("HSET", f"{{{p.job}}}:r:{ROOM}", "claims", 2)
            running = asyncio.ensure_future(p.work())
            await asked.wait()
            await neighbour.send(cmd.Join("ann"))
            while await neighbour.get("d") != b"2":
                await asyncio.sleep(0.01)
            assert await p.get("d") == b"1" and not running.done()
            answer.set()
            await running
            await p.work()
            assert not verdicts and (await p.state()).seats[0].player == "ann"
            assert all(b"x" not in fields for _, fields in await p.stream("e")), "an entry was parked"
        finally:
            await p.caller.close()
            await neighbour.caller.close()

    asyncio.run(body())


def test_a_room_is_forgotten_until_it_is_open(url):
    async def body():
        async with rooms(url) as (s, *others):
            claims = (await s.turn(door="door:x")).claims
            assert await s.writer.forget(ROOM)
            reply = await s.turn([s.decide(claim) for claim in claims], door="door:x")
            assert (reply.refused, reply.status) == (1, LINGER)
            assert not await s.caller.call("KEYS", f"*{ROOM}*")
            for one in others:
                assert not await one.writer.forget(one.room)
                assert await one.get("v") == b"1"

    asyncio.run(body())


def test_a_fold_that_was_lost_for_its_time_gets_more_each_time(url):
    """On a busy machine a fold's CPU time takes a multiple of it; with the same lease it would be folded for ever."""

    async def body():
        async with rooms(url) as (s, *_):
            await decide_next(s)
            await s.append(1)
            holds = []
            for _ in range(6):
                assert len((await s.turn(door="door:x")).claims) == 1
                holds.append(float(await s.m("hold")) / LEASE_MS)
                assert (
                    await s.writer.renew(s.part, await s.epoch(), LEASE_MS)
                    and float(await s.m("hold")) / LEASE_MS == holds[-1]
                )
                await lose_epoch(s)
            assert holds == [1, 4, 8, 16, 16, 16]

    asyncio.run(body())
