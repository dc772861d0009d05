"""Games for the tests of `noripan replay`, `audit` and `rooms`: played by real processes in a real server.

One worker and one scheduler play a whole Yacht game and a piece of another once for each test file; then they are
stopped, and the tests read what is in the server. A test that tampers does so with stock commands, as somebody with
access to Redis would; the rooms' keys are put back afterwards.
"""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import redis
from click.testing import CliRunner, Result

from engine.chain import FORMAT
from engine.games.yacht import types as t
from engine.rng import commitment
from schemas import entry as cmd
from schemas.base import encode
from services.cli.main import cli
from services.store.keys import channel, key
from services.store.publication import NAMES, decode_publication
from services.store.read import read_room
from services.store.redis import Caller, connect
from services.store.server import embedded
from services.store.write import Writer

ROOT = Path(__file__).parents[2]
DONE, LIVE, LOBBY = "K7Q2MX", "ABCDEF", "QQQQQQ"
ROOM_S = 120.0


def secret_of(room: str) -> bytes:
    return hashlib.sha256(f"secret of {room}".encode()).digest()


def nonce_of(player: str) -> bytes:
    return hashlib.sha256(f"nonce of {player}".encode()).digest()


class Client:
    """Plays one room through the store's own append, as a gateway does."""

    def __init__(self, url: str, room: str, options: dict) -> None:
        self.caller = Caller(connect(url))
        self.writer = Writer(self.caller)
        self.room, self.options, self.number = room, options, 0
        self.redis = connect(url, timeout_s=None)
        self.receipts: list[tuple[str, str]] = []

    async def __aenter__(self) -> "Client":
        await self.writer.serve("kit", 3_600_000)
        self.pubsub = self.redis.pubsub()
        await self.pubsub.subscribe(channel(self.room))
        opened = cmd.Open(
            "ann", "yacht", 2, self.options, cmd.Settings(), commitment(secret_of(self.room)), format=FORMAT
        )
        assert await self.writer.create(self.room, "yacht", encode(opened), secret_of(self.room).hex())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.redis.aclose()
        await self.caller.close()

    async def send(self, command: cmd.AnyCommand, private: bytes = b"") -> None:
        """Append, and wait until it is decided and published (or refused)."""
        self.number += 1
        nickname = "민수" if isinstance(command, cmd.Join) and command.player == "ann" else ""
        await self.writer.append(
            self.room, 1, "test", self.number, encode(command), private.hex(), command.player, nickname
        )
        async with asyncio.timeout(ROOM_S):
            async for message in self.pubsub.listen():
                if message["type"] != "message" or message["data"].startswith(NAMES):
                    continue
                published = decode_publication(message["data"])
                if "public" in published.updates:
                    update = json.loads(published.updates["public"])
                    self.receipts.append((update["entry"], update["head"]))
                    if ["test", self.number] in update.get("done", ()):
                        return
                frames = [json.loads(frame) for frame in published.rejects.get("test", ())]
                if any(frame["id"] == self.number for frame in frames):
                    return

    async def begin(self) -> None:
        await self.send(cmd.Join("ann", None, commitment(nonce_of("ann"))))
        await self.send(cmd.Join("ben"))
        await self.send(cmd.Start("ann"))
        await self.send(cmd.Nonce("ann"), nonce_of("ann"))

    async def play(self, turns: int) -> None:
        """Turns of two rolls and the first open box; each begins with a roll out of turn, which is refused."""
        for _ in range(turns):
            _, k, room = await read_room(self.caller, self.room)
            seat = k.game.deadline(room.state).seats[0]
            players = [one.player for one in room.seats]
            await self.act(players[1 - seat], 1 - seat, t.Roll())
            await self.act(players[seat], seat, t.Roll())
            await self.act(players[seat], seat, t.SetHold((True, True, False, False, False)))
            await self.act(players[seat], seat, t.Roll())
            _, k, room = await read_room(self.caller, self.room)
            box = next(one for one in k.game.legal(room.state, seat) if type(one) is t.Score)
            await self.act(players[seat], seat, box)

    async def act(self, player: str, seat: int, action: object) -> None:
        await self.send(cmd.Act(player, seat, msgspec.Raw(encode(action))))


async def play_all(url: str) -> dict[str, list[tuple[str, str]]]:
    receipts = {}
    async with Client(url, DONE, {"showPreview": False}) as client:
        await client.begin()
        await client.play(24)
        receipts[DONE] = client.receipts
    async with Client(url, LIVE, {"turnSeconds": None}) as client:
        await client.begin()
        await client.play(3)
        receipts[LIVE] = client.receipts
    async with Client(url, LOBBY, {}) as client:
        await client.send(cmd.Join("ann"))
        await client.send(cmd.Join("ann"))
    return receipts


class Store:
    """The server with the games in it. `noripan` runs a command in this process."""

    def __init__(self, url: str, receipts: dict[str, list[tuple[str, str]]]) -> None:
        self.url, self.receipts = url, receipts
        self.redis = redis.Redis.from_url(url)

    def noripan(self, *args: str) -> Result:
        return CliRunner().invoke(cli, args, env={"REDIS_URL": self.url}, prog_name="noripan")

    def stream(self, kind: str, room: str = DONE) -> list[tuple[bytes, dict]]:
        return self.redis.xrange(key(kind, f"{room}/1"))

    def rewrite(self, kind: str, items: list[tuple[bytes, dict]], room: str = DONE) -> None:
        name = key(kind, f"{room}/1")
        self.redis.delete(name)
        for entry_id, fields in items:
            self.redis.xadd(name, fields, entry_id)


def served(folder: Path) -> Iterator[Store]:
    """For a fixture: a server with the games played, stopped at the end."""
    with embedded(folder / "valkey") as server:
        env = {**os.environ, "REDIS_URL": server.url, "NORIPAN_DATA_DIR": str(folder)}
        processes = [
            subprocess.Popen([sys.executable, "-m", f"services.{name}"], cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
            for name in ("worker", "scheduler")
        ]
        try:
            receipts = asyncio.run(play_all(server.url))
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(10)
        yield Store(server.url, receipts)


def restored(played: Store) -> Iterator[Store]:
    """For a fixture: whatever the test does to the rooms' keys is undone."""
    kept = {name: played.redis.dump(name) for name in played.redis.keys("{p*}:[raeno]:*")}
    yield played
    played.redis.delete(*played.redis.keys("{p*}:[raeno]:*"))
    for name, value in kept.items():
        played.redis.restore(name, 0, value)


def lines(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def evidence_of(store: Store) -> list[dict]:
    return lines(store.noripan("replay", DONE, "--evidence"))


def changed_fields(items: list, index: int, old: bytes, new: bytes) -> list:
    entry_id, fields = items[index]
    other = {name: value.replace(old, new, 1) for name, value in fields.items()}
    assert other != fields
    return [*items[:index], (entry_id, other), *items[index + 1 :]]


def first(items: list, mark: bytes) -> int:
    return next(index for index, (_, fields) in enumerate(items) if any(mark in value for value in fields.values()))


def a_die(store: Store) -> None:
    items = store.stream("e")
    index = first(items, b'"rolled"')
    die = items[index][1][b"e"].partition(b'"dice":[')[2][:1]
    store.rewrite("e", changed_fields(items, index, b'"dice":[' + die, b'"dice":[%d' % (int(die) % 6 + 1)))
