"""Goal: a replay shows what the log says, to whoever may see it, and no more: the view at event n is the fold of the first n
events, hidden things stay hidden, and by this way nobody sees sooner, or into more rooms, than by any other.

Method: real games through real gateways, and every golden log laid into the server as a finished game; each page is put
together as a client does it (RFC 7396) and held against the engine's own fold.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.fold import fold
from engine.game import SPECTATOR, Seated, Viewer
from engine.kit import kit
from engine.patch import merge
from engine.room.view import room_view
from schemas.base import encode
from schemas.bodies import STEPS_MAX
from services.client import new_player
from services.gateway.context import STEPS_PER_MINUTE
from services.store import steps
from services.store.delayed import Readers
from services.store.keys import key
from services.store.redis import Caller, connect
from services.store.steps import KEPT_MAX, Folded, History
from tests.golden import make
from tests.services.manners_kit import CHOOSE, duel, finish
from tests.services.raw import request
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack

LOGS = sorted(make.HERE.glob("*/*.jsonl"))


def asked(url: str, room: str, n: int | str = 1, after: int | str | None = None, token: str = "", **headers: str):
    query = "" if after is None else f"?from={after}"
    bearer = {"authorization": f"Bearer {token}"} if token else {}
    return request("GET", f"{url}/api/rooms/{room}/games/{n}/steps{query}", **bearer, **headers)[:2]


async def ask(
    url: str, room: str, n: int | str = 1, after: int | str | None = None, token: str = ""
) -> tuple[int, Any]:
    return await asyncio.to_thread(asked, url, room, n, after, token)


def told(pages: list[dict]) -> tuple[list[Any], list[list[dict]]]:
    """(views, events) at 0 … upto, as a client folds them. The base of each page must be where the last one ended."""
    views: list[Any] = [{}]
    events: list[list[dict]] = [[]]
    for page in pages:
        assert page["from"] == len(views) - 1 and page.get("view", {}) == views[-1]
        for step in page["steps"]:
            assert step["version"] == len(views)
            views.append(merge(views[-1], step["patch"]))
            events.append(step.get("events", []))
    return views, events


async def whole(url: str, room: str, n: int = 1, token: str = "") -> tuple[list[Any], list[list[dict]]]:
    pages: list[dict] = []
    while not pages or pages[-1]["from"] + len(pages[-1]["steps"]) < pages[-1]["upto"]:
        after = pages[-1]["from"] + len(pages[-1]["steps"]) if pages else 0
        status, page = await ask(url, room, n, after, token)
        assert status == 200, page
        pages.append(page)
    return told(pages)


def folded(stack: Stack, room: str, n: int, viewer: Viewer) -> list[Any]:
    """The views of the engine's own folds of the first 0, 1, 2 … stored events."""
    items = stack.redis.xrange(key("e", f"{room}/{n}"))
    stored = [fields[b"e"] for name, fields in items if name.endswith(b"-0")]
    k = kit(json.loads(stored[0])["game"])
    views = [room_view(k, fold(k, stored[:count]), viewer) for count in range(1, len(stored) + 1)]
    return [{}, *(json.loads(encode(view)) for view in views)]


@contextmanager
def laid(stack: Stack, room: str, events: list[bytes], game: str) -> Iterator[None]:
    """A room whose only game has these events."""
    for version, data in enumerate(events, 1):
        stack.redis.xadd(key("e", f"{room}/1"), {"e": data}, id=f"{version}-0")
    stack.redis.hset(key("r", room), mapping={"n": 1, "g": game, "v": len(events), "cur": "1-0", "d": 1, "a": 1})
    yield
    stack.redis.delete(key("e", f"{room}/1"), key("r", room))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_step_of_every_golden_game_is_the_fold_of_its_events(stack: Stack, path: Path) -> None:
    """Whatever lies between two events of one decision, too; for a spectator and for each seat."""
    log = make.read(path)
    room = log.head.id.partition("/")[0]
    seats = fold(kit(log.head.game), log.events).seats

    async def read() -> None:
        caller = Caller(connect(stack.server.url))
        history = History(caller, Readers(caller), lambda: 0)
        try:
            for viewer, player in [(SPECTATOR, ""), *((Seated(i), seat.player) for i, seat in enumerate(seats))]:
                pages: list[Any] = []
                after = 0
                while after < len(log.events):
                    page = await history.steps(room, 1, after, player)
                    assert 0 < len(page.steps) <= 100 and page.upto == len(log.events)
                    assert page.seat == (viewer.seat if isinstance(viewer, Seated) else msgspec.UNSET)
                    pages.append(json.loads(encode(page)))
                    after += len(page.steps)
                views, events = told(pages)
                assert views == folded(stack, room, 1, viewer)
                if log.head.game != "duel":
                    assert [event for [event] in events[1:]] == [json.loads(data) for data in log.events]
        finally:
            await caller.close()

    with laid(stack, room, log.events, log.head.game):
        run(read())


