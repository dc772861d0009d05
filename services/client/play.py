"""A player without ambition: any legal action, until the game is over."""

import asyncio
import random
from typing import Any

from services.client.client import Client
from services.client.outcome import Closed, Rejected

LATE = frozenset({"not_your_turn", "stale_turn", "stale_view", "deadline_passed", "not_playing"})
TURN_S_MAX = 600
BUSY = frozenset({"rate_limited", "unavailable"})


def choose(actions: tuple[Any, ...], rng: random.Random) -> dict:
    """A kind of action first, then one of it, so that the many ways to hold dice do not crowd out the rest. Nobody gives
    up while there is something else to do."""
    kinds: dict[str, list[dict]] = {}
    for action in actions:
        kinds.setdefault(action["type"], []).append(action)
    if len(kinds) > 1:
        kinds.pop("concede", None)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


async def play_to_end(client: Client, seat: int, rng: random.Random, version_max: int = 2**53) -> dict[str, Any]:
    """Act for `seat` whenever it may. Returns the view when the game is over, or has reached `version_max`.

    Raises Rejected for what a legal action must not get, Closed when the client is.
    """

    def over(c: Client) -> bool:
        return c.view.get("phase") == "over" or c.version >= version_max

    def mine(c: Client) -> bool:
        return c.view.get("phase") == "playing" and seat in c.view.get("acting", ())

    while not over(client):
        if not mine(client):
            await client.until(lambda c: over(c) or mine(c), TURN_S_MAX)
            continue
        version, turn = client.version, client.view.get("turn")
        try:
            legal = await client.legal(seat)
            if not legal.actions:
                await client.until(lambda c, seen=version: c.version > seen, TURN_S_MAX)
                continue
            await client.act(seat, choose(legal.actions, rng), turn, legal.version)
        except Rejected as error:
            if error.code in BUSY:
                await asyncio.sleep(rng.uniform(0.2, 0.6))
            elif error.code not in LATE:
                raise
        except Closed:
            await client.ready()  # raises when it is for good
    return client.view
