"""Goal: no serious or critical finding of axe-core on the screens of a game, at phone size, in light and dark.

Method: axe runs through the debugger, which the page's policy does not bind, on home, lobby, table, replay and result.
"""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import begin, concede, mover, opened, roll, sit, tap
from tests.stack import ROOT

pytestmark = pytest.mark.browser
AXE = ROOT / "services/web/node_modules/axe-core/axe.min.js"
RUN = """axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => [one.id, one.help, one.nodes.map((node) => node.html + " " + node.failureSummary)])))"""


def findings(page: Page, *schemes: str) -> list:
    device = page.context.new_cdp_session(page)
    device.send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    found = []
    for scheme in schemes or ("light",):
        page.emulate_media(color_scheme=scheme)
        answer = device.send("Runtime.evaluate", {"expression": RUN, "awaitPromise": True, "returnByValue": True})
        found += json.loads(answer["result"]["value"])
    page.emulate_media(color_scheme="light")
    device.detach()
    return found


@pytest.mark.parametrize("game", ["yacht", "yut"])
def test_every_screen_of_a_game(stack, phone, game):
    whole = game == "yacht"  # what the games share need not be judged twice
    schemes = ("light", "dark") if whole else ("light",)
    one = phone(stack.urls[0])
    if whole:
        tap(one, f"game-{game}")
        tap(one, "new-options")
        assert findings(one, *schemes) == []
    link = opened(one, "민수", game)
    two = phone(link)
    if whole:
        assert findings(two) == []  # the lobby with the form to sit down
    sit(two, "지우")
    expect(one.get_by_test_id("kick-1")).to_be_visible()
    assert findings(one) == []  # the host's lobby, with other rules in each game
    begin(one, two)
    acting = mover(one, two)
    if whole:
        roll(acting)
    else:
        tap(acting, "action-throw")
        expect(acting.get_by_test_id("sticks")).to_have_attribute("data-flying", "false")
        for piece in acting.locator("button[data-testid^='piece-']").all()[:1]:  # unless that was a backdo
            piece.click()
    assert findings(acting, "light", "dark") == []  # each game is drawn by hands of its own
    acting.keyboard.press("Escape")
    tap(acting, "help-open")
    assert findings(acting) == []
    tap(acting, "help-close")
    if whole:
        acting.locator("[data-testid^='action-score-']").first.click()
        assert findings(acting) == []
        tap(acting, "confirm-no")
        tap(acting, "table-style")  # the generic table is still there
        expect(acting.get_by_test_id("yacht-table")).to_have_count(0)
        assert findings(acting) == []
    looking = two if acting is one else one
    tap(looking, "look-back")
    expect(looking.get_by_test_id("replay-slider")).to_be_visible()
    assert findings(looking, *schemes) == []
    tap(looking, "replay-live")
    concede(one, two, enough=2 if whole else 1)  # one is enough in Yut for two
    expect(one.get_by_test_id("result")).to_be_visible()
    assert findings(one, *schemes) == []
    assert one.errors == two.errors == []
