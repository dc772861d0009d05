"""`python -m services.gateway`: one gateway process. SIGTERM tells its sockets to go elsewhere and ends it."""

import asyncio
import contextlib
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator

import uvicorn
import uvloop

from schemas.codes import CLOSES
from schemas.wire import FRAME_BYTES_MAX
from services.alive import stoppable
from services.games import load_games
from services.gateway.app import build
from services.gateway.context import Context
from services.gateway.door import Door
from services.gateway.peer import Peer
from services.log import setup
from services.settings import Settings, SettingsError, load_or_exit, redis_url_of
from services.store.check import await_server, or_exit

STOP_S = 2


class Server(uvicorn.Server):
    """uvicorn without its own signal handling, which ends a process that stopped in good order by the signal."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(settings: Settings) -> socket.socket:
    """The listening socket. Raises SettingsError: the port is taken, or the address is not this machine's."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"NORIPAN_HOST={settings.host!r}, NORIPAN_PORT={settings.port}: cannot listen there ({error.strerror})"
        ) from None


async def serve(settings: Settings) -> int:
    """Run until SIGTERM or SIGINT; the exit code. After a first SIGTERM it serves for drain_s more, and is not ready."""
    await await_server(redis_url_of(settings))
    door = listen(settings)
    Peer.going_away = CLOSES["going_away"]
    Peer.allow(settings.message_rate, settings.message_burst)
    if not settings.proxy_hops:  # behind a proxy every connection is the proxy's
        Door.count(settings.sockets_max_per_address)
    context = Context(settings)
    config = uvicorn.Config(
        build(context),
        http=Door,
        ws=Peer,
        ws_max_size=FRAME_BYTES_MAX,
        # A ping each half of the time and half of the time for its answer, and a second more (peer.LATE_S).
        ws_ping_interval=settings.heartbeat_s / 2,
        ws_ping_timeout=settings.heartbeat_s / 2,
        ws_per_message_deflate=False,
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=STOP_S,
    )
    server = Server(config)
    loop = asyncio.get_running_loop()

    def end() -> None:
        context.ends()
        server.should_exit = True

    def drain() -> None:
        if context.draining:
            end()
        context.draining = True
        loop.call_later(settings.drain_s, end)

    loop.add_signal_handler(signal.SIGTERM, drain)
    loop.add_signal_handler(signal.SIGINT, end)
    await server.serve(sockets=[door])
    return 0 if server.started else 1


def many_files() -> None:
    """As many sockets as this machine allows the process: what it gives by itself is often 1024."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):  # a system that promises more than it grants
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main() -> None:
    stoppable()
    settings = load_or_exit()
    many_files()
    setup(settings.log_level, f"gateway-{os.getpid()}")
    # At every level: it logs addresses of sockets, and what clients send wrong with a traceback.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    try:
        load_games(settings)
        with or_exit():
            code = uvloop.run(serve(settings))
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    sys.exit(code)


if __name__ == "__main__":
    main()
