"""One socket: from the first `hello` to the end. Bounds come first, then decoding, then one append; the answer is the log's.

Messages are taken as they are parsed (`heard`), cheap ones answered at once. What needs Redis goes through `line`.

A client's session names are its own: in the log and in `done` they appear as a hash of player and session, so that nobody
can use up the ids of somebody else's session, which everybody at the table could read; towards the client itself the name
it chose is put back (`mark`, `unmark`).

A socket speaks for one or several people, who sit around one device. All of its asks go through the first one's session;
who of them acts is said by the ask (`commands.doer`).
"""

import asyncio
import base64
import hashlib
from collections import deque
from typing import TYPE_CHECKING

import msgspec
import structlog
from msgspec import UNSET, UnsetType

from engine.audience import PUBLIC
from engine.faults import place
from engine.room.state import PLAYING
from schemas import wire
from schemas.base import Detail, encode
from schemas.codes import CLOSES
from schemas.wire import Reject, decode_ask
from services.gateway import commands
from services.gateway.commands import id_of
from services.gateway.facts import NOTHING, Facts, Seats
from services.gateway.fanout import Room
from services.gateway.limits import REACHED, Bucket, rarely, too_deep
from services.gateway.line import Line
from services.gateway.peer import Peer, framed
from services.gateway.tokens import Badge
from services.store.outcome import reject_text

if TYPE_CHECKING:
    from services.gateway.context import Context

log = structlog.get_logger()

HELLO_S = 5.0
HELLO_COSTS = 10  # messages: it reads the room, its names and talk, and tells Redis who is here
STRIKES_MAX = 50  # bad or too fast messages in a row
OUT_MAX = 64  # frames that wait for a slow reader
OUT_BYTES_MAX = 256 * 1024


def store_session(player: str, session: str) -> str:
    """How a session is called in the log: the same through every gateway, and nobody else's can be made equal to it."""
    digest = hashlib.blake2b(f"{player}.{session}".encode(), digest_size=12).digest()
    return base64.urlsafe_b64encode(digest).decode()


