"""The gateway's one connection for publications: every room it holds sockets of, subscribed and counted here.

Pub/sub promises nothing, so this promises one thing: `on_subscribed(channel)` is called after every moment from which on
messages arrive again, at first and after each reconnect. Whoever reads the room after that call and then follows the
messages has missed nothing. A connection that died without a word is found by pinging it.
"""

import asyncio
from collections.abc import Callable

import structlog
from redis.exceptions import RedisError

from services.store.redis import Unreachable, connect

log = structlog.get_logger()

PING_S = 1.0  # silence after which the server is asked whether it is there
DEAD_S = 3.0  # silence after which the connection is given up
RETRY_S = 0.1
RETRY_S_MAX = 1.0
SUBSCRIBE_TOGETHER = 256


class Subscriber:
    """`run` in a task of its own. on_message(channel, data) and on_subscribed(channel) must not block."""

    def __init__(
        self, url: str, on_message: Callable[[bytes, bytes], None], on_subscribed: Callable[[bytes], None]
    ) -> None:
        self._url = url
        self._on_message = on_message
        self._on_subscribed = on_subscribed
        self._wanted: set[bytes] = set()
        self._asked: dict[bytes, int] = {}  # SUBSCRIBEs sent and not confirmed, per channel, on this connection
        self._commands: list[tuple[bytes, ...]] = []
        self._wake: asyncio.Event = asyncio.Event()
        self._heard = 0.0
        self.connected = False

    def add(self, channel: bytes) -> None:
        if channel not in self._wanted:
            self._wanted.add(channel)
            self._ask(channel)

    def remove(self, channel: bytes) -> None:
        if channel in self._wanted:
            self._wanted.remove(channel)
            if self.connected:
                self._commands.append((b"UNSUBSCRIBE", channel))
                self._wake.set()

    def _ask(self, channel: bytes) -> None:
        if self.connected:
            self._asked[channel] = self._asked.get(channel, 0) + 1
            self._commands.append((b"SUBSCRIBE", channel))
            self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        retry_s = RETRY_S
        while True:
            redis = connect(self._url, timeout_s=None, connections=1)
            try:
                connection = await redis.connection_pool.get_connection("SUBSCRIBE")
                retry_s = RETRY_S
                self._open()
                tasks = [asyncio.create_task(part(connection)) for part in (self._read, self._write, self._watch)]
                try:
                    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
                finally:
                    self.connected = False
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    await connection.disconnect(nowait=True)
            except (RedisError, *Unreachable) as error:
                log.warning("subscriber lost", fault=type(error).__name__, channels=len(self._wanted))
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
            finally:
                await redis.aclose()

    def _open(self) -> None:
        self.connected = True
        self._asked.clear()
        self._commands.clear()
        self._heard = asyncio.get_running_loop().time()
        for channel in self._wanted:
            self._ask(channel)

    async def _write(self, connection) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._commands:
                batch, self._commands = self._commands[:SUBSCRIBE_TOGETHER], self._commands[SUBSCRIBE_TOGETHER:]
                packed: list[bytes] = []
                for command in batch:
                    packed += connection.pack_command(*command)
                await connection.send_packed_command(packed, check_health=False)

    async def _watch(self, connection) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(PING_S)
            silent_s = loop.time() - self._heard
            if silent_s > DEAD_S:
                raise TimeoutError
            if silent_s >= PING_S:
                self._commands.append((b"PING",))
                self._wake.set()

    async def _read(self, connection) -> None:
        loop = asyncio.get_running_loop()
        while True:
            reply = await connection.read_response(disable_decoding=True)
            self._heard = loop.time()
            if reply[0] == b"message":
                self._on_message(reply[1], reply[2])
            elif reply[0] == b"subscribe":
                channel = reply[1]
                left = self._asked.get(channel, 1) - 1
                if left:
                    self._asked[channel] = left  # it was dropped and asked for again meanwhile: the last one counts
                else:
                    self._asked.pop(channel, None)
                    self._on_subscribed(channel)