def test_a_page_begins_anywhere_and_goes_on_while_the_game_does(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            before = await whole(stack.urls[0], one.room)
            assert before[0] == folded(stack, one.room, 1, SPECTATOR)
            version = len(before[0]) - 1
            for after in (1, version - 1, version):
                status, page = await ask(stack.urls[1], one.room, 1, after)
                assert status == 200 and page["from"] == after and page["view"] == before[0][after]
                assert len(page["steps"]) == version - after and page["game"] == f"{one.room}/1"
            await finish(one, two)
            later = await whole(stack.urls[0], one.room)
            assert later[0][: version + 1] == before[0] and len(later[0]) > version + 1
            assert later[0] == folded(stack, one.room, 1, SPECTATOR)

    run(play())


def test_nobody_is_shown_what_is_hidden_from_them(stack: Stack) -> None:
    """In the middle of a round, and when it is over: a hand is told to whom it belongs and in `shown`, nowhere else."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            stranger = await new_player(stack.urls[1])
            await one.act(one.seat, CHOOSE)
            await two.until(lambda c: c.view["table"]["chosen"] == [one.seat])
            await judge(one, two, stranger[1], over=False)
            await finish(one, two)
            await judge(one, two, stranger[1], over=True)

    async def judge(one, two, stranger: str, over: bool) -> None:
        for token, seat in ((one.token, one.seat), (two.token, two.seat), (stranger, None), ("", None)):
            views, events = await whole(stack.urls[0], one.room, 1, token)
            viewer = SPECTATOR if seat is None else Seated(seat)
            assert views == folded(stack, one.room, 1, viewer)
            mine = [view["table"]["mine"] for view in views[1:] if "mine" in view.get("table", {})]
            assert bool(mine) == (seat == one.seat or (over and seat == two.seat))
            for event in (event for happened in events for event in happened):
                if event["type"] == "chosen":
                    assert ("hand" in event) == (event["seat"] == seat), event
                if not over:
                    assert event["type"] not in ("shown", "revealed")

    run(play())


def test_a_page_of_ours_is_known_by_its_cookie_and_a_foreign_one_is_refused(stack: Stack) -> None:
    """A browser names no origin with the GET of a page of ours."""

    async def play() -> None:
        async with duel(stack.urls) as (one, _):
            await one.act(one.seat, CHOOSE)
            jar = {"cookie": f"noripan={one.token}"}
            status, page = await asyncio.to_thread(asked, stack.urls[0], one.room, 1, 0, **jar)
            assert status == 200 and page["seat"] == one.seat
            assert (await ask(stack.urls[0], one.room))[1].get("seat") is None
            status, refusal = await asyncio.to_thread(
                asked, stack.urls[0], one.room, 1, 0, origin="https://evil.example", **jar
            )
            assert (status, refusal["code"]) == (403, "unauthorized")
            status, refusal = await ask(stack.urls[0], one.room, token="forged.token")
            assert (status, refusal["code"]) == (403, "unauthorized")

    run(play())


def test_all_games_of_a_room_are_there(stack: Stack) -> None:
    """The one at hand, and those before it, by the people who played that one."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            await finish(one, two)
            first = await whole(stack.urls[0], one.room, 1, one.token)
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2)
            await two.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
            again = await whole(stack.urls[1], one.room, 1, one.token)
            # The vote for the rematch came after what was asked for first.
            assert again[0][: len(first[0])] == first[0] and again[0] == folded(stack, one.room, 1, Seated(0))
            assert (await whole(stack.urls[0], one.room, 2, two.token))[0] == folded(stack, one.room, 2, Seated(1))
            status, refusal = await ask(stack.urls[0], one.room, 3)
            assert (status, refusal["code"], refusal["detail"]["field"]) == (404, "no_game", "n")

    run(play())


