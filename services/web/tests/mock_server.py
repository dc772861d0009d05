"""A server for developing and testing the page alone: the real engine and the real protocol, everything else in memory.

No Redis, no workers, no limits, one process; rooms die with it. `/mock/...` lets a test break what a network breaks.
Run: python services/web/tests/mock_server.py [port] (from the repository's root, or with it on PYTHONPATH).
"""

import asyncio
import contextlib
import hashlib
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engine.audience import PUBLIC, publication  # noqa: E402
from engine.fold import Entry, Position, advance  # noqa: E402
from engine.game import SPECTATOR, Seated  # noqa: E402
from engine.games import games  # noqa: E402
from engine.kit import kit  # noqa: E402
from engine.room.deadline import due  # noqa: E402
from engine.room.view import room_view  # noqa: E402
from schemas import entry as cmd  # noqa: E402
from schemas import wire  # noqa: E402
from schemas.base import Detail, encode  # noqa: E402
from schemas.codes import REJECTS  # noqa: E402

DIST = Path(__file__).resolve().parents[1] / "dist"
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CSP = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"


class Table:
    """A room: the current game's position, its sockets, its names."""

    def __init__(self, code: str, game: str) -> None:
        self.code, self.game, self.n = code, game, 0
        self.names: dict[str, str] = {}
        self.sockets: dict[WebSocket, tuple[str, str]] = {}
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

    async def open(self, player: str, options: dict[str, Any], settings: cmd.Settings) -> Any:
        self.n += 1
        before, self.at = self.at, Position()
        secret = secrets.token_bytes(32)
        made = cmd.Open(
            player, self.game, games()[self.game].rules_version, options, settings, hashlib.sha256(secret).hexdigest()
        )
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
            for socket, (player, _) in list(self.sockets.items()):
                seat = self.at.room.seat_of(player)
                await send(socket, told.updates.get(str(seat), told.updates[PUBLIC]))
        self.arm()
        return None if decided[0].code == "ok" else decided[0]

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


def refusal(code: str, detail: Detail | None = None, number: int | None = None) -> wire.Reject:
    text = REJECTS.get(code) or next((g.codes[code] for g in games().values() if code in g.codes), code)
    return wire.Reject(code, text, msgspec.UNSET if number is None else number, detail if detail else msgspec.UNSET)


async def me(request: Request) -> Response:
    player = request.cookies.get("player") or secrets.token_hex(6)
    response = JSONResponse({"player": player, "token": player})
    response.set_cookie("player", player, httponly=True, samesite="strict")
    return response


async def game_list(request: Request) -> Response:
    found = []
    for game in games().values():
        defaults = msgspec.to_builtins(game.Options())
        schema = msgspec.json.schema(game.Options)
        ref = schema.get("$ref", "").rpartition("/")[2]
        for name, part in schema.get("$defs", {}).get(ref, schema)["properties"].items():
            defaults.setdefault(name, part.get("default"))
        found.append(
            wire.GameInfo(
                game.name,
                game.rules_version,
                game.seats_min,
                game.seats_max,
                schema,
                defaults,
                msgspec.json.schema(game.Action),
                game.codes,
            )
        )
    return Response(encode(found), media_type="application/json")


async def create(request: Request) -> Response:
    body = msgspec.json.decode(await request.body(), type=wire.CreateRoom)
    code = "".join(secrets.choice(ALPHABET) for _ in range(6))
    table = Table(code, body.game)
    player = request.cookies["player"]
    refused = await table.open(player, body.options, body.settings)
    if refused:
        return Response(encode(refusal(refused.code, refused.detail)), 400, media_type="application/json")
    rooms[code] = table
    return Response(encode(wire.RoomCreated(code, player, player)), media_type="application/json")


async def mock(request: Request) -> Response:
    """drop: close every socket of a room. hole / heal: swallow everything, and stop. next: open the room's next game."""
    what, code = request.path_params["what"], request.path_params["code"]
    table = rooms[code]
    if what == "drop":
        for socket in list(table.sockets):
            await socket.close(int(request.query_params.get("code", 1001)))
    elif what == "hole":
        hole.add(code)
    elif what == "heal":
        hole.discard(code)
    elif what == "next":
        room = table.at.room
        await table.open(room.host, room.options, room.settings)
    return JSONResponse({"hashes": len(table.done)})


