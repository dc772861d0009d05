#!/bin/sh
# Prints the path of a Chromium that starts, for the tests that drive one: that of CHROMIUM, else one of the system (first the
# one without windows, which needs half the time), else the one that was downloaded into .venv before. `tools/browser.sh install` gets one where there is none: by apt-get as root,
# else by Playwright's own download. Where neither can be done it says so in one sentence and fails.
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/.venv/bin/python
PLAYWRIGHT_BROWSERS_PATH=$root/.venv/browsers
export PLAYWRIGHT_BROWSERS_PATH

# A name on PATH is not enough: Ubuntu's chromium-browser only tells where to get one, a download may lack a library.
starts() { [ -n "$1" ] && command -v "$1" >/dev/null 2>&1 && "$1" --version >/dev/null 2>&1 </dev/null; }

downloaded() {
    [ -d "$PLAYWRIGHT_BROWSERS_PATH" ] && "$python" - 2>/dev/null <<'PYTHON'
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
PYTHON
}

find() {
    mac="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable "$mac"; do
        if starts "$name"; then
            command -v "$name"
            return 0
        fi
    done
    name=$(downloaded) && starts "$name" && echo "$name"
}

if [ -n "${CHROMIUM:-}" ]; then
    if starts "$CHROMIUM"; then
        command -v "$CHROMIUM"
        exit 0
    fi
    echo "CHROMIUM=$CHROMIUM does not start; expected the path of a Chromium or Chrome for the browser tests" >&2
    exit 1
fi
find && exit 0

apt=""
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && apt=yes
if [ "${1:-}" = install ] && [ -n "$apt" ]; then
    echo "No Chromium for the browser tests was found; installing the system's" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null 2>&1
    for name in chromium-headless-shell chromium; do
        apt-get install -y -qq --no-install-recommends "$name" >/dev/null 2>&1
        find && exit 0
    done
fi
if [ "${1:-}" = install ] && [ -x "$python" ]; then
    echo "Downloading a Chromium for the browser tests into .venv/browsers" >&2
    "$python" -m playwright install ${apt:+--with-deps} --no-shell chromium >/dev/null 2>&1
    find && exit 0
fi
echo "The browser tests need a Chromium that starts, and none could be found or installed here: install chromium or Chrome," \
    "name one with CHROMIUM=/path/to/it, or leave these tests out with ARGS=--ignore=tests/browser" >&2
exit 1
