"""Goal: a watcher is never left behind by a read that is older than what was lost, by a hole between two publications, or by a
subscription that came back; and who has left is answered nothing.

Method: a room of a real stack, and a hub of our own beside its gateway, whose reads are held back and whose publications are
handed on or lost as the test says. Everything is awaited by the reads themselves.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from services.client import Client, create_room
from services.gateway.hub import Hub
from services.gateway.session import Socket
from services.settings import Settings
from services.store.keys import channel
from services.store.redis import Caller, connect
from services.store.subscriber import Subscriber
from tests.services.test_client import run
from tests.stack import Stack


class HeldCaller:
    """A caller whose replies arrive when `open` is set: what they say may be old by then. asked: a reply is being held."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.open = asyncio.Event()
        self.open.set()
        self.asked = asyncio.Event()

    async def _held(self, reply: Any) -> Any:
        found = await reply
        if not self.open.is_set():
            self.asked.set()
        await self.open.wait()
        return found

    def call(self, *command: Any) -> Any:
        return asyncio.ensure_future(self._held(self._caller.call(*command)))

    async def run(self, name: str, keys: Any, args: Any) -> Any:
        return await self._held(self._caller.run(name, keys, args))


class Peer:
    busy = False

    def __init__(self) -> None:
        self.frames: list[dict] = []

    def tell(self, frame: bytes) -> None:
        self.frames.append(json.loads(frame[frame.index(b"{") :]))

    def end(self, code: int, reason: str) -> None:
        self.frames.append({"type": "close", "code": code})


class House:
    """A hub of our own on the stack's Redis. published: what came on the room's channel and the hub was not given."""

    def __init__(self, stack: Stack, room: str) -> None:
        self.code, self.name = room, channel(room).encode()
        self.real = Caller(connect(stack.server.url))
        self.caller = HeldCaller(self.real)
        self.hub = Hub(self.caller, lambda name: None, lambda name: None, lambda: 0)
        self.present: list[str] = []
        presence = SimpleNamespace(
            enter=lambda room, player: self.present.append(player), leave_after=lambda *args, **named: None
        )
        self.context = SimpleNamespace(
            settings=Settings(),
            hub=self.hub,
            presence=presence,
            now_ms=lambda: 0,
            identities=SimpleNamespace(forget=lambda socket: None),
        )
        self.published: asyncio.Queue[bytes] = asyncio.Queue()
        self.there = asyncio.Event()
        self.subscriber = Subscriber(
            stack.server.url, lambda name, data: self.published.put_nowait(data), lambda name: self.there.set()
        )
        self.subscriber.add(self.name)

    def watcher(self, player: str) -> Socket:
        """Somebody in the room who waits to be welcomed."""
        made = Socket(self.context, Peer(), None)
        made._hello_timer.cancel()
        made.people, made.player, made.session = (player,), player, player
        made.mark, made.unmark = b"[\0", b"[\0"
        made.room = self.hub.enter(self.code, made)
        made.room.want(made, welcome=True)
        return made

    async def read(self) -> None:
        """Until everything that is wanted now was read and told."""
        room = self.hub._rooms[self.name]
        while room._reader is not None:
            await asyncio.wait((room._reader,))

    async def update(self) -> bytes:
        """The next publication that tells of a new version."""
        while True:
            data = await self.published.get()
            if b'"update"' in data:
                return data


@contextlib.asynccontextmanager
async def house(stack: Stack) -> AsyncIterator[tuple[House, Client]]:
    """The hub, and the room's host, who plays through the stack's own gateway."""
    room, token = await create_room(stack.urls[0], "duel")
    async with Client(stack.urls[0], room, token) as host:
        held = House(stack, room)
        task = asyncio.create_task(held.subscriber.run())
        try:
            await held.there.wait()
            yield held, host
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await held.real.close()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Stack(tmp_path_factory.mktemp("reads")) as running:
        yield running


async def move(host: Client, idle_s: int) -> None:
    """The room has one more version."""
    await host.configure(settings={"idle_s": idle_s})


def versions(socket: Socket) -> list[int]:
    return [frame["version"] for frame in socket.peer.frames if frame["type"] in ("snapshot", "update")]


def test_a_read_that_began_before_messages_were_lost_is_not_the_last_word(alone: Stack) -> None:
    async def play() -> None:
        async with house(alone) as (held, host):
            held.caller.open.clear()
            socket = held.watcher("w")
            held.hub.subscribed(held.name)
            await held.caller.asked.wait()  # the reply is there, of the room as it was
            await move(host, 100)
            held.hub.subscribed(held.name)  # the link is back, and what was published meanwhile is lost
            held.caller.open.set()
            await held.read()
            assert socket.live and socket.version == host.version and versions(socket)[-1] == host.version

    run(play())


def test_who_left_during_a_read_is_told_nothing_and_is_not_here(alone: Stack) -> None:
    async def play() -> None:
        async with house(alone) as (held, host):
            held.caller.open.clear()
            stays, leaves = held.watcher("stays"), held.watcher("leaves")
            held.hub.subscribed(held.name)
            await held.caller.asked.wait()
            leaves.left()
            leaves._closing = False  # so that it would be told, were it answered
            held.caller.open.set()
            await held.read()
            assert versions(stays) == [host.version] and held.present == ["stays"]
            assert leaves.peer.frames == [] and not leaves.live

    run(play())


def test_everybody_is_read_anew_after_a_resubscription(alone: Stack) -> None:
    async def play() -> None:
        async with house(alone) as (held, host):
            sockets = [held.watcher("a"), held.watcher("b")]
            held.hub.subscribed(held.name)
            await held.read()
            before = host.version
            await move(host, 200)
            assert [socket.version for socket in sockets] == [before] * 2  # what was published is lost
            held.hub.subscribed(held.name)
            await held.read()
            assert [versions(socket) for socket in sockets] == [[before, host.version]] * 2

    run(play())


def test_a_hole_between_two_publications_is_asked_about(alone: Stack) -> None:
    async def play() -> None:
        async with house(alone) as (held, host):
            socket = held.watcher("a")
            held.hub.subscribed(held.name)
            await held.read()
            before = host.version
            await move(host, 300)
            await held.update()  # lost
            await move(host, 301)
            held.hub.message(held.name, await held.update())
            await held.read()
            assert host.version == before + 2
            assert socket.live and versions(socket) == [before, host.version]
            await move(host, 302)
            held.hub.message(held.name, await held.update())  # and now it follows again
            assert versions(socket) == [before, before + 2, before + 3]

    run(play())


def test_who_could_not_be_answered_is_sent_to_try_again(alone: Stack) -> None:
    async def play() -> None:
        async with house(alone) as (held, _):
            socket = held.watcher("a")
            socket.room._snapshot = lambda *what: 1 / 0
            held.hub.subscribed(held.name)
            await held.read()
            assert socket.peer.frames[-1] == {"type": "close", "code": 1013} and not socket.live

    run(play())
