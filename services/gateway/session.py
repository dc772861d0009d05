"""One socket: from the first `hello` to the end. Bounds come first, then decoding, then one append; the answer is the log's.

Messages are taken as they are parsed (`heard`), cheap ones answered at once. What needs Redis goes through one line per
socket (`_work`), in order, so that a roll is in the log before the score that was sent after it. While Redis is away the
line waits, asking again by the same id, and the socket stays open.

A client's session names are its own: in the log and in `done` they appear as a hash of player and session, so that nobody
can use up the ids of somebody else's session, which everybody at the table could read; towards the client itself the name
it chose is put back (`mark`, `unmark`).
"""

import asyncio
import base64
import hashlib
from collections import deque
from typing import TYPE_CHECKING

import msgspec
import structlog
from msgspec import UNSET, Struct, UnsetType
from redis.exceptions import RedisError

from engine.audience import PUBLIC
from engine.game import Rejected
from schemas import wire
from schemas.base import ActionId, Detail, encode
from schemas.codes import CLOSES
from schemas.wire import Ack, Reject, decode_ask
from services.gateway import commands
from services.gateway.fanout import Room, Seats
from services.gateway.faults import place
from services.gateway.limits import Bucket, too_deep
from services.gateway.peer import Peer, framed
from services.store import write
from services.store.outcome import reject_text
from services.store.redis import Unreachable

if TYPE_CHECKING:
    from services.gateway.context import Context

log = structlog.get_logger()

HELLO_S = 5.0
STRIKES_MAX = 50  # bad or too fast messages in a row
LINE_MAX = 64  # asks that wait for Redis
OUT_MAX = 64  # frames that wait for a slow reader
OUT_BYTES_MAX = 256 * 1024
APPEND_S = 5.0  # how long an append is tried while Redis is away
RETRY_S = 0.05
RETRY_S_MAX = 1.0

STATUS_CODES = {
    write.NO_ROOM: "no_room",
    write.MOVED: "moved",
    write.TOO_OLD: "too_old",
    write.OVERLOADED: "overloaded",
}


class _WithId(Struct):
    id: ActionId | UnsetType = UNSET


_read_id = msgspec.json.Decoder(_WithId).decode


def id_of(data: bytes) -> int | UnsetType:
    """The id in a message that could not be read as a whole, so that its sender knows which was refused."""
    try:
        return _read_id(data).id
    except (msgspec.MsgspecError, RecursionError):
        return UNSET


def store_session(player: str, session: str) -> str:
    """How a session is called in the log: the same through every gateway, and nobody else's can be made equal to it."""
    digest = hashlib.blake2b(f"{player}.{session}".encode(), digest_size=12).digest()
    return base64.urlsafe_b64encode(digest).decode()


