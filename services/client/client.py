"""One player's socket in one room, kept alive: connect, follow, ask, and reconnect until `close`.

Whatever was asked stays in `_pending` under its id until its outcome is known, and is sent again under the same id after
every reconnect, after every snapshot that was not a plain continuation, and when no answer came for a while: repeating is
safe, the log has each id once. The outcome comes as `done` in an update, as `reject`, or as `ack` with outcome "ok".
"""

import asyncio
import contextlib
import hashlib
import random
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from engine.patch import merge
from schemas import wire
from schemas.base import encode
from schemas.wire import decode_tell
from services.client.http import new_player
from services.client.outcome import Closed, Done, Pending, Receipt, Rejected

BACKOFF_S = 0.1
BACKOFF_S_MAX = 5.0
REPEAT_S = 4.0  # an ask without any answer is sent again
OPEN_S = 5.0
FINAL = {4401: "unauthorized", 4404: "no_room"}


@dataclass
class Client:
    """url: base URLs of gateways; the next one is tried when a connection ends. token None: a new player is made.

    Public to read: view, version, game, events, receipts, seat, player, session, names, snapshots (how many came), closes
    (codes of connections that ended).
    """

    url: str | Sequence[str]
    room: str
    token: str | None = None
    session: str = ""
    first: int = 0  # index of the gateway to begin with
    view: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    game: str = ""
    events: list[dict] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    player: str = ""
    snapshots: int = 0
    closes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.urls = [self.url] if isinstance(self.url, str) else list(self.url)
        self.session = self.session or secrets.token_urlsafe(9)
        self._at = self.first % len(self.urls)
        self._last_id = 0
        self._pending: dict[int, Pending] = {}
        self._legal: list[asyncio.Future] = []
        self._changed: set[asyncio.Future] = set()
        self._socket: ClientConnection | None = None
        self._ready = asyncio.Event()
        self._closed = ""
        self._task: asyncio.Task | None = None
        self._nonces: dict[str, bytes] = {}  # hash -> nonce, of every promise made
        self._opened: set[str] = set()  # games whose nonce was sent
        self._background: set[asyncio.Task] = set()

    # life

    async def __aenter__(self) -> "Client":
        if self.token is None:
            self.player, self.token = await new_player(self.urls[self._at])
        self._task = asyncio.create_task(self._run())
        await self.ready()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def ready(self) -> None:
        """Wait until the room is followed (again). Raises Closed when that cannot be."""
        while not self._ready.is_set():
            self._check()
            await self._change()

    async def close(self) -> None:
        self._close("closed")
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, *self._background, return_exceptions=True)

    def _close(self, reason: str) -> None:
        self._closed = self._closed or reason
        for pending in self._pending.values():
            if not pending.outcome.done():
                pending.outcome.set_exception(Closed(reason))
                pending.outcome.exception()
        self._pending.clear()
        self._drop_legal()
        self._notify()

    def _check(self) -> None:
        if self._closed:
            raise Closed(self._closed)

    async def drop(self, url: int | None = None) -> None:
        """Lose the connection on purpose; the next one goes to gateway `url` (by index)."""
        if url is not None:
            self._at = url - 1
        self._ready.clear()
        if self._socket is not None:
            await self._socket.close()

    async def _run(self) -> None:
        wait_s = BACKOFF_S
        while not self._closed:
            try:
                base = self.urls[self._at % len(self.urls)]
                async with connect(
                    "ws" + base.removeprefix("http") + "/ws", compression=None, open_timeout=OPEN_S, max_size=None
                ) as socket:
                    self._socket = socket
                    await self._hello()
                    repeater = asyncio.create_task(self._repeat())
                    try:
                        async for data in socket:
                            self._hear(decode_tell(data))
                            if self._ready.is_set():
                                wait_s = BACKOFF_S
                    finally:
                        repeater.cancel()
            except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, InvalidMessage):
                pass
            except asyncio.CancelledError:
                raise
            except Exception as error:
                self._close(f"{type(error).__name__}: {error}")
                raise
            self._lost()
            if self._closed:
                return
            self._at = (self._at + 1) % len(self.urls)
            await asyncio.sleep(wait_s * random.uniform(0.5, 1.5))
            wait_s = min(2 * wait_s, BACKOFF_S_MAX)

    def _lost(self) -> None:
        socket, self._socket = self._socket, None
        self._ready.clear()
        self._drop_legal()
        if socket is not None and socket.close_code is not None:
            self.closes.append(socket.close_code)
            if socket.close_code in FINAL:
                self._close(FINAL[socket.close_code])
        self._notify()

    async def _hello(self) -> None:
        n = int(self.game.partition("/")[2]) if self.game else None
        await self._socket.send(encode(wire.Hello(self.room, self.session, self.token, n, self.version)), text=True)

    def _send(self, frame: bytes) -> None:
        task = asyncio.create_task(self._send_now(frame))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _send_now(self, frame: bytes) -> None:
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(frame, text=True)

    # following

    def _hear(self, tell: wire.AnyTell) -> None:
        kind = type(tell)
        if kind is wire.Update:
            self._update(tell)
        elif kind is wire.Ack:
            pending = self._pending.get(tell.id)
            if pending is not None:
                pending.entry = tell.entry
                if tell.outcome:
                    self._decided(tell.id, tell.entry)
        elif kind is wire.Reject:
            self._rejected(tell)
        elif kind is wire.Snapshot:
            self._snapshot(tell)
        elif kind is wire.Welcome:
            self.player, self.names = tell.player, tell.names
        elif kind is wire.LegalActions:
            if self._legal:
                _resolve(self._legal.pop(0), tell)
        elif kind is wire.Names:
            self.names = tell.names
            self._notify()

    def _update(self, update: wire.Update) -> None:
        if (update.game, update.from_) == (self.game, self.version):
            self.view = merge(self.view, update.patch)
            self.version = update.version
            self.events += update.events
            self._seen(update.entry, update.head)
        elif update.game != self.game or update.version > self.version:
            self._ready.clear()
            task = asyncio.create_task(self._hello())
            self._background.add(task)
            task.add_done_callback(self._background.discard)
        for session, number in update.done:
            if session == self.session:
                self._decided(number, update.entry)
        self._notify()

    def _snapshot(self, snapshot: wire.Snapshot) -> None:
        self.snapshots += 1
        if snapshot.game != self.game:
            self.events.clear()
        self.game, self.version, self.view = snapshot.game, snapshot.version, snapshot.view
        self.events += snapshot.events
        self._seen(snapshot.entry, snapshot.head)
        self._ready.set()
        # An answer may have been lost with whatever made this snapshot necessary.
        for pending in self._pending.values():
            self._transmit(pending)
        self._notify()

    def _seen(self, entry: str, head: str) -> None:
        if head:
            self.receipts.append(Receipt(self.game, self.version, entry, head))
        if self.view.get("phase") == "opening":
            self._open_nonce()

    @property
    def seat(self) -> int | None:
        """The own seat, None for a spectator."""
        for seat, held in self.view.get("seats", {}).items():
            if held["player"] == self.player:
                return int(seat)
        return None

    def _notify(self) -> None:
        waiting, self._changed = self._changed, set()
        for future in waiting:
            _resolve(future, None)

    async def _change(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._changed.add(future)
        await future

    async def views(self) -> AsyncIterator[dict[str, Any]]:
        """The view now and after every change (changes that come together are seen once), until the client is closed."""
        while not self._closed:
            if self.view:
                yield self.view
            await self._change()

    async def until(self, what: Callable[["Client"], Any], seconds: float = 10.0) -> Any:
        """Wait until `what(self)` holds and return it. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not (found := what(self)):
                self._check()
                await self._change()
            return found

    # asking

    async def ask(self, kind: type, **fields: Any) -> Done:
        """Send a message that takes effect and wait for its outcome. Raises Rejected, Closed."""
        self._check()
        self._last_id += 1
        number = self._last_id
        pending = Pending(encode(kind(id=number, **fields)), asyncio.get_running_loop().create_future())
        self._pending[number] = pending
        if self._ready.is_set():
            self._transmit(pending)
        return await pending.outcome

    def _transmit(self, pending: Pending) -> None:
        pending.sent_at = asyncio.get_running_loop().time()
        self._send(pending.frame)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(REPEAT_S / 4)
            before = asyncio.get_running_loop().time() - REPEAT_S
            for pending in list(self._pending.values()):
                if self._ready.is_set() and pending.sent_at < before:
                    self._transmit(pending)

    def _decided(self, number: int, entry: str) -> None:
        pending = self._pending.pop(number, None)
        if pending is not None:
            _resolve(pending.outcome, Done(self.version, entry))

    def _rejected(self, reject: wire.Reject) -> None:
        if reject.id is msgspec.UNSET:
            if reject.code in ("not_your_seat", "unavailable", "rate_limited") and self._legal:
                future = self._legal.pop(0)
                if not future.done():
                    future.set_exception(Rejected(reject))
            return
        pending = self._pending.get(reject.id)
        if pending is None:
            return
        if reject.code in ("unavailable", "rate_limited"):
            # Not decided: ask again under the same id.
            pending.refused += 1
            delay_s = min(2.0, 0.1 * 2**pending.refused) * random.uniform(0.5, 1.5)
            asyncio.get_running_loop().call_later(delay_s, self._again, reject.id)
            return
        del self._pending[reject.id]
        if not pending.outcome.done():
            pending.outcome.set_exception(Rejected(reject))

    def _again(self, number: int) -> None:
        pending = self._pending.get(number)
        if pending is not None and self._ready.is_set():
            self._transmit(pending)

    async def join(self, name: str, seat: int | None = None, nonce: bool = True) -> Done:
        """Take a seat. nonce: promise 32 random bytes, which are opened by themselves after Start."""
        promise = None
        if nonce:
            secret = secrets.token_bytes(32)
            promise = hashlib.sha256(secret).hexdigest()
            self._nonces[promise] = secret
        try:
            return await self.ask(wire.Join, name=name, seat=seat, nonce_hash=promise)
        except Rejected:
            if promise is not None:
                del self._nonces[promise]
            raise

    def _open_nonce(self) -> None:
        if self.seat is None or self.game in self._opened or not self._nonces:
            return
        self._opened.add(self.game)
        secret = list(self._nonces.values())[-1]
        task = asyncio.create_task(self._open(secret))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _open(self, secret: bytes) -> None:
        with contextlib.suppress(Rejected, Closed):
            await self.ask(wire.Nonce, nonce=secret.hex())

    async def leave(self) -> Done:
        return await self.ask(wire.Leave)

    async def configure(self, options: dict | None = None, settings: dict | None = None) -> Done:
        return await self.ask(wire.Configure, options=options, settings=settings)

    async def start(self) -> Done:
        """The host starts the game. It is dealt once all nonces are open: `until(lambda c: c.view["phase"] == "playing")`."""
        return await self.ask(wire.Start)

    async def act(self, seat: int, action: dict, turn: int | None = None) -> Done:
        return await self.ask(wire.Act, seat=seat, action=msgspec.Raw(encode(action)), turn=turn)

    async def legal(self, seat: int) -> wire.LegalActions:
        """What this seat may do now. Raises Rejected, Closed (also when the connection is lost meanwhile)."""
        await self.ready()
        future = asyncio.get_running_loop().create_future()
        self._legal.append(future)
        self._send(encode(wire.Legal(seat)))
        return await future

    def _drop_legal(self) -> None:
        futures, self._legal = self._legal, []
        for future in futures:
            if not future.done():
                future.set_exception(Closed("connection lost"))
                future.exception()


def _resolve(future: asyncio.Future, value: Any) -> None:
    if not future.done():
        future.set_result(value)
