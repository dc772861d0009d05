"""One room of the mock server: the engine's position, the sockets at the table, what was said there."""

import asyncio
import contextlib
import hashlib
import secrets
import sys
import time
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from engine.audience import PUBLIC, publication
from engine.fold import Entry, Position, advance
from engine.game import SPECTATOR, Seated
from engine.games import games
from engine.kit import kit
from engine.patch import diff
from engine.room.deadline import due
from engine.room.view import room_view
from schemas import entry as cmd
from schemas import wire
from schemas.base import encode


class Client:
    """A socket in a room: its people (the first is the cookie's), its session, the view it has when it holds several seats."""

    def __init__(self, players: tuple[str, ...], session: str) -> None:
        self.players, self.session = players, session
        self.view: Any = None
        self.said_s: list[float] = []


class Table:
    """A room: the current game's position, its sockets, its names."""

    def __init__(self, code: str, game: str) -> None:
        self.code, self.game, self.n = code, game, 0
        self.names: dict[str, str] = {}
        self.sockets: dict[WebSocket, Client] = {}
        self.said: list[wire.Said] = []
        self.done: dict[str, bytes] = {}
        self.last_ms = self.sequence = 0
        self.timer: asyncio.TimerHandle | None = None
        self.at = Position()

    @property
    def game_id(self) -> str:
        return f"{self.code}/{self.n}"

    def entry_id(self) -> bytes:
        now = max(int(time.time() * 1000), self.last_ms)
        self.sequence = self.sequence + 1 if now == self.last_ms else 0
        self.last_ms = now
        return b"%d-%d" % (now, self.sequence)

    def viewer(self, players: tuple[str, ...]) -> Any:
        """Of several seats on one device, the one that has to act sees; else the first."""
        room = self.at.room
        seats = [seat for player in players if (seat := room.seat_of(player)) is not None]
        now = due(kit(self.game), room)
        acting = [seat for seat in seats if now and seat in now.seats]
        return Seated((acting or seats)[0]) if seats else SPECTATOR

    def view(self, players: tuple[str, ...]) -> Any:
        return room_view(kit(self.game), self.at.room, self.viewer(players))

    def here(self) -> int:
        return len({player for client in self.sockets.values() for player in client.players})

    async def tell(self, message: msgspec.Struct) -> None:
        for socket in list(self.sockets):
            await send(socket, message)

    async def open(
        self,
        player: str,
        options: dict[str, Any],
        settings: cmd.Settings,
        seated: tuple[str, ...] = (),
        banned: tuple[str, ...] = (),
    ) -> Any:
        self.n += 1
        before, self.at = self.at, Position()
        secret = secrets.token_bytes(32)
        version, commitment = games()[self.game].rules_version, hashlib.sha256(secret).hexdigest()
        made = cmd.Open(player, self.game, version, options, settings, commitment, seated, banned)
        refused = await self.put(made, secret.hex())
        if refused:
            self.at = before
        return refused

    async def put(self, command: Any, private: str = "", origin: str = "") -> Any:
        """Decide one command and publish; the refused Decided, or None."""
        made = Entry(self.entry_id(), encode(command), private.encode(), origin.encode())
        before = self.at
        self.at, decided = advance(kit(self.game), before, [made], self.game_id)
        if decided[0].why:
            print("parked:", decided[0].why, file=sys.stderr)
        told = publication(kit(self.game), before, self.at, decided, self.game_id)
        if told:
            for socket, client in list(self.sockets.items()):
                await self.update(socket, client, told.updates)
        room = self.at.room
        if room and room.next_seated and before.room and not before.room.next_seated:
            await self.open(room.host, room.options, room.settings, room.next_seated, room.banned)
        self.arm()
        return None if decided[0].code == "ok" else decided[0]

    async def update(self, socket: WebSocket, client: Client, updates: dict[str, bytes]) -> None:
        """Ready bytes for one seat; for several the public update with a patch of the view that this device has."""
        if len(client.players) < 2:
            seat = self.at.room.seat_of(client.players[0])
            return await send(socket, updates.get(str(seat), updates[PUBLIC]))
        message = msgspec.json.decode(updates[PUBLIC])
        view = self.view(client.players)
        if client.view is None or client.view.n != view.n:  # another game: its snapshot comes when the client asks
            return await send(socket, updates[PUBLIC])
        message["patch"] = diff(client.view, view)
        client.view = view
        await send(socket, encode(message))

    def arm(self) -> None:
        if self.timer:
            self.timer.cancel()
        now = due(kit(self.game), self.at.room)
        if now is None or now.at_ms is None:
            return
        wait = max(0.0, now.at_ms / 1000 - time.time()) + 0.01
        command = cmd.Timeout(now.turn)
        self.timer = asyncio.get_running_loop().call_later(wait, lambda: spawn(self.put(command)))


rooms: dict[str, Table] = {}
tasks: set[asyncio.Task] = set()
hole: set[str] = set()


def spawn(work: Any) -> None:
    task = asyncio.ensure_future(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def send(socket: WebSocket, data: bytes | msgspec.Struct) -> None:
    room = rooms_of.get(socket)
    if room in hole:
        return
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text((data if isinstance(data, bytes) else encode(data)).decode())


rooms_of: dict[WebSocket, str] = {}