class Socket:
    """See the module. `live` at (`n`, `version`) is `fanout`'s business, so is `audience` after `sit`."""

    def __init__(self, context: "Context", peer: Peer, player: str | None) -> None:
        self.context = context
        self.peer = peer
        self.player = player or ""
        self.session = ""
        self.store_session = ""
        self.mark = self.unmark = b""
        self.room: Room | None = None
        self.live = False
        self.n = 0
        self.version = 0
        self.game_n = 0  # the game that the last snapshot showed: what the client's asks are about
        self.seats: Seats | None = None
        self.audience = PUBLIC
        self.over = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        settings = context.settings
        self._bucket = Bucket(settings.message_rate, settings.message_burst, self._loop.time())
        self._strikes = 0
        self._ready = False  # welcomed once
        self._line: deque[wire.AnyAsk] = deque()
        self._worker: asyncio.Task | None = None
        self._out: deque[bytes] = deque()
        self._out_bytes = 0
        self._closing = False
        self._hello_timer = self._loop.call_later(HELLO_S, self._no_hello)
        peer.on_text = self.heard
        peer.on_odd = self.end
        peer.on_writable = self._flush

    # out

    def tell(self, frame: bytes) -> None:
        """Send a frame now, or keep it for a reader that is slow; one that is too slow is closed, nobody waits for it."""
        if self._closing:
            return
        if not self._out and not self.peer.busy:
            self.peer.tell(frame)
            return
        self._out.append(frame)
        self._out_bytes += len(frame)
        if len(self._out) > OUT_MAX or self._out_bytes > OUT_BYTES_MAX:
            log.info("slow reader closed", room=self.room.code if self.room else "", frames=len(self._out))
            self.end("slow")

    def _flush(self) -> None:
        while self._out and not self.peer.busy:
            frame = self._out.popleft()
            self._out_bytes -= len(frame)
            self.peer.tell(frame)

    def end(self, name: str) -> None:
        """Close with a code of the table."""
        if not self._closing:
            self._closing = True
            self._out.clear()
            self.peer.end(*CLOSES[name])
            if not self.over.done():
                self.over.set_result(None)

    def refuse(self, code: str, number: int | UnsetType = UNSET, detail: Detail | UnsetType = UNSET) -> None:
        codes = self.room.kit.game.codes if self.room is not None and self.room.kit is not None else {}
        if detail == Detail():
            detail = UNSET
        self.tell(framed(encode(Reject(code, reject_text(codes, code), number, detail))))

    def _strike(self, code: str, number: int | UnsetType, detail: Detail | UnsetType = UNSET) -> None:
        self._strikes += 1
        if self._strikes >= STRIKES_MAX:
            self.end("policy")
        else:
            self.refuse(code, number, detail)

    # in

    def heard(self, data: bytes) -> None:
        """One text message."""
        if self._closing:
            return
        if not self._bucket.take(self._loop.time()):
            self._strike("rate_limited", id_of(data))
            return
        if too_deep(data):
            self._strike("too_deep", UNSET, Detail(expected=f"at most {wire.DEPTH_MAX} levels"))
            return
        try:
            ask = decode_ask(data)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._strike("bad_message", id_of(data), commands.explained(error))
            return
        self._strikes = 0
        kind = type(ask)
        if kind is wire.Ping:
            self.tell(framed(b'{"type":"pong","t":%d,"now_ms":%d}' % (ask.t, self.context.now_ms())))
        elif kind is wire.Hello:
            self._hello(ask)
        elif self.room is None:
            self.refuse("hello_first", getattr(ask, "id", UNSET))
        elif len(self._line) >= LINE_MAX:
            self.refuse("rate_limited", getattr(ask, "id", UNSET))
        else:
            self._line.append(ask)
            if self._worker is None and self._ready:
                self._worker = self._loop.create_task(self._work())

    def _no_hello(self) -> None:
        self.end("no_hello")

    def _hello(self, ask: wire.Hello) -> None:
        """Enter the room; said again in it, the client has a gap and wants a snapshot."""
        if ask.token is not None:
            player = self.context.tokens.read(ask.token)
            if player is None or (self.room is not None and player != self.player):
                self.end("unauthorized")
                return
            self.player = player
        if not self.player:
            self.end("unauthorized")
            return
        if self.room is None:
            self._hello_timer.cancel()
            self.session = ask.session
            self.store_session = store_session(self.player, ask.session)
            self.mark = b'["%s",' % self.store_session.encode()
            self.unmark = b'["%s",' % ask.session.encode()
            self.room = self.context.hub.enter(ask.room, self)
        elif ask.room != self.room.code or ask.session != self.session:
            self.refuse("bad_message", UNSET, Detail("room", "the room and session of this socket's first hello"))
            return
        self.n, self.version = ask.game or 0, ask.version
        self.room.want(self, welcome=True)

    def welcomed(self) -> None:
        """A snapshot was sent: asks may go to the log from now on."""
        if not self._ready:
            self._ready = True
            self.context.presence.enter(self.room.code, self.player)
            if self._line:
                self._worker = self._loop.create_task(self._work())

    def gone(self) -> None:
        """There is no such room."""
        self.refuse("no_room")
        self.end("no_room")

    def sit(self, seats: Seats) -> None:
        """Find the own seat among `seats`."""
        self.seats = seats
        for seat, player in seats.items():
            if player == self.player:
                self.audience = seat
                return
        self.audience = PUBLIC

    def left(self) -> None:
        """The connection is over. What is in the line still goes to the log: it was sent in good faith."""
        self._closing = True
        self._hello_timer.cancel()
        self.peer.on_text = self.peer.on_odd = self.peer.on_writable = None
        self._out.clear()
        if self.room is not None:
            self.room.leave(self)
            if self._ready:
                self.context.presence.leave(self.room.code, self.player)

    # the line to Redis

    async def _work(self) -> None:
        try:
            while self._line:
                ask = self._line.popleft()
                try:
                    if type(ask) in commands.DEEDS:
                        await self._submit(ask)
                    elif type(ask) is wire.Legal:
                        await self._legal(ask)
                    else:
                        self.refuse("bad_message", UNSET, Detail("type"))
                except Exception as error:  # a bug of ours must not silence the socket
                    log.error("ask failed", room=self.room.code, kind=type(ask).__name__, fault=place(error))
                    self.refuse("internal", getattr(ask, "id", UNSET))
        finally:
            self._worker = None

    async def _legal(self, ask: wire.Legal) -> None:
        if ask.seat not in self.room.seats_of(self.player):
            self.refuse("not_your_seat", UNSET, Detail("seat", got=ask.seat))
            return
        try:
            self.tell(await self.room.legal(ask.seat))
        except (RedisError, *Unreachable):
            self.refuse("unavailable")

    async def _submit(self, ask: wire.AnyDeed) -> None:
        room = self.room
        written = commands.write(ask, self.player, room.kit)
        if isinstance(written, Rejected):
            self.refuse(written.code, ask.id, written.detail)
            return
        append = self.context.writer.append
        retry_s, end = RETRY_S, self._loop.time() + APPEND_S
        while True:
            try:
                reply = await append(
                    room.code,
                    self.game_n,
                    self.store_session,
                    ask.id,
                    written.data,
                    written.private,
                    self.player,
                    written.nickname,
                )
                break
            except (RedisError, *Unreachable):
                # The outcome is unknown; the same id may be appended again without a second effect.
                if self._loop.time() + retry_s >= end:
                    self.refuse("unavailable", ask.id)
                    return
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
        if reply.status < 0:
            self.refuse(STATUS_CODES[reply.status], ask.id)
        elif reply.code in ("", "ok"):
            self.tell(framed(encode(Ack(ask.id, reply.entry, reply.code))))
        else:
            self.refuse(reply.code, ask.id)
