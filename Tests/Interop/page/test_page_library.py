"""The library: servers, folders, albums, search, the play menu; what it says when there is none or one falls silent."""

import re
import shutil
import time

import pytest
from kit import browser as browsers, media_libraries, netns
from kit.api import API, base
from kit.waiting import PATIENCE, until
from playwright.sync_api import expect


@pytest.fixture(scope="session")
def street(tmp_path_factory, launch_for_all):
    """A speaker and MiniDLNA on one network: both on hosts of their own would need a switch between them."""
    assert shutil.which("minidlnad"), "minidlnad isn't installed; make test-packages does that"
    host = netns.Host()
    link = host.link()
    music = media_libraries.shelf(tmp_path_factory.mktemp("shelf"))
    speaker = launch_for_all(link, "library", friendly_name="Library speaker", settings={"playlist": {"tracks-max": 1000}})
    server = media_libraries.MiniDLNA(host, link, tmp_path_factory.mktemp("minidlna"), music)
    yield speaker
    server.close()
    host.close()


@pytest.fixture
def library_api(street):
    api = API(base(street.shared_location))
    api.fresh()
    until(lambda: any(one["name"] == "Shelf" for one in api.get("servers")["servers"]), 15, "the server to be found", step=0.2)
    return api


@pytest.fixture(params=["laptop", "phone"])
def library_tab(request, tabs, library_api):
    return tabs(library_api.base, "library/servers", **(browsers.PHONE if request.param == "phone" else {}))


def servers(tab):
    return tab.main.get_by_role("list", name="Media servers", exact=True)


def enter(tab, *names):
    tab.press(servers(tab).get_by_role("link").filter(has_text="Shelf"))
    for name in names:
        tab.press(tab.main.get_by_role("link", name=name).first)


def test_the_server_is_listed_with_what_is_known(library_tab):
    row = servers(library_tab).get_by_role("listitem").filter(has_text="Shelf")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(re.compile("Last seen|seen"))
    expect(row).to_contain_text(re.compile("MiniDLNA|Windows", re.I))


def test_an_album_is_added_and_played_in_its_order(library_tab, library_api):
    """The task of a new user: find an album on a server and play it."""
    enter(library_tab, "Music", "Album", "First Album")
    expect(library_tab.main.locator("h1")).to_have_text("First Album")
    expect(library_tab.main.get_by_role("list", name="First Album").get_by_role("listitem")).to_have_count(len(media_libraries.FIRST))
    library_tab.press(library_tab.button("Add all", library_tab.main))
    until(lambda: library_api.titles() == media_libraries.FIRST, 10, "the album in its order")
    expect(library_tab.message).to_contain_text("First Album")
    library_tab.press(library_tab.button("Undo", library_tab.message))
    until(lambda: library_api.queue["ids"] == [], 5, "nothing")
    library_tab.press(library_tab.button("Play all", library_tab.main))
    library_api.wait(lambda player: player["state"] in ("playing", "stopped") and player.get("track", {}).get("title") in media_libraries.FIRST)
    assert library_api.titles() == media_libraries.FIRST


def test_one_track_is_added_and_the_menu_does_the_rest(library_tab, library_api):
    enter(library_tab, "Music", "Album", "Second Album")
    rows = library_tab.main.get_by_role("list", name="Second Album").get_by_role("listitem")
    expect(rows).to_have_count(3)
    for row in rows.all():
        expect(library_tab.button("Add to queue", row)).to_have_count(1)
        expect(library_tab.button("More", row)).to_have_count(1)
    library_tab.press(library_tab.button("Add to queue", rows.nth(1)))
    until(lambda: library_api.titles() == ["Hill"], 5, "the track")

    def choose(row, how):
        library_tab.press(library_tab.button("More", rows.nth(row)))
        library_tab.button(how, library_tab.page.get_by_role("dialog")).click()
        expect(library_tab.page.get_by_role("dialog")).to_have_count(0)
    choose(2, "Add at the end")
    until(lambda: library_api.titles() == ["Hill", "Brook"], 5, "the other behind it")
    choose(0, "Play now")
    library_api.wait(lambda player: player.get("track", {}).get("title") == "Ocean")
    choose(0, "Replace the queue")
    until(lambda: library_api.titles() == ["Ocean"], 5, "that alone")
    choose(1, "Play next")
    until(lambda: library_api.titles() == ["Ocean", "Hill"], 5, "the track behind the present one")


def test_an_album_by_keys_alone(tabs, library_api):
    tab = tabs(library_api.base, "library/servers")

    def press(locator, key="Enter"):
        expect(locator).to_be_visible()
        tab.tab_to(locator)
        tab.page.keyboard.press(key)
    press(servers(tab).get_by_role("link").filter(has_text="Shelf"))
    for name in ("Music", "Album", "Second Album"):
        press(tab.main.get_by_role("link", name=name).first)
        expect(tab.main.locator("h1")).to_have_text(name)
    press(tab.button("Add all", tab.main))
    until(lambda: library_api.titles() == media_libraries.SECOND, 5, "the album")
    press(tab.button("More", tab.main.get_by_role("list", name="Second Album").get_by_role("listitem").nth(1)))
    dialog = tab.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    press(tab.button("Play now", dialog))
    expect(dialog).to_have_count(0)
    library_api.wait(lambda player: player.get("track", {}).get("title") == "Hill")
    focused = tab.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert focused == "More", f"the focus went to {focused}"


