"""Favourites on the page: kept from stations, addresses and the library; played, moved and removed."""

import pytest
from kit import browser as browsers, sound
from playwright.sync_api import expect


def favourites(tab):
    return tab.main.get_by_role("list", name="Favourites").get_by_role("listitem")


def names(tab):
    return [text.strip() for text in favourites(tab).locator("b:last-of-type").all_inner_texts()]


@pytest.fixture
def kept(mock):
    """A speaker with three favourites."""
    mock.fill()
    for title in ("One", "Two", "Three"):
        mock.pin("POST", [], {}, {"uri": f"http://stations.example/{title}", "title": title})
    return mock


def order(mock):
    return [one["title"] for one in mock.sections["pins"]["pins"]]


@pytest.mark.parametrize("way", ["mouse", "touch", "keys"])
def test_a_station_is_kept_and_let_go(tabs, mock, way):
    mock.fill()
    tab = tabs(mock.url, "radio", **(browsers.PHONE if way == "touch" else {}))
    expect(tab.main).to_contain_text("No favourites yet")
    star = tab.button("Keep as favourite: FIP")
    expect(star).to_have_attribute("aria-pressed", "false")
    tab.press(star, way)
    expect(star).to_have_attribute("aria-pressed", "true")
    expect(tab.message).to_contain_text("Now a favourite: FIP")
    expect(favourites(tab)).to_have_count(1)
    expect(favourites(tab)).to_contain_text("FIP")
    tab.press(star, way)
    expect(favourites(tab)).to_have_count(0)
    expect(star).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("way", ["mouse", "touch", "keys"])
def test_a_favourite_plays(tabs, kept, way):
    tab = tabs(kept.url, "radio", **(browsers.PHONE if way == "touch" else {}))
    tab.press(favourites(tab).nth(1).get_by_role("button").first, way)
    expect(tab.message).to_contain_text("Playing Two")
    assert not tab.axe()
    assert kept.sections["player"]["track"]["title"] == "Two"


def test_its_menu_moves_and_removes_it(tabs, kept):
    tab = tabs(kept.url, "radio")
    tab.press(tab.button("More: Three"))
    tab.press(tab.button("Move up", tab.page.get_by_role("dialog")))
    expect(favourites(tab).nth(1)).to_contain_text("Three")
    assert order(kept) == ["One", "Three", "Two"]
    tab.press(tab.button("More: One"))
    tab.press(tab.button("Remove", tab.page.get_by_role("dialog")))
    expect(favourites(tab)).to_have_count(2)
    assert order(kept) == ["Three", "Two"]


def test_keys_move_and_remove_it(tabs, kept):
    tab = tabs(kept.url, "radio")
    first = favourites(tab).filter(has_text="One").get_by_role("button").first
    tab.tab_to(first)
    tab.page.keyboard.press("Alt+ArrowRight")
    expect(favourites(tab).nth(1)).to_contain_text("One")
    expect(first).to_be_focused()
    tab.page.keyboard.press("Alt+ArrowDown")
    expect(favourites(tab).nth(2)).to_contain_text("One")
    tab.page.keyboard.press("Delete")
    expect(favourites(tab)).to_have_count(2)
    assert order(kept) == ["Two", "Three"]


def test_dragging_gives_it_the_place_of_another_and_plays_nothing(tabs, kept):
    tab = tabs(kept.url, "radio")
    before = kept.sections["player"].get("track")
    boxes = [favourites(tab).nth(index).bounding_box() for index in (0, 2)]
    centres = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    tab.page.mouse.move(*centres[0])
    tab.page.mouse.down()
    tab.page.mouse.move(centres[1][0], centres[1][1], steps=6)
    tab.page.mouse.up()
    expect(favourites(tab).nth(2)).to_contain_text("One")
    assert order(kept) == ["Two", "Three", "One"]
    assert kept.sections["player"].get("track") == before


