"""Report 97: the most frequent wish is to come back after a reload, a crash, on another device.

Goal: a seat is there again after a reload, in a second tab and, by the code, on another device, which then is the only one
that has it; never "name already taken". Method: one person with several pages and devices, two gateways.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import tab
from tests.browser.table import alone, faces, opened, ready, roll, score, tap

pytestmark = pytest.mark.browser


def test_a_reload_and_a_second_tab_have_the_same_seat_and_the_turn_goes_on(stack, phone):
    first = phone(stack.urls[0])
    link = alone(first, "혼자")
    roll(first)
    dice = faces(first)
    first.reload()
    ready(first)
    assert faces(first) == dice
    second = tab(first.context, link)
    ready(second)
    assert faces(second) == dice
    score(second, "choice")
    for page in (first, second):
        expect(page.get_by_test_id("action-score-choice")).to_have_count(0)
        ready(page)
    first.close()  # a tab that goes takes no seat along
    roll(second)
    assert second.errors == []


def test_a_seat_moves_to_another_device_and_the_old_one_is_out(stack, phone):
    old = phone(stack.urls[0])
    opened(old, "민수")
    tap(old, "move-device")
    expect(old.get_by_test_id("move-code")).to_be_visible()
    new = phone(old.get_by_test_id("qr").get_attribute("data-url"))
    tap(new, "claim")
    expect(old.get_by_test_id("refused")).to_have_attribute("data-code", "moved_device")
    expect(new.get_by_test_id("leave-seat")).to_be_visible()
    expect(new.get_by_test_id("seat-0")).to_contain_text("민수")
    assert old.errors == new.errors == []
