"""Goal: several people play on one phone, each with a seat and a turn of their own, against somebody elsewhere.

Method: two pages, one with a further person; turns by tapping, until each person had two.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import BOXES, begin, mover, opened, sit, take_turn, tap

pytestmark = pytest.mark.browser


def test_a_family_plays_on_one_phone(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, "엄마")
    two = phone(link)
    sit(two, "이웃")
    tap(one, "add-person")
    sit_further(one, "아이")
    expect(two.get_by_test_id("seat-2")).to_contain_text("아이")
    begin(one, two)
    for number in range(6):
        acting = mover(one, two)
        said = acting.get_by_test_id("turn").inner_text().split("\n")[0]
        take_turn(acting, BOXES[number // 3])
        expect(acting.get_by_test_id("turn")).not_to_have_text(re.compile(re.escape(said)))
    assert one.errors == two.errors == []


def sit_further(page: Page, name: str) -> None:
    page.get_by_test_id("nickname").fill(name)
    tap(page, "take-seat")
    expect(page.get_by_test_id("nickname")).to_have_count(0)
