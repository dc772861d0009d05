"""`noripan audit`: an untouched log is clean, every way of tampering with it is named, and the exit code says which.

The calls that cannot be answered (of all three commands that read logs) are here too.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import msgspec
import pytest
from click.testing import CliRunner

from engine.chain import text
from engine.kit import kit
from services.cli.main import cli
from services.store.keys import key
from tests.services.log_kit import (
    DONE,
    LIVE,
    LOBBY,
    Store,
    a_die,
    changed_fields,
    evidence_of,
    first,
    lines,
    nonce_of,
    restored,
    secret_of,
    served,
)


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Iterator[Store]:
    yield from served(tmp_path_factory.mktemp("played"))


@pytest.fixture
def store(played: Store) -> Iterator[Store]:
    yield from restored(played)


def test_an_untouched_game_is_clean(store):
    result = store.noripan("audit", DONE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{DONE}/1  ok ") and "over" in result.stdout
    for name in (LIVE, f"{LOBBY}/1", DONE.lower()):
        assert store.noripan("audit", name).exit_code == 0


def test_audit_of_everything_has_a_line_for_each_game_and_a_sum(store):
    result = store.noripan("audit", "--all")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        [f"{LIVE}/1", "ok"],
        [f"{DONE}/1", "ok"],
        [f"{LOBBY}/1", "ok"],
        ["3", "games:"],
    ]
    assert result.stdout.splitlines()[-1] == "3 games: 3 ok, 0 bad"
    found = {line["game"]: line for line in lines(store.noripan("audit", "--all", "--json"))}
    assert found[f"{DONE}/1"]["phase"] == "over" and len(found[f"{DONE}/1"]["head"]) == 43
    assert found[f"{LIVE}/1"]["phase"] == "playing" and found[f"{LOBBY}/1"]["phase"] == "lobby"


def a_byte_of_an_event(store: Store) -> None:
    items = store.stream("e")
    store.rewrite("e", changed_fields(items, 20, b"{", b"{ "))


def a_removed_event(store: Store) -> None:
    items = store.stream("e")
    store.redis.xdel(key("e", f"{DONE}/1"), items[30][0])


def the_last_event_removed(store: Store) -> None:
    store.redis.xdel(key("e", f"{DONE}/1"), store.stream("e")[-1][0])


def two_events_swapped(store: Store) -> None:
    items = store.stream("e")
    items[30], items[31] = (items[30][0], items[31][1]), (items[31][0], items[30][1])
    store.rewrite("e", items)


def an_event_under_another_id(store: Store) -> None:
    items = store.stream("e")
    items[30] = (items[30][0].replace(b"-0", b"-7"), items[30][1])
    store.rewrite("e", items)


def an_event_after_the_last(store: Store) -> None:
    store.redis.xadd(key("e", f"{DONE}/1"), {"e": b'{"type":"back","seat":0}'}, "9999-0")


def a_removed_entry(store: Store) -> None:
    store.redis.xdel(key("a", f"{DONE}/1"), store.stream("a")[12][0])


def a_removed_refused_entry(store: Store) -> None:
    """It has no events, so that only the chain knows of it."""
    refused = next(line for line in evidence_of(store)[1:-1] if line["code"] == "not_your_turn")
    assert store.redis.xdel(key("a", f"{DONE}/1"), refused["entry"]) == 1


def a_changed_entry(store: Store) -> None:
    items = store.stream("a")
    store.rewrite("a", changed_fields(items, first(items, b'"set_hold"'), b"[true,true", b"[true,false"))


def an_action_that_stands_twice(store: Store) -> None:
    """Also where both are decided as the log says: a client's action counts once."""
    items = store.stream("a")
    asked = [index for index, (_, fields) in enumerate(items) if b"o" in fields]
    items[asked[-1]][1][b"o"] = items[asked[2]][1][b"o"]
    store.rewrite("a", items)


def a_changed_refused_entry(store: Store) -> None:
    items = store.stream("a")
    index = next(i for i, (_, f) in enumerate(items) if b'"roll"' in f[b"d"])
    store.rewrite("a", changed_fields(items, index, b"{", b"{ "))


def a_changed_time(store: Store) -> None:
    items = store.stream("a")
    store.rewrite("a", [*items[:-1], (items[-1][0] + b"1", items[-1][1])])


def two_entries_swapped(store: Store) -> None:
    items = store.stream("a")
    items[8], items[9] = (items[8][0], items[9][1]), (items[9][0], items[8][1])
    store.rewrite("a", items)


def the_first_entry_removed(store: Store) -> None:
    store.redis.xdel(key("a", f"{DONE}/1"), store.stream("a")[0][0])


def another_secret(store: Store) -> None:
    items = store.stream("a")
    store.rewrite("a", changed_fields(items, 0, secret_of(DONE).hex().encode(), b"ab" * 32))


def another_nonce(store: Store) -> None:
    items = store.stream("a")
    store.rewrite("a", changed_fields(items, first(items, b'"nonce"'), nonce_of("ann").hex().encode(), b"ab" * 32))


