"""Goal: a server that lost its last second (P1, `everysec`) is believed by gateways and workers that remember that second.

Method: the end of the append-only file is cut off while the server is down; the other processes live on.
"""

import asyncio
from pathlib import Path

from services.client import Client, create_room
from services.store.read import read_room
from services.store.redis import Caller, connect
from tests.services.test_client import audited, run
from tests.services.test_steps import ask
from tests.stack import Stack, wait_until


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


def _connected(stack: Stack, room: str, name: str) -> bool:
    """Whether the log, as it is now, has this player at the table."""

    async def look() -> bool:
        caller = Caller(connect(stack.server.url))
        try:
            return next(
                seat.connected for seat in (await read_room(caller, room))[2].seats if seat and seat.player == name
            )
        finally:
            await caller.close()

    return asyncio.run(look())


def test_who_is_here_is_told_again_to_a_server_that_lost_it(tmp_path: Path) -> None:
    """One came back in the lost moment, one went: neither is shown, nor played for, as they were before it."""

    async def play(stack: Stack) -> None:
        room, token = await create_room(stack.urls[0], "yacht", {"turnSeconds": None})
        async with Client(stack.urls, room, token) as stays, Client(stack.urls, room) as comes:
            goes = await Client(stack.urls, room).__aenter__()
            for number, client in enumerate((stays, comes, goes)):
                await client.join(f"p{number}")
            await stays.start()
            await stays.until(lambda c: c.view["phase"] == "playing")
            back, gone = comes.player, goes.player

            def here(client: Client, player: str) -> bool:
                return next(seat["connected"] for seat in client.view["seats"].values() if seat["player"] == player)

            await comes.close()
            await stays.until(lambda c: not here(c, back))
            moment = now(stack)
            await goes.close()
            await stays.until(lambda c: not here(c, gone))
            async with Client(stack.urls, room, comes.token):
                await stays.until(lambda c: here(c, back))
                await asyncio.to_thread(back_to, stack, *moment)
                for player, so in ((back, True), (gone, False)):
                    await asyncio.to_thread(
                        wait_until, lambda p=player, s=so: _connected(stack, room, p) is s, 30, lambda p=player: p
                    )
                await stays.until(lambda c: here(c, back) and not here(c, gone))

    with Stack(tmp_path) as stack:
        run(play(stack))
