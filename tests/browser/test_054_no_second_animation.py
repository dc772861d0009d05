"""Report 54: coming back to the table rolled the dice again, for the eye and the ear.

Goal: after a reload right after a roll, and after leaving and coming back three times (to another tab, and to another page
of ours), the final dice lie still and nothing is told again. Method: motion allowed; animations and live regions recorded.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import alone, faces, ready, roll, score

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SETTLED_MS = 700  # longer than any roll takes


def still(page: Page, dice: list[str]) -> None:
    ready(page)
    assert faces(page) == dice
    page.wait_for_timeout(SETTLED_MS)
    assert page.evaluate("__stage.moved") == []
    assert page.evaluate("__stage.told") == []
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
