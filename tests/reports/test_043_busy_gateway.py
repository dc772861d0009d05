"""Goal: a gateway that is busy for some seconds loses none of its healthy connections, and one that floods is limited alone.
Method: the whole process stands still (SIGSTOP) for less and for more than the heartbeat with a hundred idle sockets on it;
then one socket sends thousands of messages while the others play.
"""

import asyncio
import contextlib

import pytest
from websockets.exceptions import ConnectionClosed

from services.client import Client, new_player
from tests.services.manners_kit import CHOOSE, duel
from tests.services.raw import Raw
from tests.services.test_client import run
from tests.stack import Stack

HEARTBEAT_S = 2
IDLE = 100
ENV = {
    "NORIPAN_HEARTBEAT_S": str(HEARTBEAT_S),
    "NORIPAN_MESSAGE_RATE": "20",
    "NORIPAN_MESSAGE_BURST": "40",
}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory):
    with Stack(tmp_path_factory.mktemp("busy"), env=ENV) as running:
        yield running


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory):
    """With a long heartbeat: the sockets of this process may answer late while it floods."""
    with Stack(tmp_path_factory.mktemp("patient"), env=ENV | {"NORIPAN_HEARTBEAT_S": "300"}) as running:
        yield running


@contextlib.asynccontextmanager
async def crowd(stack: Stack):
    """Two players and a hundred who only watch."""
    async with duel(stack.urls) as (one, two), contextlib.AsyncExitStack() as leave:
        tokens = [token for _, token in await asyncio.gather(*(new_player(stack.urls[0]) for _ in range(10)))]
        idle = [Client(stack.urls, one.room, tokens[number % 10]) for number in range(IDLE)]
        await asyncio.gather(*(leave.enter_async_context(client) for client in idle))
        yield one, two, idle


@pytest.mark.parametrize("still_s", [0.75 * HEARTBEAT_S, 1.25 * HEARTBEAT_S])
def test_a_gateway_that_stood_still_drops_nobody(busy: Stack, still_s: float) -> None:
    async def play() -> None:
        async with crowd(busy) as (one, two, idle):
            await asyncio.sleep(HEARTBEAT_S)  # into the rhythm of pings
            busy.gateway[0].pause()
            try:
                await asyncio.sleep(still_s)
            finally:
                busy.gateway[0].resume()
            await one.act(one.seat, CHOOSE)
            await two.act(two.seat, CHOOSE)
            await asyncio.sleep(2 * HEARTBEAT_S)  # whoever was given up would be closed by now
            for client in idle:
                await client.until(lambda c: c.version >= one.version)
            dropped = [client.closes for client in (one, two, *idle) if client.closes]
            assert not dropped, f"{len(dropped)} of {IDLE + 2} were closed: {dropped[:3]}"
            assert not [event for event in one.events if event["type"] == "disconnected"]

    run(play())


def test_a_flooding_socket_is_limited_alone(patient: Stack) -> None:
    def flood(room: str) -> int:
        with Raw(patient.urls[0]) as raw:
            token = run(new_player(patient.urls[0]))[1]
            raw.hello(room, token)
            with contextlib.suppress(ConnectionClosed, OSError):
                for number in range(1, 20_000):
                    raw.say({"type": "act", "id": number, "seat": 0, "action": CHOOSE})
            return raw.code()

    async def play() -> None:
        async with crowd(patient) as (one, two, idle):
            flooding = asyncio.create_task(asyncio.to_thread(flood, one.room))
            answers = 0
            while not flooding.done():
                await one.legal(one.seat)
                answers += not flooding.done()
                await asyncio.wait([flooding], timeout=0.1)  # a person's pace
            assert await flooding in (1008, 1006)  # told to go, or cut off when it does not stop
            assert answers, "nobody else was answered meanwhile"
            await one.act(one.seat, CHOOSE)
            for client in (two, *idle):
                await client.until(lambda c: c.version >= one.version)
            assert not [client for client in (one, two, *idle) if client.closes]

    run(play())
