"""One WebSocket connection at the transport: uvicorn's sans-io protocol, spoken to by calls instead of through ASGI.

ASGI costs a queue, two task switches and a pause of the transport per message, and its `send` waits for a slow reader, which
then can be neither passed over nor closed. Here a whole text frame is handed to `on_text` where it is parsed, and `tell` is
one write of a frame that many sockets may share. The ASGI call of the session only accepts, and waits for the end.

A peer that does not read is not read from either, so that nothing it sends can make us buffer answers without bound.

A frame costs six bytes to send and much more to parse, and the empty ones, pings and pongs never become a message that
could be counted. So what arrives is parsed in slices, a few frames per turn of the event loop, and every frame of every
kind is counted: who sends more of them than any client would is cut off, and the rest is not looked at.
"""

import socket
from asyncio import BaseTransport, Handle
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.protocol import State

from services.gateway.limits import Bucket

SCOPE = "noripan.peer"
# The kernel's send buffer per socket; left alone it grows to megabytes for a peer that reads nothing.
SEND_BYTES = 64 * 1024
ABORT_S = 5.0  # after a close, a peer that neither answers nor reads is cut off
SLICE_BYTES = 1024  # parsed at once: at most 170 frames
STUCK_MS = 10_000  # an answer of which the other side takes nothing for so long is dropped, also after we closed
TURN_FRAMES = 64  # after so many the others have their turn
LATE_S = 1.0  # a missing pong is believed after one more look, since it may lie unread behind a busy moment


def drop_stuck(transport: BaseTransport, after_ms: int) -> None:
    """Let the kernel reset the connection when what was sent is not taken; 0: as long as it likes.

    Without it what is written and not read stays with the kernel long after the connection is closed and counts no more.
    """
    held = transport.get_extra_info("socket")
    if held is not None and hasattr(socket, "TCP_USER_TIMEOUT") and held.family != socket.AF_UNIX:
        held.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, after_ms)


def framed(data: bytes) -> bytes:
    """`data` as one unmasked, unfragmented text frame (RFC 6455 5.2)."""
    size = len(data)
    if size < 126:
        return b"\x81" + bytes((size,)) + data
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big") + data
    return b"\x81\x7f" + size.to_bytes(8, "big") + data


class Peer(WebSocketsSansIOProtocol):
    """on_text(bytes): one message. on_odd(close name): a message that is not UTF-8 text. on_writable(): reads again.

    on_gone(), on_lost(): the connection is over, for who speaks through it and for who counts it.
    frame_rate, frame_burst: frames of any kind, a second and at once.
    """

    frame_rate: float = 120.0
    frame_burst: float = 400.0
    spare: bool = False  # one more than its address may have: only to be told so
    on_gone: Callable[[], None] | None = None
    on_lost: Callable[[], None] | None = None
    on_text: Callable[[bytes], None] | None = None
    on_odd: Callable[[str], None] | None = None
    on_writable: Callable[[], None] | None = None
    going_away: tuple[int, str] = (1001, "")
    _late = False
    _held = False  # not read from until `_unread` is parsed
    _turn: Handle | None = None

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._unread = bytearray()
        self._frames = Bucket(self.frame_rate, self.frame_burst, self.loop.time())

    @classmethod
    def allow(cls, message_rate: float, message_burst: float) -> None:
        """Frames for those who may send so many messages: fragments, pongs and what is refused politely fit in as well."""
        cls.frame_rate = 4 * message_rate + 40
        cls.frame_burst = 4 * message_burst + 240

    @property
    def busy(self) -> bool:
        """Whether the peer reads too slowly for more to be written now."""
        return not self.writable.is_set()

    @property
    def _over(self) -> bool:
        """Nothing may be written any more: uvloop raises for a handle that is closed, before anybody has heard that it is."""
        return self.disconnected or self.transport.is_closing()

    def tell(self, frame: bytes) -> None:
        """Write a frame made by `framed`; nothing when the connection is over."""
        if self.conn.state is State.OPEN and not self.close_sent and not self._over:
            self.transport.write(frame)

    def end(self, code: int, reason: str) -> None:
        """Close without waiting for what is still to be written: it is the peer's turn, and not for long."""
        if self.close_sent or self._over or self.conn.state is not State.OPEN:
            return
        self.stop_keepalive()
        drop_stuck(self.transport, STUCK_MS)
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._read_again()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.close_timer = self.loop.call_later(ABORT_S, self.transport.abort)

    # what uvicorn calls

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        held = transport.get_extra_info("socket")
        if held is not None:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        drop_stuck(transport, 0)  # while it is open, the pings decide

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unread.clear()
        if self._turn is not None:
            self._turn.cancel()
        for over in (self.on_gone, self.on_lost):
            if over is not None:
                over()

    def cut(self) -> None:
        """End the connection without a word."""
        if not self.disconnected:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self.handshake_initiated:  # the whole head, which `door` bounds
            super().data_received(data)
            if not self.handshake_initiated:
                self.transport.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
                self.transport.close()
            return
        self._unread += data
        if self._turn is None:
            self._parse()

    def _parse(self) -> None:
        """One turn."""
        self._turn = None
        left = TURN_FRAMES
        while self._unread and left > 0 and self._may_read() and not self.transport.is_closing():
            piece = bytes(self._unread[:SLICE_BYTES])
            del self._unread[:SLICE_BYTES]
            self.conn.receive_data(piece)
            if self.conn.parser_exc is not None:
                self.handle_parser_exception()
                break
            count = len(self.conn.events)
            if count and not self._frames.take(self.loop.time(), count):
                self.transport.abort()
                break
            left -= count
            self.handle_events()
        if self.transport.is_closing():
            self._unread.clear()
            self.loop.call_later(ABORT_S, self.transport.abort)
        elif self._unread:
            self._held = True
            self.transport.pause_reading()
            if self._may_read():
                self._turn = self.loop.call_soon(self._parse)
        elif self._held:
            self._held = False
            self._read_again()

    def _may_read(self) -> bool:
        return self.close_sent or not self.busy

    def handle_cont(self, event: Frame) -> None:
        if event.data or event.fin:  # empty ones would pile up without ever being too large a message
            super().handle_cont(event)

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope[SCOPE] = self  # type: ignore[typeddict-unknown-key]

    def send_receive_event_to_app(self) -> None:
        if self.on_text is None:
            super().send_receive_event_to_app()
            return
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.close_sent:
            return
        if self.curr_msg_data_type != "text":
            self.on_odd("bad_data")
        elif data.isascii() or _is_utf8(data):
            self.on_text(data)
        else:
            self.on_odd("bad_utf8")

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self.close_sent and not self.transport.is_closing():
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_again()
        if self.on_writable is not None:
            self.on_writable()

    def _read_again(self) -> None:
        if self.transport.is_closing() or not self._may_read():
            return
        if not self._unread:
            self.transport.resume_reading()
        elif self._turn is None:
            self._turn = self.loop.call_soon(self._parse)

    def handle_pong(self, event: Any) -> None:
        self._late = False
        super().handle_pong(event)

    def keepalive_timeout(self) -> None:
        if not self._late:
            self._late = True
            self.pong_timer = self.loop.call_later(LATE_S, self.keepalive_timeout)
            return
        super().keepalive_timeout()
        self.loop.call_later(ABORT_S, self.transport.abort)

    def shutdown(self) -> None:
        if self.handshake_complete and not self.close_sent:
            self.end(*self.going_away)
            self.transport.close()
        else:
            super().shutdown()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
