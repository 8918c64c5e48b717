"""What the tests of the page share: a browser, the mock of the speaker, and pages whose complaints fail the test."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium. Its loop ends with the module, since tests of others have loops of their own."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium-headless-shell")
    if not program:
        pytest.skip("chromium-headless-shell isn't installed")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def mock():
    """A speaker that plays nothing; `mock.fill()` gives it a queue."""
    from mock import Mock
    speaker = Mock()
    yield speaker
    if not speaker.stopping:
        speaker.stop()


class Window:
    """A browser window on the speaker's page; collects what the browser complains about."""

    def __init__(self, browser, url, **options):
        options = {"viewport": PHONE, "locale": "en-GB", "reduced_motion": "reduce", **options}
        self.url = url
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(5000)
        self.complaints, self.requests = [], []
        self.expected = ("net::ERR", "Failed to load resource")  # a browser's words for connections and answers that tests break

    def open(self, place=""):
        page = self.context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.add_init_script("document.addEventListener('securitypolicyviolation', (event) => console.error(`CSP ${event.violatedDirective} ${event.blockedURI}`))")
        page.goto(f"{self.url}/{place}")
        return page

    def close(self):
        self.context.close()
        bad = [line for line in self.complaints if not any(words in line for words in self.expected)]
        assert not bad, bad


@pytest.fixture
def window(browser, mock):
    """Makes windows on the mock: `window("#/queue", viewport=DESK)` gives a page."""
    windows = []

    def make(place="", **options):
        windows.append(Window(browser, mock.url, **options))
        return windows[-1].open(place)

    make.windows = windows
    yield make
    for one in windows:
        one.close()
