"""Goal: an engine that raises in one room hurts that command and nothing else. Method: one room's action raises while others
play on the same worker; it is refused, nothing of it is in the events, the room plays to its end, the others notice nothing,
and the operator's audit shows the room with its parked commands.
"""

import asyncio
from pathlib import Path

import pytest

from services.client import Rejected
from services.store.keys import key
from tests.faults.campaign import judge, play, tables
from tests.faults.test_poison import faulty_game as faulty_game
from tests.faults.test_poison import parked
from tests.faults.test_processes import audit_all
from tests.services.test_client import run
from tests.stack import Stack


def test_a_raising_command_is_refused_and_shown_to_the_operator(tmp_path: Path) -> None:
    async def scenario(stack: Stack) -> str:
        async with tables(stack.urls, 1, "faulty", {}, seats=1) as (bad,), tables(stack.urls, 3) as good:
            others = [asyncio.ensure_future(play(table, seed)) for seed, table in enumerate(good)]
            player = bad.players[0]

            def events() -> int:
                """What happened in the room; the record of a parked command stands beside it."""
                return sum(b"e" in fields for _, fields in stack.redis.xrange(key("e", f"{bad.room}/1")))

            for _ in range(10):
                before = events()
                with pytest.raises(Rejected) as refused:
                    await player.act(0, {"type": "raise"})
                assert refused.value.code == "internal"
                assert events() == before
                await player.act(0, {"type": "step"})
            await player.until(lambda c: c.view["phase"] == "over")
            await asyncio.gather(*others)
            for table in good:
                for client in table.players:
                    await client.until(lambda c: c.view["phase"] == "over")
            await judge(stack.server.url, [bad, *good])
            faults = await parked(stack.server.url, bad.room)
            assert list(faults.values()) == ["ZeroDivisionError"] * 10
            return bad.room

    with Stack(tmp_path, env={"NORIPAN_GAMES": "tests.games.faulty"}) as stack:
        room = run(scenario(stack))
        [line] = [line for line in audit_all(stack).splitlines() if line.startswith(f"{room}/1")]
        assert " ok " in line and ", 10 parked" in line, line
