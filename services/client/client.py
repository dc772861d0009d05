"""One player's socket in one room, kept alive: connect, follow, ask, and reconnect until `close`.

Whatever was asked stays in `_pending` under its id until its outcome is known, and is sent again under the same id after
every reconnect, after every snapshot that was not a plain continuation, and when no answer came for a while: repeating is
safe, the log has each id once. The outcome comes as `done` in an update, as `reject`, or as `ack` with outcome "ok".

When the room goes on with its next game the client follows: `game` and `view` are then those of that game.
"""

import asyncio
import contextlib
import random
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from engine.fold import entry_order
from engine.patch import merge
from schemas import wire
from schemas.base import encode
from schemas.codes import CLOSES
from schemas.wire import decode_tell
from services.client.deeds import Deeds
from services.client.http import new_player
from services.client.once import Once
from services.client.outcome import Closed, Done, Pending, Receipt, Rejected

# The first wait is anywhere in this, so that those who lost the same gateway do not come back in the same moment.
BACKOFF_S = 1.5
BACKOFF_S_MAX = 5.0
REPEAT_S = 4.0  # an ask without any answer is sent again
OPEN_S = 5.0
# Close codes after which connecting again is of no use.
FINAL = {
    CLOSES[name][0]: name for name in ("unauthorized", "moved_device", "no_spectators", "locked", "kicked", "no_room")
}
SAID_KEPT = 200


@dataclass
class Client(Once, Deeds):
    """url: base URLs of gateways; the next one is tried when a connection ends. token None: a new player is made.
    tokens: of further people who play through this client.

    Public to read: view, version, game, number, events (of this game), receipts, seat, seats, player, people (everybody who
    plays here), session, names, present (how many are in the room), said, snapshots (how many came), closes (codes of
    connections that ended).
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
    tokens: Sequence[str] = ()
    people: tuple[str, ...] = ()
    present: int = 0
    said: deque[wire.Said] = field(default_factory=lambda: deque(maxlen=SAID_KEPT))

    def __post_init__(self) -> None:
        super().__init__()
        self.urls = [self.url] if isinstance(self.url, str) else list(self.url)
        self.session = self.session or secrets.token_urlsafe(9)
        self._at = self.first % len(self.urls)
        self._last_id = 0
        self._pending: dict[int, Pending] = {}
        self._last = ""  # the entry after which the view is
        self._changed: set[asyncio.Future] = set()
        self._socket: ClientConnection | None = None
        self._ready = asyncio.Event()
        self._at_once = False  # the connection was given up on purpose: nobody else comes back with this client
        self._closed = ""
        self._task: asyncio.Task | None = None

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
        self._drop_unsure()
        self._notify()

    def _check(self) -> None:
        if self._closed:
            raise Closed(self._closed)

    async def drop(self, url: int | None = None) -> None:
        """Lose the connection on purpose and connect again at once; the next one goes to gateway `url` (by index)."""
        if url is not None:
            self._at = url - 1
        self._ready.clear()
        if self._socket is not None:
            self._at_once = True
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
            if self._at_once:
                self._at_once = False
                continue
            await asyncio.sleep(random.uniform(0.0, wait_s))
            wait_s = min(2 * wait_s, BACKOFF_S_MAX)

    def _lost(self) -> None:
        socket, self._socket = self._socket, None
        self._ready.clear()
        self._drop_unsure()
        if socket is not None and socket.close_code is not None:
            self.closes.append(socket.close_code)
            if socket.close_code in FINAL:
                self._close(FINAL[socket.close_code])
        self._notify()

    async def _hello(self) -> None:
        n = int(self.game.partition("/")[2]) if self.game else None
        hello = wire.Hello(self.room, self.session, self.token, n, self.version, tuple(self.tokens))
        await self._socket.send(encode(hello), text=True)

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
            self.player, self.names, self.present = tell.player, tell.names, tell.people
            self.people = (tell.player, *tell.others)
            known = [msgspec.convert(one, wire.Said) for one in tell.said]
            # What this client said may have been heard while it was away.
            for one in known if not self.said else [one for one in known if one not in self.said]:
                self._heard(one)
        elif kind is wire.LegalActions:
            self._answered(wire.Legal, tell.seat, tell)
        elif kind is wire.Names:
            self.names = {**self.names, **tell.names}
            self._notify()
        elif kind is wire.People:
            self.present = tell.people
            self._notify()
        elif kind is wire.Said:
            self._heard(tell)
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
        self._last = entry
        if head:
            self.receipts.append(Receipt(self.game, self.version, entry, head))
        if self.view.get("phase") == "opening":
            self.open_nonces()

    def has(self, entry: str) -> bool:
        """Whether the view is the one after this entry, or a later one."""
        return bool(self._last) and entry_order(self._last.encode()) >= entry_order(entry.encode())

    def _heard(self, said: wire.Said) -> None:
        self.said.append(said)
        self._heard_said(said)

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

    async def until(self, what: Callable[["Client"], Any], seconds: float = 60.0) -> Any:
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
            self._refused_once(reject)
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


def _resolve(future: asyncio.Future, value: Any) -> None:
    if not future.done():
        future.set_result(value)
