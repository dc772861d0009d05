"""say.lua: things said at a table are kept for those who come later, limited, and never part of the log (report 105)."""

import asyncio

from schemas.base import encode
from schemas.wire import Said
from services.store.keys import key
from services.store.write import SAID_KEPT, SAY_MAX, SAY_MS
from tests.store.party import heard
from tests.store.table import ROOM, opened


def run(scenario):
    def test(url):
        async def body():
            async with opened(url) as store:
                await scenario(store)

        asyncio.run(body())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


def frame(player: str, body: str) -> bytes:
    return encode(Said(player, "chat", body, 1_750_000_000_000))


async def kept(store) -> list[bytes]:
    return await store.caller.call("LRANGE", key("c", ROOM), 0, -1)


@run
async def test_what_is_said_is_delivered_and_kept_in_order(s):
    async with heard(s) as since:
        said = [frame(player, body) for player, body in (("ann", "안녕"), ("ben", "a\nb"), ("ann", '"quoted" said x'))]
        for player, one in zip(("ann", "ben", "ann"), said, strict=True):
            assert await s.writer.say(ROOM, player, one) == 1
        assert await since() == [b"said " + one for one in said]
    assert await kept(s) == said


@run
async def test_the_last_fifty_are_kept(s):
    said = [frame(f"p{n // SAY_MAX}", str(n)) for n in range(SAID_KEPT + 13)]
    for n, one in enumerate(said):
        assert await s.writer.say(ROOM, f"p{n // SAY_MAX}", one) == 1
    assert await kept(s) == said[-SAID_KEPT:]


@run
async def test_report_105_a_player_who_floods_is_limited_alone(s):
    """20 messages at once from one player; each window starts with that player's first word in it."""
    async with heard(s) as since:
        said = [await s.writer.say(ROOM, "ann", frame("ann", str(n))) for n in range(20)]
        assert said == [1] * SAY_MAX + [0] * (20 - SAY_MAX)
        assert await s.writer.say(ROOM, "ben", frame("ben", "hello")) == 1
        assert len(await since()) == SAY_MAX + 1
    assert len(await kept(s)) == SAY_MAX + 1, "what was refused is not kept either"


@run
async def test_the_limit_ends_with_its_window(s):
    for n in range(SAY_MAX + 1):
        await s.writer.say(ROOM, "ann", frame("ann", str(n)))
    limits = key("l", ROOM)
    count, since = (await s.caller.call("HGET", limits, "ann")).split()
    assert int(count) == SAY_MAX
    await s.caller.call("HSET", limits, "ann", b"%s %d" % (count, int(since) - SAY_MS + 2_000))
    assert await s.writer.say(ROOM, "ann", frame("ann", "early")) == 0
    await s.caller.call("HSET", limits, "ann", b"%s %d" % (count, int(since) - SAY_MS - 1))
    assert await s.writer.say(ROOM, "ann", frame("ann", "late")) == 1


@run
async def test_talk_is_never_in_the_log_and_goes_away_by_itself(s):
    before = [await s.stream("a"), await s.stream("e"), await s.get("v")]
    await s.writer.say(ROOM, "ann", frame("ann", "hello"))
    assert [await s.stream("a"), await s.stream("e"), await s.get("v")] == before
    assert 86_000 < await s.caller.call("TTL", key("c", ROOM)) <= 86_400
    assert 0 < await s.caller.call("PTTL", key("l", ROOM)) <= SAY_MS


@run
async def test_there_is_nobody_to_talk_to_in_no_room(s):
    assert await s.writer.say("ZZZZZZ", "ann", frame("ann", "hello")) == -1
    assert not await s.caller.call("EXISTS", key("c", "ZZZZZZ"), key("l", "ZZZZZZ"))
