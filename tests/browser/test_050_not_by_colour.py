"""Report 50: colour was the only difference between pieces or scores, even with an option on.

Goal: the sides of Yut are told apart by name, letter and shape, also on a screen without colours or as people with
deuteranopia see it; what a box of Yacht would bring is told by a mark and a number. Method: the words and shapes in the
page, and pictures taken under the browser's emulation of both.
"""

import base64

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import begin, mover, opened, ready, roll, sit

pytestmark = pytest.mark.browser

# Share of the pixels of two pictures that differ clearly in brightness.
DIFFERENCE = """async ([one, two]) => {
    const pixels = await Promise.all([one, two].map(async (png) => {
        const image = new Image();
        image.src = "data:image/png;base64," + png;
        await image.decode();
        const canvas = new OffscreenCanvas(22, 22);
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0, 22, 22);
        return pen.getImageData(0, 0, 22, 22).data;
    }));
    const light = (data, i) => 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
    let differ = 0;
    for (let i = 0; i < pixels[0].length; i += 4) {
        if (Math.abs(light(pixels[0], i) - light(pixels[1], i)) > 64) differ += 1;
    }
    return differ / (pixels[0].length / 4);
}"""


def difference(browser, *pictures: bytes) -> float:
    blank = browser.new_page()
    found = blank.evaluate(DIFFERENCE, [base64.b64encode(one).decode() for one in pictures])
    blank.close()
    return found


def test_yut_teams_are_told_apart_by_letter_and_shape(stack, phone, browser):
    pages = [phone(stack.urls[0])]
    link = opened(pages[0], "가", "yut", {"mode": "team"})
    for name in "나다라":
        pages.append(phone(link))
        sit(pages[-1], name)
    begin(*pages)
    page = pages[0]
    marks = [page.get_by_test_id(f"seat-{seat}").locator("[data-team]") for seat in range(4)]
    letters = [mark.get_attribute("data-team") for mark in marks]
    assert sorted(letters) == ["A", "A", "B", "B"]
    for mark, letter in zip(marks, letters, strict=True):
        assert mark.locator("text").text_content() == letter
        assert mark.text_content().replace(letter, "", 1).strip(), "a screen reader is told nothing"
    a, b = (marks[letters.index(letter)] for letter in "AB")
    assert a.locator("circle").count() == 1 and b.locator("circle").count() == 0
    device = page.context.new_cdp_session(page)
    for deficiency in ("achromatopsia", "deuteranopia"):
        device.send("Emulation.setEmulatedVisionDeficiency", {"type": deficiency})
        pictures = [mark.locator("svg").screenshot() for mark in (a, b)]
        assert difference(browser, *pictures) > 0.08, deficiency
        assert difference(browser, pictures[0], a.locator("svg").screenshot()) < 0.01
    for name in ("청팀 A", "홍팀 B", *"가나다라"):  # pieces and results belong to sides that are called by name
        expect(page.get_by_test_id("sides")).to_contain_text(name)
    assert page.errors == []


def test_what_a_box_of_yacht_would_bring_is_told_by_mark_and_number(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, "민수")
    two = phone(link)
    sit(two, "지우")
    begin(one, two)
    page = mover(one, two)
    roll(page)
    ready(page)
    told = {}
    for button in page.locator("button[data-testid^='action-score-']").all():
        told[button.get_attribute("data-testid")] = button.inner_text()
    assert len(told) == 12
    for text in told.values():
        points = int("".join(letter for letter in text if letter.isdigit()))
        assert ("✓" in text) == (points > 0) and ("–" in text) == (points == 0), text
    assert {"✓", "–"} <= set("".join(told.values()))
    page.get_by_test_id("action-set_hold-1").click()
    held = page.get_by_test_id("action-set_hold-1")
    expect(held).to_have_attribute("aria-pressed", "true")
    assert held.locator("svg").count() == page.get_by_test_id("action-set_hold-0").locator("svg").count() + 1, "no lock"
    assert seat_marked(page)
    # What the bonus bar shows, and what the roll button can do, are words.
    expect(page.get_by_test_id("bonus")).to_contain_text("63까지 63점 남음")
    expect(page.get_by_test_id("action-roll")).to_have_text("다시 굴리기 (남은 2번)")


def seat_marked(page: Page) -> bool:
    """The own column of the sheet, and the seat in turn, say so in words and signs."""
    heads = " ".join(page.get_by_test_id("sheet").locator("thead th").all_inner_texts())
    return "나" in heads and "▶" in heads
