"""Goal: overload ends by itself. Five times more than the workers can decide, for a minute: what was acknowledged is decided
and never answered `internal`, and ten seconds after the end a new room is served at once.

Method: real processes; asks go straight to append.lua, which is the fastest way in, as often as the server takes them, a seventh
of them nonsense; meanwhile the workers are stopped for four fifths of the time.
"""

import asyncio
import itertools
import json
import time
from pathlib import Path

import pytest

from engine.rng import commitment
from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import key
from services.store.redis import Caller, connect
from services.store.write import NEW, OVERLOADED, Writer
from tests.services.raw import request
from tests.stack import Stack

CODE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def codes(count: int) -> list[str]:
    return ["LL" + "".join(letters) for letters in itertools.islice(itertools.product(CODE, repeat=4), count)]


async def make(writer: Writer, room: str) -> None:
    secret = room.encode().ljust(32, b"\0")
    opening = cmd.Open("host", "yacht", 2, {"turnSeconds": None}, cmd.Settings(), commitment(secret), format=2)
    assert await writer.create(room, "yacht", encode(opening), secret.hex())


async def flood(url: str, rooms: list[str], seconds: float) -> dict[str, int]:
    """As many asks as the server takes, in turn over the rooms: joins, readiness, nonsense. Counts by status."""
    caller = Caller(connect(url))
    writer = Writer(caller)
    told: dict[int, int] = {}
    numbers = dict.fromkeys(rooms, 0)
    end = time.monotonic() + seconds

    async def one(room: str) -> None:
        numbers[room] = number = numbers[room] + 1
        data = encode(cmd.Ready("host", bool(number % 2))) if number > 1 else encode(cmd.Join("host"))
        if number % 7 == 3:
            data = b'{"type":"ready","player":"host","ready":' + b"[" * 30
        reply = await writer.append(room, 1, "flood", number, data, "", "host", "host" if number == 1 else "")
        told[reply.status] = told.get(reply.status, 0) + 1

    ring = itertools.cycle(rooms)
    while time.monotonic() < end:
        await asyncio.gather(*(one(next(ring)) for _ in range(500)))
    await caller.close()
    return {
        "acked": told.get(NEW, 0),
        "refused": told.get(OVERLOADED, 0),
        "other": sum(told.values()) - sum(told.get(status, 0) for status in (NEW, OVERLOADED)),
    }


def served_s(url: str) -> float:
    """How long one new room takes, from the ask to the open lobby; infinite when it is refused."""
    begun = time.monotonic()
    status, _, _ = request("POST", f"{url}/api/rooms", {"game": "yacht"})
    return time.monotonic() - begun if status == 201 else float("inf")


async def decided(url: str, rooms: list[str]) -> tuple[int, int, int]:
    """(entries, decided, parked) over all rooms."""
    caller = Caller(connect(url))
    counts = await asyncio.gather(*(caller.call("HMGET", key("r", room), "a", "d") for room in rooms))
    parked = 0
    for room in rooms:
        events = await caller.call("XREVRANGE", key("e", f"{room}/1"), "+", "-", "COUNT", 50)
        parked += sum(fields[0] == b"x" for _, fields in events)
    await caller.close()
    return sum(int(a) for a, _ in counts), sum(int(d) for _, d in counts), parked


@pytest.mark.parametrize(
    ("count", "seconds"),
    [(60, 5), pytest.param(2000, 60, marks=[pytest.mark.soak, pytest.mark.timeout(900)])],
    ids=["short", "2000 rooms for a minute"],
)
def test_an_overload_ends_by_itself(tmp_path: Path, count: int, seconds: float) -> None:
    rooms = codes(count)
    with Stack(tmp_path, gateways=1, workers=2) as stack:
        url, gateway = stack.server.url, stack.urls[0]

        async def starve() -> None:
            """The workers have a fifth of the time: what they can decide is a fifth, and their leases end again and again."""
            while True:
                for worker in stack.worker:
                    worker.pause()
                try:
                    await asyncio.sleep(1.6)
                finally:
                    for worker in stack.worker:
                        worker.resume()
                await asyncio.sleep(0.4)

        async def load() -> dict[str, int]:
            caller = Caller(connect(url))
            writer = Writer(caller)
            for part in range(0, count, 200):
                await asyncio.gather(*(make(writer, room) for room in rooms[part : part + 200]))
            await caller.close()
            starving = asyncio.ensure_future(starve())
            try:
                return await flood(url, rooms, seconds)
            finally:
                starving.cancel()
                await asyncio.gather(starving, return_exceptions=True)

        sent = asyncio.run(load())
        ended = time.monotonic()
        took = float("inf")
        while took > 3.0:
            took = served_s(gateway)
            assert time.monotonic() - ended < 60, f"new rooms are not served: {stack.logs()}"
        served_after = time.monotonic() - ended
        entries = done = parked = 0
        while done < entries or not entries:
            entries, done, parked = asyncio.run(decided(url, rooms))
            assert time.monotonic() - ended < 600, (entries, done)
        report = {**sent, "new_room_after_s": round(served_after, 2), "new_room_s": round(took, 2)}
        report |= {"all_decided_after_s": round(time.monotonic() - ended, 1), "entries": entries, "parked": parked}
        print(json.dumps(report))
        assert parked == 0, "nothing acknowledged is answered `internal`"
        for worker in stack.worker:
            assert "tried alone" not in worker.log.read_text() or parked == 0
