"""Goal: what a host does about people holds at the sockets: who was sent away is gone and stays out, who was silenced is not
heard, behind a closed door nobody new comes in. And a server that is nearly full opens no new rooms.

Method: raw sockets at two gateways, so that what one is told the other must find out.
"""

import itertools
import time

import pytest
from websockets.exceptions import ConnectionClosed

from services.gateway.context import TALK_AT_ONCE
from services.gateway.names import skeleton
from tests.services import test_gateway_strangers
from tests.services.raw import Raw, Table, request
from tests.services.raw import table as table
from tests.services.test_gateway_strangers import somebody
from tests.stack import Stack
from tests.stack import stack as stack

numbers = itertools.count(1_000)  # above those that a table was made with


def answer(socket: Raw, ask: dict) -> str:
    return test_gateway_strangers.answer(socket, ask, next(numbers))


def barred(stack: Stack, room: str, token: str) -> int:
    with pytest.raises(ConnectionClosed) as told:
        Raw(stack.urls[1]).hello(room, token)
    assert told.value.rcvd is not None
    return told.value.rcvd.code


def test_who_was_sent_away_is_gone_everywhere_and_stays_out(table: Table) -> None:
    token = somebody(table.stack)
    with Raw(table.stack.urls[1]).hello(table.room, token) as eve, Raw(table.url).hello(table.room, token) as tab:
        player = eve.welcome["player"]
        assert answer(table.sockets[0], {"type": "expel", "target": player}) == "ok"
        assert eve.code() == tab.code() == 4406
    assert barred(table.stack, table.room, token) == 4406
    with Raw(table.stack.urls[1]).hello(table.room, somebody(table.stack)) as other:
        assert other.welcome["player"] != player, "others still watch"
        assert answer(other, {"type": "expel", "target": player}) == "not_host"


def test_behind_a_closed_door_those_who_play_come_back_and_nobody_new(table: Table) -> None:
    with Raw(table.stack.urls[1]).hello(table.room, somebody(table.stack)) as watcher:
        assert answer(table.sockets[0], {"type": "lock", "locked": True}) == "ok"
        watcher.say({"type": "ping", "t": 1})
        assert watcher.hear("pong"), "who watches may stay"
    newcomer = somebody(table.stack)
    assert barred(table.stack, table.room, newcomer) == 4405
    with Raw(table.stack.urls[1]).hello(table.room, table.tokens[1]) as back:
        assert back.welcome["seats"] == [1]
    assert answer(table.sockets[0], {"type": "lock", "locked": False}) == "ok"
    with Raw(table.stack.urls[1]).hello(table.room, newcomer) as let_in:
        assert let_in.welcome


def test_who_was_silenced_is_not_heard_until_the_host_takes_it_back(table: Table) -> None:
    with Raw(table.stack.urls[1]).hello(table.room, somebody(table.stack)) as eve:
        target = eve.welcome["player"]
        assert answer(table.sockets[0], {"type": "silence", "target": target}) == "ok"
        while target not in eve.hear("update")["patch"].get("silenced", ()):
            pass
        eve.say({"type": "say", "kind": "chat", "body": "여기"})
        assert eve.hear("reject")["code"] == "silenced"
        assert answer(table.sockets[0], {"type": "silence", "target": target, "silent": False}) == "ok"
        while "silenced" not in eve.hear("update")["patch"]:
            pass
        eve.say({"type": "say", "kind": "chat", "body": "다시"})
        assert eve.hear("said")["body"] == "다시"


def test_a_name_that_looks_like_the_hosts_is_refused(stack: Stack) -> None:
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    with (
        Raw(stack.urls[0]).hello(made["room"], made["token"]) as host,
        Raw(stack.urls[1]).hello(made["room"], somebody(stack)) as guest,
    ):
        assert answer(host, {"type": "join", "name": "Host"}) == "ok"
        for name in ("host", "h\u043est", "ho\u200cst", "H0ST"):
            assert answer(guest, {"type": "join", "name": name}) == "name_taken", name
        assert answer(guest, {"type": "join", "name": "guest"}) == "ok"
        assert guest.hear("names")["names"] == {guest.welcome["player"]: "guest"}, "the difference alone"


@pytest.mark.parametrize(
    ("one", "two"),
    [("민수", "민 수"), ("Ann", "ANN"), ("paypal", "р\u0430ypal"), ("l1l", "III"), ("café", "cafe"), ("a.b", "ab")],
)
def test_names_that_a_reader_takes_for_one_another(one: str, two: str) -> None:
    assert skeleton(one) == skeleton(two) != ""


@pytest.mark.parametrize(
    ("one", "two"), [("민수", "민주"), ("Ann", "Anna"), ("하나", "둘"), ("!!", "??"), ("😀", "😁")]
)
def test_names_that_nobody_takes_for_one_another(one: str, two: str) -> None:
    assert skeleton(one) != skeleton(two)


def test_a_server_that_is_nearly_full_opens_no_new_rooms_and_plays_on(table: Table) -> None:
    redis, url = table.stack.redis, table.url
    used = int(redis.info("memory")["used_memory"])
    redis.config_set("maxmemory", int(used * 1.05))
    try:
        told = (0, {}, {})
        end = time.monotonic() + 60
        while told[0] != 503 and time.monotonic() < end:
            told = request("POST", f"{url}/api/rooms", {"game": "duel"})
            time.sleep(0.1)
        assert told[0] == 503 and told[1]["code"] == "server_full" and "retry-after" in told[2]
        status, text, _ = request("GET", f"{url}/readyz")
        assert status == 200 and "memory: Redis uses" in str(text)
        assert answer(table.sockets[0], {"type": "lock", "locked": True}) == "ok", "what is open goes on"
    finally:
        redis.config_set("maxmemory", 0)
    end = time.monotonic() + 60
    while request("POST", f"{url}/api/rooms", {"game": "duel"})[0] != 201:
        assert time.monotonic() < end
        time.sleep(0.2)


def test_one_address_says_so_much_in_a_room_however_many_people_it_makes(stack: Stack) -> None:
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    heard = refused = 0
    with Raw(stack.urls[0]).hello(made["room"], made["token"]) as host:
        for _ in range(8):
            with Raw(stack.urls[0]).hello(made["room"], somebody(stack)) as eve:
                for _ in range(6):
                    eve.say({"type": "say", "kind": "emote", "body": "wow"})
                for _ in range(6):
                    while (told := eve.hear_any())["type"] not in ("said", "reject"):
                        pass
                    heard += told["type"] == "said"
                    refused += told["type"] == "reject"
        assert refused and TALK_AT_ONCE <= heard < 48
        assert host.hear("said")
