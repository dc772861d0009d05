"""Report 35: in a background tab the countdown froze, and on return the animations of everything missed ran one by one.

Goal: after being hidden while twenty events and some emotes came, the page shows the newest table and the right time at
once, and starts at most one animation. Method: the page believes that it is hidden and its timers wait; the opponent plays.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import begin, faces, mover, opened, ready, roll, server_left_ms, sit, take_turn, tap

pytestmark = pytest.mark.browser


def test_a_page_that_was_hidden_is_up_to_date_at_once_and_does_not_replay(stack, phone):
    one = phone(stack.urls[0], moving=True)
    link = opened(one, "민수", options={"turnSeconds": 60})
    two = phone(link.replace(stack.urls[0], stack.urls[1]), moving=True)
    sit(two, "지우")
    begin(one, two)
    if mover(one, two) is one:
        take_turn(one, "choice")
    assert mover(one, two) is two
    one.evaluate("__stage.hide(); __stage.moved.length = 0")  # what starts while hidden is seen on return
    roll(two)
    for number in range(18):
        ready(two)
        tap(two, f"action-set_hold-{number % 2}")
    tap(two, "say-emote-hello")
    for _ in range(2):  # what people say may not come faster
        expect(two.get_by_test_id("say-emote-wow")).to_have_attribute("aria-disabled", "false")
        tap(two, "say-emote-wow")
    ready(two)
    tap(two, "action-set_hold-2")
    expect(two.get_by_test_id("action-set_hold-2")).to_have_attribute("aria-pressed", "true")
    ready(two)
    assert sum(len(message["events"]) for message in one.heard if message["type"] == "update") >= 20
    one.wait_for_timeout(3_000)
    frozen = int(one.get_by_test_id("countdown").get_attribute("data-seconds"))
    assert frozen > server_left_ms(one) / 1000 + 2, "the page was not hidden at all"
    one.evaluate("__stage.show()")
    left_s = server_left_ms(one) / 1000
    assert int(one.get_by_test_id("countdown").get_attribute("data-seconds")) <= left_s + 1
    assert faces(one) == faces(two)
    held = one.get_by_test_id("dice").locator("li.held")
    expect(held).to_have_count(two.locator("[data-testid^='action-set_hold-'][aria-pressed='true']").count())
    one.wait_for_timeout(700)  # as long as an animation takes, so that a second one would have begun
    moved = one.evaluate("__stage.moved")
    assert len(moved) <= 1, moved
    assert one.errors == []
