"""Report 108: accessibility options belong into a game from the start.

Goal: a whole game without touching anything but the keyboard, and a whole game with text at 200 %; possible, nothing
hidden. Method: Tab, Shift+Tab, Space and Enter from the home page to the result; a page whose default font is twice as big.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import BOXES, alone, ready, sideways, take_turn

pytestmark = pytest.mark.browser
TABS_MAX = 60
FOCUSED = """() => {
    const at = document.activeElement;
    const box = at?.getBoundingClientRect();
    const seen = !!box && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    const inside = at?.closest("[data-testid]")?.dataset.testid ?? "";
    return [at?.dataset?.testid ?? inside, seen, !at?.matches(":focus-visible") ? "" : getComputedStyle(at).outlineStyle];
}"""


def go(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until the focus is on `name`: on the screen, with a ring around it."""
    passed = []
    for _ in range(TABS_MAX):
        at, seen, ring = page.evaluate(FOCUSED)
        if at == name:
            assert seen and ring == "solid", (name, seen, ring)
            return
        passed.append(at)
        page.keyboard.press(key)
    raise AssertionError(f"{name} is not reached by {key}: {passed}")


def press(page: Page, name: str, key: str = "Enter", way: str = "Tab") -> None:
    go(page, name, way)
    page.keyboard.press(key)


def test_a_whole_game_by_keyboard_alone(stack, phone):
    page = phone(stack.urls[0])
    expect(page.get_by_test_id("game-yacht")).to_be_visible()
    while not page.evaluate("document.activeElement?.matches('input[name=game]') ?? false"):
        page.keyboard.press("Tab")
    if not page.get_by_test_id("game-yacht").locator("input").is_checked():
        page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("game-yacht").locator("input")).to_be_checked()
    press(page, "create-room")
    expect(page.get_by_test_id("nickname")).to_be_visible()
    go(page, "nickname")
    page.keyboard.type("keys")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("leave-seat")).to_be_visible()
    press(page, "start-game")
    expect(page.get_by_test_id("turn")).to_be_visible()
    for number, box in enumerate(BOXES):
        ready(page)
        press(page, "action-roll", "Space")
        expect(page.get_by_test_id(f"action-score-{box}")).to_be_visible()
        ready(page)
        if number == 0:
            press(page, "action-set_hold-2", "Space", "Shift+Tab")
            expect(page.get_by_test_id("action-set_hold-2")).to_have_attribute("aria-pressed", "true")
            ready(page)
            press(page, "action-roll", "Space")
            expect(page.get_by_test_id("action-set_hold-2")).to_be_visible()
            ready(page)
        press(page, f"action-score-{box}")
        press(page, "confirm-yes")  # has the focus already
        if number + 1 < len(BOXES):
            expect(page.get_by_test_id(f"action-score-{box}")).to_have_count(0)
    expect(page.get_by_test_id("result")).to_be_visible()
    press(page, "rematch")
    assert page.errors == []


def test_a_whole_game_with_the_table_s_own_keys(stack, phone):
    page = phone(stack.urls[0])
    alone(page, "keys")
    page.get_by_test_id("chat-input").focus()
    page.keyboard.type("r1 ?")  # a text field has its keys to itself
    page.evaluate("document.activeElement.blur()")
    assert acts(page) == []
    expect(page.get_by_test_id("yacht-help")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_test_id("help-keys")).to_be_visible()
    page.keyboard.press("r")  # so has a dialog
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("yacht-help")).to_have_count(0)
    assert acts(page) == []
    # First box of the upper half down to its last, then the lower half: arrows pass over what is filled.
    for number, box in enumerate(BOXES):
        ready(page)
        page.keyboard.press("Space" if number == 0 else "r")
        expect(page.get_by_test_id(f"action-score-{box}")).to_be_visible()
        if number == 1:
            ready(page)
            page.keyboard.press("3")
            expect(page.get_by_test_id("action-set_hold-2")).to_have_attribute("aria-pressed", "true")
            page.keyboard.press("r")
            expect(page.get_by_test_id("action-roll")).to_contain_text("남은 1번")
        page.keyboard.press("ArrowDown")  # from the dice to the first open box
        for key in ["ArrowDown", "ArrowUp"] if number < 5 else ["ArrowRight", "ArrowLeft"] if number < 6 else []:
            before = page.evaluate(FOCUSED)[0]
            page.keyboard.press(key)
            assert page.evaluate(FOCUSED)[0] != before, key
        assert page.evaluate(FOCUSED) == [f"action-score-{box}", True, "solid"]
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")  # the question's yes has the focus
        if number + 1 < len(BOXES):
            expect(page.get_by_test_id(f"action-score-{box}")).to_have_count(0)
            assert page.evaluate(FOCUSED)[0] == "action-roll"
    expect(page.get_by_test_id("result")).to_be_visible()
    assert page.errors == []


def acts(page: Page) -> list[dict]:
    return [one for one in page.sent if one["type"] == "act"]


LARGE = "document.documentElement.style.fontSize = '200%'"
# Words that are cut off: an element that hides what does not fit, with text in it, and nothing to scroll it by.
CUT = """() => [...document.querySelectorAll("main *")].filter((one) => {
    const style = getComputedStyle(one);
    if (!one.checkVisibility() || one.closest(".sr, [aria-hidden=true], svg") || !one.textContent.trim()) return false;
    const hidden = (value) => value === "hidden" || value === "clip";
    return (hidden(style.overflowX) && one.scrollWidth > one.clientWidth + 1) ||
        (hidden(style.overflowY) && one.scrollHeight > one.clientHeight + 1);
}).map((one) => one.outerHTML.slice(0, 120))"""


def test_a_whole_game_with_text_twice_as_big(stack, phone):
    page = phone(stack.urls[0])
    page.evaluate(LARGE)
    assert sideways(page) <= 0
    page.context.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {LARGE} }})")
    alone(page, "큰글씨")
    assert page.evaluate("getComputedStyle(document.body).fontSize") == "32px"
    for box in BOXES:
        assert sideways(page) <= 0
        assert page.evaluate(CUT) == []
        take_turn(page, box)
    expect(page.get_by_test_id("result")).to_be_visible()
    assert sideways(page) <= 0
    assert page.evaluate(CUT) == []
    assert page.errors == []