def test_a_room_without_spectators_shows_its_games_to_those_who_played_them(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls, {"spectators": False}, start=False) as (one, two):
            _, stranger = await new_player(stack.urls[0])
            assert (await ask(stack.urls[0], one.room, token=stranger))[0] == 200  # a lobby hides nothing
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            for token in ("", stranger):
                status, refusal = await ask(stack.urls[0], one.room, token=token)
                assert (status, refusal["code"]) == (403, "no_spectators")
            assert (await ask(stack.urls[0], one.room, token=two.token))[0] == 200
            await finish(one, two)
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
            assert (await ask(stack.urls[0], one.room, 2, token=stranger))[0] == 200
            status, refusal = await ask(stack.urls[0], one.room, 1, token=stranger)
            assert (status, refusal["code"]) == (403, "no_spectators")
            assert (await ask(stack.urls[0], one.room, 1, token=two.token))[0] == 200

    run(play())


def test_no_step_comes_sooner_than_the_delay(stack: Stack) -> None:
    """While it is played, when it is over, and when the room is at its next game; players see all of it at once."""

    async def seen(url: str, room: str, n: int, token: str = "") -> int | str:
        status, page = await ask(url, room, n, token=token)
        return page["upto"] if status == 200 else page["code"]

    async def ahead(room: str, n: int, seconds: int) -> int:
        caller = Caller(connect(stack.server.url))
        try:
            page = await History(caller, Readers(caller), lambda: int(time.time() + seconds) * 1000).steps(room, n, 0)
            return page.upto
        finally:
            await caller.close()

    async def play() -> None:
        async with duel(stack.urls, {"delay_s": 300}, start=False) as (one, two):
            lobby = one.version
            assert await seen(stack.urls[0], one.room, 1) == lobby
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            for url in stack.urls:
                assert await seen(url, one.room, 1) == lobby
                assert await seen(url, one.room, 1, two.token) > lobby
                status, refusal = await ask(url, one.room, 1, lobby + 1)
                assert (status, refusal["code"]) == (400, "bad_message")
                assert refusal["detail"]["expected"] == f"0 … {lobby}"
            await finish(one, two)
            assert await seen(stack.urls[0], one.room, 1) == lobby
            for client in (one, two):
                await client.rematch()
            await one.until(lambda c: c.number == 2 and c.view["phase"] == "lobby")
            last = len(folded(stack, one.room, 1, SPECTATOR)) - 1
            for url in stack.urls:
                assert await seen(url, one.room, 1) == lobby
                assert await seen(url, one.room, 2) == "no_game"
                assert await seen(url, one.room, 1, two.token) == last
            assert await ahead(one.room, 1, 290) == lobby
            assert await ahead(one.room, 1, 310) == last
            assert await ahead(one.room, 2, 310) > 0

    run(play())


@pytest.mark.parametrize(
    ("n", "after", "status", "code", "field"),
    [
        ("0", None, 400, "bad_message", "n"),
        ("-1", None, 400, "bad_message", "n"),
        ("x" * 200, None, 400, "bad_message", "n"),
        ("9" * 40, None, 400, "bad_message", "n"),
        ("%EF%BC%91", None, 400, "bad_message", "n"),
        ("2", None, 404, "no_game", "n"),
        ("1", "-1", 400, "bad_message", "from"),
        ("1", "1.5", 400, "bad_message", "from"),
        ("1", "", 400, "bad_message", "from"),
        ("1", "1" * 5000, 400, "bad_message", "from"),
        ("1", "99", 400, "bad_message", "from"),
    ],
)
def test_bad_numbers_are_told_what_was_expected(
    stack: Stack, n: str, after: str | None, status: int, code: str, field: str
) -> None:
    _, made, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
    got, refusal = asked(stack.urls[0], made["room"], n, after)
    assert (got, refusal["code"], refusal["detail"]["field"]) == (status, code, field), refusal
    assert refusal["text"] and refusal["detail"]["expected"] and len(json.dumps(refusal)) < 400


