"""The HTTP side: who am I, which games are there, make a room, look at a room. JSON in and out, refusals as `Reject`."""

import asyncio
import secrets
from functools import cache

import msgspec
import structlog
from msgspec import UNSET, UnsetType
from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import Response

from engine.game import SPECTATOR, Rejected, read_options
from engine.games import games
from engine.rng import commitment
from engine.room.view import room_view
from schemas import entry, wire
from schemas.base import Detail, encode
from schemas.codes import REJECTS
from schemas.wire import Reject
from services.gateway import tokens as who
from services.gateway.commands import bounded, explained
from services.gateway.context import Context
from services.gateway.faults import place
from services.gateway.limits import client_address, header_map, is_https, origin_allowed, too_deep
from services.store.read import read_head, read_room
from services.store.redis import Unreachable

log = structlog.get_logger()

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_CHARS = 6
CODE_TRIES = 5
BODY_BYTES_MAX = 16 * 1024
OPENING_S = 3.0

STATUS = {
    "bad_message": 400,
    "bad_options": 422,
    "unauthorized": 403,
    "no_room": 404,
    "too_large": 413,
    "too_deep": 400,
    "rate_limited": 429,
    "unavailable": 503,
}

SENT = {"cache-control": "no-store", "x-content-type-options": "nosniff"}

_decode_create = msgspec.json.Decoder(wire.CreateRoom).decode
_is_code = msgspec.json.Decoder(wire.RoomCode)


class Refused(Exception):
    """Answered with a Reject body."""

    def __init__(self, code: str, detail: Detail | UnsetType = UNSET, text: str = "") -> None:
        self.code, self.detail, self.text = code, detail, text


def reply(data: object, status: int = 200, **headers: str) -> Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(encode(data), status, {**SENT, **names}, media_type="application/json")


async def refused(request: Request, error: Exception) -> Response:
    """The exception handler of `Refused`."""
    assert isinstance(error, Refused)
    more = {"retry_after": "10"} if error.code in ("rate_limited", "unavailable") else {}
    body = Reject(error.code, error.text or REJECTS[error.code], detail=error.detail)
    return reply(body, STATUS[error.code], **more)


def context_of(request: Request) -> Context:
    return request.app.state.context


def _player(request: Request, headers: dict[bytes, bytes]) -> tuple[str, str] | None:
    """(player, token) of the caller, None when they have none. Raises Refused for a page that is not ours."""
    context = context_of(request)
    allowed = origin_allowed(headers, context.settings.allowed_origins, context.settings.proxy_hops)
    if allowed is False:
        raise Refused("unauthorized", Detail("origin", "a page of this server"))
    token = who.bearer(headers)
    if token:
        player = context.tokens.read(token)
        if player is None:
            raise Refused("unauthorized", Detail("authorization", "a player token of this server"))
        return player, token
    token = who.cookie(headers) if allowed else ""
    player = context.tokens.read(token) if token else None
    return None if player is None else (player, token)


def _identified(request: Request, headers: dict[bytes, bytes]) -> tuple[str, str, dict[str, str]]:
    """(player, token, headers of the answer): the caller's own, or made now. The cookie is renewed each time."""
    context = context_of(request)
    found = _player(request, headers)
    player, token = found if found is not None else context.tokens.new()
    if found is not None:
        token = context.tokens.sign(player)  # by the newest key
    secure = is_https(request.url.scheme, headers, context.settings.proxy_hops)
    return player, token, {"set_cookie": who.set_cookie(token, secure)}


async def _body(request: Request) -> bytes:
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > BODY_BYTES_MAX:
            raise Refused("too_large", Detail(expected=f"at most {BODY_BYTES_MAX} bytes"))
    return data


async def me(request: Request) -> Response:
    """POST /api/me"""
    await _body(request)
    player, token, headers = _identified(request, header_map(request.scope["headers"]))
    return reply(wire.Me(player, token), **headers)


