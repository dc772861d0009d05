"""Goal: a lease or a score that was written before the clock was set back holds nothing up. Method: they are set far ahead by
hand, and the scripts are called; the clock of the process is injected.
"""

import asyncio
import time

from structlog.testing import capture_logs

from services.store.clock import Clock, server_ms
from services.store.keys import QUEUE, key, part_key
from services.worker.bell import PARKED
from tests.store.table import ROOM, opened
from tests.store.test_contract import run

DAY_MS = 86_400_000


@run
async def test_a_job_is_due_by_every_clock_and_a_parked_one_by_none(s):
    """arq compares a job's score with the clock of the worker's machine, and takes 0 for no score."""
    [job, score] = await s.caller.call("ZRANGE", QUEUE, 0, -1, "WITHSCORES")
    assert job == f"{s.job}:1".encode() and 0 < float(score) < 1_000
    assert PARKED > await server_ms(s.caller) + 1_000 * 365 * DAY_MS


@run
async def test_a_partitions_lease_from_before_the_clock_was_set_back_is_over(s):
    m = part_key("m", s.part)
    now = await server_ms(s.caller)
    await s.caller.call("HSET", m, "lease", now + DAY_MS)
    assert await s.writer.sweep(s.part) == (True, 0)
    assert await s.epoch() == "2"
    claim = (await s.turn(door="door:x")).claims[0]
    assert await s.writer.sweep(s.part) == (False, 0), "a lease that begins now is none of those"
    assert await s.writer.renew(s.part, "2", 5_000)
    assert await s.writer.sweep(s.part) == (False, 0), "nor one that is renewed"
    await s.turn([s.decide(claim)], door="door:x")
    assert await s.writer.sweep(s.part) == (False, 0), "nor a lingering worker's"
    await s.caller.call("HSET", m, "lease", now + DAY_MS)
    assert await s.writer.sweep(s.part) == (False, 0) and await s.m("job") is None, "nothing waits: it is released"


@run
async def test_a_gateways_lease_from_before_the_clock_was_set_back_lasts_its_length_and_no_longer(s):
    await s.writer.presence(ROOM, "p1", "g1", True, 6_000)
    g = part_key("g", s.part)
    ends, length = (await s.caller.call("HGET", g, "g1")).split()
    await s.caller.call("HSET", g, "g1", b"%d %s" % (int(ends) + DAY_MS, length))
    assert (await s.writer.sweep(s.part))[1] == 0
    assert await s.get("p1", "s") == b"g1", "a gateway that lives would tell its players twice"
    again = int((await s.caller.call("HGET", g, "g1")).split()[0])
    assert int(ends) <= again <= int(ends) + 60_000
    assert await s.writer.beat(s.part, "g1", 6_000)
    await s.caller.call("HSET", g, "g1", "1 6000")
    await s.writer.sweep(s.part)
    assert await s.get("p1", "s") is None and not await s.caller.call("EXISTS", g)


@run
async def test_a_room_that_was_set_aside_before_the_clock_was_set_back_is_tried(s):
    await s.turn()
    stuck = part_key("stuck", s.part)
    await s.caller.call("ZADD", stuck, await server_ms(s.caller) + DAY_MS, "AAAAAA")
    await s.caller.call("ZADD", stuck, await server_ms(s.caller) + 50_000, "BBBBBB")
    await s.writer.sweep(s.part)
    assert await s.caller.call("ZRANGE", stuck, 0, -1) == [b"BBBBBB"]


@run
async def test_nobody_is_silent_because_they_spoke_before_the_clock_was_set_back(s):
    await s.caller.call("HSET", key("l", ROOM), "p1", f"6 {await server_ms(s.caller) + DAY_MS}")
    assert await s.writer.say(ROOM, "p1", b"{}") == 1


def test_a_clock_that_differs_is_said_once_and_when_it_changes(url):
    async def body():
        async with opened(url) as s:
            away_s = 0.0
            clock = Clock(s.caller, wall=lambda: time.time() + away_s)

            async def at(seconds: float) -> list[tuple[str, int]]:
                """What is logged when this clock is so far away, measured at least three times and until it is believed."""
                nonlocal away_s
                away_s, times = seconds, 0
                with capture_logs() as logged:
                    while times < 3 or round(clock.differs_ms / 1_000) != -seconds:
                        await clock.measure()
                        times += 1
                return [(line["log_level"], round(line.get("redis_ahead_ms", 0) / 1_000)) for line in logged]

            assert await at(0.0) == []
            assert await at(-2.0) == [("warning", 2)]
            assert await at(-2.0) == []
            assert abs(clock.now_ms() - time.time() * 1_000) < 1_000, "its own clock does not count"
            assert await at(60.0) == [("warning", -60)]
            assert await at(0.0) == [("info", 0)]

    asyncio.run(body())