def test_a_long_folder_loads_as_it_is_scrolled(library_tab):
    enter(library_tab, "Music", "Album", "Many")
    rows = library_tab.main.get_by_role("list", name="Many", exact=True).get_by_role("listitem")
    expect(rows.first).to_contain_text("Piece 000")
    assert rows.count() < len(media_libraries.MANY)

    def bottom():
        library_tab.page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
        return rows.count() == len(media_libraries.MANY)
    until(bottom, 10, "all rows", step=0.1)
    assert [row.split("\n")[0] for row in rows.locator(".words").all_inner_texts()] == media_libraries.MANY


def test_search(library_tab):
    enter(library_tab)
    field = library_tab.main.get_by_role("searchbox", name="Search")
    field.fill("Zebra")
    rows = library_tab.main.locator("ul.rows").get_by_role("listitem")
    expect(rows.first).to_contain_text("Zebra")
    field.fill("no such thing anywhere")
    expect(library_tab.main).to_contain_text("Nothing found")
    field.fill("First Album")
    library_tab.press(library_tab.button("Albums", library_tab.main))
    expect(rows.first).to_contain_text("First Album")
    expect(rows).to_have_count(1)


def test_the_way_back_and_what_is_remembered(library_tab, tabs):
    enter(library_tab, "Music", "Album", "First Album")
    expect(library_tab.main.locator("h1")).to_have_text("First Album")
    address = library_tab.page.url
    library_tab.page.go_back()
    expect(library_tab.main.locator("h1")).to_have_text("Album")
    library_tab.page.go_forward()
    expect(library_tab.main.locator("h1")).to_have_text("First Album")
    library_tab.main.get_by_role("navigation", name="Path").get_by_role("link").filter(has_text="Album").first.click()
    expect(library_tab.main.locator("h1")).to_have_text("Album")
    library_tab.page.goto(address)
    expect(library_tab.main.locator("h1")).to_have_text("First Album")
    library_tab.link("queue")
    library_tab.link("library")
    expect(library_tab.main.locator("h1")).to_have_text("First Album")
    # A link is for others too.
    shared = tabs(library_tab.base, None)
    shared.page.goto(address)
    expect(shared.main.locator("h1")).to_have_text("First Album")


def test_no_server_says_so_and_keeps_looking(tab, tabs, api):
    began = time.monotonic()
    tab.link("library")
    expect(tab.main).to_contain_text("No media server found yet", timeout=2000 * PATIENCE)
    assert time.monotonic() - began < 2.5 * PATIENCE
    reason = api.get("servers").get("problem")
    assert reason
    expect(tab.main).to_contain_text(reason)
    expect(tab.main).to_contain_text("Still looking")
    expect(tab.button("Search again", tab.main)).to_be_enabled()
    tab.button("Search again", tab.main).click()
    expect(tab.main).to_contain_text("No media server found yet")


def test_a_server_that_comes_later_appears_and_one_that_goes_stays_grey(launch, tmp_path, make_host, tabs):
    """The list stays while somebody looks at it; then the server doesn't answer, and again it does."""
    host = make_host()
    link = host.link()
    speaker = launch(host)
    tab = tabs(base(speaker.location(link)), "library")
    expect(tab.main).to_contain_text("No media server found yet")
    music = tmp_path / "music"
    music.mkdir()
    media_libraries.album(music, "A Band", "An Album", ["One", "Two"])
    server = media_libraries.MiniDLNA(host, link, tmp_path / "minidlna", music)
    try:
        row = servers(tab).get_by_role("link").filter(has_text="Shelf")
        expect(row).to_be_visible()
        api = API(tab.base)
        udn = api.get("servers")["servers"][0]["udn"]
        until(lambda: api.get(f"servers/{udn}/search?q=Two")["objects"], 30, "the scan", step=0.3)
        row.click()
        tab.main.get_by_role("link", name="Music").click()
        tab.main.get_by_role("link", name="Album").first.click()
        tab.main.get_by_role("link", name="An Album").first.click()
        expect(tab.main).to_contain_text("Two")
        tab.expects("status of 404", "status of 502")
        server.process.kill()
        server.process.wait(10)
        tab.main.get_by_role("navigation", name="Path").get_by_role("link").filter(has_text="Music").click()
        expect(tab.main).to_contain_text(re.compile("doesn’t answer|doesn't answer|has left|isn't there|is not there"))
        expect(tab.button("Try again", tab.main)).to_be_visible()
    finally:
        server.close()
