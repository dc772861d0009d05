"""How many people are in a room, told to everybody in it, and not for every coming and going of two hundred watchers."""

import asyncio
from collections.abc import Callable

EVERY_S = 2.0


class People:
    """`count` as last heard of; `tell(count)` at most once per EVERY_S, and once more for what came in between.

    heard: how often, so that whoever reads the count knows whether something newer came meanwhile.
    """

    def __init__(self, tell: Callable[[int], None]) -> None:
        self.count = 0
        self.heard = 0
        self._tell = tell
        self._told = -1
        self._at = -EVERY_S
        self._timer: asyncio.TimerHandle | None = None

    def counted(self, count: int) -> None:
        """The room's number of people is `count` now."""
        self.count = count
        self.heard += 1
        if self._timer is None and count != self._told:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, self._at + EVERY_S - loop.time()), self._now)

    def _now(self) -> None:
        self._timer = None
        # Also when it is what was told before: somebody may have been welcomed with what it was in between.
        self._at = asyncio.get_running_loop().time()
        self._told = self.count
        self._tell(self.count)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
