"""The drawn table of Yut Nori, as people use it.

Goal: whole turns and a whole game on the board, in either order of choosing, and nothing sent before it is confirmed; all
one needs on the screen at the sizes of phones; a teammate's suggestion on the board. Method: taps and keys in real pages, the
messages that went out, boxes as the browser lays them out.
"""

import itertools

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import audit, begin, opened, sideways, sit, tap
from tests.browser.test_050_not_by_colour import difference
from tests.browser.test_052_small_screens import SIZES, on_screen, small
from tests.browser.test_108_keyboard_and_large_text import press
from tests.stack import wait_until

pytestmark = pytest.mark.browser
CALM = {"backdo": False, "turnSeconds": None}  # a throw always leaves something to move, and nobody is hurried
PIECES, CHIPS = "button[data-testid^='piece-']", "button[data-testid^='chip-']"
STEPS_MAX = 400


def seated(phone, stack, names: str, options: dict, *sizes, **more) -> list[Page]:
    """A game that has begun, a page for each name."""
    pages = [phone(stack.urls[0], *(sizes[:1] and sizes[0]), **more)]
    link = opened(pages[0], names[0], "yut", options)
    for name in names[1:]:
        pages.append(phone(link, *(sizes[1:] and sizes[1]), **more))
        sit(pages[-1], name)
    begin(*pages)
    return pages


# Asked in one go: what is seen may be gone with the next message. "busy": something is on its way, an answer or a piece.
STATE = """() => {
    const of = (name) => document.querySelector(`[data-testid="${name}"]`);
    if (of("result")) return "over";
    if (of("actions")?.ariaBusy !== "false" || of("board")?.dataset.playing !== "") return "busy";
    return of("turn")?.dataset.mine === "true" ? "mine" : "waiting";
}"""


def state(page: Page) -> str:
    return page.evaluate(STATE)


def in_turn(*pages: Page) -> Page | None:
    """Whose turn it is, ready to act; None when the game is over."""
    wait_until(lambda: any(state(page) in ("mine", "over") for page in pages))
    return next((page for page in pages if state(page) == "mine"), None)


def settled(page: Page) -> None:
    wait_until(lambda: state(page) != "busy")


def thrown(*pages: Page) -> Page:
    """Throw until there is something to move; the page that may."""
    for _ in range(STEPS_MAX):
        page = in_turn(*pages)
        if not page.get_by_test_id("action-throw").count():
            return page
        tap(page, "action-throw")
        settled(page)
    raise AssertionError("never anything to move")


def acts(page: Page) -> list[dict]:
    return [message["action"] for message in page.sent if message["type"] == "act"]


def test_two_people_play_a_whole_game_on_the_board(stack, phone):
    options = {"pieces": 2, "stickModel": "fair", "finishRule": "reach", "turnSeconds": None}
    pages = seated(phone, stack, "가나", options)
    used = set()
    ways = itertools.cycle(("chip", "piece"))
    for _ in range(STEPS_MAX):
        page = in_turn(*pages)
        if page is None:
            break
        if page.get_by_test_id("action-throw").count():
            tap(page, "action-throw")
        elif page.get_by_test_id("auto-move").count() and "auto" not in used:
            before = len(acts(page))
            page.wait_for_timeout(100)
            assert len(acts(page)) == before, "moved without being asked"
            tap(page, "auto-move")
            used.add("auto")
        elif used >= {"auto", "chip", "piece"}:
            hurry(page)
        else:
            used.add(choose(page, next(ways), used))
        settled(page)
    for page in pages:
        expect(page.get_by_test_id("result")).to_be_visible()
        assert page.errors == []
    assert used >= {"auto", "chip", "piece"}
    assert audit(stack, pages[0].url.rpartition("/")[2])


