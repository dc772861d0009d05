"""Report 49: who looked back was thrown to the end by every new move.

Goal: a replay at event 10 of a live game stays there while 20 more events arrive, says how many are new, and goes to the
newest when asked. Method: a player and a watcher; one of them looks back, by the page's own control and by a line of the
log, while the others play on.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import begin, faces, mover, opened, ready, roll, sit, take_turn, tap

pytestmark = pytest.mark.browser


def plain(page: Page) -> Page:
    """The generic table, which is all words, so that what it shows can be compared."""
    page.context.add_init_script("localStorage.setItem('noripan.plain', '1')")
    page.reload()
    return page


def heard(page: Page) -> int:
    """The version that the page's socket has come to."""
    return max((told["version"] for told in page.heard if told["type"] in ("snapshot", "update")), default=0)


def shown(page: Page) -> dict:
    """All of the table that stands on the page, but for the log."""
    return page.evaluate(
        """() => ({
            sheet: document.querySelector("[data-testid=sheet]")?.textContent,
            turn: document.querySelector("[data-testid=turn] .who")?.textContent.trim(),
            dice: [...document.querySelectorAll("[data-testid=dice] li")].map((die) => die.textContent.trim()),
            said: document.querySelector("[data-testid=replay-said]")?.textContent,
        })"""
    )


def test_a_look_back_stays_where_it_is_while_the_game_goes_on(stack, phone):
    one = plain(phone(stack.urls[0]))
    link = opened(one, "민수")
    two = plain(phone(link))
    sit(two, "지우")
    watcher = plain(phone(link.replace(stack.urls[0], stack.urls[1])))
    begin(one, two, watcher)
    take_turn(mover(one, two), "choice", hold=True)

    tap(watcher, "look-back")
    replay = watcher.get_by_test_id("replay")
    expect(replay).to_be_visible()
    watcher.get_by_test_id("replay-slider").fill("10")
    expect(replay).to_have_attribute("data-at", "10")
    expect(watcher.get_by_test_id("replay-where")).to_contain_text("10")
    before, version = shown(watcher), heard(watcher)
    assert before["sheet"] and before["dice"] and before["said"]
    watcher.evaluate("__stage.told.length = 0")
    while heard(watcher) < version + 20:
        take_turn(mover(one, two), "yacht" if heard(watcher) < version + 10 else "fours", hold=True)
    expect(watcher.get_by_test_id("replay-live")).to_have_attribute("data-new", str(heard(watcher) - version))
    expect(replay).to_have_attribute("data-at", "10")
    expect(replay).to_have_attribute("data-upto", str(heard(watcher)))
    assert shown(watcher) == before
    watcher.keyboard.press("ArrowRight")
    expect(replay).to_have_attribute("data-at", "11")
    assert shown(watcher) != before
    watcher.keyboard.press("ArrowLeft")
    expect(replay).to_have_attribute("data-at", "10")
    assert shown(watcher) == before
    assert not [told for told in watcher.sent if told["type"] not in ("hello", "ping")], "a replay asks for nothing"

    tap(watcher, "replay-live")
    expect(replay).to_have_count(0)
    acting = mover(one, two)
    roll(acting)
    expect(watcher.get_by_test_id("dice").locator("li")).to_contain_text(faces(acting))
    assert one.errors == two.errors == watcher.errors == []


def test_the_player_in_turn_sees_that_it_is_their_turn_and_can_go_on(stack, phone):
    """And a line of the log leads to its moment, also one from before the page was there."""
    one = plain(phone(stack.urls[0]))
    link = opened(one, "민수", options={"turnSeconds": None})
    begin(one)
    ready(one)
    roll(one)
    one.reload()
    ready(one)
    one.evaluate("__stage.told.length = 0")
    one.get_by_test_id("log").scroll_into_view_if_needed()
    line = one.get_by_test_id("log").locator("a").last
    expect(line).to_have_attribute("href", link[link.index("/r/") :] + "/1?at=1")  # what happened before is there again
    assert one.get_by_test_id("log").locator("a").count() > 5
    rolled = one.get_by_test_id("log").locator("a", has_text="굴렸어요").first
    at = rolled.get_attribute("href").rpartition("=")[2]
    rolled.click()
    replay = one.get_by_test_id("replay")
    expect(replay).to_have_attribute("data-at", at)
    expect(one.get_by_test_id("replay-said")).to_contain_text("굴렸어요")
    expect(one.get_by_test_id("replay-live")).to_contain_text("내 차례")
    expect(one.locator(".replay [data-testid^='action-']")).to_have_count(0)  # nothing can be done in the past
    assert one.evaluate("__stage.told.filter((one) => !one.text.includes('굴렸어요'))") == []
    one.go_back()
    ready(one)
    roll(one)
    assert one.errors == []
