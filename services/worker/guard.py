"""The limit on one engine call (P7): an alarm on the CPU time this process uses.

CPU time and not the clock: a worker that was paused or starved must not park an innocent room when it continues.
"""

import signal
from types import FrameType


class FoldTooSlow(Exception):
    """A fold used more CPU than it may. Raised inside the engine call, so that `engine.fold.advance` parks the entry."""


def install() -> None:
    """Make the alarm raise; once per process, in its main thread."""
    signal.signal(signal.SIGVTALRM, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    raise FoldTooSlow


class limit:
    """Raise FoldTooSlow in the body after `seconds` of CPU time, and again after as many more."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds, self.seconds)

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
