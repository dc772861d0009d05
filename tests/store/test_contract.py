"""The contract of the scripts (docs/design.md 3 and 4), on every server that is claimed. One test per sentence."""

import asyncio
import re
from pathlib import Path

import pytest
from msgspec import Raw

from schemas import entry as cmd
from services.store import redis as store_redis
from services.store.check import UnfitServer, check
from services.store.keys import HOUSE, META, key, part_key
from services.store.turn import CLAIMS, EPOCH_OVER, LINGER, RELEASED
from services.store.write import MOVED, NEW, NO_ROOM, OVERLOADED, REPEAT, TOO_OLD, UNREAD_MAX
from tests.store.table import LEASE_MS, ROOM, Store, opened


def run(scenario):
    """Each scenario is one coroutine function of a Store with a created room."""

    def test(url):
        async def body():
            async with opened(url) as store:
                await scenario(store)

        asyncio.run(body())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


@run
async def test_a_code_is_given_once(s):
    assert await s.create() is None
    assert len(await s.stream("a")) == 1


@run
async def test_a_repeat_gets_the_first_outcome_and_writes_nothing(s):
    first = await s.append(1)
    assert first.status == NEW
    again = await s.append(1)
    assert (again.status, again.entry, again.code) == (REPEAT, first.entry, "")
    await s.drain()
    decided = await s.append(1)
    assert (decided.status, decided.entry, decided.code) == (REPEAT, first.entry, "no_seat")
    assert len(await s.stream("a")) == 2


@run
async def test_a_repeat_of_an_accepted_action_says_ok_once_decided(s):
    first = await s.append(1, cmd.Join("host"))
    await s.drain()
    assert await s.append(1, cmd.Join("host")) == (REPEAT, first.entry, "ok")


@run
async def test_report_111_the_window_holds_the_last_64_and_then_says_too_old(s):
    first = await s.append(1)
    for action_id in range(2, 65):
        assert (await s.append(action_id)).status == NEW
    assert (await s.append(1)).entry == first.entry
    assert (await s.append(65)).status == NEW
    assert (await s.append(1)).status == TOO_OLD
    await s.drain()
    assert (await s.append(1)).status == TOO_OLD
    assert (await s.append(2)).status == REPEAT
    assert len(await s.stream("a")) == 1 + 65


@run
async def test_ids_may_arrive_out_of_order_and_leap(s):
    assert (await s.append(5)).status == NEW
    assert (await s.append(3)).status == NEW
    assert (await s.append(2**53 - 1)).status == NEW
    assert (await s.append(63)).status == TOO_OLD  # its slot holds the leap
    assert (await s.append(4)).status == NEW  # never used, so it cannot be a repeat
    assert (await s.append(2**53 - 1)).status == REPEAT
    assert (await s.append(2**53 - 2)).status == NEW


@run
async def test_sessions_count_apart(s):
    assert (await s.append(1, session="one1")).status == NEW
    assert (await s.append(1, session="two2")).status == NEW


@run
async def test_a_room_or_game_that_is_not_there_is_refused(s):
    assert (await s.append(1, n=2)).status == MOVED
    other = Store.__new__(Store)
    other.__dict__ = {**s.__dict__, "room": "ZZZZZZ"}
    assert (await other.append(1)).status == NO_ROOM
    assert len(await s.stream("a")) == 1


@run
async def test_a_room_with_too_much_unread_says_overloaded_and_recovers(s):
    for action_id in range(1, UNREAD_MAX):
        assert (await s.append(action_id)).status == NEW
    assert (await s.append(UNREAD_MAX)).status == OVERLOADED
    await s.drain()
    assert (await s.append(UNREAD_MAX)).status == NEW


@run
async def test_append_schedules_one_job_and_then_rings_the_door(s):
    await s.append(1)
    await s.append(2)
    assert await s.queued() == [f"{s.job}:1".encode()]
    claims = (await s.turn(door="door:other")).claims
    assert (await s.turn([s.decide(c) for c in claims], door="door:other")).status == LINGER
    assert (await s.turn(door="door:x")).status == LINGER
    pubsub = store_redis.connect(f"{s.url}").pubsub()
    await pubsub.subscribe("door:x")
    await pubsub.get_message(timeout=60)
    await s.append(3)
    message = await pubsub.get_message(timeout=60)
    assert message["data"] == s.job.encode()
    assert await s.m("door") == b""
    assert await s.queued() == [f"{s.job}:1".encode()]
    await pubsub.connection_pool.disconnect()


