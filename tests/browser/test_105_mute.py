"""Report 105: talk was wanted, and the right not to hear it.

Goal: what a muted person said, and says from then on, is not shown, floated or spoken to the one who muted, and everybody
else hears it. Method: three pages, one of which mutes one person.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import opened, sit, tap

pytestmark = pytest.mark.browser


def test_a_muted_person_is_silent_for_the_one_who_muted_and_for_nobody_else(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, "민수")
    two = phone(link)
    sit(two, "지우")
    three = phone(link)
    say(one, "첫 번째")
    for page in (two, three):
        expect(page.get_by_test_id("chat")).to_contain_text("첫 번째")
    tap(two, "mute-open")
    tap(two, f"mute-{one.get_by_test_id('seat-0').get_attribute('data-player')}")
    expect(two.get_by_test_id("chat")).not_to_contain_text("첫 번째")
    expect(one.get_by_test_id("say-emote-wow")).to_have_attribute("aria-disabled", "false")
    say(one, "두 번째")
    expect(three.get_by_test_id("chat")).to_contain_text("두 번째")
    say(two, "끝")  # comes after it, so what is not there by now will not come
    for page in (one, two, three):
        expect(page.get_by_test_id("chat")).to_contain_text("끝")
    expect(two.get_by_test_id("chat")).not_to_contain_text("두 번째")
    told = [item["text"] for item in two.evaluate("__stage.told")]
    assert any("첫 번째" in text for text in told) and not any("두 번째" in text for text in told)
    assert two.get_by_test_id("float").filter(has_text="두 번째").count() == 0
    assert one.errors == two.errors == three.errors == []


def say(page, line: str) -> None:
    page.get_by_test_id("chat-input").fill(line)
    tap(page, "chat-send")
