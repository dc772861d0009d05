"""Goal: what the drawn Yacht table does beyond the generic one: holds that show at once and give way to the server, the
question before writing, boxes that a further yacht may not go to, paper for a yacht, one person and eight at the table, the
way to the other table and back.

Method: real games where chance allows it. What would need a certain throw, or a slow or unwilling server, comes from a man
in the middle of the socket, who changes single messages of the real server or of the page.
"""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import tab
from tests.browser.table import alone, begin, opened, ready, roll, score, sideways, sit, tap
from tests.browser.test_052_small_screens import on_screen
from tests.browser.test_family import sit_further

pytestmark = pytest.mark.browser


class Between:
    """Between page and server: `up` and `down` see each message, and may change it, or keep it by returning None."""

    def __init__(self, page) -> None:
        self.up = self.down = lambda message: message
        self.server = None
        page.route_web_socket("**/ws", self._open)

    def _open(self, route) -> None:
        self.server = route.connect_to_server()
        route.on_message(lambda text: self._pass(self.up, text, self.server.send))
        self.server.on_message(lambda text: self._pass(self.down, text, route.send))

    @staticmethod
    def _pass(change, text, send) -> None:
        message = change(json.loads(text))
        if message is not None:
            send(json.dumps(message))


def seen_again(page) -> None:
    page.reload()
    ready(page)


def test_a_hold_shows_before_the_server_answers_and_gives_way_to_it(stack, phone):
    page = phone(stack.urls[0])
    link = alone(page, "혼자")
    roll(page)
    between = Between(page)
    page.goto(link)
    ready(page)
    kept, answers = [], []
    between.down = lambda one: answers.append(one) or one
    between.up = lambda one: kept.append(one) if one["type"] == "act" else one
    first, second = (page.get_by_test_id(f"action-set_hold-{i}") for i in (1, 2))
    for die in (first, second):
        die.click()
        expect(die).to_have_attribute("aria-pressed", "true")
    assert [one["action"]["held"].count(True) for one in kept] == [1], "the second waits for what the first does"
    assert "hold_changed" not in json.dumps(answers)

    # The second asks on its way for what is so already, which the server takes without a change: its word counts.
    def same(one):
        if one["type"] != "act":
            return one
        kept.append({**one, "action": kept[0]["action"]})
        return kept[-1]

    between.up = same
    between.server.send(json.dumps(kept[0]))
    expect(second).to_have_attribute("aria-pressed", "false")
    expect(first).to_have_attribute("aria-pressed", "true")
    assert [one["type"] for one in answers if one["type"] in ("ack", "reject")] == ["ack", "ack"]
    assert kept[0]["after"] < kept[1]["after"]
    assert page.errors == []


def test_writing_is_asked_about_as_the_device_is_set(stack, phone):
    page = phone(stack.urls[0])
    alone(page, "혼자")
    roll(page)
    tap(page, "action-score-choice")
    expect(page.get_by_test_id("confirm")).to_contain_text("초이스에")
    expect(page.get_by_test_id("confirm")).to_contain_text("점 기록할까요?")
    tap(page, "confirm-no")
    expect(page.get_by_test_id("action-score-choice")).to_be_visible()
    page.get_by_test_id("asking").select_option("zero")
    seen_again(page)  # it is the device that remembers
    expect(page.get_by_test_id("asking")).to_have_value("zero")
    tap(page, "action-score-choice")  # never zero
    expect(page.get_by_test_id("box-choice")).to_have_attribute("data-kind", "filled")
    expect(page.get_by_test_id("confirm")).to_have_count(0)
    roll(page)
    nothing = page.locator("button[data-testid^='action-score-']", has_text="–").first
    box = nothing.get_attribute("data-box")
    nothing.click()
    expect(page.get_by_test_id("confirm")).to_contain_text("0점")
    tap(page, "confirm-no")
    page.get_by_test_id("asking").select_option("off")
    tap(page, f"action-score-{box}")
    expect(page.get_by_test_id(f"box-{box}")).to_have_attribute("data-kind", "filled")
    expect(page.get_by_test_id("confirm")).to_have_count(0)
    assert page.errors == []


