"""Goal: an invitation finds its room with whatever a messenger or a person puts around it, what finds nothing says so in the
reader's language, the rules can be read before the clock runs, and the screen stays on while one plays.

Method: addresses and codes as people send them; a browser that tells what was asked of its screen.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import becomes, begin, create, opened, sit, tap

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.mark.parametrize("around", ["/r/{}.", "/r/{})", "/R/{}", "/r/{}%20"])
def test_a_link_with_something_at_its_end_leads_to_the_room(stack, phone, around):
    code = opened(phone(stack.urls[0]), "민수").rpartition("/")[2]
    page = phone(stack.urls[0] + around.format(code))
    expect(page.get_by_test_id("room-code")).to_have_text(code)


@pytest.mark.parametrize("typed", ["{}.", "코드 {}", "방 코드: {}!"])
def test_a_code_is_understood_as_people_write_it(stack, phone, typed):
    code = opened(phone(stack.urls[0]), "민수").rpartition("/")[2]
    page = phone(stack.urls[0])
    page.get_by_test_id("join-code").fill(typed.format(code.lower()))
    tap(page, "join-go")
    expect(page.get_by_test_id("room-code")).to_have_text(code)


@pytest.mark.parametrize(
    ("locale", "words"),
    [("ko-KR", "그런 페이지가 없어요."), ("en-GB", "There is no such page."), ("ms-MY", "Halaman ini tiada.")],
)
def test_what_is_not_there_is_said_in_the_readers_language_with_a_way_to_the_start(stack, phone, locale, words):
    page = phone(stack.urls[0] + "/nonsense", locale=locale)
    expect(page.get_by_role("main")).to_contain_text(words)
    page.get_by_role("main").get_by_role("link").click()
    expect(page.get_by_test_id("create-room")).to_be_visible()
    answers = page.context.request
    assert answers.get(stack.urls[0] + "/nonsense", headers={"accept": "text/html"}).status == 404
    assert (
        answers.get(stack.urls[0] + "/assets/gone-12345678.js", headers={"accept": "text/html"}).text() == "Not found\n"
    )


def test_the_rules_can_be_read_before_anybody_plays(stack, phone):
    page = phone(stack.urls[0])
    tap(page, "game-yacht")
    tap(page, "new-options")
    page.get_by_test_id("option-scoring").select_option('"traditional"')
    tap(page, "rules-open")
    expect(page.get_by_test_id("yacht-help")).to_contain_text("리틀 스트레이트")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("yacht-help")).to_have_count(0)
    create(page, "민수", "yut")
    expect(page.get_by_test_id("rules-summary")).to_contain_text("윷·모로 잡아도 한 번 더")
    tap(page, "rules-open")
    expect(page.get_by_test_id("yut-help")).to_be_visible()
    assert page.errors == []


def test_the_screen_stays_on_while_one_plays_and_no_longer(stack, phone):
    watch = """
        window.screens = [];
        Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
            screens.push(kind);
            return { released: false, release: async () => void screens.push("released") };
        } } });
    """
    page = phone(stack.urls[0])
    page.context.add_init_script(watch)
    page.reload()
    link = opened(page, "민수")
    assert page.evaluate("screens") == []
    other = phone(link)
    sit(other, "지우")
    begin(page, other)
    becomes(page, "screens.length === 1 && screens[0] === 'screen'")
    page.locator("header a").click()
    becomes(page, "screens.join() === 'screen,released'")
    assert page.errors == []
