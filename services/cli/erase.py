"""`noripan erase PLAYER`: forget a person. What is personal is kept apart from the logs, so that it can go and they stay.

Gone are the nickname in every room, and every line of chat; the player's tokens are void, so that nothing new comes under
this id. Logs name players by id alone, and an id belongs to nobody any more: every game still re-executes and verifies.
"""

import re

import click

from services.cli._log import Usage, run
from services.gateway.talk import remark_of
from services.store.keys import PLAYERS
from services.store.redis import Caller

_is_player = re.compile(r"[0-9A-Za-z_-]{1,24}").fullmatch


@click.command("erase")
@click.argument("player")
def command(player: str) -> None:
    """Forget a person by their player id: nickname and chat everywhere, and their tokens. Games stay, and verify."""
    if not _is_player(player):
        raise Usage(f"{player!r}: expected a player id, as in `noripan replay`")
    run(lambda caller, settings: erase(caller, player))


async def erase(caller: Caller, player: str) -> int:
    """What was removed, said on stdout."""
    names = lines = 0
    async for name in _keys(caller, "{p[0-9][0-9]}:[nw]:*"):
        names += await caller.call("HDEL", name, player)
    async for name in _keys(caller, "{p[0-9][0-9]}:c:*"):
        for frame in await caller.call("LRANGE", name, 0, -1):
            remark = remark_of(frame)
            if remark is not None and remark.player == player:
                lines += await caller.call("LREM", name, 0, frame)
    generation = await caller.call("HINCRBY", PLAYERS, player, 1)
    await caller.call("PUBLISH", PLAYERS, f"{player} {generation}")  # their sockets are closed at once
    click.echo(f"{player}: {names} names and {lines} lines of chat removed, tokens void")
    return 0


async def _keys(caller: Caller, pattern: str):
    cursor = b"0"
    while True:
        cursor, page = await caller.call("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
        for name in page:
            yield name.decode()
        if cursor == b"0":
            return
