"""Goal: Yut tables of four, in teams and single with `ranking: all`, are played to their end over WebSockets and audited.

Method: real processes, two gateways, random legal play by the ordinary client; the judge of the fault tests compares what
players saw with the log, and `noripan audit` decides every entry again.
"""

import asyncio
import subprocess
import sys

import pytest

from tests.faults.campaign import judge, play, tables
from tests.faults.test_processes import run
from tests.stack import ROOT, Stack


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    with Stack(tmp_path_factory.mktemp("yut"), gateways=2, workers=2) as running:
        yield running


def command(stack, *args):
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", *args],
        cwd=ROOT,
        env=stack.worker[0].env,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


async def whole_game(stack, options):
    async with tables(stack.urls, 1, "yut", {"turnSeconds": None, **options}, seats=4) as (table,):
        await asyncio.wait_for(play(table, 7), 90)
        await judge(stack.server.url, [table])
        return table.room, table.players[0].view


def test_a_team_game_of_four_is_played_to_the_end_and_audited(stack):
    room, view = run(whole_game(stack, {"mode": "team"}))
    sides = [place["side"] for place in view["result"]["ranking"]]
    assert sorted(sides) == [0, 1]
    assert [place["rank"] for place in view["result"]["ranking"]] == [1, 2]
    assert sorted(seat for place in view["result"]["ranking"] for seat in place["seats"]) == [0, 1, 2, 3]
    code, text = command(stack, "audit", room)
    assert code == 0, text


def test_a_single_game_of_four_with_ranking_all_is_played_to_the_end_and_audited(stack):
    room, view = run(whole_game(stack, {"ranking": "all", "pieces": 2, "nakPercent": 5}))
    assert [place["rank"] for place in view["result"]["ranking"]] == [1, 2, 3, 4]
    code, text = command(stack, "audit", room)
    assert code == 0, text
    code, text = command(stack, "replay", room)
    assert code == 0 and "game_over" not in text, text
    assert len(text.splitlines()) > 50
