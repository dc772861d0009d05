"""Goal: a bad connection, room or publication hurts itself only: the link that brings everybody's publications outlives it.

Method: a real gateway whose connections are reset in the middle of their room's publications, hundreds of times; and each
place through which an exception could travel, with a part in it that raises.
"""

import asyncio
import contextlib
import json
import random
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import structlog
import uvicorn
import uvloop
from msgspec import UNSET
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from services.client import Client, create_room
from services.gateway.facts import NOTHING
from services.gateway.hub import Hub
from services.gateway.line import Line
from services.gateway.peer import Peer, framed
from services.gateway.session import Socket
from services.gateway.tokens import Tokens
from services.store.keys import channel
from services.store.publication import SAID
from services.store.redis import connect as connect_redis
from services.store.server import embedded
from services.store.subscriber import Subscriber
from tests.services.test_client import run
from tests.stack import Stack

RESETS = 500
AT_ONCE = 12
CALM_ROOMS = 10


async def reset_one(url: str, room: str, token: str, number: int) -> None:
    """Say hello and what makes publications, then vanish with a reset, as a phone does that lost its line."""
    try:
        held = await connect(url.replace("http", "ws", 1) + "/ws", compression=None)
    except (OSError, WebSocketException):
        return
    with contextlib.suppress(OSError, WebSocketException):
        await held.send(json.dumps({"type": "hello", "room": room, "session": f"reset-{number}", "token": token}))
        for _ in range(4):
            await held.send(json.dumps({"type": "say", "kind": "emote", "body": "hello"}))
        await held.send(json.dumps({"type": "join", "id": 1, "name": f"p{number}"}))
        await asyncio.sleep(random.Random(number).uniform(0, 0.004))
    held.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    held.transport.abort()


def test_connections_that_are_reset_reach_no_other_room(tmp_path: Path) -> None:
    async def play(stack: Stack) -> None:
        url = stack.urls[0]
        tokens = Tokens([(stack.folder / "token.key").read_text().strip()])
        bad, token = await create_room(url, "duel")
        async with contextlib.AsyncExitStack() as held:
            calm = []
            for _ in range(CALM_ROOMS):
                code, owner = await create_room(url, "duel")
                calm += [await held.enter_async_context(Client(url, code, owner)) for _ in range(2)]
            witness = await held.enter_async_context(Client(url, bad, token))
            before = [client.snapshots for client in calm]
            numbers = iter(range(RESETS))

            async def churn() -> None:
                for number in numbers:
                    await reset_one(url, bad, tokens.new()[1], number)

            await asyncio.gather(*(churn() for _ in range(AT_ONCE)))
            assert [client.snapshots for client in calm] == before
            async with Client(url, bad) as newcomer:
                await witness.configure(settings={"idle_s": 77})
                await newcomer.until(lambda c: c.view["settings"].get("idle_s") == 77)
            assert [client.snapshots for client in calm] == before
        log = stack.gateway[0].log.read_text()
        assert '"level":"error"' not in log and "Traceback" not in log and "subscriber" not in log, log[-3000:]

    with Stack(tmp_path) as stack:
        run(play(stack))


