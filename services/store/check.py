"""What the server must be like, checked at start: version, eviction policy, partitions. And how a process says that it is not."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from redis.exceptions import AuthenticationError, BusyLoadingError, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from services.store.keys import META, PARTITIONS
from services.store.redis import Unreachable, connect

log = structlog.get_logger()


class UnfitServer(Exception):
    """The server cannot hold rooms; the text says what was expected and what was found."""


FAULTS = (UnfitServer, RedisError, *Unreachable)
# How long a process that starts waits for a server that is away or still loads its file, and how often it looks.
START_S_MAX = 60.0
START_LOOK_S = 0.5
_AWAY = (RedisConnectionError, RedisTimeoutError, BusyLoadingError, *Unreachable)


def complaint(error: Exception) -> str:
    """One of FAULTS, for whoever set REDIS_URL. The URL is not shown, it may hold a password; redis-py's text has none."""
    if isinstance(error, UnfitServer):
        return f"REDIS_URL: {error}"
    return f"REDIS_URL: the server does not answer as it should ({type(error).__name__}: {str(error)[:200]})"


@contextmanager
def or_exit() -> Iterator[None]:
    """Around a process's start: an unfit server ends it with exit code 2, since trying again cannot mend that; silence with 1.
    See `await_server` for how much silence."""
    try:
        yield
    except FAULTS as error:
        print(complaint(error), file=sys.stderr)
        sys.exit(2 if isinstance(error, UnfitServer) else 1)


async def await_server(url: str, on_look: Callable[[], None] = lambda: None) -> None:
    """`check` of a process that starts: a server that is not there yet is waited for, START_S_MAX at most.

    `on_look` is called before each look. Raises what `check` raises: at once for what waiting cannot mend (an unfit server,
    a wrong password, an address that is none), else when the time is over.
    """
    begun, waited = time.monotonic(), False
    while True:
        on_look()
        try:
            await check(url)
        except AuthenticationError:  # a ConnectionError to redis-py
            raise
        except _AWAY as error:
            if time.monotonic() - begun > START_S_MAX:
                log.error("redis did not come, giving up", seconds=round(time.monotonic() - begun))
                raise
            if not waited:
                log.warning("waiting for redis", seconds_max=START_S_MAX, fault=type(error).__name__)
            waited = True
            await asyncio.sleep(START_LOOK_S)
            continue
        if waited:
            log.info("redis is there", seconds=round(time.monotonic() - begun, 1))
        return


async def check(url: str) -> None:
    """Raises UnfitServer, or redis-py's errors; stores the partition count at the first start, compares it ever after."""
    redis = connect(url, connections=1)
    try:
        await _check(redis)
    finally:
        await redis.aclose()


async def _check(redis) -> None:
    info = await redis.info("server")
    found = info.get("valkey_version") or info.get("redis_version", "0")
    least = (7, 2) if "valkey_version" in info else (7, 0)
    if tuple(int(part) for part in str(found).split(".")[:2]) < least:
        raise UnfitServer(f"server version: expected at least {least[0]}.{least[1]}, got {found}")
    policy = (await redis.config_get("maxmemory-policy")).get("maxmemory-policy")
    if policy is not None and policy != "noeviction":
        raise UnfitServer(f"maxmemory-policy: expected noeviction (anything else deletes games), got {policy}")
    if (await redis.config_get("appendonly")).get("appendonly") == "no":
        log.warning("appendonly is off: a restart of the server loses every game")
    await redis.hsetnx(META, "partitions", PARTITIONS)
    stored = int(await redis.hget(META, "partitions"))
    if stored != PARTITIONS:
        raise UnfitServer(f"partitions: this version uses {PARTITIONS}, the server's data was made with {stored}")
