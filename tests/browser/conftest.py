"""A headless Chromium, the one that tools/browser.sh finds, driven by Playwright; and the product as real processes.

It draws with one font that has Korean letters, from a package of the lock: what a page looks like does not depend on the fonts
of the machine, which may have none.

Both live as long as the tests of this folder run: Playwright keeps an event loop running, in which tests elsewhere could
not start theirs, so they must be gone by then.
"""

import json
import os
import subprocess
from pathlib import Path

import pylopdf_fonts_ko
import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.stage import STAGE
from tests.stack import ROOT, Stack

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


WAIT_MS = 60_000  # for what a page is about to show: it ends with it, so only a busy machine needs so long
expect.set_options(timeout=WAIT_MS)

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@pytest.fixture(scope="package")
def browser(tmp_path_factory):
    tool = subprocess.run([ROOT / "tools/browser.sh"], capture_output=True, text=True)
    if tool.returncode:
        pytest.fail(tool.stderr, pytrace=False)
    folder = tmp_path_factory.mktemp("fonts")
    conf = folder / "fonts.conf"
    conf.write_text(FONTS.format(fonts=Path(pylopdf_fonts_ko.__file__).parent, cache=folder / "cache"))
    env = {**os.environ, "FONTCONFIG_FILE": str(conf)}
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=tool.stdout.strip(), args=FLAGS, env=env)
        yield found
        found.close()


@pytest.fixture(scope="package")
def stack(tmp_path_factory):
    """Two gateways and two workers, for every test of this folder; each makes rooms of its own."""
    with Stack(tmp_path_factory.mktemp("browser"), gateways=2, workers=2) as running:
        yield running


@pytest.fixture
def phone(browser):
    """A function that opens a page of a new person on a phone.

    The page has `errors` (uncaught ones), `asked` (addresses of all requests), `sent` and `heard` (messages of its sockets).
    `shift_ms`: how wrong the device's clock is. `moving`: with animations.
    """
    contexts = []

    def opened(url, width=390, height=844, locale="ko-KR", *, moving=False, shift_ms=0):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale=locale,
            has_touch=True,
            reduced_motion="no-preference" if moving else "reduce",
        )
        contexts.append(context)
        context.add_init_script(STAGE.replace("SHIFT_MS", str(shift_ms)))
        return tab(context, url)

    yield opened
    for context in contexts:
        context.close()


def tab(context, url):
    """One more page of the same person."""
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.errors, page.asked, page.sent, page.heard = [], [], [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))

    def record(socket):
        socket.on("framesent", lambda text: page.sent.append(json.loads(text)))
        socket.on("framereceived", lambda text: page.heard.append(json.loads(text)))

    page.on("websocket", record)
    page.goto(url)
    return page