def test_a_box_that_a_further_yacht_may_not_go_to_says_why(stack, phone):
    page = phone(stack.urls[0])
    link = alone(page, "혼자", options={"scoring": "yahtzee"})
    roll(page)
    between = Between(page)

    def fives(message):
        """The same table, with fifty in the yacht box and five fives on it."""
        if message["type"] == "snapshot":
            table = message["view"]["table"]
            table["dice"], table["preview"] = [5] * 5, {"fives": 25}
            table["sheets"]["0"].update(scores={"yacht": 50}, lower=50, total=50)
        return message

    between.down = fives
    page.goto(link)
    ready(page)
    expect(page.locator("[data-testid^='action-score-']")).to_have_count(1)
    locked = page.get_by_test_id("locked-largeStraight")
    expect(locked).to_contain_text("잠김")
    assert "gradient" in locked.evaluate("one => getComputedStyle(one).backgroundImage")
    locked.click()
    expect(page.get_by_test_id("said")).to_have_text("이 요트는 파이브 칸에 먼저 넣어야 해요.")
    tap(page, "action-score-fives")
    expect(page.get_by_test_id("confirm")).to_contain_text("파이브에 25점 기록할까요? 요트 보너스 100점도 받아요.")
    tap(page, "confirm-no")
    tap(page, "help-fullHouse")
    expect(page.get_by_test_id("rule-fullHouse")).to_contain_text("25점")
    tap(page, "help-all")
    expect(page.get_by_test_id("yacht-help")).to_contain_text("그 눈의 상단 칸에 먼저")
    tap(page, "help-close")
    assert page.errors == []


def test_alone_there_is_one_sheet_and_the_button_says_what_it_can_do(stack, phone):
    page = phone(stack.urls[0], 390, 664)
    alone(page, "혼자", options={"scoring": "traditional"})
    button = page.get_by_test_id("action-roll")
    expect(button).to_have_text("굴리기")
    expect(page.get_by_test_id("everyone")).to_have_count(0)
    expect(page.get_by_test_id("bonus")).to_contain_text("상단 합계 0")  # these rules have no bonus
    roll(page)
    expect(button).to_have_text("다시 굴리기 (남은 2번)")
    for index in range(5):
        tap(page, f"action-set_hold-{index}")
    expect(button).to_have_text("모두 고정됐어요. 하나 이상 풀어 주세요.")
    expect(button).to_have_attribute("aria-disabled", "true")
    tap(page, "action-set_hold-4")
    roll(page)
    roll(page)
    expect(button).to_have_text("다 굴렸어요. 칸을 골라 주세요.")
    page.get_by_test_id("action-set_hold-0").dispatch_event("click")
    expect(page.get_by_test_id("said")).to_have_text("세 번 굴린 뒤에는 고정을 바꿀 수 없어요.")
    score(page, "ones")
    expect(button).to_have_text("굴리기")
    expect(page.get_by_test_id("box-ones")).to_contain_text("점")
    assert page.errors == []


