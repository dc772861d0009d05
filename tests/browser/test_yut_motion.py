"""What moves on the drawn table of Yut Nori, and what is told of it.

Goal: a throw shows four sticks for 0.8 s and its result only then; each event moves once, before our eyes, and never again
(report 54); things have names and each event is told once (report 51). Method: animations and live regions recorded; for
what chance brings too seldom, a server of our own that says what a real one said, with other sticks.
"""

import json

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import tab
from tests.browser.table import becomes, ready, tap, told_of_the_game
from tests.browser.test_051_screen_reader import SILENT, events, toggles, told
from tests.browser.test_yut_table import CALM, CHIPS, PIECES, in_turn, seated, settled, thrown
from tests.stack import wait_until

pytestmark = pytest.mark.browser
SETTLED_MS = 1700  # longer than anything moves
THROW_MS = 800

# That sticks flew and lay, for how long the page asked its timer, and whether a result could be read meanwhile. A busy
# machine paints late, so what lies between two paintings says little.
WATCH = """() => {
    const seen = (window.__seen = { up: 0, down: 0, early: 0, timers: [] });
    const real = window.setTimeout;
    window.setTimeout = (run, ms, ...rest) => { seen.timers.push(ms); return real(run, ms, ...rest); };
    const look = () => {
        const sticks = document.querySelector("[data-testid=sticks]");
        const flying = sticks?.dataset.flying === "true";
        if (flying && !seen.up) seen.up = performance.now();
        if (flying && sticks.querySelector("[data-face], .word")) seen.early += 1;
        if (flying && document.querySelector("[data-testid^=chip-], [data-testid=action-throw]")) seen.early += 1;
        if (!flying && seen.up && !seen.down) seen.down = performance.now();
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}"""


def moved(page: Page) -> list[str]:
    """Animations that have started since the last time."""
    return page.evaluate("__stage.moved.splice(0)")


def running(page: Page) -> int:
    return page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length")


def test_a_throw_takes_its_time_and_everything_moves_once(stack, phone):
    pages = seated(phone, stack, "가나", CALM, moving=True)
    page = in_turn(*pages)
    other = pages[1 - pages.index(page)]
    for one in pages:
        moved(one)
        one.evaluate(WATCH)
    tap(page, "action-throw")
    for one in pages:
        expect(one.get_by_test_id("sticks").locator("[data-face]")).to_have_count(4)
        seen = one.evaluate("__seen")
        assert seen["up"] < seen["down"] and seen["early"] == 0 and THROW_MS in seen["timers"], seen
        assert [line.split()[0] for line in moved(one)] == ["g.air"] * 4
        assert one.get_by_test_id("sticks").locator("[data-marked='true']").count() == 1
    page = thrown(page)
    for one in pages:
        settled(one)
        moved(one)
    move(page)
    for one in pages:
        expect(one.locator("[data-testid^='stack-']")).to_have_count(1)
        becomes(one, "document.querySelector('[data-testid=board]').dataset.playing === ''")
        assert len([line for line in moved(one) if line.startswith("g.")]) == 1
    still(pages)

    # Away: the other's move is there when we come back, and does not move then.
    page = thrown(*pages)
    other = pages[1 - pages.index(page)]
    settled(other)
    moved(other)
    other.evaluate("__stage.hide()")
    before = other.get_by_test_id("board-words").text_content()
    move(page)
    expect(other.get_by_test_id("board-words")).not_to_have_text(before)
    other.evaluate("__stage.show()")
    other.wait_for_timeout(300)
    assert [line for line in moved(other) if line.startswith("g.")] == []
    assert page.errors == other.errors == []


def move(page: Page) -> None:
    page.locator(PIECES).last.click()
    if not page.get_by_test_id("path").count():
        page.locator(CHIPS).first.click()
    tap(page, "confirm-move")


def still(pages: list[Page]) -> None:
    """A reload shows what lies there, and nothing moves or speaks again."""
    for one in pages:
        lying = one.get_by_test_id("board-words").text_content()
        one.reload()
        expect(one.get_by_test_id("board-words")).to_have_text(lying)
        one.wait_for_timeout(SETTLED_MS)
        assert moved(one) == [] and told_of_the_game(one) == [] and running(one) == 0


