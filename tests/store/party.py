"""A room that goes through several games: players with sessions, a worker in this process, and time that can pass.

The worker is the real Drainer, run for one term whenever a test says so: nothing happens between two lines of a test.
Time passes by an entry whose id lies ahead, as after a jump of the server's clock: all later ids of the room follow it.
"""

import hashlib
import secrets
from contextlib import asynccontextmanager

import msgspec

import engine.games
from engine.fold import entry_ms
from engine.kit import kit
from engine.rng import commitment
from engine.room.deadline import due
from engine.room.lobby import reopening
from engine.room.state import Room
from schemas import entry as cmd
from schemas.base import encode
from services.settings import Settings
from services.store.keys import channel, key, part_key
from services.store.publication import Publication, decode_publication
from services.store.read import read_room
from services.worker.drain import Drainer
from tests.store.table import ROOM, Store

engine.games.add("tests.games.duel")

UNTIMED = {"turnSeconds": None}


def nonce_of(player: str) -> bytes:
    return hashlib.sha256(f"nonce of {player}".encode()).digest()


def worker(store: Store, **settings: int) -> Drainer:
    """A worker that has seen nothing yet and does not linger."""
    return Drainer(store.caller, Settings(linger_ms=0, **settings), "door:test")


@asynccontextmanager
async def party(url: str, *players: str, game: str = "yacht", room: str = ROOM, **settings: object):
    """A room of the first player's, its lobby open, everyone seated."""
    made = Party(url, room)
    try:
        await made.open(players[0], game, cmd.Settings(**settings))
        for player in players:
            await made.send(cmd.Join(player))
        await made.work()
        yield made
    finally:
        await made.caller.close()


class Party(Store):
    def __init__(self, url: str, room: str = ROOM):
        super().__init__(url, room)
        self.numbers: dict[str, int] = {}
        self.drainer = worker(self)

    async def open(self, host: str, game: str, settings: cmd.Settings, options: dict | None = None) -> bytes:
        await self.open_house()
        secret = secrets.token_bytes(32)
        options = UNTIMED if options is None else options
        opening = cmd.Open(host, game, 1, options, settings, commitment(secret))
        assert await self.writer.create(self.room, game, encode(opening), secret.hex())
        return secret

    @property
    def n(self):
        return self.get("n")

    async def send(self, command: cmd.AnyCommand, n: int | None = None, private: bytes = b""):
        """A player's next command, from that player's own session, to the room's current game."""
        player = command.player
        self.numbers[player] = number = self.numbers.get(player, 0) + 1
        return await self.again(command, number, n, private)

    async def again(self, command: cmd.AnyCommand, number: int, n: int | None = None, private: bytes = b""):
        """The same as `send` under a number of one's choice."""
        n = int(await self.n) if n is None else n
        session = f"tab-{command.player}"
        nickname = command.player if isinstance(command, cmd.Join) else ""
        data = encode(command)
        return await self.writer.append(
            self.room, n, session, number, data, private.hex(), command.player if nickname else "", nickname
        )

    async def system(self, data: bytes, after_ms: int = 0) -> bytes:
        """An entry of the system; with after_ms, from that much later than anything in the log."""
        name = key("a", f"{self.room}/{int(await self.n)}")
        last = (await self.caller.call("XREVRANGE", name, "+", "-", "COUNT", 1))[0][0]
        at = f"{entry_ms(last) + after_ms}-0" if after_ms else "*"
        entry = await self.caller.call("XADD", name, at, "d", data)
        await self.caller.call("ZADD", part_key("ready", self.part), "NX", entry_ms(entry), self.room)
        return entry

    async def work(self, drainer: Drainer | None = None) -> None:
        """One term of a worker: everything that waits in the partition is decided, and what follows is done."""
        await self.writer.sweep(self.part)
        await (drainer or self.drainer).run(self.part, await self.epoch())

    async def work_and_die(self, drainer: Drainer | None = None) -> None:
        """Everything that waits is decided by a worker that dies before it does what should follow its last commit."""
        await self.writer.sweep(self.part)
        drainer = drainer or self.drainer
        reply = await self.turn()
        while reply.claims:
            commits, failed = await drainer._fold(reply.claims)
            reply = await self.turn(commits, failed=failed)

    async def state(self) -> Room:
        return (await read_room(self.caller, self.room))[2]

    async def expire(self) -> None:
        """Time passes until the room's deadline is over, and the scheduler sees it."""
        room = await self.state()
        wait = due(kit(room.game), room).at_ms - entry_ms(await self.last())
        if wait > 0:
            await self.system(b'{"type":"connected","player":"nobody"}', wait)
            await self.work()
        await self.caller.call("ZADD", part_key("due", self.part), "XX", 0, self.room)
        assert (await self.writer.due(self.part))[0] >= 1
        await self.work()

    async def last(self) -> bytes:
        """Id of the last entry of the current game."""
        name = key("a", f"{self.room}/{int(await self.n)}")
        return (await self.caller.call("XREVRANGE", name, "+", "-", "COUNT", 1))[0][0]

    async def finish(self, hands: tuple[bytes, bytes] = (b"rock", b"paper")) -> None:
        """Start and play the current game to its end: Yacht by giving up, a duel by showing these hands."""
        room = await self.state()
        await self.send(cmd.Start(room.host))
        await self.work()
        while (room := await self.state()).phase == "playing":
            for seat, one in enumerate(room.seats):
                action = b'{"type":"concede"}'
                if room.game == "duel":
                    action = b'{"type":"choose","hand":"%s"}' % hands[seat]
                await self.send(cmd.Act(one.player, seat, msgspec.Raw(action)))
            await self.work()
        assert room.phase == "over"

    async def vote(self, *players: str) -> None:
        for player in players:
            await self.send(cmd.Rematch(player))

    async def agree(self) -> Room:
        """Everyone votes and it is decided, by a worker that dies before it opens the next game."""
        await self.vote(*(seat.player for seat in (await self.state()).seats))
        await self.work_and_die()
        room = await self.state()
        assert room.next_seated
        return room

    async def move_on(self, room: Room, n: int | None = None, cursor: bytes | None = None) -> bool:
        """next.lua for a room that agreed, as a worker calls it."""
        secret = secrets.token_bytes(32)
        n = int(await self.n) if n is None else n
        cursor = await self.get("cur") if cursor is None else cursor
        return await self.writer.next_game(
            self.room, n, cursor, reopening(kit(room.game), room, secret), secret.hex(), room.next_seated
        )


@asynccontextmanager
async def heard(store: Store):
    """What is published on the room's channel: a function that returns everything since it was last asked."""
    pubsub = store.caller.redis.pubsub()
    name = channel(store.room)
    await pubsub.subscribe(name)
    await pubsub.get_message(timeout=60)
    marks = 0

    async def since() -> list[bytes]:
        nonlocal marks
        marks += 1
        mark = b"mark %d" % marks
        await store.caller.call("PUBLISH", name, mark)
        found: list[bytes] = []
        while True:
            message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=60)
            assert message is not None, "the channel is silent"
            if message["data"] == mark:
                return found
            found.append(message["data"])

    try:
        yield since
    finally:
        await pubsub.aclose()


def publications(messages: list[bytes]) -> list[Publication]:
    others = (b"names", b"people ", b"said ")
    return [decode_publication(data) for data in messages if not data.startswith(others)]
