"""A room that no worker can fold is set aside and comes back; the others go on (P7)."""

from services.store.keys import part_key
from services.store.turn import LINGER
from tests.store.table import ROOM
from tests.store.test_contract import run


@run
async def test_a_room_that_no_worker_can_fold_is_tried_again_later_and_later(s):
    """Found by a host: a room whose game was not installed any more kept a worker and its log busy for ever."""
    failed = ()
    for tries in range(1, 7):
        assert [c.claims for c in (await s.turn(door="door:x", failed=failed)).claims] == [tries]
        failed = (ROOM,)
    assert (await s.turn(door="door:x", failed=failed)).status == LINGER
    stuck = part_key("stuck", s.part)
    assert await s.caller.call("ZCARD", stuck) == 1
    await s.caller.call("ZADD", stuck, 1, ROOM)  # its time has come
    await s.writer.sweep(s.part)
    claim = (await s.turn(door="door:x")).claims[0]
    assert claim.claims == 7
    await s.turn([s.decide(claim)])
    assert await s.get("v") == b"1" and await s.get("claims") is None


@run
async def test_an_append_brings_a_stuck_room_back_at_once(s):
    for _ in range(7):
        await s.turn(door="door:x", failed=(ROOM,))
    await s.append(1)
    claim = (await s.turn(door="door:x")).claims[0]
    assert len(claim.entries) == 2
    await s.turn([s.decide(claim)])
    assert await s.caller.call("EXISTS", part_key("stuck", s.part)) == 0
