"""Goal: the HTTP side says who you are, makes rooms and nothing but rooms, and believes no foreign page."""

import contextlib
import http.client
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from websockets.exceptions import InvalidStatus

from services.gateway import pages
from services.settings import Settings
from services.store.keys import key
from tests.services.raw import Raw, Table, request
from tests.services.raw import table as table
from tests.stack import Stack, wait_until
from tests.stack import stack as stack


def test_games_tell_their_options_and_actions(stack: Stack) -> None:
    status, games, _ = request("GET", f"{stack.urls[0]}/api/games")
    assert status == 200
    by_name = {game["name"]: game for game in games}
    assert {"duel", "yacht"} <= set(by_name)
    duel = by_name["duel"]
    assert duel["defaults"] == {"turnSeconds": 15}
    assert duel["codes"] == {"already_chosen": "이미 골랐어요."}
    assert "$defs" in duel["options"] and "hand" in json.dumps(duel["action"])


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        (b"null", 400, "bad_message", ""),
        (b"", 400, "bad_message", ""),
        (b"[" * 9000, 400, "too_deep", ""),
        (b" " * 20_000, 413, "too_large", ""),
        ({"game": "chess"}, 422, "bad_options", "game"),
        ({"game": "../x"}, 400, "bad_message", "game"),
        ({"game": "duel", "options": {"turnSeconds": 7}}, 422, "bad_options", "turnSeconds"),
        ({"game": "duel", "options": {"cheat": 1}}, 422, "bad_options", "cheat"),
        (
            {"game": "yacht", "options": {"scoring": "yacht51", "yahtzeeJoker": "free"}},
            422,
            "bad_options",
            "yahtzeeJoker",
        ),
        ({"game": "duel", "seed": 1}, 400, "bad_message", None),
    ],
)
def test_bad_rooms_are_not_made(stack: Stack, body: Any, status: int, code: str, field: str | None) -> None:
    before = stack.redis.dbsize()
    got, refusal, _ = request("POST", f"{stack.urls[0]}/api/rooms", body)
    assert (got, refusal["code"]) == (status, code), refusal
    assert refusal["text"]
    if field is not None:
        assert refusal.get("detail", {}).get("field", "") == field
    assert stack.redis.dbsize() == before


def test_a_made_room_is_open_and_keeps_its_secret(stack: Stack) -> None:
    status, made, headers = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
    assert status == 201 and re.fullmatch("[2-9A-HJ-NP-Z]{6}", made["room"])
    for attribute in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert attribute in headers["set-cookie"]
    assert "Secure" not in headers["set-cookie"]
    [(_, fields)] = stack.redis.xrange(key("a", made["room"] + "/1"))
    for url in stack.urls:
        status, summary, _ = request("GET", f"{url}/api/rooms/{made['room']}")
        assert status == 200 and summary["phase"] == "lobby" and summary["seats_max"] == 2
        with Raw(url).hello(made["room"], made["token"]) as raw:
            assert fields[b"p"].decode() not in json.dumps([summary, raw.welcome, raw.snapshot])
    for other in ("ZZZZZZ", "zzz", "%2e%2e"):
        assert request("GET", f"{stack.urls[0]}/api/rooms/{other}")[:2][0] == 404


def test_me_is_the_same_through_every_gateway(stack: Stack) -> None:
    origin = stack.urls[0]
    _, me, headers = request("POST", f"{origin}/api/me", {}, origin=origin)
    jar = headers["set-cookie"].partition(";")[0]
    _, again, _ = request("POST", f"{origin}/api/me", {}, origin=origin, cookie=jar)
    _, other, _ = request("POST", f"{stack.urls[1]}/api/me", {}, authorization=f"Bearer {me['token']}")
    assert me["player"] == again["player"] == other["player"]
    _, program, headers = request("POST", f"{origin}/api/me", {}, cookie=jar)  # a browser's POST would say its origin
    assert program["player"] == me["player"] and headers["set-cookie"].partition(";")[0] == jar
    _, made, _ = request("POST", f"{origin}/api/rooms", {"game": "duel"}, cookie=jar)
    assert made["player"] == me["player"]
    _, blind, _ = request("POST", f"{origin}/api/me", {}, cookie=jar, sec_fetch_site="cross-site")
    assert blind["player"] != me["player"]
    status, refusal, _ = request("POST", f"{origin}/api/me", {}, authorization="Bearer forged.token")
    assert status == 403 and "forged" not in json.dumps(refusal)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"])
