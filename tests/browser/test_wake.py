"""Goal: an unlocked phone whose line died while it slept is back at the table at once, and does not say "connected" until it is.

Method: a page behind a proxy is frozen as a browser freezes it, its connection falls silent without an end, the opponent
plays on; then the page is woken as a phone wakes it. Nothing is timed: that no back-off is drawn shows in the words of the
line (the times are those of services/web/tests/socket.test.ts).
"""

import pytest
from playwright.sync_api import expect

from tests.browser.table import begin, mover, opened, sit, take_turn
from tests.proxy import Proxy

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

WATCH = """() => {
    const line = document.querySelector('[data-testid=link]');
    window.lines = [];
    const said = () => lines.push([line.dataset.link, line.textContent.replace(/[○●]/, "").trim()]);
    new MutationObserver(said).observe(line, { attributes: true });
}"""


def test_a_page_that_wakes_on_a_dead_line_is_back_without_waiting(stack, phone):
    with Proxy(int(stack.urls[0].rpartition(":")[2])) as proxy:
        sleeper = phone(f"http://127.0.0.1:{proxy.port}")
        link = opened(sleeper, "민수", options={"turnSeconds": None})
        other = phone(link.replace(str(proxy.port), stack.urls[0].rpartition(":")[2]))
        sit(other, "지우")
        begin(sleeper, other)
        if mover(sleeper, other) is sleeper:
            take_turn(sleeper, "choice")
        expect(other.get_by_test_id("turn")).to_have_attribute("data-mine", "true")
        sleeper.evaluate(WATCH)
        devtools = sleeper.context.new_cdp_session(sleeper)
        devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
        proxy.hole = True
        take_turn(other, "ones")
        proxy.hole = False  # for new connections; the old one stays silent for good
        devtools.send("Page.setWebLifecycleState", {"state": "active"})
        sleeper.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(sleeper.get_by_test_id("actions")).to_have_attribute("data-ready", "true", timeout=30_000)
        lines = sleeper.evaluate("lines")
        assert lines[:2] == [["checking", "연결을 확인하는 중…"], ["connecting", "연결하는 중…"]], lines
        assert lines[-1] == ["online", "연결됨"]
        assert sleeper.errors == other.errors == []
