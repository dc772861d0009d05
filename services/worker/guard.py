"""The limit on one engine call (P7): an alarm on the CPU time this process uses.

CPU time and not the clock: a worker that was paused or starved must not park an innocent room when it continues. One timer
ticks for the life of the process, since to set and stop one for each fold costs two system calls per action; a fold is cut
at the first tick after its time is over.
"""

import signal
from types import FrameType

TICKS = 8  # per limit: a fold is cut after at most 1/8 more than it may take


class FoldTooSlow(Exception):
    """A fold used more CPU than it may. Raised inside the engine call, so that `engine.fold.advance` parks the entry."""


_inside = False
_ticks = 0


def install(seconds: float) -> None:
    """Begin to tick: `limit` allows its body this much CPU time. Once per process, in its main thread."""
    signal.signal(signal.SIGVTALRM, _tick)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds / TICKS, seconds / TICKS)


def remove() -> None:
    """Tick no more. Before the process ends: a tick that finds the interpreter's handlers gone would end it by the signal."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)


def _tick(number: int, frame: FrameType | None) -> None:
    global _ticks
    _ticks += 1
    if _inside and _ticks > TICKS:
        _ticks = 0
        raise FoldTooSlow


class limit:
    """Raise FoldTooSlow in the body when it takes too long, and again when what follows does. Bodies do not nest or await."""

    __slots__ = ()

    def __enter__(self) -> None:
        global _inside, _ticks
        _inside, _ticks = True, 0

    def __exit__(self, *error: object) -> None:
        global _inside
        _inside = False
