"""Goal: several people play through one connection, each as themselves and nobody else. Method: real gateways; the duel,
whose seats see different things, shows whose eyes a socket has.
"""

import asyncio

import pytest

from schemas import wire
from schemas.base import encode
from services.client import Client, Rejected, create_room, further_player
from services.store.keys import key
from tests.services.manners_kit import CHOOSE, duel, finish
from tests.services.raw import Raw, request
from tests.services.test_client import audited, run
from tests.stack import Stack, wait_until
from tests.stack import stack as stack


async def family(stack: Stack, size: int) -> tuple[str, list[str], list[str]]:
    """(room, player ids, tokens): the host and further people of the same device."""
    room, token = await create_room(stack.urls[0], "duel")
    more = [await further_player(stack.urls[0], token) for _ in range(size - 1)]
    return room, [player for player, _ in more], [token, *(token for _, token in more)]


def test_two_people_play_a_whole_game_through_one_socket(stack: Stack) -> None:
    """The screen is that of whoever has to act: a fresh snapshot when that changes, with nothing of the other's choice."""

    async def play() -> None:
        room, [second], tokens = await family(stack, 2)
        async with Client(stack.urls, room, tokens[0], tokens=[tokens[1], tokens[1], tokens[0]]) as table:
            assert table.people == (table.player, second)
            await table.join("엄마")
            await table.join("아이", by=second)
            assert len(table.seats) == 2
            await table.start()
            await table.until(lambda c: c.view["phase"] == "playing")
            seat, other = table.seats
            assert set(table.view["acting"]) == {seat, other}
            before = table.snapshots
            acted = seat  # the one whose screen it is
            await table.act(acted, CHOOSE)
            await table.until(lambda c: c.snapshots > before and c.view["acting"] == [1 - acted])
            assert "mine" not in table.view["table"], "the choice of one is shown to the other"
            assert (await table.legal(1 - acted)).actions and not (await table.legal(acted)).actions
            await table.act(1 - acted, CHOOSE)
            await table.until(lambda c: c.view["table"]["round"] == 2)
            await finish(table)
            log = await audited(stack, table)
            assert len({entry.origin.partition(b":")[0] for entry in log.entries if entry.origin}) == 1
            await table.drop(url=1)  # everybody resumes together, on the other gateway
            await table.ready()
            assert len(table.seats) == 2 and table.people == (table.player, second)

    run(play())


def test_deeds_are_done_by_whom_they_name(stack: Stack) -> None:
    async def play() -> None:
        room, [second, third], tokens = await family(stack, 3)
        async with Client(stack.urls[1], room, tokens[0], tokens=tokens[1:]) as table:
            await table.join("하나", seat=1)
            await table.join("둘", by=second)
            await table.move(0) if table.seat_of(second) != 0 else None
            await table.ready_up(by=second)
            assert table.view["seats"][str(table.seat_of(second))]["ready"] is True
            with pytest.raises(Rejected) as refused:
                await table.start(by=second)
            assert refused.value.code == "not_host"
            with pytest.raises(Rejected) as refused:
                await table.join("셋", by=third)
            assert refused.value.code == "room_full"
            await table.transfer(table.seat_of(second))
            assert table.view["host"] == second
            await table.leave()
            assert table.seats == (table.seat_of(second),)
            with pytest.raises(Rejected) as refused:
                await table.leave(by="somebody")
            assert (refused.value.code, refused.value.detail.field) == ("not_your_seat", "as")

    run(play())


def test_a_seat_of_somebody_else_is_not_acted_for(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls) as (one, two):
            stranger, token = await further_player(stack.urls[0])
            async with Client(stack.urls[0], one.room, one.token, tokens=[token]) as table:
                with pytest.raises(Rejected) as refused:
                    await table.act(two.seat, CHOOSE)
                assert refused.value.code == "not_your_seat"
                with pytest.raises(Rejected) as refused:
                    await table.legal(two.seat)
                assert refused.value.code == "not_your_seat"
                assert table.seats == (one.seat,) and table.people == (one.player, stranger)

    run(play())