@cache
def _infos(names: tuple[str, ...]) -> bytes:
    infos = []
    for game in games().values():
        options = game.Options()
        pairs = zip(options.__struct_encode_fields__, options.__struct_fields__, strict=True)
        defaults = {name: value for name, field in pairs if (value := getattr(options, field)) is not UNSET}
        infos.append(
            wire.GameInfo(
                game.name,
                game.rules_version,
                game.seats_min,
                game.seats_max,
                msgspec.json.schema(game.Options),
                msgspec.to_builtins(defaults),
                msgspec.json.schema(game.Action),
                game.codes,
            )
        )
    return encode(infos)


async def list_games(request: Request) -> Response:
    """GET /api/games"""
    return reply(msgspec.Raw(_infos(tuple(games()))))


async def create(request: Request) -> Response:
    """POST /api/rooms: answers when the lobby is open."""
    context = context_of(request)
    headers = header_map(request.scope["headers"])
    player, token, answer = _identified(request, headers)
    address = client_address(request.scope.get("client"), headers, context.settings.proxy_hops)
    data = await _body(request)
    if too_deep(data):
        raise Refused("too_deep", Detail(expected=f"at most {wire.DEPTH_MAX} levels"))
    try:
        wish = _decode_create(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refused("bad_message", explained(error)) from None
    game = games().get(wish.game)
    if game is None:
        raise Refused("bad_options", Detail("game", list(games()), wish.game))
    options = read_options(game, wish.options)
    if isinstance(options, Rejected):
        options = bounded(options)
        raise Refused("bad_options", options.detail, game.codes.get(options.code, ""))
    if not context.addresses.may_create(address, asyncio.get_running_loop().time()):
        raise Refused("rate_limited", Detail(expected=f"at most {context.settings.rooms_per_minute} rooms a minute"))
    try:
        code = await _open(context, player, wish, game.rules_version)
        await _opened(context, code)
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    return reply(wire.RoomCreated(code, player, token), 201, location=f"/r/{code}", **answer)


async def _open(context: Context, player: str, wish: wire.CreateRoom, rules_version: int) -> str:
    secret = secrets.token_bytes(32)
    data = encode(entry.Open(player, wish.game, rules_version, wish.options, wish.settings, commitment(secret)))
    for _ in range(CODE_TRIES):
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))
        if await context.writer.create(code, wish.game, data, secret.hex()) is not None:
            return code
    raise Refused("unavailable")


async def _opened(context: Context, code: str) -> None:
    """Wait until a worker opened the lobby. Raises TimeoutError: the room will be there, but not now."""
    wait_s = 0.002
    async with asyncio.timeout(OPENING_S):
        while True:
            head = await read_head(context.caller, code)
            if head is not None and head.version:
                return
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, 0.1)


async def room(request: Request) -> Response:
    """GET /api/rooms/{code}"""
    context = context_of(request)
    code = request.path_params["code"]
    try:
        _is_code.decode(encode(code))
    except msgspec.MsgspecError:
        raise Refused("no_room") from None
    try:
        found = await read_room(context.caller, code)
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    if found is None or found[2] is None:
        raise Refused("no_room")
    head, k, state = found
    view = room_view(k, state, SPECTATOR)
    return reply(
        wire.RoomSummary(
            code,
            head.game,
            head.n,
            view.phase,
            head.version,
            len(view.seats),
            k.game.seats_max,
            view.options,
            state.settings,
        )
    )


async def healthz(request: Request) -> Response:
    """The process runs."""
    return Response("ok\n", media_type="text/plain")


async def readyz(request: Request) -> Response:
    """Rooms can be served."""
    ready = await context_of(request).ready()
    return Response("ready\n" if ready else "no Redis\n", 200 if ready else 503, media_type="text/plain")


async def unavailable(request: Request, error: Exception) -> Response:
    """The handler of what should not happen: logged by name, told without it."""
    log.error("request failed", path=request.url.path, fault=place(error))
    return reply(Reject("internal", REJECTS["internal"]), 500)
