"""The asks of one socket that need Redis: one after the other, so that a roll is in the log before the score sent after it.

While Redis is away the line waits, asking again by the same id, and the socket stays open. The line outlives its socket:
what was sent in good faith still goes to the log, and only then is the player reported as gone (`presence.leave_after`).
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import structlog
from msgspec import UNSET
from redis.exceptions import RedisError

from engine.faults import place
from engine.game import Rejected
from schemas import wire
from schemas.base import Detail, encode
from schemas.wire import Ack
from services.gateway import commands, talk
from services.gateway.names import skeleton
from services.gateway.peer import framed
from services.gateway.strangers import refusal, stranger
from services.store import write
from services.store.redis import Unreachable

if TYPE_CHECKING:
    from services.gateway.session import Socket

log = structlog.get_logger()

LINE_MAX = 64  # asks that wait for Redis
APPEND_S = 5.0  # how long an append is tried while Redis is away
RETRY_S = 0.05
RETRY_S_MAX = 1.0

STATUS_CODES = {
    write.NO_ROOM: "no_room",
    write.MOVED: "moved",
    write.TOO_OLD: "too_old",
    write.OVERLOADED: "overloaded",
    write.NAME_TAKEN: "name_taken",
    write.TOO_OFTEN: "rate_limited",
    write.LOG_FULL: "log_full",
}


class Line:
    """work: the task that empties the line, None while it is empty."""

    def __init__(self, socket: "Socket") -> None:
        self._socket = socket
        self._asks: deque[tuple[wire.AnyAsk, int]] = deque()  # each with the game that the client saw when it asked
        self.work: asyncio.Task | None = None

    def add(self, ask: wire.AnyAsk, n: int) -> bool:
        """False: too many wait."""
        if len(self._asks) >= LINE_MAX:
            return False
        self._asks.append((ask, n))
        return True

    def seen(self, n: int) -> None:
        """What was asked before the first snapshot is about the game that it shows."""
        self._asks = deque((ask, of or n) for ask, of in self._asks)

    def go(self) -> None:
        if self.work is None and self._asks:
            self.work = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._asks:
                ask, n = self._asks.popleft()
                try:
                    await self._try(ask, n)
                except Exception as error:  # what waits behind it was sent in good faith
                    log.error("ask not answered", room=self._socket.room.code, fault=place(error))
        finally:
            self.work = None

    async def _try(self, ask: wire.AnyAsk, n: int) -> None:
        try:
            await self._do(ask, n)
        except Exception as error:  # a bug of ours must not silence the socket
            log.error("ask failed", room=self._socket.room.code, kind=type(ask).__name__, fault=place(error))
            self._socket.refuse("internal", getattr(ask, "id", UNSET))

    async def _do(self, ask: wire.AnyAsk, n: int) -> None:
        kind = type(ask)
        if kind is wire.Legal:
            await self._legal(ask)
            return
        player = commands.doer(ask, self._socket.people, self._socket.facts.seats)
        if isinstance(player, Rejected):
            self._socket.refuse(player.code, getattr(ask, "id", UNSET), player.detail)
        elif kind is wire.Say:
            await self._say(ask, player)
        elif self._socket.behind:  # the log's answer would tell how the game stands now
            self._socket.refuse("not_in_lobby" if kind is wire.Join else "no_seat", ask.id)
        else:
            await self._submit(ask, player, n)

    async def _legal(self, ask: wire.Legal) -> None:
        if ask.seat not in self._socket.held:
            self._socket.refuse("not_your_seat", UNSET, Detail("seat", got=ask.seat))
            return
        try:
            self._socket.tell(await self._socket.room.legal(ask.seat))
        except (RedisError, *Unreachable):
            self._socket.refuse("unavailable")

    async def _say(self, ask: wire.Say, player: str) -> None:
        room, context = self._socket.room, self._socket.context
        for people, code in ((room.facts.banned, "kicked"), (room.facts.silenced, "silenced")):
            if player in people:
                self._socket.refuse(code, UNSET, Detail("say"))
                return
        if not context.talk.take(f"{room.code} {self._socket.address}", asyncio.get_running_loop().time()):
            self._socket.refuse("rate_limited", UNSET, Detail("say"))
            return
        body: str | Rejected = talk.cleaned(ask, room.kit)
        to: tuple[str, ...] | Rejected = ()
        try:
            if ask.kind == "suggest" and not isinstance(body, Rejected):
                found = await room.current()
                to = talk.side_of(player, room.kit, None if found is None else found[2])
            for refused in (body, to):
                if isinstance(refused, Rejected):
                    self._socket.refuse(refused.code, UNSET, refused.detail)
                    return
            frame = talk.frame_of(player, ask.kind, body, context.now_ms(), to)
            status = await context.writer.say(room.code, player, frame)
        except (RedisError, *Unreachable):
            self._socket.refuse("unavailable", UNSET, Detail("say"))
            return
        if status < 1:
            self._socket.refuse("rate_limited" if status == 0 else "no_room", UNSET, Detail("say"))

    async def _submit(self, ask: wire.AnyDeed, player: str, n: int) -> None:
        room = self._socket.room
        written = commands.write(ask, player, room.kit)
        if isinstance(written, Rejected):
            self._socket.refuse(written.code, ask.id, written.detail)
            return
        facts = room.facts
        unknown = stranger(ask, player, facts, room.n == n, room.kit.game.seats_max)
        append, loop = self._socket.context.writer.append, asyncio.get_running_loop()
        retry_s, end = RETRY_S, loop.time() + APPEND_S
        while True:
            try:
                reply = await append(
                    room.code,
                    n,
                    self._socket.store_session,
                    ask.id,
                    written.data,
                    written.private,
                    player,
                    written.nickname,
                    unknown,
                    self._socket.player,
                    skeleton(written.nickname),
                )
                break
            except (RedisError, *Unreachable):
                # The outcome is unknown; the same id may be appended again without a second effect.
                if loop.time() + retry_s >= end:
                    self._socket.refuse("unavailable", ask.id)
                    return
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
        if reply.status == write.STRANGER:
            refused = refusal(ask, player, facts)
            self._socket.refuse(refused.code, ask.id, refused.detail)
        elif reply.status < 0:
            self._socket.refuse(STATUS_CODES[reply.status], ask.id)
        elif reply.code in ("", "ok"):
            self._socket.tell(framed(encode(Ack(ask.id, reply.entry, reply.code))))
        else:
            self._socket.refuse(reply.code, ask.id)
