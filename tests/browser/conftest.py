"""A headless Chromium of the system, driven by Playwright; its own download is never used."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    # For one module only: Playwright keeps an event loop running, in which other tests could not start theirs.
    if CHROMIUM is None:
        pytest.fail("the browser tests need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def phone(browser):
    """A function that opens a page of a new person on a phone."""
    contexts = []

    def opened(url, width=390, height=844, locale="ko-KR"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale=locale, has_touch=True, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
