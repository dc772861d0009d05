"""Report 103: playing again with the same people lost the watchers.

Goal: a rematch is one new game in the same room, for players and watchers, although all ask for it at once. Method: two
players and a watcher at another gateway, through the end of a game into the next.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import begin, concede, opened, sit, tap

pytestmark = pytest.mark.browser


def test_a_rematch_is_another_game_in_the_same_room_and_watchers_come_along(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, "민수")
    two = phone(link)
    sit(two, "지우")
    watcher = phone(link.replace(stack.urls[0], stack.urls[1]))
    begin(one, two, watcher)
    concede(one, two)
    for page in (one, two, watcher):
        expect(page.get_by_test_id("result")).to_be_visible()
    tap(one, "rematch")
    expect(two.get_by_test_id("rematch-voted")).to_contain_text("민수")
    tap(two, "rematch")
    for page in (one, two):
        expect(page.get_by_test_id("ready")).to_be_visible()
    expect(watcher.get_by_test_id("nickname")).to_be_visible()
    begin(one, two, watcher)
    assert len({page.url.rpartition("/r/")[2] for page in (one, two, watcher)}) == 1
    assert one.errors == two.errors == watcher.errors == []
