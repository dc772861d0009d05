"""Goal: two people who never met us finish a real game of Yacht in two browsers, and the audit passes on it.

Method: the stack as real processes, two pages of headless Chromium on phone size, only what a person can see and tap.
"""

import json
import subprocess
import sys

import pytest
from playwright.sync_api import Page, expect

from tests.stack import ROOT, Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
BOXES = "ones twos threes fours fives sixes choice fourKind fullHouse smallStraight largeStraight yacht".split()


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    with Stack(tmp_path_factory.mktemp("browser"), gateways=1, workers=2) as running:
        yield running


def create(page: Page, name: str) -> str:
    """Create a Yacht room and sit down; the room's link."""
    page.get_by_test_id("game-yacht").click()
    page.get_by_test_id("create-room").click()
    sit(page, name)
    return page.url


def sit(page: Page, name: str) -> None:
    page.get_by_test_id("nickname").fill(name)
    page.get_by_test_id("take-seat").click()
    expect(page.get_by_test_id("leave-seat")).to_be_visible()


def my_move(page: Page) -> bool:
    turn = page.get_by_test_id("turn")
    return turn.count() > 0 and turn.get_attribute("data-mine") == "true"


def take_turn(page: Page, box: str, hold: bool) -> None:
    """One whole turn: roll, perhaps hold a die and roll again, write the box."""
    ready(page)
    page.get_by_test_id("action-roll").click()
    expect(page.get_by_test_id(f"action-score-{box}")).to_be_visible()
    if hold:
        ready(page)
        page.get_by_test_id("action-set_hold-0").click()
        ready(page)
        page.get_by_test_id("action-roll").click()
    ready(page)
    page.get_by_test_id(f"action-score-{box}").click()


def ready(page: Page) -> None:
    expect(page.get_by_test_id("actions")).to_have_attribute("data-ready", "true")


def audit(stack: Stack, room: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "services.cli.main", "audit", room, "--json"],
        cwd=ROOT,
        env=stack.worker[0].env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_two_browsers_play_a_whole_game_of_yacht_and_the_audit_passes(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "민수")
    two = phone(link)
    sit(two, "<img src=x onerror=alert(1)>"[:16])
    expect(one.get_by_text("<img src=x onerr").first).to_be_visible()  # a name is text, never markup
    one.get_by_test_id("start-game").click()
    for page in (one, two):
        expect(page.get_by_test_id("turn")).to_be_visible()
    for number in range(2 * len(BOXES)):
        pages = [one, two]
        for page in pages:
            expect(page.get_by_test_id("turn")).to_be_visible()
        mover = one if my_move(one) else two
        expect(mover.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
        take_turn(mover, BOXES[number // 2], hold=number % 5 == 0)
        other = two if mover is one else one
        if number + 1 < 2 * len(BOXES):
            expect(other.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
    for page in (one, two):
        expect(page.get_by_test_id("result")).to_be_visible()
        expect(page.get_by_test_id("rank-0")).to_be_visible()
        assert page.errors == []
    room = link.rpartition("/")[2]
    for line in audit(stack, room).splitlines():
        assert json.loads(line)


def test_a_reload_in_the_middle_of_a_turn_shows_the_same_dice_and_the_turn_goes_on(stack, phone):
    one = phone(stack.urls[0])
    create(one, "혼자")
    one.get_by_test_id("start-game").click()
    ready(one)
    one.get_by_test_id("action-roll").click()
    expect(one.get_by_test_id("action-score-choice")).to_be_visible()
    before = one.get_by_test_id("dice").inner_text()
    one.reload()
    ready(one)
    assert one.get_by_test_id("dice").inner_text() == before
    one.get_by_test_id("action-score-choice").click()
    expect(one.get_by_test_id("action-roll")).to_be_enabled()
    assert one.errors == []


def test_report_52_the_main_control_is_on_the_screen_of_a_small_phone(stack, phone):
    page = phone(stack.urls[0], width=360, height=640)
    create(page, "작은폰")
    page.get_by_test_id("start-game").click()
    ready(page)
    box = page.get_by_test_id("action-roll").bounding_box()
    assert box["y"] + box["height"] <= 640 and box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
