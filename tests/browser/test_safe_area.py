"""Goal: nothing that one can tap, and nothing that floats, reaches under a notch, a rounded corner or the home bar.

Method: the insets of a phone held upright and sideways, put upon Chromium; every screen of the client, each control measured
where it lies when one has scrolled to it.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import begin, concede, create, mover, opened, ready, roll, sit, tap

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

HELD = {
    "upright": (390, 844, {"top": 47, "right": 0, "bottom": 34, "left": 0}),
    "sideways": (844, 390, {"top": 0, "right": 59, "bottom": 21, "left": 59}),
}

# Controls under an inset: sideways wherever they are (as far as a box that scrolls shows them), up and down where they
# float or stand in a dialog, and at both ends of the page.
UNDER = """([top, right, bottom, left]) => {
    const found = [];
    const controls = [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=button]")];
    const floating = (one) => {
        for (let at = one; at && at !== document.body; at = at.parentElement) {
            if (["fixed", "sticky"].includes(getComputedStyle(at).position) || at.matches("dialog[open]")) return true;
        }
        return false;
    };
    const seen = (one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const box = { left, right, top, bottom };
        for (let at = one.parentElement; at && at !== document.body; at = at.parentElement) {
            if (getComputedStyle(at).overflow === "visible") continue;
            const frame = at.getBoundingClientRect();
            box.left = Math.max(box.left, frame.left);
            box.right = Math.min(box.right, frame.right);
            box.top = Math.max(box.top, frame.top);
            box.bottom = Math.min(box.bottom, frame.bottom);
        }
        return box;
    };
    const look = (where) => {
        for (const one of [...controls, ...document.querySelectorAll(".notice")]) {
            if (one.closest(".skip, .sr") || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
            const box = seen(one);
            if (box.right - box.left < 2 || box.bottom - box.top < 2) continue;
            const name = `${one.tagName} ${one.dataset.testid ?? one.textContent.trim().slice(0, 20)}`;
            const tell = (side) => found.push(`${where}: ${name} ${side} ${JSON.stringify(box)}`);
            if (box.left < left - 0.5) tell("left");
            if (box.right > innerWidth - right + 0.5) tell("right");
            const stays = floating(one);
            if ((stays || where === "top") && box.top < top - 0.5 && box.bottom > 0) tell("top");
            if ((stays || where === "end") && box.bottom > innerHeight - bottom + 0.5 && box.top < innerHeight) tell("bottom");
        }
    };
    scrollTo(0, 0);
    look("top");
    scrollTo(0, document.documentElement.scrollHeight);
    look("end");
    scrollTo(0, 0);
    return found;
}"""


class Held:
    """A page on a phone with insets. `check` measures the screen as it is."""

    def __init__(self, page, insets) -> None:
        self.page, self.insets = page, insets
        devtools = page.context.new_cdp_session(page)
        sides = {side: px for side, px in insets.items() if px}
        devtools.send(
            "Emulation.setSafeAreaInsetsOverride", {"insets": insets | {f"{s}Max": p for s, p in sides.items()}}
        )

    def check(self, screen: str) -> None:
        sides = [self.insets[side] for side in ("top", "right", "bottom", "left")]
        assert self.page.evaluate(UNDER, sides) == [], screen
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen


@pytest.fixture(params=HELD)
def held(request, phone, stack):
    width, height, insets = HELD[request.param]
    page = phone(stack.urls[0], width, height)
    return Held(page, insets)


def test_no_control_of_home_lobby_and_a_full_yacht_table_is_under_an_inset(stack, phone, held):
    page = held.page
    tap(page, "new-options")
    held.check("home")
    page.get_by_test_id("join-code").fill("1")
    tap(page, "join-go")
    held.check("home with a refusal")
    link = opened(page, "민수", options={"turnSeconds": None})
    held.check("lobby")
    guests = [phone(link) for _ in range(3)]
    for number, guest in enumerate(guests):
        sit(guest, f"손님 {number}")
    begin(page, *guests)
    while mover(page, *guests) is not page:
        pass_on(mover(page, *guests))
    roll(page)
    ready(page)
    held.check("yacht table")
    tap(page, "help-open")
    held.check("help")
    page.keyboard.press("Escape")
    page.locator("[data-testid^='action-score-']").first.click()
    held.check("question before a box")
    page.keyboard.press("Escape")
    tap(page, "look-back")
    expect(page.get_by_test_id("replay")).to_be_visible()
    held.check("replay")
    assert page.errors == []


def pass_on(page) -> None:
    roll(page)
    ready(page)
    page.locator("[data-testid^='action-score-']").first.click()
    tap(page, "confirm-yes")
    expect(page.get_by_test_id("turn")).to_have_attribute("data-mine", "false")


def test_no_control_of_a_yut_table_its_end_and_a_notice_is_under_an_inset(stack, phone, held):
    page = held.page
    link = create(page, "민수", "yut")
    tap(page, "edit-options")
    held.check("lobby with the form")
    other = phone(link)
    sit(other, "지우")
    begin(page, other)
    held.check("yut table")
    concede(page, other, enough=1)
    expect(page.get_by_test_id("result")).to_be_visible()
    held.check("result")
    assert page.errors == []