def choose(page: Page, order: str, used: set[str]) -> str:
    """A move in one of the two orders; the first time in each, it is cancelled in three ways before."""
    before = len(acts(page))
    cancels = [] if order in used else ["escape", "button", "outside"]
    for cancel in [*cancels, ""]:
        if order == "chip":
            page.locator(CHIPS).first.click()
            expect(page.get_by_test_id("path")).to_have_count(0)
            piece = page.locator(PIECES).first
            piece.click()
        else:
            piece = page.locator(PIECES).last
            piece.click()
            if not page.get_by_test_id("path").count():
                page.locator(f"{CHIPS}[aria-disabled='false']").first.click()
        expect(page.get_by_test_id("path")).to_have_count(1)
        expect(page.get_by_test_id("confirm-move")).to_be_visible()
        assert len(acts(page)) == before, "sent before it was confirmed"
        if cancel == "escape":
            page.keyboard.press("Escape")
        elif cancel == "button":
            tap(page, "cancel-move")
        elif cancel == "outside":
            page.locator("h1").click()
        if cancel:
            expect(page.get_by_test_id("path")).to_have_count(0)
            assert len(acts(page)) == before
    path = page.get_by_test_id("path")
    steps, goal = path.get_attribute("data-path").split(), path.get_attribute("data-to")
    assert goal in ("goal", steps[-1])
    (piece if order == "chip" else page.get_by_test_id("goal")).click()
    expect(page.get_by_test_id("path")).to_have_count(0)
    assert [one["type"] for one in acts(page)[before:]] == ["move"]
    return order


def hurry(page: Page) -> None:
    """Any move, without looking."""
    page.locator(PIECES).last.dispatch_event("click")
    if not page.get_by_test_id("confirm-move").count():
        page.locator(f"{CHIPS}[aria-disabled='false']").first.dispatch_event("click")
    page.get_by_test_id("confirm-move").dispatch_event("click")


BOX = "(one) => { const { width, height } = one.getBoundingClientRect(); return Math.min(width, height); }"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_board_chips_and_button_are_on_the_screen_and_big_enough(stack, phone, size):
    pages = seated(phone, stack, "가나", CALM, size, size)
    page = in_turn(*pages)
    on_screen(page, "board", "action-throw")
    assert page.get_by_test_id("action-throw").evaluate(BOX) >= 64
    page = thrown(*pages)
    turned = (size[1], size[0]) if size[0] < 500 else (390, 844)
    for width, height in (size, turned, size):
        page.set_viewport_size({"width": width, "height": height})
        for one in page.locator(CHIPS).all():
            assert one.evaluate(BOX) >= 64
            on_screen(page, one.get_attribute("data-testid"))
        page.locator(CHIPS).first.click()
        for one in page.locator(PIECES).all():
            assert one.evaluate(BOX) >= 48
        page.locator(PIECES).first.click()
        on_screen(page, "board", "goal", "confirm-move", "cancel-move")
        assert page.get_by_test_id("goal").evaluate(BOX) >= 48
        board = page.get_by_test_id("board").bounding_box()
        assert board["width"] == pytest.approx(board["height"], abs=1)
        assert board["width"] >= (0.6 * height if width > height else 300 if width >= 344 else width - 24)
        assert sideways(page) <= 0 and small(page) == []
        tap(page, "cancel-move")
    for width in (320, 360, 430):
        page.set_viewport_size({"width": width, "height": 640})
        wait_until(lambda: sideways(page) <= 0)  # a screen's width and height come one after the other
        assert page.get_by_test_id("board").bounding_box()["width"] >= min(300, width - 24)
    assert page.errors == []


def test_four_sides_are_told_apart_without_colours(stack, phone, browser):
    """Report 50. That their colours differ for people with colour blindness is worked out in yut_table.test.ts."""
    pages = seated(phone, stack, "가나다라", CALM)
    page = pages[0]
    pieces = [page.get_by_test_id(f"side-{side}").locator("svg") for side in range(4)]
    assert [one.locator(".letter").text_content() for one in pieces] == list("ABCD")
    device = page.context.new_cdp_session(page)
    device.send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
    for one, other in itertools.combinations([one.screenshot() for one in pieces], 2):
        assert difference(browser, one, other) > 0.08
    for side, name in enumerate("가나다라"):
        expect(page.get_by_test_id(f"side-{side}")).to_contain_text(name)