def another_head(store: Store) -> None:
    store.redis.hset(key("r", DONE), "head", bytes(32))


def a_cut_tail(store: Store) -> None:
    """Entries, events and counters agree, the head does not."""
    items, events = store.stream("a"), store.stream("e")
    last = len(evidence_of(store)[-2]["events"])
    store.redis.xdel(key("a", f"{DONE}/1"), items[-1][0])
    store.redis.xdel(key("e", f"{DONE}/1"), *[entry_id for entry_id, _ in events[-last:]])
    to = {"v": len(events) - last, "cur": items[-2][0], "d": len(items) - 1, "snap": b""}
    store.redis.hset(key("r", DONE), mapping=to)


def another_version(store: Store) -> None:
    store.redis.hset(key("r", DONE), "v", len(store.stream("e")) + 1)


def another_count_of_entries(store: Store) -> None:
    store.redis.hincrby(key("r", DONE), "d", 1)


def another_cursor(store: Store) -> None:
    store.redis.hset(key("r", DONE), "cur", store.stream("a")[-1][0] + b"5")


def another_snapshot(store: Store) -> None:
    """A worker would go on from it."""
    k = kit("yacht")
    mark, _, body = store.redis.hget(key("r", DONE), "snap").partition(b":")
    room = k.decode_room(body)
    sheets = {**room.state.sheets, "0": msgspec.structs.replace(room.state.sheets["0"], total=999)}
    room = msgspec.structs.replace(room, state=msgspec.structs.replace(room.state, sheets=sheets))
    store.redis.hset(key("r", DONE), "snap", mark + b":" + k.encode_room(room))


def another_key(store: Store) -> None:
    name = key("r", DONE)
    chance = msgspec.msgpack.decode(store.redis.hget(name, "chance"), strict=False)
    chance["key"] = bytes(32)
    store.redis.hset(name, "chance", msgspec.msgpack.encode(chance))


def a_record_that_is_none(store: Store) -> None:
    store.redis.xadd(key("e", f"{DONE}/1"), {"x": b"{nonsense"}, f"{len(store.stream('e'))}-9")


def a_record_of_an_entry_that_is_not_there(store: Store) -> None:
    entry = int(store.stream("a")[5][0].partition(b"-")[0]) - 1
    record = json.dumps({"entry": f"{entry}-77", "why": "KeyError"})
    store.redis.xadd(key("e", f"{DONE}/1"), {"x": record}, f"{len(store.stream('e'))}-9")


def an_entry_that_was_set_aside_afterwards(store: Store) -> None:
    record = json.dumps({"entry": store.stream("a")[12][0].decode(), "why": "KeyError"})
    store.redis.xadd(key("e", f"{DONE}/1"), {"x": record}, f"{len(store.stream('e'))}-9")


def another_number_of_the_game(store: Store) -> None:
    store.redis.hset(key("r", DONE), "n", "nonsense")


