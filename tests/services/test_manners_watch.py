"""Goal: people watch without taking anything from those who play: not a seat, not speed, and no knowledge that the room
does not want to give them yet. Method: real gateways; delayed rooms are asked in every way there is, all the time.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from engine.fold import entry_ms
from services.client import Client, Closed, Rejected, new_player
from services.store.delayed import shown_version
from services.store.keys import key
from services.store.redis import Caller, connect
from tests.services.manners_kit import CHOOSE, duel, finish
from tests.services.raw import Raw, request
from tests.services.test_client import run, same
from tests.stack import ROOT, Stack
from tests.stack import stack as stack


@pytest.fixture
def tokens(stack: Stack) -> Iterator[list[str]]:
    yield [request("POST", f"{stack.urls[0]}/api/me", {})[1]["token"] for _ in range(40)]


def test_the_count_is_told_every_two_seconds_at_most(stack: Stack, tokens: list[str]) -> None:
    _, made, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
    with Raw(stack.urls[0]).hello(made["room"], made["token"]) as host, contextlib.ExitStack() as leave:
        begun, counts = time.monotonic(), []
        for token in tokens:
            leave.enter_context(Raw(stack.urls[1])).hello(made["room"], token)
        while not counts or counts[-1] < 41:
            counts.append(host.hear("people")["people"])
        assert len(counts) <= 2 + (time.monotonic() - begun) / 2
        late = leave.enter_context(Raw(stack.urls[0])).hello(made["room"], tokens[0])
        assert late.welcome["people"] == 41


def test_a_room_without_spectators(stack: Stack) -> None:
    """In the lobby one may look, or nobody could join; from Start on whoever has no seat is turned away, for good."""

    async def play() -> None:
        async with duel(stack.urls, {"spectators": False}, start=False) as (one, two):
            guest = Client(stack.urls[1], one.room)
            async with guest:
                assert guest.view["phase"] == "lobby"
                await one.start()
                with pytest.raises(Closed) as closed:
                    await guest.until(lambda c: c.view["phase"] != "lobby")
                assert closed.value.reason == "no_spectators" and guest.closes == [4403]
                assert guest.view["phase"] == "lobby"
            for url in stack.urls:
                with Raw(url) as raw:
                    raw.say({"type": "hello", "room": one.room, "session": "abcd", "token": guest.token})
                    assert raw.code() == 4403
            await two.drop(url=0)
            await two.ready()
            await finish(one, two)
            with Raw(stack.urls[0]) as raw:
                raw.say({"type": "hello", "room": one.room, "session": "abcd", "token": guest.token})
                assert raw.code() == 4403
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2)
            async with Client(stack.urls[1], one.room, guest.token) as again:
                assert again.view["phase"] == "lobby" and again.number == 2

    run(play())


DELAY_S = 3


class Clock:
    """What strangers saw and when; and by the log, which knows when it was decided, whether that was too early."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int, float]] = []  # way, game, version, s since 1970

    def look(self, way: str, n: int, version: int) -> None:
        """Somebody sees this now."""
        self.seen.append((way, n, version, time.time()))

    def judge(self, stack: Stack, player: Client, hidden_from: int) -> None:
        """hidden_from: the first version of game 1 that is to be late. The player has followed it from there on."""
        first = [one for one in player.receipts if one.game == f"{player.room}/1"]
        opened = entry_ms(stack.redis.xrange(key("a", f"{player.room}/2"), count=1)[0][0])
        for way, n, version, at_s in self.seen:
            decided = opened  # the next lobby is late as a whole: that it is there tells that the game before is over
            if n == 1:
                decided = min((entry_ms(one.entry.encode()) for one in first if one.version >= version), default=opened)
            if n == 2 or version >= hidden_from:
                assert at_s - decided / 1000 > DELAY_S - 0.1, (way, n, version, at_s - decided / 1000)


