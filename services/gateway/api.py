"""Rooms over HTTP: which games are there, make a room, look at one, list the public ones. JSON in and out."""

import asyncio
import re
import secrets
from functools import cache

import msgspec
import structlog
from msgspec import UNSET
from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import Response

from engine.chain import FORMAT
from engine.faults import place
from engine.game import Rejected, read_options
from engine.games import games
from engine.rng import commitment
from schemas import bodies, entry, wire
from schemas.base import ALPHABET, Detail, encode
from services.gateway.commands import bounded
from services.gateway.context import STEPS_PER_MINUTE, Context
from services.gateway.http import Refused, address_of, body, context_of, identified, late_of, read, reply, someone
from services.gateway.limits import REACHED, rarely
from services.store.evidence import NotSound
from services.store.read import read_head
from services.store.redis import Unreachable
from services.store.steps import Unreadable

log = structlog.get_logger()

CODE_CHARS = 6
CODE_TRIES = 5
OPENING_S = 3.0
GOT_CHARS_MAX = 32
_is_number = re.compile("[0-9]{1,15}").fullmatch
_is_cursor = re.compile("[0-9]{1,15}-[2-9A-HJ-NP-Z]{6}").fullmatch

_decode_create = msgspec.json.Decoder(bodies.CreateRoom).decode
_is_code = msgspec.json.Decoder(wire.RoomCode)


def infos() -> list[bodies.GameInfo]:
    """Of every installed game, what a client has to know to offer it."""
    found = []
    for game in games().values():
        options = game.Options()
        pairs = zip(options.__struct_encode_fields__, options.__struct_fields__, strict=True)
        defaults = {name: value for name, field in pairs if (value := getattr(options, field)) is not UNSET}
        found.append(
            bodies.GameInfo(
                game.name,
                game.rules_version,
                game.seats_min,
                game.seats_max,
                msgspec.json.schema(game.Options),
                msgspec.to_builtins(defaults),
                msgspec.json.schema(game.Action),
                game.codes,
                game.fits,
                game.seatings,
            )
        )
    return found


@cache
def _infos(names: tuple[str, ...]) -> bytes:
    return encode(infos())


async def list_games(request: Request) -> Response:
    """GET /api/games"""
    return reply(msgspec.Raw(_infos(tuple(games()))))


async def create(request: Request) -> Response:
    """POST /api/rooms: answers when the lobby is open."""
    context = context_of(request)
    player, token, answer = await someone(request)
    wish = read(_decode_create, await body(request))
    game = games().get(wish.game)
    if game is None:
        raise Refused("bad_options", Detail("game", list(games()), wish.game))
    options = read_options(game, wish.options)
    if isinstance(options, Rejected):
        options = bounded(options)
        raise Refused("bad_options", options.detail, game.codes.get(options.code, ""))
    if context.memory.full:
        raise Refused("server_full")
    if context.known.doubtful:
        raise Refused("unavailable")
    if not context.addresses.may_create(address_of(request), asyncio.get_running_loop().time()):
        rarely.warn(REACHED, "NORIPAN_ROOMS_PER_MINUTE")
        raise Refused("rate_limited", Detail(expected=f"at most {context.settings.rooms_per_minute} rooms a minute"))
    try:
        code = await _open(context, player, wish, game.rules_version)
        try:
            await _opened(context, code)
        except TimeoutError:
            if await context.writer.forget(code):  # or each try would leave one more room to open
                raise
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    return reply(bodies.RoomCreated(code, player, token), 201, location=f"/r/{code}", **answer)


async def _open(context: Context, player: str, wish: bodies.CreateRoom, rules_version: int) -> str:
    secret = secrets.token_bytes(32)
    data = encode(
        entry.Open(player, wish.game, rules_version, wish.options, wish.settings, commitment(secret), format=FORMAT)
    )
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


def _code(request: Request) -> str:
    """The room code of the path. Raises Refused."""
    code = request.path_params["code"]
    try:
        return _is_code.decode(encode(code.upper()))
    except msgspec.MsgspecError:
        raise Refused("no_room") from None


