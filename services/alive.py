"""A sign of life of processes that have no door to knock at: a file in the data folder, touched while they do their rounds.

`noripan worker --check` and `noripan scheduler --check` look at it. A folder shared by several processes of a kind says that
one of them lives; in a container, where each has its own, it says that this one does.
"""

import time
from pathlib import Path

from services.settings import Settings

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
