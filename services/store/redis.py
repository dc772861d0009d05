"""One way to talk to Redis: redis-py without retries, calls of one event-loop tick in one pipeline, scripts by SHA.

No client-library retry on writes: redis-py resends after a lost reply, and the command would run twice. After a failed
call the outcome is unknown; callers ask again by the same action id, or re-read the position (P3).
"""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import hiredis
from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError, ResponseError

HERE = Path(__file__).parent
HEADS = {
    "append": ("wake",),
    "create": ("wake",),
    "handoff": ("wake",),
    "due": ("wake",),
    "sweep": ("wake", "sockets"),
    "presence": ("wake", "sockets"),
    "beat": ("wake",),
    "renew": ("wake",),
    "next": ("wake", "sockets"),
    "say": (),
    "turn": (),
}
BATCH_MAX = 256

# What "Redis is not there now" can look like from here.
Unreachable = (RedisConnectionError, OSError, TimeoutError, asyncio.TimeoutError)


@cache
def script(name: str) -> tuple[str, str]:
    """(source, sha1) of a Lua file with the shared heads it names."""
    parts = [*HEADS[name], name]
    source = "\n".join((HERE / f"{part}.lua").read_text() for part in parts)
    return source, hashlib.sha1(source.encode()).hexdigest()


def connect(url: str, *, timeout_s: float | None = 5.0, connections: int = 8) -> Redis:
    """A client for `redis://…`. timeout_s None: for blocking reads and pub/sub."""
    pool = ConnectionPool.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        retry_on_timeout=False,
        socket_timeout=timeout_s,
        socket_connect_timeout=2.0,
        socket_keepalive=True,
        max_connections=connections,
    )
    pool.connection_class = _packed(pool.connection_class)
    return Redis.from_pool(pool)


def _words(command: Sequence[Any]) -> tuple[Any, ...]:
    """Names of two words (`SCRIPT LOAD`, `CONFIG GET`) go to the server as two."""
    name = command[0]
    return (*name.split(), *command[1:]) if isinstance(name, str) and " " in name else tuple(command)


class _Packed:
    """Commands packed by hiredis: redis-py's asyncio connections do it in Python, 13 µs for an append instead of 2."""

    def pack_command(self, *args: Any) -> list[bytes]:
        return [hiredis.pack_command(_words(args))]

    def pack_commands(self, commands: Iterable[Sequence[Any]]) -> list[bytes]:
        return [b"".join(hiredis.pack_command(_words(command)) for command in commands)]


@cache
def _packed(kind: type) -> type:
    """The connection class of a URL's scheme (TCP, TLS, Unix), with the fast packing."""
    return type(f"Packed{kind.__name__}", (_Packed, kind), {})


class Caller:
    """Calls made in one event-loop tick go out together, so that a busy process pays per batch and not per call.

    Replies are as the server sent them, the same shape in scripts and commands. A batch runs in a task of its own on a
    connection of its own: a caller that is cancelled never leaves an unread reply behind, and a connection on which anything
    went wrong is never used again. Two batches may be under way at once. Raises what redis-py raises, per call.
    """

    def __init__(self, redis: Redis, timeout_s: float = 5.0) -> None:
        self.redis = redis
        self.timeout_s = timeout_s
        self._free: list[AbstractConnection] = []
        self._queue: list[tuple[tuple, asyncio.Future]] = []
        self._running: set[asyncio.Task] = set()
        self._kicked = False

    def call(self, *command: Any) -> asyncio.Future:
        """Queue one command; the future resolves to its raw reply."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._queue.append((command, future))
        if not self._kicked and len(self._running) < 2:
            self._kicked = True
            loop.call_soon(self._kick)
        return future

    async def run(self, name: str, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run a script by SHA; loads it and runs it again when the server does not know it (it did not run then)."""
        source, sha = script(name)
        command = ("EVALSHA", sha, len(keys), *keys, *args)
        try:
            return await self.call(*command)
        except NoScriptError:
            await self.call("SCRIPT", "LOAD", source)
            return await self.call(*command)

    def _kick(self) -> None:
        self._kicked = False
        if self._queue and len(self._running) < 2:
            task = asyncio.ensure_future(self._drain())
            self._running.add(task)
            task.add_done_callback(self._drained)

    def _drained(self, task: asyncio.Task) -> None:
        self._running.discard(task)
        self._kick()  # for what was queued after the task looked and before this ran

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:BATCH_MAX], self._queue[BATCH_MAX:]
            try:
                replies = await self._send([command for command, _ in batch])
            except (RedisError, *Unreachable) as error:
                replies = [error] * len(batch)
            except BaseException:
                for _, future in batch:
                    future.cancel()
                raise
            for (_, future), reply in zip(batch, replies, strict=True):
                if future.done():
                    continue
                if isinstance(reply, Exception):
                    future.set_exception(reply)
                    future.exception()  # a caller that left must not make the loop log "never retrieved"
                else:
                    future.set_result(reply)

    async def _send(self, commands: list[tuple]) -> list:
        connection = self._free.pop() if self._free else self._connection()
        replies: list = []
        try:
            async with asyncio.timeout(self.timeout_s):
                await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
                for _ in commands:
                    try:
                        replies.append(await connection.read_response())
                    except ResponseError as error:
                        replies.append(error)
        except BaseException:
            await self._drop(connection)
            raise
        self._free.append(connection)
        return replies

    def _connection(self) -> AbstractConnection:
        connection = self.redis.connection_pool.make_connection()
        connection.socket_timeout = None  # one limit for the batch instead of one for each reply
        return connection

    async def _drop(self, connection: AbstractConnection) -> None:
        """What one connection met (a restart, a cut), the idle ones have met too."""
        dropped, self._free = [connection, *self._free], []
        for one in dropped:
            with suppress(RedisError, *Unreachable):
                await one.disconnect(nowait=True)

    async def close(self) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=5)
        dropped, self._free = self._free, []
        for connection in dropped:
            with suppress(RedisError, *Unreachable):
                await connection.disconnect()
        await self.redis.aclose()