class Socket:
    """See the module. badge: of the token that came with the handshake. address: what its client's messages count under.

    people: who speaks here, `player` first. held: their seats, in the same order. `live` at (`n`, `version`) is `fanout`'s
    business, so is `audience` after `sit`; `behind`: nothing of the live room may reach this socket.
    """

    def __init__(self, context: "Context", peer: Peer, badge: Badge | None, address: str = "") -> None:
        self.context = context
        self.address = address
        self.peer = peer
        self.player = ""
        self.people: tuple[str, ...] = ()
        self.held: tuple[int, ...] = ()
        self.watched: tuple[str, ...] = ()  # whose tokens are checked or were found good (`identity`)
        self._badge = badge
        self._asked: tuple[wire.Hello, tuple[Badge, ...]] | None = None
        self._admission: asyncio.Task | None = None
        self._code = ""
        self.session = ""
        self.store_session = ""
        self.mark = self.unmark = b""
        self.room: Room | None = None
        self.live = False
        self.behind = False
        self.n = 0
        self.version = 0
        self.game_n = 0  # the game that the last snapshot showed: what the client's asks are about
        self.facts: Facts = NOTHING
        self._seated_for: Seats | None = None  # the seats that `held` was found in
        self.audience = PUBLIC
        self.over = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        settings = context.settings
        self._bucket = Bucket(settings.message_rate, settings.message_burst, self._loop.time())
        self._strikes = 0
        self._ready = False  # welcomed once
        self._line = Line(self)
        self._out: deque[bytes] = deque()
        self._out_bytes = 0
        self._closing = False
        self._hello_timer = self._loop.call_later(HELLO_S, self._no_hello)
        peer.on_text = self.heard
        peer.on_odd = self.end
        peer.on_writable = self._flush
        peer.on_gone = self.left
        self._left = False

    # out

    def tell(self, frame: bytes) -> None:
        """Send a frame now, or keep it for a reader that is slow; one that is too slow is closed, nobody waits for it."""
        if self._closing:
            return
        if not self._out and not self.peer.busy:
            self._write(frame)
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
            self._write(frame)

    def _write(self, frame: bytes) -> None:
        """A connection that cannot be written to costs nobody else anything: who tells a whole room goes on."""
        try:
            self.peer.tell(frame)
        except Exception as error:
            log.error("socket not written", room=self.room.code if self.room else "", fault=place(error))
            self._closing = True
            self._out.clear()
            self.peer.cut()

    @property
    def closing(self) -> bool:
        return self._closing

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
        if not self._may_say(1):  # no strike: it may be others behind the same address
            self.refuse("rate_limited", id_of(data)) if self._code else self.end("too_many")
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
            if self._may_say(HELLO_COSTS - 1):
                self._hello(ask)
            elif self._code:
                self.refuse("rate_limited")
            else:
                self.end("too_many")
        elif not self._code:
            self.refuse("hello_first", getattr(ask, "id", UNSET))
        elif not self._line.add(ask, self.game_n):
            self.refuse("rate_limited", getattr(ask, "id", UNSET))
        elif self._ready:
            self._line.go()

    def _may_say(self, count: int) -> bool:
        """Whether the address of this socket may say so much more, all of its sockets together."""
        if self.context.messages.take(self.address, self._loop.time(), count):
            return True
        rarely.warn(REACHED, "NORIPAN_MESSAGES_PER_ADDRESS")
        return False

    def bars_late(self) -> str:
        """Why this socket must not watch its room late, "" when it may: a game that nobody here has decided again costs all of
        it, and an address may have that done only so often."""
        known = self.context.readers.known(self._code)
        return "" if known or self.context.may_begin_late(self.address) else "too_many"

    def _no_hello(self) -> None:
        self.end("no_hello")

    def _hello(self, ask: wire.Hello) -> None:
        """Enter the room; said again in it, the client has a gap and wants a snapshot, or other people joined it."""
        badges = self._badges(ask)
        if not badges or (self.player and badges[0].player != self.player):
            self.end("unauthorized")
            return
        code = ask.room.upper()
        if not self._code:
            self._hello_timer.cancel()
            self._code, self.session, self.player = code, ask.session, badges[0].player
            self.store_session = store_session(self.player, ask.session)
            self.mark = b'["%s",' % self.store_session.encode()
            self.unmark = b'["%s",' % ask.session.encode()
            self.room = self.context.hub.enter(code, self)  # its subscription starts while the tokens are checked
        elif code != self._code or ask.session != self.session:
            self.refuse("bad_message", UNSET, Detail("room", "the room and session of this socket's first hello"))
            return
        self._asked = ask, badges
        if self._admission is None:
            self._admission = self._loop.create_task(self._admit())

    def _badges(self, ask: wire.Hello) -> tuple[Badge, ...]:
        """Everybody's, each person once, the first first; () when one token is missing or not ours."""
        tokens = self.context.tokens
        first = self._badge if ask.token is None else tokens.badge(ask.token)
        if first is None:
            return ()
        self._badge = first
        found = {first.player: first}
        for token in ask.tokens:
            badge = tokens.badge(token)
            if badge is None:
                return ()
            found.setdefault(badge.player, badge)
        return tuple(found.values())

    async def _admit(self) -> None:
        identities = self.context.identities
        try:
            while self._asked is not None and not self._closing:
                (ask, badges), self._asked = self._asked, None
                good = await identities.admit(self, badges)
                if not self._closing:
                    self._follow(ask, tuple(badge.player for badge in badges)) if good else self.end("moved_device")
        finally:
            self._admission = None

    def _follow(self, ask: wire.Hello, people: tuple[str, ...]) -> None:
        if self._ready:
            self._present(people)
        self.people = people
        self._seated_for = None
        self.n, self.version = ask.game or 0, ask.version
        self.room.want(self, welcome=True)

    def _present(self, people: tuple[str, ...]) -> None:
        """From now on exactly these are here."""
        presence, code = self.context.presence, self.room.code
        for player in people:
            if not self._ready or player not in self.people:
                presence.enter(code, player)
        gone = [player for player in self.people if self._ready and player not in people]
        if gone:
            presence.leave_after(self._line.work, code, gone, cut=self._closing)

    def welcomed(self) -> None:
        """A snapshot was sent: asks may go to the log from now on."""
        if not self._ready:
            self._present(self.people)
            self._ready = True
            self._line.seen(self.game_n)
            self._line.go()

    def gone(self) -> None:
        """There is no such room."""
        self.refuse("no_room")
        self.end("no_room")

    def holds(self, seats: Seats) -> bool:
        """Whether somebody here has a seat."""
        return any(player in self.people for player in seats.values())

    def sit(self, facts: Facts) -> bool:
        """Find the own seats and the one to see with: that which has to act, when there are several.

        True: the seats are the same and another one of them has to act.
        """
        same, self.facts = facts.seats is self._seated_for or facts.seats == self._seated_for, facts
        self._seated_for = facts.seats
        if not same:
            held = [
                (self.people.index(player), int(seat)) for seat, player in facts.seats.items() if player in self.people
            ]
            self.held = tuple(seat for _, seat in sorted(held))
        elif len(self.held) < 2:
            return False
        acting = [seat for seat in self.held if seat in facts.acting and facts.phase == PLAYING]
        was = self.audience
        if not same or int(was) not in acting:  # with several who act at once the eyes stay
            self.audience = str((acting or self.held)[0]) if self.held else PUBLIC
        return same and self.audience != was

    def left(self) -> None:
        """The connection is over; said once by the transport and once by the ASGI call, which wakes up later.

        What is in the line still goes to the log: it was sent in good faith.
        """
        if self._left:
            return
        self._left = self._closing = True
        self._hello_timer.cancel()
        self.peer.on_text = self.peer.on_odd = self.peer.on_writable = self.peer.on_gone = None
        self._out.clear()
        self.context.identities.forget(self)
        if self.room is not None:
            self.room.leave(self)
            if self._ready:
                self._present(())
