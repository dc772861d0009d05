"""`bench fanout`: what a watcher costs a gateway per event, and how a crowd comes back when its gateway dies.

One server, one worker, two gateways, all of them real processes. A table of eight plays before 0 and then before so many
watchers, half of them at each gateway; the difference is the watchers' share. Then another crowd fills one gateway alone,
which is killed, and comes back to the other within five seconds.
"""

import asyncio
import contextlib
import random
import resource
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import uvloop

from services.bench.crowd import BACK_S, Crowd, Watcher
from services.bench.measure import cpu_s, percentile, process
from services.client import Client, create_room, new_player
from services.store.server import embedded, free_port

SEATS = 8
EVENTS = 300
TOGETHER = 50  # sockets that connect at once, before anything is measured
PER_ROOM = 20
READY_S = 120.0
# All of it comes from one address here, which is not how people come.
LIMITS = {
    "NORIPAN_ROOMS_PER_MINUTE": "1000000",
    "NORIPAN_SOCKETS_MAX_PER_ADDRESS": "100000",
    "NORIPAN_MESSAGES_PER_ADDRESS": "100000",
    "NORIPAN_REQUESTS_PER_MINUTE": "1000000",
    "NORIPAN_MESSAGE_RATE": "100000",
    "NORIPAN_MESSAGE_BURST": "100000",
}


async def _ready(port: int) -> None:
    def ask() -> bool:
        with contextlib.suppress(urllib.error.URLError, OSError):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
                return answer.status == 200
        return False

    async with asyncio.timeout(READY_S):
        while not await asyncio.to_thread(ask):
            await asyncio.sleep(0.05)


async def _gather(watchers: list[Watcher], ports: list[int]) -> None:
    for first in range(0, len(watchers), TOGETHER):
        some = enumerate(watchers[first : first + TOGETHER], first)
        await asyncio.gather(*(watcher.follow(ports[number % len(ports)]) for number, watcher in some))


async def _play(clients: list[Client], watchers: list[Watcher], events: int, gateways: list[int]) -> float:
    """CPU seconds of the gateways for so many hold changes, all of them heard by everybody."""
    actor = next(client for client in clients if client.seat in client.view["acting"])
    before = sum(map(cpu_s, gateways))
    for number in range(events):
        await actor.act(actor.seat, {"type": "set_hold", "held": [number % 2 == 0, False, False, False, False]})
    await asyncio.gather(*(watcher.until(actor.version) for watcher in watchers))
    for client in clients:
        await client.until(lambda c: c.version >= actor.version)
    return sum(map(cpu_s, gateways)) - before


async def _fanout(ports: list[int], gateways: list[int], count: int) -> dict[str, Any]:
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    room, token = await create_room(urls[0], "yacht", {"turnSeconds": None})
    async with contextlib.AsyncExitStack() as leave:
        clients = [
            await leave.enter_async_context(Client(urls, room, token if seat == 0 else None, first=seat % 2))
            for seat in range(SEATS)
        ]
        for number, client in enumerate(clients):
            await client.join(f"bench {number}")
        await clients[0].start()
        for client in clients:
            await client.until(lambda c: c.view["phase"] == "playing")
        actor = next(client for client in clients if client.seat in client.view["acting"])
        await actor.act(actor.seat, {"type": "roll"})
        await _play(clients, [], 50, gateways)
        alone = await _play(clients, [], EVENTS, gateways)
        crowd = Crowd()
        tokens = [(await new_player(urls[0]))[1] for _ in range(10)]
        watchers = [Watcher(crowd, room, tokens[n % 10], f"watch-{n:05d}") for n in range(count)]
        await _gather(watchers, ports)
        watched = await _play(clients, watchers, EVENTS, gateways)
        for watcher in watchers:
            watcher.leave()
    return {
        "watchers": count,
        "events": EVENTS,
        "socket_event_us": round((watched - alone) / EVENTS / count * 1e6, 2),
        "event_us_alone": round(alone / EVENTS * 1e6, 1),
        "event_us_watched": round(watched / EVENTS * 1e6, 1),
        "bytes_per_event": round(crowd.update_bytes / max(1, crowd.updates), 1),
        "updates_heard": crowd.updates,
        "different_frames": max(map(len, crowd.different.values()), default=0),
    }


async def _storm(ports: list[int], kill: Any, count: int) -> dict[str, Any]:
    """A crowd at the first gateway, which dies; the second one takes them all."""
    url = f"http://127.0.0.1:{ports[0]}"
    rooms = [await create_room(url, "yacht", {"turnSeconds": None}) for _ in range(max(1, count // PER_ROOM))]
    crowd = Crowd()
    loop = asyncio.get_running_loop()
    watchers = [Watcher(crowd, *rooms[n % len(rooms)], f"storm-{n:05d}") for n in range(count)]
    await _gather(watchers, ports[:1])

    async def back(watcher: Watcher) -> tuple[float, float]:
        lost_at = await watcher.lost
        await asyncio.sleep(random.uniform(0, BACK_S))
        took = await watcher.follow(ports[1])
        return took, loop.time() - lost_at

    returns = [asyncio.ensure_future(back(watcher)) for watcher in watchers]
    await asyncio.sleep(0)
    kill()
    found = await asyncio.gather(*returns)
    for watcher in watchers:
        watcher.leave()
    took, waited = [one[0] for one in found], [one[1] for one in found]
    return {
        "sockets": count,
        "resumed": len(found),
        "resume_p50_ms": round(percentile(took, 0.5) * 1e3, 1),
        "resume_p99_ms": round(percentile(took, 0.99) * 1e3, 1),
        "wait_max_s": round(max(waited), 2),
    }


def run(watchers: int, sockets: int) -> dict[str, Any]:
    """One record. Starts its own server, worker and gateways on free ports and ends them."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        data = Path(folder)
        server = stack.enter_context(embedded(data / "valkey"))
        stack.enter_context(process("services.worker", server.url, data))
        ports = [free_port(), free_port()]
        gateways = [
            stack.enter_context(process("services.gateway", server.url, data, NORIPAN_PORT=str(port), **LIMITS))
            for port in ports
        ]

        async def measure() -> dict[str, Any]:
            for port in ports:
                await _ready(port)
            record = await _fanout(ports, [gateway.pid for gateway in gateways], watchers)
            return record | await _storm(ports, gateways[0].kill, sockets)

        return {"bench": "fanout", **uvloop.run(measure())}
