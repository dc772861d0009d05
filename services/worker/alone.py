"""A room that was claimed twice without a commit is tried here first: in a process of its own, entry by entry.

The child prints one line per entry it survived. What it survived, the worker then folds itself; the entry that it did not
survive is parked. Whatever kills a worker (memory, recursion in C, a crash) kills only this process (P7).
"""

import asyncio
import resource
import sys

import msgspec

from engine.fold import Entry, Position
from engine.games import add
from engine.kit import decode_chance, kit
from services.store.outcome import fold_claim
from services.store.turn import Claim
from services.worker import guard

WALL_S = 10.0
MEMORY_BYTES = 2 * 2**30


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


async def survivors(trial: Trial) -> int:
    """How many of the entries, from the first on, a child process decided without dying."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.worker.alone",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        out, _ = await asyncio.wait_for(child.communicate(msgspec.msgpack.encode(trial)), WALL_S)
    except TimeoutError:
        child.kill()
        out = await child.stdout.read()
        await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return out.count(b"\n")


def main() -> None:
    trial = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Trial)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for module in trial.modules:
        add(module)
    k = kit(trial.game)
    room = k.decode_room(trial.room) if trial.room else None
    at = Position(room, decode_chance(trial.chance), trial.head)
    guard.install(trial.cpu_s)
    code, _, n = trial.game_id.partition("/")
    claim = Claim(code, int(n), 0 if room is None else room.version, b"0-0", 0, trial.head, 0, [], None)
    for fields in trial.entries:
        with guard.limit():
            at, *_ = fold_claim(k, claim, at, [Entry(*fields)])
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
