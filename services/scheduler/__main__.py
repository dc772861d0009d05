"""`python -m services.scheduler`: every sweep_ms, due.lua and sweep.lua on every partition, in one pipeline each."""

import asyncio
import os
import signal

import structlog
import uvloop
from redis.exceptions import RedisError, ResponseError

from services.alive import Alive, stoppable
from services.log import setup
from services.settings import Settings, load_or_exit, redis_url_of
from services.store.check import await_server, or_exit
from services.store.clock import Clock
from services.store.keys import PARTITIONS
from services.store.known import Known
from services.store.redis import Caller, Unreachable, connect
from services.store.write import Writer

log = structlog.get_logger()


def _whole(replies: list) -> list:
    """What partitions answered. A script that fails on one is logged and costs the others nothing; a lost server raises."""
    found = []
    for part, reply in enumerate(replies):
        if not isinstance(reply, BaseException):
            found.append(reply)
        elif isinstance(reply, ResponseError):
            log.error("a partition's script failed", partition=part, fault=str(reply)[:200])
        else:
            raise reply
    return found


async def tick(writer: Writer) -> bool:
    """One look at every partition; True when more deadlines are due than one look takes."""
    reports = _whole(await asyncio.gather(*(writer.due(part) for part in range(PARTITIONS)), return_exceptions=True))
    swept = _whole(await asyncio.gather(*(writer.sweep(part) for part in range(PARTITIONS)), return_exceptions=True))
    late = max((report[1] for report in reports), default=0)
    if late > 1000:
        log.warning("timeouts late", ms=late, timeouts=sum(report[0] for report in reports))
    rescued = sum(scheduled for scheduled, _ in swept)
    if rescued:
        log.info("drains scheduled by the sweep", partitions=rescued)
    return any(report[2] for report in reports)


async def run(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. While Redis is away it tries again; raises UnfitServer and redis-py's errors at start only."""
    url = redis_url_of(settings)
    alive = Alive(settings, "scheduler")
    await await_server(url, alive)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    caller = Caller(connect(url))
    writer = Writer(caller, settings.lease_ms)
    measuring = [asyncio.create_task(part.run()) for part in (Clock(caller), Known(caller))]
    log.info("scheduler ready")
    while not stop.is_set():
        more = False
        alive()
        try:
            more = await tick(writer)
        except (RedisError, *Unreachable) as error:
            log.warning("redis unreachable", fault=type(error).__name__)
            await asyncio.sleep(0.2)
        if not more:
            try:
                async with asyncio.timeout(settings.sweep_ms / 1000):
                    await stop.wait()
            except TimeoutError:
                pass
    for task in measuring:
        task.cancel()
    await caller.close()


def main() -> None:
    stoppable()
    settings = load_or_exit()
    setup(settings.log_level, f"scheduler-{os.getpid()}")

    with or_exit():
        uvloop.run(run(settings))


if __name__ == "__main__":
    main()
