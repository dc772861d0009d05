"""Report 102: creating, joining, being ready and starting are steps of their own, seen by everybody.

Goal: the host arranges the table and hands it over, a kicked player stays out, a countdown can be stopped. Method: three
pages at one lobby, created from the home page as it is offered there.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import create, sit, tap

pytestmark = pytest.mark.browser


def test_the_host_arranges_the_table_and_a_kicked_player_stays_out(stack, phone):
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
    assert one.errors == two.errors == three.errors == []


def test_a_room_that_is_not_there_is_said_once(stack, phone):
    page = phone(stack.urls[0] + "/r/QQQQQQ")
    expect(page.get_by_test_id("refused")).to_have_attribute("data-code", "no_room")
    expect(page.get_by_test_id("notice")).to_have_count(0)
    assert page.errors == []
