"""The connection under all calls (services/store/link.py, redis.py): what becomes of it and of calls when it ends badly.

Method: a server that answers redis-py's greeting and then reads no more; and a caller that is closed too early.
"""

import asyncio
import contextlib
import os

from redis.exceptions import ConnectionError as RedisConnectionError

from services.store.redis import Caller, connect


def sockets() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


def test_a_connection_that_is_given_up_is_gone_though_its_peer_reads_no_more():
    async def body():
        held = []

        async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            held.append(writer)
            await reader.read(65536)
            writer.write(b"+OK\r\n" * 2)
            writer.transport.pause_reading()

        async with await asyncio.start_server(mute, "127.0.0.1", 0) as server:
            caller = Caller(connect(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"), timeout_s=0.2)
            before = sockets()
            for _ in range(3):
                with contextlib.suppress(TimeoutError):
                    await caller.call("SET", "key", bytes(16 << 20))
                    raise AssertionError("nobody can have answered")
            await asyncio.sleep(0)  # the transport lets go of its socket one tick later
            assert sockets() == before + len(held) == before + 3  # the server's ends, which are in this process, too
            await caller.close()
            for writer in held:
                writer.transport.abort()

    asyncio.run(asyncio.wait_for(body(), 300))


def test_calls_of_a_caller_that_is_closed_before_it_is_open_fail_at_once():
    async def body():
        for turns in (0, 1, 3):  # before the opening began, and in the midst of it
            caller = Caller(connect("redis://127.0.0.1:1/0"))
            call = caller.call("PING")
            for _ in range(turns):
                await asyncio.sleep(0)
            await caller.close()
            error = (await asyncio.gather(asyncio.wait_for(call, 5), return_exceptions=True))[0]
            assert isinstance(error, RedisConnectionError), error

    asyncio.run(body())
