"""Games that a room has behind it stay what they were: read, audited and replayed like the current one (P4).

Method: three games in one room by the real Drainer, then the tools on the first two; tampering is done with stock commands.
"""

import asyncio
import json
import time

import pytest
from click.testing import CliRunner

from engine.kit import kit
from schemas import entry as cmd
from services.cli.main import cli
from services.store.delayed import Readers, shown_version
from services.store.keys import key
from services.store.read import read_log, read_past
from services.store.redis import Caller, connect
from services.store.steps import History
from tests.store.party import heard, party, publications
from tests.store.table import ROOM

FIRST, SECOND = f"{ROOM}/1", f"{ROOM}/2"


@pytest.fixture
def played(url):
    """The room's url after three games: two over, the third in its lobby; and the receipts that its players kept."""

    async def body():
        receipts = {}
        async with party(url, "ann", "ben", public=True) as p, heard(p) as since:
            for _ in range(2):
                await p.finish()
                await p.vote("ann", "ben")
                await p.work()
            for one in publications(await since()):
                update = json.loads(one.updates.get("public", b"{}"))
                if update.get("head"):
                    receipts.setdefault(one.game, []).append((update["entry"], update["head"]))
        return receipts

    return url, asyncio.run(body())


def noripan(url: str, *args: str):
    return CliRunner().invoke(
        cli, args, env={"REDIS_URL": url, "NORIPAN_GAMES": "tests.games.duel"}, prog_name="noripan"
    )


def ask(url: str, *commands):
    """Replies to some commands."""

    async def body():
        caller = Caller(connect(url))
        try:
            return [await caller.call(*command) for command in commands]
        finally:
            await caller.close()

    return asyncio.run(body())


def findings(url: str, name: str = ROOM) -> list[dict]:
    return [json.loads(line) for line in noripan(url, "audit", name, "--json").stdout.splitlines()]


def test_every_game_of_the_room_audits_clean_against_the_head_it_ended_with(played):
    url, receipts = played
    found = findings(url)
    assert [(one["game"], one["ok"], one["phase"]) for one in found] == [
        (FIRST, True, "over"),
        (SECOND, True, "over"),
        (f"{ROOM}/3", True, "lobby"),
    ]
    assert [found[i]["head"] for i in (0, 1)] == [receipts[name][-1][1] for name in (FIRST, SECOND)]
    for name in (FIRST, SECOND):
        assert noripan(url, "audit", name).exit_code == 0
        entry, head = receipts[name][-1]
        assert noripan(url, "audit", name, "--receipt", entry, head).exit_code == 0


def test_an_older_game_is_read_with_where_it_ended(played):
    url, _ = played

    async def body():
        caller = Caller(connect(url))
        log, past = await read_log(caller, ROOM, 1), await read_past(caller, ROOM, 1)
        assert (past.version, past.decided, past.cursor) == (len(log.events), len(log.entries), log.entries[-1].id)
        assert log.head == past.head and len(past.head) == 32
        assert await read_past(caller, ROOM, 3) is None and await read_log(caller, ROOM, 4) is None
        await caller.close()

    asyncio.run(body())


def rewrite(url: str, name: str, change) -> None:
    """A stream with `change(items)` in it instead of its items."""
    (items,) = ask(url, ("XRANGE", name, "-", "+"))
    ask(url, ("DEL", name), *(("XADD", name, entry_id, *fields) for entry_id, fields in change(items)))


def cut(items):
    return items[:-1]


def replaced(old: bytes, new: bytes):
    return lambda items: [(i, [field.replace(old, new) for field in fields]) for i, fields in items]


TAMPERED = {
    "event changed": ("e", replaced(b'"ann"', b'"eve"')),
    "event cut": ("e", cut),
    "last entry cut": ("a", cut),
    "entry changed": ("a", replaced(b'"ben"', b'"eve"')),
}


@pytest.mark.parametrize(("kind", "change"), TAMPERED.values(), ids=TAMPERED)
def test_a_changed_older_game_is_found_and_the_others_stay_clean(played, kind, change):
    url, _ = played
    rewrite(url, key(kind, FIRST), change)
    assert [one["ok"] for one in findings(url)] == [False, True, True]
    assert noripan(url, "audit", FIRST).exit_code == 1