TAMPERED: dict[Callable[[Store], None], str] = {
    a_byte_of_an_event: "event 21 differs",
    a_die: "differs",
    a_removed_event: "event 31 differs",
    the_last_event_removed: "is missing",
    two_events_swapped: "event 31 differs",
    an_event_under_another_id: "events stream",
    an_event_after_the_last: "events stream",
    a_removed_entry: "",
    a_removed_refused_entry: "head",
    a_changed_entry: "differs",
    a_changed_refused_entry: "head",
    a_changed_time: "come from no entry",
    two_entries_swapped: "",
    the_first_entry_removed: "does not open a lobby",
    another_secret: "not the one that was committed to",
    another_nonce: "",
    an_action_that_stands_twice: "already",
    another_head: "head",
    a_cut_tail: "head",
    another_version: "version",
    another_count_of_entries: "decided entries",
    another_cursor: "cursor",
    another_snapshot: "snapshot",
    another_key: "chance",
    a_record_that_is_none: "cannot be read",
    a_record_of_an_entry_that_is_not_there: "-77",
    an_entry_that_was_set_aside_afterwards: "",
    another_number_of_the_game: "cannot be read",
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_every_tampering_is_named_with_exit_code_1(store, tamper):
    tamper(store)
    result = store.noripan("audit", DONE)
    assert result.exit_code == 1, result.output
    assert "BAD  at " in result.stdout and TAMPERED[tamper] in result.stdout
    everything = store.noripan("audit", "--all")
    assert everything.exit_code == 1 and everything.stdout.endswith("3 games: 2 ok, 1 bad\n")
    (finding,) = [json.loads(line) for line in store.noripan("audit", DONE, "--json").stdout.splitlines()]
    assert finding["ok"] is False and finding["where"] and finding["what"]


def test_a_log_rewritten_with_its_head_is_told_by_a_receipt(store):
    """Whoever can write to Redis can cut the log and store the head that fits: then only clients know better."""
    entry, head = store.receipts[DONE][-1]
    assert store.noripan("audit", f"{DONE}/1", "--receipt", entry, head).exit_code == 0
    other = store.noripan("audit", f"{DONE}/1", "--receipt", entry, "A" * 43)
    assert other.exit_code == 1 and f"at {entry}: a client's receipt says AAA" in other.stdout
    a_cut_tail(store)
    kept_entry, kept_head = store.receipts[DONE][-2]
    store.redis.hset(key("r", DONE), "head", _raw(kept_head))
    assert store.stream("a")[-1][0].decode() == kept_entry
    assert store.noripan("audit", f"{DONE}/1").exit_code == 0, "in itself it is sound"
    cut = store.noripan("audit", f"{DONE}/1", "--receipt", entry, head)
    assert cut.exit_code == 1 and "the log has no such entry" in cut.stdout


def _raw(head: str) -> bytes:
    raw = base64.urlsafe_b64decode(head + "=")
    assert text(raw) == head
    return raw


def test_an_audit_of_a_running_game_tells_no_secret(store):
    """P6: also when the log was changed so that deciding it again comes to an end and reveals."""
    items = store.stream("a", LIVE)
    concede = b'{"type":"act","player":"%s","seat":%d,"action":{"type":"concede"}}'
    seats = [
        line
        for line in lines(store.noripan("replay", LIVE, "--json"))
        if line.get("event", {}).get("type") == "started"
    ]
    for seat, player in enumerate(seats[0]["event"]["seats"]):
        entry_id, fields = items[-2 + seat]
        items[-2 + seat] = (entry_id, {**fields, b"d": concede % (player.encode(), seat)})
    store.rewrite("a", items, LIVE)
    result = store.noripan("audit", LIVE)
    assert result.exit_code == 1
    assert secret_of(LIVE).hex() not in result.output and nonce_of("ann").hex() not in result.output


@pytest.mark.parametrize(
    "args",
    [
        ["audit"],
        ["audit", DONE, "--all"],
        ["audit", "nonsense"],
        ["audit", "ZZZZZZ"],
        ["audit", f"{DONE}/2"],
        ["audit", f"{DONE}/0"],
        ["audit", DONE, "--receipt", "1-0", "x"],
        ["replay", "ZZZZZZ"],
        ["replay", f"{DONE}/2"],
        ["replay", DONE, "--at", "0"],
        ["replay", DONE, "--at", "100000"],
        ["replay", DONE, "--as", "2"],
        ["replay", LOBBY, "--as", "1"],
        ["replay", LIVE, "--evidence"],
        ["replay", DONE, "--evidence", "--as", "1"],
        ["rooms", "surplus"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_ends_with_2_and_says_why(store, args):
    result = store.noripan(*args)
    assert result.exit_code == 2 and result.stdout == "" and len(result.stderr) > 20


@pytest.mark.parametrize("args", [["audit", "--all"], ["replay", DONE], ["rooms"]], ids=" ".join)
def test_a_server_that_does_not_answer_is_no_finding(args):
    result = CliRunner().invoke(cli, args, env={"REDIS_URL": "redis://127.0.0.1:1/0"})
    assert result.exit_code == 2 and "REDIS_URL: the server does not answer" in result.stderr
    for bad in ("/abc", ":none/0", "/0?colour=blue"):
        done = subprocess.run(
            [sys.executable, "-m", "services.cli.main", *args],
            env={**os.environ, "REDIS_URL": f"redis://:hunter2@127.0.0.1:1{bad}"},
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 2 and done.stdout == "" and "REDIS_URL: " in done.stderr
        assert "Traceback" not in done.stderr and "hunter2" not in done.stderr


def test_a_game_that_is_not_installed_is_not_checked_and_not_called_bad(store):
    store.redis.hset(key("r", LOBBY), "g", "no_such_game")
    alone = store.noripan("audit", LOBBY)
    assert alone.exit_code == 2 and "BAD" not in alone.stdout
    assert alone.stdout.startswith(f"{LOBBY}/1  not checked: the game 'no_such_game' is not installed here")
    rest = store.noripan("audit", "--all")
    assert rest.exit_code == 2 and rest.stdout.splitlines()[-1] == "3 games: 2 ok, 0 bad, 1 not checked"
    told = [json.loads(line) for line in store.noripan("audit", "--all", "--json").stdout.splitlines()]
    assert [(one["ok"], one.get("checked", True)) for one in told] == [(True, True), (True, True), (False, False)]
    a_die(store)  # what is wrong elsewhere is still wrong
    rest = store.noripan("audit", "--all")
    assert rest.exit_code == 1 and rest.stdout.splitlines()[-1] == "3 games: 1 ok, 1 bad, 1 not checked"


def test_a_log_of_other_rules_is_not_checked_unless_only_its_event_says_so(store):
    def other_rules(kind: str) -> None:
        store.rewrite(kind, changed_fields(store.stream(kind), 0, b'"rules_version":2', b'"rules_version":7'))

    other_rules("e")
    assert store.noripan("audit", DONE).exit_code == 1
    other_rules("a")
    result = store.noripan("audit", DONE)
    assert result.exit_code == 2 and "not checked: played by rules version 7" in result.stdout
