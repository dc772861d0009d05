"""Report 54: coming back to the table rolled the dice again, for the eye and the ear.

Goal: a roll is shown once, to those who are there, by the dice that are thrown; after a reload right after a roll, and after
leaving and coming back three times (to another tab, and to another page of ours), the final dice lie still and nothing is
told again. Method: motion allowed; animations and live regions recorded.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import alone, faces, ready, roll, score, tap, told_of_the_game

pytestmark = pytest.mark.browser
SETTLED_MS = 700  # longer than any roll takes


def still(page: Page, dice: list[str]) -> None:
    ready(page)
    assert faces(page) == dice
    page.wait_for_timeout(SETTLED_MS)
    assert page.evaluate("__stage.moved") == []
    assert told_of_the_game(page) == []
    assert page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length") == 0
    assert faces(page) == dice


def test_coming_back_shows_the_final_dice_and_nothing_moves_or_speaks_again(stack, phone):
    page = phone(stack.urls[0], moving=True)
    alone(page, "민수")
    roll(page)
    dice = faces(page)
    assert len(dice) == 5
    page.reload()
    still(page, dice)
    for _ in range(3):
        page.evaluate("__stage.hide()")
        page.evaluate("__stage.show()")
    still(page, dice)
    for _ in range(3):
        page.locator("a.brand").click()
        expect(page.get_by_test_id("create-room")).to_be_visible()
        page.go_back()
        ready(page)
    still(page, dice)
    score(page, "choice")
    expect(page.get_by_test_id("action-roll")).to_be_enabled()
    assert page.errors == []


# Each time that dice are thrown into the air: how many. By what is in the page, because a busy machine may have drawn no
# frame of it when they lie again.
WATCH = """() => {
    window.flights = [];
    const fly = (tray) => tray?.dataset.flying === "true" && flights.push(tray.querySelectorAll(".air").length);
    new MutationObserver((records) => {
        for (const { type, target, addedNodes } of records) {
            if (type === "attributes") fly(target);
            for (const node of addedNodes) fly(node.querySelector?.("[data-flying]"));
        }
    }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-flying"] });
}"""


def test_a_roll_moves_once_the_thrown_dice_of_those_who_look(stack, phone):
    page = phone(stack.urls[0], moving=True)
    link = alone(page, "민수")
    watcher = phone(link, moving=True)
    expect(watcher.get_by_test_id("own")).to_be_visible()
    for one in (page, watcher):
        one.evaluate(WATCH)
    roll(page)
    expect(page.get_by_test_id("dice")).to_have_attribute("data-flying", "false")
    expect(watcher.get_by_test_id("dice").locator("li")).to_have_count(5)
    assert [one.evaluate("flights") for one in (page, watcher)] == [[5], [5]]
    late = phone(link, moving=True)
    expect(late.get_by_test_id("dice").locator("li")).to_have_count(5)
    assert faces(late) == faces(page)
    assert [one for one in late.evaluate("__stage.moved") if "air" in one] == []
    late.evaluate(WATCH)
    for index in (0, 3):
        tap(page, f"action-set_hold-{index}")
    for one in (watcher, late):
        expect(one.get_by_test_id("dice").locator("li.held")).to_have_count(2)
    kept = [faces(page)[index] for index in (0, 3)]
    roll(page)
    expect(page.get_by_test_id("dice")).to_have_attribute("data-flying", "false")
    assert [faces(page)[index] for index in (0, 3)] == kept
    for one in (watcher, late):
        expect(one.get_by_test_id("rolls-used")).to_contain_text("2번 굴림")
    assert [one.evaluate("flights") for one in (page, watcher, late)] == [[5, 3], [5, 3], [3]]
    for one in (page, watcher, late):  # another table, and this one again: made anew, it shows what lies there
        tap(one, "table-style")
        tap(one, "table-style")
        expect(one.get_by_test_id("yacht-table")).to_be_visible()
    assert [len(one.evaluate("flights")) for one in (page, watcher, late)] == [2, 2, 1]


def test_a_tap_brings_flying_dice_down_and_does_nothing_else(stack, phone):
    page = phone(stack.urls[0], moving=True)
    alone(page, "민수")
    page.get_by_test_id("action-roll").click()
    expect(page.get_by_test_id("dice")).to_have_attribute("data-flying", "true")
    start = page.evaluate("performance.now()")
    sent = len(page.sent)
    page.get_by_test_id("dice").locator("button").first.dispatch_event("click")
    expect(page.get_by_test_id("dice")).to_have_attribute("data-flying", "false")
    # Else the machine was so busy that they came down by themselves.
    if page.evaluate("performance.now()") - start < 400:
        assert [one for one in page.sent[sent:] if one["type"] == "act"] == []
        assert page.locator("[aria-pressed=true]").count() == 0
    ready(page)
    tap(page, "action-set_hold-0")
    expect(page.get_by_test_id("action-set_hold-0")).to_have_attribute("aria-pressed", "true")
