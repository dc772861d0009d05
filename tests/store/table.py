"""A store with one room, driven script by script: what gateway, worker and scheduler do, one step at a time."""

import asyncio
import secrets
from contextlib import asynccontextmanager

from engine.fold import Position, advance
from engine.kit import kit
from engine.rng import commitment
from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import PARTITIONS, key, part_key, partition
from services.store.outcome import commit_of
from services.store.read import from_snapshot, load_chance
from services.store.redis import Caller, connect
from services.store.turn import Claim, Turn, turn
from services.store.write import Writer, part_name

ROOM = "K7Q2MX"
PART = partition(ROOM)
LEASE_MS = 60_000  # outlives any test: a lease ends when a test says so (`lease_over`)


@asynccontextmanager
async def opened(url: str, room: str = ROOM):
    """A Store on `url` with a created room."""
    store = Store(url, room)
    try:
        await store.create()
        yield store
    finally:
        await store.caller.close()


class Store:
    """Calls of the three processes on one room; `epoch` is what the scripts scheduled last."""

    def __init__(self, url: str, room: str = ROOM):
        self.caller = Caller(connect(url))
        self.url = url
        self.writer = Writer(self.caller, LEASE_MS)
        self.room = room
        self.part = partition(room)

    async def open_house(self) -> None:
        """As if a gateway served: timeouts and presence wait for one."""
        await self.writer.serve("test", 3_600_000)
        await asyncio.gather(*map(self.writer.due, range(PARTITIONS)))

    async def create(self, game: str = "yacht"):
        await self.open_house()
        secret = secrets.token_bytes(32)
        opening = cmd.Open("host", game, 1, {"turnSeconds": None}, cmd.Settings(), commitment(secret))
        return await self.writer.create(self.room, game, encode(opening), secret.hex())

    async def append(self, action_id: int, command=None, session: str = "sess", n: int = 1):
        data = encode(command or cmd.Leave("nobody"))
        return await self.writer.append(self.room, n, session, action_id, data)

    async def get(self, field: str, kind: str = "r"):
        return await self.caller.call("HGET", key(kind, self.room), field)

    async def m(self, field: str):
        return await self.caller.call("HGET", part_key("m", self.part), field)

    async def epoch(self) -> str:
        return (await self.m("epoch")).decode()

    async def lease_over(self, generation: str = "") -> None:
        """The lease of the partition's worker ends now, or that of a gateway."""
        name, field = ("g", generation) if generation else ("m", "lease")
        await self.caller.call("HSET", part_key(name, self.part), field, 1)

    async def turn(
        self, commits=(), epoch: str | None = None, door: str = "", rooms: int = 64, entries: int = 32, **more
    ) -> Turn:
        """door "": the partition is released when nothing is ready, and the worker is one that knows no room."""
        epoch = epoch or await self.epoch()
        me = door or f"nobody:{secrets.token_hex(4)}"
        return await turn(
            self.caller, self.part, epoch, LEASE_MS, rooms, entries, me, list(commits), linger=bool(door), **more
        )

    def decide(self, claim: Claim):
        stored = claim.stored
        if stored is None:  # committed by the same turn
            k, before = self.last
        else:
            k = kit(stored.game)
            room = from_snapshot(k, stored.snapshot, claim.version) if claim.version else None
            before = Position(room, load_chance(stored.chance), claim.head)
        after, decided = advance(k, before, claim.entries, f"{claim.room}/{claim.n}")
        self.last = k, after
        return commit_of(k, claim, before, after, decided)[0]

    async def drain(self) -> int:
        """Decide everything that waits; entries decided."""
        reply, count = await self.turn(), 0
        while reply.claims:
            count += sum(len(claim.entries) for claim in reply.claims)
            reply = await self.turn([self.decide(claim) for claim in reply.claims])
        return count

    async def stream(self, kind: str, n: int = 1):
        return await self.caller.call("XRANGE", key(kind, f"{self.room}/{n}"), "-", "+")

    async def queued(self) -> list[bytes]:
        return await self.caller.call("ZRANGE", "arq:queue:noripan", 0, -1)

    @property
    def job(self) -> str:
        return part_name(self.part)
