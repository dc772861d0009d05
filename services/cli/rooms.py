"""`noripan rooms`: what is in the store and how it is doing, for whoever runs the place.

A line for each room: phase, version, entries that no worker has read yet, when the deadline is, and how the room's
partition is being looked after (a lease that is over with unread entries waiting means that nobody works). Rooms that
cannot be read are listed as damaged and not left out.
"""

from typing import Any

import click
import msgspec

from schemas.base import encode
from services.cli._log import all_rooms, plain, run
from services.store.clock import server_ms
from services.store.keys import key, part_key, partition
from services.store.read import LostEvents, read_room
from services.store.redis import Caller


class Line(msgspec.Struct, omit_defaults=True):
    """due_in_ms: below 0 when it is overdue, absent when there is none. lease_ms: what is left of the worker's lease on
    the partition, absent when no worker holds it. claims: of workers that did not commit.
    """

    room: str
    n: int
    game: str
    phase: str
    version: int
    players: int
    unread: int
    partition: int
    epoch: int
    due_in_ms: int | None = None
    lease_ms: int | None = None
    claims: int = 0


@click.command("rooms")
@click.option("--json", "as_json", is_flag=True, help="A JSON line for each room.")
def command(as_json: bool) -> None:
    """List the rooms: phase, version, unread entries, deadline, and who looks after their partition."""
    run(lambda caller, settings: rooms(caller, as_json))


async def rooms(caller: Caller, as_json: bool) -> int:
    lines = [line for room in await all_rooms(caller) if (line := await look(caller, room)) is not None]
    if as_json:
        for line in lines:
            click.echo(encode(line))
        return 0
    head = ("room", "game", "phase", "version", "players", "unread", "deadline", "partition", "lease")
    table = [head, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    for row in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


async def look(caller: Caller, room: str) -> Line | None:
    """A room's line; None: it is gone."""
    part = partition(room)
    h = await caller.call("HMGET", key("r", room), "n", "g", "v", "d", "due", "claims")
    if h[0] is None:
        return None
    m = await caller.call("HMGET", part_key("m", part), "epoch", "job", "lease")
    length = await caller.call("XLEN", key("a", f"{room}/{int(h[0])}"))
    at_ms = await server_ms(caller)
    try:
        found = await read_room(caller, room)
        state = None if found is None else found[2]
        phase = "opening" if state is None and not int(h[2]) else "damaged" if state is None else state.phase
        players = 0 if state is None else sum(seat is not None for seat in state.seats)
    except KeyError:
        phase, players = "no such game installed", 0
    except (LostEvents, msgspec.MsgspecError):
        phase, players = "damaged", 0
    held = m[1] is not None and m[2] is not None
    return Line(
        room,
        int(h[0]),
        plain((h[1] or b"").decode(errors="replace")),
        phase,
        int(h[2]),
        players,
        length - int(h[3]),
        part,
        int(m[0] or 0),
        int(h[4]) - at_ms if h[4] else None,
        int(m[2]) - at_ms if held else None,
        int(h[5] or 0),
    )


def _cells(line: Line) -> tuple[str, ...]:
    claims = f" ({line.claims} claims)" if line.claims > 1 else ""
    return (
        f"{line.room}/{line.n}",
        line.game,
        line.phase,
        str(line.version),
        str(line.players),
        f"{line.unread}{claims}",
        _span(line.due_in_ms, "none", "overdue"),
        f"p{line.partition:02d}:{line.epoch}",
        _span(line.lease_ms, "none", "over"),
    )


def _span(ms: Any, none: str, over: str) -> str:
    if ms is None:
        return none
    return f"{ms / 1000:.1f} s" if ms >= 0 else f"{over} {-ms / 1000:.1f} s"
