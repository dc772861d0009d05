"""Goal: only Redis's clock decides. No difference between clocks, and no step of one, keeps a room from moving.

Method: all our processes with a wall clock that a test sets while they run; and, for a step of Redis's own clock, leases and
scores that were written "before the step", far ahead.
"""

import asyncio
import contextlib
import struct
import urllib.request

from schemas import wire
from services.client import Client, Rejected, create_room
from services.store.keys import PARTITIONS, QUEUE, part_key
from tests.faults.campaign import tables
from tests.faults.test_processes import run
from tests.stack import ROOT, Stack, wait_until

SHIFTED = f"{ROOT}/tests/faults/shifted:{ROOT}"


class Clocks:
    """Gateway, worker and scheduler on machines whose clock is off by `shift` seconds from Redis's."""

    def __init__(self, folder, stack):
        self._file = folder / "shift"
        self.shift(0.0)
        for kind in ("gateway", "worker", "scheduler"):
            stack.add(kind, f"{kind}-0", PYTHONPATH=SHIFTED, SHIFT_FILE=str(self._file)).start(wait=False)
        for process in stack.processes:
            process.wait_ready()

    def shift(self, seconds: float) -> None:
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("d", seconds))


async def decided(table) -> None:
    """An ask of this room's first player has an outcome."""
    with contextlib.suppress(Rejected):
        await table.players[0].ask(wire.Touch)


def readyz(stack) -> str:
    with urllib.request.urlopen(f"{stack.gateway[0].url}/readyz", timeout=60) as answer:
        return answer.read().decode()


def test_rooms_move_however_the_machines_clocks_differ_from_redis(tmp_path):
    async def scenario(stack, clocks):
        async with tables(stack.urls, 2) as found:
            for ahead in (0.0, 0.3, 1.0, 2.0, 5.0, -5.0, 3600.0, -300.0):
                clocks.shift(-ahead)
                await asyncio.to_thread(wait_until, lambda a=ahead: (f"{a:+.1f} s" in readyz(stack)) is (a != 0), 30)
                room, token = await create_room(stack.urls[0], "yacht", {})  # 503 when no worker opens it in time
                async with Client(stack.urls, room, token) as client:
                    await client.join("p")
                    for table in found:
                        await decided(table)

    with Stack(tmp_path, gateways=0, workers=0, schedulers=0) as stack:
        run(scenario(stack, Clocks(tmp_path, stack)))
        for process in stack.processes:
            said = process.log.read_text().count("clock differs from the Redis server's")
            assert 3 <= said <= 12, process.tail()


def test_a_step_back_of_every_clock_keeps_no_room_waiting(tmp_path):
    """Leases and scores from before the step lie ahead: of a worker that lives, and of one that is gone."""

    def step_back(stack, seconds):
        for part in range(PARTITIONS):
            for name, field in ((part_key("m", part), "lease"),):
                if (at := stack.redis.hget(name, field)) is not None:
                    stack.redis.hset(name, field, int(at) + seconds * 1000)
            for generation, lease in stack.redis.hgetall(part_key("g", part)).items():
                at, _, length = lease.partition(b" ")
                stack.redis.hset(part_key("g", part), generation, b"%d %s" % (int(at) + seconds * 1000, length))
        for job in stack.redis.zrange(QUEUE, 0, -1):
            stack.redis.zincrby(QUEUE, seconds * 1000, job)

    async def scenario(stack):
        async with tables(stack.urls, 8) as found:
            for seconds in (20, 300):
                for dead in (False, True):
                    if dead:
                        stack.worker[0].kill()
                    asks = [asyncio.ensure_future(decided(table)) for table in found]
                    if dead:  # they wait in the dead worker's partitions
                        await asyncio.sleep(0.2)
                    step_back(stack, seconds)
                    if dead:
                        stack.worker[0].start(wait=False)
                    async with asyncio.timeout(15):  # far below the step, far above what a busy machine needs
                        await asyncio.gather(*asks)
                    assert all(seat["connected"] for seat in found[0].players[0].view["seats"].values())

    with Stack(tmp_path) as stack:
        run(scenario(stack))
