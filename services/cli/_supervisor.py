"""Runs a few child processes as one: starts them in order, restarts those that die, stops them in reverse order.

One asyncio loop, one task per child. Children are grouped into stages: a stage starts when everything before it is
ready, and stops when everything after it has ended; within a stage there is no order. A child is in its own
session, so a Ctrl-C in the terminal reaches only the supervisor and the order of the stop is ours. Where the system
can do it (Linux), a child is also told to die with the supervisor, so that `kill -9` of it leaves nothing behind.

A child that ends by itself is started again after a back-off that doubles and is jittered, so that several children
that fell with the same cause do not come back in step. Exit code 2 says that arguments or settings are wrong:
trying again cannot mend that, so it ends the whole.
"""

import asyncio
import contextlib
import ctypes
import os
import random
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

BACKOFF_S_MIN = 0.1
BACKOFF_S_MAX = 10.0
# A child that has lived this long was fine: its next death is a new story and starts at the shortest wait.
FINE_AFTER_S = 10.0
USAGE = 2
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LINE_BYTES_MAX = 64 * 1024


class Child(Struct, frozen=True, kw_only=True):
    """What to run. `name` prefixes its lines.

    ready(pid): whether it serves now; the next stage waits for that. None means at once.
    stop_s: how long it may take after SIGTERM before it gets SIGKILL.
    orphan_signal: what the kernel sends it when the supervisor dies without stopping it.
    keep_fds: descriptors it inherits (a lock that has to outlive the supervisor as long as this child lives).
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    stage: int = 0
    ready: Callable[[int], Awaitable[bool]] | None = None
    stop_s: float = 10.0
    orphan_signal: int = signal.SIGKILL
    keep_fds: tuple[int, ...] = ()


def _print(line: str) -> None:
    # A terminal that went away must not take the games with it.
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


class Supervisor:
    """`run()` is the whole life: 0 after a stop that was asked for, 2 when a child said that its settings are wrong."""

    def __init__(self, children: Sequence[Child], say: Callable[[str], None] = _print):
        self.children = sorted(children, key=lambda child: child.stage)
        self.pids: dict[str, int] = {}
        self.up = asyncio.Event()  # every stage has been ready once
        self._say = say
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._code = 0

    def stop(self) -> None:
        """Begin the stop; asked a second time, do not wait for anybody who has no data to write."""
        (self._hurry if self._stopping.is_set() else self._stopping).set()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, self.stop)
        started: list[list[_Keeper]] = []
        try:
            for _, group in groupby(self.children, key=lambda child: child.stage):
                keepers = [_Keeper(child, self) for child in group]
                started.append(keepers)
                await self._either(asyncio.gather(*(keeper.ready.wait() for keeper in keepers)))
                if self._stopping.is_set():
                    break
            else:
                self.up.set()
                await self._stopping.wait()
        finally:
            self._stopping.set()
            for keepers in reversed(started):
                await asyncio.gather(*(keeper.end() for keeper in keepers))
            for number in STOP_SIGNALS:
                loop.remove_signal_handler(number)
        return self._code

    async def _either(self, what: asyncio.Future) -> None:
        """Wait for `what` or for the stop."""
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait((what, stopping), return_when=asyncio.FIRST_COMPLETED)
        for task in (what, stopping):
            task.cancel()
        await asyncio.gather(what, stopping, return_exceptions=True)

    def fail(self, code: int) -> None:
        self._code = code
        self._stopping.set()


class _Keeper:
    """Keeps one child running until `end()`."""

    def __init__(self, child: Child, boss: Supervisor):
        self.child = child
        self.ready = asyncio.Event()
        self._boss = boss
        self._ending = asyncio.Event()
        self._task = asyncio.create_task(self._keep())

    async def end(self) -> None:
        self._ending.set()
        await self._task

    async def _keep(self) -> None:
        wait_s = BACKOFF_S_MIN
        while not self._ending.is_set():
            begin = time.monotonic()
            code = await self._run_once()
            if self._ending.is_set():
                return
            if code == USAGE:
                self._boss._say(f"{self.child.name} says that its settings are wrong: stopping")
                return self._boss.fail(USAGE)
            if time.monotonic() - begin > FINE_AFTER_S:
                wait_s = BACKOFF_S_MIN
            pause_s = wait_s * random.uniform(0.5, 1.0)
            wait_s = min(wait_s * 2, BACKOFF_S_MAX)
            self._boss._say(f"{self.child.name} ended ({_how(code)}), starting it again in {pause_s:.2f} s")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), pause_s)

    async def _run_once(self) -> int:
        """Start it, pass its lines on, and return its exit code; SIGTERM, then SIGKILL, once the end is asked for."""
        child = self.child
        stream, transport, out = await _pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *child.argv,
                env={**os.environ, **child.env},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=_leash(child.orphan_signal),
                pass_fds=child.keep_fds,
            )
        except OSError as error:
            transport.close()
            self._boss._say(f"{child.name} cannot be started: {error}")
            return 127
        finally:
            os.close(out)
        self._boss.pids[child.name] = process.pid
        lines = asyncio.create_task(self._lines(stream))
        probe = asyncio.create_task(self._probe(process.pid))
        gone = asyncio.create_task(process.wait())
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait((gone, ending), return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                await self._stop(process, gone)
            return await gone
        finally:
            # Whatever it started and left behind goes with it; a child is the leader of its own group.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            self._boss.pids.pop(child.name, None)
            probe.cancel()
            ending.cancel()
            await asyncio.wait((lines,), timeout=1)
            lines.cancel()
            transport.close()

    async def _stop(self, process: asyncio.subprocess.Process, gone: asyncio.Task) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        hurry = asyncio.create_task(self._boss._hurry.wait())
        # What has data to write (it dies by SIGTERM when orphaned, too) is given its time also when somebody is in
        # a hurry.
        patient = self.child.orphan_signal == signal.SIGTERM
        await asyncio.wait(
            (gone,) if patient else (gone, hurry), timeout=self.child.stop_s, return_when=asyncio.FIRST_COMPLETED
        )
        hurry.cancel()
        if not gone.done():
            self._boss._say(f"{self.child.name} did not stop in time: killing it")
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def _probe(self, pid: int) -> None:
        while self.child.ready is not None and not await self.child.ready(pid):
            await asyncio.sleep(0.02)
        self.ready.set()

    async def _lines(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(LINE_BYTES_MAX):
            *whole, rest = (rest + chunk).split(b"\n")
            if len(rest) >= LINE_BYTES_MAX:
                whole, rest = [*whole, rest], b""
            for line in whole:
                self._line(line)
        if rest:
            self._line(rest)

    def _line(self, line: bytes) -> None:
        self._boss._say(f"{self.child.name:<9} | {line.decode('utf-8', 'replace').rstrip()}")


async def _pipe() -> tuple[asyncio.StreamReader, asyncio.ReadTransport, int]:
    """What comes out, its transport, and the descriptor to write to. With asyncio's own pipes `process.wait()`
    would wait for their end, too, which a grandchild that was left behind can put off for ever.
    """
    read, write = os.pipe()
    stream = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(stream)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(read, "rb", 0))
    return stream, transport, write


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _leash(number: int) -> Callable[[], None] | None:
    """What a child does before its program starts: have the kernel send it `number` when this process dies.

    Linux only (prctl PR_SET_PDEATHSIG); elsewhere a supervisor that is killed leaves its children running.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def before_exec() -> None:
        prctl(1, number, 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)

    return before_exec
