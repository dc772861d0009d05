"""Goal: what nobody uses does not stay, and what somebody waits for does not stay undecided. Method: rooms that close before
and after a game began, every key of theirs; keys that are deleted by hand, and an ask that is repeated.
"""

from schemas import entry as cmd
from services.store.keys import key, part_key
from services.store.outcome import UNUSED_MS
from services.store.write import REPEAT
from tests.store.table import ROOM
from tests.store.test_contract import run as stored
from tests.store.test_noticed import run


async def ends(p) -> dict[str, int]:
    """Key of the room -> ms until it is gone, -1 never."""
    names = [name.decode() for name in await p.caller.call("KEYS", f"*{ROOM}*")]
    return {name.split(":")[1]: await p.caller.call("PTTL", name) for name in names}


async def close(p) -> None:
    """Nobody is there for so long that it is warned and then closed."""
    for _ in range(3):
        if (await p.state()).phase == "closed":
            return
        await p.expire()
    assert (await p.state()).phase == "closed"


@run("ann", "ben")
async def test_a_room_in_which_no_game_began_is_gone_an_hour_after_it_closed(p):
    await p.writer.say(ROOM, "ann", b"{}")
    assert {kind for kind, ms in (await ends(p)).items() if ms != -1} <= {"c", "l"}, "while it is open"
    await close(p)
    found = await ends(p)
    assert {"r", "a", "e", "o", "n", "c"} <= found.keys()
    assert all(0 < ms <= UNUSED_MS for ms in found.values()), found
    await p.writer.presence(ROOM, "eve", "g1", True, 6000)
    await p.send(cmd.Touch("ann"))
    await p.work()
    assert all(0 < ms <= UNUSED_MS for ms in (await ends(p)).values()), "also what came later"
    assert (await ends(p))["r"] <= found["r"], "which does not make it last longer"


@run("ann", "ben")
async def test_a_room_whose_game_began_stays(p):
    await p.finish()
    await close(p)
    found = await ends(p)
    assert {found[kind] for kind in "raen"} == {-1}


@stored
async def test_an_ask_that_is_repeated_is_decided_whatever_wake_up_was_lost(s):
    await s.drain()
    for lost in ("ready", "m"):
        number = {"ready": 1, "m": 2}[lost]
        await s.append(number)
        await s.caller.call("DEL", part_key("ready", s.part), part_key(lost, s.part))
        if lost == "ready":
            assert (await s.turn()).claims == []
        assert (await s.append(number)).status == REPEAT
        assert await s.m("job")
        assert await s.drain() == 1
        again = await s.append(number)
        assert (again.status, again.code) == (REPEAT, "no_seat")
        assert not await s.caller.call("EXISTS", part_key("ready", s.part)), "who is answered wakes nobody"


@stored
async def test_an_ask_that_is_repeated_does_not_hurry_a_room_that_nobody_can_fold(s):
    await s.append(1)
    for _ in range(7):
        await s.turn(failed=(ROOM,))
    assert await s.caller.call("ZCARD", part_key("stuck", s.part)) == 1
    assert (await s.append(1)).status == REPEAT
    assert not await s.caller.call("EXISTS", part_key("ready", s.part))
    assert await s.caller.call("HGET", key("r", ROOM), "claims")
