"""One WebSocket connection at the transport: uvicorn's sans-io protocol, spoken to by calls instead of through ASGI.

ASGI costs a queue, two task switches and a pause of the transport per message, and its `send` waits for a slow reader, which
then can be neither passed over nor closed. Here a whole text frame is handed to `on_text` where it is parsed, and `tell` is
one write of a frame that many sockets may share. The ASGI call of the session only accepts, and waits for the end.

A peer that does not read is not read from either, so that nothing it sends can make us buffer answers without bound.
"""

import socket
from asyncio import BaseTransport
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

SCOPE = "noripan.peer"
# The kernel's send buffer per socket; left alone it grows to megabytes for a peer that reads nothing.
SEND_BYTES = 64 * 1024
ABORT_S = 5.0  # after a close, a peer that neither answers nor reads is cut off
LATE_S = 1.0  # a missing pong is believed after one more look, since it may lie unread behind a busy moment


def framed(data: bytes) -> bytes:
    """`data` as one unmasked, unfragmented text frame (RFC 6455 5.2)."""
    size = len(data)
    if size < 126:
        return b"\x81" + bytes((size,)) + data
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big") + data
    return b"\x81\x7f" + size.to_bytes(8, "big") + data


class Peer(WebSocketsSansIOProtocol):
    """on_text(bytes): one message. on_odd(close name): a message that is not UTF-8 text. on_writable(): reads again."""

    on_text: Callable[[bytes], None] | None = None
    on_odd: Callable[[str], None] | None = None
    on_writable: Callable[[], None] | None = None
    going_away: tuple[int, str] = (1001, "")
    _late = False

    @property
    def busy(self) -> bool:
        """Whether the peer reads too slowly for more to be written now."""
        return not self.writable.is_set()

    def tell(self, frame: bytes) -> None:
        """Write a frame made by `framed`; nothing when the connection is over."""
        if self.conn.state is State.OPEN and not self.close_sent:
            self.transport.write(frame)

    def end(self, code: int, reason: str) -> None:
        """Close without waiting for what is still to be written: it is the peer's turn, and not for long."""
        if self.close_sent or self.disconnected or self.conn.state is not State.OPEN:
            return
        self.stop_keepalive()
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
        if not self.transport.is_closing():
            self.transport.resume_reading()

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
