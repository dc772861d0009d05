"""The load side of `bench pipeline`: appends by the append script, hears publications, and costs little itself.

It speaks RESP over one raw connection with hiredis, since redis-py's cost per reply would be a large part of what is
measured here. Nothing but the bench uses it.
"""

import asyncio
import collections
import time
from collections.abc import Callable

import hiredis

from services.store.keys import BELL, QUEUE, key, part_key, partition
from services.store.redis import script
from services.store.write import UNREAD_MAX, part_name


class Wire(asyncio.Protocol):
    """One connection. Replies go to futures in order, or, with `on_push`, every message to that function."""

    def __init__(self, on_push: Callable | None = None) -> None:
        self.reader = hiredis.Reader()
        self.waiting: collections.deque[asyncio.Future | None] = collections.deque()
        self.out: list[bytes] = []
        self.on_push = on_push

    @classmethod
    async def open(cls, port: int, on_push: Callable | None = None) -> "Wire":
        loop = asyncio.get_running_loop()
        _, wire = await loop.create_connection(lambda: cls(on_push), "127.0.0.1", port)
        return wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def send(self, *command: object, reply: bool = False) -> asyncio.Future | None:
        """Queue a command; all of one event-loop tick are written at once. reply=False: an answer is read and dropped."""
        loop = asyncio.get_running_loop()
        future = loop.create_future() if reply else None
        if self.on_push is None:
            self.waiting.append(future)
        if not self.out:
            loop.call_soon(self._flush)
        self.out.append(hiredis.pack_command(command))
        return future

    def _flush(self) -> None:
        data = b"".join(self.out)
        self.out.clear()
        self.transport.write(data)

    def data_received(self, data: bytes) -> None:
        self.reader.feed(data)
        while (message := self.reader.gets()) is not False:
            if self.on_push is not None:
                self.on_push(message)
                continue
            future = self.waiting.popleft()
            if isinstance(message, Exception):
                raise message
            if future is not None:
                future.set_result(message)


class Seat:
    """One room's script of actions and its clock."""

    __slots__ = ("room", "keys", "actions", "sent_at", "number", "session")

    def __init__(self, room: str, actions) -> None:
        self.room = room
        self.keys = (key("r", room), QUEUE, BELL)
        self.actions = iter(actions)
        self.sent_at = 0.0
        self.number = 0
        self.session = "bench"


class Driver:
    """Closed loop: each room's next action is appended when its last one was published."""

    def __init__(self, lease_ms: int = 800) -> None:
        self.lease_ms = lease_ms
        self.seats: dict[bytes, Seat] = {}
        self.done = 0
        self.latency: list[float] = []
        self.running = False
        self.heard: dict[bytes, asyncio.Future] = {}

    async def connect(self, port: int) -> None:
        self.sha = script("append")[1]
        self.wire = await Wire.open(port)
        await self.wire.send("SCRIPT", "LOAD", script("append")[0], reply=True)
        await self.wire.send("SCRIPT", "LOAD", script("create")[0], reply=True)
        self.push = await Wire.open(port, self._published)
        self.push.send("PSUBSCRIBE", "v:*")

    async def create(self, room: str, game: str, data: bytes, private: str) -> None:
        part = partition(room)
        keys = (key("r", room), key("a", f"{room}/1"), part_key("ready", part), part_key("m", part), QUEUE, BELL)
        args = (room, game, data, private, part_name(part), self.lease_ms)
        reply = await self.wire.send("EVALSHA", script("create")[1], len(keys), *keys, *args, reply=True)
        assert reply is not None

    def append(self, seat: Seat, data: bytes) -> None:
        seat.number += 1
        seat.sent_at = time.perf_counter()
        args = (1, seat.session, seat.number, data, "", self.lease_ms, UNREAD_MAX, "bench-player")
        self.wire.send("EVALSHA", self.sha, len(seat.keys), *seat.keys, *args)

    def next(self, seat: Seat) -> None:
        action = next(seat.actions, None)
        if action is not None:
            self.append(seat, action[1])

    def _published(self, message: list) -> None:
        if message[0] != b"pmessage":
            return
        room = message[2][2:]
        waiting = self.heard.pop(room, None)
        if waiting is not None:
            waiting.set_result(time.perf_counter())
        seat = self.seats.get(room)
        if seat is None:
            return
        self.done += 1
        self.latency.append(time.perf_counter() - seat.sent_at)
        if self.running:
            self.next(seat)

    async def ask(self, seat: Seat, data: bytes) -> float:
        """Append and wait for the room's publication; seconds."""
        future = self.heard[seat.room.encode()] = asyncio.get_running_loop().create_future()
        self.append(seat, data)
        return await future - seat.sent_at
