"""Report 33: the remaining time was computed by a device clock that was wrong, so it was zero at once, or somebody else's.

Goal: a clock that is 90 s off, either way, and one that is set by 60 s during a turn show the server's seconds, and nothing
that a device believes about time reaches the server. Method: three devices at one table, the device clocks shifted under
them, compared with the deadline as the server sent it and this machine's clock, which is the server's.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import begin, opened, roll, server_left_ms, sit
from tests.stack import wait_until

pytestmark = pytest.mark.browser
HALF_MINUTE_MS = 30_000


def off_by_s(page: Page) -> float:
    """How far the seconds shown are from the server's; the display rounds up."""
    before = server_left_ms(page) / 1000
    shown = int(page.get_by_test_id("countdown").get_attribute("data-seconds") or "-999")
    after = server_left_ms(page) / 1000  # to look may take its time
    return max(shown - before - 1, after - shown)


def numbers(value) -> list[float]:
    if isinstance(value, dict | list):
        return [n for one in (value.values() if isinstance(value, dict) else value) for n in numbers(one)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_a_wrong_device_clock_neither_shows_nor_matters(stack, phone):
    right = phone(stack.urls[0])
    link = opened(right, "맞음", options={"turnSeconds": 30})
    fast = phone(link.replace(stack.urls[0], stack.urls[1]), shift_ms=90_000)
    sit(fast, "빠름")
    slow = phone(link, shift_ms=-90_000)
    sit(slow, "느림")
    pages = (right, fast, slow)
    begin(*pages)
    skew = [page.evaluate("Date.now()") - right.evaluate("Date.now()") for page in pages]
    assert skew[1] > 85_000 and skew[2] < -85_000, "the clocks are not wrong at all"
    for page in pages:
        expect(page.get_by_test_id("countdown")).to_contain_text("초")
        wait_until(lambda page=page: off_by_s(page) < 1)
    for step in (60_000, -120_000):
        for page in pages:
            page.evaluate("step => { __stage.shift += step }", step)
        for _ in range(3):  # at the moment of the step and for some ticks after it
            right.wait_for_timeout(150)
            for page in pages:
                wait_until(lambda page=page: off_by_s(page) < 1)
    acting = next(page for page in pages if page.get_by_test_id("turn").get_attribute("data-mine") == "true")
    roll(acting)
    for page in pages:
        wait_until(lambda page=page: off_by_s(page) < 1)
        at_ms = [int(one["entry"].split("-")[0]) for one in page.heard if one["type"] == "update"]
        assert max(at_ms) - min(at_ms) < HALF_MINUTE_MS, "an entry has a device's time"
        told = [n for one in page.sent for n in numbers(one) if n > 1e11]
        assert told == [], "a device tells the server what time it has"
        assert page.errors == []
