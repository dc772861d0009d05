"""Goal: what several devices of one player may do is the same everywhere, and a close says why. Method: one player on two devices
and both gateways at once plays from either; after a move to a third device the other two are closed with a code of their own;
somebody who is kicked is not closed but stands as a spectator and is told so when sitting down again.
"""

import pytest

from services.client import Client, Rejected, claim, move_code
from tests.services.manners_kit import CHOOSE, duel
from tests.services.test_client import run
from tests.stack import Stack


def test_two_devices_at_once_play_one_seat(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls) as (one, phone), Client(stack.urls[0], phone.room, phone.token) as screen:
            assert phone.seat == screen.seat != one.seat
            await phone.act(phone.seat, CHOOSE, 1)
            await screen.until(lambda c: c.view["table"].get("mine") == "rock")
            with pytest.raises(Rejected) as again:
                await screen.act(screen.seat, CHOOSE, 1)
            assert again.value.code == "already_chosen"
            await one.act(one.seat, CHOOSE, 1)
            await screen.until(lambda c: c.view["turn"] == 2)
            await screen.act(screen.seat, CHOOSE, 2)
            await phone.close()
            assert one.view["seats"][str(screen.seat)]["connected"], "the other device is still here"
            assert one.closes == screen.closes == []

    run(play())


def test_a_moved_player_and_a_kicked_one_are_told_apart(stack: Stack) -> None:
    async def play() -> None:
        async with duel(stack.urls, start=False) as (one, two), Client(stack.urls[0], two.room, two.token) as tab:
            _, token = await claim(stack.urls[1], await move_code(stack.urls[0], two.token))
            for old in (two, tab):
                while not old._closed:
                    await old._change()
                assert (old._closed, old.closes) == ("moved_device", [4402])
            async with Client(stack.urls[1], two.room, token) as moved:
                assert moved.seat == 1
                await one.kick(1)
                await moved.until(lambda c: c.seat is None)
                with pytest.raises(Rejected) as refused:
                    await moved.join("둘")
                assert refused.value.code == "kicked" and moved.closes == []

    run(play())
