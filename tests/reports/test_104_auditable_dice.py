"""Goal: whoever played can show from the published log alone that nobody chose the dice, and that a log is not the one they
played. Method: a game on the real stack; its evidence checked far from here by docs/check.py (no package, no line of ours)
and by a second recomputation below, from the revealed secret and nonces; then changed in the ways that a forger would.
"""

import asyncio
import base64
import copy
import hashlib
import hmac
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from services.client import Client, create_room
from services.client.play import play_to_end
from services.store.keys import key
from tests.services.test_client import run
from tests.stack import ROOT, Stack

Lines = list[dict]


class Played(NamedTuple):
    """promised: the commitment that the guest's client saw in the lobby. receipt: what it kept of the last update."""

    room: str
    promised: str
    receipt: tuple[str, str]
    evidence: Lines


def noripan(stack: Stack, *args: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "services.cli.main", *args]
    return subprocess.run(command, cwd=ROOT, env=stack.worker[0].env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def played(stack: Stack) -> Played:
    """Two people, both with nonces of their own, on two gateways."""

    async def play() -> tuple[str, str, tuple[str, str]]:
        room, token = await create_room(stack.urls[0], "yacht", {"turnSeconds": None})
        async with Client(stack.urls, room, token) as one, Client(stack.urls, room, first=1) as two:
            for name, client in (("하나", one), ("둘", two)):
                await client.join(name)
            promised = two.view["commitment"]
            assert "secret" not in json.dumps([one.view, one.events])
            await one.start()
            await asyncio.gather(
                *(play_to_end(client, seat, random.Random(seat)) for seat, client in enumerate((one, two)))
            )
            await two.until(lambda c: c.view["phase"] == "over")
            last = two.receipts[-1]
            return room, promised, (last.entry, last.head)

    room, promised, receipt = run(play())
    done = noripan(stack, "replay", room, "--evidence")
    assert done.returncode == 0, done.stderr
    return Played(room, promised, receipt, [json.loads(line) for line in done.stdout.splitlines()])


def events(evidence: Lines) -> list[dict]:
    return [json.loads(event) for line in evidence[1:-1] for event in line["events"]]


def parts(*pieces: bytes) -> bytes:
    return b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)


def test_every_draw_follows_from_what_was_promised_before_the_first(played: Played) -> None:
    """By docs/format.md, sections 6 and 7, in code of this test's own."""
    told = events(played.evidence)
    kinds = [event["type"] for event in told]
    started, revealed = told[kinds.index("started")], told[kinds.index("revealed")]
    secret, nonces = bytes.fromhex(revealed["secret"]), [bytes.fromhex(nonce) for nonce in revealed["nonces"]]
    assert kinds.index("opened") < kinds.index("started") < kinds.index("rolled")
    assert hashlib.sha256(secret).hexdigest() == played.promised == told[0]["commitment"] == started["commitment"]
    assert [hashlib.sha256(nonce).hexdigest() for nonce in nonces] == started["nonce_hashes"]
    game_key = hmac.new(secret, parts(started["id"].encode(), *nonces), "sha256").digest()
    number = 0

    def draw(bound: int) -> int:
        nonlocal number
        digest = hmac.new(game_key, f"noripan/1:{number}".encode(), "sha256").digest()
        number += 1
        return (int.from_bytes(digest[:8], "big") >> 11) * bound // 2**53

    rolls = 0
    for event in told:
        before = number
        if event["type"] == "dealt":
            order = [0, 1]
            j = draw(2)
            order[1], order[j] = order[j], order[1]
            assert event["order"] == order
        elif event["type"] == "rolled":
            rolls += 1
            held = event.get("held", [False] * 5)
            for die, kept in zip(event["dice"], held, strict=True):
                assert kept or die == 1 + draw(6)
        assert number - before == event.get("draws", 0)
    assert rolls >= 24 and number == sum(event.get("draws", 0) for event in told)


def check(folder: Path, evidence: Lines, *receipt: str) -> subprocess.CompletedProcess:
    """docs/check.py where nothing of ours is near: a copy in an empty folder, without site-packages or PYTHONPATH."""
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "docs" / "check.py", folder)
    (folder / "game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in evidence))
    command = [sys.executable, "-I", "-S", "check.py", "game.jsonl", *receipt]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True)


def test_the_short_script_finds_it_sound_on_another_machine(played: Played, tmp_path: Path) -> None:
    done = check(tmp_path / "far", played.evidence, *played.receipt)
    draws = sum(event.get("draws", 0) for event in events(played.evidence))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{played.room}/1 is sound" in done.stdout and f"{draws} draws" in done.stdout


def rewritten(evidence: Lines, kind: str, change: Callable[[dict], object]) -> Lines:
    """The first event of this kind changed."""
    lines = copy.deepcopy(evidence)
    for line in lines[1:-1]:
        for index, text in enumerate(line["events"]):
            event = json.loads(text)
            if event["type"] == kind:
                change(event)
                line["events"][index] = json.dumps(event, separators=(",", ":"))
                return lines
    raise AssertionError(kind)


