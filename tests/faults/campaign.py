"""Rooms full of scripted players, and the judge who looks at the log afterwards.

Clients note what they were told; the judge reads the streams and knows nothing of what the faults did. Every acknowledged
action is in the log once and decided once, versions have no gap, and what players saw last is what the log says.
"""

import asyncio
import contextlib
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import msgspec

from engine.fold import verify
from engine.game import SPECTATOR, Seated
from engine.room.view import room_view
from schemas.base import encode
from services.client import Client, Closed, Rejected, create_room
from services.client.play import BUSY, LATE, choose
from services.store.read import read_log
from services.store.redis import Caller, connect

QUICK = {"turnSeconds": None, "showPreview": False}


@dataclass
class Table:
    """One room: its players, when it moved, and what was acknowledged and done as (origin, entry)."""

    room: str
    players: list[Client] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    done: list[tuple[str, str]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return all(player.view.get("phase") == "over" for player in self.players)


@contextlib.asynccontextmanager
async def tables(urls: list[str], count: int, game: str = "yacht", options: dict | None = None, seats: int = 2):
    """`count` rooms in play, their players spread over the gateways."""
    async with contextlib.AsyncExitStack() as open_clients:
        found = await asyncio.gather(*(_table(open_clients, urls, i, game, options, seats) for i in range(count)))
        yield found


async def _table(open_clients, urls, index, game, options, seats) -> Table:
    room, token = await create_room(urls[index % len(urls)], game, QUICK if options is None else options)
    table = Table(room)
    for number in range(seats):
        client = Client(urls, room, None if number else token, first=index + number)
        table.players.append(await open_clients.enter_async_context(client))
        await client.join(f"p{number}")
    await table.players[0].start()
    for client in table.players:
        await client.until(lambda c: c.view["phase"] == "playing")
    return table


class Pace:
    """How many moves may be made: as many as were given, then any number after `open`. For a fault that has to come while
    games are played, however long it takes."""

    def __init__(self) -> None:
        self._moves, self._open = asyncio.Semaphore(0), False

    def give(self, moves: int) -> None:
        for _ in range(moves):
            self._moves.release()

    def open(self) -> None:
        self._open = True
        self.give(1)

    async def move(self) -> None:
        await self._moves.acquire()
        if self._open:
            self._moves.release()


async def play(table: Table, seed: int, pause_s: float = 0.0, pace: Pace | None = None) -> None:
    """Play a room to its end with random legal actions, each player on its own connection."""
    rng = random.Random(seed)
    await asyncio.gather(
        *(_player(table, client, random.Random(rng.random()), pause_s, pace) for client in table.players)
    )


async def _player(table: Table, client: Client, rng: random.Random, pause_s: float, pace: Pace | None) -> None:
    while client.view["phase"] != "over":
        seat = client.seat
        await client.until(lambda c, seat=seat: c.view["phase"] == "over" or seat in c.view.get("acting", ()), 600)
        if client.view["phase"] == "over":
            return
        try:
            legal = await client.legal(seat)
            if not legal.actions:
                await asyncio.sleep(0.01)
                continue
            if pace is not None:
                await pace.move()
            outcome = await client.act(seat, choose(legal.actions, rng))
            table.done.append((client.session, outcome.entry))
            table.moves.append(time.monotonic())
        except Closed:
            await client.ready()
        except Rejected as error:
            if error.code in BUSY:
                await asyncio.sleep(0.2)
            elif error.code not in LATE:
                raise
        if pause_s:
            await asyncio.sleep(rng.uniform(0, 2 * pause_s))


async def judge(url: str, found: list[Table]) -> Counter:
    """Raises AssertionError with the room and what is wrong; counts of what was looked at."""
    caller = Caller(connect(url))
    total: Counter = Counter()
    try:
        for table in found:
            log = await read_log(caller, table.room)
            report = verify(log.kit, log.game_id, log.entries, log.events, log.parked, log.head)
            assert report.ok, (table.room, report.where, report.what)
            waiting = await caller.call("XLEN", f"{{p{_part(table.room):02d}}}:a:{log.game_id}")
            assert waiting == len(log.entries), (table.room, "entries are left undecided")
            origins = Counter(entry.origin for entry in log.entries if entry.origin)
            twice = [origin for origin, times in origins.items() if times > 1]
            assert not twice, (table.room, "in the log more than once", twice)
            present = {entry.id.decode() for entry in log.entries}
            lost = [entry for _, entry in table.done if entry not in present]
            assert not lost, (table.room, "acknowledged, not in the log", lost)
            for client in table.players:
                viewer = SPECTATOR if client.seat is None else Seated(client.seat)
                view = msgspec.json.decode(encode(room_view(log.kit, report.room, viewer)))
                other = {name: (client.view.get(name), view.get(name)) for name in client.view.keys() | view.keys()}
                other = {name: pair for name, pair in other.items() if pair[0] != pair[1]}
                versions = (client.version, report.events)
                assert not other, (table.room, "a player's view is not that of the log", client.seat, versions, other)
            total.update(rooms=1, entries=report.entries, events=report.events, actions=len(table.done))
    finally:
        await caller.close()
    return total


def _part(room: str) -> int:
    from services.store.keys import partition

    return partition(room)


def still_after(table: Table, moment: float) -> float:
    """Seconds from `moment` until the room moved again; 0 when it was over by then."""
    after = [moved - moment for moved in table.moves if moved > moment]
    return min(after) if after else 0.0