@run
async def test_an_idle_partition_is_released_and_the_next_append_schedules_a_new_epoch(s):
    await s.drain()
    assert await s.m("job") is None
    await s.append(1)
    assert await s.m("job") == f"{s.job}:2".encode()


@run
async def test_a_commit_is_refused_as_a_whole_when_version_or_cursor_moved(s):
    claim = (await s.turn()).claims[0]
    commit = s.decide(claim)
    assert (await s.turn([commit], door="door:x")).refused == 0
    before = await _all_of(s)
    for late in (
        commit,
        commit._replace(version=1, cursor=commit.new_cursor),
        commit._replace(version=0, cursor=b"0-0", new_version=7),
        commit._replace(version=1, new_version=2, n=2, cursor=commit.new_cursor),
    ):
        assert (await s.turn([late], door="door:x")).refused == 1
    assert await _all_of(s) == before


async def _all_of(s):
    flat = await s.caller.call("HGETALL", key("r", ROOM))
    return await s.stream("e"), dict(zip(flat[::2], flat[1::2], strict=True))


@run
async def test_one_refused_room_does_not_hold_back_another(s):
    other = Store.__new__(Store)
    name = next(
        f"ROOM{i:02d}".replace("0", "A") for i in range(1, 99) if _same_part(f"ROOM{i:02d}".replace("0", "A"), s)
    )
    other.__dict__ = {**s.__dict__, "room": name}
    await other.create()
    claims = (await s.turn()).claims
    assert {c.room for c in claims} == {ROOM, name}
    commits = [s.decide(c) for c in claims]
    commits = [c._replace(cursor=b"9-9") if c.room == ROOM else c for c in commits]
    reply = await s.turn(commits, door="door:x")
    assert reply.refused == 1
    assert await other.get("v") == b"1"
    assert await s.get("v") == b"0"


def _same_part(name, s):
    from services.store.keys import partition

    return partition(name) == s.part


@run
async def test_report_135_a_paused_workers_late_commit_is_refused_by_epoch(s):
    old = await s.epoch()
    claim = (await s.turn(epoch=old)).claims[0]
    await s.lease_over()
    assert (await s.writer.sweep(s.part))[0]
    late = s.decide(claim)
    assert (await s.turn([late], epoch=old)).status == EPOCH_OVER
    assert await s.stream("e") == []
    assert await s.drain() == 1
    assert (await s.turn([late], epoch=old)).status == EPOCH_OVER
    assert [item[0] for item in await s.stream("e")] == [b"1-0"]


@run
async def test_the_sweep_leaves_a_live_lease_alone_and_replaces_a_dead_one(s):
    assert await s.writer.sweep(s.part) == (False, 0)
    await s.lease_over()
    assert (await s.writer.sweep(s.part))[0]
    assert await s.queued() == [f"{s.job}:2".encode()]
    assert await s.caller.call("EXISTS", f"arq:job:{s.job}:1") == 0


@run
async def test_report_120_the_sweep_brings_back_work_after_a_flush_of_arqs_keys(s):
    names = await s.caller.call("KEYS", "arq:*")
    await s.caller.call("DEL", *names)
    await s.lease_over()
    assert (await s.writer.sweep(s.part))[0]
    assert await s.drain() == 1


@run
async def test_handoff_schedules_the_next_epoch_once(s):
    epoch = await s.epoch()
    assert await s.writer.handoff(s.part, epoch)
    assert not await s.writer.handoff(s.part, epoch)
    assert await s.queued() == [f"{s.job}:2".encode()]
    assert (await s.turn(epoch=epoch)).status == EPOCH_OVER


