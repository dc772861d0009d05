"""How a process begins and ends: it waits for a server that is not there yet, it is told from one that hangs without asking
the server, and SIGTERM ends it with exit code 0 whatever it was doing.
"""

import asyncio
import re
import subprocess
import sys
import time

import pytest
import redis
from click.testing import CliRunner
from structlog.testing import capture_logs

from services.alive import sign
from services.cli.main import cli
from services.settings import load
from services.store import check
from services.store.server import embedded, free_port
from tests.faults.campaign import play, tables
from tests.services.test_client import run
from tests.stack import Stack, wait_until

KINDS = ["gateway", "worker", "scheduler"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_starts_before_its_server_waits_for_it_and_says_so(kind, tmp_path):
    with Stack(tmp_path, gateways=0, workers=0, schedulers=0, cold=True) as stack:
        stack.server.stop()
        process = stack.add(kind, kind).start(wait=False)
        wait_until(lambda: '"waiting for redis"' in process.tail(), said=process.tail)
        assert process.running
        stack.server.start()
        process.wait_ready()
        assert process.tail().count('"waiting for redis"') == process.tail().count('"redis is there"') == 1
        assert process.stop() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_waits_for_its_server_is_alive_and_ends_by_sigterm(kind, tmp_path):
    with Stack(tmp_path, gateways=0, workers=0, schedulers=0, cold=True) as stack:
        stack.server.stop()
        process = stack.add(kind, kind).start(wait=False)
        wait_until(lambda: '"waiting for redis"' in process.tail(), said=process.tail)
        if kind != "gateway":
            assert told(kind, process.env, "--alive") == 0
        assert process.stop() == 0, process.tail()
        assert "Traceback" not in process.tail()


def test_a_server_that_never_comes_ends_the_start(monkeypatch):
    monkeypatch.setattr(check, "START_S_MAX", 0.05)
    monkeypatch.setattr(check, "START_LOOK_S", 0.01)
    looks = []
    with capture_logs() as logs, pytest.raises(redis.exceptions.ConnectionError):
        asyncio.run(check.await_server(f"redis://127.0.0.1:{free_port()}/0", lambda: looks.append(1)))
    assert [entry["event"] for entry in logs] == ["waiting for redis", "redis did not come, giving up"]
    assert looks


def test_what_waiting_cannot_mend_ends_the_start_at_once(tmp_path):
    def start(kind: str, url: str) -> subprocess.CompletedProcess:
        env = {"REDIS_URL": url, "NORIPAN_DATA_DIR": str(tmp_path / "data"), "PATH": "/usr/bin:/bin"}
        return subprocess.run([sys.executable, "-m", f"services.{kind}"], env=env, capture_output=True, text=True)

    with embedded(tmp_path / "store", password="right") as store:
        wrong = store.url.replace("right", "wrong")
        for kind in KINDS:
            done = start(kind, wrong)
            assert done.returncode == 1 and "AuthenticationError" in done.stderr and "waiting" not in done.stderr
        with redis.Redis.from_url(store.url) as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
        for kind in KINDS:
            done = start(kind, store.url)
            assert done.returncode == 2 and "noeviction" in done.stderr and "waiting" not in done.stderr


def told(kind: str, env: dict[str, str], flag: str) -> int:
    """The exit code of a check beside a process with that environment."""
    given = {name: value for name, value in env.items() if name.startswith(("NORIPAN_", "REDIS_"))}
    return CliRunner().invoke(cli, [kind, flag], env=given).exit_code


@pytest.mark.parametrize("kind", ["worker", "scheduler"])
def test_a_process_is_alive_while_its_server_is_away_and_not_when_it_hangs(kind, tmp_path):
    with Stack(tmp_path, gateways=0, workers=0, schedulers=0, cold=True) as stack:
        process = stack.add(kind, kind).start()
        file = sign(load({"NORIPAN_DATA_DIR": str(tmp_path)}), kind)
        stack.server.stop()
        stopped = time.time()
        wait_until(lambda: file.stat().st_mtime > stopped + 1)  # it goes on with its rounds
        assert (told(kind, process.env, "--alive"), told(kind, process.env, "--check")) == (0, 1)
        process.pause()
        wait_until(lambda: told(kind, process.env, "--alive") == 1)
        process.resume()
        wait_until(lambda: told(kind, process.env, "--alive") == 0)


def test_a_gateway_that_is_told_to_end_is_not_ready_and_serves_on_for_a_while(tmp_path):
    with Stack(tmp_path, gateways=0, cold=True) as stack:
        gateway = stack.add("gateway", "gateway", NORIPAN_DRAIN_S="60").start()
        gateway.signal(15)
        wait_until(lambda: told("gateway", gateway.env, "--check") == 1)
        assert gateway.running and told("gateway", gateway.env, "--alive") == 0
        assert gateway.stop() == 0, "a second signal ends it at once"


def test_a_worker_ends_in_good_order_whenever_it_is_told(tmp_path):
    """Under play and right after its start, again and again: never by its own timer's signal, never with a traceback."""

    async def scenario(stack: Stack) -> None:
        async with tables(stack.urls, 6) as found:
            games = [asyncio.ensure_future(play(table, seed)) for seed, table in enumerate(found)]
            for times in range(12):
                for worker in stack.worker:
                    if times % 2:
                        await asyncio.to_thread(worker.wait_ready)
                    code = await asyncio.to_thread(worker.stop)
                    assert code == 0, worker.tail()
                    worker.start(wait=False)
                    await asyncio.to_thread(wait_until, lambda w=worker: handled(w.pid))
            for worker in stack.worker:
                await asyncio.to_thread(worker.wait_ready)
            await asyncio.gather(*games)

    with Stack(tmp_path, workers=2, cold=True) as stack:
        run(scenario(stack))
        assert "Traceback" not in "".join(worker.log.read_text() for worker in stack.worker)


def handled(pid: int) -> bool:
    """Whether that process has said what SIGTERM shall do: until then it dies by it, like any that is being loaded."""
    caught = re.search(r"^SigCgt:\s*(\w+)$", open(f"/proc/{pid}/status").read(), re.M)
    return bool(int(caught[1], 16) >> 14 & 1)
