"""Starts our processes by forking one that has their packages imported: half a second of CPU less for each of several hundred.

They are processes like any other, with ids, signals and logs of their own; only the import is shared. Tests about starting and
ending start them the ordinary way (`Stack(cold=True)`).

    child = start("gateway", env, log)      as `python -m services.gateway` with this environment; both outputs into `log`
    child.pid, child.poll(), child.wait(timeout), child.send_signal(number), child.kill()    as subprocess.Popen has them
"""

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KINDS = ("gateway", "worker", "scheduler")
_lock = threading.Lock()
_ask: socket.socket | None = None


class Child:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code (minus the number of the signal that ended it), None while it runs."""
        if self._code is None:
            self._code = _call("poll", self.pid)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Raises subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:  # not collected, so that the id is still its own
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(kind: str, env: dict[str, str], log: Path) -> Child:
    return Child(_call("start", [kind, env, str(log)]))


def _call(what: str, given: Any) -> Any:
    global _ask
    with _lock:
        if _ask is None:
            _ask, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                command = (sys.executable, "-u", "-m", "tests.warm", str(theirs.fileno()))
                subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        _ask.send(json.dumps([what, given]).encode())
        answer = _ask.recv(4096)
    assert answer, "the process that starts the others has ended"
    return json.loads(answer)


def _run(kind: str, env: dict[str, str], log: str) -> None:
    """In the child: what `python -m services.<kind>` does."""
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(out)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [f"services.{kind}"]
    code = 1
    try:
        sys.modules[f"services.{kind}.__main__"].main()  # type: ignore[attr-defined]
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(code)


def main(fd: int) -> None:
    asked = socket.socket(fileno=fd)
    for kind in KINDS:
        importlib.import_module(f"services.{kind}.__main__")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    while request := asked.recv(1 << 16):
        what, given = json.loads(request)
        if what == "start":
            pid = os.fork()
            if not pid:
                asked.close()
                _run(*given)
            answer = pid
        else:
            pid, status = os.waitpid(given, os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        asked.send(json.dumps(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