def test_twelve_are_enough(tabs, kept):
    for number in range(9):
        kept.pin("POST", [], {}, {"uri": f"http://stations.example/x{number}", "title": f"X{number}"})
    tab = tabs(kept.url, "radio")
    tab.expects("status of 409")
    tab.press(tab.button("Keep as favourite: FIP"))
    expect(tab.message).to_contain_text("All 12 favourites are taken")
    expect(favourites(tab)).to_have_count(12)


def test_an_album_of_the_library_is_kept(tabs, mock):
    mock.fill()
    tab = tabs(mock.url, "library/servers")
    tab.press(tab.main.get_by_role("link").filter(has_text="Music on the shelf"))
    tab.press(tab.main.get_by_role("link", name="Albums"))
    tab.press(tab.button("More: Kind of Green"))
    tab.press(tab.button("Keep as favourite", tab.page.get_by_role("dialog")))
    expect(tab.message).to_contain_text("Now a favourite: Kind of Green")
    method, path, body = next(request for request in reversed(mock.requests) if request[1].endswith("/pins"))
    assert method == "POST" and body["object"] == "album$/Kind of Green" and body["art"].startswith("/art/")


@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_they_are_at_hand_where_nothing_plays(tabs, mock, size):
    tab = tabs(mock.url, **(browsers.PHONE if size == "phone" else {}))
    expect(tab.main).to_contain_text("Nothing here yet")
    expect(favourites(tab)).to_have_count(0)
    assert not any("pins.js" in url for _, url in tab.requests), "their script comes only where there are some"
    mock.pin("POST", [], {}, {"uri": "http://stations.example/1", "title": "Bird"})
    expect(favourites(tab)).to_have_count(1)
    assert not tab.axe()
    assert "null" not in tab.main.inner_text()
    tab.press(favourites(tab).get_by_role("button").first)
    expect(tab.main.locator(".info")).to_contain_text("Bird")


def test_who_may_only_look_changes_nothing(tabs, kept):
    kept.set(access="view")
    tab = tabs(kept.url, "radio")
    expect(favourites(tab)).to_have_count(3)
    expect(tab.button("More: One")).to_be_hidden()
    favourites(tab).first.get_by_role("button").first.click()
    tab.page.keyboard.press("Delete")
    tab.page.wait_for_timeout(200)
    assert order(kept) == ["One", "Two", "Three"] and not any(request[0] != "GET" for request in kept.requests)


def test_names_of_strangers_are_text(tabs, mock):
    mock.fill()
    title = "<img src=x onerror=\"document.title='hacked'\">"
    mock.pin("POST", [], {}, {"uri": "http://x/", "title": title, "description": "<b>bold</b>"})
    tab = tabs(mock.url, "radio")
    expect(favourites(tab)).to_contain_text(title)
    expect(favourites(tab)).to_contain_text("<b>bold</b>")


def test_with_the_speaker_itself(tabs, api, page_media, tmp_path):
    station = page_media.add("/pinned", sound.mp3(sound.noise(4, seed=7), folder=tmp_path), "audio/mpeg", mode="icy", rate=24000,
                             metaint=16000, titles=("A - Song",), station="Pinned")
    tab = tabs(api.base, "radio")
    field = tab.main.get_by_role("textbox", name="Play an address")
    field.fill(station)
    field.press("Enter")
    tab.press(tab.button("Keep as favourite", tab.main.locator(".result")))
    expect(favourites(tab)).to_have_count(1)
    tab.press(favourites(tab).get_by_role("button").first)
    api.wait(lambda player: player["source"] == "radio" and player["state"] == "playing")
    expect(favourites(tab).get_by_role("button").first).to_have_attribute("aria-pressed", "true")
    tab.press(tab.button("Keep what plays"))
    expect(favourites(tab)).to_have_count(2)
    for one in api.get("pins")["pins"]:
        api.tell("DELETE", f"pins/{one['slot']}")
    expect(favourites(tab)).to_have_count(0)
