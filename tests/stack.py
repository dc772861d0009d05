"""The whole product as real processes, for tests that need more than one of them or want to do them harm.

    with Stack(tmp_path, gateways=2, workers=1, schedulers=1) as stack:
        stack.urls                          base URLs of the gateways
        stack.worker[0].kill()              SIGKILL; also stop() (SIGTERM), pause() / resume() (SIGSTOP / SIGCONT)
        stack.worker[0].start()             again, same settings, same port
        stack.redis                         a synchronous client of the stack's own embedded server (stack.server)

Everything listens on loopback on free ports and keeps its files in `folder`. Each process logs into `<name>.log` there; a
process that does not come up fails the test with the end of its log. Leaving the block kills what is left, by pid.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from services.store.server import Embedded, embedded, free_port
from tests import warm

ROOT = Path(__file__).parents[1]
READY_S = 120.0
STOP_S = 60.0
# Tests are one address that plays faster than people, and nobody balances load between them and the gateways; tests of the
# limits set them themselves.
DEFAULTS = {
    "NORIPAN_GAMES": "tests.games.duel",
    "NORIPAN_ROOMS_PER_MINUTE": "100000",
    "NORIPAN_SOCKETS_MAX_PER_ADDRESS": "100000",
    "NORIPAN_MESSAGES_PER_ADDRESS": "100000",
    "NORIPAN_REQUESTS_PER_MINUTE": "1000000",
    "NORIPAN_MESSAGE_RATE": "100000",
    "NORIPAN_MESSAGE_BURST": "100000",
    "NORIPAN_DRAIN_S": "0",
}


def wait_until(what, seconds: float = 60.0, said=lambda: "") -> None:
    """Wait for a fact about another process, which cannot tell us itself."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, said() or f"not within {seconds} s"
        time.sleep(0.01)


class Process:
    """One `python -m services.<kind>`. `ready`: whether it serves now, asked after each start. `cold`: as in Stack."""

    def __init__(self, name: str, kind: str, env: dict[str, str], log: Path, port: int = 0, cold: bool = True) -> None:
        self.name, self.kind, self.env, self.log, self.port, self.cold = name, kind, env, log, port, cold
        self._process: subprocess.Popen | warm.Child | None = None
        self._mark = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} is not running"
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, wait: bool = True) -> "Process":
        assert not self.running, f"{self.name} is running already"
        with self.log.open("ab") as out:
            self._mark = out.tell()
            if self.cold:
                command = (sys.executable, "-m", f"services.{self.kind}")
                self._process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=out, stderr=out)
            else:
                self._process = warm.start(self.kind, self.env, self.log)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self) -> None:
        def check() -> bool:
            assert self._process is not None and self._process.poll() is None, self.tail()
            return self._ready()

        wait_until(check, READY_S, self.tail)

    def _ready(self) -> bool:
        if self.port:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                    return answer.status == 200
            except (urllib.error.URLError, OSError):
                return False
        return f'"{self.kind} ready"'.encode() in self.log.read_bytes()[self._mark :]

    def tail(self) -> str:
        return f"{self.name}:\n" + self.log.read_text(errors="replace")[-3000:]

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM, and its exit code."""
        return self._end(signal.SIGTERM)

    def pause(self) -> None:
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def restart(self, wait: bool = True) -> "Process":
        """SIGKILL and start again."""
        self.kill()
        return self.start(wait)

    def _end(self, number: int) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.poll() is None:
            process.send_signal(number)
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
        try:
            return process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{self.name} did not end within {STOP_S} s\n{self.tail()}") from None


class Stack:
    """See the module. `env`: further NORIPAN_* settings; `conf`: directives of the embedded server.

    cold: each process is an interpreter of its own from its first line on; otherwise it is forked from one (tests/warm.py).
    """

    def __init__(
        self,
        folder: Path,
        *,
        gateways: int = 1,
        workers: int = 1,
        schedulers: int = 1,
        env: dict[str, str] | None = None,
        redis_url: str = "",
        cold: bool = False,
        **conf: object,
    ) -> None:
        self.folder = folder
        self._counts = {"gateway": gateways, "worker": workers, "scheduler": schedulers}
        self._env = {**DEFAULTS, **(env or {})}
        self._redis_url = redis_url  # what the processes are told, when it is not the server itself (a proxy)
        self._cold = cold
        self._conf = conf
        self._exit = contextlib.ExitStack()
        self.gateway: list[Process] = []
        self.worker: list[Process] = []
        self.scheduler: list[Process] = []

    @property
    def urls(self) -> list[str]:
        return [process.url for process in self.gateway]

    @property
    def processes(self) -> list[Process]:
        return [*self.worker, *self.scheduler, *self.gateway]

    def __enter__(self) -> "Stack":
        with contextlib.ExitStack() as undo:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.server: Embedded = undo.enter_context(embedded(self.folder / "valkey", **self._conf))
            self.redis = undo.enter_context(redis.Redis.from_url(self.server.url))
            undo.callback(self._kill_all)
            for kind, count in self._counts.items():
                for index in range(count):
                    self.add(kind, f"{kind}-{index}").start(wait=False)
            for process in self.processes:
                process.wait_ready()
            self._exit = undo.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._exit.close()

    def add(self, kind: str, name: str, **env: str) -> Process:
        """One more process, not started yet."""
        port = free_port() if kind == "gateway" else 0
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("NORIPAN_")}
        env = {
            **inherited,
            **self._env,
            "REDIS_URL": self._redis_url or self.server.url,
            "NORIPAN_DATA_DIR": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            **({"NORIPAN_PORT": str(port)} if port else {}),
            **env,
        }
        # An interpreter takes in what PYTHONPATH says when it starts.
        cold = self._cold or env["PYTHONPATH"] != str(ROOT)
        process = Process(name, kind, env, self.folder / f"{name}.log", port, cold)
        getattr(self, kind).append(process)
        return process

    def _kill_all(self) -> None:
        for process in self.processes:
            process.kill()

    def logs(self) -> str:
        return "\n".join(process.tail() for process in self.processes)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Two gateways, one worker, one scheduler, shared by the tests of a module that leave them as they found them."""
    with Stack(tmp_path_factory.mktemp("stack"), gateways=2) as running:
        yield running
