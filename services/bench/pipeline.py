"""`bench pipeline`: appends to publications through one server and one worker, without sockets, against the naive scheme."""

import asyncio
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import uvloop
from arq.connections import RedisSettings, create_pool

from schemas.base import ALPHABET
from services.bench.driver import Driver, Seat
from services.bench.measure import cpu_s, percentile, process
from services.bench.naive import NAIVE_QUEUE
from services.bench.script import lobby, opening, yacht_actions
from services.store.server import embedded

WARM_ACTIONS = 4  # of each room, before measuring


def codes(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    found: set[str] = set()
    while len(found) < count:
        found.add("".join(rng.choices(ALPHABET, k=6)))
    return sorted(found)


async def _idle(driver: Driver, seat: Seat, gap_s: float, count: int) -> list[float]:
    """Latencies in seconds of single actions, `gap_s` apart."""
    hold = [_hold(b"true"), _hold(b"false")]
    found = []
    for i in range(count):
        await asyncio.sleep(gap_s)
        found.append(await driver.ask(seat, hold[i % 2]))
    return found


def _hold(value: bytes) -> bytes:
    action = b'{"type":"set_hold","held":[%s,false,false,false,false]}' % value
    return b'{"type":"act","player":"bench-player-1","seat":0,"action":%s}' % action


async def _ours(port: int, pids: dict[str, int], rooms: int, seconds: float) -> dict[str, Any]:
    driver = Driver()
    await driver.connect(port)
    names = codes(rooms + 1)
    one = Seat(names.pop(), ())
    seats = {name.encode(): Seat(name, yacht_actions()) for name in names}
    for seat in (*seats.values(), one):
        await _begin(driver, seat)
    roll = next(yacht_actions())[1]
    await driver.ask(one, roll)
    await _idle(driver, one, 0, 50)
    idle = await _idle(driver, one, 0, 300)
    gap = await _idle(driver, one, 0.1, 50)
    cold = await _idle(driver, one, 0.6, 20)
    ping = await _ping(driver, 0.1, 50)

    driver.seats = seats
    driver.running = True
    for seat in seats.values():
        driver.next(seat)
    while driver.done < WARM_ACTIONS * rooms:
        await asyncio.sleep(0.01)
    driver.latency.clear()
    used = {name: cpu_s(pid) for name, pid in pids.items()}
    began, first = time.perf_counter(), driver.done
    while time.perf_counter() - began < seconds and driver.done < 80 * rooms:
        await asyncio.sleep(0.02)
    took, done = time.perf_counter() - began, driver.done - first
    spent = {name: cpu_s(pid) - used[name] for name, pid in pids.items()}
    driver.running = False
    return {
        "actions_per_s": round(done / took),
        "idle_p50_ms": round(median(idle) * 1e3, 2),
        "idle_p99_ms": round(percentile(idle, 0.99) * 1e3, 2),
        "gap_p50_ms": round(median(gap) * 1e3, 2),
        "cold_p50_ms": round(median(cold) * 1e3, 2),
        "gap_ping_ms": round(median(ping) * 1e3, 2),
        "gap_own_ms": round((median(gap) - 2 * median(ping)) * 1e3, 2),
        "cpu_us_per_action": round(sum(spent.values()) / done * 1e6, 1),
        "redis_us": round(spent["redis"] / done * 1e6, 1),
        "worker_us": round(spent["worker"] / done * 1e6, 1),
        "p50_ms": round(percentile(driver.latency, 0.5) * 1e3, 1),
        "p99_ms": round(percentile(driver.latency, 0.99) * 1e3, 1),
        "actions": done,
    }


async def _ping(driver: Driver, gap_s: float, count: int) -> list[float]:
    """Round trips to the server alone after a pause: how long this machine takes to wake two processes."""
    found = []
    for _ in range(count):
        await asyncio.sleep(gap_s)
        began = time.perf_counter()
        await driver.wire.send("PING", reply=True)
        found.append(time.perf_counter() - began)
    return found


async def _begin(driver: Driver, seat: Seat) -> None:
    """Create the room, seat two, start; wait until it is dealt."""
    heard = driver.heard[seat.room.encode()] = asyncio.get_running_loop().create_future()
    await driver.create(seat.room, "yacht", *opening())
    await heard
    for _, data in lobby():
        await driver.ask(seat, data)


async def _naive(url: str, rooms: int, seconds: float) -> float:
    """Actions per second of stock arq with one job per action, closed loop over `rooms`."""
    pool = await create_pool(RedisSettings.from_dsn(url), default_queue_name=NAIVE_QUEUE)
    pubsub = pool.pubsub()
    await pubsub.psubscribe("v:*")
    scripts = {}
    for name in codes(rooms, seed=2):
        data, private = opening()
        entries = [(data, private), *((d, "") for _, d in lobby()), *((d, "") for _, d in yacht_actions())]
        scripts[name] = iter(entries)
    numbers = dict.fromkeys(scripts, 0)

    async def send(room: str) -> None:
        data, private = next(scripts[room], (None, ""))
        if data is not None:
            numbers[room] += 1
            await pool.enqueue_job("act", room, data, private, f"bench:{numbers[room]}")

    async def listen() -> None:
        nonlocal done
        async for message in pubsub.listen():
            if message["type"] == "pmessage":
                done += 1
                again(message["channel"][2:].decode())

    def again(room: str) -> None:
        task = asyncio.ensure_future(send(room))
        sending.add(task)
        task.add_done_callback(sending.discard)

    done = 0
    sending: set[asyncio.Task] = set()
    listener = asyncio.ensure_future(listen())
    await asyncio.gather(*(send(room) for room in scripts))
    while done < 5 * rooms:  # the lobbies
        await asyncio.sleep(0.02)
    began, first = time.perf_counter(), done
    await asyncio.sleep(seconds)
    rate = (done - first) / (time.perf_counter() - began)
    listener.cancel()
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    await pubsub.aclose()
    await pool.aclose()
    return rate


def run(rooms: int, seconds: float, with_naive: bool) -> dict[str, Any]:
    """One record. Starts its own server and worker on free ports and ends them.

    idle: one room in an idle stack, one action after the other. gap: the same with 100 ms between, when all processes sleep;
    gap_ping: what a bare PING costs then. An action wakes four sleepers on its way (server, worker, server, driver), a PING
    two, so gap_own is gap without what this machine takes to wake them. cold: 600 ms between, after the lingering.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with embedded(data / "valkey") as server, process("services.worker", server.url, data) as worker:
            pids = {"redis": server.pid, "worker": worker.pid}
            record = uvloop.run(_ours(server.port, pids, rooms, seconds))
        if with_naive:
            with embedded(data / "naive") as server, process("services.bench.naive", server.url, data, quiet=True):
                naive = uvloop.run(_naive(server.url, rooms, min(seconds, 4.0)))
            record |= {"naive_per_s": round(naive), "vs_naive": round(record["actions_per_s"] / naive, 2)}
    return {"bench": "pipeline", "rooms": rooms, **record}
