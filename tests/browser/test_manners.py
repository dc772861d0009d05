"""Goal: the table manners around a game, as people tap them: host's tools, countdown, rematch, family table, device move.

Method: the stack as real processes, phones of headless Chromium, only what a person can see and tap.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_game import BOXES, create, ready, sit
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    with Stack(tmp_path_factory.mktemp("manners"), gateways=2, workers=1) as running:
        yield running


def tap(page: Page, name: str) -> None:
    page.get_by_test_id(name).click()


def concede(page: Page) -> None:
    if page.get_by_test_id("more-actions").count():
        tap(page, "more-actions")
    tap(page, "action-concede")
    tap(page, "confirm-yes")


def begin(host: Page, *others: Page) -> None:
    """The host starts; the countdown runs; the table is there for everyone."""
    tap(host, "start-game")
    for page in (host, *others):
        expect(page.get_by_test_id("turn")).to_be_visible(timeout=15_000)


def test_report_102_the_host_arranges_the_table_and_a_kicked_player_stays_out(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "민수")
    two, three = phone(link), phone(link)
    sit(two, "지우")
    sit(three, "하은")
    expect(one.get_by_test_id("people")).to_contain_text("3")
    tap(two, "ready")
    expect(one.get_by_test_id("seat-1")).to_contain_text("준비")
    tap(three, "move-5")
    expect(one.get_by_test_id("seat-5")).to_contain_text("하은")
    tap(one, "make-host-1")
    expect(two.get_by_test_id("start-game")).to_be_visible()
    expect(one.get_by_test_id("start-game")).to_have_count(0)
    tap(two, "kick-5")
    tap(two, "confirm-yes")
    three.get_by_test_id("nickname").fill("다시")
    tap(three, "take-seat")
    expect(three.get_by_test_id("notice")).to_have_attribute("data-code", "kicked")
    tap(two, "start-game")
    expect(one.get_by_test_id("countdown-start")).to_be_visible()
    tap(one, "leave-seat")  # a leave stops the countdown
    expect(two.get_by_test_id("start-game")).to_be_visible()


def test_report_103_a_rematch_is_another_game_in_the_same_room_and_watchers_come_along(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "민수")
    two = phone(link)
    sit(two, "지우")
    watcher = phone(link.replace(stack.urls[0], stack.urls[1]))
    begin(one, two, watcher)
    for page in (two, one):
        concede(page)
    for page in (one, two, watcher):
        expect(page.get_by_test_id("result")).to_be_visible()
    tap(one, "rematch")
    expect(two.get_by_test_id("rematch-voted")).to_contain_text("민수")
    tap(two, "rematch")
    for page in (one, two):
        expect(page.get_by_test_id("ready")).to_be_visible()
    expect(watcher.get_by_test_id("nickname")).to_be_visible()
    begin(one, two, watcher)
    assert one.errors == two.errors == watcher.errors == []


def test_report_40_105_talk_is_text_and_can_be_muted(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "민수")
    two = phone(link)
    sit(two, "지우")
    one.get_by_test_id("chat-input").fill("<img src=x onerror=alert(1)> 안녕")
    tap(one, "chat-send")
    expect(two.get_by_test_id("chat")).to_contain_text("<img src=x onerror=alert(1)> 안녕")
    tap(two, "mute-open")
    player = one.get_by_test_id("seat-0").get_attribute("data-player")
    tap(two, f"mute-{player}")
    expect(two.get_by_test_id("chat")).not_to_contain_text("안녕")
    assert two.locator("img[src='x']").count() == 0


def test_a_family_plays_on_one_phone(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "엄마")
    two = phone(link)
    sit(two, "이웃")
    tap(one, "add-person")
    sit_further(one, "아이")
    expect(two.get_by_test_id("seat-2")).to_contain_text("아이")
    begin(one, two)
    for number in range(6):
        mover = one if one.get_by_test_id("turn").get_attribute("data-mine") == "true" else two
        expect(mover.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
        said = mover.get_by_test_id("turn").inner_text().split("\n")[0]
        ready(mover)
        tap(mover, "action-roll")
        expect(mover.get_by_test_id(f"action-score-{BOXES[number // 3]}")).to_be_visible()
        ready(mover)
        tap(mover, f"action-score-{BOXES[number // 3]}")
        expect(mover.get_by_test_id("turn")).not_to_have_text(re.compile(re.escape(said)))
    assert one.errors == two.errors == []


def sit_further(page: Page, name: str) -> None:
    page.get_by_test_id("nickname").fill(name)
    tap(page, "take-seat")
    expect(page.get_by_test_id("nickname")).to_have_count(0)


def test_report_97_a_seat_moves_to_another_device_and_the_old_one_is_out(stack, phone):
    old = phone(stack.urls[0])
    create(old, "민수")
    tap(old, "move-device")
    expect(old.get_by_test_id("move-code")).to_be_visible()
    new = phone(old.get_by_test_id("qr").get_attribute("data-url"))
    tap(new, "claim")
    expect(old.get_by_test_id("refused")).to_have_attribute("data-code", "moved_device")
    expect(new.get_by_test_id("leave-seat")).to_be_visible()
    expect(new.get_by_test_id("seat-0")).to_contain_text("민수")
