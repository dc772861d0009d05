"""Goal: networks and Redis may fail between any two steps; players wait a little and lose nothing, nothing counts twice.

Method: real processes, a proxy in the way (tests/proxy.py), signals. Afterwards the log is decided again and compared with
what the clients saw.
"""

import asyncio
import contextlib
import http.client
import random
import signal
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from services.client import Client, create_room
from services.client.play import play_to_end
from services.store.keys import key
from tests.proxy import Proxy
from tests.services.raw import Raw, request
from tests.services.test_client import audited, chooser, run, same, table
from tests.stack import Stack, wait_until
from tests.stack import stack as stack


def test_lost_answers_of_redis_act_once(tmp_path: Path) -> None:
    """Field report 110: of the gateways' Redis connection every tenth answer is lost, whichever it was; whole games are
    played through it, and each action is in the log once."""

    async def play(stack: Stack, proxy: Proxy) -> None:
        rng = random.Random(7)
        async with table(stack) as (one, two):
            proxy.lose = lambda number: rng.random() < 0.1
            await asyncio.gather(
                play_to_end(one, one.seat, random.Random(1), 70), play_to_end(two, two.seat, random.Random(2), 70)
            )
            proxy.lose = None
            await same(one, two)
            assert proxy.cut >= 5
            log = await audited(stack, one)
            origins = [entry.origin for entry in log.entries if entry.origin]
            assert len(origins) == len(set(origins))
            assert len(origins) == one._last_id + two._last_id

    with Stack(tmp_path) as behind, Proxy(behind.server.port) as proxy:
        gateways = [behind.add("gateway", f"far-{n}", REDIS_URL=f"redis://127.0.0.1:{proxy.port}/0") for n in range(2)]
        for gateway in gateways:
            gateway.start()
        behind.gateway[:] = gateways + behind.gateway[:1]
        run(play(behind, proxy))


def test_sockets_that_come_and_go_never_get_another_rooms_data(tmp_path: Path) -> None:
    """Field report 109: a slow Redis, reads that nobody waits for any more, many rooms: each answer is of its own room."""

    async def storm(stack: Stack, proxy: Proxy) -> None:
        rooms = [await create_room(stack.urls[0], "duel") for _ in range(12)]
        proxy.delay_s = 0.05
        begun = time.monotonic()
        answers = 0

        async def visitor(number: int) -> None:
            nonlocal answers
            rng = random.Random(number)
            while (spent_s := time.monotonic() - begun) < 4 or answers <= 50:
                room, token = rng.choice(rooms)
                client = Client(stack.urls[1], room, token)
                client._task = asyncio.create_task(client._run())
                try:
                    async with asyncio.timeout(rng.uniform(0.01, 0.4 + spent_s / 4)):  # longer, on a busy machine
                        await client.ready()
                    answers += 1
                    assert client.view["room"] == room and client.game == f"{room}/1"
                except TimeoutError:
                    pass
                finally:
                    await client.close()

        await asyncio.gather(*(visitor(number) for number in range(30)))
        assert answers > 50

    with Stack(tmp_path) as behind, Proxy(behind.server.port) as proxy:
        behind.add("gateway", "far", REDIS_URL=f"redis://127.0.0.1:{proxy.port}/0").start()
        run(storm(behind, proxy))


