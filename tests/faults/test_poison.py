"""Goal: a bad room hurts itself only (P7): an exception, an endless loop, a room that kills its worker.

Method: the `faulty` game beside healthy Yacht rooms on one worker; the bad command is rejected as `internal`, its room goes
on, the others never notice, and the audit reads the record.
"""

import asyncio
import json
import time

import pytest

from engine import games
from services.bench.measure import cpu_s
from services.client import Rejected
from services.store.read import read_log
from services.store.redis import Caller, connect
from tests.faults.campaign import judge, play, tables
from tests.faults.test_processes import audit_all, run
from tests.stack import Stack

LOOPS = 10_000_000  # some tenths of a second of CPU, several seconds where neighbours take the caches and the clock
ENV = {"NORIPAN_GAMES": "tests.games.faulty", "NORIPAN_FOLD_MS_MAX": "300"}


@pytest.fixture(autouse=True)
def faulty_game():
    """The game is known to this process during these tests only: others look at the list of games."""
    games.add("tests.games.faulty")
    yield
    games._added.remove("tests.games.faulty")
    games.games.cache_clear()


async def parked(url, room):
    caller = Caller(connect(url))
    try:
        return (await read_log(caller, room)).parked
    finally:
        await caller.close()


async def poison(stack, action, healthy=3):
    """One bad action in a faulty room while Yacht rooms play; then the faulty room is played to its end."""
    async with (
        tables(stack.urls, 1, "faulty", {}, seats=1) as (bad,),
        tables(stack.urls, healthy) as good,
    ):
        playing = [asyncio.ensure_future(play(table, seed)) for seed, table in enumerate(good)]
        player = bad.players[0]
        await player.act(0, {"type": "step"})
        with pytest.raises(Rejected) as refused:
            await player.act(0, {"type": action})
        assert refused.value.code == "internal"
        for _ in range(9):
            outcome = await player.act(0, {"type": "step"})
            bad.done.append((player.session, outcome.entry))
        await player.until(lambda c: c.view["phase"] == "over")
        await asyncio.gather(*playing)
        await judge(stack.server.url, [bad, *good])
        return list((await parked(stack.server.url, bad.room)).values())


@pytest.mark.parametrize(
    ("action", "fault"), [("raise", "ZeroDivisionError"), ("spin", "FoldTooSlow"), ("crash", "killed")]
)
def test_report_48_139_a_poisoned_command_is_parked_and_its_room_goes_on(tmp_path, action, fault):
    with Stack(tmp_path, workers=2 if action == "crash" else 1, env=ENV) as stack:
        if action == "crash":
            faults = run(_with_restarts(stack, poison(stack, action)))
        else:
            faults = run(poison(stack, action))
        assert faults == [fault]
        audit_all(stack)


def test_whatever_cannot_be_made_of_a_decision_parks_its_entry(tmp_path):
    """Not `decide` alone: a view, a mask, the deadline or the snapshot that raises costs this one command and no room."""
    parts = ("view", "mask", "apart", "deadline", "snapshot")

    async def scenario(stack):
        async with (
            tables(stack.urls, 1, "faulty", {}, seats=1) as (bad,),
            tables(stack.urls, 1) as good,
        ):
            playing = asyncio.ensure_future(play(good[0], 1))
            player = bad.players[0]
            for part in parts:
                with pytest.raises(Rejected) as refused:
                    await player.act(0, {"type": "break", "part": part})
                assert refused.value.code == "internal", part
                outcome = await player.act(0, {"type": "step"})
                bad.done.append((player.session, outcome.entry))
            for _ in range(10 - len(parts)):
                outcome = await player.act(0, {"type": "step"})
                bad.done.append((player.session, outcome.entry))
            await player.until(lambda c: c.view["phase"] == "over")
            await playing
            await judge(stack.server.url, [bad, *good])
            return await parked(stack.server.url, bad.room)

    with Stack(tmp_path, workers=1, env=ENV) as stack:
        faults = run(scenario(stack), 60)
        assert len(faults) == len(parts) and set(faults.values()) <= {"KeyError", "TypeError"}
        log = stack.worker[0].log.read_text()
        told = [json.loads(line) for line in log.splitlines() if '"parked"' in line]
        places = [line["where"] for line in told]
        assert len(places) == len(parts) and all(" at " in place for place in places), places
        assert sum("faulty/__init__.py:" in place for place in places) == 4 and "on purpose" not in log
        audit_all(stack)


def test_report_115_a_worker_killed_in_the_middle_of_a_fold_costs_nothing(tmp_path):
    """The fold takes a second of CPU; the worker dies in it; the next worker folds the same entry, and only once."""

    async def scenario(stack):
        async with tables(stack.urls, 1, "faulty", {}, seats=1) as (table,):
            player = table.players[0]
            await player.act(0, {"type": "step"})
            used = cpu_s(stack.worker[0].pid)
            acting = asyncio.ensure_future(player.act(0, {"type": "slow", "loops": LOOPS}))
            while cpu_s(stack.worker[0].pid) < used + 0.1:  # it is folding
                await asyncio.sleep(0.005)
            stack.worker[0].kill()
            assert not acting.done()
            stack.worker[0].start(wait=False)
            outcome = await acting
            table.done.append((player.session, outcome.entry))
            await judge(stack.server.url, [table])
            assert player.view["table"]["steps"] == 2

    with Stack(tmp_path, workers=1, env={**ENV, "NORIPAN_FOLD_MS_MAX": "10000"}) as stack:
        run(scenario(stack))
        audit_all(stack)


async def _with_restarts(stack, scenario):
    """Start dead workers again, as `noripan up` does."""

    async def supervise():
        while True:
            await asyncio.sleep(0.1)
            for worker in stack.worker:
                if not worker.running:
                    worker.restart(wait=False)

    supervisor = asyncio.ensure_future(supervise())
    try:
        return await scenario
    finally:
        supervisor.cancel()


def test_a_fold_that_takes_longer_than_the_lease_is_committed_all_the_same(tmp_path):
    """Found under load: a fold beyond the lease was refused for its epoch, folded again, and so on for ever."""

    async def scenario(stack):
        async with tables(stack.urls, 1, "faulty", {}, seats=1) as (table,):
            player = table.players[0]
            began = time.monotonic()
            outcome = await player.act(0, {"type": "slow", "loops": LOOPS})
            table.done.append((player.session, outcome.entry))
            await judge(stack.server.url, [table])
            return time.monotonic() - began

    with Stack(tmp_path, env={**ENV, "NORIPAN_FOLD_MS_MAX": "60000", "NORIPAN_LEASE_MS": "100"}) as stack:
        assert run(scenario(stack)) > 0.1  # the fold did take longer than the lease
        assert "fenced" not in stack.worker[0].log.read_text()
