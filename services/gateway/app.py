"""The ASGI application: Starlette for HTTP; the socket endpoint beside it, since its hot path goes around ASGI (`peer`)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import structlog
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from engine.faults import place
from schemas.codes import CLOSES, REJECTS
from schemas.wire import Reject
from services.gateway import api, docs, me, pages
from services.gateway import tokens as who
from services.gateway.context import Context
from services.gateway.door import SPARE
from services.gateway.http import Refused, crowded, failed, gone, refused, reply
from services.gateway.limits import REACHED, client_address, header_map, rarely
from services.gateway.origin import origin_allowed
from services.gateway.peer import SCOPE, Peer
from services.gateway.session import Socket
from services.store.delayed import TooManyReaders

log = structlog.get_logger()

UNCOUNTED = ("/healthz", "/readyz")  # whoever looks after the process asks as often as they like


def build(context: Context) -> Any:
    """The application of one gateway process."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await context.start()
        yield
        await context.stop()

    http = Starlette(
        routes=[
            Route("/api/me", me.me, methods=["POST"]),
            Route("/api/me/move", me.move, methods=["POST"]),
            Route("/api/me/claim", me.claim, methods=["POST"]),
            Route("/api/{name}.json", docs.document, methods=["GET"]),
            Route("/api/games", api.list_games, methods=["GET"]),
            Route("/api/rooms", api.create, methods=["POST"]),
            Route("/api/rooms", api.list_rooms, methods=["GET"]),
            Route("/api/rooms/{code}", api.room, methods=["GET"]),
            Route("/api/rooms/{code}/games/{n}/steps", api.steps, methods=["GET"]),
            Route("/api/rooms/{code}/games/{n}/evidence", api.evidence, methods=["GET"]),
            Route("/docs", docs.page, methods=["GET"]),
            Route("/docs.css", docs.style, methods=["GET"]),
            Route("/healthz", api.healthz, methods=["GET"]),
            Route("/readyz", api.readyz, methods=["GET"]),
            Route("/{path:path}", pages.page, methods=["GET"]),
        ],
        exception_handlers={Refused: refused, ClientDisconnect: gone, TooManyReaders: crowded, Exception: failed},
        lifespan=lifespan,
    )
    http.state.context = context

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await socket(context, scope, receive, send)
        elif scope["type"] == "http" and (wait_s := _wait_s(context, scope)):
            told = Reject("rate_limited", REJECTS["rate_limited"])
            await reply(told, 429, retry_after=wait_s, connection="close")(scope, receive, send)
        else:
            await http(scope, receive, send)

    return app


def _wait_s(context: Context, scope: Any) -> str:
    """In how many seconds this address may ask again, "" when it may now: it has too many connections, or asks too often
    (connections are counted, but one that is kept alive may ask without end)."""
    if scope["path"] in UNCOUNTED:
        return ""
    address = client_address(scope.get("client"), header_map(scope["headers"]), context.settings.proxy_hops)
    if SPARE in scope:
        rarely.warn(REACHED, "NORIPAN_SOCKETS_MAX_PER_ADDRESS")
        return "10"
    if context.requests.take(address, asyncio.get_running_loop().time()):
        return ""
    rarely.warn(REACHED, "NORIPAN_REQUESTS_PER_MINUTE")
    return "1"


async def socket(context: Context, scope: Any, receive: Any, send: Any) -> None:
    """One WebSocket from handshake to end."""
    await receive()
    headers = header_map(scope["headers"])
    settings = context.settings
    allowed = origin_allowed(scope["scheme"], headers, settings.allowed_origins, settings.proxy_hops)
    if scope["path"] != "/ws" or allowed is False:
        await send({"type": "websocket.close", "code": 1008})  # before accept: the handshake is refused with 403
        return
    # A bad bearer token is refused like a missing one; a cookie counts only when a page of ours sends it.
    token = who.bearer(headers)
    badge = context.tokens.badge(token) if token else context.tokens.of_cookies(headers) if allowed else None
    peer: Peer = scope[SCOPE]
    address = client_address(scope.get("client"), headers, settings.proxy_hops)
    await send({"type": "websocket.accept"})
    if peer.spare or not context.addresses.enter(address):
        rarely.warn(REACHED, "NORIPAN_SOCKETS_MAX_PER_ADDRESS")
        peer.end(*CLOSES["too_many"])
        return
    held = Socket(context, peer, badge, address)
    try:
        # What is said from now on goes to `held`; what was said before the accept, and is in the queue, does too.
        while (message := await receive())["type"] != "websocket.disconnect":
            text = message.get("text")
            held.heard(text.encode()) if text is not None else held.end("bad_data")
    except Exception as error:
        log.error("socket failed", fault=place(error))
    finally:
        held.left()
        context.addresses.leave(address)
