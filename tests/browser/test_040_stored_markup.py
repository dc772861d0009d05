"""Report 40: a name went into the page as HTML in just one panel.

Goal: markup in a nickname and in chat is the same characters everywhere, causes no request, and a script that got in all
the same would not run. Method: a room full of such names, followed through every page and panel that shows a name.
"""

import urllib.parse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import begin, concede, opened, roll, sit, tap

pytestmark = pytest.mark.browser
NAME = "<img src=//x/y>"
OTHER = "<svg onload=a()>"
LINE = '<img src=/stolen onerror="window.stolen=1"><script>window.stolen=1</script>'


def clean(*pages: Page) -> None:
    """No element of ours came out of what people wrote, and nothing was fetched for it."""
    for page in pages:
        assert page.locator("img, script:not([src]), svg[onload], iframe, object").count() == 0
        assert page.evaluate("window.stolen") is None
        own = [urllib.parse.urlsplit(page.url).netloc]
        strange = [u for u in page.asked if urllib.parse.urlsplit(u).netloc not in own and not u.startswith("data:")]
        assert strange == []
        assert not [url for url in page.asked if "stolen" in url]


def says(page: Page, name: str, *what: str) -> None:
    for one in what:
        expect(page.get_by_test_id(name)).to_contain_text(one)


def test_markup_in_names_and_chat_is_text_in_every_panel(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, NAME)
    two = phone(link)
    sit(two, OTHER)
    watcher = phone(link)
    pages = (one, two, watcher)
    for page in pages:
        says(page, "seat-0", NAME)
        says(page, "seat-1", OTHER)
    says(one, "log", OTHER)
    expect(two.get_by_test_id("waiting-host")).to_contain_text(NAME)
    tap(one, "kick-1")  # the question names the person
    says(one, "confirm", OTHER)
    tap(one, "confirm-no")

    one.get_by_test_id("chat-input").fill(LINE)
    tap(one, "chat-send")
    for page in pages:
        says(page, "chat", NAME, LINE)
        says(page, "announcer", *((LINE,) if page is not one else ()))
        expect(page.get_by_test_id("float").first).to_contain_text(LINE)
    tap(two, "mute-open")
    expect(two.get_by_text(NAME, exact=False).last).to_be_visible()
    clean(*pages)

    begin(one, two, watcher)
    for page in pages:
        expect(page.get_by_test_id("spectating")).to_have_count(1 if page is watcher else 0)
        says(page, "sheet", NAME, OTHER)
        says(page, "seat-0", NAME)
    acting, other = (one, two) if one.get_by_test_id("turn").get_attribute("data-mine") == "true" else (two, one)
    says(other, "turn", NAME if acting is one else OTHER)
    roll(acting)
    for page in pages:
        says(page, "log", NAME if acting is one else OTHER)
    clean(*pages)

    concede(one, two)
    for page in pages:
        says(page, "result", NAME, OTHER)
        says(page, "rank-0", "<")
    tap(one, "rematch")
    says(two, "rematch-voted", NAME)
    clean(*pages)
    assert one.errors == two.errors == watcher.errors == []


def test_a_script_that_got_in_would_not_run(stack, phone):
    page = phone(stack.urls[0])
    policy = page.request.get(stack.urls[0]).headers["content-security-policy"]
    rules = {name: values for name, *values in (part.split() for part in policy.split(";") if part.strip())}
    assert rules["script-src"] == ["'self'"] and rules["default-src"] in (["'self'"], ["'none'"])
    assert "'unsafe-inline'" not in policy and "'unsafe-eval'" not in policy
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.stolen = 1";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend", '<b onclick="window.stolen = 1">x</b>');
            document.body.lastElementChild.click();
        }"""
    )
    assert page.evaluate("window.stolen") is None
