"""What one connection may do to everybody else on its gateway: floods of frames, endless and half requests, last words."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.gateway import door
from services.gateway.limits import Bucket
from services.store.keys import key
from tests.services.raw import Raw, request
from tests.stack import Stack, wait_until

PINGS = 40  # of a person while the flood goes on, which is cut off meanwhile
SOCKETS_MAX = 40
SHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
# What is said first, and what is said again and again (frames are masked with zeros).
FLOODS = {
    "empty fragments": (SHAKE, b"\x01\x81\0\0\0\0x", b"\x00\x80\0\0\0\0"),
    "empty texts": (SHAKE, b"", b"\x81\x80\0\0\0\0"),
    "pongs": (SHAKE, b"", b"\x8a\x80\0\0\0\0"),
    "pings": (SHAKE, b"", b"\x89\x80\0\0\0\0"),
    "header lines": (b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"a: b\r\n"),
    "an address": (b"", b"GET /", b"a"),
    "pipelined requests": (b"", b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
    "empty lines": (b"", b"", b"\r\n"),
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {
        "NORIPAN_MESSAGE_RATE": "20",
        "NORIPAN_MESSAGE_BURST": "40",
        "NORIPAN_SOCKETS_MAX_PER_ADDRESS": str(SOCKETS_MAX),
        "NORIPAN_LOG_LEVEL": "debug",
    }
    with Stack(tmp_path_factory.mktemp("floods"), env=env) as running:
        yield running


def memory_mb(stack: Stack) -> float:
    return int(Path(f"/proc/{stack.gateway[0].pid}/statm").read_text().split()[1]) * 4096 / 1e6


def dial(stack: Stack, said: bytes = b"") -> socket.socket:
    held = socket.create_connection(("127.0.0.1", stack.gateway[0].port), timeout=60)
    held.sendall(said)
    return held


def read_out(held: socket.socket) -> bytes:
    """All that is said until the other side closes; TimeoutError when it does not."""
    data = b""
    try:
        while more := held.recv(65536):
            data += more
    except ConnectionError:
        pass
    return data


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_stalls_nobody(stack: Stack, kind: str) -> None:
    shake, first, again = FLOODS[kind]
    cut, stop = [], threading.Event()

    def flood() -> None:
        while not stop.is_set():
            try:
                with dial(stack, shake) as held:
                    if shake:
                        assert b" 101 " in held.recv(1000)
                    held.sendall(first)
                    while not stop.is_set():
                        held.sendall(again * (120_000 // len(again)))
            except OSError:
                cut.append(kind)

    before = memory_mb(stack)
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    with Raw(stack.urls[0]).hello(made["room"], made["token"]) as calm:
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        try:
            asked = 0
            while asked < PINGS or not cut:
                calm.say({"type": "ping", "t": 1})
                calm.hear("pong")
                asked += 1
                time.sleep(0.06)  # a person's pace, below the limit of messages
        finally:
            stop.set()
            thread.join(60)
    assert memory_mb(stack) - before < 20


def test_a_client_that_talks_within_its_limits_is_not_cut_off(stack: Stack) -> None:
    with Raw(stack.urls[0]) as held:
        for _ in range(5):
            for _ in range(40):
                held.socket.pong()
            held.say({"type": "ping", "t": 2})
            held.hear("pong")


def test_a_long_head_is_refused(stack: Stack) -> None:
    for said in (b"GET / HTTP/1.1\r\nA: " + b"a" * 20_000, b"GET /" + b"a" * 20_000):
        with dial(stack, said) as held:
            assert read_out(held).startswith(b"HTTP/1.1 431 ")


def test_a_large_body_is_refused_politely(stack: Stack) -> None:
    assert request("POST", f"{stack.urls[0]}/api/me", b" " * 200_000)[0] == 413


def test_a_head_too_long_for_a_socket_is_refused(stack: Stack) -> None:
    with dial(stack, SHAKE.replace(b"/ws", b"/ws?" + b"a" * 10_000)) as held:
        assert read_out(held).startswith(b"HTTP/1.1 400 ")


def test_requests_one_after_the_other_use_one_connection(stack: Stack) -> None:
    with dial(stack) as held:
        for _ in range(3):
            held.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            told = b""
            while not told.endswith(b"\r\n\r\nok\n"):
                told += held.recv(65536)
            assert told.startswith(b"HTTP/1.1 200 ")
        one = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
        held.sendall(one + b"\r\n" + one + b"Connection: close\r\n\r\n")  # one may wait behind another
        assert read_out(held).count(b"HTTP/1.1 200 ") == 2


def test_half_a_request_has_its_time(stack: Stack) -> None:
    post = b"POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
    began = time.monotonic()
    held = [dial(stack, said) for said in (b"", b"GET / HTTP/1.1\r\n", post)]
    for each in held:
        each.settimeout(door.REQUEST_S + 60)
        assert b"200" not in read_out(each)
        each.close()
    assert time.monotonic() - began > door.REQUEST_S - 1


def test_a_seat_taken_with_the_last_words_is_no_ghost(stack: Stack) -> None:
    for _ in range(3):
        made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
        me = request("POST", f"{stack.urls[0]}/api/me", {})[1]
        with Raw(stack.urls[0]).hello(made["room"], made["token"]) as host:
            host.say({"type": "join", "id": 1, "name": "하나"})
            host.hear("ack", 1)
            guest = Raw(stack.urls[0]).hello(made["room"], me["token"])
            for _ in range(8):
                guest.say({"type": "say", "kind": "emote", "body": "hello"})
            guest.say({"type": "join", "id": 1, "name": "둘"})
            guest.close()
            seat = None
            while seat is None or seat["connected"]:
                change = host.hear("update")["patch"].get("seats") or {}
                if "1" in change:
                    seat = {**(seat or {}), **change["1"]}
            assert me["player"].encode() not in stack.redis.hgetall(key("s", made["room"]))


@pytest.mark.parametrize("hosts", [b"", b"Host: a\r\nHost: b\r\n", b"Host: a\r\nhost: a\r\n"])
def test_a_request_names_its_host_once(stack: Stack, hosts: bytes) -> None:
    for said in (b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n", SHAKE.replace(b"Host: x\r\n", hosts)):
        with dial(stack, said) as held:
            assert read_out(held).startswith(b"HTTP/1.1 400 ")
    with dial(stack, b"GET /healthz HTTP/1.0\r\n\r\n") as held:
        assert read_out(held).startswith(b"HTTP/1.1 200 ")


def test_who_leaves_in_the_middle_of_a_request_is_no_fault_of_ours(stack: Stack) -> None:
    for _ in range(5):
        with dial(stack, b"POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{") as held:
            held.shutdown(socket.SHUT_WR)
            read_out(held)
    assert request("GET", f"{stack.urls[0]}/healthz")[0] == 200
    assert "request failed" not in stack.gateway[0].log.read_text()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such limit")
def test_an_answer_that_nobody_takes_is_dropped(stack: Stack) -> None:
    """Closing hands what was written to the kernel, which would keep it as long as the other side lives."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    held.connect(("127.0.0.1", stack.gateway[0].port))
    held.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    ports = f"{stack.gateway[0].port:04X}", f"{held.getsockname()[1]:04X}"

    def closing() -> list[str]:
        """States of the gateway's end of it: 01 open, 04 closed and not yet taken."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return [line[3] for line in lines if (line[1][-4:], line[2][-4:]) == ports]

    wait_until(lambda: closing() == ["04"])
    wait_until(lambda: closing() == [], 60)
    held.close()


def test_no_address_is_logged(stack: Stack) -> None:
    with dial(stack, b"nonsense\r\n\r\n") as held:
        read_out(held)
    assert b"127.0.0.1" not in stack.gateway[0].log.read_bytes()


def test_a_bucket_gives_all_or_nothing() -> None:
    bucket = Bucket(10, 20, 0.0)
    assert bucket.take(0.0, 15)
    assert not bucket.take(0.0, 6)
    assert bucket.take(0.0, 5)
    assert bucket.take(1.0, 10)


def test_a_gateway_takes_as_many_sockets_as_the_machine_allows() -> None:
    """Many systems give a process 1024 files to begin with, and room for far more when it asks."""
    program = (
        "import resource as r\n"
        "hard = r.getrlimit(r.RLIMIT_NOFILE)[1]\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (256, hard))\n"
        "from services.gateway.__main__ import many_files\n"
        "many_files()\n"
        "assert r.getrlimit(r.RLIMIT_NOFILE) == (hard, hard), r.getrlimit(r.RLIMIT_NOFILE)\n"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
