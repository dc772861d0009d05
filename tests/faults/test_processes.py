"""Goal: no process's death, pause or restart loses, doubles or stalls anything (P1, P2, P5).

Method: many rooms of scripted players on real processes; faults while they play; the judge of tests/faults/campaign.py.
"""

import asyncio
import subprocess
import sys
import time

import pytest

from tests.faults.campaign import judge, play, still_after, tables
from tests.stack import ROOT, Stack


def run(what, seconds=600):
    async def bounded():
        async with asyncio.timeout(seconds):
            return await what

    return asyncio.run(bounded())


def audit_all(stack):
    """`noripan audit --all`, as a host types it."""
    env = {**stack.worker[0].env}
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", "audit", "--all"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def faults(stack, rooms, pause_s):
    """Play `rooms` rooms through the three faults of the issue; (tables, worst standstill after the worker's death)."""
    async with tables(stack.urls, rooms) as found:
        games = [asyncio.ensure_future(play(table, seed, pause_s)) for seed, table in enumerate(found)]
        await asyncio.sleep(1.5)

        # 1. kill -9 of a worker that is folding; it stays dead for a while
        killed = time.monotonic()
        stack.worker[0].kill()
        await asyncio.sleep(4.0)
        standstill = max(still_after(table, killed) for table in found)
        stack.worker[0].start(wait=False)
        await asyncio.sleep(1.0)

        # 2. SIGSTOP of the other worker beyond its lease; when it continues, its late commits are refused
        stack.worker[1].pause()
        await asyncio.sleep(3.0)
        stack.worker[1].resume()
        await asyncio.sleep(0.5)

        # 3. kill -9 and restart of the server
        assert sum(not table.over for table in found) > rooms / 2, "most games were over before the last fault"
        stack.server.kill()
        await asyncio.sleep(0.5)
        stack.server.start()

        await asyncio.gather(*games)
        for table in found:
            for client in table.players:
                await client.until(lambda c: c.view["phase"] == "over")
        counts = await judge(stack.server.url, found)
    return counts, standstill


@pytest.mark.parametrize("rooms", [50, pytest.param(150, marks=pytest.mark.soak)])
def test_report_2_31_115_135_rooms_survive_killed_and_paused_workers_and_a_killed_server(tmp_path, rooms):
    with Stack(tmp_path, gateways=2, workers=2) as stack:
        counts, standstill = run(faults(stack, rooms, 0.15))
        print(f"\n{dict(counts)}, worst standstill after a worker's death {standstill:.2f} s")
        assert counts["rooms"] == rooms
        if rooms > 50:  # the long campaign, on a machine that has nothing else to do
            assert standstill <= 3.0
        audit_all(stack)


def test_report_120_all_games_go_on_after_every_arq_key_is_flushed(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 6) as found:
            games = [asyncio.ensure_future(play(table, seed)) for seed, table in enumerate(found)]
            for _ in range(4):
                await asyncio.sleep(0.4)
                names = stack.redis.keys("arq:*")
                if names:
                    stack.redis.delete(*names)
            await asyncio.gather(*games)
            return await judge(stack.server.url, found)

    with Stack(tmp_path, workers=1) as stack:
        assert run(scenario(stack))["rooms"] == 6


def test_report_116_rolling_restarts_of_workers_cost_nothing(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 4) as found:
            games = [asyncio.ensure_future(play(table, seed)) for seed, table in enumerate(found)]
            for turn in range(6):
                worker = stack.worker[turn % 2]
                code = await asyncio.to_thread(worker.stop)
                assert code == 0, worker.tail()
                worker.start(wait=False)
                await asyncio.to_thread(worker.wait_ready)
            await asyncio.gather(*games)
            return await judge(stack.server.url, found)

    with Stack(tmp_path, workers=2) as stack:
        assert run(scenario(stack))["rooms"] == 4


def test_report_119_processes_outlive_a_server_that_is_away_for_a_while(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 4) as found:
            games = [asyncio.ensure_future(play(table, seed, 0.02)) for seed, table in enumerate(found)]
            await asyncio.sleep(0.5)
            stack.server.stop()
            await asyncio.sleep(3.0)
            stack.server.start()
            await asyncio.gather(*games)
            return await judge(stack.server.url, found)

    with Stack(tmp_path, workers=1) as stack:
        pids = [process.pid for process in stack.processes]
        assert run(scenario(stack))["rooms"] == 4
        assert [process.pid for process in stack.processes if process.running] == pids
