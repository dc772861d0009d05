"""Goal: an outage of one player's network never leaves that player with a game of their own. Method: a proxy swallows a roll
without closing; the same roll goes out again over a new connection to the other gateway; it is one roll in the log, and both
players stand at the same version with the same view.
"""

import asyncio
import json

from services.client import Client
from tests.proxy import Proxy
from tests.services.test_client import audited, chooser, run, same, table
from tests.stack import Stack


def test_a_black_hole_between_client_and_gateway(stack: Stack) -> None:
    """Field report 1: the connection swallows a roll without closing; the same roll over a new one counts once."""

    async def play() -> None:
        with Proxy(stack.gateway[0].port) as proxy:
            async with table(stack) as (one, two):
                await two.drop(url=1)
                mover = await chooser(one, two)
                token, room, session, last = mover.token, mover.room, mover.session, mover._last_id
                other = two if mover is one else one
                await mover.close()
                held = [f"http://127.0.0.1:{proxy.port}", stack.urls[1]]
                async with Client(held, room, token, session=session) as moved:
                    moved._last_id = last
                    proxy.hole = True
                    asked = asyncio.create_task(moved.act(moved.seat, {"type": "roll"}))
                    done, _ = await asyncio.wait([asked], timeout=0.5)
                    assert not done
                    moved._socket.transport.abort()  # the client notices that nobody answers, and turns to another gateway
                    await asked
                    await same(moved, other)
                    log = await audited(stack, moved)
                    assert sum(json.loads(data)["type"] == "rolled" for data in log.events) == 1

    run(play())
