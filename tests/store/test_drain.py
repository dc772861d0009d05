"""Goal: a drain gives its partition on, keeps what it holds, and forgets what it does not need. One test per duty.

Method: the real Drainer on an event loop with virtual time, against a real server that is asked without waiting; nothing
takes seconds.
"""

import asyncio
from contextlib import contextmanager

import pytest
import redis

from engine.fold import Position
from schemas import entry as cmd
from services.settings import Settings
from services.store.keys import BELL, QUEUE, key, part_key
from services.store.turn import Claim
from services.worker import drain
from services.worker.drain import Drainer, Folded
from tests.store.party import party
from tests.store.table import PART, ROOM, Store
from tests.store.test_claims import rooms
from tests.store.test_contract import run as stored
from tests.store.test_noticed import run as played
from tests.store.test_wakeup import DOOR, ORPHAN, Gated, VirtualLoop, _create

JOB = f"p{PART:02d}"


class Direct(Gated):
    """A Caller whose every call is done at once; counted by the script's name."""

    def __init__(self, client):
        super().__init__(client)
        self.runs: list[str] = []

    async def _gate(self):
        await asyncio.sleep(0)

    async def run(self, name, keys, args):
        self.runs.append(name)
        return await super().run(name, keys, args)


class World:
    def __init__(self, client, loop):
        self.client, self.loop = client, loop
        self.caller = Direct(client)
        self.drainer = Drainer(self.caller, Settings(), DOOR)
        self.sent = 0

    def append(self) -> None:
        self.sent += 1
        keys = (key("r", ROOM), QUEUE, BELL)
        assert self.caller.now("append", keys, (1, "sess", self.sent, ORPHAN, "", 500, 1000, ""))[0] == 0
        self.drainer.ring_all()

    def m(self, field: str) -> bytes | None:
        return self.client.hget(part_key("m", PART), field)


@contextmanager
def world(url):
    asyncio.run(_create(url))
    loop = VirtualLoop()
    try:
        with redis.Redis.from_url(url) as client:
            yield World(client, loop)
    finally:
        loop.close()


def test_a_partition_that_is_never_idle_is_handed_on_after_a_term(url):
    with world(url) as w:

        async def body():
            async def feed():
                while True:
                    w.append()
                    await asyncio.sleep(0.2)

            w.append()
            epoch = w.m("epoch").decode()
            feeding = asyncio.ensure_future(feed())
            await asyncio.wait_for(w.drainer.run(PART, epoch), 1000)
            feeding.cancel()
            assert 0.5 * drain.TERM_S < w.loop.time() < 1.5 * drain.TERM_S
            assert int(w.m("epoch")) == int(epoch) + 1 and w.m("job").decode() == f"{JOB}:{w.m('epoch').decode()}"

        w.loop.run_until_complete(body())


def test_a_drain_that_is_cancelled_hands_its_partition_on(url):
    with world(url) as w:

        async def body():
            w.append()
            epoch = w.m("epoch").decode()
            task = asyncio.ensure_future(w.drainer.run(PART, epoch))
            await asyncio.sleep(0.05)
            assert w.m("door") == DOOR.encode(), "it lingers"
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert int(w.m("epoch")) == int(epoch) + 1
            assert w.client.zscore(QUEUE, f"{JOB}:{w.m('epoch').decode()}") is not None

        w.loop.run_until_complete(body())


def test_a_job_that_lingers_is_parked_once(url):
    with world(url) as w:
        hidden = []

        async def park(job_id: str) -> None:
            hidden.append(job_id)

        async def body():
            w.drainer.park_job = park
            w.append()
            epoch = w.m("epoch").decode()
            task = asyncio.ensure_future(w.drainer.run(PART, epoch))
            await asyncio.sleep(0.05)
            w.append()
            await task
            assert hidden == [f"{JOB}:{epoch}"]

        w.loop.run_until_complete(body())


