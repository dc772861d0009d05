"""Rooms and people for the tests of table manners."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from services.client import Client, create_room
from services.store.keys import key
from tests.stack import Stack

CHOOSE = {"type": "choose", "hand": "rock"}


@contextlib.asynccontextmanager
async def duel(
    urls: list[str], settings: dict[str, Any] | None = None, start: bool = True, nonce: bool = False, game: str = "duel"
) -> AsyncIterator[tuple[Client, Client]]:
    """Host and guest on different gateways, seated, and playing with `start`."""
    room, token = await create_room(urls[0], game, {}, settings)
    async with Client(urls, room, token) as one, Client(urls, room, first=1) as two:
        await one.join("하나", nonce=nonce)
        await two.join("둘", nonce=nonce)
        for client in (one, two):
            await client.until(lambda c: len(c.view["seats"]) == 2)
        if start:
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
        yield one, two


async def finish(*clients: Client) -> None:
    """Play a duel to its end; `clients` hold both seats."""
    hands = ("rock", "scissors")
    while clients[0].view["phase"] == "playing":
        turn = clients[0].view["turn"]
        for client in clients:
            for seat in client.seats:
                if clients[0].view["turn"] == turn and seat in clients[0].view["table"]["chosen"]:
                    continue  # already
                await client.act(seat, {"type": "choose", "hand": hands[seat]}, turn)
        await clients[0].until(lambda c, turn=turn: c.view.get("turn") != turn)
    for client in clients:
        await client.until(lambda c: c.view["phase"] == "over")


def codes(rooms: list[dict]) -> set[str]:
    """The rooms of a list."""
    return {room["room"] for room in rooms}


def holders(stack: Stack, room: str, player: str) -> int:
    """How many gateways count as holding sockets of the player."""
    return len((stack.redis.hget(key("s", room), player) or b"").split())