def test_an_entry_that_left_no_event_is_in_the_chain_all_the_same(played):
    """A refused command put in afterwards: no event differs, only the head that the game ended with can tell."""
    url, _ = played

    def with_a_stranger(items):
        return [*items, (items[-1][0] + b"9", [b"d", b'{"type":"rematch","player":"eve"}'])]

    rewrite(url, key("a", FIRST), with_a_stranger)
    (found,) = findings(url, FIRST)
    assert not found["ok"] and found["where"] == "head"


def test_rooms_that_moved_on_before_ends_were_kept_audit_without_them(played):
    url, _ = played
    ask(url, ("HDEL", key("r", ROOM), "past:1"))
    assert [one["ok"] for one in findings(url)] == [True, True, True]


def test_a_game_that_is_in_the_archive_is_not_missed(played):
    url, _ = played
    ask(url, ("DEL", key("a", FIRST), key("e", FIRST)))
    assert [one["game"] for one in findings(url)] == [SECOND, f"{ROOM}/3"]
    assert noripan(url, "audit", FIRST).exit_code == 2 and noripan(url, "replay", FIRST).exit_code == 2


def test_older_games_are_replayed_and_their_evidence_is_complete(played):
    url, receipts = played
    for name in (FIRST, SECOND):
        result = noripan(url, "replay", name)
        assert result.exit_code == 0 and result.stdout.startswith(f"{name}  yacht, over, ")
        evidence = [json.loads(line) for line in noripan(url, "replay", name, "--evidence").stdout.splitlines()]
        assert evidence[0]["id"] == name and evidence[-1]["head"] == receipts[name][-1][1]


def test_each_game_is_read_as_what_it_was_opened_as(played):
    """A room whose hash now names another game (its current one) has Yacht behind it."""
    url, _ = played
    ask(url, ("HSET", key("r", ROOM), "g", "duel"))
    assert findings(url, FIRST)[0]["ok"] and findings(url, SECOND)[0]["ok"]
    assert noripan(url, "replay", FIRST).stdout.startswith(f"{FIRST}  yacht, over, ")

    async def body():
        caller = Caller(connect(url))
        assert (await read_log(caller, ROOM, 1)).kit is kit("yacht")
        await caller.close()

    asyncio.run(body())


def test_a_game_whose_program_is_not_installed_is_named_and_hides_no_other(played):
    url, _ = played
    rewrite(url, key("e", FIRST), replaced(b'"game":"yacht"', b'"game":"chess"'))
    found = findings(url)
    assert [(one["ok"], one.get("checked", True)) for one in found] == [(False, False), (True, True), (True, True)]
    assert found[0]["what"] == "the game 'chess' is not installed here (NORIPAN_GAMES)"
    assert noripan(url, "replay", FIRST).exit_code == 2


def test_an_event_that_names_another_game_than_the_entry_is_found(played):
    url, _ = played
    rewrite(url, key("e", FIRST), replaced(b'"game":"yacht"', b'"game":"duel"'))
    (found,) = findings(url, FIRST)
    assert not found["ok"] and "opens a game of yacht" in found["what"]


def test_a_game_that_is_late_stays_late_whatever_later_games_of_the_room_say(url):
    """The room gives up its delay and soon plays a third game: the end of the first is as young as before."""

    async def body():
        async with party(url, "ann", "ben", game="duel", delay_s=200) as p:
            late_ms = 0
            history = History(p.caller, Readers(p.caller), lambda: int(time.time() * 1000) + late_ms)

            async def next_game():
                await p.finish()
                assert await p.move_on(await p.agree())
                for player in ("ann", "ben"):
                    await p.writer.presence(p.room, player, "g1", True, 60_000)
                await p.work()

            await next_game()
            await p.send(cmd.Configure("ann", None, cmd.Settings()))
            await p.work()
            await next_game()
            assert (await p.state()).id == f"{p.room}/3"
            assert (await history.steps(p.room, 1, 0)).code == "no_game"
            assert await shown_version(p.caller, p.room, 1, int(time.time() * 1000)) == 0
            assert (
                (await history.steps(p.room, 1, 0, "ann")).upto == (await history.steps(p.room, 1, 0, "ben")).upto > 10
            )
            assert (await history.steps(p.room, 2, 0)).upto > 10
            late_ms = 201_000
            assert (await history.steps(p.room, 1, 0)).upto > 10

    asyncio.run(body())
