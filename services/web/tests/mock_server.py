"""A server for developing and testing the page alone: the real engine and the real protocol, everything else in memory.

No Redis, no workers, no delay for spectators, one process; rooms die with it. Tokens are the player ids themselves.
`/mock/...` lets a test break what a network breaks.
Run: python services/web/tests/mock_server.py [port] (from the repository's root, or with it on PYTHONPATH).
"""

import secrets
import sys
import time
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

sys.path[:0] = [str(Path(__file__).resolve().parents[3]), str(Path(__file__).resolve().parent)]

from mock_table import Client, Table, hole, rooms, rooms_of, send  # noqa: E402

from engine.games import games  # noqa: E402
from engine.kit import kit  # noqa: E402
from engine.room.deadline import due  # noqa: E402
from engine.room.lobby import listed  # noqa: E402
from schemas import bodies, wire  # noqa: E402
from schemas import entry as cmd  # noqa: E402
from schemas.base import Detail, encode  # noqa: E402
from schemas.codes import REJECTS  # noqa: E402

DIST = Path(__file__).resolve().parents[1] / "dist"
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CSP = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
SAID_MAX = 20
SAY_MAX, SAY_S = 6, 10.0

moves: dict[str, str] = {}


def refusal(code: str, detail: Detail | None = None, number: int | None = None) -> wire.Reject:
    text = REJECTS.get(code) or next((g.codes[code] for g in games().values() if code in g.codes), code)
    return wire.Reject(code, text, msgspec.UNSET if number is None else number, detail if detail else msgspec.UNSET)


def identity(player: str) -> Response:
    response = JSONResponse({"player": player, "token": player})
    response.set_cookie("player", player, httponly=True, samesite="strict")
    return response


async def me(request: Request) -> Response:
    if msgspec.json.decode(await request.body() or b"{}").get("new"):
        player = secrets.token_hex(6)
        return JSONResponse({"player": player, "token": player})
    player = request.cookies.get("player")
    return identity(player or secrets.token_hex(6))


async def move(request: Request) -> Response:
    code = "".join(secrets.choice(ALPHABET) for _ in range(8))
    moves[code] = request.cookies["player"]
    return JSONResponse({"code": code, "expires_s": 120})


async def claim(request: Request) -> Response:
    player = moves.pop(msgspec.json.decode(await request.body(), type=bodies.Claim).code, None)
    if player is None:
        return Response(encode(refusal("unauthorized")), 403, media_type="application/json")
    for table in rooms.values():
        for socket, client in list(table.sockets.items()):
            if player in client.players:
                await socket.close(4402)
    return identity(player)


async def room_list(request: Request) -> Response:
    found = [summary(table) for table in reversed(rooms.values()) if listed(table.at.room, int(time.time() * 1000))]
    return Response(encode(bodies.RoomList(tuple(found))), media_type="application/json")


def summary(table: Table) -> bodies.RoomSummary:
    view, game, room = table.view(()), games()[table.game], table.at.room
    taken = len(view.seats)
    return bodies.RoomSummary(
        table.code,
        table.game,
        table.n,
        view.phase,
        room.version,
        taken,
        game.seats_max,
        view.options,
        room.settings,
    )


