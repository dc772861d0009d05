"""What a client can do at a table, one method for each message. `by`: which of the client's people; None: the first.

Promised nonces are kept here and opened by themselves after Start, each for the game and the person it was made for.
"""

import asyncio
import contextlib
import hashlib
import secrets
from typing import Any

import msgspec

from schemas import wire
from schemas.base import encode
from services.client.outcome import Closed, Done, Rejected


class Deeds:
    """The part of Client that knows where its people sit, and asks.

    Every method that asks waits for the outcome; raises Rejected, Closed.
    """

    game: str
    player: str
    people: tuple[str, ...]
    view: dict[str, Any]

    def __init__(self) -> None:
        self._nonces: dict[tuple[str, str], bytes] = {}  # game, player -> the last nonce promised
        self._opened: set[tuple[str, str]] = set()  # whose nonce was sent
        self._background: set[asyncio.Task] = set()

    async def ask(self, kind: type, **fields: Any) -> Done:
        raise NotImplementedError

    async def _do(self, kind: type, by: str | None, **fields: Any) -> Done:
        return await self.ask(kind, player=by, **fields)

    @property
    def number(self) -> int:
        """Which game of the room this is, from 1; 0 before anything is known."""
        return int(self.game.partition("/")[2] or 0)

    @property
    def seat(self) -> int | None:
        """The first one's seat, None for a spectator."""
        return self.seat_of(self.player)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats of all who play through this client."""
        found = (self.seat_of(player) for player in self.people or (self.player,))
        return tuple(seat for seat in found if seat is not None)

    def seat_of(self, player: str) -> int | None:
        for seat, held in self.view.get("seats", {}).items():
            if held["player"] == player:
                return int(seat)
        return None

    # the lobby

    async def join(self, name: str, seat: int | None = None, nonce: bool = True, by: str | None = None) -> Done:
        """Take a seat. nonce: promise 32 random bytes, which are opened by themselves after Start."""
        if not nonce:
            return await self._do(wire.Join, by, name=name, seat=seat)
        with self._promised(by) as promise:
            return await self._do(wire.Join, by, name=name, seat=seat, nonce_hash=promise)

    async def promise(self, by: str | None = None) -> Done:
        """A nonce for a seat that has none, as after a rematch."""
        with self._promised(by) as promise:
            return await self._do(wire.Promise, by, nonce_hash=promise)

    @contextlib.contextmanager
    def _promised(self, by: str | None):
        name = (self.game, by or self.player)
        before, secret = self._nonces.get(name), secrets.token_bytes(32)
        self._nonces[name] = secret
        try:
            yield hashlib.sha256(secret).hexdigest()
        except Rejected:
            if before is None:
                self._nonces.pop(name, None)
            else:
                self._nonces[name] = before
            raise

    async def leave(self, by: str | None = None) -> Done:
        return await self._do(wire.Leave, by)

    async def move(self, seat: int, by: str | None = None) -> Done:
        return await self._do(wire.Move, by, seat=seat)

    async def ready_up(self, ready: bool = True, by: str | None = None) -> Done:
        """Say in the lobby that one is ready (`ready` itself waits for the connection)."""
        return await self._do(wire.Ready, by, ready=ready)

    async def configure(self, options: dict | None = None, settings: dict | None = None, by: str | None = None) -> Done:
        return await self._do(wire.Configure, by, options=options, settings=settings)

    async def swap(self, seat: int, other: int, by: str | None = None) -> Done:
        return await self._do(wire.Swap, by, seat=seat, other=other)

    async def kick(self, seat: int, by: str | None = None) -> Done:
        return await self._do(wire.Kick, by, seat=seat)

    async def transfer(self, seat: int, by: str | None = None) -> Done:
        return await self._do(wire.Transfer, by, seat=seat)

    async def start(self, by: str | None = None) -> Done:
        """The host starts the game. It is dealt once all nonces are open: `until(lambda c: c.view["phase"] == "playing")`."""
        return await self._do(wire.Start, by)

    # the game, and after it

    async def act(self, seat: int, action: dict, turn: int | None = None, after: int | None = None) -> Done:
        """A move. after: the version that it was decided on; without it the newest that this client has seen.

        Raises Rejected, `stale_view` when the table has changed for the seat since then.
        """
        seen = self.version if after is None else after
        done = await self.ask(wire.Act, seat=seat, action=msgspec.Raw(encode(action)), turn=turn, after=seen)
        # An outcome may come before the view that has it (a repeat that was answered, an update behind a gap): the next move
        # must not be decided on the view before.
        await self.until(lambda c: c.has(done.entry))
        return done

    async def touch(self, by: str | None = None) -> Done:
        return await self._do(wire.Touch, by)

    async def rematch(self, want: bool = True, by: str | None = None) -> Done:
        """Vote for another game. It is followed by itself: `until(lambda c: c.number == 2)`."""
        return await self._do(wire.Rematch, by, want=want)

    # nonces

    def open_nonces(self) -> None:
        """After Start: open what was promised for this game by those who sit here."""
        seated = {held["player"] for held in self.view.get("seats", {}).values()}
        for player in self.people:
            name = (self.game, player)
            if player in seated and name in self._nonces and name not in self._opened:
                self._opened.add(name)
                task = asyncio.create_task(self._open(player, self._nonces[name]))
                self._background.add(task)
                task.add_done_callback(self._background.discard)

    async def _open(self, player: str, secret: bytes) -> None:
        with contextlib.suppress(Rejected, Closed):
            await self._do(wire.Nonce, player, nonce=secret.hex())
