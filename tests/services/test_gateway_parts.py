"""The gateway's parts that need no process: names, tokens, depth, addresses, seats followed from public patches."""

import json

import pytest

from engine.audience import PUBLIC
from schemas.wire import DEPTH_MAX
from services.gateway.facts import Facts, follow_facts
from services.gateway.limits import Addresses, Bucket, client_address, header_map, origin_allowed, too_deep
from services.gateway.names import clean
from services.gateway.peer import framed
from services.gateway.session import store_session
from services.gateway.tokens import COOKIE, Badge, Tokens, bearer, cookie
from services.store.publication import Publication


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("민수", "민수"),
        ("  Ann   Lee ", "Ann Lee"),
        ("\u1106\u1175\u11ab\u1109\u116e", "민수"),  # decomposed Hangul
        ("e\u0301", "é"),
        ("1234567890123456", "1234567890123456"),
        ("👨‍👩‍👧‍👦" * 5, "👨‍👩‍👧‍👦" * 5),  # five characters, thirty-five code points
        ("👍🏽" * 16, "👍🏽" * 16),
        ("🇰🇷" * 16, "🇰🇷" * 16),
        ("❤️", "❤️"),
        ("नमस्ते", "नमस्ते"),
        ("<img src=x>", "<img src=x>"),  # text; the page shows it as text
        ("12345678901234567", None),
        ("👍🏽" * 17, None),
        ("", None),
        ("   ", None),
        ("\u3164\u3164", None),  # Hangul filler
        ("\u2800", None),  # empty Braille cell
        ("\u200b", None),
        ("\u200d", None),
        ("\u0301", None),
        ("a\u0301" + "\u0301" * 80, None),
        ("ab\ncd", None),
        ("ab\u2028cd", None),
        ("ab\u0000", None),
        ("\u202eevil", None),
        ("a\u2066b", None),
        ("\ufeffab", None),
        ("a\u00a0b", None),
        ("\ud800", None),
        ("\ufffe", None),
        ("\ue000", None),
        ("x" * 10_000, None),
    ],
)
def test_names(name: str, kept: str | None) -> None:
    assert clean(name) == kept


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("[" * DEPTH_MAX + "]" * DEPTH_MAX, False),
        ("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1), True),
        ('{"a":' * 17, True),
        ("[" + "[]," * 500 + "[]]", False),
        (json.dumps({"a": "[[[[[[[[[[[[[[[[[[[[[[[[[" + '\\"' + "{{{{{{{{"}), False),
        ('"' + "[" * 100, True),  # an open string: nothing to trust, and no JSON anyway
    ],
)
def test_depth(text: str, deep: bool) -> None:
    assert too_deep(text.encode()) is deep


def test_bucket_refills() -> None:
    bucket = Bucket(2.0, 3, 0.0)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(0.4), bucket.take(0.5), bucket.take(0.6)] == [False, True, False]
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_addresses_count_down_again() -> None:
    addresses = Addresses(2, 60)
    assert [addresses.enter("a"), addresses.enter("a"), addresses.enter("a"), addresses.enter("b")] == [True] * 2 + [
        False,
        True,
    ]
    addresses.leave("a")
    assert addresses.enter("a")


def test_tokens_survive_a_new_key_and_not_a_removed_one() -> None:
    old, new = "o" * 32, "n" * 32
    player, token = Tokens([old]).new()
    assert len(player) >= 12 and Tokens([old, new]).badge(token) == Badge(player)
    signed = Tokens([old, new]).sign(player)
    assert signed != token and Tokens([new]).badge(signed) == Badge(player)
    assert Tokens([new]).badge(token) is None
    for forged in (player, player + ".", "x." + token.partition(".")[2], token[:-1], token + "x", "", "\ud800"):
        assert Tokens([old]).badge(forged) is None


def test_where_tokens_are_found() -> None:
    headers = header_map(
        [(b"Cookie", b"a=b"), (b"cookie", f"{COOKIE}=t.s; c=d".encode()), (b"Authorization", b"Bearer x.y")]
    )
    assert cookie(headers) == "t.s" and bearer(headers) == "x.y"
    assert cookie({b"cookie": b"\xff;;=;" + COOKIE.encode()}) == "" and bearer({b"authorization": b"Basic x"}) == ""


def test_addresses_behind_proxies() -> None:
    headers = {b"x-forwarded-for": b"6.6.6.6, 10.0.0.1, 10.0.0.2"}
    assert client_address(("1.1.1.1", 1), headers, 0) == "1.1.1.1"
    assert client_address(("1.1.1.1", 1), headers, 1) == "10.0.0.2"
    assert client_address(("1.1.1.1", 1), headers, 2) == "10.0.0.1"
    assert client_address(("1.1.1.1", 1), {}, 2) == "1.1.1.1"


def test_origins() -> None:
    assert origin_allowed({}, (), 0) is None
    assert origin_allowed({b"origin": b"http://a:1", b"host": b"A:1"}, (), 0) is True
    assert origin_allowed({b"origin": b"http://b", b"host": b"a"}, (), 0) is False
    assert origin_allowed({b"origin": b"https://b", b"host": b"a"}, ("https://b",), 0) is True
    assert origin_allowed({b"origin": b"http://b", b"host": b"a", b"x-forwarded-host": b"b"}, (), 0) is False
    assert origin_allowed({b"origin": b"http://", b"host": b""}, (), 0) is False


def test_frames() -> None:
    for size, head in ((0, 2), (125, 2), (126, 4), (65535, 4), (65536, 10)):
        frame = framed(b"x" * size)
        assert len(frame) == size + head and frame[0] == 0x81
        assert (int.from_bytes(frame[2:head], "big") if head > 2 else frame[1]) == size


def test_seats_follow_the_public_patch() -> None:
    def after(seats: dict, patch: dict) -> dict:
        frame = json.dumps({"type": "update", "patch": patch}, separators=(",", ":")).encode()
        return follow_facts(Facts(seats), Publication("R/1", 1, 2, {PUBLIC: frame})).seats

    seats = {"0": "ann", "2": "bob"}
    assert after(seats, {"turn": 3}) is seats
    assert after(seats, {"seats": {"2": {"connected": False}}}) == seats
    assert after(seats, {"seats": {"1": {"player": "eve", "connected": True}}}) == {**seats, "1": "eve"}
    assert after(seats, {"seats": {"2": None, "1": {"player": "bob"}}}) == {"0": "ann", "1": "bob"}
    assert after(seats, {"table": {"seats": {"2": None}}}) == seats


def test_sessions_of_two_players_never_meet() -> None:
    assert store_session("ann", "tab1") == store_session("ann", "tab1")
    names = {store_session(player, session) for player in ("ann", "bob") for session in ("tab1", "tab2", "x")}
    assert len(names) == 6 and all(len(name) == 16 for name in names)
