"""A room goes on to its next game (docs/design.md 4 and 7): when it may, what is kept, and whoever dies meanwhile.

One test per sentence, on every server that is claimed. The worker in this process is the real Drainer.
"""

import asyncio
import functools

import msgspec
import pytest

from engine.fold import entry_ms, entry_order
from engine.rng import commitment
from schemas import entry as cmd
from schemas.base import encode
from services.store.keys import key, part_key
from services.store.turn import CLAIMS
from services.store.write import MOVED, NEW, REPEAT
from tests.store.party import heard, nonce_of, party, worker


def run(*players: str, **settings):
    """Each scenario is one coroutine function of a Party of these players."""

    def wrap(scenario):
        @functools.wraps(scenario)
        def test(url):
            async def body():
                async with party(url, *players, **settings) as room:
                    await scenario(room)

            asyncio.run(body())

        del test.__wrapped__  # its argument is no fixture
        return test

    return wrap


async def everything(p) -> dict:
    """All keys of the partition with their values, but for the job that is scheduled."""
    names = sorted(await p.caller.call("KEYS", "{%s}:*" % p.job))
    return {name: await p.caller.call("DUMP", name) for name in names if not name.endswith((b":m", b":ready"))}


# --- when


@run("ann", "ben")
async def test_only_the_finished_games_number_and_end_open_the_next(p):
    await p.finish()
    room = await p.agree()
    before = await everything(p)
    for n, cursor in ((2, None), (0, None), (1, b"0-0"), (1, b"1-0"), (1, b"9999999999999-0")):
        assert not await p.move_on(room, n, cursor)
    assert await everything(p) == before
    assert await p.move_on(room)
    assert not await p.move_on(room, 1) and int(await p.n) == 2
    assert len(await p.stream("a", 2)) == 3, "the Open entry, and two players who hold no socket"


@run("ann", "ben")
async def test_not_while_something_is_unread(p):
    await p.finish()
    room = await p.agree()
    said = await p.send(cmd.Touch("ben"))
    before = await everything(p)
    assert not await p.move_on(room)
    assert await everything(p) == before
    await p.work()
    assert int(await p.n) == 2, "asked again after the next commit"
    assert await p.again(cmd.Touch("ben"), p.numbers["ben"], 1) == (REPEAT, said.entry, "ok")


@run("ann", "ben")
async def test_of_many_who_open_it_at_once_one_does(p):
    await p.finish()
    room = await p.agree()
    cursor = await p.get("cur")
    opened = await asyncio.gather(*(p.move_on(room, 1, cursor) for _ in range(20)))
    assert sum(opened) == 1
    await p.work()
    assert int(await p.n) == 2 and [item[1][1][:14] for item in await p.stream("a", 2)].count(b'{"type":"open"') == 1


# --- what is kept and what is new


@run("ann", "ben")
async def test_the_next_lobby_has_the_people_and_a_new_secret(p):
    first = await p.state()
    await p.finish()
    await p.vote("ben", "ann")
    await p.work()
    room = await p.state()
    assert (room.id, room.phase, room.host) == (f"{p.room}/2", "lobby", "ann")
    assert [seat.player for seat in room.seats if seat] == ["ann", "ben"]
    assert room.commitment != first.commitment and room.options == first.options
    opened = (await p.stream("a", 2))[0][1]
    assert commitment(bytes.fromhex(opened[3].decode())) == room.commitment


@run("ann", "ben")
async def test_ids_go_on_rising_even_when_the_clock_has_gone_back(p):
    await p.finish()
    ahead = await p.system(b'{"type":"connected","player":"ann"}', after_ms=3_600_000)
    room = await p.agree()
    end = await p.get("cur")
    assert entry_ms(end) == entry_ms(ahead), "the stream sticks to the highest time it has seen"
    assert await p.move_on(room)
    await p.work()
    await p.finish()
    ids = [item[0] for n in (1, 2) for item in await p.stream("a", n)]
    assert ids == sorted(ids, key=entry_order) and len(set(ids)) == len(ids)
    assert entry_ms((await p.stream("a", 2))[0][0]) == entry_ms(end) + 1
    assert await p.get("base") == end


