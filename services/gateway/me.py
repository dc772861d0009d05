"""Who am I, over HTTP: the caller's identity, a further one for a family at one device, and the move to another device."""

import asyncio
import secrets
from typing import Any

import msgspec
from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import Response

from schemas import bodies
from schemas.base import ALPHABET, Detail
from services.gateway.context import CLAIMS_PER_MINUTE, MOVES_PER_MINUTE
from services.gateway.http import Refused, address_of, body, context_of, cookie_of, identified, read, reply, someone
from services.store.keys import MOVES
from services.store.redis import Unreachable

MOVE_CHARS = 8
MOVE_S = 120
CODE_TRIES = 3
ADVANCE_TRIES = 5
RETRY_S = 0.1

_decode_me = msgspec.json.Decoder(bodies.AskMe).decode
_decode_claim = msgspec.json.Decoder(bodies.Claim).decode


async def me(request: Request) -> Response:
    """POST /api/me"""
    ask = read(_decode_me, await body(request) or b"{}")
    if ask.new:
        await identified(request)  # a foreign page is refused here, too
        return reply(bodies.Me(*context_of(request).tokens.new()))
    player, token, headers = await someone(request)
    return reply(bodies.Me(player, token), **headers)


async def move(request: Request) -> Response:
    """POST /api/me/move: a code for the device that shall be this player."""
    context = context_of(request)
    badge = await identified(request)
    if badge is None:
        raise Refused("unauthorized", Detail("authorization", "a player"))
    if not context.moves.take(badge.player, asyncio.get_running_loop().time()):
        raise Refused("rate_limited", Detail(expected=f"at most {MOVES_PER_MINUTE} codes a minute"))
    for _ in range(CODE_TRIES):
        code = "".join(secrets.choice(ALPHABET) for _ in range(MOVE_CHARS))
        value = f"{badge.player} {badge.generation}"
        if await _call(request, "SET", MOVES + code, value, "NX", "EX", MOVE_S) is not None:
            return reply(bodies.MoveCode(code, MOVE_S))
    raise Refused("unavailable")


async def claim(request: Request) -> Response:
    """POST /api/me/claim: from now on the caller is the player of the code, and nobody else is."""
    context = context_of(request)
    await identified(request)
    if not context.claims.take(address_of(request), asyncio.get_running_loop().time()):
        raise Refused("rate_limited", Detail(expected=f"at most {CLAIMS_PER_MINUTE} tries a minute"))
    given = read(_decode_claim, await body(request)).code
    code = "".join(char for char in given.upper() if char not in " -")
    if len(code) != MOVE_CHARS or not set(code) <= set(ALPHABET):
        raise _unknown()
    held = await _call(request, "GETDEL", MOVES + code)
    if held is None:
        raise _unknown()
    player, _, generation = held.decode().partition(" ")
    # A code that was asked for before the player moved elsewhere belongs to the device that is void now.
    if not await context.identities.good((context.tokens.badge(context.tokens.sign(player, int(generation))),)):
        raise _unknown()
    token = context.tokens.sign(player, await _advance(request, player))
    return reply(bodies.Me(player, token), **cookie_of(request, token))


def _unknown() -> Refused:
    return Refused("unauthorized", Detail("code", "a code of the last two minutes that nobody used"))


async def _call(request: Request, *command: Any) -> Any:
    try:
        return await context_of(request).caller.call(*command)
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None


async def _advance(request: Request, player: str) -> int:
    """The player's next generation. Asked again after a lost answer: only the last one counts, and that we return."""
    for left in reversed(range(ADVANCE_TRIES)):
        try:
            return await context_of(request).identities.advance(player)
        except (RedisError, *Unreachable):
            if left:
                await asyncio.sleep(RETRY_S)
    raise Refused("unavailable")