@run
async def test_a_turn_claims_what_the_committed_room_still_has_and_counts_claims(s):
    await s.append(1)
    await s.append(2)
    claim = (await s.turn(entries=2)).claims[0]
    assert (len(claim.entries), claim.claims) == (2, 1)
    assert (await s.turn(entries=2, failed=(ROOM,))).claims[0].claims == 2
    reply = await s.turn([s.decide(claim)], entries=2)
    assert reply.status == CLAIMS
    assert (len(reply.claims[0].entries), reply.claims[0].claims, reply.claims[0].decided) == (1, 1, 2)
    assert (await s.turn([s.decide(reply.claims[0])])).status == RELEASED


@run
async def test_what_a_batch_leaves_of_its_claim_is_claimed_next(s):
    """As when the first of several entries killed workers, and is parked alone."""
    await s.drain()
    for action_id in (1, 2, 3):
        await s.append(action_id)
    claim = (await s.turn()).claims[0]
    reply = await s.turn([s.decide(claim._replace(entries=claim.entries[:1]))])
    assert [entry.origin for entry in reply.claims[0].entries] == [b"sess:2", b"sess:3"]
    assert (await s.turn([s.decide(reply.claims[0])])).status == RELEASED


@run
async def test_commit_only_turns_claim_nothing(s):
    claim = (await s.turn()).claims[0]
    await s.append(1)
    reply = await s.turn([s.decide(claim)], rooms=0, door="door:x")
    assert (reply.status, reply.claims) == (LINGER, [])
    assert await s.get("v") == b"1"


@run
async def test_parked_records_stand_beside_the_events_without_a_version(s):
    claim = (await s.turn()).claims[0]
    await s.turn(
        [s.decide(claim)._replace(parked=[b'{"entry":"5-0","why":"Fault"}', b'{"entry":"6-0","why":"Fault"}'])]
    )
    assert [(i, f[0]) for i, f in await s.stream("e")] == [(b"1-0", b"e"), (b"1-1", b"x"), (b"1-2", b"x")]


@run
async def test_a_deadline_appends_one_timeout_per_turn_while_it_is_unread(s):
    claim = (await s.turn()).claims[0]
    await s.turn([s.decide(claim)._replace(due_ms=1, turn=4)])
    assert (await s.writer.due(s.part, rearm_ms=0))[0] == 1
    for _ in range(20):
        assert (await s.writer.due(s.part, rearm_ms=0))[0] == 0
    stream = await s.stream("a")
    assert [item[1][1] for item in stream[1:]] == [b'{"type":"timeout","turn":4}']
    assert await s.drain() == 1
    assert (await s.writer.due(s.part))[0] == 0  # the commit took the deadline away


@run
async def test_a_deadline_in_the_future_waits_and_two_schedulers_are_harmless(s):
    claim = (await s.turn()).claims[0]
    now = int((await s.append(1)).entry.split("-")[0])
    await s.turn([s.decide(claim)._replace(due_ms=now + 60_000, turn=1)])
    assert (await s.writer.due(s.part))[0] == 0
    await s.caller.call("ZADD", part_key("due", s.part), "XX", 1, s.room)
    both = await asyncio.gather(s.writer.due(s.part), s.writer.due(s.part))
    assert sorted(report[0] for report in both) == [0, 1]


@run
async def test_presence_reaches_the_log_only_between_none_and_some(s):
    await s.writer.append(ROOM, 1, "sess", 1, b'{"type":"join","player":"p1"}', "", "p1", "이름")
    calls = [("g1", True, 1), ("g1", True, 0), ("g2", True, 0), ("g1", False, 0), ("g2", False, 1), ("g2", False, 0)]
    for generation, present, appended in calls:
        assert await s.writer.presence(ROOM, "p1", generation, present, 6000) == bool(appended)
    kinds = [item[1][1] for item in await s.stream("a")][2:]
    assert kinds == [b'{"type":"connected","player":"p1"}', b'{"type":"disconnected","player":"p1"}']
    assert not await s.writer.presence(ROOM, "spectator", "g1", True, 6000)


