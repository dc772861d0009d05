"""Goal: gateways die, stop and lose their networks, and nobody at a table loses more than a moment. Method: real processes,
signals, a proxy in the way; the log is judged afterwards.
"""

import asyncio
import contextlib
from pathlib import Path

import pytest

from services.client import Client
from tests.proxy import Proxy
from tests.services.manners_kit import CHOOSE, duel, holders
from tests.services.test_client import audited, run, same
from tests.stack import Stack, wait_until

HEARTBEAT_S = 4


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory):
    """Two gateways with a short heartbeat."""
    env = {"NORIPAN_HEARTBEAT_S": str(HEARTBEAT_S)}
    with Stack(tmp_path_factory.mktemp("pair"), gateways=2, env=env) as running:
        yield running


def test_a_gateway_that_stood_still_registers_its_players_again(pair: Stack) -> None:
    """SIGSTOP beyond the lease: its players are taken off and shown as gone; it goes on, and they are back by themselves,
    with one entry for each change. Somebody who came back elsewhere meanwhile is counted as long as they are there."""

    async def game() -> None:
        async with duel(pair.urls, start=False) as (one, two), Client(pair.urls[1], one.room, one.token) as tab:
            await asyncio.to_thread(wait_until, lambda: holders(pair, one.room, one.player) == 2)
            seat = str(two.seat)
            pair.gateway[1].pause()
            try:
                await one.until(lambda c: not c.view["seats"][seat]["connected"])
                assert one.view["seats"][str(one.seat)]["connected"], "one is here through the other gateway"
                async with Client(pair.urls[0], one.room, two.token) as elsewhere:
                    await one.until(lambda c: c.view["seats"][seat]["connected"])
                    pair.gateway[1].resume()
                    await asyncio.to_thread(wait_until, lambda: holders(pair, one.room, two.player) == 2)
                    assert elsewhere.view["seats"][seat]["connected"]
                # the other socket of theirs is gone: they are still here through the gateway that stood still
                await asyncio.to_thread(wait_until, lambda: holders(pair, one.room, two.player) == 1)
                assert one.view["seats"][seat]["connected"]
            finally:
                with contextlib.suppress(AssertionError, ProcessLookupError):
                    pair.gateway[1].resume()
            await two.close()
            await one.until(lambda c: not c.view["seats"][seat]["connected"])
            await tab.close()
            log = await audited(pair, one)
            kinds = [data for data in log.events if b"connected" in data]
            assert [b'"disconnected"' in data for data in kinds] == [True, False, True], kinds

    run(game())


def test_the_players_of_a_killed_gateway(tmp_path: Path) -> None:
    """One is back on another gateway within the lease: never shown as gone, and gone at once when they leave. One does not
    come back: shown as gone when its lease is over."""

    async def game(stack: Stack) -> None:
        async with duel(stack.urls, start=False) as (one, two), duel(stack.urls, start=False) as (host, lost):
            lost.urls = [stack.urls[1]]
            stack.gateway[1].kill()
            await two.until(lambda c: c.closes)
            await two.ready()
            await asyncio.to_thread(wait_until, lambda: holders(stack, one.room, two.player) == 2)
            await host.until(lambda c: not c.view["seats"]["1"]["connected"])
            await asyncio.to_thread(wait_until, lambda: holders(stack, one.room, two.player) == 1)
            assert not [event for event in one.events if event["type"] == "disconnected"]
            await two.close()
            await one.until(lambda c: not c.view["seats"]["1"]["connected"])

    with Stack(tmp_path, gateways=2) as stack:
        run(game(stack))


def test_a_cut_without_a_word_loses_nothing(pair: Stack) -> None:
    """Both gateways behind proxies that delay, then go silent, then cut: the client resumes on the other one with every
    event in between and its unanswered action done once."""

    async def game() -> None:
        with Proxy(pair.gateway[0].port) as first, Proxy(pair.gateway[1].port) as second:
            urls = [f"http://127.0.0.1:{proxy.port}" for proxy in (first, second)]
            async with duel(pair.urls) as (one, two):
                token, session, last = two.token, two.session, two._last_id
                await two.close()
                async with Client(urls, one.room, token, session=session) as far:
                    far._last_id = last
                    first.delay_s = second.delay_s = 0.03
                    seen = len(far.events), far.version
                    first.hole = True  # its own action and the other's are on their way
                    asked = asyncio.create_task(far.act(far.seat, CHOOSE))
                    await one.act(one.seat, {"type": "choose", "hand": "paper"})
                    assert not asked.done()
                    far._socket.transport.abort()
                    await asked
                    await same(one, far)
                    assert len(far.events) - seen[0] == far.version - seen[1], "an event was lost or came twice"
                    first.hole = False
                    far_was = far.snapshots
                    await far.drop(url=0)
                    await far.ready()
                    second.hole = True
                    assert far.snapshots == far_was + 1
                    turn = one.view["turn"]
                    await far.act(far.seat, CHOOSE, turn)
                    await one.act(one.seat, {"type": "choose", "hand": "paper"}, turn)
                    await same(one, far)
                    log = await audited(pair, one)
                    acts = [entry for entry in log.entries if b'"act"' in entry.data]
                    assert len(acts) == 4 and len({entry.origin for entry in acts}) == 4

    run(game())