def test_following_begins_exactly_where_reading_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field report 128: somebody resumes again and again through a gateway far from Redis while the game goes on quickly:
    one snapshot per connection, no hole and no double after it."""

    async def hold(one: Client) -> None:
        await one.act(0, {"type": "roll"})
        for number in range(2000):
            await one.act(0, {"type": "set_hold", "held": [number % 2 == 0, True, False, False, False]})

    async def play(stack: Stack, proxy: Proxy) -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls[0], room, token) as one, Client(stack.urls[1], room) as watcher:
            await one.join("하나")
            await one.start()
            for client in (one, watcher):
                await client.until(lambda c: c.view["phase"] == "playing")
            before = len(watcher.events) - watcher.version
            proxy.delay_s = 0.015
            busy = asyncio.create_task(hold(one))
            connections = 1
            while not busy.done():
                version = watcher.version
                await watcher.drop(url=1)
                await watcher.ready()
                connections += 1
                with contextlib.suppress(TimeoutError):
                    await watcher.until(lambda c, seen=version: c.version > seen, 1)
            await busy
            await same(one, watcher)
            assert len(watcher.events) - watcher.version == before
            assert watcher.snapshots == connections
            assert connections > 5

    monkeypatch.setattr("services.client.client.BACKOFF_S", 0.01)
    with Stack(tmp_path) as behind, Proxy(behind.server.port) as proxy:
        behind.add("gateway", "far", REDIS_URL=f"redis://127.0.0.1:{proxy.port}/0").start()
        run(play(behind, proxy))


def test_redis_restarts_under_open_sockets(tmp_path: Path) -> None:
    """Sockets stay open, an action asked meanwhile is taken afterwards, and the game goes on."""

    async def play(stack: Stack) -> None:
        async with table(stack) as (one, two):
            mover = await chooser(one, two)
            await asyncio.to_thread(stack.server.kill)
            asked = asyncio.create_task(mover.act(mover.seat, {"type": "roll"}))
            done, _ = await asyncio.wait([asked], timeout=0.3)
            assert not done
            assert request("GET", f"{stack.urls[0]}/readyz")[0] == 503
            assert request("GET", f"{stack.urls[0]}/healthz")[0] == 200
            await asyncio.to_thread(stack.server.start)
            await asked
            await asyncio.gather(
                play_to_end(one, one.seat, random.Random(1), 40), play_to_end(two, two.seat, random.Random(2), 40)
            )
            await same(one, two)
            assert one.closes == two.closes == []
            await audited(stack, one)

    with Stack(tmp_path, gateways=2) as alone:
        run(play(alone))


def test_a_stopped_gateway_sends_everybody_away_and_leaves_no_ghost(tmp_path: Path) -> None:
    async def play(stack: Stack) -> None:
        async with table(stack) as (one, two):
            assert await asyncio.to_thread(stack.gateway[1].stop) == 0
            assert two.closes == [1001]
            await two.ready()  # by itself, on the other gateway

            def holders() -> int:
                return len((stack.redis.hget(key("s", one.room), two.player) or b"").split())

            # Nobody was gone, since the stopped gateway's lease lasts until they are back; then it holds nobody.
            await asyncio.to_thread(wait_until, lambda: holders() == 1)
            await one.until(lambda c: c.view["seats"][str(two.seat)]["connected"])
            mover = await chooser(one, two)
            await mover.act(mover.seat, {"type": "roll"})
            await same(one, two)

    with Stack(tmp_path, gateways=2) as alone:
        run(play(alone))


def test_a_killed_gateway_is_noticed_and_its_players_come_back(tmp_path: Path) -> None:
    """kill -9: the players reconnect elsewhere and play on; the sockets of the dead are taken off by its lease."""

    async def play(stack: Stack) -> None:
        async with table(stack, start=False) as (one, two):
            async with Client(stack.urls[1], one.room, two.token) as tab:  # stays on the one that dies
                await asyncio.to_thread(stack.gateway[1].signal, signal.SIGKILL)
                await two.until(lambda c: c.closes)
                await two.ready()
                await tab.close()
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            await two.close()
            # Only the dead gateway still counts as holding a socket of theirs, until its lease is over.
            await one.until(lambda c: not c.view["seats"]["1"]["connected"])

    with Stack(tmp_path, gateways=2) as alone:
        run(play(alone))


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory):
    env = {
        "NORIPAN_MESSAGE_RATE": "20",
        "NORIPAN_MESSAGE_BURST": "10",
        "NORIPAN_ROOMS_PER_MINUTE": "5",
        "NORIPAN_SOCKETS_MAX_PER_ADDRESS": "6",
        "NORIPAN_REQUESTS_PER_MINUTE": "30",
        "NORIPAN_ALLOWED_ORIGINS": "https://friend.example",
        "NORIPAN_PROXY_HOPS": "1",
    }
    with Stack(tmp_path_factory.mktemp("strict"), env=env) as running:
        yield running


def room_from(stack: Stack, address: str) -> dict:
    status, made, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"}, x_forwarded_for=address)
    assert status == 201
    return made


def test_too_many_messages_are_refused_then_closed(strict: Stack) -> None:
    made = room_from(strict, "192.0.2.1")
    with Raw(strict.urls[0]).hello(made["room"], made["token"]) as flood, Raw(strict.urls[0]) as calm:
        calm.hello(made["room"], made["token"])
        for number in range(1, 40):
            flood.say({"type": "act", "id": number, "seat": 0, "action": {"type": "choose", "hand": "rock"}})
        told = flood.hear("reject", 30)
        assert told["code"] == "rate_limited"
        calm.say({"type": "ping", "t": 1})
        calm.hear("pong")
        with contextlib.suppress(ConnectionClosed, OSError):
            for _ in range(60):
                flood.say("null")
        assert flood.code() == 1008


def test_rooms_and_sockets_per_address_are_bounded(strict: Stack) -> None:
    statuses = [
        request("POST", f"{strict.urls[0]}/api/rooms", {"game": "duel"}, x_forwarded_for=f"10.9.9.9, {address}")[0]
        for address in ["192.0.2.7"] * 7 + ["192.0.2.8"]
    ]
    assert statuses == [201] * 5 + [429] * 2 + [201]  # the outermost proxy's word counts, not what a client claims
    sockets = [Raw(strict.urls[0], additional_headers={"X-Forwarded-For": "192.0.2.9"}) for _ in range(7)]
    try:
        assert sockets[-1].code() == 1013
    finally:
        for raw in sockets:
            raw.close()


def test_requests_of_one_connection_are_bounded(strict: Stack) -> None:
    """Kept alive, so that the number of connections bounds nothing; another address does not notice, nor who watches over us."""
    host, port = strict.urls[0].removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)

    def ask(path: str, address: str) -> int:
        connection.request("GET", path, headers={"X-Forwarded-For": address})
        with connection.getresponse() as answer:
            answer.read()
            return answer.status

    with contextlib.closing(connection):
        statuses = [ask("/api/games", "192.0.2.20") for _ in range(40)]
        assert statuses[:30] == [200] * 30 and statuses[-1] == 429 and statuses.count(200) <= 32
        assert ask("/api/games", "192.0.2.21") == 200
        assert [ask("/healthz", "192.0.2.20") for _ in range(40)] == [200] * 40


def test_origins_and_https_of_the_settings(strict: Stack) -> None:
    url = f"{strict.urls[0]}/api/me"
    assert request("POST", url, {}, origin="https://friend.example")[0] == 200
    assert request("POST", url, {}, origin="https://play.example", x_forwarded_host="play.example")[0] == 200
    assert request("POST", url, {}, origin="https://enemy.example")[0] == 403
    _, _, headers = request("POST", url, {}, x_forwarded_proto="https")
    assert "Secure" in headers["set-cookie"]
