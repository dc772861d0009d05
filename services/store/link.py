"""One connection to Redis on which replies come in order and nothing waits for its turn: hiredis on a bare transport.

redis-py opens it (address, TLS, password, database are its matter); from then on the bytes are read and written here.
redis-py's streams cost about 30 µs a call and several turns of the event loop each way, which was a good part of an idle
room's latency.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse


class Link(asyncio.Protocol):
    """`send` packed commands; each of them resolves one of the futures given with it, in order.

    on_push: for a connection that subscribes; called with every reply instead, must not raise. `lost` is done when the
    connection is, whoever ended it. A reply that is an error becomes the exception that redis-py has for it.
    """

    def __init__(self, connection: AbstractConnection, on_push: Callable[[Any], None] | None) -> None:
        self._waiting: deque[tuple[float, asyncio.Future]] = deque()
        self._on_push = on_push
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[None] = self._loop.create_future()
        self._reader = hiredis.Reader(protocolError=InvalidResponse, replyError=connection._parser.parse_error)
        self._connection = connection  # its stream would close the transport when it is collected
        self._transport: asyncio.WriteTransport = connection._writer.transport

    @classmethod
    async def open(cls, connection: AbstractConnection, on_push: Callable[[Any], None] | None = None) -> "Link":
        """Raises what redis-py's `connect` raises."""
        await connection.connect()
        link = cls(connection, on_push)
        link._transport.set_protocol(link)
        return link

    @property
    def waiting(self) -> bool:
        """Whether replies are outstanding."""
        return bool(self._waiting)

    @property
    def oldest_s(self) -> float:
        """When the oldest outstanding command was sent, by the event loop's clock."""
        return self._waiting[0][0]

    def send(self, packed: Iterable[bytes], futures: Iterable[asyncio.Future] = ()) -> None:
        """Write commands at once. A connection that is lost fails its futures, now or when it is found out."""
        now = self._loop.time()
        self._waiting.extend((now, future) for future in futures)
        if self.lost.done():
            self._fail(RedisConnectionError("connection lost"))
        else:
            self._transport.write(b"".join(packed))

    def close(self, error: Exception | None = None) -> None:
        """End the connection; what is outstanding fails with `error`."""
        self._end(error or RedisConnectionError("connection closed"))
        with suppress(OSError, RuntimeError):
            self._transport.abort()  # `close` would wait for a peer that reads no more to take what is written
        self._connection._reader = self._connection._writer = None

    # asyncio.Protocol

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not False:
                if self._on_push is not None:
                    self._on_push(reply)
                else:
                    settle(self._waiting.popleft()[1], reply)
        except (InvalidResponse, IndexError) as error:  # not what a Redis says
            self.close(RedisConnectionError(type(error).__name__))

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(RedisConnectionError("connection lost"))

    def _end(self, error: Exception) -> None:
        if not self.lost.done():
            self.lost.set_result(None)
        self._fail(error)

    def _fail(self, error: Exception) -> None:
        failed, self._waiting = self._waiting, deque()
        for _, future in failed:
            settle(future, error)


def settle(future: asyncio.Future, reply: Any) -> None:
    """Give a caller its reply, or its error."""
    if future.done():
        return  # its caller was cancelled; the reply was read all the same
    if isinstance(reply, Exception):
        future.set_exception(reply)
        future.exception()  # a caller that left must not make the loop log "never retrieved"
    else:
        future.set_result(reply)