async def lost_connection(then: Callable[[Peer], None]) -> None:
    """`then`, in the moment after a peer's connection was reset: the transport is over, its ASGI call has not woken up yet."""
    peers: list[Peer] = []
    done = asyncio.get_running_loop().create_future()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        peers[0].on_gone = lambda: asyncio.get_running_loop().call_soon(after)
        while (await receive())["type"] != "websocket.disconnect":
            pass

    def after() -> None:
        try:
            done.set_result(then(peers[0]))
        except Exception as error:
            done.set_exception(error)

    def make() -> Peer:
        peers.append(Peer(config=config, server_state=ServerState(), app_state={}))
        return peers[0]

    config = uvicorn.Config(app, ws=Peer, lifespan="off", log_config=None, ws_ping_interval=None)
    config.load()
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    held = await connect(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", compression=None)
    held.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    held.transport.abort()
    async with asyncio.timeout(60):
        await done
    server.close()


@pytest.mark.parametrize(
    "then",
    [
        lambda peer: peer.tell(framed(b"{}")),
        lambda peer: peer.end(1013, "try again"),
        lambda peer: peer.cut(),
    ],
    ids=["tell", "end", "cut"],
)
def test_nothing_is_written_to_a_connection_that_is_over(then: Callable[[Peer], None]) -> None:
    uvloop.run(lost_connection(then))


class _Peer:
    """A connection whose writing raises, however that may come."""

    busy = False
    cuts = 0

    def tell(self, frame: bytes) -> None:
        raise RuntimeError("closed")

    def cut(self) -> None:
        self.cuts += 1


class _Heard:
    """A socket in a room as far as a room sees it; keeps what it is told."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.people = ("p",)
        self.live = self.behind = False

    def tell(self, frame: bytes) -> None:
        self.frames.append(frame)


def bad_socket() -> Socket:
    made = object.__new__(Socket)  # nothing of it but what telling needs
    made.peer, made.room = _Peer(), None
    made._closing, made._out, made._out_bytes = False, [], 0
    made.people, made.live, made.behind = ("p",), False, False
    return made


def test_a_socket_that_raises_leaves_the_others_of_its_room_their_message() -> None:
    hub = Hub(None, lambda name: None, lambda name: None, lambda: 0)
    heard = [_Heard() for _ in range(8)]
    sockets = [bad_socket() for _ in range(8)]
    for one in (*heard, *sockets):
        room = hub.enter("AAAAAA", one)
    with structlog.testing.capture_logs() as lines:
        room.tell_all(b"{}")
    assert [one.frames for one in heard] == [[framed(b"{}")]] * 8
    assert [one.peer.cuts for one in sockets] == [1] * 8 and all(one.closing for one in sockets)
    assert {line["event"] for line in lines} == {"socket not written"}
    assert all(line["fault"].startswith("RuntimeError at ") for line in lines)


def test_a_room_that_raises_is_logged_and_read_anew() -> None:
    async def play() -> None:
        hub = Hub(None, lambda name: None, lambda name: None, lambda: 0)
        room, other = hub.enter("AAAAAA", _Heard()), hub.enter("BBBBBB", _Heard())
        again: list[str] = []
        room.said = lambda frame: 1 / 0
        room.resubscribed = lambda: again.append(room.code)
        said = (
            SAID
            + json.dumps(
                {"type": "said", "player": "p", "kind": "emote", "body": "hello", "at_ms": 1, "to": []}
            ).encode()
        )
        with structlog.testing.capture_logs() as lines:
            hub.message(channel("AAAAAA").encode(), said)
            hub.message(channel("BBBBBB").encode(), said)
        assert again == ["AAAAAA"]
        assert [line["event"] for line in lines] == ["publication failed"]
        assert "ZeroDivisionError at " in lines[0]["fault"] and lines[0]["room"] == "AAAAAA"
        assert [len(one.frames) for one in other.sockets] == [1]

    asyncio.run(play())


def test_a_message_that_cannot_be_handled_ends_no_subscription(tmp_path: Path) -> None:
    async def play(url: str) -> None:
        got: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()

        def message(name: bytes, data: bytes) -> None:
            if name == b"bad":
                raise RuntimeError
            got.put_nowait(("message", name))

        def subscribed(name: bytes) -> None:
            got.put_nowait(("subscribed", name))
            if name == b"bad":
                raise RuntimeError

        subscriber = Subscriber(url, message, subscribed)
        task = asyncio.create_task(subscriber.run())
        for name in (b"bad", b"good"):
            subscriber.add(name)
        assert {await got.get(), await got.get()} == {("subscribed", b"bad"), ("subscribed", b"good")}
        redis = connect_redis(url)
        for name in ("bad", "good", "bad", "good"):
            await redis.publish(name, "x")
        assert [await got.get(), await got.get()] == [("message", b"good")] * 2 and got.empty()
        assert subscriber.connected and not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await redis.aclose()

    with embedded(tmp_path) as server:
        run(play(server.url))


def test_what_waits_behind_an_ask_that_cannot_be_answered_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    class Held:
        people, facts, behind = ("p",), NOTHING, False
        room = type("room", (), {"code": "AAAAAA"})

        def refuse(self, code: str, number: Any = UNSET, detail: Any = UNSET) -> None:
            raise RuntimeError

    done: list[int] = []

    async def do(self: Line, ask: Any, n: int) -> None:
        if n == 1:
            raise RuntimeError
        done.append(n)

    async def play() -> None:
        line = Line(Held())
        for n in (1, 2, 3):
            line.add(object(), n)
        line.go()
        await line.work

    monkeypatch.setattr(Line, "_do", do)
    asyncio.run(play())
    assert done == [2, 3]
