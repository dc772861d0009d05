"""A client in Python: for bots, the load test, the bench and every test that needs a player.

room, token = await create_room(url, "yacht")
async with Client(url, room, token) as client:
    await client.join("민수")
    await client.start()
    await client.act(client.seat, {"type": "roll"})
"""

from services.client.client import Client
from services.client.http import (
    ApiError,
    call,
    claim,
    create_room,
    further_player,
    move_code,
    new_player,
    public_rooms,
)
from services.client.outcome import Closed, Done, Rejected

__all__ = [
    "ApiError",
    "Client",
    "Closed",
    "Done",
    "Rejected",
    "call",
    "claim",
    "create_room",
    "further_player",
    "move_code",
    "new_player",
    "public_rooms",
]
