"""No wake-up is lost (P5): seeded interleavings of appends with the real Drainer against a real server.

Method: the Drainer runs unchanged, but on an event loop with virtual time and a Caller whose every script call stops
twice, before it reaches the server and before its reply reaches the Drainer. A seed decides in which order appends,
calls, replies and doorbells happen. There is no sweep here: what is left undecided when nothing moves any more was lost.
"""

import asyncio
import random

import pytest
import redis

from schemas.base import encode
from schemas.entry import Leave
from services.settings import Settings
from services.store.keys import BELL, QUEUE, key, part_key
from services.store.redis import script
from services.worker.drain import Drainer
from tests.store.table import PART, ROOM, Store

DOOR = "door:test"
ORPHAN = encode(Leave("nobody"))


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything can run, and jumps to the next timer when nothing can."""

    def __init__(self):
        super().__init__()
        self.now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0].when())
        super()._run_once()


class Gated:
    """A Caller on a blocking client: the call runs when the seed opens its first gate, returns when it opens the second."""

    def __init__(self, client):
        self.client = client
        self.gates: list[asyncio.Future] = []

    def now(self, name, keys, args):
        source, sha = script(name)
        try:
            return self.client.evalsha(sha, len(keys), *keys, *args)
        except redis.exceptions.NoScriptError:
            self.client.script_load(source)
            return self.client.evalsha(sha, len(keys), *keys, *args)

    async def run(self, name, keys, args):
        await self._gate()
        reply = self.now(name, keys, args)
        await self._gate()
        return reply

    async def call(self, *command):
        await self._gate()
        reply = self.client.execute_command(*command)
        await self._gate()
        return reply

    async def _gate(self):
        gate = asyncio.get_running_loop().create_future()
        self.gates.append(gate)
        await gate


class World:
    """One room, one worker, a list of doorbells on their way."""

    def __init__(self, client, doorbell, seed):
        self.client = client
        self.doorbell = doorbell
        self.random = random.Random(seed)
        self.caller = Gated(client)
        self.drainer = Drainer(self.caller, Settings(linger_ms=self.random.choice([0, 20, 250])), DOOR)
        self.jobs: dict[str, asyncio.Task] = {}
        self.rings: list[bytes] = []
        self.sent = 0
        self.pushed = 0  # doorbells that brought their entry

    def append(self):
        m = part_key("m", PART)
        door = self.client.hget(m, "door")
        self.sent += 1
        keys = (key("r", ROOM), QUEUE, BELL)
        args = (1, "sess", self.sent, ORPHAN, "", 500, 1000, "")
        assert self.caller.now("append", keys, args)[0] == 0
        if door and not self.client.hget(m, "door"):
            message = self.doorbell.get_message(ignore_subscribe_messages=True, timeout=60)
            self.rings.append(message["data"])

    def start_jobs(self):
        for job in self.client.zrange(QUEUE, 0, -1):
            name = job.decode()
            if name not in self.jobs:
                part, epoch = name.split(":")
                self.jobs[name] = asyncio.ensure_future(self._job(name, int(part[1:]), epoch))

    async def _job(self, name, part, epoch):
        await self.drainer.run(part, epoch)
        self.client.zrem(QUEUE, name)

    def ring(self):
        self.pushed += b"\n" in self.rings[0]
        self.drainer.ring(self.rings.pop(0))

    def choices(self, appends):
        found = []
        if appends:
            found += [self.append] * 2
        if self.rings:
            found.append(self.ring)
        found += [gate for gate in self.caller.gates if not gate.done()]
        if any(name.decode() not in self.jobs for name in self.client.zrange(QUEUE, 0, -1)):
            found.append(self.start_jobs)
        return found

    async def settled(self):
        """Nothing can run without a timer."""
        for _ in range(5):
            await asyncio.sleep(0)
        return not any(not gate.done() for gate in self.caller.gates)

    async def play(self, appends):
        while True:
            found = self.choices(appends)
            running = [task for task in self.jobs.values() if not task.done()]
            if not found and await self.settled():
                decided = int(self.client.hget(key("r", ROOM), "d")) - 1
                assert decided == self.sent, f"{self.sent - decided} entries wait for a timer: a doorbell was lost"
            if not found and not running:
                return
            step = self.random.choice(found) if found else None
            if step == self.append:
                appends -= 1
                self.append()
            elif isinstance(step, asyncio.Future):
                self.caller.gates.remove(step)
                step.set_result(None)
            elif step is not None:
                step()
            # let the Drainer come to its next gate; with nothing to choose from, its timers move
            await asyncio.sleep(0 if found else 0.01)
            await asyncio.sleep(0)
            if self.random.random() < 0.2:
                await asyncio.sleep(self.random.choice([0.001, 0.02, 0.3]))


def interleave(client, doorbell, seed):
    """Play one interleaving; (entries appended, entries decided, of these brought by a doorbell) once nothing moves."""
    world = World(client, doorbell, seed)
    loop = VirtualLoop()
    try:
        loop.run_until_complete(asyncio.wait_for(world.play(world.random.randint(1, 6)), 10_000))
        for task in world.jobs.values():
            task.result()
    finally:
        loop.close()
    return world.sent, int(client.hget(key("r", ROOM), "d")), world.pushed


def campaign(url, seeds):
    asyncio.run(_create(url))
    with redis.Redis.from_url(url) as client, client.pubsub() as doorbell:
        doorbell.subscribe(DOOR)
        assert doorbell.get_message(timeout=60)["type"] == "subscribe"
        start = {name: client.dump(name) for name in client.keys("{*")}
        pushes = 0
        for seed in seeds:
            sent, decided, pushed = interleave(client, doorbell, seed)
            assert decided == 1 + sent, f"seed {seed}: {sent} appended, {decided - 1} decided"
            pushes += pushed
            client.flushdb()
            for name, data in start.items():
                client.restore(name, 0, data)
    assert pushes > len(seeds) / 50


async def _create(url):
    store = Store(url)
    await store.create()
    await store.drain()
    await store.caller.close()


def test_no_wakeup_is_lost_in_seeded_interleavings(url):
    campaign(url, range(600))


@pytest.mark.soak
def test_no_wakeup_is_lost_in_100_000_seeded_interleavings(url):
    campaign(url, range(1_000, 101_000))
