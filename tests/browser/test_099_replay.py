"""Report 99: no replay, no stepping back and forth, no link to a moment.

Goal: any finished game can be seen at event n by its link, forward, backward and to its ends, and what is shown is the
engine's fold of the first n events. Method: a game played and given up; the folds are made here from the stored events and
held against the words on the page.
"""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.fold import fold
from engine.game import SPECTATOR
from engine.kit import kit
from engine.room.view import room_view
from schemas.base import encode
from services.store.keys import key
from tests.browser.table import BOXES, begin, concede, mover, opened, roll, sit, take_turn, tap
from tests.browser.test_049_look_back import plain

pytestmark = pytest.mark.browser


def folds(stack, room: str, n: int) -> list[dict]:
    """Views at 1, 2, 3 …, as the engine folds them."""
    stored = [fields[b"e"] for name, fields in stack.redis.xrange(key("e", f"{room}/{n}")) if name.endswith(b"-0")]
    k = kit("yacht")
    rooms = [fold(k, stored[:count]) for count in range(1, len(stored) + 1)]
    return [json.loads(encode(room_view(k, room, SPECTATOR))) for room in rooms]


def stands(page: Page, version: int, of: int) -> None:
    replay = page.get_by_test_id("replay")
    expect(replay).to_have_attribute("data-at", str(version))
    expect(replay).to_have_attribute("data-upto", str(of))


def numbers(part: Any) -> list[int]:
    """Every number in a part of a view, sorted."""
    if isinstance(part, dict):
        return sorted(number for value in part.values() for number in numbers(value))
    return [part] if isinstance(part, int) and not isinstance(part, bool) else []


def judge(page: Page, view: dict) -> None:
    """Dice, what is held, and every seat's sheet on the page are those of the view."""
    if "table" not in view:
        expect(page.get_by_test_id("sheet")).to_have_count(0)
        return
    table = view["table"]
    dice = page.locator("[data-testid=dice] li")
    expect(dice).to_have_count(len(table.get("dice", [])))
    told = [re.search(r"주사위 (\d)(.*)", text) for text in dice.all_text_contents()]
    assert [int(one[1]) for one in told] == table.get("dice", [])
    if told:
        assert ["고정됨" in one[2] for one in told] == table["held"]
    columns = (
        page.get_by_test_id("sheet")
        .locator("table")
        .first.evaluate(
            """(sheet) => [...sheet.rows].slice(1).map((row) => [...row.querySelectorAll("td")].map(
            (cell) => cell.querySelector(".soft") ? "" : cell.textContent.trim()))"""
        )
    )
    for seat, sheet in table["sheets"].items():
        shown = sorted(int(row[int(seat)]) for row in columns if row[int(seat)].isdigit())
        assert shown == numbers(sheet), (seat, columns, sheet)


def couple(stack, phone) -> tuple[str, Page, Page]:
    """A game that has just begun: the room's link and its two people."""
    one = phone(stack.urls[0])
    link = opened(one, "민수")
    two = phone(link)
    sit(two, "지우")
    begin(one, two)
    return link, one, two


def test_a_finished_game_by_its_link_forward_backward_and_to_its_ends(stack, phone):
    link, one, two = couple(stack, phone)
    for box in BOXES[:2]:
        take_turn(mover(one, two), box, hold=True)
    roll(mover(one, two))
    concede(one, two)
    expect(one.get_by_test_id("result")).to_be_visible()
    room = link.rpartition("/r/")[2]
    views = folds(stack, room, 1)
    last = len(views)

    # From the result, to where there is a table first, and to the end.
    tap(one, "replay-game")
    began = next(index for index, view in enumerate(views) if "table" in view) + 1
    stands(one, began, last)

    # By a link, by somebody who has never been here.
    guest = plain(phone(f"{stack.urls[1]}/r/{room}/1?at=10"))
    stands(guest, 10, last)
    judge(guest, views[9])
    for name, version in (("forward", 11), ("forward", 12), ("back", 11), ("back", 10), ("end", last), ("start", 1)):
        tap(guest, f"replay-{name}")
        stands(guest, version, last)
        judge(guest, views[version - 1])
    for pressed, version in (("End", last), ("ArrowLeft", last - 1), ("Home", 1), ("ArrowRight", 2)):
        guest.keyboard.press(pressed)
        stands(guest, version, last)
    for version in range(began, last + 1, 4):
        guest.get_by_test_id("replay-slider").fill(str(version))
        stands(guest, version, last)
        judge(guest, views[version - 1])

    # It runs by itself, and stops when told.
    guest.get_by_test_id("replay-slider").fill("5")
    guest.get_by_test_id("replay").focus()
    guest.keyboard.press("Space")
    expect(guest.get_by_test_id("replay-play")).to_have_attribute("data-playing", "true")
    expect(guest.get_by_test_id("replay")).to_have_attribute("data-at", re.compile(r"^([7-9]|\d\d+)$"))
    guest.keyboard.press("Space")
    expect(guest.get_by_test_id("replay-play")).to_have_attribute("data-playing", "false")

    # The moment that is shared is the one that opens elsewhere; the address is the same.
    guest.get_by_test_id("replay-slider").fill("12")
    stands(guest, 12, last)
    guest.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tap(guest, "replay-share")
    expect(guest.locator(".copied")).not_to_be_empty()
    shared = guest.evaluate("navigator.clipboard.readText()")
    assert shared == f"{stack.urls[1]}/r/{room}/1?at=12"
    guest.wait_for_url(shared)
    other = plain(phone(shared))
    stands(other, 12, last)
    judge(other, views[11])
    assert other.get_by_test_id("replay-said").inner_text() == guest.get_by_test_id("replay-said").inner_text()
    tap(other, "replay-close")
    expect(other.get_by_test_id("result")).to_be_visible()
    assert one.errors == two.errors == guest.errors == other.errors == []


def test_the_game_before_and_links_that_lead_nowhere(stack, phone):
    link, one, two = couple(stack, phone)
    concede(one, two)
    for page in (one, two):
        tap(page, "rematch")
    for page in (one, two):
        expect(page.get_by_test_id("replay-last")).to_be_visible()
    room = link.rpartition("/r/")[2]
    last = len(folds(stack, room, 1))
    one.reload()
    tap(one, "replay-last")
    expect(one.get_by_test_id("replay")).to_have_attribute("data-upto", str(last))
    tap(one, "replay-end")
    stands(one, last, last)
    one.goto(f"{link}/1?at=99999")  # a moment that never was: the last one
    stands(one, last, last)
    one.goto(f"{link}/7?at=3")
    expect(one.get_by_test_id("replay-problem")).to_have_attribute("data-code", "no_game")
    tap(one, "replay-close")
    expect(one.get_by_test_id("ready")).to_be_visible()
    assert one.errors == two.errors == []
