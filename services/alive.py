"""A sign of life of processes that have no door to knock at: a file in the data folder, touched while they do their rounds,
also while Redis is away.

`noripan worker --alive` and `noripan scheduler --alive` look at it alone, `--check` at it and at Redis. A folder shared by
several processes of a kind says that one of them lives; in a container, where each has its own, it says that this one does.
"""

import signal
import sys
import time
from pathlib import Path

from services.settings import Settings, env_name

EVERY_S = 2.0
STALE_S = 10.0


def sign(settings: Settings, process: str) -> Path:
    return settings.folder / f"{process}.alive"


class Alive:
    """Called on every round of a process; touches its file at most every EVERY_S. A full disk is not worth dying for."""

    def __init__(self, settings: Settings, process: str) -> None:
        self._path = sign(settings, process)
        self._next = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY_S
            try:
                self._path.touch()
            except OSError:
                pass


def is_alive(settings: Settings, process: str) -> bool:
    """Did a process of this kind with this data folder do a round lately?"""
    try:
        return time.time() - sign(settings, process).stat().st_mtime < STALE_S
    except OSError:
        return False


def silence(settings: Settings, process: str) -> str:
    """The complaint of a check when there is no sign of life, else ""."""
    if is_alive(settings, process):
        return ""
    return f"no {process} with {env_name('data_dir')}={settings.data_dir} has done a round in the last {STALE_S:.0f} s"


def stoppable() -> None:
    """From now on SIGTERM and SIGINT end this process with exit code 0, also before its event loop has handlers of its own."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: sys.exit(0))