async def room(request: Request) -> Response:
    """GET /api/rooms/{code}"""
    code = _code(request)
    try:
        found = await context_of(request).lookup.room(code, late_of(request))
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    if found is None:
        raise Refused("no_room")
    return reply(found)


def _number(name: str, text: str, low: int) -> int:
    """A number of the path or the query. Raises Refused, which tells no more of a bad one than that."""
    if not _is_number(text) or int(text) < low:
        raise Refused("bad_message", Detail(name, f"a whole number from {low}", text[:GOT_CHARS_MAX]))
    return int(text)


async def steps(request: Request) -> Response:
    """GET /api/rooms/{code}/games/{n}/steps?from=V"""
    context = context_of(request)
    if not context.steps.take(address_of(request), asyncio.get_running_loop().time()):
        raise Refused("rate_limited", Detail(expected=f"at most {STEPS_PER_MINUTE} pages a minute"))
    code = _code(request)
    n = _number("n", request.path_params["n"], 1)
    after = _number("from", request.query_params.get("from", "0"), 0)
    badge = await identified(request)
    try:
        found = await context.history.steps(code, n, after, "" if badge is None else badge.player, late_of(request))
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    except Unreadable as error:
        log.error("game not readable", game=f"{code}/{n}", fault=place(error.__cause__))
        raise Refused("no_rules", Detail("game", "a game of rules that this server has")) from None
    if isinstance(found, Rejected):
        raise Refused(found.code, UNSET if found.detail == Detail() else found.detail)
    return reply(found)


async def evidence(request: Request) -> Response:
    """GET /api/rooms/{code}/games/{n}/evidence: all that a checker needs, as JSON lines."""
    context = context_of(request)
    if not context.steps.take(address_of(request), asyncio.get_running_loop().time()):
        raise Refused("rate_limited", Detail(expected=f"at most {STEPS_PER_MINUTE} pages a minute"))
    code = _code(request)
    n = _number("n", request.path_params["n"], 1)
    badge = await identified(request)
    try:
        found = await context.history.evidence(code, n, "" if badge is None else badge.player, late_of(request))
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    except Unreadable as error:
        log.error("game not readable", game=f"{code}/{n}", fault=place(error.__cause__))
        raise Refused("no_rules", Detail("game", "a game of rules that this server has")) from None
    except NotSound as error:
        log.error("log does not re-execute", game=f"{code}/{n}", where=error.where)
        raise Refused(
            "internal", Detail("game", "a log that re-executes", f"one that does not from {error.where} on")
        ) from None
    if isinstance(found, Rejected):
        raise Refused(found.code, UNSET if found.detail == Detail() else found.detail)
    name = {"content-disposition": f'attachment; filename="{code}-{n}.jsonl"'}
    return Response(b"\n".join(found) + b"\n", media_type="application/x-ndjson", headers=name)


async def list_rooms(request: Request) -> Response:
    """GET /api/rooms?after=CURSOR"""
    after = request.query_params.get("after", "")
    if after and not _is_cursor(after):
        raise Refused("bad_message", Detail("after", "`next` of the page before", after[:GOT_CHARS_MAX]))
    try:
        return reply(await context_of(request).lookup.public(after))
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None


async def healthz(request: Request) -> Response:
    """The process runs."""
    return Response("ok\n", media_type="text/plain")


async def readyz(request: Request) -> Response:
    """Rooms can be served, and this process is not about to end. What is amiss and keeps nobody from playing is said, too."""
    context = context_of(request)
    if context.draining:
        return Response("going away\n", 503, media_type="text/plain")
    ready = await context.ready()
    text = "ready\n" if ready else "no Redis\n"
    if ready and context.known.doubtful:
        ready, text = False, "Redis is empty: its data is gone\n"
    if context.clock.differs_ms:
        text += f"clock: Redis is {context.clock.differs_ms / 1000:+.1f} s from this machine\n"
    if context.memory.full:
        text += f"memory: Redis uses {context.memory.percent} % of what it may; no new rooms\n"
    return Response(text, 200 if ready else 503, media_type="text/plain")