def test_no_room_is_no_room(stack: Stack) -> None:
    for code in ("ZZZZZZ", "zzz", "%2e%2e"):
        status, refusal = asked(stack.urls[0], code)
        assert (status, refusal["code"]) == (404, "no_room"), refusal


def test_games_of_rules_that_are_not_here(stack: Stack) -> None:
    """A game that is not installed has an answer; one of older rules is told as long as its events can be read."""
    log = make.read(next(path for path in LOGS if path.parent.name == "yacht"))
    opened = json.loads(log.events[0])
    room = log.head.id.partition("/")[0]
    older = [encode({**opened, "rules_version": 0}), *log.events[1:]]
    with laid(stack, room, older, "yacht"):
        status, page = asked(stack.urls[0], room)
        assert status == 200 and page["upto"] == len(older)
    with laid(stack, room, [encode({**opened, "game": "chess"}), *log.events[1:]], "chess"):
        status, refusal = asked(stack.urls[0], room)
        assert (status, refusal["code"], refusal["detail"]["got"]) == (404, "no_rules", "chess")
        assert "yacht" in refusal["detail"]["expected"]
    with laid(stack, room, [*log.events[:5], b'{"type":"castled"}'], "yacht"):
        for _ in range(2):
            status, refusal = asked(stack.urls[1], room)
            assert (status, refusal["code"]) == (404, "no_rules")
        assert "castled" not in json.dumps(refusal)


@asynccontextmanager
async def counted(stack: Stack) -> AsyncIterator[tuple[History, list[int]]]:
    """A history, and how many events it asked the server for, call by call."""
    caller, read = Caller(connect(stack.server.url)), []
    call = caller.call

    def noted(*command: Any) -> Any:
        if command[0] == "XRANGE":
            read.append(int(command[3].partition("-")[0]) - int(command[2].partition("-")[0]) + 1)
        return call(*command)

    caller.call = noted
    try:
        yield History(caller, Readers(caller), lambda: 0), read
    finally:
        await caller.close()


def test_going_on_costs_a_page_and_what_is_remembered_is_bounded(stack: Stack) -> None:
    log = make.read(max(LOGS, key=lambda path: len(make.read(path).events)))
    room, last = log.head.id.partition("/")[0], len(log.events)

    async def ask() -> None:
        async with counted(stack) as (history, read):
            await history.steps(room, 1, last - 10)
            assert sum(read) >= last
            for after in (last - 10, last - 5, last):
                read.clear()
                await history.steps(room, 1, after)
                assert sum(read) <= 10

    with laid(stack, room, log.events, log.head.game):
        run(ask())
    folded, state = Folded(), fold(kit(log.head.game), log.events)
    for count in range(3 * KEPT_MAX):
        folded.keep(f"ROOM{count}/1", state)
    assert folded.nearest("ROOM0/1", last) is None and folded.nearest(f"ROOM{count}/1", last - 1) is None
    assert folded.nearest(f"ROOM{count}/1", last + 1) is state and len(folded) == KEPT_MAX


def test_going_backwards_costs_little_more_than_a_page(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page begins before all that is remembered of its last event; what was passed on the way helps."""
    monkeypatch.setattr(steps, "FOLDED_TOGETHER", 5)
    monkeypatch.setattr(steps, "LANDMARK", 10)
    log = make.read(max(LOGS, key=lambda path: len(make.read(path).events)))
    room, last = log.head.id.partition("/")[0], len(log.events)

    async def ask() -> None:
        async with counted(stack) as (history, read):
            for after in range(last, 10, -7):
                read.clear()
                await history.steps(room, 1, after)
                assert after == last or sum(read) - min(last - after, STEPS_MAX) < 10

    with laid(stack, room, log.events, log.head.game):
        run(ask())


def test_an_address_is_heard_only_so_often(stack: Stack) -> None:
    """The last test of this file: the address of all of them has had enough then, of this gateway."""
    url, begun, count = stack.urls[1], time.monotonic(), 0
    while (answer := asked(url, "ZZZZZZ"))[0] == 404:
        count += 1
        assert count <= STEPS_PER_MINUTE * (1 + (time.monotonic() - begun) / 60)
    assert (answer[0], answer[1]["code"]) == (429, "rate_limited")
