"""`python -m services.worker`: one worker process. SIGTERM hands its partitions on and ends it."""

import asyncio
import gc
import os
import secrets
import sys

import structlog
import uvloop
from arq.connections import RedisSettings

from services.alive import Alive, stoppable
from services.games import load_games
from services.log import setup
from services.settings import SettingsError, load_or_exit, redis_url_of
from services.store.check import START_S_MAX, await_server, or_exit
from services.store.keys import PARTITIONS
from services.store.redis import Caller, connect
from services.store.subscriber import Subscriber
from services.worker import guard
from services.worker.bell import BellWorker, settings_for
from services.worker.drain import Drainer

log = structlog.get_logger()


async def drain(ctx: dict) -> None:
    """The arq job `<pNN>:<epoch>`."""
    part, epoch = ctx["job_id"].split(":")
    await ctx["drainer"].run(int(part[1:]), epoch)


def main() -> None:
    stoppable()
    settings = load_or_exit()
    setup(settings.log_level, f"worker-{os.getpid()}")
    try:
        load_games(settings)
        url = redis_url_of(settings)
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    # What is loaded stays; folds make thousands of small objects a second that reference counts free by themselves.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    loop = uvloop.new_event_loop()
    asyncio.set_event_loop(loop)
    alive = Alive(settings, "worker")
    with or_exit():
        loop.run_until_complete(await_server(url, alive))
    door = f"door:{os.getpid()}:{secrets.token_hex(4)}"
    drainer = Drainer(Caller(connect(url)), settings, door)
    heard = asyncio.Event()

    def subscribed(channel: bytes) -> None:
        drainer.ring_all()
        heard.set()

    async def startup(ctx: dict) -> None:
        ctx["drainer"] = drainer
        subscriber = Subscriber(url, lambda channel, data: drainer.ring(data), subscribed)
        subscriber.add(door.encode())
        ctx["tasks"] = [asyncio.create_task(subscriber.run()), asyncio.create_task(drainer.clock.run())]
        await heard.wait()
        log.info("worker ready")

    async def shutdown(ctx: dict) -> None:
        for task in ctx["tasks"]:
            task.cancel()
        await drainer.caller.close()

    arq_settings = RedisSettings.from_dsn(url)
    arq_settings.conn_retries = round(START_S_MAX)  # one a second
    worker = BellWorker(
        url,
        alive,
        **settings_for(
            drain,
            max_jobs=2 * PARTITIONS,
            redis_settings=arq_settings,
            on_startup=startup,
            on_shutdown=shutdown,
        ),
    )
    drainer.park_job = worker.park
    guard.install(settings.fold_ms_max / 1000)
    try:
        worker.run()
    finally:
        guard.remove()


if __name__ == "__main__":
    main()
