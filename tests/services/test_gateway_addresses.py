"""Goal: what one client may do is counted under one name, however it is written; who has too much is told so, and nobody else
notices, least of all who looks after the process.

Method: the naming and the buckets by themselves; then a gateway with small limits, with a proxy in front and without.
"""

import json
import re
import socket
from collections.abc import Iterator

import pytest
import structlog
from websockets.exceptions import ConnectionClosed

from services.gateway import limits
from services.gateway.limits import Buckets, Rarely, client_address, named
from tests.services.raw import Raw, request
from tests.stack import Stack, wait_until

SOCKETS_MAX = 12
ROOMS = 5
SHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:51000", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("[::ffff:192.0.2.7]:443", "192.0.2.7"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:8080", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("unknown", "unknown"),
        ("_hidden", "_hidden"),
        ("x" * 100, "x" * 64),
    ],
)
def test_an_address_has_one_name(address: str, name: str) -> None:
    assert named(address) == name
    assert client_address((address, 1), {}, 0) == name
    assert client_address(("10.0.0.1", 1), {b"x-forwarded-for": f"9.9.9.9, {address}".encode()}, 1) == name


def test_of_too_many_names_the_one_longest_unused_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADDRESSES_MAX", 3)
    buckets = Buckets(0.001, 1)
    assert [buckets.take(name, 0.0) for name in ("a", "b", "c")] == [True] * 3
    assert not buckets.take("a", 0.0)  # used now
    assert buckets.take("d", 0.0)  # in the place of b
    assert [buckets.take(name, 0.0) for name in ("a", "c", "d")] == [False] * 3
    assert buckets.take("b", 0.0)


def test_a_warning_that_strangers_can_cause_comes_once_a_minute() -> None:
    now = [0.0]
    rarely = Rarely(60, lambda: now[0])
    with structlog.testing.capture_logs() as lines:
        for second in range(0, 100, 10):
            now[0] = float(second)
            rarely.warn("reached", "ONE")
            rarely.warn("reached", "TWO")
    assert [(line["setting"], line.get("before", 0)) for line in lines] == [
        ("ONE", 0),
        ("TWO", 0),
        ("ONE", 5),
        ("TWO", 5),
    ]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {
        "NORIPAN_PROXY_HOPS": "1",
        "NORIPAN_ROOMS_PER_MINUTE": str(ROOMS),
        "NORIPAN_SOCKETS_MAX_PER_ADDRESS": "3",
        "NORIPAN_MESSAGES_PER_ADDRESS": "1",
    }
    with Stack(tmp_path_factory.mktemp("proxied"), env=env) as running:
        yield running


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {"NORIPAN_SOCKETS_MAX_PER_ADDRESS": str(SOCKETS_MAX), "NORIPAN_REQUESTS_PER_MINUTE": "1000"}
    with Stack(tmp_path_factory.mktemp("bare"), env=env) as running:
        yield running


def warnings(stack: Stack, setting: str) -> list[dict]:
    lines = map(json.loads, stack.gateway[0].log.read_text().splitlines())
    return [line for line in lines if line.get("setting") == setting]


@pytest.mark.parametrize(
    "shape",
    ["198.51.100.7", "198.51.100.8:{}", "2001:db8:1:2::{}", "[2001:db8:9::1]:{}", "::ffff:198.51.100.9"],
)
def test_no_way_of_writing_an_address_makes_more_rooms(proxied: Stack, shape: str) -> None:
    statuses = [
        request("POST", f"{proxied.urls[0]}/api/rooms", {"game": "duel"}, x_forwarded_for=shape.format(1000 + number))[
            0
        ]
        for number in range(ROOMS + 3)
    ]
    assert statuses == [201] * ROOMS + [429] * 3
    assert len(warnings(proxied, "NORIPAN_ROOMS_PER_MINUTE")) == 1


def test_too_many_sockets_of_an_address_are_told_why(proxied: Stack) -> None:
    held = [
        Raw(proxied.urls[0], additional_headers={"X-Forwarded-For": f"2001:db8:5::{number}"}) for number in range(4)
    ]
    try:
        assert held[-1].code() == 1013 and "address" in held[-1].socket.protocol.close_reason
    finally:
        for raw in held:
            raw.close()
    assert len(warnings(proxied, "NORIPAN_SOCKETS_MAX_PER_ADDRESS")) == 1


def test_messages_of_an_address_are_bounded_together_and_a_hello_counts_as_ten(proxied: Stack) -> None:
    made = request("POST", f"{proxied.urls[0]}/api/rooms", {"game": "duel"}, x_forwarded_for="192.0.2.40")[1]

    def dial(address: str) -> Raw:
        return Raw(proxied.urls[0], additional_headers={"X-Forwarded-For": address})

    with dial("192.0.2.41") as one, dial("192.0.2.41") as two, dial("192.0.2.42") as other:
        one.hello(made["room"], made["token"])
        for _ in range(3):  # the ten at once are spent
            one.say({"type": "hello", "room": made["room"], "session": one.welcome["session"], "token": made["token"]})
        for number in range(60):
            one.say({"type": "ping", "t": number})
        for _ in range(20):
            assert one.hear("reject")["code"] == "rate_limited"
        two.say({"type": "hello", "room": made["room"], "session": "later", "token": made["token"]})
        assert two.code() == 1013
        other.hello(made["room"], made["token"])
    assert len(warnings(proxied, "NORIPAN_MESSAGES_PER_ADDRESS")) == 1


def dial(stack: Stack, said: bytes = b"") -> socket.socket:
    held = socket.create_connection(("127.0.0.1", stack.gateway[0].port), timeout=10)
    held.sendall(said)
    return held


def answer(held: socket.socket) -> bytes:
    """All that is said until the other side closes."""
    data = b""
    try:
        while more := held.recv(65536):
            data += more
    except ConnectionError:
        pass
    return data


def test_a_connection_too_many_gets_an_answer_and_health_is_outside_the_count(bare: Stack) -> None:
    page = b"GET /api/games HTTP/1.1\r\nHost: x\r\n\r\n"
    sockets = []
    for _ in range(SOCKETS_MAX):
        sockets.append(dial(bare, SHAKE))
        assert b" 101 " in sockets[-1].recv(1000)
    with dial(bare, page) as held:
        told = answer(held)
        assert told.startswith(b"HTTP/1.1 429 ") and b"rate_limited" in told
        assert re.search(rb"(?i)\r\nretry-after: \d+\r\n", told) and b"connection: close" in told
    for path in (b"/healthz", b"/readyz"):
        with dial(bare, page.replace(b"/api/games", path)) as held:
            assert answer(held).startswith(b"HTTP/1.1 200 ")
    with Raw(bare.urls[0]) as raw, pytest.raises(ConnectionClosed):
        raw.hear("welcome")
    assert raw.code() == 1013
    silent = [dial(bare) for _ in range(40)]  # even of refused connections there are only so many
    assert any(answer(held) == b"" for held in silent)
    for held in sockets + silent:
        held.close()
    assert len(warnings(bare, "NORIPAN_SOCKETS_MAX_PER_ADDRESS")) == 1
    wait_until(lambda: request("GET", f"{bare.urls[0]}/api/games")[0] == 200)


def test_a_proxy_that_is_not_told_of_is_hinted_at(bare: Stack) -> None:
    for _ in range(3):
        request("GET", f"{bare.urls[0]}/api/games", x_forwarded_for="192.0.2.1")
    assert len(warnings(bare, "NORIPAN_PROXY_HOPS")) == 1
    assert "192.0.2.1" not in bare.gateway[0].log.read_text()
