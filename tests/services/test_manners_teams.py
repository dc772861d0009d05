"""Goal: what a player suggests to the own side is read by nobody else, whichever way they look. Method: a Yut table of four in
teams and a spectator on two gateways; what came through each socket, live and on coming back, and an echo of chat after
each suggestion, so that silence is known and not waited for.
"""

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.games import games
from engine.games.yut import GAME as YUT
from engine.games.yut.types import Options
from services.client import Client, Rejected, create_room
from services.store.keys import key
from tests.services.test_client import run
from tests.stack import Stack
from tests.stack import stack as stack

THROW = json.dumps({"type": "throw"})


@contextlib.asynccontextmanager
async def teams(stack: Stack, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[list[Client]]:
    """Four players, of whom 0 and 2 play against 1 and 3, each pair on both gateways; then a spectator."""
    room, token = await create_room(stack.urls[0], "yut", {"mode": "team", **options}, settings)
    async with contextlib.AsyncExitStack() as held:
        enter = held.enter_async_context
        four = [await enter(Client(stack.urls, room, None if seat else token, first=seat // 2)) for seat in range(4)]
        for seat, client in enumerate(four):
            await client.join(f"이름{seat}", nonce=False)
        await four[0].until(lambda c: len(c.view["seats"]) == 4)
        with pytest.raises(Rejected) as refused:
            await four[0].say("suggest", THROW)
        assert refused.value.code == "not_playing"
        await four[0].start()
        for client in four:
            await client.until(lambda c: c.view["phase"] == "playing")
        assert [client.seat for client in four] == [0, 1, 2, 3]
        yield [*four, await enter(Client(stack.urls, room, first=1))]


def suggested(client: Client) -> list[tuple[str, str]]:
    return [(one.player, one.body) for one in client.said if one.kind == "suggest"]


@pytest.mark.parametrize("delay_s", [0, 1])
def test_a_suggestion_reaches_the_own_side_alone(stack: Stack, delay_s: int) -> None:
    async def play() -> None:
        async with teams(stack, {"delay_s": delay_s}) as (blue, red, blue2, red2, guest):
            heard = await blue.say("suggest", THROW)
            assert heard.to == (blue.player, blue2.player)
            await guest.say("chat", "끝")  # after it, in everybody's order
            for client in (blue, red, blue2, red2, guest):
                await client.until(lambda c: any(one.body == "끝" for one in c.said))
                told = [(blue.player, '{"type":"throw"}')] if client in (blue, blue2) else []
                assert suggested(client) == told
            # coming back, on the other gateway too
            for client in (blue, red, blue2, red2, guest):
                client.said.clear()
                await client.drop(url=0)
                await client.ready()
                await client.until(lambda c: c.said)
                told = [(blue.player, '{"type":"throw"}')] if client in (blue, blue2) else []
                assert suggested(client) == told
            async with Client(stack.urls[0], blue.room) as late, Client(stack.urls[1], blue.room, blue2.token) as tab:
                await late.until(lambda c: c.said)
                assert suggested(late) == [] and len(suggested(tab)) == 1
            # what a late watcher is told later is told by then
            if delay_s:
                await guest.until(lambda c: c.view["phase"] == "playing")
                await red.say("chat", "늦게")
                await guest.until(lambda c: any(one.body == "늦게" for one in c.said))
                assert suggested(guest) == []

    run(play())


def test_one_device_of_a_family_hears_what_its_people_may(stack: Stack) -> None:
    """A socket speaks for a spectator and a player: it hears the player's side."""

    async def play() -> None:
        async with (
            teams(stack) as (blue, red, blue2, *_),
            Client(stack.urls[1], blue.room, tokens=(blue2.token,)) as family,
        ):
            await blue.say("suggest", THROW)
            await red.say("suggest", THROW)
            await red.say("chat", "끝")
            await family.until(lambda c: any(one.body == "끝" for one in c.said))
            assert suggested(family) == [(blue.player, '{"type":"throw"}')]

    run(play())


def test_nobody_is_told_where_everybody_plays_alone(stack: Stack) -> None:
    async def play() -> None:
        room, token = await create_room(stack.urls[0], "yut", {})
        async with Client(stack.urls, room, token) as one, Client(stack.urls, room, first=1) as two:
            for name, client in (("하나", one), ("둘", two)):
                await client.join(name, nonce=False)
            await one.until(lambda c: len(c.view["seats"]) == 2)
            await one.start()
            await two.until(lambda c: c.view["phase"] == "playing")
            with pytest.raises(Rejected) as refused:
                await two.say("suggest", THROW)
            assert refused.value.code == "no_team" and refused.value.text.endswith("요.")
            assert stack.redis.llen(key("c", room)) == 0

    run(play())


def test_who_is_on_a_side_is_the_games_to_say() -> None:
    team, alone = Options(mode="team"), Options()
    for taken in ((0, 1, 2, 3), tuple(range(6)), tuple(range(8))):
        for seat in taken:
            assert YUT.allies(team, taken, seat) == taken[seat % 2 :: 2]
            assert YUT.allies(alone, taken, seat) == (seat,)
    for game in games().values():
        assert game.allies(game.Options(), (0, 1), 1) == (1,), f"{game.name}: nobody shares a side by default"