def refitted(evidence: Lines) -> Lines:
    """With a head that fits: what whoever owns the server could publish."""
    head = b""
    secret = bytes.fromhex(next(event for event in events(evidence) if event["type"] == "revealed")["secret"])
    for line in evidence[1:-1]:
        told = [event.encode() for event in line["events"]]
        if not head and told and json.loads(told[0])["type"] == "started":
            head = hashlib.sha256(told[0]).digest()
        if head:
            blind = hmac.digest(secret, b"noripan/2:blind:" + line["entry"].encode(), "sha256")
            link = parts(head, line["entry"].encode(), line["data"].encode(), line["code"].encode(), blind, *told)
            head = hashlib.sha256(link).digest()
    return [*evidence[:-1], {**evidence[-1], "head": base64.urlsafe_b64encode(head).rstrip(b"=").decode()}]


def better_die(event: dict) -> None:
    event["dice"][0] = event["dice"][0] % 6 + 1


FORGERIES: dict[str, tuple[str, Callable[[dict], object]]] = {
    "a die": ("rolled", better_die),
    "the secret": ("revealed", lambda event: event.update(secret="ab" * 32)),
    "a nonce": ("revealed", lambda event: event["nonces"].reverse()),
    "the promise": ("opened", lambda event: event.update(commitment="ab" * 32)),
    "who begins": ("dealt", lambda event: event["order"].reverse()),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_found_even_with_a_head_that_fits(played: Played, tmp_path: Path, forgery: str) -> None:
    forged = rewritten(played.evidence, *FORGERIES[forgery])
    for lines in (forged, refitted(forged)):
        done = check(tmp_path / "far", lines)
        assert done.returncode == 1 and "NOT SOUND" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("which", [0, 5, -1])
def test_the_first_event_that_is_wrong_is_named(played: Played, tmp_path: Path, which: int) -> None:
    """Not the head, which says no more than that something is: with a receipt and without, with a fitting head or not."""
    rolls = [(n, event) for n, event in enumerate(events(played.evidence), 1) if event["type"] == "rolled"]
    number, rolled = rolls[which]
    changed = copy.deepcopy(rolled)
    better_die(changed)
    forged = copy.deepcopy(played.evidence)
    old, new = (json.dumps(event, separators=(",", ":")) for event in (rolled, changed))
    count = 0
    for line in forged[1:-1]:
        for index, event in enumerate(line["events"]):
            count += 1
            if count == number:
                assert event == old
                line["events"][index] = new
    for lines in (forged, refitted(forged)):
        for receipt in ((), played.receipt):
            done = check(tmp_path / "far", lines, *receipt)
            assert done.returncode == 1 and f"NOT SOUND at event {number}: the dice drawn are" in done.stdout, (
                done.stdout
            )


def test_an_action_that_stands_twice_is_named(played: Played, tmp_path: Path) -> None:
    lines = copy.deepcopy(played.evidence)
    acted = [line for line in lines[1:-1] if line.get("origin")]
    acted[-1]["origin"] = acted[3]["origin"]
    done = check(tmp_path / "far", lines)
    assert done.returncode == 1 and f"NOT SOUND at {acted[-1]['entry']}: the action" in done.stdout, done.stdout
    assert acted[3]["entry"] in done.stdout


def test_another_sound_log_is_found_by_a_players_receipt(played: Played, tmp_path: Path) -> None:
    """A whole game that is sound in itself, but not the one that was played: one entry says something else."""
    lines = copy.deepcopy(played.evidence)
    acted = next(line for line in lines[1:-1] if '"type":"act"' in line["data"])
    acted["data"] = acted["data"].replace("}", "} ", 1)
    lines = refitted(lines)
    assert check(tmp_path / "far", lines).returncode == 0
    done = check(tmp_path / "far", lines, *played.receipt)
    assert done.returncode == 1 and "the receipt says" in done.stdout


def test_a_die_changed_in_redis_is_found_by_audit(stack: Stack, played: Played) -> None:
    assert noripan(stack, "audit", played.room).returncode == 0
    name = key("e", f"{played.room}/1")
    kept = stack.redis.dump(name)
    items = stack.redis.xrange(name)
    index = next(index for index, (_, fields) in enumerate(items) if b'"type":"rolled"' in fields[b"e"])
    event = json.loads(items[index][1][b"e"])
    better_die(event)
    items[index][1][b"e"] = json.dumps(event, separators=(",", ":")).encode()
    stack.redis.delete(name)
    for entry_id, fields in items:
        stack.redis.xadd(name, fields, entry_id)
    try:
        done = noripan(stack, "audit", played.room)
        assert done.returncode == 1 and "BAD" in done.stdout
    finally:
        stack.redis.restore(name, 0, kept, replace=True)
    assert noripan(stack, "audit", played.room).returncode == 0
