"""Which tokens are still good, and the sockets that live by them.

A player who moves to another device gets a token of the next generation; the hash PLAYERS has the generation that is good.
It is read at every hello and every HTTP call with a token, never cached. Sockets that are open then are closed by a message
on a channel of the hash's own name, to which every gateway listens; a socket is watched before its token is checked, and
after a gap in the subscription all are checked again, so none is missed.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog
from redis.exceptions import RedisError

from services.gateway.tokens import Badge
from services.store.keys import PLAYERS
from services.store.redis import Caller, Unreachable

if TYPE_CHECKING:
    from services.gateway.session import Socket

log = structlog.get_logger()

CHANNEL = PLAYERS.encode()
RETRY_S = 0.1
RETRY_S_MAX = 1.0
CHECK_TOGETHER = 500


class Identities:
    """Of one gateway. `heard` and `subscribed`: what comes on CHANNEL."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._held: dict[str, dict[Socket, int]] = {}  # player -> socket -> generation of the token it showed
        self._checking: asyncio.Task | None = None

    async def good(self, badges: Sequence[Badge]) -> bool:
        """Whether none of the tokens is void. Raises what the caller raises."""
        found = await self._caller.call("HMGET", PLAYERS, *(badge.player for badge in badges))
        return all(badge.generation >= int(now or 0) for badge, now in zip(badges, found, strict=True))

    async def admit(self, socket: "Socket", badges: Sequence[Badge]) -> bool:
        """Watch the socket for these people from now on; False: one of the tokens is void. Waits while Redis is away."""
        self.forget(socket)
        socket.watched = tuple(badge.player for badge in badges)
        for badge in badges:
            self._held.setdefault(badge.player, {})[socket] = badge.generation
        wait_s = RETRY_S
        while not socket.closing:
            try:
                return await self.good(badges)
            except (RedisError, *Unreachable):
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, RETRY_S_MAX)
        return True

    def forget(self, socket: "Socket") -> None:
        for player in socket.watched:
            held = self._held.get(player)
            if held is not None:
                held.pop(socket, None)
                if not held:
                    del self._held[player]

    async def advance(self, player: str) -> int:
        """Make all tokens of a player void; the generation of the next one. Raises what the caller raises: ask again."""
        generation = await self._caller.call("HINCRBY", PLAYERS, player, 1)
        await self._caller.call("PUBLISH", PLAYERS, f"{player} {generation}")
        return generation

    def heard(self, data: bytes) -> None:
        """Everybody before this generation of a player is somewhere else now."""
        player, _, generation = data.decode().partition(" ")
        self._end(player, int(generation))

    def _end(self, player: str, generation: int) -> None:
        for socket, shown in tuple(self._held.get(player, {}).items()):
            if shown < generation:
                socket.end("moved_device")

    def subscribed(self) -> None:
        """Messages may have been missed until now."""
        if self._checking is not None:
            self._checking.cancel()  # what it has looked at may have changed
        self._checking = asyncio.create_task(self._check_all()) if self._held else None

    async def _check_all(self) -> None:
        players = list(self._held)
        while players:
            batch = players[-CHECK_TOGETHER:]
            try:
                found = await self._caller.call("HMGET", PLAYERS, *batch)
            except (RedisError, *Unreachable):
                await asyncio.sleep(RETRY_S_MAX)
                continue
            del players[-len(batch) :]
            for player, generation in zip(batch, found, strict=True):
                self._end(player, int(generation or 0))
