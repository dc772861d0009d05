"""Goal: a deadline takes effect once, whatever schedulers and workers were doing when it passed.

Method: a duel of 10 s turns is too slow for tests, so absence is used: players who leave are acted for after the grace.
"""

import asyncio

from services.client import Client
from services.store.keys import key, part_key, partition
from tests.faults.campaign import tables
from tests.faults.test_processes import run
from tests.stack import Stack, wait_until


async def leave(table):
    """All players of a room close their sockets; a spectator stays to see what happens."""
    watcher = await Client(table.players[0].urls, table.room).__aenter__()
    for player in table.players:
        await player.close()
    return watcher


def timeouts(stack, room):
    entries = stack.redis.xrange(key("a", f"{room}/1"))
    return [fields[b"d"] for _, fields in entries if b'"timeout"' in fields[b"d"]]


def events(stack, room, tag):
    found = stack.redis.xrange(key("e", f"{room}/1"))
    return [fields[b"e"] for _, fields in found if b'"type":"%s"' % tag in fields.get(b"e", b"")]


def unread(stack, room):
    """Timeouts that no worker has decided."""
    cursor = stack.redis.hget(key("r", room), "cur").decode()
    entries = stack.redis.xrange(key("a", f"{room}/1"), f"({cursor}", "+")
    return [fields[b"d"] for _, fields in entries if b'"timeout"' in fields[b"d"]]


def overdue(stack, room):
    """Whether the room's deadline has passed, by the clock that decides."""
    seconds, _ = stack.redis.time()
    score = stack.redis.zscore(part_key("due", partition(room)), room)
    return score is not None and score / 1000 < seconds


def everybody_is_gone(found, watchers):
    for table, watcher in zip(found, watchers, strict=True):
        assert len(watcher.view["seats"]) == len(table.players)
    return [
        watcher.until(lambda c: not any(seat["connected"] for seat in c.view["seats"].values())) for watcher in watchers
    ]


def test_report_26_31_deadlines_that_passed_while_all_schedulers_were_down_take_effect_once(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 5, "yut", {"turnSeconds": 15}) as found:
            for scheduler in stack.scheduler:
                scheduler.kill()
            before = [timeouts(stack, table.room) for table in found]
            watchers = [await leave(table) for table in found]
            await asyncio.gather(*everybody_is_gone(found, watchers))
            # the grace of 5 s ends
            await asyncio.to_thread(wait_until, lambda: all(overdue(stack, table.room) for table in found))
            assert [timeouts(stack, table.room) for table in found] == before
            for scheduler in stack.scheduler:  # two side by side
                scheduler.start(wait=False)
            for watcher in watchers:
                await watcher.until(lambda c: any(e["type"] == "timed_out" for e in c.events))
            await asyncio.sleep(1)
            for table, watcher in zip(found, watchers, strict=True):
                turns = events(stack, table.room, b"timed_out")
                assert len(turns) == len(set(turns)), "one turn ended twice"
                await watcher.close()

    with Stack(tmp_path, schedulers=2) as stack:
        run(scenario(stack))


def test_no_flood_of_timeouts_while_workers_are_down_and_one_effect_after(tmp_path):
    async def scenario(stack):
        async with tables(stack.urls, 5, "yut", {"turnSeconds": 15}) as found:
            for worker in stack.worker:
                worker.kill()
            watchers = [await leave(table) for table in found]
            rooms = [table.room for table in found]
            await asyncio.to_thread(wait_until, lambda: all(unread(stack, room) for room in rooms))
            for _ in range(2):  # it is looked at again and again, and is there already
                for room in rooms:
                    stack.redis.zadd(part_key("due", partition(room)), {room: 1}, xx=True)
                await asyncio.to_thread(wait_until, lambda: not any(overdue(stack, room) for room in rooms))
            assert [len(unread(stack, room)) for room in rooms] == [1] * 5
            for worker in stack.worker:
                worker.start(wait=False)
            for watcher in watchers:
                await watcher.until(lambda c: any(e["type"] == "timed_out" for e in c.events))
            for table, watcher in zip(found, watchers, strict=True):
                first = events(stack, table.room, b"timed_out")
                assert len(first) == len(set(first))
                await watcher.close()

    with Stack(tmp_path) as stack:
        run(scenario(stack))
