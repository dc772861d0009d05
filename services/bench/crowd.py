"""Many sockets of people who only watch, at little cost to this process: what `bench fanout` puts before the gateways.

A WebSocket client of the least kind (no extension, a mask of zeros, which the protocol allows): it says hello, follows its
position, answers pings, and counts. Nothing but the bench uses it.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET, Struct, UnsetType

BACK_S = 5.0  # those who lost a gateway come back anywhere within this
RETRY_S = 1.0
FOLLOW_S = 120.0
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class _Heard(Struct):
    """Of a message: where it leaves the one who hears it."""

    type: str
    game: str = ""
    version: int = 0
    entry: str | UnsetType = UNSET


_heard = msgspec.json.Decoder(_Heard).decode


def _frame(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    head = bytes((0x80 | opcode, 0x80 | size)) if size < 126 else bytes((0x80 | opcode, 0xFE)) + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + payload


@dataclass
class Crowd:
    """What its watchers heard: bytes and number of `update` frames, and how many different ones there were per version."""

    updates: int = 0
    update_bytes: int = 0
    different: dict[tuple[str, int], set[int]] = field(default_factory=dict)
    closes: Counter = field(default_factory=Counter)

    def heard(self, at: "_Heard", payload: bytes) -> None:
        self.updates += 1
        self.update_bytes += len(payload)
        self.different.setdefault((at.game, at.version), set()).add(hash(payload))


class Watcher(asyncio.Protocol):
    """One watcher of a room: `follow` connects, and again until it is followed. game, version: its position."""

    def __init__(self, crowd: Crowd, room: str, token: str, name: str) -> None:
        self.crowd, self.room, self.token, self.name = crowd, room, token, name
        self.game, self.version = "", 0
        self.transport: asyncio.Transport | None = None
        self.lost: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._live: asyncio.Future[None] | None = None
        self._buffer = bytearray()
        self._open = False
        self._changed: asyncio.Future[None] | None = None

    async def follow(self, port: int) -> float:
        """Seconds from the attempt that worked to the snapshot. Raises what the last attempt did after FOLLOW_S."""
        loop = asyncio.get_running_loop()
        end = loop.time() + FOLLOW_S
        while True:
            began = loop.time()
            self._live, self._open = loop.create_future(), False
            self._buffer.clear()
            self.lost = loop.create_future()
            try:
                async with asyncio.timeout_at(end):
                    await loop.create_connection(lambda: self, "127.0.0.1", port)
                    await self._live
                return loop.time() - began
            except (OSError, TimeoutError):
                if loop.time() > end - RETRY_S:
                    raise
                await asyncio.sleep(random.uniform(0, RETRY_S))

    async def until(self, version: int) -> None:
        """Wait for a version of the game that is followed."""
        while self.version < version:
            self._changed = asyncio.get_running_loop().create_future()
            await self._changed

    def leave(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        transport.write(  # type: ignore[attr-defined]
            b"GET /ws HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
            b"sec-websocket-key: bm9yaXBhbi1iZW5jaC0xMg==\r\nsec-websocket-version: 13\r\n\r\n"
        )

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if not self.lost.done():
            self.lost.set_result(asyncio.get_running_loop().time())
        if self._live is not None and not self._live.done():
            self._live.set_exception(ConnectionResetError())

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        if not self._open:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in buffer[:16]:
                self.leave()
                return
            del buffer[: end + 4]
            self._open = True
            hello = {"type": "hello", "room": self.room, "session": self.name, "token": self.token}
            if self.game:
                hello |= {"game": int(self.game.partition("/")[2]), "version": self.version}
            self._send(_TEXT, msgspec.json.encode(hello))
        while len(buffer) >= 2:
            size, start = buffer[1] & 0x7F, 2
            if size >= 126:
                start = 4 if size == 126 else 10
                if len(buffer) < start:
                    return
                size = int.from_bytes(buffer[2:start], "big")
            if len(buffer) < start + size:
                return
            opcode, payload = buffer[0] & 0x0F, bytes(buffer[start : start + size])
            del buffer[: start + size]
            self._take(opcode, payload)

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == _PING:
            self._send(_PONG, payload)
        elif opcode == _CLOSE:
            self.crowd.closes[int.from_bytes(payload[:2], "big")] += 1
            self.leave()
        elif opcode == _TEXT and payload.startswith((b'{"type":"snapshot"', b'{"type":"update"')):
            at = _heard(payload)
            self.game, self.version = at.game, at.version
            if at.type == "update":
                self.crowd.heard(at, payload)
            elif self._live is not None and not self._live.done():
                self._live.set_result(None)
            if self._changed is not None and not self._changed.done():
                self._changed.set_result(None)

    def _send(self, opcode: int, payload: bytes) -> None:
        if self.transport is not None:
            self.transport.write(_frame(opcode, payload))
