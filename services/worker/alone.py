"""A room whose folds failed or were lost with their worker is tried here first: in a process of its own, entry by entry.

The child says when it begins an entry and when it survived it. What it survived, the worker then folds itself; an entry in
which the child died, or used up its CPU time, is parked. Whatever kills a worker (memory, recursion in C, a crash) kills only
this process (P7). That a child has no time proves nothing: on a busy machine it may not even have started.
"""

import asyncio
import math
import resource
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

import msgspec

from engine.fold import Entry, Position
from engine.games import add
from engine.kit import decode_chance, kit
from services.store.outcome import fold_claim
from services.store.turn import Claim
from services.worker import guard

SILENT_S = 10.0  # a child that says nothing for so long is given up
TOGETHER = 64  # trials of one child
MEMORY_BYTES = 2 * 2**30
BEGUN, SURVIVED, TRIED = b">", b".", b"\n"
STOPPED = frozenset({-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP})  # somebody else ended it


class Trial(msgspec.Struct):
    """What the child needs to fold a claim. room: msgpack, b"" before the lobby opened."""

    modules: list[str]
    game: str
    game_id: str
    room: bytes
    chance: bytes
    head: bytes
    entries: list[tuple[bytes, bytes, bytes, bytes]]
    cpu_s: float


class Verdict(NamedTuple):
    """survived: entries, from the first on, that a child process decided. guilty: the next one ended it, by what it did."""

    survived: int
    guilty: bool


class Children:
    """One per worker, and one child at a time: what comes meanwhile waits for the next one, which tries it all."""

    def __init__(self, tried: "Callable[[list[Trial]], Awaitable[list[Verdict]]] | None" = None) -> None:
        self._tried = tried or in_child
        self._waiting: list[tuple[Trial, asyncio.Future[Verdict]]] = []
        self._task: asyncio.Task | None = None

    async def verdict(self, trial: Trial) -> Verdict:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((trial, future))
        if self._task is None:
            self._task = asyncio.ensure_future(self._work())
        return await future

    async def _work(self) -> None:
        batch: list[tuple[Trial, asyncio.Future[Verdict]]] = []
        try:
            while self._waiting:
                batch = [one for one in self._waiting[:TOGETHER] if not one[1].cancelled()]
                del self._waiting[:TOGETHER]
                found = await self._tried([trial for trial, _ in batch]) if batch else []
                for (_, future), verdict in zip(batch, found, strict=False):
                    if not future.done():
                        future.set_result(verdict)
                self._waiting[:0] = batch[len(found) :]  # which a child that died over another has not come to
        except Exception as error:  # a bug of ours must not leave rooms claimed for ever
            for _, future in batch + self._waiting:
                if not future.done():
                    future.set_exception(error)
            self._waiting.clear()
        finally:
            self._task = None


async def in_child(trials: list[Trial]) -> list[Verdict]:
    """The verdicts of one child process, at least one; fewer than trials when it died over one of them."""
    nothing = [Verdict(0, False)] * len(trials)
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "services.worker.alone",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # whoever interrupts the worker at a terminal does not mean the room
        )
    except OSError:
        return nothing
    told = asyncio.ensure_future(_tell(child.stdin, msgspec.msgpack.encode(trials)))
    out, silent = b"", False
    try:
        while said := await asyncio.wait_for(child.stdout.read(65536), SILENT_S):
            out += said
        await asyncio.wait_for(child.wait(), SILENT_S)
    except TimeoutError:
        silent = True
    finally:
        told.cancel()
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    *whole, last = out.split(TRIED)
    found = [Verdict(line.count(SURVIVED), False) for line in whole]
    if len(found) < len(trials):
        died = not silent and child.returncode != 0 and child.returncode not in STOPPED
        guilty = died and last.count(BEGUN) > last.count(SURVIVED)
        found.append(Verdict(last.count(SURVIVED), guilty))
        if not guilty:  # another child would fare no better
            found += nothing[len(found) :]
    return found


async def _tell(stdin: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(OSError):
        stdin.write(data)
        await stdin.drain()
        stdin.close()


def _say(what: bytes) -> None:
    sys.stdout.buffer.write(what)
    sys.stdout.buffer.flush()


def _allow_cpu(seconds: float) -> None:
    """Die by SIGXCPU after so much more CPU time, for folds that no Python signal handler can cut."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime + 4 * seconds + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _try(trial: Trial) -> None:
    for module in trial.modules:
        add(module)
    k = kit(trial.game)
    room = k.decode_room(trial.room) if trial.room else None
    at = Position(room, decode_chance(trial.chance), trial.head)
    code, _, n = trial.game_id.partition("/")
    claim = Claim(code, int(n), 0 if room is None else room.version, b"0-0", 0, trial.head, 0, [], None)
    for fields in trial.entries:
        _allow_cpu(trial.cpu_s)
        _say(BEGUN)
        with guard.limit():
            at, *_ = fold_claim(k, claim, at, [Entry(*fields)])
        _say(SURVIVED)


def main() -> None:
    trials = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[Trial])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    guard.install(max(trial.cpu_s for trial in trials))
    for trial in trials:
        _try(trial)
        _say(TRIED)


if __name__ == "__main__":
    main()