async def game_list(request: Request) -> Response:
    found = []
    for game in games().values():
        defaults = msgspec.to_builtins(game.Options())
        schema = msgspec.json.schema(game.Options)
        ref = schema.get("$ref", "").rpartition("/")[2]
        for name, part in schema.get("$defs", {}).get(ref, schema)["properties"].items():
            defaults.setdefault(name, part.get("default"))
        found.append(
            bodies.GameInfo(
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
    body = msgspec.json.decode(await request.body(), type=bodies.CreateRoom)
    code = "".join(secrets.choice(ALPHABET) for _ in range(6))
    table = Table(code, body.game)
    player = request.cookies["player"]
    refused = await table.open(player, body.options, body.settings)
    if refused:
        return Response(encode(refusal(refused.code, refused.detail)), 400, media_type="application/json")
    rooms[code] = table
    return Response(encode(bodies.RoomCreated(code, player, player)), media_type="application/json")


async def mock(request: Request) -> Response:
    """drop: close every socket of a room. hole / heal: swallow everything, and stop. next: open the room's next game.
    idle: as if nobody had done anything until the next deadline."""
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
    elif what == "idle":
        now = due(kit(table.game), table.at.room)
        table.last_ms = max(table.last_ms, now.at_ms)
        await table.put(cmd.Timeout(now.turn))
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
                await greet(socket, table, (player, *ask.tokens), ask)
            elif table is None:
                await send(socket, refusal("hello_first"))
            else:
                await answer(socket, table, table.sockets[socket], ask)
    except WebSocketDisconnect:
        pass
    finally:
        rooms_of.pop(socket, None)
        gone = table.sockets.pop(socket, None) if table else None
        if gone:
            still = {player for client in table.sockets.values() for player in client.players}
            for player in gone.players:
                if player not in still and table.at.room.seat_of(player) is not None:
                    await table.put(cmd.Disconnected(player))
            await table.tell(wire.People(table.here()))


async def greet(socket: WebSocket, table: Table, players: tuple[str, ...], ask: wire.Hello) -> None:
    known = {player for client in table.sockets.values() for player in client.players}
    room = table.at.room
    seats = tuple(seat for player in players if (seat := room.seat_of(player)) is not None)
    if not seats and room.host not in players and not room.settings.spectators and room.phase != "lobby":
        return await socket.close(4403)
    rooms_of[socket] = table.code
    for player in players:
        if player not in known and room.seat_of(player) is not None:
            await table.put(cmd.Connected(player))
    client = table.sockets[socket] = Client(players, ask.session)
    now = int(time.time() * 1000)
    people, said = table.here(), tuple(table.said)
    await send(
        socket, wire.Welcome(table.code, players[0], ask.session, seats, table.names, now, players[1:], people, said)
    )
    client.view = table.view(players)
    head, entry = table.at.head.hex(), f"{table.last_ms}-0"
    await send(socket, wire.Snapshot(table.game_id, table.at.room.version, client.view, head, entry))
    await table.tell(wire.People(people))


async def say(socket: WebSocket, table: Table, client: Client, player: str, ask: wire.Say) -> None:
    now = time.monotonic()
    client.said_s = [at for at in client.said_s if now - at < SAY_S]
    if len(client.said_s) >= SAY_MAX:
        return await send(socket, refusal("rate_limited", Detail("say")))
    client.said_s.append(now)
    said = wire.Said(player, ask.kind, ask.body, int(time.time() * 1000))
    table.said = [*table.said, said][-SAID_MAX:]
    await table.tell(said)


async def answer(socket: WebSocket, table: Table, client: Client, ask: wire.AnyAsk) -> None:
    if isinstance(ask, wire.Ping):
        return await send(socket, wire.Pong(ask.t, int(time.time() * 1000)))
    room = table.at.room
    if isinstance(ask, wire.Legal):
        legal = kit(table.game).game.legal(room.state, ask.seat) if room.state is not None else ()
        return await send(socket, wire.LegalActions(ask.seat, room.version, tuple(legal)))
    player = getattr(ask, "player", None) or client.players[0]
    if isinstance(ask, wire.Act):  # the seat says who acts
        player = next((one for one in client.players if room.seat_of(one) == ask.seat), player)
    if player not in client.players:
        return await send(socket, refusal("not_your_seat", None, getattr(ask, "id", None)))
    if isinstance(ask, wire.Say):
        return await say(socket, table, client, player, ask)

    origin = f"{client.session}:{ask.id}"
    if origin in table.done:
        return await send(socket, table.done[origin])
    kind = getattr(cmd, type(ask).__name__)
    fields = [name for name in kind.__struct_fields__[1:] if hasattr(ask, name)]
    command = kind(player, **{name: getattr(ask, name) for name in fields})
    private = ask.nonce if isinstance(ask, wire.Nonce) else ""
    table.done[origin] = encode(wire.Ack(ask.id, f"{table.last_ms}-{table.sequence}"))
    await send(socket, table.done[origin])
    if isinstance(ask, wire.Join):
        table.names[player] = ask.name
        await table.tell(wire.Names({player: ask.name}))
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
        Route("/api/me/move", move, methods=["POST"]),
        Route("/api/me/claim", claim, methods=["POST"]),
        Route("/api/rooms", create, methods=["POST"]),
        Route("/api/rooms", room_list),
        Route("/mock/{what}/{code}", mock, methods=["POST"]),
        WebSocketRoute("/ws", ws),
        Mount("/assets", StaticFiles(directory=DIST / "assets", check_dir=False)),
        Route("/favicon.svg", favicon),
        Route("/{path:path}", page),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int((sys.argv[1:] or ["8000"])[0]), log_level="warning")
