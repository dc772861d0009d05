"""Goal: the first player may move and reload before the second one has ever opened its seat. Method: one scores alone and
reloads; the other opens the seat after that, gets the score, and its roll is accepted.
"""

from services.client import Client, create_room
from tests.services.test_client import audited, run, same
from tests.stack import Stack


def test_a_late_second_player_gets_the_current_game(stack: Stack) -> None:
    """Field report 5: one plays alone and reloads; the other opens the seat afterwards and may act."""

    async def play() -> None:
        room, host = await create_room(stack.urls[0], "yacht")
        async with Client(stack.urls[0], room, host) as one:
            async with Client(stack.urls[1], room) as two:
                await one.join("하나")
                await two.join("둘")
                await one.configure(settings={"keep_order": True})
                await one.start()
                for client in (one, two):
                    await client.until(lambda c: c.view["phase"] == "playing")
                guest = two.token
            await one.act(0, {"type": "roll"})
            await one.act(0, {"type": "score", "category": "choice"})
            total = one.view["table"]["sheets"]["0"]["total"]
            assert total > 0
        async with Client(stack.urls[0], room, host) as again, Client(stack.urls[1], room, guest) as two:
            assert again.seat == 0 and two.seat == 1
            assert two.view["table"]["sheets"]["0"]["total"] == total
            await two.act(1, {"type": "roll"})
            await same(again, two)
            await audited(stack, two)

    run(play())
