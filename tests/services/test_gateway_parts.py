"""The gateway's parts that need no process: names, tokens, depth, addresses, seats followed from public patches."""

import json

import pytest

from engine.audience import PUBLIC
from schemas.wire import DEPTH_MAX
from services.gateway.facts import Facts, follow_facts
from services.gateway.limits import Addresses, Bucket, client_address, header_map, too_deep
from services.gateway.names import clean
from services.gateway.origin import origin_allowed
from services.gateway.peer import framed
from services.gateway.session import store_session
from services.gateway.tokens import COOKIE, COOKIE_SECURE, Badge, Tokens, bearer, cookies, set_cookie
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
    assert cookies(headers) == ["t.s"] and bearer(headers) == "x.y"
    assert cookies({b"cookie": b"\xff;;=;" + COOKIE.encode()}) == [] and bearer({b"authorization": b"Basic x"}) == ""


@pytest.mark.parametrize(
    "other",
    [
        'a={"x":1}',
        "foo[bar]=1",
        "a=b c",
        "x=é",
        'session=eyJ"quoted"',
        "@x=1",
        "a",
        "Path=/",
        "expires=x",
        "noripan=bad",
        "noripan=bad.token",
        'noripan="',
    ],
)
@pytest.mark.parametrize(
    "shape", ["{other}; {name}={token}", "{name}={token}; {other}", "{other};{name}={token};{other}"]
)
@pytest.mark.parametrize("name", [COOKIE, COOKIE_SECURE])
def test_our_cookie_is_found_whatever_others_write_beside_it(other: str, shape: str, name: str) -> None:
    tokens = Tokens(["k" * 32])
    player, token = tokens.new()
    jar = shape.format(other=other, name=name, token=token).encode()
    assert tokens.of_cookies({b"cookie": jar}) == Badge(player)


def test_the_cookie_that_no_sibling_can_set_goes_first() -> None:
    tokens = Tokens(["k" * 32])
    (mine, token), (_, planted) = tokens.new(), tokens.new()
    jar = f"{COOKIE}={planted}; {COOKIE_SECURE}={token}"
    assert tokens.of_cookies({b"cookie": jar.encode()}) == Badge(mine)
    assert set_cookie(token, True).startswith(f"{COOKIE_SECURE}={token}; ") and "; Secure" in set_cookie(token, True)
    assert set_cookie(token, False).startswith(f"{COOKIE}={token}; ") and "Secure" not in set_cookie(token, False)


def test_addresses_behind_proxies() -> None:
    headers = {b"x-forwarded-for": b"6.6.6.6, 10.0.0.1, 10.0.0.2"}
    assert client_address(("1.1.1.1", 1), headers, 0) == "1.1.1.1"
    assert client_address(("1.1.1.1", 1), headers, 1) == "10.0.0.2"
    assert client_address(("1.1.1.1", 1), headers, 2) == "10.0.0.1"
    assert client_address(("1.1.1.1", 1), {}, 2) == "1.1.1.1"


@pytest.mark.parametrize(
    ("scheme", "hops", "origin", "host", "more", "allowed"),
    [
        ("http", 0, None, "a", {}, None),
        ("http", 0, "http://a:1", "A:1", {}, True),
        ("ws", 0, "http://a:1", "a:1", {}, True),
        ("http", 0, "http://b", "a", {}, False),
        ("http", 0, "https://b", "a", {}, True),  # named in the settings
        ("http", 0, "https://b:443", "a", {}, True),
        ("http", 0, "http://c", "a", {"x-forwarded-host": "c"}, False),
        ("http", 1, "http://c", "a", {"x-forwarded-host": "c"}, True),
        ("http", 0, "http://", "", {}, False),
        ("http", 0, "null", "a", {}, False),
        ("http", 0, "ftp://a", "a", {}, False),
        ("http", 0, "https://a", "a", {}, False),  # another scheme is another page
        ("https", 0, "http://a", "a", {}, False),
        ("wss", 0, "https://a", "a", {}, True),
        ("http", 1, "https://a", "a", {"x-forwarded-proto": "https"}, True),
        ("http", 1, "http://a", "a", {"x-forwarded-proto": "https"}, False),
        ("http", 1, "https://a", "a", {}, True),  # the proxy does not say
        ("http", 0, "https://a", "a", {"x-forwarded-proto": "https"}, False),  # and is not believed unless expected
        ("https", 0, "https://a", "a:443", {}, True),  # default ports are none
        ("https", 0, "https://a:443", "a", {}, True),
        ("http", 0, "http://a", "a:80", {}, True),
        ("http", 0, "http://a", "a:443", {}, False),
    ],
)
def test_origins(scheme: str, hops: int, origin: str | None, host: str, more: dict, allowed: bool | None) -> None:
    given = {"host": host, **more} | ({} if origin is None else {"origin": origin})
    headers = {name.encode(): value.encode() for name, value in given.items()}
    assert origin_allowed(scheme, headers, ("https://b",), hops) is allowed


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
