"""What people do at a table, as they do it: by tapping. Shared by the browser's tests."""

import contextlib
import json
import subprocess
import sys
import time

from playwright.sync_api import Page, expect

from tests.stack import ROOT, Stack

BOXES = "ones twos threes fours fives sixes choice fourKind fullHouse smallStraight largeStraight yacht".split()


def tap(page: Page, name: str) -> None:
    page.get_by_test_id(name).click()


def becomes(page: Page, script: str, arg: object = None) -> None:
    """Wait until an expression is true. Playwright's own waiting evaluates it in the page, whose rules forbid that."""
    end = time.monotonic() + 60
    while not page.evaluate(script, arg):
        assert time.monotonic() < end, f"still not true: {script}"
        page.wait_for_timeout(20)


def told_of_the_game(page: Page) -> list[str]:
    """What live regions told, but for who came and went: that a line was gone for a moment is news, and a busy machine may
    take long enough to come back for it to be told."""
    told = [line["text"] for line in page.evaluate("__stage.told")]
    return [line for line in told if "연결" not in line and "돌아왔" not in line]


def create(page: Page, name: str, game: str = "yacht") -> str:
    """Create a room from the home page, as it is offered there, and sit down; the room's link."""
    tap(page, f"game-{game}")
    tap(page, "create-room")
    sit(page, name)
    return page.url


def opened(
    page: Page, name: str, game: str = "yacht", options: dict | None = None, settings: dict | None = None
) -> str:
    """The same with the rules given and, unless `settings` has one, without a countdown before the deal."""
    body = {"game": game, "options": options or {}, "settings": settings or {}}
    made = page.evaluate(
        """async (body) => {
            const headers = { "content-type": "application/json" };
            await fetch("/api/me", { method: "POST", headers, body: "{}" });
            const made = await fetch("/api/rooms", { method: "POST", headers, body: JSON.stringify(body) });
            return await made.json();
        }""",
        body,
    )
    page.goto(page.url.split("/r/")[0].rstrip("/") + f"/r/{made['room']}")
    sit(page, name)
    return page.url


def sit(page: Page, name: str) -> None:
    page.get_by_test_id("nickname").fill(name)
    tap(page, "take-seat")
    expect(page.get_by_test_id("leave-seat")).to_be_visible()


def begin(host: Page, *others: Page) -> None:
    """The host starts; the countdown, if any, runs; the table is there for everyone."""
    tap(host, "start-game")
    for page in (host, *others):
        expect(page.get_by_test_id("turn")).to_be_visible()


def alone(page: Page, name: str, game: str = "yacht", options: dict | None = None) -> str:
    """A game by oneself, to the first decision."""
    link = opened(page, name, game, options)
    begin(page)
    ready(page)
    return link


def ready(page: Page) -> None:
    expect(page.get_by_test_id("actions")).to_have_attribute("data-ready", "true")


def my_move(page: Page) -> bool:
    turn = page.get_by_test_id("turn")
    return turn.count() > 0 and turn.get_attribute("data-mine") == "true"


def mover(*pages: Page) -> Page:
    """Whose turn it is, once all of them agree that it is somebody's."""
    for page in pages:
        expect(page.get_by_test_id("turn")).to_be_visible()
    found = next((page for page in pages if my_move(page)), pages[-1])
    expect(found.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
    return found


def roll(page: Page) -> None:
    ready(page)
    tap(page, "action-roll")
    expect(page.get_by_test_id("actions")).to_have_attribute("aria-busy", "false")
    expect(page.locator("[data-testid^='action-score-']").first).to_be_visible()


def score(page: Page, box: str) -> None:
    """Write the box; the drawn table asks first."""
    tap(page, f"action-score-{box}")
    if page.get_by_test_id("yacht-table").count():
        tap(page, "confirm-yes")


def take_turn(page: Page, box: str, hold: bool = False) -> None:
    """One whole turn: roll, perhaps hold a die and roll again, write the box."""
    roll(page)
    if hold:
        ready(page)
        tap(page, "action-set_hold-0")
        roll(page)
    ready(page)
    score(page, box)
    expect(page.get_by_test_id(f"action-score-{box}")).to_have_count(0)


def concede(*pages: Page, enough: int | None = None) -> None:
    """All of them (or `enough`) give up, whoever is in turn last, so that no turn changes under anybody's finger."""
    acting = mover(*pages)
    for page in [*(page for page in pages if page is not acting), acting][:enough]:
        if page is not acting:
            tap(page, "more-actions")
        for _ in range(5):  # a tap while the list of actions is on its way does nothing; a person taps again
            tap(page, "action-concede")
            with contextlib.suppress(AssertionError):
                expect(page.get_by_test_id("confirm-yes")).to_be_visible(timeout=1000)
                break
        tap(page, "confirm-yes")


def faces(page: Page) -> list[str]:
    """The dice as they lie, by what each is called, without whether it is held."""
    return page.get_by_test_id("dice").evaluate(
        """(tray) => [...tray.querySelectorAll("button, li")].map(
            (die) => (die.getAttribute("aria-label") ?? die.textContent).trim().split(",")[0])"""
    )


def sideways(page: Page) -> int:
    """Pixels by which the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def server_left_ms(page: Page) -> float:
    """How long the turn still has, by the deadline that the server sent and the clock that the server has."""
    deadline: dict = {}
    for message in page.heard:
        if message["type"] == "snapshot":
            deadline = message["view"].get("deadline") or {}
        elif message["type"] == "update":
            patch = message["patch"] or {}
            if "deadline" in patch:
                deadline = {**deadline, **(patch["deadline"] or {})}
    return deadline["at_ms"] - 1000 * time.time()


def audit(stack: Stack, room: str) -> list[dict]:
    """What `noripan audit` says about the room; fails when the audit does."""
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", "audit", room, "--json"],
        cwd=ROOT,
        env=stack.worker[0].env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