def test_a_lease_is_renewed_while_rooms_are_folded(url):
    with world(url) as w:

        async def body():
            w.append()
            lease_s = w.drainer.settings.lease_ms / 1000
            with w.drainer._held(PART, w.m("epoch").decode()):
                await asyncio.sleep(2 * lease_s)
            assert w.caller.runs.count("renew") >= 5
            held = int(float(w.m("hold")))
            assert held >= w.drainer.settings.lease_ms + w.drainer.settings.fold_ms_max
            count = w.caller.runs.count("renew")
            await asyncio.sleep(2 * lease_s)
            assert w.caller.runs.count("renew") <= count + 1, "and not after it"

        w.loop.run_until_complete(body())


def test_one_bad_room_does_not_stop_the_batch(url):
    async def body():
        async with rooms(url) as (s, *_):
            claims = (await s.turn(door="door:x")).claims
            bad = claims[0]._replace(stored=claims[0].stored._replace(game="no such game"))
            commits, failed = await Drainer(s.caller, Settings(), "door:x")._fold([bad, *claims[1:]])
            assert [commit.room for commit in commits] == [claim.room for claim in claims[1:]]
            assert failed == [bad.room]

    asyncio.run(body())


def test_folding_lets_other_partitions_renew_their_leases(url, monkeypatch):
    monkeypatch.setattr(drain, "SLICE_S", -1.0)

    async def body():
        async with rooms(url) as (s, *_):
            claims = (await s.turn(door="door:x")).claims
            turns = 0

            async def others():
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            other = asyncio.ensure_future(others())
            await Drainer(s.caller, Settings(), "door:x")._fold(claims)
            other.cancel()
            assert turns >= len(claims)

    asyncio.run(body())


def test_rooms_that_were_folded_are_remembered_up_to_a_bound(url, monkeypatch):
    monkeypatch.setattr(drain, "RECENT", 2)

    async def body():
        async with rooms(url) as (s, *_):
            claims = (await s.turn(door="door:x")).claims
            drainer = Drainer(s.caller, Settings(), "door:x")
            await drainer._fold(claims)
            assert list(drainer.recent) == [claim.room for claim in claims[1:]]

    asyncio.run(body())


@played("ann")
async def test_what_is_remembered_fits_a_claim_only_at_the_same_link_of_the_chain(p):
    room = await p.state()
    at = Position(room, None, b"head")
    known = Folded("yacht", 1, b"5-0", at, None)
    claim = Claim(ROOM, 1, room.version, b"5-0", 3, b"head", 1, [], None)
    assert known.fits(claim)
    for other in ({"head": b"other"}, {"cursor": b"6-0"}, {"n": 2}, {"version": room.version + 1}):
        assert not known.fits(claim._replace(**other)), other


@played("ann", "ben")
async def test_a_room_without_a_deadline_is_not_looked_at_for_one(p):
    await p.send(cmd.Start("ann"))
    await p.work()
    for player in ("ann", "ben"):
        await p.send(cmd.Nonce(player), private=bytes(32))
    await p.work()
    if (await p.state()).phase != "playing":
        await p.expire()
    assert (await p.state()).phase == "playing" and await p.get("due") == b"", "untimed, and everybody is here"
    assert await p.caller.call("ZSCORE", part_key("due", p.part), ROOM) is None


def test_a_timeout_that_was_refused_is_sent_again(url):
    """As when a clock was set back between: the turn is the same, and nobody else would end it."""

    async def body():
        async with party(url, "ann", "ben") as p:
            for times in (1, 2, 3):
                await p.caller.call("ZADD", part_key("due", p.part), 0, ROOM)
                assert (await p.writer.due(p.part))[0] == 1, times
                await p.caller.call("ZADD", part_key("due", p.part), 0, ROOM)
                assert (await p.writer.due(p.part))[0] == 0, "while it is unread one is enough"
                await p.work()
            entries = [item[1][1] for item in await p.stream("a")]
            assert sum(b'"timeout"' in data for data in entries) == 3

    asyncio.run(body())


@stored
async def test_rooms_that_wait_without_a_job_get_one(s: Store):
    await s.drain()
    assert await s.m("job") is None
    assert await s.writer.sweep(s.part) == (False, 0)
    await s.caller.call("ZADD", part_key("ready", s.part), 1, ROOM)
    assert await s.writer.sweep(s.part) == (True, 0)
    assert await s.m("job") in await s.queued()
