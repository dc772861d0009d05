"""Goal: a player can come back from anywhere, and move to another device; then the old one is nobody. Method: real
gateways; tokens are tried on all of them, by HTTP and by socket.
"""

import asyncio
from collections.abc import Iterator

import pytest

from services.store.keys import MOVES, PLAYERS
from tests.services.raw import Raw, request
from tests.services.test_client import run
from tests.stack import Stack, wait_until


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Two gateways behind one proxy, so that a test may come from any address."""
    with Stack(tmp_path_factory.mktemp("device"), gateways=2, env={"NORIPAN_PROXY_HOPS": "1"}) as running:
        yield running


def claimed(url: str, code: str, address: str = "192.0.2.1", **headers: str) -> tuple[int, dict, dict]:
    return request("POST", f"{url}/api/me/claim", {"code": code}, x_forwarded_for=address, **headers)


def test_a_cookie_that_is_void_is_nobody(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, headers = request("POST", f"{url}/api/me", {}, origin=url)
    old = headers["set-cookie"].partition(";")[0]
    _, made, _ = request("POST", f"{url}/api/me/move", {}, origin=url, cookie=old)
    status, moved, headers = claimed(url, made["code"], origin=url)
    new = headers["set-cookie"].partition(";")[0]
    assert status == 200 and moved["player"] == me["player"] and "HttpOnly" in headers["set-cookie"]
    assert request("POST", f"{url}/api/me", {}, origin=url, cookie=new)[1]["player"] == me["player"]
    _, other, headers = request("POST", f"{url}/api/me", {}, origin=url, cookie=old)
    assert other["player"] != me["player"] and "set-cookie" in headers
    # once more, from the new device
    _, made, _ = request("POST", f"{url}/api/me/move", {}, origin=url, cookie=new)
    assert claimed(url, made["code"])[1]["player"] == me["player"]
    assert request("POST", f"{url}/api/me", {}, origin=url, cookie=new)[1]["player"] != me["player"]


def test_a_code_of_the_void_device_is_void(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, _ = request("POST", f"{url}/api/me", {})
    codes = [
        request("POST", f"{url}/api/me/move", {}, authorization=f"Bearer {me['token']}")[1]["code"] for _ in range(2)
    ]
    assert claimed(url, codes[0])[0] == 200
    assert claimed(stack.urls[1], codes[1])[0] == 403
    assert stack.redis.hget(PLAYERS, me["player"]) == b"1"


def test_one_of_many_claims_wins(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, _ = request("POST", f"{url}/api/me", {})
    code = request("POST", f"{url}/api/me/move", {}, authorization=f"Bearer {me['token']}")[1]["code"]

    async def race() -> list[int]:
        tries = (
            asyncio.to_thread(claimed, stack.urls[number % 2], code, f"192.0.2.{30 + number}") for number in range(8)
        )
        return sorted(status for status, _, _ in await asyncio.gather(*tries))

    assert run(race()) == [200] + [403] * 7


def test_codes_end_and_cannot_be_guessed(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, _ = request("POST", f"{url}/api/me", {})
    answers = [request("POST", f"{url}/api/me/move", {}, authorization=f"Bearer {me['token']}") for _ in range(7)]
    assert [status for status, _, _ in answers] == [200] * 5 + [429] * 2
    body = answers[0][1]
    assert body["expires_s"] == 120 and 110 < stack.redis.ttl(MOVES + body["code"]) <= 120
    stack.redis.expire(MOVES + body["code"], 0)
    assert claimed(url, body["code"], "192.0.2.50")[0] == 403
    guesses = [claimed(url, code, "192.0.2.51")[0] for code in ["ABCDEFGH"] * 12]
    assert guesses == [403] * 10 + [429] * 2
    assert claimed(url, "ABCDEFGH", "192.0.2.52")[0] == 403  # another address may still try
    for odd in ("", "0OIL1", "x" * 32, "\u202e" * 8, "ABCDEFG*"):
        assert claimed(url, odd, "192.0.2.53")[0] == 403
    assert claimed(url, "x" * 33, "192.0.2.53")[0] == 400
    assert claimed(url, answers[1][1]["code"], "192.0.2.54", origin="https://evil.example")[0] == 403
    assert request("POST", f"{url}/api/me/move", {})[0] == 403


def test_gateways_that_missed_the_message_check_again(stack: Stack) -> None:
    """The subscription breaks, the player moves meanwhile: the socket is closed once the subscription is back."""
    url = stack.urls[0]
    _, made, _ = request("POST", f"{url}/api/rooms", {"game": "duel"})
    with Raw(url).hello(made["room"], made["token"]) as raw:
        wait_until(lambda: stack.redis.pubsub_numsub(f"v:{made['room']}")[0][1] == 1)
        stack.redis.hset(PLAYERS, made["player"], 3)  # moved, and nobody heard of it
        stack.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        assert raw.code() == 4402
