"""One connection for publications: every channel that a process wants, subscribed and counted here.

Pub/sub promises nothing, so this promises one thing: `on_subscribed(channel)` is called after every moment from which on
messages arrive again, at first and after each reconnect. Whoever reads the room after that call and then follows the
messages has missed nothing. A connection that died without a word is found by pinging it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import hiredis
import structlog
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from engine.faults import place
from services.store.link import Link
from services.store.redis import Unreachable, connect

log = structlog.get_logger()

PING_S = 1.0  # silence after which the server is asked whether it is there
DEAD_S = (
    5.0  # silence after which the connection is given up; a disk that is busy keeps a server still for two or three
)
RETRY_S = 0.1
RETRY_S_MAX = 1.0


class Subscriber:
    """`run` in a task of its own. on_message(channel, data) and on_subscribed(channel) must not block; what they raise is
    logged and ends nothing: one bad message must not cost all channels theirs."""

    def __init__(
        self, url: str, on_message: Callable[[bytes, bytes], None], on_subscribed: Callable[[bytes], None]
    ) -> None:
        self._url = url
        self._on_message = on_message
        self._on_subscribed = on_subscribed
        self._wanted: set[bytes] = set()
        self._asked: dict[bytes, int] = {}  # SUBSCRIBEs sent and not confirmed, per channel, on this connection
        self._link: Link | None = None
        self._heard = 0.0
        self._fault: Exception | None = None

    @property
    def connected(self) -> bool:
        return self._link is not None

    def add(self, channel: bytes) -> None:
        if channel not in self._wanted:
            self._wanted.add(channel)
            if self._link is not None:
                self._ask(self._link, (channel,))

    def remove(self, channel: bytes) -> None:
        if channel in self._wanted:
            self._wanted.remove(channel)
            if self._link is not None:
                self._link.send((hiredis.pack_command((b"UNSUBSCRIBE", channel)),))

    def _ask(self, link: Link, channels: tuple[bytes, ...]) -> None:
        for channel in channels:
            self._asked[channel] = self._asked.get(channel, 0) + 1
        link.send([hiredis.pack_command((b"SUBSCRIBE", channel)) for channel in channels])

    async def run(self) -> None:
        """Until cancelled."""
        retry_s = RETRY_S
        loop = asyncio.get_running_loop()
        while True:
            redis = connect(self._url, connections=1)
            connection = redis.connection_pool.make_connection()
            link: Link | None = None
            try:
                async with asyncio.timeout(DEAD_S):
                    link = await Link.open(connection, self._push)
                retry_s = RETRY_S
                self._heard = loop.time()
                self._asked.clear()
                self._link = link
                if self._wanted:
                    self._ask(link, tuple(self._wanted))
                await self._watch(link)
            except (RedisError, *Unreachable) as error:
                log.warning("subscriber lost", fault=type(error).__name__, channels=len(self._wanted))
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
            finally:
                self._link = None
                if link is not None:
                    link.close()
                with suppress(RedisError, *Unreachable):
                    await connection.disconnect(nowait=True)
                await redis.aclose()

    async def _watch(self, link: Link) -> None:
        """Returns never; raises when the connection is gone, silent for too long, or the server refused something."""
        loop = asyncio.get_running_loop()
        while True:
            lost, _ = await asyncio.wait((link.lost,), timeout=PING_S)
            if self._fault is not None:
                fault, self._fault = self._fault, None
                raise fault
            if lost:
                raise RedisConnectionError("connection lost")
            silent_s = loop.time() - self._heard
            if silent_s > DEAD_S:
                raise TimeoutError
            if silent_s >= PING_S:
                link.send((hiredis.pack_command((b"PING",)),))

    def _push(self, reply: Any) -> None:
        link = self._link
        if link is None or self._fault is not None:
            return
        try:
            self._take(reply)
        except Exception as error:
            self._fault = error if isinstance(error, RedisError) else RedisConnectionError(place(error))
            link.close()

    def _take(self, reply: Any) -> None:
        if isinstance(reply, Exception):
            raise reply
        self._heard = asyncio.get_running_loop().time()
        if reply[0] == b"message":
            self._hand(self._on_message, reply[1], reply[2])
        elif reply[0] == b"subscribe":
            channel = reply[1]
            left = self._asked.get(channel, 1) - 1
            if left:
                self._asked[channel] = left  # it was dropped and asked for again meanwhile: the last one counts
            else:
                self._asked.pop(channel, None)
                self._hand(self._on_subscribed, channel)

    def _hand(self, to: Callable[..., None], *what: bytes) -> None:
        try:
            to(*what)
        except Exception as error:
            log.error("message not handled", channel=what[0].decode(errors="replace"), fault=place(error))
