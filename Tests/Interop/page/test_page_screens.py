"""Every screen: axe in both colour schemes, small and large windows, forced colours, large text, languages; Rooms and System."""

import re

import pytest
from kit import browser as browsers
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
    # The dark page differs in its colours alone.
    rules = ["color-contrast"] if scheme == "dark" else None
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        tab.page.wait_for_timeout(150)  # what is fetched for the screen
        found += [f"{place}: {text}" for text in tab.axe(rules)]
    tab.link("queue")
    tab.button("Select", tab.main).click()
    found += [f"selecting: {text}" for text in tab.axe(rules)]
    tab.page.keyboard.press("?")
    expect(tab.page.get_by_role("dialog")).to_be_visible()
    found += [f"keys: {text}" for text in tab.axe(rules)]
    tab.page.keyboard.press("Escape")
    filled.fresh()
    for place in ("now", "queue"):
        tab.link(place)
        tab.page.wait_for_timeout(100)
        found += [f"empty {place}: {text}" for text in tab.axe(rules)]
    filled.tell("PATCH", "player", {"standby": True})
    tab.link("now")
    expect(tab.button("Standby", tab.main)).to_be_visible()
    found += [f"asleep: {text}" for text in tab.axe(rules)]
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


def test_large_text_and_forced_colours(tabs, filled):
    tab = tabs(filled.base, forced_colors="active", viewport=browsers.PHONE_SIZE)
    tab.page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        tab.page.wait_for_timeout(60)
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390, f"{place} scrolls sideways at 200 % text"
    tab.link("now")
    # Everything is reached by scrolling, and nothing lies over it when it is pressed.
    for name in ("Next", "Previous", "Shuffle", "Repeat", "Mute", "Stop"):
        tab.button(name, tab.main).click()
    filled.wait(lambda player: player["state"] == "stopped" and player["muted"] and player["shuffle"] and player["repeat"])
    # The title of a row is read, not only its buttons.
    tab.link("queue")
    expect(tab.rows.locator(".words").first).to_be_visible()
    assert min(words.bounding_box()["width"] for words in tab.rows.locator(".words").all()) > 150


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
