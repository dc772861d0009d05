"""`noripan replay` and `rooms`, and the checker that shares no line with us: what happened, as each may see it."""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.games
from engine import chain
from engine.game import SPECTATOR
from engine.kit import kit
from engine.room.view import room_view
from services.cli._log import drawing, text_of, words
from services.store.keys import key, part_key, partition
from services.store.read import read_room
from services.store.redis import Caller, connect
from tests.golden import make
from tests.services.log_kit import (
    DONE,
    LIVE,
    LOBBY,
    ROOT,
    Store,
    a_die,
    evidence_of,
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


def test_replay_tells_a_line_for_each_event_and_shows_the_table(store):
    result = store.noripan("replay", DONE)
    assert (result.exit_code, result.stderr) == (0, "")
    told = [line for line in result.stdout.splitlines() if line[:1] == " " or line[:1].isdigit()]
    assert f"{DONE}/1  yacht, over" in result.stdout and "seat 0: ann (민수)" in result.stdout
    for number in range(1, len(store.stream("e")) + 1):
        assert told[number - 1].split()[0] == str(number)
    for part in ("lobby opened by ann", "seat 0 taken by ann (with a nonce)", "the dice are fixed", "holds dice 1, 2"):
        assert part in result.stdout
    assert "scored" in result.stdout and "game over" in result.stdout and "round 12 of 12" in result.stdout
    assert f"secret {secret_of(DONE).hex()}" in result.stdout
    table = result.stdout.rpartition("\n\n")[2]
    totals = [line["total"] for line in json.loads(store.stream("e")[-2][1][b"e"])["result"]["ranking"]]
    assert sorted(map(int, table.splitlines()[-2].split()[1:])) == sorted(totals)


def test_replay_at_a_version_is_the_fold_of_that_many_events(store):
    whole = lines(store.noripan("replay", DONE, "--json"))
    for version in (1, 7, 40, len(whole) - 1):
        part = lines(store.noripan("replay", DONE, "--json", "--at", str(version)))
        assert part[:-1] == whole[:version] and part[-1]["version"] == version
    assert part[-1]["view"]["phase"] == "over"
    second = str(next(line["version"] for line in whole if line["event"]["type"] == "round_changed"))
    assert store.noripan("replay", DONE, "--at", second).stdout.endswith("\nround 2 of 12\n")


def test_json_lines_carry_entry_time_and_the_stored_event(store):
    whole = lines(store.noripan("replay", DONE, "--json"))
    entries = {entry_id.decode() for entry_id, _ in store.stream("a")}
    for line, (_, fields) in zip(whole[:-1], store.stream("e"), strict=True):
        assert line["event"] == json.loads(fields[b"e"])
        assert line["entry"] in entries and line["at_ms"] == int(line["entry"].split("-")[0])


def test_a_replay_of_a_running_game_tells_no_secret_to_anyone(store):
    hidden = [secret_of(LIVE).hex(), nonce_of("ann").hex()]
    _, _, room = asyncio.run(_room(store.url, LIVE))
    assert room.phase == "playing"
    for args in ([], ["--json"], ["--as", "0"], ["--as", "1", "--json"], ["--at", "6"]):
        result = store.noripan("replay", LIVE, *args)
        assert result.exit_code == 0 and not [one for one in hidden if one in result.output]


def test_what_only_one_seat_sees_is_shown_as_that_seat_alone(store):
    """The game was played with the preview for the seat in turn only."""
    whole = lines(store.noripan("replay", DONE, "--json"))
    rolled = next(line for line in whole if line["event"]["type"] == "rolled")
    at, seat = str(rolled["version"]), rolled["event"]["seat"]

    def preview(*args: str) -> bool:
        return "preview" in lines(store.noripan("replay", DONE, "--json", "--at", at, *args))[-1]["view"]["table"]

    assert preview("--as", str(seat)) and not preview("--as", str(1 - seat)) and not preview()


def test_a_tampered_log_is_still_told_with_a_warning(store):
    a_die(store)
    result = store.noripan("replay", DONE)
    assert result.exit_code == 0 and "does not re-execute from" in result.stderr and "game over" in result.stdout
    assert store.noripan("replay", DONE, "--evidence").exit_code == 1


async def _room(url: str, room: str):
    caller = Caller(connect(url))
    try:
        return await read_room(caller, room)
    finally:
        await caller.close()


# --- words, on the golden logs of every game


@pytest.mark.parametrize("game", ["yacht", "yut", "duel"])
def test_every_event_has_words(game):
    """A game without a `text` module is told by tags and fields."""
    engine.games.add("tests.games.duel")
    text, k = text_of(game, ("tests.games.duel",)), kit(game)
    assert (text is None) == (game == "duel")
    told = set()
    for case in make.cases(game):
        for data in make.read(make.path_of(game, case)).events:
            line = words(k.decode_event(data), text)
            assert line and "\n" not in line
            assert line.endswith("(automatic)") == (b'"auto":true' in data)
            told.add(line.split()[0])
    assert len(told) > 5


def test_the_yut_board_shows_every_place_or_who_stands_there():
    k, text = kit("yut"), text_of("yut", ())
    seen = 0
    for case in make.cases("yut"):
        room = None
        for data in make.read(make.path_of("yut", case)).events:
            room = k.evolve(room, [k.decode_event(data)])
            if room.state is None:
                continue
            view = room_view(k, room, SPECTATOR)
            lines = drawing(k, view, text, room.options).splitlines()
            cells = " ".join(lines[:11]).split()
            stands = [f"[{'ABCD'[spot.side]}{spot.count}]" for spot in view.table.board.values()]
            empty = {str(node) for node in range(29)} - set(view.table.board)
            assert sorted(cells) == sorted([*stands, *empty])
            assert len(lines) == 12 + len(view.table.sides) + (room.state.phase != "finished")
            seen = max(seen, len(stands))
    assert seen >= 4


# --- the independent checker


def check(path: Path, evidence: list[dict], *receipt: str) -> subprocess.CompletedProcess:
    path.write_text("".join(json.dumps(line) + "\n" for line in evidence))
    command = [sys.executable, "-I", "-S", str(ROOT / "docs" / "check.py"), str(path), *receipt]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_independent_script_finds_a_real_game_sound(store, tmp_path):
    """Report 104: by the published format alone, with no line of ours and no package."""
    evidence = evidence_of(store)
    assert "private" not in json.dumps(evidence)
    done = check(tmp_path / "game.jsonl", evidence, *store.receipts[DONE][-1])
    assert done.returncode == 0, done.stdout + done.stderr
    draws = sum(json.loads(event).get("draws", 0) for line in evidence[1:-1] for event in line["events"])
    assert f"{DONE}/1 is sound" in done.stdout and f"{draws} draws" in done.stdout and draws > 150


def test_the_script_imports_nothing_of_ours():
    source = (ROOT / "docs" / "check.py").read_text()
    imported = {line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported == {"base64", "hashlib", "hmac", "json", "sys"}


def event_of(evidence: list[dict], kind: str) -> tuple[dict, int]:
    for line in evidence[1:-1]:
        for index, event in enumerate(line["events"]):
            if json.loads(event)["type"] == kind:
                return line, index
    raise AssertionError(kind)


def rechained(evidence: list[dict]) -> list[dict]:
    """A forger's last step: make the head fit what was changed."""
    head = None
    line, index = event_of(evidence, "revealed")
    secret = bytes.fromhex(json.loads(line["events"][index])["secret"])
    for line in evidence[1:-1]:
        events = [event.encode() for event in line["events"]]
        if head is None and events and b'"type":"started"' in events[0]:
            head = hashlib.sha256(events[0]).digest()
        if head is not None:
            entry = line["entry"].encode()
            blind = chain.blind(2, secret, entry)
            parts = [head, entry, line["data"].encode(), line["code"].encode(), blind, *events]
            head = hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()
    return [*evidence[:-1], {**evidence[-1], "head": chain.text(head)}]


@pytest.mark.parametrize("kind", ["rolled", "revealed", "dealt", "began", "scored", "started"])
@pytest.mark.parametrize("forger", [False, True], ids=["clumsy", "with a fitting head"])
def test_the_script_finds_what_was_tampered_with(store, tmp_path, kind, forger):
    evidence = evidence_of(store)
    line, index = event_of(evidence, kind)
    event = json.loads(line["events"][index])
    match kind:
        case "rolled":
            event["dice"][0] = event["dice"][0] % 6 + 1
        case "revealed":
            event["nonces"][0] = "ab" * 32
        case "dealt":
            event["order"].reverse()
        case "began":
            event["withheld"] = [0]
        case "scored":
            event["draws"] = 1
        case "started":
            event["commitment"] = "ab" * 32
    line["events"][index] = json.dumps(event, separators=(",", ":"))
    done = check(tmp_path / "game.jsonl", rechained(evidence) if forger else evidence)
    assert done.returncode == 1 and "NOT SOUND" in done.stdout, done.stdout + done.stderr


def test_the_script_finds_a_cut_log_by_a_receipt(store, tmp_path):
    evidence = evidence_of(store)
    entry, head = store.receipts[DONE][-1]
    refused = next(i for i, line in enumerate(evidence) if line.get("code") == "not_your_turn")
    shorter = rechained(evidence[:refused] + evidence[refused + 1 :])
    assert check(tmp_path / "a.jsonl", shorter).returncode == 0, "a refused entry leaves no gap in events or draws"
    done = check(tmp_path / "b.jsonl", shorter, entry, head)
    assert done.returncode == 1 and "the receipt says" in done.stdout
    assert check(tmp_path / "c.jsonl", evidence, entry).returncode == 2


def test_a_file_that_the_script_cannot_read_is_named(tmp_path):
    command = [sys.executable, "-I", "-S", str(ROOT / "docs" / "check.py")]
    for path in (tmp_path / "none.jsonl", tmp_path):
        done = subprocess.run([*command, str(path)], capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith(f"cannot read {path}: ")
    (tmp_path / "empty").write_text("")
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    for name in ("empty", "odd"):
        done = subprocess.run([*command, str(tmp_path / name)], capture_output=True, text=True)
        assert done.returncode == 1 and "NOT SOUND: not the published format" in done.stdout and not done.stderr


def test_evidence_is_a_form_of_its_own(store):
    """--json means the events and the view; whoever asks for both gets neither by surprise."""
    for more in (["--json"], ["--at", "3"], ["--as", "0"]):
        result = store.noripan("replay", DONE, "--evidence", *more)
        assert result.exit_code == 2 and result.stdout == "" and more[0] in result.stderr


# --- rooms


def test_rooms_lists_what_is_there(store):
    found = {line["room"]: line for line in lines(store.noripan("rooms", "--json"))}
    assert list(found) == [LIVE, DONE, LOBBY]
    assert [line["phase"] for line in found.values()] == ["playing", "over", "lobby"]
    assert [line["players"] for line in found.values()] == [2, 2, 1]
    for room, line in found.items():
        assert line["version"] == len(store.stream("e", room)) and line["unread"] == 0
        assert line["partition"] == partition(room) and line["epoch"] >= 1
    table = store.noripan("rooms").stdout.splitlines()
    assert table[0].split()[:3] == ["room", "game", "phase"] and len(table) == 4
    assert table[2].split()[:5] == [f"{DONE}/1", "yacht", "over", str(len(store.stream("e"))), "2"]


def test_rooms_shows_unread_entries_deadlines_and_leases(store):
    store.redis.xadd(key("a", f"{LIVE}/1"), {"d": b'{"type":"connected","player":"ann"}'})
    now = int(store.redis.time()[0]) * 1000
    store.redis.hset(key("r", LIVE), "due", now - 5_000)
    m = part_key("m", partition(LIVE))
    before = store.redis.dump(m)
    store.redis.hset(m, mapping={"job": "p00:7", "lease": now + 60_000, "epoch": 7})
    line = lines(store.noripan("rooms", "--json"))[0]
    table = store.noripan("rooms").stdout
    store.redis.delete(m)
    if before:
        store.redis.restore(m, 0, before)
    assert line["unread"] == 1 and -8_000 < line["due_in_ms"] <= -4_000 and 55_000 < line["lease_ms"] <= 61_000
    assert "overdue" in table and f"p{partition(LIVE):02d}:7" in table


def test_a_damaged_room_is_listed_and_hides_no_other(store):
    store.redis.hset(key("r", LIVE), "snap", b"rubbish")
    store.redis.xdel(key("e", f"{LIVE}/1"), "5-0")
    store.redis.hset(key("r", LOBBY), "g", "no_such_game")
    phases = {line["room"]: line["phase"] for line in lines(store.noripan("rooms", "--json"))}
    assert phases == {LIVE: "damaged", DONE: "over", LOBBY: "no such game installed"}
    assert store.noripan("audit", "--all").exit_code == 1
    assert store.noripan("replay", LOBBY).exit_code == 2


def test_the_commands_work_from_a_shell(store):
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", "audit", "--all", "--json"],
        env={**os.environ, "REDIS_URL": store.url},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "") and len(done.stdout.splitlines()) == 3