async def ws(socket: WebSocket) -> None:
    await socket.accept()
    player = socket.cookies.get("player")
    if not player:
        return await socket.close(4401)
    table: Table | None = None
    try:
        while True:
            ask = wire.decode_ask(await socket.receive_text())
            if table and table.code in hole:
                continue
            if isinstance(ask, wire.Hello):
                table = rooms.get(ask.room)
                if table is None:
                    return await socket.close(4404)
                await greet(socket, table, player, ask)
            elif table is None:
                await send(socket, refusal("hello_first"))
            else:
                await answer(socket, table, player, ask)
    except WebSocketDisconnect:
        pass
    finally:
        rooms_of.pop(socket, None)
        if table and table.sockets.pop(socket, None):
            if player not in [other for other, _ in table.sockets.values()]:
                if table.at.room.seat_of(player) is not None:
                    await table.put(cmd.Disconnected(player))


async def greet(socket: WebSocket, table: Table, player: str, ask: wire.Hello) -> None:
    fresh = player not in [other for other, _ in table.sockets.values()]
    table.sockets[socket] = (player, ask.session)
    rooms_of[socket] = table.code
    seat = table.at.room.seat_of(player)
    if fresh and seat is not None:
        table.sockets.pop(socket)
        await table.put(cmd.Connected(player))
        table.sockets[socket] = (player, ask.session)
    room = table.at.room
    seats = () if seat is None else (seat,)
    now = int(time.time() * 1000)
    await send(socket, wire.Welcome(table.code, player, ask.session, seats, table.names, now))
    viewer = SPECTATOR if seat is None else Seated(seat)
    view = room_view(kit(table.game), room, viewer)
    await send(socket, wire.Snapshot(table.game_id, room.version, view, table.at.head.hex(), f"{table.last_ms}-0"))


async def answer(socket: WebSocket, table: Table, player: str, ask: wire.AnyAsk) -> None:
    if isinstance(ask, wire.Ping):
        return await send(socket, wire.Pong(ask.t, int(time.time() * 1000)))
    room = table.at.room
    if isinstance(ask, wire.Legal):
        legal = kit(table.game).game.legal(room.state, ask.seat) if room.state is not None else ()
        return await send(socket, wire.LegalActions(ask.seat, room.version, tuple(legal)))

    origin = f"{table.sockets[socket][1]}:{ask.id}"
    if origin in table.done:
        return await send(socket, table.done[origin])
    private = ""
    match ask:
        case wire.Act():
            command: Any = cmd.Act(player, ask.seat, ask.action, ask.turn)
        case wire.Join():
            command = cmd.Join(player, ask.seat, ask.nonce_hash)
        case wire.Leave():
            command = cmd.Leave(player)
        case wire.Configure():
            command = cmd.Configure(player, ask.options, ask.settings)
        case wire.Start():
            command = cmd.Start(player)
        case wire.Nonce():
            command, private = cmd.Nonce(player), ask.nonce
    table.done[origin] = encode(wire.Ack(ask.id, f"{table.last_ms}-{table.sequence}"))
    await send(socket, table.done[origin])
    if isinstance(ask, wire.Join):
        table.names[player] = ask.name
        for other in list(table.sockets):
            await send(other, wire.Names({player: ask.name}))
    refused = await table.put(command, private, origin)
    if refused:
        table.done[origin] = encode(refusal(refused.code, refused.detail, ask.id))
        await send(socket, table.done[origin])


async def page(request: Request) -> Response:
    return FileResponse(DIST / "index.html", headers={"content-security-policy": CSP, "cache-control": "no-cache"})


async def favicon(request: Request) -> Response:
    return FileResponse(DIST / "favicon.svg")


app = Starlette(
    routes=[
        Route("/api/me", me, methods=["POST"]),
        Route("/api/games", game_list),
        Route("/api/rooms", create, methods=["POST"]),
        Route("/mock/{what}/{code}", mock, methods=["POST"]),
        WebSocketRoute("/ws", ws),
        Mount("/assets", StaticFiles(directory=DIST / "assets", check_dir=False)),
        Route("/favicon.svg", favicon),
        Route("/{path:path}", page),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int((sys.argv[1:] or ["8000"])[0]), log_level="warning")
