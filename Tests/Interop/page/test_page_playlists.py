"""Playlists on the page: save, add, play, reorder by buttons, keys and mouse, rename, delete, files out and in."""

import re
from pathlib import Path

import pytest
from kit import browser as browsers
from kit.waiting import until
from playwright.sync_api import expect


@pytest.fixture
def lists(api):
    """The API of a speaker that keeps no playlists."""
    def clear():
        for one in api.get("playlists")["playlists"]:
            api.tell("DELETE", f"playlists/{one['id']}")
    clear()
    yield api
    clear()


def kept(api):
    return {one["name"]: one for one in api.get("playlists")["playlists"]}


def titles(api, name):
    one = kept(api)[name]
    return [track["title"] for track in api.get(f"playlists/{one['id']}/tracks")["tracks"]]


def create(api, songs, name, *names):
    items = [{**songs[0], "title": title} for title in names]
    return api.tell("POST", "playlists", {"name": name, **({"items": items} if items else {})})["playlist"]["id"]


def rows(tab, name="Playlists"):
    return tab.main.get_by_role("list", name=name, exact=True).get_by_role("listitem")


def shown(tab, name):
    return [text.strip() for text in rows(tab, name).locator(".words b").all_inner_texts()]


@pytest.fixture(params=["laptop", "phone"])
def some_tab(request, tabs, lists):
    return tabs(lists.base, **(browsers.PHONE if request.param == "phone" else {}))


def test_the_queue_is_saved_found_and_played(some_tab, lists, songs):
    tab = some_tab
    lists.play(*songs, how="end")
    tab.go("queue")
    tab.press(tab.button("Save as playlist", tab.main))
    dialog = tab.page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Evening <b>")
    tab.press(tab.button("Save", dialog))
    expect(dialog).to_have_count(0)
    expect(tab.message).to_contain_text("Saved: Evening <b>")
    until(lambda: kept(lists)["Evening <b>"]["count"] == 3, 5, "the playlist")
    lists.tell("DELETE", "queue")
    # It is reached from the library.
    tab.go("library/servers")
    tab.press(tab.main.get_by_role("link", name="Playlists"))
    expect(rows(tab)).to_have_count(1)
    expect(rows(tab)).to_contain_text("3 tracks · 3:00")
    tab.press(tab.main.get_by_role("link", name=re.compile("Evening")))
    expect(tab.main.locator("h1")).to_have_text("Evening <b>")
    expect(rows(tab, "Evening <b>")).to_have_count(3)
    tab.press(tab.button("Play all", tab.main))
    lists.wait(lambda player: player["state"] == "playing" and player["track"]["title"] == "Zebra")
    if not tab._has_touch:
        rows(tab, "Evening <b>").nth(2).hover()
    tab.press(tab.button("Play from here", rows(tab, "Evening <b>").nth(2)))
    lists.wait(lambda player: player["state"] == "playing" and player["track"]["title"] == "Mango")
    assert len(lists.queue["ids"]) == 3


def test_a_name_is_taken_once(tab, lists, songs):
    create(lists, songs, "Evening", "A")
    lists.play(*songs, how="end")
    tab.go("queue")
    tab.button("Save as playlist", tab.main).click()
    dialog = tab.page.get_by_role("dialog")
    tab.expects("409")
    dialog.get_by_label("Name").fill("evening")
    dialog.get_by_label("Name").press("Enter")
    expect(tab.message).to_contain_text("a playlist of that name already")
    dialog.get_by_label("Name").fill("Morning")
    dialog.get_by_label("Name").press("Enter")
    expect(dialog).to_have_count(0)
    assert set(kept(lists)) == {"Evening", "Morning"}


def test_chosen_tracks_are_added_to_one(tab, lists, songs):
    create(lists, songs, "Evening", "A")
    lists.play(*songs, how="end")
    tab.go("queue")
    tab.button("Select", tab.main).click()
    for number in (0, 2):
        tab.rows.nth(number).get_by_role("checkbox").check()
    tab.button("Add to playlist …", tab.main).click()
    tab.button("Evening", tab.page.get_by_role("dialog")).click()
    expect(tab.message).to_contain_text("Added 2 tracks to Evening.")
    assert titles(lists, "Evening") == ["A", "Zebra", "Mango"]


