"""Goal: a player is back in the seat from anywhere: by token after a reload, by code from another browser whose storage is
empty. Method: both over both gateways; the seat is regained each time, and the name is never "taken".
"""

import pytest

from services.client import ApiError, Client, Rejected, claim, move_code
from tests.services.manners_kit import CHOOSE, duel, finish
from tests.services.raw import Raw, request
from tests.services.test_client import run
from tests.stack import Stack


def test_a_seat_moves_to_another_device(stack: Stack) -> None:
    """Field reports 97 and 107: cleared storage or another browser. The code gives the seat, the old device is told so
    with a close code of its own, on every gateway, and its token opens nothing any more."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two), Client(stack.urls[0], two.room, two.token) as tab:
            code = await move_code(stack.urls[0], two.token)
            assert len(code) == 8 and not set(code) & set("01IO")
            typed = f" {code[:4].lower()}-{code[4:].lower()} "
            player, token = await claim(stack.urls[1], typed)
            assert player == two.player and token != two.token
            for old in (two, tab):
                await old.until(lambda c: c.closes == [4402]) if not old._closed else None
                assert old._closed == "moved_device" and old.closes == [4402]
            async with Client(stack.urls, two.room, token) as moved:
                assert moved.seat == two.seat
                await moved.act(moved.seat, CHOOSE)
                await one.until(lambda c: c.view["table"]["chosen"] == [moved.seat])
                assert one.view["seats"][str(moved.seat)]["connected"]
                for url in stack.urls:
                    for method, path in (("POST", "/api/me"), ("POST", "/api/me/move")):
                        refusal = request(method, url + path, {}, authorization=f"Bearer {two.token}")
                        assert (refusal[0], refusal[1]["code"]) == (403, "unauthorized")
                        assert two.token not in str(refusal)
                    with Raw(url) as raw:
                        raw.say({"type": "hello", "room": one.room, "session": "abcd", "token": two.token})
                        assert raw.code() == 4402
                    with Raw(url) as raw:  # nor as one of a family
                        more = [two.token]
                        raw.say(
                            {"type": "hello", "room": one.room, "session": "abcd", "token": one.token, "tokens": more}
                        )
                        assert raw.code() == 4402
                with pytest.raises(ApiError) as again:
                    await claim(stack.urls[0], code)
                assert again.value.code == "unauthorized"
                assert moved.closes == []

    run(play())


def test_a_reload_in_any_phase_finds_the_seat(stack: Stack) -> None:
    """By the token alone, on either gateway: in the lobby, in the game, and after its end."""

    async def play() -> None:
        async with duel(stack.urls, start=False) as (one, two):

            async def reload() -> None:
                for url in stack.urls:
                    async with Client(url, two.room, two.token) as again:
                        assert (again.seat, again.names[again.player]) == (two.seat, "둘")
                        with pytest.raises(Rejected) as refused:
                            await again.join("둘")
                        assert refused.value.code == (
                            "already_seated" if again.view["phase"] == "lobby" else "not_in_lobby"
                        )

            await reload()
            await one.start()
            for client in (one, two):
                await client.until(lambda c: c.view["phase"] == "playing")
            await reload()
            await finish(one, two)
            await reload()

    run(play())
