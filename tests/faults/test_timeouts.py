"""Goal: a deadline takes effect once, whatever schedulers and workers were doing when it passed.

Method: a duel of 10 s turns is too slow for tests, so absence is used: players who leave are acted for after the grace.
"""

import asyncio
import time

from tests.faults.campaign import tables
from tests.faults.test_processes import run
from tests.stack import Stack


async def leave(table):
    """All players of a room close their sockets; a spectator stays to see what happens."""
    from services.client import Client

    watcher = await Client(table.players[0].urls, table.room).__aenter__()
    for player in table.players:
        await player.close()
    return watcher


def timeouts(stack, room):
    from services.store.keys import key

    entries = stack.redis.xrange(key("a", f"{room}/1"))
    return [fields[b"d"] for _, fields in entries if b'"timeout"' in fields[b"d"]]


def events(stack, room, tag):
    from services.store.keys import key

    found = stack.redis.xrange(key("e", f"{room}/1"))
    return [fields[b"e"] for _, fields in found if b'"type":"%s"' % tag in fields.get(b"e", b"")]


def test_report_26_31_deadlines_that_passed_while_all_schedulers_were_down_take_effect_once(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 5, "yut", {"turnSeconds": 15}) as found:
            watchers = [await leave(table) for table in found]
            await asyncio.sleep(0.5)
            for scheduler in stack.scheduler:
                scheduler.kill()
            await asyncio.sleep(7)  # the grace of 5 s ends
            assert all(not timeouts(stack, table.room) for table in found)
            began = time.monotonic()
            for scheduler in stack.scheduler:  # two side by side
                scheduler.start(wait=False)
            for watcher in watchers:
                await watcher.until(lambda c: any(e["type"] == "timed_out" for e in c.events), 10)
            assert time.monotonic() - began < 5
            await asyncio.sleep(1)
            for table, watcher in zip(found, watchers, strict=True):
                turns = events(stack, table.room, b"timed_out")
                assert len(turns) == len(set(turns)), "one turn ended twice"
                await watcher.close()

    with Stack(tmp_path, schedulers=2) as stack:
        run(scenario(stack), 60)


def test_no_flood_of_timeouts_while_workers_are_down_and_one_effect_after(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 5, "yut", {"turnSeconds": 15}) as found:
            watchers = [await leave(table) for table in found]
            await asyncio.sleep(1)
            for worker in stack.worker:
                worker.kill()
            await asyncio.sleep(12)
            assert [len(timeouts(stack, table.room)) for table in found] == [1] * 5
            began = time.monotonic()
            for worker in stack.worker:
                worker.start(wait=False)
            for watcher in watchers:
                await watcher.until(lambda c: any(e["type"] == "timed_out" for e in c.events), 10)
            assert time.monotonic() - began < 6
            for table, watcher in zip(found, watchers, strict=True):
                first = events(stack, table.room, b"timed_out")
                assert len(first) == len(set(first))
                await watcher.close()

    with Stack(tmp_path) as stack:
        run(scenario(stack), 60)
