"""Report 52: on phones the roll button was below the fold, and an old scroll position stayed.

Goal: at the sizes that browsers leave of small phones, upright, turned round and with the keyboard having been open, the dice,
the roll button and the own column of the sheet are wholly on the screen without scrolling; nothing is wider than it; what one
taps is big enough. Method: boxes as the browser lays them out.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import alone, begin, opened, ready, roll, sideways, tap

pytestmark = pytest.mark.browser
SIZES = [(390, 664), (360, 560), (844, 390)]
TAP, DIE = 44, 64
OWN = ("own-upper", "own-lower", "own-total")
DICE = tuple(f"action-set_hold-{i}" for i in range(5))
TARGETS = "button, a[href], select, summary, input, textarea"

# Things to tap with their real boxes; a checkbox or radio is tapped by its label. Links inside a sentence are exempt.
BOXES_OF = """(targets) => [...document.querySelectorAll(targets)].flatMap((one) => {
    const target = one.matches("input[type=checkbox], input[type=radio]") ? one.closest("label") ?? one : one;
    if (!target.checkVisibility() || target.closest(".skip, .sr")) return [];
    const box = target.getBoundingClientRect();
    const word = (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 30);
    return [[one.dataset.testid ?? word, box.width, box.height]];
})"""


def small(page: Page) -> list:
    return [box for box in page.evaluate(BOXES_OF, TARGETS) if min(box[1], box[2]) < TAP - 0.01]


def on_screen(page: Page, *names: str) -> None:
    """Wholly inside the visible area as it is, and not covered by anything."""
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    for name in names:
        box = page.get_by_test_id(name).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, (name, box, page.viewport_size)
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, (name, box, page.viewport_size)
        hit = """([x, y, name]) => !!document.elementFromPoint(x, y)?.closest(`[data-testid="${name}"]`)"""
        assert page.evaluate(hit, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, name]), name


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_dice_the_roll_button_and_the_own_column_are_on_the_screen(stack, phone, size):
    page = phone(stack.urls[0], *size)
    assert sideways(page) <= 0 and small(page) == []
    opened(page, "작은화면", options={"scoring": "yahtzee"})  # the sheet with the most boxes
    assert sideways(page) <= 0 and small(page) == []
    page.evaluate("scrollTo(0, 10_000)")  # the lobby is long; its position must not stay
    begin(page)
    ready(page)
    on_screen(page, "action-roll", *OWN)
    roll(page)
    ready(page)
    on_screen(page, "action-roll", *DICE, *OWN)
    for name in DICE:
        box = page.get_by_test_id(name).bounding_box()
        assert min(box["width"], box["height"]) >= DIE, box
    assert sideways(page) <= 0 and small(page) == []
    assert page.errors == []


@pytest.mark.parametrize("locale", ["ko-KR", "en-US", "ms-MY"])
def test_every_language_fits_from_320_to_430(stack, phone, locale):
    page = phone(stack.urls[0], *SIZES[1], locale=locale)
    alone(page, "Kim")
    roll(page)
    ready(page)
    on_screen(page, "action-roll", *DICE, *OWN)
    for width in (320, 360, 390, 430):
        page.set_viewport_size({"width": width, "height": 560})
        assert sideways(page) <= 0 and small(page) == [], width
        on_screen(page, "action-roll", *DICE)
        assert min(page.get_by_test_id(name).bounding_box()["width"] for name in DICE) >= DIE, width


def test_turning_the_phone_and_closing_its_keyboard_leave_the_table_in_place(stack, phone):
    page = phone(stack.urls[0], *SIZES[0])
    alone(page, "돌린폰")
    roll(page)
    for width, height in (SIZES[2], SIZES[0], SIZES[2], SIZES[0]):
        page.set_viewport_size({"width": width, "height": height})
        on_screen(page, "action-roll", *DICE, *OWN)
        assert sideways(page) <= 0
    page.set_viewport_size({"width": 390, "height": 350})  # what a keyboard leaves
    assert sideways(page) <= 0
    page.set_viewport_size({"width": 390, "height": 664})
    on_screen(page, "action-roll", *DICE, *OWN)


def test_yut_fits_too(stack, phone):
    page = phone(stack.urls[0], *SIZES[1])
    link = opened(page, "작은화면", "yut")
    other = phone(link, *SIZES[2])
    other.get_by_test_id("nickname").fill("맞은편")
    tap(other, "take-seat")
    expect(other.get_by_test_id("leave-seat")).to_be_visible()
    begin(page, other)
    acting = page if page.get_by_test_id("turn").get_attribute("data-mine") == "true" else other
    ready(acting)
    on_screen(acting, "action-throw")
    for one in (page, other):
        assert sideways(one) <= 0 and small(one) == []
