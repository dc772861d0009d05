"""Goal: whoever played a game, or may watch it, can have it checked without the host: the evidence over HTTP is what
`noripan replay --evidence` prints, and nobody gets it sooner than the end that they may see.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

from services.client import new_player
from tests.services.manners_kit import duel, finish
from tests.services.raw import request
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack

CHECK = Path(__file__).parents[2] / "docs" / "check.py"


def text_of(stack: Stack, room: str, n: int = 1, token: str = "") -> str:
    bearer = {"authorization": f"Bearer {token}"} if token else {}
    with urlopen(Request(f"{stack.urls[0]}/api/rooms/{room}/games/{n}/evidence", headers=bearer)) as answer:
        assert answer.status == 200 and answer.headers["content-type"].startswith("application/x-ndjson")
        assert answer.headers["content-disposition"] == f'attachment; filename="{room}-{n}.jsonl"'
        return answer.read().decode()


def refused(stack: Stack, room: str, n: int | str = 1, token: str = "") -> tuple[int, str]:
    bearer = {"authorization": f"Bearer {token}"} if token else {}
    status, answer, _ = request("GET", f"{stack.urls[0]}/api/rooms/{room}/games/{n}/evidence", **bearer)
    return status, answer["code"]


def test_a_player_and_a_stranger_get_what_the_host_gets_and_it_is_sound(stack: Stack, tmp_path: Path) -> None:
    async def scenario() -> tuple[str, tuple[str, str]]:
        async with duel(stack.urls) as (one, two):
            assert refused(stack, one.room) == (409, "not_over")
            await finish(one, two)
            last = one.receipts[-1]
            return one.room, (last.entry, last.head)

    room, receipt = run(scenario())
    lines = text_of(stack, room)
    command = [sys.executable, "-m", "services.cli.main", "replay", room, "--evidence"]
    env = {**os.environ, "REDIS_URL": stack.server.url, "NORIPAN_GAMES": "tests.games.duel"}
    printed = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert printed.returncode == 0 and printed.stdout == lines
    assert json.loads(lines.splitlines()[0])["format"] == "noripan/2"
    path = tmp_path / "game.jsonl"
    path.write_text(lines)
    checked = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECK), str(path), *receipt], capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stdout
    assert (
        refused(stack, room, 2)[0] == 404 and refused(stack, "QQQQQQ")[0] == 404 and refused(stack, room, "x")[0] == 400
    )


def test_a_room_without_spectators_gives_it_to_its_players_alone(stack: Stack) -> None:
    async def scenario() -> tuple[str, str]:
        async with duel(stack.urls, {"spectators": False}) as (one, two):
            await finish(one, two)
            return one.room, one.token

    room, token = run(scenario())
    _, stranger = run(new_player(stack.urls[0]))
    assert refused(stack, room) == refused(stack, room, token=stranger) == (403, "no_spectators")
    assert text_of(stack, room, token=token).count("\n") > 5


def test_a_room_that_is_shown_late_gives_it_late(stack: Stack) -> None:
    async def scenario() -> tuple[str, str]:
        async with duel(stack.urls, {"delay_s": 300}) as (one, two):
            await finish(one, two)
            return one.room, one.token

    room, token = run(scenario())
    assert refused(stack, room)[0] in (404, 409)
    assert '"revealed\\"' in text_of(stack, room, token=token)
