"""Goal: two people who never met us finish a real game of Yacht in two browsers, and the audit passes on it.

Method: the stack as real processes, two pages of headless Chromium on phone size, only what a person can see and tap.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import BOXES, audit, create, mover, sit, take_turn

pytestmark = pytest.mark.browser


def test_two_browsers_play_a_whole_game_of_yacht_and_the_audit_passes(stack, phone):
    one = phone(stack.urls[0])
    link = create(one, "민수")
    two = phone(link)
    sit(two, "지우")
    one.get_by_test_id("start-game").click()
    for number in range(2 * len(BOXES)):
        acting = mover(one, two)
        take_turn(acting, BOXES[number // 2], hold=number % 5 == 0)
        other = two if acting is one else one
        if number + 1 < 2 * len(BOXES):
            expect(other.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
    for page in (one, two):
        expect(page.get_by_test_id("result")).to_be_visible()
        expect(page.get_by_test_id("rank-0")).to_be_visible()
        assert page.errors == []
    assert audit(stack, link.rpartition("/")[2])