def test_eight_at_the_table_keep_their_own_column_large_and_the_others_in_reach(stack, phone):
    page = phone(stack.urls[0], 390, 664)
    opened(page, "하나")
    for name in ["둘", "셋", "넷", "다섯", "여섯", "이름이 아주 길어서 열여섯", "여덟"]:
        tap(page, "add-person")
        sit_further(page, name)
    begin(page)
    roll(page)
    own, everyone = page.get_by_test_id("own"), page.get_by_test_id("everyone")
    mine = own.get_attribute("data-seat")
    for width, height in ((390, 664), (360, 560), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        on_screen(page, "action-set_hold-0", "action-set_hold-4")
        assert sideways(page) <= 0
    page.set_viewport_size({"width": 390, "height": 664})
    heads = everyone.locator("table").first.locator("thead th")
    expect(heads).to_have_count(1 + 8)
    assert own.bounding_box()["width"] > 4 * heads.nth(1).bounding_box()["width"]
    scroll = everyone.locator("[tabindex='0']").first
    at = heads.nth(1).bounding_box()["x"]
    scroll.evaluate("one => { one.scrollLeft = one.scrollWidth }")
    last, pinned = heads.nth(8).bounding_box(), heads.nth(1).bounding_box()
    assert last["x"] + last["width"] <= 390 and last["x"] >= pinned["x"] + pinned["width"] - 1
    assert abs(pinned["x"] - at) < 1, "the own column is not pinned"
    score(page, "choice")  # the phone goes to the next person, whose sheet is then the large one
    expect(page.get_by_test_id("hand-over")).to_be_visible()
    expect(own).not_to_have_attribute("data-seat", mine)
    assert page.errors == []


def test_who_waits_sees_dice_and_holds_live_and_cannot_touch_them(stack, phone):
    one = phone(stack.urls[0])
    link = opened(one, "민수", settings={"keep_order": True})
    two = phone(link)
    sit(two, "지우")
    watcher = phone(link)
    begin(one, two, watcher)
    expect(two.get_by_test_id("action-roll")).to_have_text("민수 차례를 기다리고 있어요.")
    roll(one)
    ready(one)
    tap(one, "action-set_hold-2")
    for page in (two, watcher):
        expect(page.get_by_test_id("dice").locator("li.held")).to_have_count(1)
        expect(page.get_by_test_id("dice").locator("li").nth(2)).to_contain_text("고정됨")
        assert page.locator("[data-testid^='action-score-'], [data-testid^='action-set_hold-']").count() == 0
        page.keyboard.press("r")
        page.keyboard.press("1")
        assert [message for message in page.sent if message["type"] == "act"] == []
    expect(watcher.get_by_test_id("action-roll")).to_have_count(0)
    expect(watcher.get_by_role("heading", name="민수의 점수표")).to_be_visible()
    assert one.errors == two.errors == watcher.errors == []


def test_the_simple_table_is_one_tap_away_and_so_is_the_way_back(stack, phone):
    page = phone(stack.urls[0])
    alone(page, "혼자")
    tap(page, "table-style")
    expect(page.get_by_test_id("yacht-table")).to_have_count(0)
    seen_again(page)
    expect(page.get_by_test_id("yacht-table")).to_have_count(0)
    roll(page)
    score(page, "choice")
    expect(page.get_by_test_id("action-score-choice")).to_have_count(0)
    tap(page, "table-style")
    expect(page.get_by_test_id("box-choice")).to_have_attribute("data-kind", "filled")
    assert page.errors == []


@pytest.mark.parametrize("moving", [True, False], ids=["moving", "calm"])
def test_a_yacht_is_celebrated_shortly_and_stops_nobody(stack, phone, moving):
    page = phone(stack.urls[0], moving=moving)
    link = alone(page, "혼자")
    between = Between(page)

    def luck(message):
        """Whatever is written was a yacht."""
        for event in message.get("events", []) if message["type"] == "update" else []:
            if event["type"] == "scored":
                event.update(category="yacht", points=50)
        return message

    between.down = luck
    page.goto(link)
    roll(page)
    score(page, "choice")
    if not moving:
        expect(page.get_by_test_id("box-choice")).to_have_attribute("data-kind", "filled")
        expect(page.get_by_test_id("party")).to_have_count(0)
        return
    expect(page.get_by_test_id("party")).to_be_visible()
    roll(page)  # through the paper
    expect(page.get_by_test_id("party")).to_have_count(0)
    assert page.errors == []


def test_a_tap_on_a_table_that_has_changed_meanwhile_is_refused_and_not_a_second_roll(stack, phone):
    page = phone(stack.urls[0])
    link = alone(page, "혼자", options={"turnSeconds": None})
    roll(page)
    late = tab(page.context, link)
    between = Between(late)
    late.goto(link)
    ready(late)
    held_back = []
    between.down = lambda one: held_back.append(one) if one["type"] == "update" else one
    ready(page)
    roll(page)  # the second of three, which the other tab does not see
    tap(late, "action-roll")
    expect(late.get_by_test_id("notice")).to_have_attribute("data-code", "stale_view")
    expect(late.get_by_test_id("notice")).to_contain_text("그사이 판이 바뀌었어요")
    expect(page.get_by_test_id("action-roll")).to_contain_text("남은 1번")
    assert page.errors == late.errors == []