def test_no_way_in_is_faster_than_the_delay(stack: Stack) -> None:
    """Updates, snapshots, resumes, HTTP, and the game's end: everything a stranger can get is three seconds old; players
    see it at once, and the lobby of the next game comes when the end was seen."""

    async def play() -> None:
        clock = Clock()
        async with duel(stack.urls, {"delay_s": DELAY_S, "public": True}, start=False) as (one, two):
            async with Client(stack.urls[1], one.room) as guest:
                await guest.until(lambda c: c.version == one.version)  # the lobby is not late
                hidden_from = one.version + 1
                watching = asyncio.create_task(watch(clock, guest))
                asking = asyncio.create_task(ask(clock, guest.token, one.room))
                await one.start()
                for client in (one, two):
                    await client.until(lambda c: c.view["phase"] == "playing")
                await one.act(one.seat, CHOOSE)
                said_at = time.monotonic()
                word = await one.say("chat", "비밀이에요")
                assert guest.view["phase"] == "lobby" and not guest.said
                told = [await probe(guest)]
                await guest.say("chat", "관전자의 말")
                await guest.until(lambda c: word in c.said)
                assert time.monotonic() - said_at > DELAY_S - 0.2
                ended = time.monotonic()  # not before this
                await finish(one, two)
                last = one.version
                told.append(await probe(guest))
                for client in (one, two):
                    await client.rematch()
                await one.until(lambda c: c.number == 2)
                told.append(await probe(guest))
                assert told[0] == told[1] == told[2], "refusals tell how the game stands"
                await guest.until(lambda c: c.view["phase"] == "over" or c.number == 2)
                assert time.monotonic() - ended > DELAY_S - 0.2
                if guest.number == 1:  # the next lobby may come in the same moment
                    assert guest.version >= last and guest.view["result"]
                await guest.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
                await one.leave()
                await guest.join("손님")
                await same(two, guest)
                for task in (watching, asking):
                    assert not task.done() or task.result() is None
                    task.cancel()
            clock.judge(stack, one, hidden_from)
        ways = {way for way, _, version, _ in clock.seen if version >= hidden_from}
        assert ways >= {"update", "hello", "resume", "http", "list"}, ways

    async def probe(guest: Client) -> list[str]:
        """What a watcher is told who tries everything."""
        codes = []
        for deed in (guest.join("손님"), guest.rematch(), guest.start(), guest.touch(), guest.act(0, CHOOSE)):
            with pytest.raises(Rejected) as refused:
                await deed
            codes.append(refused.value.code)
        return codes

    async def watch(clock: Clock, guest: Client) -> None:
        while True:
            clock.look("update", guest.number, guest.version)
            await guest._change()

    async def ask(clock: Clock, token: str, room: str) -> None:
        """All other ways, again and again, through both gateways."""
        at: tuple[int, int] | None = None
        while True:
            for url in stack.urls:
                for way, position in (("hello", None), ("resume", at)):
                    found = await asyncio.to_thread(snapshot, url, room, token, position)
                    at = (found["view"]["n"], found["version"])
                    clock.look(way, *at)
                _, summary, _ = await asyncio.to_thread(request, "GET", f"{url}/api/rooms/{room}")
                clock.look("http", summary["n"], summary["version"])
                _, listed, _ = await asyncio.to_thread(request, "GET", f"{url}/api/rooms")
                for entry in listed["rooms"]:
                    if entry["room"] == room:
                        clock.look("list", entry["n"], entry["version"])

    def snapshot(url: str, room: str, token: str, position: tuple[int, int] | None) -> dict:
        more = {} if position is None else {"game": position[0], "version": position[1]}
        with Raw(url).hello(room, token, **more) as raw:
            return raw.snapshot

    run(play())


def test_late_updates_fit_together(stack: Stack) -> None:
    """A late watcher follows by patches alone and ends with the view and the receipts that the players had."""

    async def play() -> None:
        async with (
            duel(stack.urls, {"delay_s": 1}, start=False, nonce=True) as (one, two),
            Client(stack.urls[1], one.room) as guest,
        ):
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            await finish(one, two)
            await guest.until(lambda c: c.view["phase"] == "over")
            assert guest.snapshots == 1
            public = {**one.view, "table": {name: part for name, part in one.view["table"].items() if name != "mine"}}
            assert guest.view == public
            # By entry: what changes nothing has a head of its own and the version of what stands before it.
            heads = {receipt.entry: receipt.head for receipt in one.receipts}
            common = [receipt for receipt in guest.receipts if receipt.entry in heads]
            assert len(common) > 1 and all(heads[receipt.entry] == receipt.head for receipt in common)
            hidden = [event for event in guest.events if event["type"] == "chosen"]
            assert hidden and not any("hand" in event for event in hidden)

    run(play())


