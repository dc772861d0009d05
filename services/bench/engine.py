"""`bench engine`: what one action costs in the pure engine, how fast stored events fold, and whether cost grows with the log."""

import asyncio
import itertools
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from engine.fold import Entry, Position, advance, fold
from engine.kit import Kit, kit
from schemas import entry as cmd
from schemas.base import encode
from services.bench.script import T0, opening, started
from services.store.keys import key, part_key, partition
from services.store.outcome import commit_of
from services.store.read import from_snapshot, load_chance
from services.store.redis import Caller, connect
from services.store.server import embedded
from services.store.turn import Claim, turn
from services.store.write import Writer

# A worker that has just come and knows no room: each turn reads everything.
_DOORS = map("door:bench-{}".format, itertools.count())

ROUNDS = 7


def _play(k: Kit, at: Position, game_id: str, seed: int) -> tuple[list[tuple[Position, Entry]], list[bytes]]:
    """A game of random legal actions to its end: each action with the position before it, and all event bytes."""
    rng = random.Random(seed)
    actions, events, t = [], [], T0
    while at.room.phase == "playing":
        seat = k.game.deadline(at.room.state).seats[0]
        legal = [a for a in k.game.legal(at.room.state, seat) if type(a).__name__ != "Concede"]
        kinds = sorted({type(a).__name__ for a in legal})
        kind = rng.choice(kinds)
        action = rng.choice([a for a in legal if type(a).__name__ == kind])
        t += 10
        command = cmd.Act(at.room.seats[seat].player, seat, msgspec.Raw(encode(action)))
        entry = Entry(b"%d-0" % t, encode(command), b"", b"bench:%d" % (len(actions) + 1))
        actions.append((at, entry))
        at, decided = advance(k, at, (entry,), game_id)
        events += decided[0].event_bytes
    return actions, events


def action_cost(game: str) -> dict[str, Any]:
    """Mean µs of one action (decide, evolve, views, encode; snapshot in and out besides) over whole random games."""
    k, at, game_id = started(game)
    actions: list[tuple[Position, Entry]] = []
    events: list[list[bytes]] = []
    for seed in range(4):
        played, made = _play(k, at, game_id, seed)
        actions += played
        events.append(made)
    bare, whole = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for before, entry in actions:
            after, decided = advance(k, before, (entry,), game_id)
            commit_of(k, _claim(k, before, entry), before, after, decided)
        whole.append((time.perf_counter() - began) / len(actions))
        began = time.perf_counter()
        for before, entry in actions:
            advance(k, before, (entry,), game_id)
        bare.append((time.perf_counter() - began) / len(actions))
    rates = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for made in events:
            fold(k, made, at.room)
        rates.append(sum(map(len, events)) / (time.perf_counter() - began))
    return {
        "action_us": round(median(whole) * 1e6, 1),
        "decide_us": round(median(bare) * 1e6, 1),
        "fold_events_per_s": round(median(rates)),
        "actions": len(actions),
    }


def _claim(k: Kit, at: Position, entry: Entry) -> Claim:
    return Claim("BENCH2", 1, at.room.version, b"0-1", 4, at.head, 1, [entry], None)


async def _growth(url: str, long: int, pairs: int) -> dict[str, Any]:
    """Append + claim + fold + commit of the same action in two rooms of one partition, their logs `long` and 10 entries."""
    caller = Caller(connect(url))
    writer = Writer(caller)
    rooms = ("BENCHA", next(f"BENC{a}{b}" for a in "BCDEFGHJ" for b in "23456789" if _beside("BENCHA", f"BENC{a}{b}")))
    part = partition(rooms[0])
    ids = dict.fromkeys(rooms, 0)

    async def epoch() -> str:
        return (await caller.call("HGET", part_key("m", part), "epoch")).decode()

    async def act(room: str, command: Any) -> float:
        ids[room] += 1
        began = time.perf_counter()
        await writer.append(room, 1, "bench", ids[room], encode(command))
        reply = await turn(caller, part, await epoch(), 60_000, 8, 32, next(_DOORS), [])
        commits = []
        for claim in reply.claims:
            k = kit(claim.stored.game)
            room_now = from_snapshot(k, claim.stored.snapshot, claim.version) if claim.version else None
            before = Position(room_now, load_chance(claim.stored.chance), claim.head)
            after, decided = advance(k, before, claim.entries, f"{claim.room}/1")
            commits.append(commit_of(k, claim, before, after, decided)[0])
        await turn(caller, part, await epoch(), 60_000, 8, 32, next(_DOORS), commits)
        return time.perf_counter() - began

    for room in rooms:
        await writer.create(room, "yacht", *opening())
        await act(room, cmd.Join("bench-player-1"))
        await act(room, cmd.Start("bench-player-1"))
        await act(room, cmd.Act("bench-player-1", 0, msgspec.Raw(b'{"type":"roll"}')))
    # holding and releasing a die can go on for ever within a turn
    hold = [
        cmd.Act("bench-player-1", 0, msgspec.Raw(b'{"type":"set_hold","held":[%s,false,false,false,false]}' % value))
        for value in (b"true", b"false")
    ]
    await _lengthen(caller, rooms[0], long, hold)
    times: dict[str, list[float]] = {room: [] for room in rooms}
    for i in range(pairs):
        for room in rooms if i % 2 else rooms[::-1]:
            times[room].append(await act(room, hold[i % 2]))
    lengths = [await caller.call("XLEN", key("a", f"{room}/1")) for room in rooms]
    await caller.close()
    return {
        "growth_ratio": round(median(times[rooms[0]][10:]) / median(times[rooms[1]][10:]), 3),
        "log_lengths": [lengths[0], lengths[1]],
    }


async def _lengthen(caller: Caller, room: str, entries: int, commands: list) -> None:
    """Play `entries` hold changes into a room the fast way: appended and committed in large batches."""
    part = partition(room)
    done = 0
    while done < entries:
        batch = [
            caller.call("XADD", key("a", f"{room}/1"), "*", "d", encode(commands[(done + i) % 2])) for i in range(250)
        ]
        await asyncio.gather(*batch)
        await caller.call("ZADD", part_key("ready", part), 1, room)
        done += 250
        epoch = (await caller.call("HGET", part_key("m", part), "epoch")).decode()
        reply = await turn(caller, part, epoch, 60_000, 8, 250, next(_DOORS), [])
        claim = next(c for c in reply.claims if c.room == room)
        k = kit(claim.stored.game)
        before = Position(
            from_snapshot(k, claim.stored.snapshot, claim.version), load_chance(claim.stored.chance), claim.head
        )
        after, decided = advance(k, before, claim.entries, f"{room}/1")
        commit, _ = commit_of(k, claim, before, after, decided)
        await turn(caller, part, epoch, 60_000, 0, 250, next(_DOORS), [commit])


def _beside(room: str, other: str) -> bool:
    return partition(room) == partition(other)


def run(games: list[str], long: int, pairs: int) -> list[dict[str, Any]]:
    """One record per game; the growth ratio in that of Yacht."""
    records = []
    for game in games:
        record = {"bench": "engine", "game": game, **action_cost(game)}
        if game == "yacht":
            with tempfile.TemporaryDirectory() as folder, embedded(Path(folder) / "valkey") as server:
                record |= asyncio.run(_growth(server.url, long, pairs))
        records.append(record)
    return records
