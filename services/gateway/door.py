"""One HTTP connection at the transport, before anything of ours runs: how much it may send, how fast, how many there may be.

uvicorn bounds none of this by itself: a head may be endless, half a request may wait for ever, and pipelined requests queue
up as fast as they arrive. Here what arrives is parsed in slices, a few per turn of the event loop; a request has a size and
a time; one request may wait behind another. Connections are counted per address from their first moment, whatever they
become: a WebSocket keeps the place of the connection that it was made of. One too many of an address is *spare*: it gets one
answer, which says so (or is the health of this process, which whoever looks after it asks for from the same machine), and
that in a short time; there are few of these, and beyond them nothing is said.
"""

from asyncio import BaseTransport, Handle, TimerHandle, Transport
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from services.gateway.limits import REACHED, Addresses, named, rarely
from services.gateway.peer import STUCK_MS, Peer, drop_stuck

HEAD_BYTES_MAX = 16 * 1024
HEADERS_MAX = 128  # as many as a WebSocket's head may have
REQUEST_BYTES_MAX = 1024 * 1024  # far above what any body may have (`http.BODY_BYTES_MAX`), which is answered politely
REQUEST_S = 8.0  # from the first byte, or the connection, to the last byte of the request
SLICE_BYTES = 1024
TURN_SLICES = 4
SPARES_MAX = 16  # per address
SPARE_S = 2.0  # what REQUEST_S is for them
SPARE = "noripan.spare"
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class _Flow(FlowControl):
    """Asks for what was read already before more is read."""

    def __init__(self, transport: Transport, again: Callable[[], None]) -> None:
        super().__init__(transport)
        self._again = again

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._again()


class Door(HttpToolsProtocol):
    """addresses: where connections are counted, spares: those beyond; None: they are not."""

    addresses: Addresses | None = None
    spares: Addresses | None = None
    _counted: Addresses | None = None  # which of both counted it
    _address = ""  # under this one
    _moved = False  # to a Peer
    _held = False  # not read from until `_unread` is parsed
    _turn: Handle | None = None
    _deadline: TimerHandle | None = None
    _in_body = False
    _size = 0  # bytes of this request so far, give or take a slice

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._unread = bytearray()
        self.ws_protocol_class = self._peer  # type: ignore[assignment]

    # the connection

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        drop_stuck(transport, STUCK_MS)
        self.flow = _Flow(self.transport, self._again)
        if self.addresses is not None and self.client is not None:
            self._address = named(self.client[0])
            self._counted = next((held for held in (self.addresses, self.spares) if held.enter(self._address)), None)
            if self._counted is None:
                rarely.warn(REACHED, "NORIPAN_SOCKETS_MAX_PER_ADDRESS")
                self.transport.abort()
                return
        self._expect()

    @classmethod
    def count(cls, sockets_max: int) -> None:
        """Count connections per address from now on."""
        cls.addresses, cls.spares = Addresses(sockets_max, 1), Addresses(SPARES_MAX, 1)

    @property
    def _spare(self) -> bool:
        return self._counted is not None and self._counted is self.spares

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self._leave()
        super().connection_lost(exc)
        self._forget()

    def _forget(self) -> None:
        """Let go of what points back here: a flood of connections makes garbage faster than it is collected."""
        self.ws_protocol_class = self.flow = None  # type: ignore[assignment]
        self.headers, self.scope = [], {}  # type: ignore[typeddict-item]

    def _leave(self) -> None:
        if self._counted is not None:
            self._counted.leave(self._address)
            self._counted = None

    def _stop(self) -> None:
        self._unread.clear()
        self._arrived()
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None

    def _peer(self, **given: Any) -> Peer:
        """What the connection becomes."""
        self._moved = True
        self._stop()
        peer = Peer(**given)
        peer.spare = self._spare
        peer.on_lost = self._leave
        return peer

    # the time of a request

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(SPARE_S if self._spare else REQUEST_S, self._late)

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        self.transport.abort()

    # what arrives

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if self._turn is None:
            self._parse()

    def _may_read(self) -> bool:
        return not self.flow.read_paused and not self.pipeline

    def _parse(self) -> None:
        """One turn."""
        self._turn = None
        for _ in range(TURN_SLICES):
            if not self._unread or not self._may_read() or self.transport.is_closing():
                break
            piece = bytes(self._unread[:SLICE_BYTES])
            del self._unread[:SLICE_BYTES]
            self._expect()
            self._size += len(piece)
            super().data_received(piece)
            if self._moved:
                if self._held and not self.transport.is_closing():
                    self.transport.resume_reading()
                self.parser = None  # type: ignore[assignment]
                self._forget()
                return
            if self._deadline is not None and self._is_too_large():
                self._too_large()
        if self.transport.is_closing():
            self._unread.clear()
        elif self._unread:
            self._held = True
            self.transport.pause_reading()
            if self._may_read():
                self._turn = self.loop.call_soon(self._parse)
        elif self._held and not self.flow.read_paused:
            self._held = False
            self.transport.resume_reading()

    def _again(self) -> None:
        if self._moved or self.transport.is_closing():
            return
        if not self._unread:
            self._held = False
            self.transport.resume_reading()
        elif self._turn is None:
            self._turn = self.loop.call_soon(self._parse)

    def _is_too_large(self) -> bool:
        if self._in_body:
            return self._size > REQUEST_BYTES_MAX
        return self._size > HEAD_BYTES_MAX or len(self.headers or ()) > HEADERS_MAX

    def _too_large(self) -> None:
        if self._in_body or not self._idle():
            self.transport.abort()  # an answer is under way, or was given
        else:
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    # what the parser finds

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._spare:
            self.scope[SPARE] = True  # type: ignore[typeddict-unknown-key]
        self._in_body = False
        self._size = min(self._size, SLICE_BYTES)
        self._expect()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_body:  # trailers mean nothing to us
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_body = True
        if self.pipeline or self.transport.is_closing():
            self.transport.abort()
        elif not self._idle() and self.parser.should_upgrade():
            self.transport.abort()  # two protocols on one connection at once
        elif not self._names_its_host():
            if self._idle():
                self.send_400_response("expected one Host header")
            else:
                self.transport.abort()
        else:
            super().on_headers_complete()
            if self._spare and self.cycle is not None:
                self.cycle.keep_alive = False

    def _names_its_host(self) -> bool:
        """RFC 9112 3.2: with HTTP/1.1 exactly once."""
        count = sum(name == b"host" for name, _ in self.headers)
        return count == 1 or (count == 0 and self.parser.get_http_version() != "1.1")

    def on_body(self, body: bytes) -> None:
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        self._size = 0
        self._arrived()
        if not self.transport.is_closing():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._again()

    def handle_websocket_upgrade(self) -> None:
        if not self.transport.is_closing():
            super().handle_websocket_upgrade()
