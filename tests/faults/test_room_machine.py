"""Goal: whatever people do to a room, and whatever happens to its workers, everybody sees the same table and one history.

Method: `room_machine` on a real server. A failure names its seed; `python -m tests.faults.room_machine <seed>` plays it
again and tells every step.
"""

import asyncio
from collections import Counter

import pytest
import redis

from services.store.server import embedded
from tests.faults.room_machine import Machine

FIXED, SOAK = 50, 1000


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with embedded(tmp_path_factory.mktemp("machine")) as server:
        yield server.url


def play(url: str, seeds) -> Counter:
    total: Counter = Counter()
    with redis.Redis.from_url(url) as client:
        for seed in seeds:
            client.flushall()
            try:
                total += asyncio.run(asyncio.wait_for(Machine(url, seed).run(), 300))
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error}") from error
    return total


def judge(total: Counter, rooms: int) -> None:
    """The seeds get somewhere: the invariants do not hold for want of trying."""
    often = "ok repeats fenced deadlines games Seated Started GameOver RematchVoted Disconnected not_in_lobby not_host"
    often += " no_seat seat_taken already_seated"
    now_and_then = (
        "Left SeatChanged HostChanged ReadySet Configured Connected RematchAgreed TimedOut NonceOpened Promised"
    )
    now_and_then += " Touched CountdownStarted CountdownStopped IdleWarned room_closed bad_options not_over not_opening"
    seldom = "Closed kicked not_your_seat bad_nonce room_full"
    for names, least in ((often, rooms), (now_and_then, rooms // 5), (seldom, 1)):
        for name in names.split():
            assert total[name] >= least, (name, sorted(total.items(), key=lambda item: -item[1]))


def test_fifty_rooms(url):
    judge(play(url, range(FIXED)), FIXED)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_thousand_rooms(url):
    total = play(url, range(FIXED, FIXED + SOAK))
    print(sorted(total.items(), key=lambda item: -item[1]))
    judge(total, SOAK)
