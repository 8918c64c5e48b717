"""Fixtures: a browser on the phone; a speaker whose pages are looked at, and its API; and a mock of one."""

import os
import sys
from pathlib import Path

import pytest
from kit import browser as browsers, media_server, netns, openhome, sound
from kit.api import API, base
from kit.media_fixtures import gmediarender, libraries, library, other_renderers, rygel, shelf  # noqa: F401
from kit.page_api import PageAPI

sys.path.insert(0, str(Path(__file__).parent))

#: Where pictures of the screens go, for people to look at; nothing is compared with them.
PICTURES = os.environ.get("INTEROP_PICTURES")


@pytest.fixture(scope="module")
def browser():
    """Chromium. Of a module: asyncio's loop of other tests and Playwright's can't be open at once."""
    assert browsers.binary() is not None, "chromium-headless-shell isn't installed; make test-packages does that"
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture
def tabs(request, browser):
    """Opens tabs; at the end nothing may have gone wrong in any of them."""
    opened = []

    def open_(base, place="now", **options):
        opened.append(browsers.Tab(browser, base, **options))
        return opened[-1].go(place) if place is not None else opened[-1]

    yield open_
    wrong = []
    for number, tab in enumerate(opened):
        wrong += [f"tab {number + 1}: {text}" for text in tab.unexpected()]
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            name = request.node.name.replace("/", "-")
            tab.page.screenshot(path=f"{PICTURES}/{name}-{number + 1}.png")
        tab.close()
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="session")
def page_link():
    """The cable of the speaker whose pages most of these tests look at."""
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="session")
def page_media(page_link):
    server = media_server.MediaServer(page_link.phone)
    yield server
    server.close()


@pytest.fixture(scope="session")
def songs(page_media):
    """Three tracks of a minute, with names, as `POST /play` takes them."""
    names = [("Zebra", "First Band"), ("Army of Me", "Björk"), ("Mango", "Second Band")]
    data = sound.flac(sound.noise(60, seed=4))
    return [{"uri": page_media.add(f"/song-{number}.flac", data, "audio/flac"), "title": title, "artist": artist,
             "album": "First Album", "seconds": 60} for number, (title, artist) in enumerate(names, 1)]


@pytest.fixture(scope="session")
def page_subject(page_link, page_media, launch_for_all):
    """The speaker that most of these tests share, already found."""
    settings = {
        "device": {"room": "Kitchen"},
        "playlist": {"tracks-max": 10000},
        # Everything comes from one address here.
        "page": {"streams": 32},
        "radio": {"preset": [{"name": "Station One", "url": f"{page_media.base}/station-1"},
                             {"name": "Zwei <2>", "url": f"{page_media.base}/station-2"}]},
    }
    return launch_for_all(page_link, "page", friendly_name="Kitchen speaker", settings=settings)


@pytest.fixture
def api(page_subject):
    """The speaker's API: it is awake, stopped, on an empty queue, at half volume."""
    api = API(base(page_subject.shared_location))
    api.fresh()
    yield api
    assert page_subject.is_running(), f"the daemon died in this test (status {page_subject.process.returncode})"
    api.fresh()


@pytest.fixture
def tab(tabs, api):
    """A laptop's page of the speaker."""
    return tabs(api.base)


@pytest.fixture
def phone(tabs, api):
    """A phone's page of the speaker."""
    return tabs(api.base, **browsers.PHONE)


@pytest.fixture
def openhome_beside(page_subject, page_link):
    """The same speaker as OpenHome control points see it."""
    return openhome.Speaker.of(page_subject, page_link)


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
        options = {"viewport": browsers.PHONE_SIZE, "locale": "en-GB", "reduced_motion": "reduce", **options}
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


@pytest.fixture(scope="session")
def library_speakers(launch_for_all):
    """Speakers of the session that share their machine with a media server, each started once."""
    running = {}

    def speaker(link):
        if link not in running:
            running[link] = launch_for_all(link, "library", settings={"network": {"ipv6": False}})
        return running[link]

    return speaker


@pytest.fixture
def house(library, library_speakers):
    """The API of a speaker that shares its machine with a media server; its queue is empty."""
    api = PageAPI(library_speakers(library.link).shared_location)
    api.ask("DELETE", "/queue")
    return api
