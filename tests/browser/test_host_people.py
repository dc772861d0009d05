"""Goal: a host ends what a disturbing stranger does, with three taps and in words: the voice, the place, the door.

Method: three pages on a phone; the stranger tries again each time.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import opened, sit, tap
from tests.browser.test_105_mute import say

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_the_host_silences_sends_away_and_closes_the_door(stack, phone):
    host = phone(stack.urls[0])
    link = opened(host, "민수")
    friend = phone(link)
    sit(friend, "지우")
    stranger = phone(link)
    say(stranger, "안녕하세요")
    line = host.get_by_test_id("chat").locator("li", has_text="안녕하세요")
    expect(line).to_be_visible()
    who = line.get_attribute("data-player")

    assert friend.get_by_test_id("host-people").count() == 0, "a host's tools are the host's"
    tap(host, "host-people-open")
    tap(host, f"silence-{who}")
    expect(host.get_by_test_id(f"silence-{who}")).to_have_attribute("aria-pressed", "true")
    say(stranger, "또 나예요")
    expect(stranger.get_by_text("방장이 이 방에서 말하지 못하게 했어요.")).to_be_visible()
    assert host.get_by_test_id("chat").locator("li", has_text="또 나예요").count() == 0

    tap(host, f"expel-{who}")
    tap(host, "confirm-yes")
    refused = stranger.get_by_test_id("refused")
    expect(refused).to_have_attribute("data-code", "kicked")
    expect(host.get_by_test_id(f"expel-{who}")).to_have_count(0)

    tap(host, "lock")
    expect(host.get_by_test_id("lock")).to_be_checked()
    newcomer = phone(link)
    expect(newcomer.get_by_test_id("refused")).to_have_attribute("data-code", "locked")
    friend.reload()
    expect(friend.get_by_test_id("leave-seat")).to_be_visible()
    assert host.errors == friend.errors == []
