"""Goal: a pulled cable is noticed within the heartbeat. Method: a proxy drops every packet of the player in turn without an
end; the player is shown as gone, the grace counts from there, the automatic action follows, and nothing of the socket stays.
"""

import asyncio
from pathlib import Path

from services.client import Client, create_room
from tests.proxy import Proxy
from tests.services.manners_kit import CHOOSE, holders
from tests.services.test_client import run
from tests.stack import Stack

HEARTBEAT_S = 3


def test_a_pulled_cable_is_noticed_within_the_heartbeat(tmp_path: Path) -> None:
    """Field report 42: no packet of one arrives any more, and no end. Within the heartbeat the player is shown as gone, the
    grace counts from there, the automatic action follows, and the gateway holds nothing of them."""

    async def game(stack: Stack) -> None:
        with Proxy(stack.gateway[1].port) as proxy:
            room, token = await create_room(stack.urls[0], "duel")
            async with (
                Client(stack.urls[0], room, token) as one,
                Client([f"http://127.0.0.1:{proxy.port}"], room) as two,
            ):
                await one.join("하나")
                await two.join("둘")
                await one.start()
                for client in (one, two):
                    await client.until(lambda c: c.view["phase"] == "playing")
                await one.act(one.seat, CHOOSE)
                seat = str(two.seat)
                proxy.hole = True
                await one.until(lambda c: not c.view["seats"][seat]["connected"])
                assert one.view["deadline"]["absent"] is True
                dropped = one.receipts[-1].entry
                await one.until(lambda c: c.view["table"]["round"] == 2)
                assert [event["cause"] for event in one.events if event["type"] == "timed_out"] == ["absent"]
                grace_s = (int(one.receipts[-1].entry.partition("-")[0]) - int(dropped.partition("-")[0])) / 1000
                assert grace_s > 4.9, grace_s
                assert holders(stack, room, two.player) == 0
                assert await asyncio.to_thread(stack.redis.pubsub_numsub, f"v:{room}") == [(f"v:{room}".encode(), 1)]
                two._socket.transport.abort()

    with Stack(tmp_path, gateways=2, env={"NORIPAN_HEARTBEAT_S": str(HEARTBEAT_S)}) as stack:
        run(game(stack))
