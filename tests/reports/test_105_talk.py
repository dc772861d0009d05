"""Goal: talk reaches everybody at the table, survives a reconnect, is limited for who floods, and is never part of the log that
replay needs. Method: lines from players and spectators on both gateways; twenty lines in a row from one person in two tabs.
"""

from services.client import Client, Closed, Rejected
from services.store.write import SAY_MAX
from tests.services.manners_kit import CHOOSE, duel
from tests.services.test_client import run
from tests.stack import Stack


def test_everybody_hears_and_late_comers_read(stack: Stack) -> None:
    """Field report 105: on all gateways, with spectators, and not lost on reconnect."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two), Client(stack.urls[1], one.room) as guest:
            before = (one.version, one.receipts[-1:])
            await one.say("emote", "thanks")
            line = await two.say("chat", "  잘  부탁해요 👨‍👩‍👧 ")
            assert line.body == "잘 부탁해요 👨‍👩‍👧" and line.player == two.player and line.at_ms > 0
            await guest.say("chat", "구경 왔어요")
            for client in (one, two, guest):
                await client.until(lambda c: len(c.said) == 3)
                assert [said.kind for said in client.said] == ["emote", "chat", "chat"]
            assert (one.version, one.receipts[-1:]) == before, "talk is in the log"
            async with Client(stack.urls[0], one.room) as late:
                assert list(late.said) == list(one.said)
            await two.drop(url=0)
            await two.ready()
            assert list(two.said) == list(one.said)

    run(play())


def test_twenty_messages_a_second_become_six_in_ten_seconds(stack: Stack) -> None:
    """Field report 105: whoever floods is refused, through a second tab on the other gateway, too; others still talk."""

    async def play() -> None:
        async with duel(stack.urls) as (one, two), Client(stack.urls[1], one.room, one.token) as tab:
            told: list[str] = []

            async def shout(client: Client, number: int) -> None:
                try:
                    await client.say("chat", f"안녕 {number}")
                    told.append("said")
                except Rejected as error:
                    told.append(error.code)
                except Closed:
                    told.append("closed")

            for number in range(20):
                await shout(tab if number % 2 else one, number)
            assert told == ["said"] * SAY_MAX + ["rate_limited"] * (20 - SAY_MAX)
            await two.say("emote", "hurry")
            await two.until(lambda c: len(c.said) == SAY_MAX + 1)
            await one.act(one.seat, CHOOSE)  # who is refused a word still plays

    run(play())