def test_foreign_pages_are_refused(table: Table, origin: str) -> None:
    assert request("POST", f"{table.url}/api/me", {}, origin=origin)[0] == 403
    assert request("POST", f"{table.url}/api/rooms", {"game": "duel"}, origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refused:
        Raw(table.url, additional_headers={"Origin": origin, "Cookie": f"noripan={table.tokens[0]}"})
    assert refused.value.response.status_code == 403


def test_a_page_of_ours_needs_only_its_cookie(table: Table) -> None:
    jar = {"Cookie": f"noripan={table.tokens[1]}"}
    with Raw(table.url, additional_headers={"Origin": table.url, **jar}).hello(table.room) as raw:
        assert raw.welcome["seats"] == [1]
    with Raw(table.url, additional_headers=jar) as blind:  # no page says where it comes from: the cookie is not enough
        blind.say({"type": "hello", "room": table.room, "session": "abcd"})
        assert blind.code() == 4401


def test_pages_are_guarded(stack: Stack) -> None:
    for path in (
        "/",
        "/r/ABCDEF",
        "/nothing.js",
        "/..%2f..%2f..%2fpyproject.toml",
        "/assets/%2e%2e/%2e%2e/package.json",
    ):
        status, body, headers = request("GET", stack.urls[0] + path)
        assert status in ((200, 404) if path in ("/", "/r/ABCDEF") else (404,)), path
        assert "setuptools" not in str(body) and "devDependencies" not in str(body)
        assert "script-src 'self';" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    for path in ("/healthz", "/readyz"):
        assert request("GET", stack.urls[0] + path)[0] == 200


def test_the_bundle_is_served_packed_and_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are asked for anew each time, hashed files never again; a missing bundle says how to get one."""
    monkeypatch.setattr(pages, "dist", lambda: tmp_path)
    app = Starlette(routes=[Route("/{path:path}", pages.page)])
    app.state.context = SimpleNamespace(settings=Settings())
    with TestClient(app) as browser:
        missing = browser.get("/")
        assert missing.status_code == 404 and "make web" in missing.text
        (tmp_path / "assets").mkdir()
        (tmp_path / "index.html").write_text("<!doctype html><title>놀이판</title>" + " " * 500)
        (tmp_path / "assets" / "index-B86Jyu6J.js").write_text("export const a = 1;\n" * 100)
        for path in ("/", "/r/ABCDEF"):
            page = browser.get(path)
            assert page.status_code == 200 and "놀이판" in page.text
            assert page.headers["cache-control"] == "no-cache" and page.headers["content-encoding"] == "gzip"
            assert browser.get(path, headers={"if-none-match": page.headers["etag"]}).status_code == 304
        script = browser.get("/assets/index-B86Jyu6J.js", headers={"accept-encoding": "identity"})
        assert "immutable" in script.headers["cache-control"] and "content-encoding" not in script.headers
        assert script.headers["content-type"].startswith("text/javascript")
        for path in (
            "/r/ABCDEF/more",
            "/nothing",
            "/nothing/at/all.html",
        ):  # the client says so, in the reader's language
            unknown = browser.get(path, headers={"if-none-match": browser.get("/").headers["etag"]})
            assert unknown.status_code == 404 and "놀이판" in unknown.text
        for path in ("/assets/index-00000000.js", "/api/nothing"):
            unknown = browser.get(path)
            assert unknown.status_code == 404 and unknown.text == "Not found\n"
        (tmp_path / "index.html").write_text("<!doctype html><title>다음</title>")
        assert "다음" in browser.get("/").text


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("/r/ABCDEF.", "/r/ABCDEF"),
        ("/r/ABCDEF)", "/r/ABCDEF"),
        ("/r/ABCDEF).", "/r/ABCDEF"),
        ("/r/ABCDEF%E3%80%82", "/r/ABCDEF"),
        ("/R/ABCDEF", "/r/ABCDEF"),
        ("/r/abcdef", "/r/ABCDEF"),
        ("/r/abcdef/2?at=7", "/r/ABCDEF/2?at=7"),
        ("/R/abcdef/,", "/r/ABCDEF"),
        ("/r/ABCDEF", ""),
        ("/r/ABCDEF/", ""),
        ("/r/ABCDEF/2", ""),
    ],
)
def test_a_rooms_address_is_understood_as_it_is_handed_on(stack: Stack, given: str, address: str) -> None:
    host, port = stack.urls[0].removeprefix("http://").split(":")
    with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=30)) as connection:
        connection.request("GET", given)
        with connection.getresponse() as answer:
            assert (answer.status == 302) is bool(address) and (answer.getheader("location") or "") == address


def test_small_letters_of_a_code_are_large_ones(stack: Stack) -> None:
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    small = made["room"].lower()
    assert request("GET", f"{stack.urls[0]}/api/rooms/{small}")[1]["room"] == made["room"]
    with Raw(stack.urls[0]).hello(small, made["token"]) as raw:
        assert raw.welcome["room"] == raw.snapshot["view"]["room"] == made["room"]


def test_who_comes_counts_themselves(stack: Stack) -> None:
    """The first number of people that a newcomer is told is never too small for them to be in it."""
    made = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[1]
    with Raw(stack.urls[0]).hello(made["room"], made["token"]) as one:
        assert one.welcome["people"] == 1 and one.hear("people")["people"] == 1
        here = key("s", made["room"])
        wait_until(lambda: stack.redis.hlen(here) == 1)
        with Raw(stack.urls[1]).hello(made["room"], request("POST", f"{stack.urls[0]}/api/me", {})[1]["token"]) as two:
            assert two.welcome["people"] == 2 and two.hear("people")["people"] == 2
            wait_until(lambda: stack.redis.hlen(here) == 2)
            with Raw(stack.urls[1]).hello(made["room"], made["token"]) as again:  # the first person's second tab
                assert again.welcome["people"] == 2


def test_a_token_is_told_to_programs_and_not_to_scripts_of_a_page(stack: Stack) -> None:
    url = stack.urls[0]
    _, me, headers = request("POST", f"{url}/api/me", {}, origin=url)
    jar = headers["set-cookie"].partition(";")[0]
    _, again, headers = request("POST", f"{url}/api/me", {}, origin=url, cookie=jar)
    assert again == {"player": me["player"]} and jar == headers["set-cookie"].partition(";")[0]
    _, made, _ = request("POST", f"{url}/api/rooms", {"game": "duel"}, origin=url, cookie=jar)
    assert made["player"] == me["player"] and "token" not in made
    bearer = {"authorization": f"Bearer {me['token']}"}
    assert request("POST", f"{url}/api/me", {}, **bearer)[1] == {"player": me["player"], "token": me["token"]}
    _, other, _ = request(
        "POST", f"{url}/api/me", {"new": True}, origin=url, cookie=jar
    )  # for somebody else at this device
    assert other["token"] and other["player"] != me["player"]


def test_answers_say_what_may_be_done_with_them(stack: Stack) -> None:
    _, _, api = request("GET", f"{stack.urls[0]}/api/games")
    assert "frame-ancestors 'none'" in api["content-security-policy"]
    _, _, page = request("GET", f"{stack.urls[0]}/docs")
    for sent in (api, page):
        assert sent["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in page["permissions-policy"] and "strict-transport-security" not in page


def test_a_page_of_another_origin_is_named_in_the_log_once(stack: Stack) -> None:
    url = stack.urls[1]
    for _ in range(3):
        assert request("POST", f"{url}/api/me", {}, origin="https://shop.example")[0] == 403
    log = [json.loads(line) for line in stack.gateway[1].log.read_text().splitlines()]
    [line] = [line for line in log if line.get("setting") == "NORIPAN_ALLOWED_ORIGINS"]
    assert line["origin"] == "https://shop.example" and line["host"] == url.removeprefix("http://")


def test_a_path_longer_than_any_file_name_is_not_found(stack: Stack) -> None:
    for path in ("/" + "a" * 300, "/" + "b/" * 3000):
        assert request("GET", f"{stack.urls[0]}{path}")[0] == 404


def test_a_room_that_nobody_opened_in_time_is_not_left_behind(stack: Stack) -> None:
    """While workers are too busy each try of an impatient person would leave them one more room to open."""
    before = set(stack.redis.keys("{*}:[ar]:*"))
    stack.worker[0].pause()
    try:
        status, told, _ = request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})
        assert (status, told["code"]) == (503, "unavailable")
        assert set(stack.redis.keys("{*}:[ar]:*")) == before
        assert not any(stack.redis.zcard(name) for name in stack.redis.keys("{*}:ready"))
    finally:
        stack.worker[0].resume()
    assert request("POST", f"{stack.urls[0]}/api/rooms", {"game": "duel"})[0] == 201
