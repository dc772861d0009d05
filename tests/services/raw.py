"""Raw HTTP and sockets for the gateway's tests: what a stranger's program would send, not what our client would."""

import contextlib
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from services.store.keys import key
from tests.stack import Stack

RECV_S = 60


def request(method: str, url: str, body: Any = None, **headers: str) -> tuple[int, Any, dict[str, str]]:
    """(status, decoded JSON or text, headers by lower-case name)"""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, named, method=method), timeout=60) as answer:
            status, raw, found = answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        status, raw, found = error.code, error.read(), error.headers
    try:
        decoded = json.loads(raw)
    except ValueError:
        decoded = raw.decode()
    return status, decoded, {name.lower(): value for name, value in found.items()}


class Raw:
    """A socket that says what it is told to, and reads whole messages."""

    def __init__(self, url: str, **options: Any) -> None:
        self._exit = contextlib.ExitStack()
        self.socket: ClientConnection = self._exit.enter_context(
            connect(url.replace("http", "ws", 1) + "/ws", compression=None, max_size=None, **options)
        )

    def say(self, message: Any) -> None:
        self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def hear_any(self) -> dict:
        """The next message."""
        return json.loads(self.socket.recv(timeout=RECV_S))

    def hear(self, kind: str, number: int | None = None) -> dict:
        """The next message of that type (about action `number`); others are passed over."""
        while True:
            told = self.hear_any()
            if told["type"] == kind and (number is None or told.get("id") == number):
                return told

    def hello(self, room: str, token: str = "", session: str = "", **more: Any) -> "Raw":
        hello = {"type": "hello", "room": room, "session": session or secrets.token_urlsafe(9), **more}
        self.say(hello | ({"token": token} if token else {}))
        self.welcome = self.hear("welcome")
        self.snapshot = self.hear("snapshot")
        return self

    def code(self) -> int:
        """The close code, once the server closes."""
        try:
            while True:
                self.socket.recv(timeout=RECV_S)
        except ConnectionClosed:
            return self.socket.protocol.close_code or 0

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._exit.close()


def written(stack: Stack, room: str) -> tuple[int, int]:
    """(entries, events) so far, but for those that tell of sockets that come and go, which they do in their own time."""

    def count(kind: str) -> int:
        items = stack.redis.xrange(key(kind, f"{room}/1"))
        return sum(b'connected"' not in next(iter(fields.values())) for _, fields in items)

    return count("a"), count("e")


class Table:
    """A duel that is being played by two raw sockets; `written` is all that the room's streams hold."""

    def __init__(self, stack: Stack, game: str = "duel", players: int = 2) -> None:
        self.stack, self.url = stack, stack.urls[0]
        status, made, _ = request("POST", f"{self.url}/api/rooms", {"game": game})
        assert status == 201
        self.room, self.tokens = made["room"], [made["token"]]
        while len(self.tokens) < players:
            self.tokens.append(request("POST", f"{self.url}/api/me", {})[1]["token"])
        self.sockets = [Raw(self.url).hello(self.room, token) for token in self.tokens]
        for index, held in enumerate(self.sockets):
            held.say({"type": "join", "id": 1, "name": f"이름{index}"})
            held.hear("ack", 1)
        self.sockets[0].say({"type": "start", "id": 2})
        for held in self.sockets:
            while held.hear("update")["patch"].get("phase") != "playing":
                pass

    def written(self) -> tuple[int, int]:
        return written(self.stack, self.room)

    def close(self) -> None:
        for held in self.sockets:
            held.close()


@pytest.fixture(scope="module")
def table(stack: Stack) -> Iterator[Table]:
    made = Table(stack)
    yield made
    made.close()
