"""Goal: a server that lost its last second (P1, `everysec`) is believed by gateways and workers that remember that second.

Method: the end of the append-only file is cut off while the server is down; the other processes live on.
"""

from pathlib import Path

from services.client import Client, create_room
from tests.services.test_client import audited, run
from tests.stack import Stack


def test_a_game_that_was_never_started_hides_nobodys_seat(tmp_path: Path) -> None:
    """The start is lost; whoever then takes a seat is no stranger to a gateway that saw the game run without them."""

    async def play(stack: Stack) -> None:
        room, token = await create_room(stack.urls[0], "yacht", {"turnSeconds": None})
        async with (
            Client(stack.urls, room, token) as one,
            Client(stack.urls, room) as two,
            Client(stack.urls, room) as three,
        ):
            await one.join("하나", nonce=False)
            await two.join("둘", nonce=False)
            await three.until(lambda c: len(c.view["seats"]) == 2)
            log = sorted((stack.folder / "valkey").rglob("*.incr.aof"))[-1]
            size = log.stat().st_size
            await one.start()
            for client in (one, two, three):
                await client.until(lambda c: c.view["phase"] == "playing")
            stack.server.kill()
            with log.open("r+b") as file:
                file.truncate(size)
            stack.server.start()
            for client in (one, two, three):
                await client.until(lambda c: c.view["phase"] == "lobby")
            await three.join("셋", nonce=False)
            await three.ready_up()
            await one.start()
            await three.until(lambda c: c.view["phase"] == "playing" and len(c.view["seats"]) == 3)
            for client in (one, two, three):
                await client.act(client.seat, {"type": "concede"})
            await three.until(lambda c: c.view["phase"] == "over")
            await audited(stack, one)

    with Stack(tmp_path) as stack:
        run(play(stack))
