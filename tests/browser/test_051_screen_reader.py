"""Report 51: dice had no names for a screen reader, or a region that changed every second talked without end.

Goal: each die is a toggle with its value and whether it is held; each event is told once, politely; a clock that runs down
is told at most twice. Method: the browser's accessibility tree, and every change of every live region, beside the events
that came over the socket; a turn that nobody plays runs to its end meanwhile.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import alone, becomes, begin, faces, opened, ready, roll, score, sit, tap

pytestmark = pytest.mark.browser
# Events without a sentence of their own: what they mean is told by the one that follows, or is no news.
SILENT = {"connected", "nonce_opened", "promised", "revealed", "started", "touched"}
TURN_S = 15


def toggles(page: Page) -> list[tuple[str, str]]:
    """Name and pressed state of the toggle buttons in the accessibility tree, in order."""
    device = page.context.new_cdp_session(page)
    found = []
    for node in device.send("Accessibility.getFullAXTree")["nodes"]:
        pressed = [one["value"]["value"] for one in node.get("properties", []) if one["name"] == "pressed"]
        if pressed and not node["ignored"]:
            found.append((node["name"]["value"], str(pressed[0]).lower()))
    device.detach()
    return found


def events(page: Page) -> list[dict]:
    return [one for message in page.heard if message["type"] == "update" for one in message["events"]]


def told(page: Page) -> list[str]:
    """What was told since the last time; all of it politely."""
    lines = page.evaluate("__stage.told.splice(0)")
    assert all(line["polite"] for line in lines), lines
    return [line["text"] for line in lines]


def test_dice_are_toggles_events_are_told_once_and_a_clock_twice(stack, phone):
    idle = phone(stack.urls[0])
    link = opened(idle, "기다림", "yut", {"turnSeconds": TURN_S})
    other = phone(link)
    sit(other, "맞은편")
    begin(idle, other)
    waiting = next(page for page in (idle, other) if page.get_by_test_id("turn").get_attribute("data-mine") == "true")
    told(waiting)

    page = phone(stack.urls[1])
    alone(page, "혼자")
    step(page, lambda: roll(page), "rolled")
    dice = [(face, "false") for face in values(page)]
    assert [(name.split(",")[0][-1], pressed) for name, pressed in toggles(page)][:5] == dice
    for index in (1, 3):
        step(page, lambda index=index: tap(page, f"action-set_hold-{index}"), "hold_changed")
    states = toggles(page)[:5]
    assert [pressed for _, pressed in states] == ["false", "true", "false", "true", "false"]
    assert [("고정됨" in name) for name, _ in states] == [False, True, False, True, False]
    assert [name[0] for name, _ in states] == list("12345")
    expect(page.get_by_role("button", name=re.compile("^초이스.*점$"))).to_have_count(1)  # a box says what it gives
    expect(page.get_by_role("button", name="초이스 규칙")).to_have_count(1)
    step(page, lambda: roll(page), "rolled")
    step(page, lambda: score(page, "choice"), "scored")
    assert page.errors == []

    expect(waiting.get_by_test_id("log")).to_contain_text("자동")
    assert [one for one in events(waiting) if one["type"] == "timed_out"], "the time did not run out"
    lines = told(waiting)
    clock = [line for line in lines if not any(word in line for word in ("기다림", "맞은편"))]
    assert 1 <= len(clock) <= 2, lines
    # Far fewer than the seconds that went by: the warnings, and what happened when they were over.
    assert len(lines) <= 2 + len([one for one in events(waiting) if one["type"] not in SILENT])
    assert len(lines) < TURN_S / 2
    assert waiting.errors == []


def values(page: Page) -> list[str]:
    return [one[-1] for one in faces(page)]


def step(page: Page, act, kind: str) -> None:
    """Do something, and hear each of its events once, in order, and nothing else."""
    ready(page)
    told(page)
    before = len(events(page))
    act()
    becomes(page, "count => __stage.told.length >= count", 1)
    ready(page)
    page.wait_for_timeout(300)  # anything said twice would come now
    new = [one for one in events(page)[before:] if one["type"] not in SILENT]
    assert kind in [one["type"] for one in new]
    lines = told(page)
    assert len(lines) == len(new) and len(set(lines)) == len(lines), (lines, new)