@run
async def test_a_dead_gateways_sockets_are_taken_off_and_it_can_come_back(s):
    await s.writer.append(ROOM, 1, "sess", 1, b'{"type":"join","player":"p1"}', "", "p1", "이름")
    assert await s.writer.presence(ROOM, "p1", "g1", True, LEASE_MS)
    assert await s.writer.beat(s.part, "g1", LEASE_MS)
    await s.lease_over("g1")
    assert (await s.writer.sweep(s.part))[1] == 1
    assert (await s.stream("a"))[-1][1][1] == b'{"type":"disconnected","player":"p1"}'
    assert (await s.writer.sweep(s.part))[1] == 0
    assert not await s.writer.beat(s.part, "g1", LEASE_MS)
    assert await s.writer.presence(ROOM, "p1", "g1", True, LEASE_MS)


@run
async def test_a_dead_gateway_does_not_take_off_a_player_who_is_back_elsewhere(s):
    await s.writer.append(ROOM, 1, "sess", 1, b'{"type":"join","player":"p1"}', "", "p1", "이름")
    await s.writer.presence(ROOM, "p1", "g1", True, LEASE_MS)
    await s.writer.presence(ROOM, "p1", "g2", True, LEASE_MS)
    await s.lease_over("g1")
    assert (await s.writer.sweep(s.part))[1] == 0
    assert await s.get("p1", "s") == b"g2"


@run
async def test_scripts_come_back_after_the_server_forgot_them(s):
    await s.caller.call("SCRIPT", "FLUSH")
    assert (await s.append(1)).status == NEW
    assert await s.drain() == 2


@run
async def test_events_have_no_gap_and_their_ids_are_versions(s):
    await s.append(1, cmd.Join("host"))
    await s.append(2, cmd.Start("host"))
    await s.append(3, cmd.Act("host", 0, Raw(b'{"type":"roll"}')))
    await s.drain()
    ids = [item[0] for item in await s.stream("e")]
    assert ids == [f"{i + 1}-0".encode() for i in range(len(ids))]
    assert int(await s.get("v")) == len(ids)


@run
async def test_all_keys_of_a_room_carry_its_partitions_tag(s):
    await s.writer.append(ROOM, 1, "sess", 1, b'{"type":"join","player":"p1"}', "", "p1", "이름")
    await s.writer.presence(ROOM, "p1", "g1", True, 5000)
    await s.drain()
    names = {name.decode() for name in await s.caller.call("KEYS", "*")}
    rest = {n for n in names if not n.startswith("{%s}:" % s.job) and not n.endswith("}:m")}
    assert all(n.startswith("arq:") or n in (META, HOUSE) for n in rest), rest


@run
async def test_report_126_a_server_that_evicts_is_refused(s):
    await check(s.url)
    await s.caller.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(UnfitServer, match="noeviction"):
            await check(s.url)
    finally:
        await s.caller.call("CONFIG", "SET", "maxmemory-policy", "noeviction")


@run
async def test_another_number_of_partitions_is_refused(s):
    await check(s.url)
    await s.caller.call("HSET", META, "partitions", 7)
    with pytest.raises(UnfitServer, match="partitions"):
        await check(s.url)


@run
async def test_a_caller_that_is_cancelled_leaves_no_reply_behind(s):
    """Report 109: cancelled calls must not shift answers of others."""
    await s.caller.call("HSET", key("n", ROOM), *[x for i in range(50) for x in (f"f{i}", f"v{i}")])

    async def ask(i):
        return await s.caller.call("HGET", key("n", ROOM), f"f{i}")

    for _ in range(40):
        tasks = [asyncio.ensure_future(ask(i)) for i in range(50)]
        await asyncio.sleep(0)
        for task in tasks[::3]:
            task.cancel()
        replies = await asyncio.gather(*tasks, return_exceptions=True)
        for i, reply in enumerate(replies):
            assert isinstance(reply, asyncio.CancelledError) or reply == f"v{i}".encode()


def test_report_133_scripts_build_key_names_only_from_the_declared_tag():
    """Every key that a script names itself starts with the partition's tag, or is arq's on the one server they share."""
    for path in Path(store_redis.HERE).glob("*.lua"):
        for built in re.findall(r"redis\.call\('[A-Z]+', ([^,)]+)", path.read_text()):
            built = built.strip()
            assert not built.startswith("'") or built.startswith(("'v:'", "'arq:job:'")), (path.name, built)


def test_part_keys_are_spelt_once():
    assert part_key("m", 7) == "{p07}:m"
