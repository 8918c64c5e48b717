"""Radio: presets, the songs of a station as they come, addresses that are checked before they are played."""

import pytest
from kit import browser as browsers, sound
from playwright.sync_api import expect


@pytest.fixture
def station(page_media, tmp_path):
    """The first preset is on the air, and says other songs in the first seconds."""
    return page_media.add("/station-1", sound.mp3(sound.noise(4, seed=8), folder=tmp_path), "audio/mpeg", mode="icy", rate=24000,
                          metaint=16000, titles=("First - Song", "Second - Song", "<b>Third</b> - Song"), station="On the air")


@pytest.mark.parametrize("way", ["mouse", "touch", "keys"])
def test_a_preset_is_played_and_its_songs_are_followed(tabs, api, station, way):
    tab = tabs(api.base, "radio", **(browsers.PHONE if way == "touch" else {}))
    stations = tab.main.get_by_role("list", name="Stations")
    expect(stations.get_by_role("listitem")).to_have_count(2)
    expect(stations).to_contain_text("Zwei <2>")
    tab.press(stations.get_by_role("button").filter(has_text="Station One"), way)
    api.wait(lambda player: player["source"] == "radio" and player["state"] == "playing")
    expect(stations.get_by_role("button").filter(has_text="Station One")).to_have_attribute("aria-pressed", "true")
    songs = tab.main.get_by_role("list", name="Just played")
    expect(songs.get_by_role("listitem").first).to_contain_text("<b>Third</b> - Song")
    expect(songs.get_by_role("listitem").nth(1)).to_contain_text("Second - Song")
    tab.link("now")
    expect(tab.main.locator(".info")).to_contain_text("Third")
    expect(tab.main.locator(".info")).to_contain_text("Station One")


def test_an_address_is_checked_and_played_by_keys(tab, api, station, page_media):
    tab.link("radio")
    field = tab.main.get_by_role("textbox", name="Play an address")
    tab.tab_to(field)
    tab.page.keyboard.type(f"{page_media.base}/nothing-there")
    tab.page.keyboard.press("Enter")
    result = tab.main.locator(".result")
    expect(result.locator(".bad")).to_be_visible()
    expect(tab.button("Play now", result)).to_have_count(0)
    tab.tab_to(field)
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type(station)
    tab.page.keyboard.press("Enter")
    play = tab.button("Play now", result)
    expect(play).to_be_visible()
    tab.tab_to(play)
    tab.page.keyboard.press("Enter")
    api.wait(lambda player: player["state"] == "playing")


def test_a_station_that_is_not_there_says_why(tab, api, page_media):
    page_media.refuse("/station-2")
    tab.link("radio")
    tab.main.get_by_role("button").filter(has_text="Zwei <2>").click()
    player = api.wait(lambda player: player.get("failure"))
    tab.link("now")
    expect(tab.main).to_contain_text(player["failure"]["detail"])
