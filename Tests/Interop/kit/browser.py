"""A browser in the phone's namespace: pages of a speaker, and everything that goes wrong in them.

pytest itself lives on the phone, so the browser is just started. Debian's headless shell of Chromium is driven by Playwright,
which needs no browser of its own.
"""

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from .waiting import PATIENCE

#: What a phone shows, and what a laptop shows.
PHONE_SIZE = {"width": 390, "height": 844}
DESK_SIZE = {"width": 1280, "height": 800}
PHONE = {"viewport": PHONE_SIZE, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LAPTOP = {"viewport": DESK_SIZE}

#: Sees what the policy of the page forbade, from its first moment on.
WATCH = """addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber));"""

#: Where the page's files are taken from instead of the daemon, to try a change without building: Sources/Page/Assets.
FILES = os.environ.get("INTEROP_PAGE_FILES")

SCREENS = {"now": "Now playing", "queue": "Queue", "library": "Library", "radio": "Radio", "rooms": "Rooms", "system": "System"}


def binary():
    """The browser; None where there is none."""
    return shutil.which("chromium-headless-shell")


@contextmanager
def chromium():
    """A running browser. One at a time in a process."""
    from playwright.sync_api import expect, sync_playwright
    expect.set_options(timeout=5000 * PATIENCE)
    with sync_playwright() as playwright:
        # Root has no sandbox; what it shows comes from nobody but us.
        browser = playwright.chromium.launch(executable_path=binary(), args=["--no-sandbox"])
        yield browser
        browser.close()


class Tab:
    """A page that is open, and what its console, its scripts and its policy complained of. Other names are Playwright's."""

    def __init__(self, browser, base, **options):
        self.base = base
        self._has_touch = options.get("has_touch", False)
        self.context = browser.new_context(**{**LAPTOP, "locale": "en-GB", "reduced_motion": "reduce", **options})
        self.context.set_default_timeout(5000 * PATIENCE)
        self.context.add_init_script(WATCH)
        if FILES:
            self.context.route(re.compile(r"/ui/[0-9a-f]+/[a-z]+\.(js|css|svg)$"), lambda route: route.fulfill(
                path=Path(FILES) / route.request.url.rsplit("/", 1)[-1]))
        self.troubles = []
        #: Everything that it asked for: (method, address).
        self.requests = []
        self._expected = []
        self.context.on("page", lambda page: self._watch(page))
        self.page = self.context.new_page()

    def _watch(self, page):
        """Every page of it, this one and those that a test or a script opens."""
        page.on("console", lambda message: message.type in ("error", "warning") and self._note(
            f"{message.type}: {message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self._note(f"exception: {error}"))
        page.on("request", lambda request: self.requests.append((request.method, request.url)))

    def __getattr__(self, name):
        if name == "page":
            raise AttributeError(name)
        return getattr(self.page, name)

    def _note(self, text):
        self.troubles.append(text)

    def expects(self, *patterns):
        """Complaints that the test itself brings about: regular expressions."""
        self._expected += patterns

    def unexpected(self):
        self.page.evaluate("() => 0")  # what has been sent to us arrives before the answer
        foreign = [f"asked {url}" for _, url in self.requests if not url.startswith((self.base, "data:", "blob:", "about:"))]
        return [text for text in self.troubles if not any(re.search(pattern, text) for pattern in self._expected)] + foreign

    def go(self, place="now"):
        """Opens a screen by its address, and waits until it is filled."""
        self.page.goto(f"{self.base}/#/{place}")
        if self.page.locator("html[data-link=live], html[data-link=polling]").count() == 0:
            self.page.wait_for_selector("html[data-link=live], html[data-link=polling]")
        return self

    def files(self):
        """Where its files come from: /ui/FINGERPRINT."""
        return urlsplit(self.page.locator("script[type=module]").first.get_attribute("src")).path.rsplit("/", 1)[0]

    def link(self, screen):
        """Opens a screen as people do, by its link."""
        self.page.get_by_role("navigation", name="Screens").get_by_role("link", name=SCREENS[screen], exact=True).click()
        return self

    @property
    def main(self):
        return self.page.locator("main")

    def button(self, name, within=None):
        return (within or self.page).get_by_role("button", name=name, exact=True)

    def press(self, locator, way=None):
        """Presses it as the person would: by touch on a phone, by mouse on a laptop, or by `way` = "keys" alone."""
        from playwright.sync_api import expect
        expect(locator).to_be_enabled()
        if way == "keys":
            self.tab_to(locator)
            self.page.keyboard.press("Enter")
        elif self._has_touch:
            locator.tap()
        else:
            locator.click()

    def slider(self, name, within=None):
        return (within or self.page).get_by_role("slider", name=name, exact=True)

    @property
    def queue(self):
        return self.main.get_by_role("list", name="Queue", exact=True)

    @property
    def rows(self):
        return self.queue.get_by_role("listitem")

    def titles(self):
        """What the rows of the queue say, in order."""
        return [text.strip() for text in self.rows.locator(".words b").all_inner_texts()]

    @property
    def message(self):
        """The message that comes and goes."""
        return self.page.locator("#toasts")

    @property
    def banner(self):
        return self.page.locator("#banner")

    def tab_to(self, locator, limit=120):
        """Goes to an element by the Tab key alone, and fails if that doesn't lead there."""
        for _ in range(limit):
            if locator.evaluate("node => node === document.activeElement"):
                return locator
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{limit} times Tab don't lead to {locator}")

    def axe(self, rules=None):
        """What axe finds, in words; by all rules for WCAG 2.2 AA and good practice, or by those."""
        from axe_playwright_python.sync_playwright import Axe
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        options = {"runOnly": {"type": "rule", "values": rules} if rules else {"type": "tag", "values": tags}}
        found = Axe().run(self.page, options=options).response["violations"]
        return [f"{one['id']}: {one['help']}: " + "; ".join(f"{node['html'][:160]} ({node.get('failureSummary', '')[:300]})" for node in one["nodes"][:3])
                for one in found]

    def close(self):
        self.context.close()
