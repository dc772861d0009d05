"""What the HTTP endpoints share: refusals as `Reject` bodies, bounded bodies, and who is asking."""

import msgspec
import structlog
from msgspec import UNSET, UnsetType
from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import Response

from engine.faults import place
from schemas import wire
from schemas.base import Detail, encode
from schemas.codes import REJECTS
from schemas.wire import Reject
from services.gateway import tokens as who
from services.gateway.commands import explained
from services.gateway.context import LATE_PER_MINUTE, Context
from services.gateway.limits import client_address, header_map, is_https, too_deep
from services.gateway.origin import origin_allowed
from services.gateway.tokens import Badge
from services.store.delayed import May
from services.store.redis import Unreachable

log = structlog.get_logger()

BODY_BYTES_MAX = 16 * 1024

STATUS = {
    "bad_message": 400,
    "bad_options": 422,
    "unauthorized": 403,
    "no_room": 404,
    "no_game": 404,
    "no_rules": 404,
    "no_spectators": 403,
    "too_large": 413,
    "too_deep": 400,
    "rate_limited": 429,
    "not_over": 409,
    "internal": 500,
    "server_full": 503,
    "unavailable": 503,
}

SENT = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
}


class Refused(Exception):
    """Answered with a Reject body."""

    def __init__(self, code: str, detail: Detail | UnsetType = UNSET, text: str = "") -> None:
        self.code, self.detail, self.text = code, detail, text


def reply(data: object, status: int = 200, **headers: str) -> Response:
    """A JSON answer. headers: `_` for `-`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(encode(data), status, {**SENT, **names}, media_type="application/json")


async def refused(request: Request, error: Exception) -> Response:
    """The exception handler of `Refused`."""
    assert isinstance(error, Refused)
    if error.code == "no_room" and context_of(request).known.doubtful:
        error = Refused("unavailable")
    more = {"retry_after": "10"} if error.code in ("rate_limited", "server_full", "unavailable") else {}
    body = Reject(error.code, error.text or REJECTS[error.code], detail=error.detail)
    return reply(body, STATUS[error.code], **more)


def context_of(request: Request) -> Context:
    return request.app.state.context


def headers_of(request: Request) -> dict[bytes, bytes]:
    return header_map(request.scope["headers"])


def address_of(request: Request) -> str:
    settings = context_of(request).settings
    return client_address(request.scope.get("client"), headers_of(request), settings.proxy_hops)


def late_of(request: Request) -> May:
    """Whether a late reader may begin at the start of a game for this caller."""
    return lambda: context_of(request).may_begin_late(address_of(request))


async def crowded(request: Request, error: Exception) -> Response:
    """The handler of TooManyReaders."""
    return await refused(
        request, Refused("rate_limited", Detail(expected=f"at most {LATE_PER_MINUTE} late games a minute"))
    )


def _no_other_page(request: Request, headers: dict[bytes, bytes]) -> bool:
    """Whether a cookie may be believed that comes without an origin.

    A GET has no effect here: a browser names no origin when a page of ours asks, and keeps the answer from every other page.
    With every POST it does, so one without is a program's, which means what it sends.
    """
    return b"origin" not in headers and (request.method == "GET" or b"sec-fetch-site" not in headers)


async def identified(request: Request) -> Badge | None:
    """The caller, None when they have no token. A cookie that is void counts as none; a void bearer token is refused.

    Raises Refused for that, and for a page that is not ours.
    """
    context, headers = context_of(request), headers_of(request)
    allowed = origin_allowed(request.url.scheme, headers, context.settings.allowed_origins, context.settings.proxy_hops)
    if allowed is False:
        raise Refused("unauthorized", Detail("origin", "a page of this server"))
    token = who.bearer(headers)
    if token:
        badge = context.tokens.badge(token)
    else:
        badge = context.tokens.of_cookies(headers) if allowed or _no_other_page(request, headers) else None
    try:
        good = badge is not None and await context.identities.good((badge,))
    except (RedisError, *Unreachable):
        raise Refused("unavailable") from None
    if good:
        return badge
    if token:
        raise Refused("unauthorized", Detail("authorization", "a player token of this server"))
    return None


def cookie_of(request: Request, token: str) -> dict[str, str]:
    """The header with which a browser keeps this token."""
    context = context_of(request)
    secure = is_https(request.url.scheme, headers_of(request), context.settings.proxy_hops)
    return {"set_cookie": who.set_cookie(token, secure)}


async def someone(request: Request) -> tuple[str, str | UnsetType, dict[str, str]]:
    """(player, token, headers of the answer): the caller's own, or made now. The cookie is renewed each time.

    token: not told to who came with a cookie; no script of a page needs it, and none shall read it.
    """
    context = context_of(request)
    badge = await identified(request)
    if badge is None:
        player, token = context.tokens.new()
    else:
        player, token = badge.player, context.tokens.sign(*badge)  # by the newest key
    by_cookie = badge is not None and not who.bearer(headers_of(request))
    return player, UNSET if by_cookie else token, cookie_of(request, token)


async def body(request: Request) -> bytes:
    """The whole body. Raises Refused when it is too large or nested too deep."""
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > BODY_BYTES_MAX:
            raise Refused("too_large", Detail(expected=f"at most {BODY_BYTES_MAX} bytes"))
    if too_deep(data):
        raise Refused("too_deep", Detail(expected=f"at most {wire.DEPTH_MAX} levels"))
    return data


def read(decode, data: bytes):
    """`data` decoded. Raises Refused."""
    try:
        return decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refused("bad_message", explained(error)) from None


async def gone(request: Request, error: Exception) -> Response:
    """The handler of a caller that left in the middle of its own request: nobody is there to be answered."""
    return Response(status_code=400)


async def failed(request: Request, error: Exception) -> Response:
    """The handler of what should not happen: logged by name, told without it."""
    log.error("request failed", path=request.url.path, fault=place(error))
    return reply(Reject("internal", REJECTS["internal"]), 500)
