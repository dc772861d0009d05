"""Goal: a tab that outlived a deploy says so and offers to reload, instead of being silently poorer or blaming the network.

Method: the hashed files of a part are gone and the first page names another script, as after a new build; the line is fine.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import alone, begin, opened, ready, tap

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


def deployed(page) -> None:
    """From now on the server has another build, of which this page's parts are no part."""

    def newer(route) -> None:
        found = route.fetch()
        route.fulfill(response=found, body=found.text().replace("/assets/index-", "/assets/index-new"))

    page.route("**/", newer)
    page.route("**/assets/*", lambda route: route.fulfill(status=404, body="Not found\n"))


def test_a_drawn_table_that_is_gone_offers_a_reload_and_the_game_goes_on(stack, phone):
    page = phone(stack.urls[0])
    opened(page, "혼자")
    deployed(page)
    begin(page)
    expect(page.get_by_test_id("part-missing")).to_contain_text("새로 고치면")
    expect(page.get_by_test_id("new-version")).to_contain_text("새 버전이 나왔어요")
    ready(page)
    tap(page, "action-roll")
    expect(page.locator("[data-testid^='action-score-']").first).to_be_visible()
    page.unroute_all()
    page.get_by_test_id("new-version").get_by_role("button").click()
    expect(page.get_by_test_id("yacht-table")).to_be_visible()
    expect(page.get_by_test_id("new-version")).to_have_count(0)


def test_a_replay_that_is_gone_does_not_blame_the_network(stack, phone):
    page = phone(stack.urls[0], locale="en-GB")
    alone(page, "Ann")
    deployed(page)
    tap(page, "look-back")
    expect(page.get_by_test_id("part-missing")).to_contain_text("Reloading brings it back")
    expect(page.get_by_test_id("new-version")).to_be_visible()


def test_a_line_that_comes_back_to_the_same_build_says_nothing(stack, phone):
    page = phone(stack.urls[0])
    alone(page, "혼자")
    with page.expect_response(lambda one: one.url.rstrip("/") == stack.urls[0]):
        page.context.set_offline(True)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.get_by_test_id("link")).to_have_attribute("data-link", "waiting", timeout=30_000)
        page.context.set_offline(False)
        expect(page.get_by_test_id("link")).to_have_attribute("data-link", "online", timeout=30_000)
    expect(page.get_by_test_id("new-version")).to_have_count(0)
    assert page.errors == []