@pytest.mark.parametrize("bad", ["", "x.y", "forged"])
def test_one_bad_token_closes(stack: Stack, bad: str) -> None:
    url = stack.urls[0]
    _, made, _ = request("POST", f"{url}/api/rooms", {"game": "duel"})
    _, other, _ = request("POST", f"{url}/api/me", {})
    if bad == "forged":
        bad = other["token"].rpartition(".")[0] + "." + made["token"].rpartition(".")[2]
    with Raw(url) as raw:
        hello = wire.Hello(made["room"], "family", made["token"], tokens=(other["token"], bad))
        raw.say(encode(hello).decode())
        assert raw.code() == 4401
    with Raw(url) as raw:
        raw.say(encode(wire.Hello(made["room"], "family", made["token"], tokens=(other["token"],) * 7)).decode())
        assert raw.hear("welcome")["others"] == [other["player"]]
    with Raw(url) as raw:
        raw.say({"type": "hello", "room": made["room"], "session": "family", "tokens": [other["token"]] * 8})
        assert raw.hear("reject")["code"] == "bad_message"


def test_everybody_of_a_socket_is_here_and_gone_with_it(stack: Stack) -> None:
    """Presence counts each person: a hello with more people adds them, one with fewer takes them off."""
    url = stack.urls[0]

    def here() -> set[str]:
        return {player.decode() for player in stack.redis.hkeys(key("s", made["room"]))}

    _, made, _ = request("POST", f"{url}/api/rooms", {"game": "duel"})
    _, child, _ = request("POST", f"{url}/api/me", {"new": True}, authorization=f"Bearer {made['token']}")
    with Raw(url).hello(made["room"], made["token"], "family") as raw:
        wait_until(lambda: here() == {made["player"]})
        raw.hello(made["room"], made["token"], "family", tokens=[child["token"]])
        assert raw.welcome["others"] == [child["player"]]
        wait_until(lambda: here() == {made["player"], child["player"]})
        raw.say({"type": "join", "id": 1, "name": "아이", "as": child["player"]})
        while not raw.hear("update").get("done"):
            pass
        raw.hello(made["room"], made["token"], "family", tokens=[child["token"]])
        assert raw.welcome["seats"] == [0] and raw.welcome["player"] == made["player"]
        raw.hello(made["room"], made["token"], "family")
        assert raw.welcome["seats"] == []
        wait_until(lambda: here() == {made["player"]})
    wait_until(lambda: not here())


def test_a_further_identity_leaves_the_cookie_alone(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, headers = request("POST", f"{url}/api/me", {}, origin=url)
    jar = headers["set-cookie"].partition(";")[0]
    status, child, headers = request("POST", f"{url}/api/me", {"new": True}, origin=url, cookie=jar)
    assert status == 200 and "set-cookie" not in headers and child["player"] != me["player"]
    assert request("POST", f"{url}/api/me", {}, origin=url, cookie=jar)[1]["player"] == me["player"]
    assert request("POST", f"{url}/api/me", {"new": 1})[1]["code"] == "bad_message"
    assert request("POST", f"{url}/api/me", {"new": True}, origin="https://evil.example")[0] == 403


def test_the_screen_is_whose_turn_it_is_at_a_table_with_others(stack: Stack) -> None:
    """Two of a family and a third elsewhere: nothing is lost or doubled while eyes change."""

    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yacht")
        second, more = await further_player(stack.urls[0], token)
        async with (
            Client(stack.urls[0], room, token, tokens=[more]) as table,
            Client(stack.urls[1], room) as guest,
        ):
            await table.join("하나")
            await table.join("둘", by=second)
            await guest.join("셋")
            await table.start()
            for client in (table, guest):
                await client.until(lambda c: c.view["phase"] == "playing")
            for _ in range(6):
                [seat] = table.view["acting"]
                mover = table if seat in table.seats else guest
                await mover.act(seat, {"type": "roll"})
                free = [a for a in (await mover.legal(seat)).actions if a["type"] == "score"]
                await mover.act(seat, free[0])
                await asyncio.gather(*(c.until(lambda c, s=seat: c.view["acting"] != [s]) for c in (table, guest)))
            assert table.view == guest.view and table.snapshots == 1, (
                "nothing is hidden in this game: no snapshot needed"
            )
            await audited(stack, table)

    run(play())