@run("ann", "ben")
async def test_players_without_a_socket_are_entered_as_disconnected(p):
    await p.writer.presence(p.room, "ben", "g1", True, 60_000)
    await p.writer.presence(p.room, "watcher", "g1", True, 60_000)
    await p.work()
    await p.finish()
    await p.vote("ann", "ben")
    await p.work()
    assert [item[1][1] for item in await p.stream("a", 2)][1:] == [b'{"type":"disconnected","player":"ann"}']
    connected = {seat.player: seat.connected for seat in (await p.state()).seats if seat}
    assert connected == {"ann": False, "ben": True}
    assert await p.writer.presence(p.room, "ann", "g1", True, 60_000), "coming back reaches the new game"
    assert not await p.writer.presence(p.room, "ben", "g2", True, 60_000)
    await p.work()
    assert all(seat.connected for seat in (await p.state()).seats if seat)


@run("ann", "ben", countdown_s=5)
async def test_no_deadline_of_the_old_game_reaches_the_new_one(p):
    await p.send(cmd.Start("ann"))
    await p.work()
    await p.expire()  # the countdown
    for seat, player in ((0, "ann"), (1, "ben")):
        await p.send(cmd.Act(player, seat, msgspec.Raw(b'{"type":"concede"}')))
    await p.work()
    room = await p.agree()
    assert await p.caller.call("ZSCORE", part_key("due", p.part), p.room) is not None
    await p.caller.call("ZADD", part_key("due", p.part), 0, p.room)
    assert (await p.writer.due(p.part))[0] == 1
    await p.work_and_die()
    assert await p.get("tmo")
    assert await p.move_on(room)
    assert await p.caller.call("ZSCORE", part_key("due", p.part), p.room) is None
    assert [await p.get(field) for field in ("due", "turn", "tmo")] == [b"", b"0", b""]
    assert (await p.writer.due(p.part))[0] == 0
    await p.work()
    state = await p.state()
    assert state.phase == "lobby" and not state.counting_ms
    assert await p.caller.call("ZSCORE", part_key("due", p.part), p.room) is not None, "its own idle clock runs"


@run("ann", "ben")
async def test_claims_of_the_old_game_do_not_condemn_the_new_one(p):
    await p.finish()
    room = await p.agree()
    await p.caller.call("HSET", key("r", p.room), "claims", 2)
    await p.move_on(room)
    assert await p.get("claims") is None
    claim = (await p.turn()).claims[0]
    assert (claim.n, claim.version, claim.claims, claim.cursor) == (2, 0, 1, b"0-0")


@run("ann", "ben")
async def test_a_gateway_that_died_between_the_games_is_noticed_in_the_new_one(p):
    for player in ("ann", "ben", "watcher"):
        await p.writer.presence(p.room, player, "g1", True, 60_000)
    await p.finish()
    await p.vote("ann", "ben")
    await p.work()
    assert all(seat.connected for seat in (await p.state()).seats if seat)
    await p.lease_over("g1")
    async with heard(p) as since:
        assert (await p.writer.sweep(p.part))[1] == 2
        assert sorted(await since()) == [b"people 0", b"people 1", b"people 2"], (
            "and the others are told how many are left"
        )
    await p.work()
    assert not any(seat.connected for seat in (await p.state()).seats if seat)
    assert await p.get("d") == b"3" and len(await p.stream("a", 2)) == 3


# --- once per id (P3)


@run("ann", "ben")
async def test_a_repeat_gets_its_first_outcome_games_later(p):
    kept = []
    joined = await p.again(cmd.Join("ann"), 1)
    kept.append((cmd.Join("ann"), 1, joined.entry, "ok"))
    refused = await p.send(cmd.Kick("ben", 0))
    kept.append((cmd.Kick("ben", 0), p.numbers["ben"], refused.entry, "not_host"))
    await p.work()
    for n in (2, 3):
        await p.finish()
        voted = await p.send(cmd.Rematch("ben"))
        kept.append((cmd.Rematch("ben"), p.numbers["ben"], voted.entry, "ok"))
        await p.vote("ann")
        await p.work()
        assert int(await p.n) == n
        length = len(await p.stream("a", n))
        for command, number, entry, code in kept:
            for said in range(1, n + 1):  # whichever game the client believes to be in
                assert await p.again(command, number, said) == (REPEAT, entry, code)
        assert len(await p.stream("a", n)) == length, "never a second effect"


@run("ann", "ben")
async def test_a_repeat_gets_its_first_outcome_while_the_next_game_is_not_yet_open(p):
    """The room has moved on, its cursor stands at the start again, and nothing of the new game is decided."""
    await p.finish()
    room = await p.agree()
    assert await p.move_on(room)
    for player in ("ann", "ben"):
        again = await p.again(cmd.Rematch(player), p.numbers[player])
        assert (again.status, again.code) == (REPEAT, "ok")