def test_a_teammate_suggests_on_the_board(stack, phone):
    pages = seated(phone, stack, "가나다라", {"mode": "team", **CALM})
    page = thrown(*pages)
    at = pages.index(page)
    mate, others = pages[(at + 2) % 4], (pages[(at + 1) % 4], pages[(at + 3) % 4])
    for other in others:
        assert other.locator(f"{CHIPS}, {PIECES}").count() == 0
    expect(mate.get_by_test_id("sides")).to_contain_text("청팀 A")
    mate.locator(CHIPS).first.click()
    mate.get_by_test_id("piece-home").click()
    path = mate.get_by_test_id("path").get_attribute("data-path")
    tap(mate, "confirm-move")
    assert acts(mate) == [], "a suggestion is no action"
    for one in (page, mate):
        expect(one.get_by_test_id("tip")).to_have_text("추천")
        expect(one.locator(f"[data-testid='faint-path'][data-path='{path}']")).not_to_have_count(0)
        expect(one.get_by_test_id("note")).to_contain_text(f"{'가나다라'[(at + 2) % 4]}의 추천")
    for other in others:
        expect(other.get_by_test_id("tip")).to_have_count(0)
    if page.get_by_test_id("auto-move").count():
        tap(page, "auto-move")
    else:
        choose(page, "piece", {"piece"})
    settled(page)
    for one in pages:
        expect(one.get_by_test_id("tip")).to_have_count(0)
        assert one.errors == []


def test_a_turn_by_keyboard_alone(stack, phone):
    pages = seated(phone, stack, "가나", CALM)
    page = in_turn(*pages)
    press(page, "action-throw", "Space")
    settled(page)
    page = thrown(page)
    chip = page.locator(CHIPS).first.get_attribute("data-testid")
    press(page, chip, way="Shift+Tab")
    press(page, "piece-home", way="Shift+Tab")
    expect(page.get_by_test_id("path")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("path")).to_have_count(0)
    assert [one["type"] for one in acts(page)] == ["throw"] * len(acts(page))
    press(page, "piece-home")
    if not page.get_by_test_id("path").count():
        press(page, chip)
    press(page, "confirm-move")
    expect(page.get_by_test_id("path")).to_have_count(0)
    assert acts(page)[-1]["type"] == "move"
    # Whoever used the keys does not start again from the top of the page.
    assert page.evaluate("document.querySelector('[data-testid=yut-table]').contains(document.activeElement)")
    assert page.errors == []


def test_the_simple_table_is_one_tap_away(stack, phone):
    page = in_turn(*seated(phone, stack, "가나", CALM))
    tap(page, "table-style")
    expect(page.get_by_test_id("sheet")).to_be_visible()
    tap(page, "action-throw")
    expect(page.get_by_test_id("sheet")).to_contain_text("지난 던지기")
    assert page.errors == []


def test_the_rules_are_told_with_pictures_as_the_room_has_them(stack, phone):
    page = in_turn(*seated(phone, stack, "가나", CALM | {"finishRule": "reach", "nakPercent": 5}, (360, 560)))
    tap(page, "help-open")
    rules = page.get_by_test_id("yut-help")
    expect(rules).to_contain_text("참먹이에 닿기만 해도 나요.")
    expect(rules).to_contain_text("백 번에 5번꼴")
    expect(rules).not_to_contain_text("빽도")
    assert rules.locator("[data-testid^='help-'] svg").count() == 5  # a picture for each result that there is
    assert sideways(page) <= 0 and small(page) == []
    page.keyboard.press("Escape")
    expect(rules).to_have_count(0)
    expect(page.get_by_test_id("action-throw")).to_be_visible()
    assert page.errors == []
