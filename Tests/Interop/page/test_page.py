"""The page in a browser, against a mock of the speaker: names, states, tasks."""

import json
import re
import time
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from kit.browser import DESK_SIZE as DESK, PHONE_SIZE as PHONE
from mock import ALBUMS, PLAIN, SERVER, Refusal
from playwright.sync_api import expect

SCREENS = ["now", "queue", "library", "radio", "rooms", "system"]
FOLDER = f"#/library/{quote(SERVER, safe='')}"
ALBUM = f"{FOLDER}/{quote('album$/Nordic Mornings', safe='')}"
PLACES = [f"#/{screen}" for screen in SCREENS if screen != "library"] + ["#/library/servers", f"{FOLDER}/albums", ALBUM]


def named(page, role, name):
    return page.get_by_role(role, name=name, exact=True)


def wait(check, seconds=5.0):
    """Until `check` is true."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


# ---- Names and sizes ----


def test_everything_that_matters_is_in_sight_on_a_phone(mock, window):
    mock.fill()
    page = window()
    for name in ("Now playing", "Queue", "Library", "Radio", "Rooms", "System"):
        expect(named(page, "link", name)).to_be_in_viewport()
    for name in ("Previous", "Pause", "Next", "Stop", "Shuffle", "Repeat", "Mute", "Standby"):
        expect(named(page, "button", name)).to_be_in_viewport()
    for name in ("Volume", "Position"):
        expect(named(page, "slider", name)).to_be_in_viewport()
    mock.perform("pause")
    expect(named(page, "button", "Play")).to_be_in_viewport()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1280, 2560])
def test_nothing_is_wider_than_the_window(mock, window, place, width):
    mock.fill()
    page = window(place, viewport={"width": width, "height": 800})
    page.wait_for_timeout(500)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl"])
def test_languages_fit_a_narrow_phone(mock, window, language):
    mock.fill()
    page = window("#/system", viewport={"width": 320, "height": 640}, locale=language)
    expect(page.locator("h1")).to_have_text({"de": "System", "fr": "Système", "es": "Sistema", "nl": "Systeem"}[language])
    assert page.evaluate("() => document.documentElement.lang") == language
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    for link in page.locator("body > nav a").all():
        assert link.evaluate("node => node.scrollWidth <= node.clientWidth + 1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing_in_states_that_are_hard_to_reach(mock, window, scheme, viewport):
    axe = Axe()
    mock.fill()
    page = window(ALBUM, viewport=viewport, color_scheme=scheme)
    page.wait_for_timeout(500)
    check_axe(axe, page, "album")
    named(page, "button", "More").first.click()
    check_axe(axe, page, "play menu")
    page.keyboard.press("Escape")
    for change in ({"standby": True}, {"standby": False, "track": None, "next": None, "actions": []},
                   {"track": mock.tracks[1], "failure": {"reason": "x", "detail": "It failed.", "cure": "Look."}, "volumeLimit": 60, "actions": ["play"]}):
        mock.set(**change)
        page.goto(f"{mock.url}/#/now")
        page.wait_for_timeout(500)
        check_axe(axe, page, str(change))


def check_axe(axe, page, place):
    found = axe.run(page).response["violations"]
    assert not found, (place, [(one["id"], [node["html"][:160] + " | " + node.get("failureSummary", "")[:200] for node in one["nodes"][:3]]) for one in found])


def test_a_cold_load_takes_twelve_requests_and_a_warm_one_one(mock, window):
    page = window()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()

    def files():
        return [path for _, path, _ in mock.requests if path == "/" or path.startswith(("/ui/", "/manifest"))]
    assert len(files()) <= 12, files()
    mock.requests.clear()
    page.reload()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    assert [path for path in files() if not path.startswith("/manifest")] == ["/"]
    assert all(url.startswith(mock.url) for url in window.windows[0].requests)


# ---- States ----


def test_the_name_is_in_the_shell(mock, window):
    page = window(java_script_enabled=False)
    expect(page).to_have_title("Living Room")
    expect(page.locator("#name")).to_have_text("Living Room")


def test_nothing_to_play(mock, window):
    page = window()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(page.locator("main").get_by_role("link", name="Library")).to_be_visible()
    expect(page.locator("main").get_by_role("link", name="Radio")).to_be_visible()
    expect(page.get_by_text("finds “Living Room”")).to_be_visible()
    expect(named(page, "button", "Play")).to_be_disabled()


def test_connection_lost_and_back(mock, window):
    mock.fill()
    page = window()
    expect(page.get_by_role("heading", name="First Light")).to_be_visible()
    mock.stop()
    expect(page.get_by_role("status").filter(has_text="Connection lost, trying again")).to_be_visible()
    expect(page.get_by_role("heading", name="First Light")).to_be_visible()
    expect(named(page, "button", "Pause")).to_be_disabled()
    mock.restart()
    expect(page.get_by_text("Connection lost")).to_be_hidden(timeout=2500)
    expect(named(page, "button", "Pause")).to_be_enabled()
    expect(page.get_by_text("Vireo has been updated")).to_be_hidden()


def test_another_version_came_back(mock, window):
    page = window()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    mock.stop()
    mock.restart(fingerprint="0123456789ab")
    expect(page.get_by_text("Vireo has been updated")).to_be_visible()
    named(page, "button", "Reload").click()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    assert any("/ui/0123456789ab/app.js" in url for url in window.windows[0].requests)


def test_standby(mock, window):
    mock.fill()
    mock.change({"standby": True})
    page = window()
    button = named(page.get_by_role("main"), "button", "Standby")
    expect(button).to_have_count(1)
    expect(named(page, "button", "Play")).to_have_count(0)
    button.click()
    expect(named(page, "button", "Play")).to_be_visible()


def test_failure(mock, window):
    mock.fill()
    mock.set(state="stopped", actions=["play", "next", "stop"], failure={"reason": "not-found", "detail": "The file isn’t there.", "cure": "Does the server run?"})
    page = window()
    expect(page.get_by_text("The file isn’t there.")).to_be_visible()
    expect(page.get_by_text("Does the server run?")).to_be_visible()
    named(page, "button", "Skip").click()
    expect(page.get_by_role("heading", name="Frost on the Pane")).to_be_visible()
    expect(page.get_by_text("The file isn’t there.")).to_be_hidden()


def test_device_busy(mock, window):
    mock.fill()
    mock.set(sound={"isOpen": False, "name": "alsa:hw:DAC", "problem": "Another program uses it: set sound.device."})
    expect(window().get_by_text("Another program uses it")).to_be_visible()


def test_volume_limited(mock, window):
    mock.fill()
    mock.set(volumeLimit=60, volume=60)
    page = window()
    expect(page.get_by_text("Limited to 60")).to_be_visible()
    expect(named(page, "slider", "Volume")).to_have_attribute("max", "60")


def test_somebody_else_takes_over(mock, window):
    mock.fill()
    page = window()
    expect(page.get_by_role("heading", name="First Light")).to_be_visible()
    mock.set(source="upnp-av", caster={"address": "192.168.1.31", "agent": "BubbleUPnP", "isPage": False})
    expect(page.get_by_text("BubbleUPnP (192.168.1.31) has taken over")).to_be_visible()
    expect(page.get_by_text("Chosen by BubbleUPnP")).to_be_visible()
    expect(page.get_by_label("Source")).to_have_value("upnp-av")


def test_no_server(mock, window):
    mock.set("servers", servers=[], problem="The firewall drops UDP from port 1900.", isSearching=True)
    page = window("#/library")
    expect(page.get_by_text("No media server found yet")).to_be_visible(timeout=2000)
    expect(page.get_by_text("The firewall drops UDP")).to_be_visible()
    named(page, "button", "Search again").click()
    wait(lambda: ("POST", "/api/v1/servers/search", None) in mock.requests)
    mock.set("servers", servers=[{"udn": SERVER, "name": "Late", "model": "x", "seen": 0, "isThere": True}])
    expect(named(page, "list", "Media servers").get_by_text("Late")).to_be_visible()
    expect(page.get_by_text("No media server found yet")).to_be_hidden()


def test_the_server_goes_while_somebody_browses(mock, window):
    page = window(f"{FOLDER}/big")
    rows = page.locator("main .rows > li")
    expect(rows.nth(49)).to_be_attached()
    mock.refusals[("GET", f"/api/v1/servers/{quote(SERVER, safe='')}/objects")] = Refusal(502, "no-answer", "It doesn't answer.")
    page.mouse.move(200, 400)
    page.mouse.wheel(0, 100000)
    expect(page.get_by_text("The server doesn’t answer.")).to_be_visible()
    before = rows.count()
    assert before >= 50
    mock.refusals.clear()
    page.get_by_role("button", name="Try again").click()
    wait(lambda: rows.count() > before)


def test_a_server_without_search_is_filtered(mock, window):
    page = window(f"#/library/{quote(PLAIN, safe='')}/albums")
    expect(page.get_by_role("link", name="Tidal Patterns")).to_be_visible()
    page.get_by_role("searchbox").fill("tidal")
    expect(page.get_by_text("This server offers no search")).to_be_visible()
    expect(page.get_by_role("link", name="Nordic Mornings")).to_be_hidden()
    expect(page.get_by_role("link", name="Tidal Patterns")).to_be_visible()


def test_read_only(mock, window):
    mock.fill()
    mock.set(access="view")
    page = window()
    expect(page.get_by_role("heading", name="First Light")).to_be_visible()
    for name in ("Pause", "Next", "Stop", "Standby", "Mute"):
        expect(named(page, "button", name)).to_have_count(0)
    page.goto(f"{mock.url}/#/queue")
    expect(named(page, "list", "Queue").get_by_text("Harbour")).to_be_visible()
    expect(named(page, "button", "Remove")).to_have_count(0)
    page.keyboard.press("n")
    assert not [one for one in mock.requests if one[0] != "GET"]


def test_too_many_pages(mock, window):
    mock.streams = 0
    page = window()
    expect(page.get_by_text("updated every 5 seconds")).to_be_visible()
    mock.fill()
    expect(page.get_by_role("heading", name="First Light")).to_be_visible(timeout=7000)


def test_a_stream_that_cant_be_sought(mock, window):
    mock.play_station(2)
    page = window()
    slider = named(page, "slider", "Position")
    expect(slider).to_be_visible()
    expect(slider).to_be_disabled()
    expect(page.get_by_text("A live stream can’t be sought.")).to_be_visible()
    expect(slider).to_have_accessible_description("A live stream can’t be sought.")


# ---- Tasks ----


def test_transport(mock, window):
    mock.fill()
    page = window()
    named(page, "button", "Pause").click()
    expect(named(page, "button", "Play")).to_be_enabled()
    named(page, "button", "Next").click()
    expect(page.get_by_role("heading", name="Frost on the Pane")).to_be_visible()
    named(page, "button", "Shuffle").click()
    expect(named(page, "button", "Shuffle")).to_have_attribute("aria-pressed", "true")
    named(page, "button", "Mute").click()
    expect(named(page, "button", "Mute")).to_have_attribute("aria-pressed", "true")
    named(page, "button", "Stop").click()
    wait(lambda: mock.sections["player"]["state"] == "stopped")


def test_seek(mock, window):
    mock.fill()
    page = window()
    slider = named(page, "slider", "Position")
    expect(slider).to_be_enabled()
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    length = mock.tracks[1]["seconds"]
    wait(lambda: abs(mock.position() - length / 2) < length / 20)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"minute.* of \d minutes"))


def test_own_volume_doesnt_jump_back(mock, window):
    mock.fill()
    mock.echo = 0.4  # news are late
    page = window()
    slider = named(page, "slider", "Volume")
    expect(slider).to_have_value("34")
    page.evaluate("""() => {
      const slider = document.querySelector('input[aria-label=Volume]');
      window.seen = [];
      window.watch = setInterval(() => window.seen.push(Number(slider.value)), 5);
    }""")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
    page.wait_for_timeout(1200)
    seen = page.evaluate("() => window.seen")
    assert seen == sorted(seen) and seen[-1] == 54, seen[-5:]
    assert mock.sections["player"]["volume"] == 54
    mock.echo = 0
    mock.change({"volume": 12})  # another control point
    expect(slider).to_have_value("12")


def test_volume_of_another_page_shows_at_once(mock, window):
    mock.fill()
    first, second = window(), window()
    expect(named(second, "slider", "Volume")).to_have_value("34")
    second.evaluate("() => { const node = document.querySelector('input[aria-label=Volume]'); window.at = 0; const watch = setInterval(() => { if (node.value === '36') { window.at = Date.now(); clearInterval(watch); } }, 2); }")
    began = first.evaluate("() => { const node = document.querySelector('input[aria-label=Volume]'); node.value = 36; node.dispatchEvent(new Event('input')); node.dispatchEvent(new Event('change')); return Date.now(); }")
    second.wait_for_function("() => window.at > 0")
    assert second.evaluate("() => window.at") - began < 200


def order(page):
    return [re.sub(r"\s+", " ", text) for text in named(page, "list", "Queue").locator("li b").all_text_contents()]


def item(page, text):
    return named(page, "list", "Queue").get_by_role("listitem").filter(has_text=text)


def test_queue_by_buttons_keys_and_dragging(mock, window):
    mock.fill()
    page = window("#/queue", viewport=DESK)
    expect(item(page, "Harbour")).to_be_visible()
    assert order(page)[:3] == ["First Light", "Frost on the Pane", "Harbour"]
    named(item(page, "Harbour"), "button", "Move up").click()
    expect(named(page, "list", "Queue").locator("li b").nth(1)).to_have_text("Harbour")
    named(item(page, "Harbour"), "button", "Move down").click()
    expect(named(page, "list", "Queue").locator("li b").nth(2)).to_have_text("Harbour")
    named(item(page, "Harbour"), "button", "Remove").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(named(page, "list", "Queue").locator("li b").nth(1)).to_have_text("Harbour")
    expect(named(item(page, "Harbour"), "button", "Remove")).to_be_focused()
    grip = item(page, "Harbour").locator(".grip").bounding_box()
    page.mouse.move(grip["x"] + 8, grip["y"] + 20)
    page.mouse.down()
    page.mouse.move(grip["x"] + 8, grip["y"] + 100, steps=5)
    page.mouse.move(grip["x"] + 8, grip["y"] + 84, steps=5)
    page.mouse.up()
    expect(named(page, "list", "Queue").locator("li b").nth(2)).to_have_text("Harbour")
    wait(lambda: [mock.tracks[one]["title"] for one in mock.sections["queue"]["ids"][:3]] == ["First Light", "Frost on the Pane", "Harbour"])


def test_queue_play_remove_and_undo(mock, window):
    mock.fill()
    page = window("#/queue")
    named(item(page, "Kelp"), "button", "Play").click()
    expect(item(page, "Kelp")).to_have_attribute("aria-current", "true")
    named(item(page, "Harbour"), "button", "Remove").click()
    expect(item(page, "Harbour")).to_have_count(0)
    named(page, "button", "Undo").click()
    expect(item(page, "Harbour")).to_be_visible()
    expect(page.locator("h1")).to_be_visible()


def test_select_and_remove_several(mock, window):
    mock.fill()
    page = window("#/queue")
    named(page, "button", "Select").click()
    for title in ("Harbour", "Kelp"):
        page.get_by_role("checkbox", name=title).check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("group", name="Selected tracks").get_by_role("button", name="Remove").click()
    expect(item(page, "Kelp")).to_have_count(0)
    assert len(mock.sections["queue"]["ids"]) == 17


def test_a_conflict_is_shown_and_nothing_is_lost(mock, window):
    mock.fill()
    page = window("#/queue")
    expect(item(page, "Harbour")).to_be_visible()
    third = mock.sections["queue"]["ids"][2]
    mock.refusals[("DELETE", f"/api/v1/queue/tracks/{third}")] = Refusal(412, "changed", "x")
    named(item(page, "Harbour"), "button", "Remove").click()
    expect(page.get_by_text("Somebody else has just changed the queue")).to_be_visible()
    expect(item(page, "Harbour")).to_be_visible()


def test_ten_thousand_tracks(mock, window):
    mock.fill(count=10000)
    page = window("#/queue")
    expect(page.get_by_text("10,000 tracks")).to_be_visible()
    expect(item(page, "First Light 1").first).to_be_visible()
    assert named(page, "list", "Queue").locator("li").count() < 200
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.get_by_text("10000", exact=False).last).to_be_visible()
    assert named(page, "list", "Queue").locator("li").count() < 200


def test_from_server_to_sound(mock, window):
    page = window("#/library")
    servers = named(page, "list", "Media servers")
    servers.get_by_role("link", name="Music on the shelf").click()
    page.get_by_role("link", name="Albums").click()
    page.get_by_role("link", name="Kind of Green").click()
    expect(page.locator("h1")).to_have_text("Kind of Green")
    row = page.get_by_role("listitem").filter(has_text="All Leaves")
    named(row, "button", "Add to queue").click()
    expect(page.get_by_text("Added: All Leaves")).to_be_visible()
    page.get_by_role("button", name="Play all").click()
    expect(page.get_by_text("Playing Kind of Green")).to_be_visible()
    named(page, "link", "Now playing").click()
    expect(page.get_by_role("heading", name="So Far")).to_be_visible()
    assert [mock.tracks[one]["title"] for one in mock.sections["queue"]["ids"]] == ALBUMS[1][3]
    # It remembers the folder.
    named(page, "link", "Library").click()
    expect(page.locator("h1")).to_have_text("Kind of Green")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Now playing")


@pytest.mark.parametrize("how, words", [("now", "Play now"), ("next", "Play next"), ("end", "Add at the end"), ("replace", "Replace the queue")])
def test_play_menu(mock, window, how, words):
    mock.fill()
    page = window(ALBUM)
    named(page, "button", "More").nth(2).click()
    menu = page.get_by_role("dialog", name="Harbour")
    menu.get_by_role("radio", name="Kitchen").check()
    menu.get_by_role("button", name=words).click()
    expect(menu).to_be_hidden()
    wait(lambda: any(path == "/api/v1/play" for _, path, _ in mock.requests))
    body = next(body for _, path, body in mock.requests if path == "/api/v1/play")
    assert body == {"items": [{"server": SERVER, "object": "album$/Nordic Mornings/2"}], "how": how, "where": "uuid:kitchen"}
    expect(page.get_by_role("button", name="On Kitchen")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="On Kitchen")).to_be_visible()


def test_search(mock, window):
    page = window(FOLDER)
    page.get_by_role("searchbox").fill("river")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.get_by_role("searchbox").fill("moss")
    expect(page.get_by_role("link", name="Tidal Patterns")).to_be_visible()
    named(page, "button", "Tracks").click()
    expect(page.get_by_role("listitem").filter(has_text="Undertow")).to_be_visible()
    expect(page.get_by_role("link", name="Tidal Patterns")).to_have_count(0)


def test_radio(mock, window):
    page = window("#/radio")
    page.get_by_role("button", name="FIP", exact=True).click()
    expect(page.get_by_role("button", name="FIP", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(named(page, "list", "Just played").get_by_text("Nina Simone – Feeling Good")).to_be_visible()
    page.get_by_label("Play an address").fill("ftp://x/y")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Only http and https")).to_be_visible()
    page.get_by_label("Play an address").fill("http://radio.example/live")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("An MP3 stream of 128 kbit/s.")).to_be_visible()
    page.get_by_role("button", name="Play now").click()
    wait(lambda: any(body == {"items": [{"uri": "http://radio.example/live", "title": "Radio Meuh"}], "how": "now"} for _, _, body in mock.requests))


def test_rooms(mock, window):
    mock.fill()
    page = window("#/rooms")
    kitchen = named(page, "list", "Rooms").get_by_role("listitem").filter(has=page.get_by_role("heading", name="Kitchen"))
    expect(kitchen.get_by_text("Paper Lamp")).to_be_visible()
    kitchen.get_by_role("slider").fill("30")
    wait(lambda: mock.sections["renderers"]["renderers"][1]["volume"] == 30)
    named(kitchen, "button", "Pause").click()
    expect(named(kitchen, "button", "Play")).to_be_visible()
    named(kitchen, "button", "Cast queue").click()
    page.get_by_role("dialog").get_by_role("button", name="The whole queue").click()
    expect(page.get_by_text("19 tracks cast to Kitchen")).to_be_visible()


def test_system(mock, window):
    page = window("#/system")
    expect(page.get_by_text("1 thing to look at")).to_be_visible()
    expect(page.get_by_text("Allow UDP from port 1900")).to_be_visible()
    page.get_by_label("Colours").select_option("dark")
    assert page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_role("heading", name="Diese Seite")).to_be_visible()


def test_keys(mock, window):
    mock.fill()
    page = window()
    expect(named(page, "button", "Pause")).to_be_enabled()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Frost on the Pane")).to_be_visible()
    page.keyboard.press("+")
    expect(named(page, "slider", "Volume")).to_have_value("36")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("6")
    page.get_by_label("Single keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("1")
    page.wait_for_timeout(200)
    expect(page.locator("h1")).to_have_text("System")


def test_an_album_by_keyboard_alone(mock, window):
    page = window()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    page.keyboard.press("3")
    expect(named(page, "list", "Media servers").get_by_role("link").first).to_be_visible()

    def walk(name):
        expect(page.locator("main").get_by_text(name).locator("visible=true").first).to_be_visible()
        for _ in range(60):
            page.keyboard.press("Tab")
            if name in page.evaluate("() => document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"):
                return page.keyboard.press("Enter")
        raise AssertionError(f"{name} isn't reached")
    walk("Music on the shelf")
    expect(page.locator("h1")).to_have_text("Music on the shelf")
    walk("Albums")
    expect(page.locator("h1")).to_have_text("Albums")
    walk("Stadtlichter")
    expect(page.locator("h1")).to_have_text("Stadtlichter")
    walk("Play all")
    wait(lambda: mock.sections["player"]["state"] == "playing")


def test_hostile_metadata(mock, window):
    page = window(f"{FOLDER}/odd")
    expect(page.get_by_text("<img src=x onerror")).to_be_visible()
    assert page.evaluate("() => document.querySelectorAll('main b img, main bdi *').length") == 0
    named(page, "button", "Add to queue").first.click()
    mock.fill(tracks=[mock.library[f"odd/{n}"] for n in range(7)])
    for place in ("#/now", "#/queue", "#/library/servers"):
        page.goto(f"{mock.url}/{place}")
        page.wait_for_timeout(300)
        assert "hacked" not in page.title().split(" ")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    mock.play_id(mock.sections["queue"]["ids"][1])
    page.goto(f"{mock.url}/#/now")
    expect(page.locator("h2 bdi").first).to_have_css("direction", "rtl")


def test_two_hundred_percent_text(mock, window):
    mock.fill()
    page = window("#/now", viewport={"width": 640, "height": 800})
    for screen in SCREENS:
        page.goto(f"{mock.url}/#/{screen}")
        page.evaluate("() => document.documentElement.style.setProperty('font-size', '32px')")
        page.wait_for_timeout(300)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 640, screen


def test_seven_tabs(mock, browser, window):
    """A hidden page holds no connection; six visible ones leave none for a seventh, so pages must hide theirs."""
    page = window()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    wait(lambda: mock.open_streams == 1)
    page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }")
    wait_for = time.monotonic() + 3
    while mock.open_streams and time.monotonic() < wait_for:
        mock.set(volume=mock.sections["player"]["volume"])  # the mock notices with the next write
        time.sleep(0.1)
    assert mock.open_streams == 0
    mock.set(name="Changed")
    page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: false }); document.dispatchEvent(new Event('visibilitychange')); }")
    expect(page.locator("#name")).to_have_text("Changed")


def test_sections_are_followed_only_while_they_are_seen(mock, window):
    page = window("#/rooms")
    expect(named(page, "list", "Rooms")).to_be_visible()
    named(page, "link", "Radio").click()
    expect(page.get_by_role("button", name="FIP", exact=True)).to_be_visible()
    events = [path for _, path, _ in mock.requests if "/events" in path]
    assert "renderers" in json.dumps(events[:-1]) and "renderers" not in events[-1] and "radio" in events[-1]