def test_things_have_names_and_events_are_told_once(stack, phone):
    pages = seated(phone, stack, "가나", CALM)
    page = in_turn(*pages)
    becomes(page, "__stage.told.some((line) => line.text.includes('차례예요'))")  # of the beginning all is told
    told(page)
    before = len(events(page))
    page = thrown(page)
    ready(page)
    page.wait_for_timeout(300)
    new = [one for one in events(page)[before:] if one["type"] not in SILENT]
    lines = told(page)
    assert len(lines) == len(new), (lines, new)
    names = [name for name, _ in toggles(page)]
    assert any(name.startswith(("도 1칸", "개 2칸", "걸 3칸", "윷 4칸", "모 5칸")) for name in names), names
    assert any("대기 말" in name for name in names), names
    tap(page, "piece-home")
    if not page.get_by_test_id("path").count():
        page.locator(CHIPS).first.click()
    goal = page.get_by_test_id("path").get_attribute("data-to")
    assert f"대기 말 하나: {goal}번 칸으로 이동" in page.get_by_test_id("goal").get_attribute("aria-label")
    assert f"{goal}번 칸으로 이동" in page.get_by_test_id("confirm-move").text_content()
    expect(page.get_by_test_id("board-words").locator("li")).to_have_count(0)
    tap(page, "confirm-move")
    expect(page.get_by_test_id("board-words")).to_contain_text(f"{goal}번 칸의 말 1개")
    assert page.errors == []