def by_buttons(tab, row, places):
    for step in range(abs(places)):
        place = row + (step if places > 0 else -step)
        tab.button("Move up" if places < 0 else "Move down", rows(tab, "Evening").nth(place)).click()


def by_keys(tab, row, places):
    tab.tab_to(tab.button("Play from here", rows(tab, "Evening").nth(row)))
    for _ in range(abs(places)):
        tab.page.keyboard.press("Alt+ArrowUp" if places < 0 else "Alt+ArrowDown")


def by_mouse(tab, row, places):
    grip = rows(tab, "Evening").nth(row).locator(".grip")
    box, height = grip.bounding_box(), rows(tab, "Evening").nth(row).bounding_box()["height"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    for step in range(1, 11):
        tab.page.mouse.move(x, y + height * places * step / 10)
    tab.page.mouse.up()


@pytest.mark.parametrize("way", [by_buttons, by_keys, by_mouse])
def test_the_order(tab, lists, songs, way):
    one = create(lists, songs, "Evening", "A", "B", "C", "D")
    tab.go(f"playlists/{one}")
    expect(rows(tab, "Evening")).to_have_count(4)
    way(tab, 0, 2)
    until(lambda: titles(lists, "Evening") == ["B", "C", "A", "D"], 5, "the new order")
    way(tab, 3, -3)
    until(lambda: titles(lists, "Evening") == ["D", "B", "C", "A"], 5, "the new order")
    assert shown(tab, "Evening") == ["D", "B", "C", "A"]
    tab.button("Remove", rows(tab, "Evening").nth(1)).click()
    until(lambda: titles(lists, "Evening") == ["D", "C", "A"], 5, "one track fewer")
    assert shown(tab, "Evening") == ["D", "C", "A"]


def test_edits_belong_to_the_list_that_was_shown(tab, lists, songs):
    """The network is slow, and another playlist is opened before the edits are answered."""
    one = create(lists, songs, "Evening", "A", "B", "C", "D")
    other = create(lists, songs, "Morning", "X", "Y")
    tab.go(f"playlists/{one}")
    tab.page.evaluate("""() => {
      const real = window.fetch;
      window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (String(address).endsWith('/remove')) await new Promise((done) => setTimeout(done, 800));
        return answer;
      };
    }""")
    expect(rows(tab, "Evening")).to_have_count(4)
    for _ in range(2):
        tab.button("Remove", rows(tab, "Evening").nth(0)).click()
    tab.page.evaluate(f"location.hash = '#/playlists/{other}'")
    until(lambda: titles(lists, "Evening") == ["C", "D"], 8, "both edits")
    expect(rows(tab, "Morning")).to_have_count(2)
    assert shown(tab, "Morning") == titles(lists, "Morning") == ["X", "Y"]


def test_pages_are_in_step(tab, tabs, lists, songs):
    one = create(lists, songs, "Evening", "A", "B")
    tab.go(f"playlists/{one}")
    other = tabs(lists.base, "playlists")
    expect(rows(other)).to_have_count(1)
    items = [{**songs[0], "title": "C"}]
    lists.tell("POST", f"playlists/{one}/tracks", {"items": items})
    until(lambda: shown(tab, "Evening") == ["A", "B", "C"], 3, "the third track")
    expect(rows(other)).to_contain_text("3 tracks")
    lists.tell("DELETE", f"playlists/{one}")
    expect(other.main).to_contain_text("No playlists yet")


def test_one_is_a_favourite(tab, lists, songs):
    create(lists, songs, "Evening", "One", "Two")
    tab.go("playlists")
    tab.press(tab.button("More: Evening", tab.main))
    tab.press(tab.button("Keep as favourite", tab.page.get_by_role("dialog")))
    expect(tab.message).to_contain_text("Evening")
    [pin] = lists.get("pins")["pins"]
    try:
        assert (pin["mode"], pin["title"]) == ("playlist", "Evening")
        lists.tell("DELETE", "queue")
        lists.tell("POST", f"pins/{pin['id']}/play")
        queue = lists.get("queue")
        assert [one["title"] for one in lists.get(f"queue/tracks?ids={','.join(map(str, queue['ids']))}")["tracks"]] == ["One", "Two"]
        # Among others it is all its tracks, too.
        lists.tell("POST", "play", {"items": [{"pin": pin["id"]}, {**songs[0], "title": "Three"}], "how": "end"})
        assert len(lists.get("queue")["ids"]) == 5
    finally:
        lists.tell("DELETE", f"pins/{pin['slot']}")


def test_rename_and_delete(tab, lists, songs):
    create(lists, songs, "Evening", "A")
    tab.go("playlists")
    tab.button("More: Evening", tab.main).click()
    tab.button("Rename", tab.page.get_by_role("dialog")).click()
    field = tab.page.get_by_role("dialog").get_by_label("Name")
    expect(field).to_have_value("Evening")
    field.fill("Morning")
    field.press("Enter")
    expect(rows(tab)).to_contain_text("Morning")
    tab.button("More: Morning", tab.main).click()
    tab.button("Delete", tab.page.get_by_role("dialog")).click()
    expect(tab.page.get_by_role("dialog")).to_contain_text("Delete “Morning”?")
    tab.button("Cancel", tab.page.get_by_role("dialog")).click()
    assert set(kept(lists)) == {"Morning"}
    tab.button("More: Morning", tab.main).click()
    tab.button("Delete", tab.page.get_by_role("dialog")).click()
    tab.button("Delete", tab.page.get_by_role("dialog")).click()
    expect(tab.main).to_contain_text("No playlists yet")
    assert not kept(lists)


@pytest.mark.parametrize("form", ["M3U8", "XSPF"])
def test_files_go_out_and_in(tab, lists, songs, form, tmp_path):
    create(lists, songs, "Evening", "A & B", "“Ö”")
    tab.go("playlists")
    tab.button("More: Evening", tab.main).click()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("dialog").get_by_role("link", name=f"Save as {form} file").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == f"Evening.{form.lower()}"
    tab.page.keyboard.press("Escape")
    with tab.page.expect_file_chooser() as chooser:
        tab.button("Import a file", tab.main).click()
    chooser.value.set_files(path)
    expect(rows(tab)).to_have_count(2)
    assert titles(lists, "Evening 2") == titles(lists, "Evening") == ["A & B", "“Ö”"]


def test_a_long_file_comes_in_parts(tab, lists, tmp_path):
    text = "#EXTM3U\n" + "".join(f"#EXTINF:1,Song {number}\nhttp://192.0.2.1/{'x' * 40}/{number}\n" for number in range(2500))
    path = Path(tmp_path) / "Long.m3u"
    path.write_text(text)
    tab.go("playlists")
    with tab.page.expect_file_chooser() as chooser:
        tab.button("Import a file", tab.main).click()
    chooser.value.set_files(path)
    until(lambda: kept(lists).get("Long", {}).get("count") == 2500, 10, "all of it")
    tab.page.evaluate("() => 0")  # what was asked is told
    assert sum(1 for method, address in tab.requests if method == "POST" and "/playlists" in address) > 2
    # Rows come as they are needed.
    tab.page.get_by_role("link", name=re.compile("Long")).click()
    expect(rows(tab, "Long")).to_have_count(100)
    tab.page.mouse.wheel(0, 100_000)
    until(lambda: rows(tab, "Long").count() > 100, 5, "further rows")


def test_what_is_no_list_says_so(tab, lists, tmp_path):
    path = Path(tmp_path) / "letter.m3u"
    path.write_bytes(b"Dear friend, \xfc\n")
    tab.go("playlists")
    tab.expects("422")
    with tab.page.expect_file_chooser() as chooser:
        tab.button("Import a file", tab.main).click()
    chooser.value.set_files(path)
    expect(tab.message).to_contain_text("no list of tracks")
    assert not kept(lists)


def test_nothing_is_missing_for_those_who_can_not_see(tab, lists, songs):
    one = create(lists, songs, "Evening", "A", "B")
    for place in ("playlists", f"playlists/{one}"):
        tab.go(place)
        expect(tab.main.locator("h1")).not_to_have_text("…")
        assert tab.axe() == []
    tab.go("playlists")
    tab.button("More: Evening", tab.main).click()
    assert tab.axe() == []
