"""Goal: a server that lost its last second (P1, `everysec`) is believed by gateways and workers that remember that second.

Method: the end of the append-only file is cut off while the server is down; the other processes live on.
"""

from pathlib import Path

from services.client import Client, create_room
from tests.services.test_client import audited, run
from tests.services.test_steps import ask
from tests.stack import Stack


def now(stack: Stack) -> tuple[Path, int]:
    """The append-only file as it is."""
    log = sorted((stack.folder / "valkey").rglob("*.incr.aof"))[-1]
    return log, log.stat().st_size


def back_to(stack: Stack, log: Path, size: int) -> None:
    """The server dies, and what it wrote since then is lost."""
    stack.server.kill()
    with log.open("r+b") as file:
        file.truncate(size)
    stack.server.start()


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
            moment = now(stack)
            await one.start()
            for client in (one, two, three):
                await client.until(lambda c: c.view["phase"] == "playing")
            back_to(stack, *moment)
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


def test_steps_tell_nothing_of_what_was_lost(tmp_path: Path) -> None:
    async def play(stack: Stack) -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls, room, token) as one:
            await one.join("하나", nonce=False)
            moment = now(stack)
            await one.configure({"showPreview": False})
            version = one.version
            _, lost = await ask(stack.urls[0], room, 1, version)
            assert lost["view"]["options"]["showPreview"] is False
            back_to(stack, *moment)
            await one.until(lambda c: c.version < version)
            await one.ready_up()
            await one.until(lambda c: c.version == version)
            _, page = await ask(stack.urls[0], room, 1, version)
            assert page["view"]["options"] == one.view["options"] != lost["view"]["options"]

    with Stack(tmp_path) as stack:
        run(play(stack))