@run("ann", "ben")
async def test_a_new_action_for_the_old_game_has_moved_and_its_number_is_free(p):
    await p.finish()
    await p.vote("ann", "ben")
    await p.work()
    late = await p.send(cmd.Touch("ann"), n=1)
    assert late.status == MOVED
    for n in (0, 3):
        assert (await p.again(cmd.Touch("ann"), p.numbers["ann"], n)).status == MOVED
    ends = [item[0] for item in await p.stream("a", 1)]
    assert (await p.again(cmd.Touch("ann"), p.numbers["ann"], 2)).status == NEW
    assert [item[0] for item in await p.stream("a", 1)] == ends
    undecided = await p.again(cmd.Touch("ann"), p.numbers["ann"], 2)
    assert undecided.code == "", "an entry of the new game is not taken for one that was decided in the old"


# --- whoever dies


@run("ann", "ben")
async def test_a_worker_that_died_after_the_commit_is_made_up_for_by_the_deadline(p):
    await p.finish()
    await p.agree()
    await p.work()
    assert int(await p.n) == 1, "nothing to do: no entry is unread"
    await p.expire()
    assert int(await p.n) == 2 and (await p.state()).phase == "lobby"


@run("ann", "ben")
async def test_a_worker_paused_before_its_commit_changes_nothing_of_the_new_game(p):
    await p.finish()
    await p.vote("ann", "ben")
    epoch = await p.epoch()
    reply = await p.turn()
    assert reply.status == CLAIMS
    stale = [p.decide(claim) for claim in reply.claims]
    await p.writer.handoff(p.part, epoch)  # its lease is over: another takes the partition
    await p.work()
    assert int(await p.n) == 2
    before = await everything(p)
    assert (await p.turn(stale, epoch=epoch)).status == -2
    await p.writer.sweep(p.part)
    again = await p.turn(stale)
    assert again.refused == len(stale) and await everything(p) == before


@run("ann", "ben")
async def test_a_worker_that_was_fenced_opens_no_game_when_it_sees_the_room_again(p):
    """What follows a commit is forgotten with it: kept, it would end a running game for a rematch of long ago."""
    await p.finish()
    fenced = worker(p)
    await p.vote("ann", "ben")
    epoch = await p.epoch()
    commits, _ = await fenced._fold((await p.turn()).claims)
    assert commits and fenced.rematches
    await p.writer.handoff(p.part, epoch)
    await p.work()
    assert int(await p.n) == 2
    await p.send(cmd.Ready("ben", True))
    await p.work(fenced)
    assert int(await p.n) == 2 and (await p.state()).seats[1].ready


@run("ann", "ben")
async def test_flushing_snapshots_in_between_changes_nothing(p):
    """P5, P4: the next game is opened from what the streams say."""
    await p.finish()
    await p.agree()
    await p.caller.call("HSET", key("r", p.room), "snap", "damaged", "chance", "damaged")
    await p.send(cmd.Touch("ben"))
    await p.work(worker(p))
    assert int(await p.n) == 2 and [seat.player for seat in (await p.state()).seats if seat] == ["ann", "ben"]


@pytest.mark.parametrize("rounds", [12])
def test_many_games_in_one_room_cost_what_the_first_did(url, rounds):
    """P8: the room's hash has one short field more per game; nonces are promised and opened in each of them."""

    async def body():
        async with party(url, "ann", "ben", game="duel") as p:
            sizes = []
            for player in ("ann", "ben"):
                await p.writer.presence(p.room, player, "g1", True, 60_000)
            for n in range(1, rounds + 1):
                await p.send(cmd.Promise("ben", commitment(nonce_of("ben"))))
                await p.send(cmd.Start("ann"))
                await p.work()
                await p.send(cmd.Nonce("ben"), private=nonce_of("ben"))
                await p.work()
                while (await p.state()).phase == "playing":
                    for seat, hand in ((0, "rock"), (1, "paper")):
                        action = msgspec.Raw(encode({"type": "choose", "hand": hand}))
                        await p.send(cmd.Act(("ann", "ben")[seat], seat, action))
                    await p.work()
                await p.vote("ann", "ben")
                await p.work()
                assert int(await p.n) == n + 1
                fields = await p.caller.call("HGETALL", key("r", p.room))
                own = [(name, value) for name, value in zip(fields[::2], fields[1::2], strict=True) if name[:1] != b"@"]
                sizes.append(sum(len(name) + len(value) for name, value in own))
            assert (sizes[-1] - sizes[0]) / (rounds - 1) < 120

    asyncio.run(body())
