"""Goal: a person can be forgotten: no key of the server has their nickname or a line of theirs, and every game verifies."""

import os
import subprocess
import sys

from services.client import new_player
from tests.services.manners_kit import duel, finish
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack

NAME, LINE = "잊힐이", "나를 잊어 주세요"


def everything(stack: Stack) -> bytes:
    return b"\n".join(value for name in stack.redis.scan_iter() for value in [stack.redis.dump(name)] if value)


def noripan(stack: Stack, *args: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "REDIS_URL": stack.server.url, "NORIPAN_GAMES": "tests.games.duel"}
    command = [sys.executable, "-m", "services.cli.main", *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def test_an_erased_person_is_in_no_key_and_their_games_verify(stack: Stack) -> None:
    async def play() -> tuple[str, str]:
        async with duel(stack.urls) as (one, two):
            await finish(one, two)
            await two.say("chat", LINE)
            await one.until(lambda c: any(said.body == LINE for said in c.said))
            return one.room, two.player

    room, player = run(play())
    names = stack.redis.hgetall(next(stack.redis.scan_iter(f"*:n:{room}")))
    nickname = names[player.encode()].rpartition(b"\n")[2]
    done = noripan(stack, "erase", player)
    assert done.returncode == 0 and "1 names and 1 lines" in done.stdout, done.stdout + done.stderr
    assert player.encode() not in stack.redis.hgetall(next(stack.redis.scan_iter(f"*:n:{room}")))
    kept = stack.redis.lrange(next(stack.redis.scan_iter(f"*:c:{room}"), "none"), 0, -1)
    assert not any(LINE.encode() in line for line in kept) and nickname
    assert noripan(stack, "audit", room).returncode == 0
    other, _ = run(new_player(stack.urls[0]))
    assert "0 names and 0 lines" in noripan(stack, "erase", other).stdout
    assert noripan(stack, "erase", "no such id!").returncode == 2
