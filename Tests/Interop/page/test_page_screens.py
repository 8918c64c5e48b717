"""Every screen: axe in both colour schemes, small and large windows, forced colours, large text, languages; Rooms and System."""

import re

import pytest
from kit import browser as browsers, media_server, sound
from kit.api import API, base
from kit.waiting import until
from playwright.sync_api import expect


@pytest.fixture
def filled(api, songs):
    api.play(*songs, *songs, how="replace")
    api.wait(lambda player: player["state"] == "playing")
    return api


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_axe_finds_nothing(tabs, filled, scheme, size):
    tab = tabs(filled.base, color_scheme=scheme, **(browsers.PHONE if size == "phone" else {}))
    found = []
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        tab.page.wait_for_timeout(150)  # what is fetched for the screen
        found += [f"{place}: {text}" for text in tab.axe()]
    tab.link("queue")
    tab.button("Select", tab.main).click()
    found += [f"selecting: {text}" for text in tab.axe()]
    tab.page.keyboard.press("?")
    expect(tab.page.get_by_role("dialog")).to_be_visible()
    found += [f"keys: {text}" for text in tab.axe()]
    tab.page.keyboard.press("Escape")
    filled.fresh()
    for place in ("now", "queue"):
        tab.link(place)
        tab.page.wait_for_timeout(100)
        found += [f"empty {place}: {text}" for text in tab.axe()]
    filled.tell("PATCH", "player", {"standby": True})
    tab.link("now")
    expect(tab.button("Standby", tab.main)).to_be_visible()
    found += [f"asleep: {text}" for text in tab.axe()]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("width, height", [(320, 568), (390, 844), (768, 1024), (1280, 800), (3840, 2160)])
def test_every_screen_fits_its_window(tabs, filled, width, height):
    tab = tabs(filled.base, viewport={"width": width, "height": height})
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        tab.page.wait_for_timeout(60)
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= width, f"{place} scrolls sideways at {width}"
        small = tab.page.evaluate("""() => [...document.querySelectorAll('button, select, nav a, input[type=range], input[type=checkbox]')]
          .filter((node) => node.checkVisibility({ visibilityProperty: true }))
          .map((node) => [node.getAttribute('aria-label') || node.textContent, node.closest('label')?.getBoundingClientRect() ?? node.getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([name, box]) => `${name} ${box.width}x${box.height}`)""")
        assert not small, f"{place} at {width}: too small to touch: {small}"


@pytest.mark.xfail(reason="at 200 % text a phone's Now is 521 px wide: the row of source and standby, or the transport, doesn't wrap", strict=True)
def test_large_text_and_forced_colours(tabs, filled):
    tab = tabs(filled.base, forced_colors="active", viewport=browsers.PHONE_SIZE)
    tab.page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        tab.page.wait_for_timeout(60)
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390, f"{place} scrolls sideways at 200 % text"
    tab.link("now")
    for name in ("Pause", "Next", "Previous"):
        expect(tab.button(name, tab.main)).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize("language, words", [("de", "Liste"), ("fr", "File"), ("es", "Cola"), ("nl", "Wachtrij")])
def test_languages(tabs, filled, language, words):
    tab = tabs(filled.base, locale=language, **browsers.PHONE)
    expect(tab.page.locator("html")).to_have_attribute("lang", language)
    links = tab.page.get_by_role("navigation").first.get_by_role("link")
    expect(links.nth(1)).to_have_text(re.compile(words, re.I))
    for link in links.all():
        link.click()
        expect(tab.main.locator("h1")).to_have_count(1)
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_rooms_show_this_speaker_and_others(launch, make_host, tabs):
    """Another renderer is seen, its volume is set, and the queue is cast there."""
    host = make_host()
    link = host.link()
    media = media_server.MediaServer(link.phone)
    here = launch(host, "here", friendly_name="Here")
    # On a host of its own it would need a switch between them: another port does as well.
    there = launch(host, "there", friendly_name="There")
    try:
        api, other = API(base(here.location(link))), API(base(there.location(link)))
        uri = media.add("/a.flac", sound.flac(sound.noise(30)), "audio/flac")
        api.play({"uri": uri, "title": "Cast me"}, how="end")
        tab = tabs(api.base, "rooms")
        rooms = tab.main.get_by_role("list", name="Rooms")
        mine = rooms.get_by_role("listitem").filter(has_text="This speaker")
        expect(mine).to_contain_text("Here")
        card = rooms.get_by_role("listitem").filter(has=tab.page.get_by_role("heading", name="There"))
        expect(card).to_have_count(1)
        expect(card).to_contain_text(re.compile("OpenHome|UPnP AV"))
        slider = tab.slider("Volume of There", card)
        expect(slider).to_be_enabled()
        slider.fill("37")
        until(lambda: other.player["volume"] == 37, 5, "the other's volume")
        tab.button("Cast queue", card).click()
        tab.page.get_by_role("dialog").get_by_role("button", name="The whole queue").click()
        other.wait(lambda player: player["state"] == "playing" and player["track"]["title"] == "Cast me")
        expect(card).to_contain_text("Cast me")
        tab.button("Pause", card).click()
        other.wait(lambda player: player["state"] == "paused")
        other.tell("PATCH", "player", {"volume": 55})
        until(lambda: slider.input_value() == "55", 5, "what others set there")
    finally:
        media.close()


def test_system_says_what_holds(tab, api, page_subject, page_link):
    tab.link("system")
    system = api.get("system")
    expect(tab.main).to_contain_text(system["vireo"])
    expect(tab.main).to_contain_text(page_link.speaker)
    expect(tab.main.get_by_role("list", name="Diagnosis").get_by_role("listitem")).to_have_count(len(system["checks"]))
    tab.main.locator("summary").filter(has_text="Settings").click()
    settings = tab.main.locator("details").filter(has_text="Settings")
    expect(settings).to_contain_text("tracks-max")
    expect(settings).to_contain_text("10000")
    # Settings are shown, never written.
    assert settings.locator("input, button, select").count() == 0


def test_colours_by_hand_and_language_by_hand(tab):
    tab.link("system")
    tab.main.get_by_label("Colours").select_option(label="Dark")
    dark = tab.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    tab.main.get_by_label("Colours").select_option(label="Light")
    assert tab.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") != dark
    with tab.page.expect_navigation():
        tab.main.get_by_label("Language").select_option("de")
    expect(tab.page.locator("html")).to_have_attribute("lang", "de")