class Double:
    """A server of our own for one more page of the same person: it tells what the real one told last, with another table."""

    def __init__(self, page: Page, table: dict) -> None:
        page.reload()
        expect(page.get_by_test_id("board")).to_be_visible()
        self.welcome = next(one for one in page.heard[::-1] if one["type"] == "welcome")
        self.snapshot = next(one for one in page.heard[::-1] if one["type"] == "snapshot")
        self.seat = self.snapshot["view"]["acting"][0]
        self.snapshot["view"]["table"] |= table
        self.version = self.snapshot["version"]
        self.legal: list[dict] = []
        self.sent: list[dict] = []
        page.context.route_web_socket("**/ws", self.serve)
        self.page = tab(page.context, page.url)
        expect(self.page.get_by_test_id("board")).to_be_visible()

    def serve(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        socket.on_message(lambda text: self.answer(json.loads(text)))

    def answer(self, message: dict) -> None:
        if message["type"] == "hello":
            self.tell(self.welcome)
            self.tell(self.snapshot)
        elif message["type"] == "legal":
            self.tell({"type": "legal_actions", "seat": self.seat, "version": self.version, "actions": self.legal})
        else:
            self.sent.append(message)

    def tell(self, message: dict) -> None:
        self.socket.send(json.dumps(message))

    def happen(self, *events: dict, table: dict) -> None:
        known, self.version = self.version, self.version + len(events)
        place = {"game": self.snapshot["game"], "from": known, "version": self.version, "entry": f"{self.version}-0"}
        self.tell({"type": "update", **place, "head": "00", "events": events, "patch": {"table": table}})


def playing(phone, stack, table: dict, options: dict = CALM) -> Double:
    pages = seated(phone, stack, "가나", options, moving=True)
    return Double(in_turn(*pages), table)


def test_a_backdo_that_nothing_can_use_is_told_with_its_rule(stack, phone):
    double = playing(phone, stack, {})
    page, seat = double.page, double.seat
    sticks = [True, False, False, False]
    double.happen(
        {"type": "thrown", "seat": seat, "sticks": sticks, "result": "backdo", "turn": 2, "since_ms": 0},
        {"type": "discarded", "throws": ["backdo"]},
        {"type": "turn_changed", "seat": seat, "side": seat, "turn": 2, "since_ms": 0},
        table={"last": {"result": "backdo", "sticks": sticks}},
    )
    expect(page.get_by_test_id("note")).to_have_count(0)  # not before the sticks lie
    expect(page.get_by_test_id("sticks")).to_have_attribute("data-flying", "true")
    expect(page.get_by_test_id("note")).to_contain_text("규칙: 빽도는 판 위의 말만")
    faces = page.get_by_test_id("sticks").locator("[data-face]")
    assert [one.get_attribute("data-face") for one in faces.all()] == ["flat", "round", "round", "round"]
    expect(page.get_by_test_id("sticks")).to_contain_text("빽도")
    expect(page.get_by_test_id("log")).to_contain_text("빽도: 옮길 말이 없어 버렸어요.")
    assert page.errors == []


def test_of_a_burst_the_last_moves_and_a_capture_flies_home(stack, phone):
    double = playing(phone, stack, {})
    page, me = double.page, double.seat
    spot = {"side": 1 - me, "count": 2}
    double.happen({"type": "back", "seat": me}, table={"board": {"3": {"side": me, "count": 1}, "5": spot}})
    expect(page.locator("[data-testid^='stack-']")).to_have_count(2)
    moved(page)
    sticks, clock = [True, True, False, False], {"turn": 2, "since_ms": 0}
    double.happen(
        {"type": "thrown", "seat": me, "sticks": sticks, "result": "gae", **clock},
        table={"phase": "move", "owed": 0, "pending": ["gae"], "last": {"result": "gae", "sticks": sticks}},
    )
    path = {"from": 3, "to": 5, "path": [4, 5], "result": "gae", "throw_index": 0}
    double.happen(
        {"type": "moved", "side": me, "count": 1, **path, **clock},
        {"type": "captured", "side": me, "victim_side": 1 - me, "node": 5, "count": 2, "bonus": True},
        table={
            "phase": "throw",
            "owed": 1,
            "why": "capture",
            "pending": [],
            "board": {"3": None, "5": {"side": me, "count": 1}},
        },
    )
    expect(page.get_by_test_id("flying")).to_have_count(1)
    expect(page.get_by_test_id("stack-5")).to_have_count(0)  # it has not come yet
    expect(page.get_by_test_id("stack-5")).to_have_attribute("data-side", str(me))
    expect(page.get_by_test_id("flying")).to_have_count(0)
    assert [line.split()[0] for line in moved(page) if line.startswith("g.air")] in ([], ["g.air"] * 4)
    expect(page.get_by_test_id("owed")).to_contain_text("잡아서")
    assert running(page) == 0 and page.errors == []


def test_a_choice_shows_what_it_would_do(stack, phone):
    double = playing(phone, stack, {})
    page, me = double.page, double.seat
    starts = (2, 19, 26, "home")
    double.legal = [{"type": "move", "throw_index": index, "from": start} for index in (0, 1) for start in starts]
    own = {node: {"side": me, "count": count} for node, count in (("2", 2), ("19", 1), ("26", 1))}
    spots = own | {"28": {"side": 1 - me, "count": 1}}
    pending = {"phase": "move", "owed": 0, "pending": ["geol", "gae"], "board": spots}
    double.happen({"type": "back", "seat": me}, table=pending)
    for start, chip, badge in ((26, "geol", "capture"), ("home", "gae", "join"), (19, "gae", "finish"), (2, "gae", "")):
        tap(page, f"piece-{start}")
        tap(page, f"chip-{chip}")
        expect(page.locator("[data-testid^='badge-']")).to_have_count(1 if badge else 0)
        if badge:
            expect(page.get_by_test_id(f"badge-{badge}").locator("svg")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("path")).to_have_count(0)
    assert [one for one in double.sent if one["type"] == "act"] == []
    tap(page, "chip-geol")
    tap(page, "piece-26")
    tap(page, "piece-26")
    wait_until(lambda: any(one["type"] == "act" for one in double.sent))
    assert [one["action"] for one in double.sent if one["type"] == "act"] == [
        {"type": "move", "throw_index": 0, "from": 26}
    ]
    assert page.errors == []
