"""`noripan up`: everything on one machine with one command, for playing now and for developing.

Embedded Valkey (unless REDIS_URL names a server), workers, scheduler and gateway as children of one supervisor;
they read the same environment as if a host had started each by hand, so nothing works here that would not work
spread out.

The data folder belongs to one `up` at a time. Its lock is inherited by the embedded server: after `kill -9` of `up` the
lock is held until that server has really ended, and the next `up` cannot start a second one on the same files.
"""

import asyncio
import errno
import fcntl
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from services import settings as config
from services.cli._supervisor import Child, Supervisor
from services.settings import Settings, SettingsError
from services.store import server

# The order of starting; stopping goes the other way round.
STORE, PLAY, WATCH, SERVE = range(4)
# How long the server of an `up` that was killed may need to finish writing.
LOCK_S_MAX = 10.0
FIRST_ANSWER_S_MAX = 15.0


def check_port(settings: Settings) -> None:
    """Raises SettingsError naming the setting when the gateway could not listen where it is told to."""
    host, port = settings.host, settings.port
    try:
        family, kind, proto, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"NORIPAN_PORT={port}: expected a free port, but another program is listening on {host}:{port}"
        elif error.errno == errno.EACCES:
            reason = f"NORIPAN_PORT={port}: expected a port this user may listen on (1024 or higher)"
        else:
            reason = f"NORIPAN_HOST={host!r}: expected an address of this machine ({error.strerror})"
        raise SettingsError(reason) from None


def lock(folder: Path) -> int:
    """The descriptor that holds `folder` for this process and those it hands it to. Raises SettingsError when taken."""
    handle = os.open(folder / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    end = time.monotonic() + LOCK_S_MAX
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            owner = os.pread(handle, 32, 0).decode("ascii", "replace").strip()
            if _alive(owner) or time.monotonic() > end:
                os.close(handle)
                raise SettingsError(
                    f"NORIPAN_DATA_DIR={str(folder)!r}: expected a folder of its own, but another `noripan up` "
                    f"(process {owner or 'unknown'}) is running in it"
                ) from None
            time.sleep(0.05)
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


def store_child(settings: Settings, folder: Path, held: int) -> tuple[Child, str]:
    """The embedded server as a child, and its address (with a password made for this run: other users of the
    machine can reach loopback, too). Raises ServerError where there is none.
    """
    port, password = server.free_port(), secrets.token_urlsafe(24)
    argv = server.prepare(
        folder / "valkey",
        port,
        durability=settings.durability,
        password=password,
        loglevel="warning",
        maxmemory=settings.redis_memory or server.half_the_memory(),
    )

    async def ready(pid: int) -> bool:
        return await asyncio.to_thread(server.serving, port, password) == pid

    child = Child(
        name="valkey",
        argv=argv,
        stage=STORE,
        ready=ready,
        stop_s=server.STOP_S_MAX,
        orphan_signal=signal.SIGTERM,  # so that it still writes what it has acknowledged
        keep_fds=(held,),
    )
    return child, server.address(port, password)


def process_children(settings: Settings, url: str) -> list[Child]:
    """Workers and scheduler, then the gateway: who is stopped first is who was started last, so that during a stop
    nobody is let in while nobody plays.
    """

    def child(name: str, module: str, stage: int) -> Child:
        argv = (sys.executable, "-m", f"services.{module}")
        # Nobody stands in front of this gateway who would have to notice that it ends.
        env = {"REDIS_URL": url, "PYTHONUNBUFFERED": "1", "NORIPAN_DRAIN_S": "0"}
        return Child(name=name, argv=argv, stage=stage, env=env)

    workers = [child(f"worker-{n}", "worker", PLAY) for n in range(1, settings.workers + 1)]
    return [*workers, child("scheduler", "scheduler", WATCH), child("gateway", "gateway", SERVE)]


def page(settings: Settings) -> str:
    """The address to open on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/"


async def answers(settings: Settings, path: str = "healthz") -> bool:
    """Whether the gateway answers `path` with 200."""
    host = page(settings).removeprefix("http://").rpartition(":")[0].strip("[]")
    try:
        async with asyncio.timeout(1):
            reader, writer = await asyncio.open_connection(host, settings.port)
            try:
                writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False


async def _announce(settings: Settings, boss: Supervisor) -> None:
    await boss.up.wait()
    end, patient = time.monotonic() + FIRST_ANSWER_S_MAX, True
    while not await answers(settings):
        if patient and time.monotonic() > end:
            click.echo(f"the gateway does not answer {page(settings)}healthz yet; still trying", err=True)
            patient = False
        await asyncio.sleep(0.03)
    click.echo(f"Noripan is at {page(settings)}")


async def supervise(settings: Settings, children: Sequence[Child]) -> int:
    """Run `children` until SIGINT or SIGTERM; print the address once the gateway answers. Returns the exit code."""
    boss = Supervisor(children)
    news = asyncio.create_task(_announce(settings, boss))
    try:
        return await boss.run()
    finally:
        news.cancel()


def up(settings: Settings) -> int:
    """The whole of `noripan up`. Raises SettingsError; everything has stopped when it returns."""
    folder = settings.folder
    held = lock(folder)
    address_file = folder / "redis.url"
    try:
        check_port(settings)
        config.token_keys(settings)  # made before anybody asks for it, and complained about before anything runs
        children: list[Child] = []
        url = settings.redis_url
        if url is None:
            try:
                store, url = store_child(settings, folder, held)
            except server.ServerError as error:
                raise SettingsError(str(error)) from None
            children.append(store)
            # Where the other commands find this server (`redis_url_of`).
            address_file.touch(mode=0o600)
            address_file.write_text(url + "\n", encoding="ascii")
        children += process_children(settings, url)
        return asyncio.run(supervise(settings, children))
    finally:
        address_file.unlink(missing_ok=True)
        os.close(held)


@click.command("up")
def command() -> None:
    """Run everything on this machine: server, workers, scheduler, gateway."""
    sys.exit(up(config.load(os.environ)))
