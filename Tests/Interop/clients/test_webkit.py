"""The page in WebKitGTK, the engine that is nearest to what iPhones have: driven by Selenium, on a screen of Xvfb."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.api import API, base
from kit.waiting import until

sys.path += map(str, (Path(__file__).parent / "selenium/.venv/lib").glob("python3*/site-packages"))
# What Tests/Interop/clients/install installs.
from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

SCREENS = ("Now playing", "Queue", "Library", "Radio", "Rooms", "System")
#: What goes wrong, from the first moment on that a script can look.
WATCH = """window.wrong = [];
addEventListener('error', (event) => window.wrong.push(String(event.message)));
addEventListener('unhandledrejection', (event) => window.wrong.push(String(event.reason)));
addEventListener('securitypolicyviolation', (event) => window.wrong.push(event.violatedDirective + ' ' + event.blockedURI));"""


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    for program, package in (("WebKitWebDriver", "webkit2gtk-driver"), ("Xvfb", "xvfb")):
        assert shutil.which(program), f"{package} isn't installed; make client-packages does that"
    reading, writing = os.pipe()
    process = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
                               pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    # Up to the end: it writes the number and the end of the line one after the other, and SIGPIPE would end it in between.
    with os.fdopen(reading) as told:
        number = told.read().strip()
    assert number, f"Xvfb has ended with status {process.wait(10)}"
    yield f":{number}"
    process.terminate()
    process.wait(10)


@pytest.fixture
def webkit(screen, tmp_path, monkeypatch):
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.setenv("HOME", str(tmp_path))
    # Root has no sandbox; what it shows comes from nobody but us.
    monkeypatch.setenv("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1")
    monkeypatch.setenv("WEBKIT_DISABLE_COMPOSITING_MODE", "1")
    options = webdriver.WebKitGTKOptions()
    options.binary_location = next(map(str, Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    service = webdriver.WebKitGTKService(executable_path=shutil.which("WebKitWebDriver"), log_output=str(tmp_path / "log"))
    driver = webdriver.WebKitGTK(options=options, service=service)
    driver.set_window_size(1200, 900)
    yield driver
    driver.quit()


@pytest.fixture
def api(oh_renderer, speaker):
    api = API(base(oh_renderer.shared_location))
    api.fresh()
    yield api
    api.fresh()


def shown(driver, selector, text=None):
    """The first element of that kind that is seen, with that text or name."""
    def find(_):
        for one in driver.find_elements(By.CSS_SELECTOR, selector):
            if one.is_displayed() and (text is None or text in (one.text, one.get_attribute("aria-label")) or text in one.text):
                return one
    return WebDriverWait(driver, 15, ignored_exceptions=(Exception,)).until(find, f"no {selector} {text}")


def test_webkit_shows_every_screen_and_controls_the_speaker(webkit, api, oh_media):
    from kit import sound
    uri = oh_media.add("/webkit.flac", sound.flac(sound.noise(60)), "audio/flac")
    api.play(*({"uri": uri, "title": title, "artist": "A Band"} for title in ("One", "Two", "Three")), how="now")
    webkit.get(f"{api.base}/#/now")
    webkit.execute_script(WATCH)
    shown(webkit, "main .title", "One")
    shown(webkit, "main button[aria-label=Next]").click()
    shown(webkit, "main .title", "Two")
    shown(webkit, "main button[aria-label=Pause]").click()
    api.wait(lambda player: player["state"] == "paused")
    slider = shown(webkit, "main input[aria-label=Volume]")
    webkit.execute_script("arguments[0].focus()", slider)
    before = api.player["volume"]
    slider.send_keys(Keys.ARROW_RIGHT)
    api.wait(lambda player: player["volume"] > before)
    api.tell("PATCH", "player", {"volume": 21})
    until(lambda: slider.get_attribute("value") == "21", 3, "another's volume")
    for name in SCREENS:
        shown(webkit, "nav a", name).click()
        until(lambda: webkit.execute_script("return document.querySelector('main h1') !== null"), 5, name)
        wide = webkit.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
    shown(webkit, "nav a", "Queue").click()
    shown(webkit, "main .rows li", "Three")
    shown(webkit, "main .rows li:nth-child(1) button[aria-label='Move down']").click()
    until(lambda: api.titles() == ["Two", "One", "Three"], 5, "the order")
    # The row that moved may be under the pointer until it is drawn anew.
    shown(webkit, "main .rows li:nth-child(1)", "Two")
    shown(webkit, "main .rows li:nth-child(1) button[aria-label='Remove']").click()
    until(lambda: api.titles() == ["One", "Three"], 5, "one less")
    shown(webkit, "main button", "Undo").click()
    until(lambda: api.titles() == ["Two", "One", "Three"], 5, "all again")
    assert webkit.execute_script("return window.wrong") == []


def test_webkit_shows_hostile_text_as_text(webkit, api, oh_media):
    from kit import sound
    uri = oh_media.add("/webkit2.flac", sound.flac(sound.noise(20)), "audio/flac")
    title = "<img src=x onerror=\"document.title='owned'\">"
    api.play({"uri": uri, "title": title})
    webkit.get(f"{api.base}/#/now")
    webkit.execute_script(WATCH)
    shown(webkit, "main .title", title)
    assert webkit.find_elements(By.CSS_SELECTOR, "img[src=x]") == []
    assert webkit.title != "owned"
    assert webkit.execute_script("return window.wrong") == []
