"""One way to talk to Redis: no retries, calls of one event-loop tick written together, scripts by SHA.

No client-library retry on writes: redis-py resends after a lost reply, and the command would run twice. After a failed
call the outcome is unknown; callers ask again by the same action id, or re-read the position (P3).
"""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import hiredis
from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError

from services.store.link import Link, settle

HERE = Path(__file__).parent
# A line of a script that stands for another file. It may stand in a branch: what a file defines is made anew with each call,
# so what is seldom needed is included where it is needed.
_INCLUDE = re.compile(r"^ *-- include (\w+)$", re.MULTILINE)
# Batches under way at once. Calls of a busy process wait for one to land and go out together: both sides then work through
# larger batches, with fewer system calls, and nobody waits longer than a round trip.
FLIGHTS_MAX = 2

# What "Redis is not there now" can look like from here.
Unreachable = (RedisConnectionError, OSError, TimeoutError, asyncio.TimeoutError)


@cache
def script(name: str) -> tuple[str, str]:
    """(source, sha1) of a Lua file with the files that it includes."""
    source = _source(name)
    return source, hashlib.sha1(source.encode()).hexdigest()


def _source(name: str) -> str:
    return _INCLUDE.sub(lambda found: _source(found[1]), (HERE / f"{name}.lua").read_text())


def connect(url: str, *, timeout_s: float | None = 5.0, connections: int = 8) -> Redis:
    """A client for `redis://…`. timeout_s None: for blocking reads and pub/sub. Raises RedisError for what is no address."""
    try:
        pool = ConnectionPool.from_url(
            url,
            retry=Retry(NoBackoff(), 0),
            retry_on_timeout=False,
            socket_timeout=timeout_s,
            socket_connect_timeout=2.0,
            socket_keepalive=True,
            max_connections=connections,
        )
        pool.make_connection()  # where a name in the URL's query is found to be none, before anything waits for it
    except (TypeError, ValueError) as error:
        raise RedisError(f"the address has an unknown or bad parameter: {error}") from None
    return Redis.from_pool(pool)


def _words(command: Sequence[Any]) -> tuple[Any, ...]:
    """Names of two words (`SCRIPT LOAD`, `CONFIG GET`) go to the server as two."""
    name = command[0]
    return (*name.split(), *command[1:]) if isinstance(name, str) and " " in name else tuple(command)


class Caller:
    """Calls made in one event-loop tick go out together, so that a busy process pays per batch and not per call.

    Replies are as the server sent them, the same shape in scripts and commands. A caller that is cancelled leaves no unread
    reply behind: it is read and dropped. After `timeout_s` without a reply the connection is given up, everything
    outstanding on it fails, and the next call opens another. Raises what redis-py raises, per call.
    """

    def __init__(self, redis: Redis, timeout_s: float = 5.0) -> None:
        self.redis = redis
        self.timeout_s = timeout_s
        self._link: Link | None = None
        self._opening: asyncio.Task | None = None
        self._packed: list[bytes] = []
        self._futures: list[asyncio.Future] = []
        self._watch: asyncio.TimerHandle | None = None
        self._flights = 0
        self.opened = 0  # connections so far: the server may have lost its last moments before each but the first

    def call(self, *command: Any) -> asyncio.Future:
        """Queue one command; the future resolves to its raw reply."""
        loop = asyncio.get_running_loop()
        self._packed.append(hiredis.pack_command(_words(command)))
        future = loop.create_future()
        self._futures.append(future)
        if len(self._futures) == 1:
            if self._flights:
                loop.call_soon(self._flush)
            else:  # nothing is under way, so that there is nothing to wait for
                self._flush()
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

    def _flush(self) -> None:
        if not self._futures or self._flights >= FLIGHTS_MAX:
            return
        if self._link is None or self._link.lost.done():
            if self._opening is None:
                self._opening = asyncio.ensure_future(self._open())
            return  # what was queued goes out when it is open
        packed, futures = self._packed, self._futures
        self._packed, self._futures = [], []
        self._flights += 1
        futures[-1].add_done_callback(self._landed)
        self._link.send(packed, futures)
        if self._watch is None:
            self._watch = asyncio.get_running_loop().call_later(self.timeout_s, self._look)

    def _landed(self, _: asyncio.Future) -> None:
        self._flights -= 1
        self._flush()

    async def _open(self) -> None:
        connection = self.redis.connection_pool.make_connection()
        try:
            async with asyncio.timeout(self.timeout_s):
                self._link = await Link.open(connection)
            self.opened += 1
        except BaseException as error:
            with suppress(RedisError, *Unreachable):
                await connection.disconnect(nowait=True)
            self._packed, failed, self._futures = [], self._futures, []
            for future in failed:
                if isinstance(error, (RedisError, *Unreachable)):
                    settle(future, error)
                else:
                    future.cancel()
            if not isinstance(error, (RedisError, *Unreachable)):
                raise
        finally:
            self._opening = None
        if self._futures:
            self._flush()

    def _look(self) -> None:
        """Give up a connection that has not answered in time."""
        self._watch = None
        link = self._link
        if link is None or not link.waiting:
            return
        loop = asyncio.get_running_loop()
        left_s = link.oldest_s + self.timeout_s - loop.time()
        if left_s <= 0:
            link.close(TimeoutError())
        else:
            self._watch = loop.call_later(left_s, self._look)

    async def close(self) -> None:
        """What is under way may still end; then the connection does."""
        link = self._link
        if link is not None:
            loop = asyncio.get_running_loop()
            until = loop.time() + min(self.timeout_s, 5.0)
            while (link.waiting or self._futures) and not link.lost.done() and loop.time() < until:
                await asyncio.sleep(0.005)
            link.close()
        if self._opening is not None:
            self._opening.cancel()
        self._packed, failed, self._futures = [], self._futures, []  # that task may not even have begun
        for future in failed:
            settle(future, RedisConnectionError("connection closed"))
        if self._watch is not None:
            self._watch.cancel()
        await self.redis.aclose()