def test_what_is_parked_stays_parked_for_late_eyes(stack: Stack) -> None:
    """The reader decides again what the worker decided, and takes its records of faults as they are."""

    async def play() -> None:
        async with duel(stack.urls, {"delay_s": 1}) as (one, two):
            # As a worker leaves it: the entry in the log, its record beside the events, the cursor after both.
            room, game = one.room, f"{one.room}/1"
            cursor = stack.redis.hget(key("r", room), "cur").decode()
            await one.act(one.seat, CHOOSE)
            record = stack.redis.xrange(key("a", game), f"({cursor}", "+")
            acted = next(entry for entry, fields in record if b'"act"' in fields[b"d"]).decode()
            parked = json.dumps({"entry": acted, "why": "Boom"})
            stack.redis.xadd(key("e", game), {"parked": parked}, id=f"{one.version}-1")
            async with Client(stack.urls[1], room) as guest:
                await guest.until(lambda c: c.view["phase"] == "playing")
                await asyncio.sleep(1.2)
                assert guest.view["table"]["chosen"] == []
            assert two.view["table"]["chosen"] == [one.seat]

    run(play())


def test_a_player_of_a_late_room_is_not_late(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls, {"delay_s": 300}) as (one, two):
            await two.drop(url=0)
            await two.ready()
            await one.act(one.seat, CHOOSE)
            await two.until(lambda c: c.view["table"]["chosen"] == [one.seat])  # not after five minutes
            _, token = await new_player(stack.urls[0])
            async with Client(stack.urls[0], one.room, token, tokens=[two.token]) as family:
                assert family.view["phase"] == "playing"  # somebody of it has a seat

    run(play())


def test_how_much_of_a_log_late_eyes_may_read(stack: Stack) -> None:
    """For readers outside the gateway, as `noripan replay` is."""

    async def shown(room: str, n: int, ahead_s: int = 0) -> int | None:
        caller = Caller(connect(stack.server.url))
        try:
            return await shown_version(caller, room, n, int((time.time() + ahead_s) * 1000))
        finally:
            await caller.close()

    async def play() -> None:
        async with duel(stack.urls, {"delay_s": 300}, start=False) as (one, two):
            lobby = one.version
            assert await shown(one.room, 1) is None
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            assert await shown(one.room, 1) == lobby
            assert await shown(one.room, 1, 301) is None
            await finish(one, two)
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2)
            assert (await shown(one.room, 1), await shown(one.room, 2)) == (lobby, 0)
            assert (await shown(one.room, 1, 301), await shown(one.room, 2, 301)) == (None, None)

    run(play())


def test_a_replay_is_no_faster_way_in(stack: Stack) -> None:
    """`noripan replay` for nobody's seat stops where spectators are; a seat's own replay does not."""

    def replayed(*args: str) -> tuple[int, list[dict], str]:
        done = subprocess.run(
            [sys.executable, "-m", "services.cli.main", "replay", *args],
            cwd=ROOT,
            env=stack.worker[0].env,
            capture_output=True,
            text=True,
        )
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    async def play() -> tuple[str, int]:
        async with duel(stack.urls, {"delay_s": 300}, start=False) as (one, two):
            lobby = one.version
            await one.start()
            await one.until(lambda c: c.view["phase"] == "playing")
            await finish(one, two)
            return one.room, lobby

    room, lobby = run(play())
    code, lines, _ = replayed(room, "--json")
    assert code == 0 and lines[-1]["version"] == lobby and lines[-1]["view"]["phase"] == "lobby"
    code, lines, _ = replayed(room, "--json", "--as", "0")
    assert code == 0 and lines[-1]["view"]["phase"] == "over"
    for args in (["--json", "--at", str(lobby + 1)], ["--evidence"]):
        code, lines, said = replayed(room, *args)
        assert (code, lines) == (2, []) and said
