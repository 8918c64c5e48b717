"""The screen "Play from this phone": files are sent, one after the other, and what is kept is shown."""

import pytest
from kit import sound, subject as subjects
from kit.api import API, base
from kit.waiting import until
from mock import Refusal
from playwright.sync_api import expect

FLAC = b"fLaC" + b"\0" * 1000


def files(*names, content=FLAC):
    return [{"name": name, "mimeType": "audio/flac", "buffer": content} for name in names]


def choose(page, *chosen, how=None):
    if how:
        page.get_by_label("When they have come").select_option(how)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose songs").click()
    assert chooser.value.is_multiple()
    chooser.value.set_files([one for group in chosen for one in group])


def jobs(page):
    return page.get_by_role("list", name="Songs on their way")


def kept(page):
    return page.get_by_role("list", name="Songs that are kept")


def uploads(mock):
    return [path for method, path, _ in mock.requests if method == "POST" and path.startswith("/api/v1/uploads?")]


def test_songs_are_sent_in_their_order_and_join_the_queue(mock, window):
    page = window("#/uploads")
    choose(page, files("One.flac", "Zwei & 2.flac", "Three.flac"), how="end")
    expect(jobs(page).get_by_role("listitem")).to_have_count(3)
    expect(jobs(page).get_by_text("In the queue")).to_have_count(3)
    assert [mock.tracks[one]["title"] for one in mock.sections["queue"]["ids"]] == ["One", "Zwei & 2", "Three"]
    places = [path.rsplit("place=", 1)[1] for path in uploads(mock)]
    assert places == ["0", "1", "2"] and len({path.split("batch=")[1].split("&")[0] for path in uploads(mock)}) == 1
    expect(kept(page).get_by_role("listitem")).to_have_count(3)
    expect(kept(page)).to_contain_text("In the queue")


def test_a_refusal_is_told_and_tried_again(mock, window):
    page = window("#/uploads")
    choose(page, files("text.flac", content=b"no song"), files("song.flac"))
    expect(jobs(page)).to_contain_text("This isn't an audio file.")
    expect(jobs(page).get_by_text("In the queue")).to_have_count(1)
    mock.refusals["POST", "/api/v1/uploads"] = Refusal(507, "disk-full", "The speaker's disk is full.")
    choose(page, files("more.flac"))
    expect(jobs(page)).to_contain_text("The speaker's disk is full.")
    mock.refusals.clear()
    page.get_by_role("button", name="Try more.flac again").click()
    expect(jobs(page).get_by_text("In the queue")).to_have_count(2)


def test_what_is_too_large_or_empty_is_not_sent(mock, window):
    mock.set("uploads", limit=500)
    page = window("#/uploads")
    choose(page, files("large.flac"), files("empty.flac", content=b""))
    expect(jobs(page)).to_contain_text("This file is larger than what is kept of all songs together.")
    expect(jobs(page)).to_contain_text("This file is empty.")
    assert uploads(mock) == []


def test_all_is_cancelled(mock, window):
    mock.refusals["POST", "/api/v1/uploads"] = 2.0
    page = window("#/uploads")
    choose(page, files("One.flac", "Two.flac", "Three.flac"))
    page.get_by_role("button", name="Cancel Two.flac").click()
    expect(jobs(page).get_by_text("Cancelled")).to_have_count(1)
    page.get_by_role("button", name="Cancel all").click()
    expect(jobs(page).get_by_text("Cancelled")).to_have_count(3)
    expect(page.get_by_role("button", name="Cancel all")).to_be_hidden()
    assert len(uploads(mock)) <= 1


def test_sending_goes_on_while_another_screen_is_shown(mock, window):
    mock.refusals["POST", "/api/v1/uploads"] = 0.5
    page = window("#/uploads")
    choose(page, files("One.flac", "Two.flac"), how="keep")
    page.goto(f"{mock.url}/#/queue")
    until(lambda: len(mock.songs) == 2, 8, "both songs")
    page.goto(f"{mock.url}/#/uploads")
    expect(jobs(page).get_by_text("Kept")).to_have_count(2)


def test_a_list_waits_for_its_songs(mock, window):
    page = window("#/uploads")
    lists = [{"name": "mix.m3u8", "mimeType": "audio/x-mpegurl", "buffer": b"#EXTM3U\nTwo.flac\nOne.flac\nLost.flac\n"}]
    choose(page, lists, files("One.flac", "Two.flac"), how="end")
    expect(jobs(page)).to_contain_text("2 tracks · Not among the songs that are kept: Lost.flac")
    assert [mock.tracks[one]["title"] for one in mock.sections["queue"]["ids"]] == ["Two", "One"]


def test_what_is_kept_is_deleted(mock, window):
    page = window("#/uploads")
    choose(page, files("One.flac", "Two.flac", "Three.flac"), how="keep")
    expect(kept(page).get_by_role("listitem")).to_have_count(3)
    page.get_by_role("button", name="Delete Two", exact=True).click()
    expect(kept(page).get_by_role("listitem")).to_have_count(2)
    kept(page).get_by_role("button", name="Add to queue").first.click()
    expect(kept(page).get_by_role("button", name="Delete Three")).to_be_disabled()
    page.get_by_role("status").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Delete what isn’t in the queue").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(kept(page).get_by_role("listitem")).to_have_count(1)


def test_names_of_strangers_are_text(mock, window):
    page = window("#/uploads")
    choose(page, files("<img src=x onerror=alert(1)>.flac"))
    expect(jobs(page)).to_contain_text("<img src=x onerror=alert(1)>.flac")
    expect(kept(page).get_by_role("listitem")).to_have_count(1)
    assert page.locator("vireo-uploads img").count() == 0


def test_the_way_there(mock, window):
    mock.set(uploads=True)
    page = window("#/now")
    page.get_by_role("link", name="Play from this phone").click()
    expect(page.get_by_role("heading", name="Play from this phone")).to_be_visible()
    page.goto(f"{mock.url}/#/library/servers")
    expect(page.get_by_role("link", name="Play from this phone")).to_be_visible()


def test_where_it_is_off_there_is_no_way_and_the_key_is_named(mock, window):
    mock.set("uploads", enabled=False)
    page = window("#/now")
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(page.get_by_role("link", name="Play from this phone")).to_be_hidden()
    page.goto(f"{mock.url}/#/library/servers")
    expect(page.get_by_role("link", name="Music on the shelf")).to_be_visible()
    expect(page.get_by_role("link", name="Play from this phone")).to_be_hidden()
    page.goto(f"{mock.url}/#/uploads")
    expect(page.get_by_text("[uploads] in the configuration")).to_be_visible()
    expect(page.get_by_role("button", name="Choose songs")).to_be_hidden()


def test_who_may_only_look_sends_nothing(mock, window):
    mock.set(access="view", uploads=True)
    page = window("#/uploads")
    expect(page.get_by_role("heading", name="Songs that are kept")).to_be_visible()
    expect(page.get_by_role("button", name="Choose songs")).to_be_hidden()


@pytest.mark.skipif(subjects.chosen().name != "vireod", reason="only vireod takes songs")
def test_the_daemon_plays_what_the_browser_sends(tabs, launch, own_host, cable, tmp_path):
    settings = {"uploads": {"enabled": True, "directory": tmp_path / "kept"}}
    api = API(base(launch(own_host, settings=settings).location(cable)))
    tab = tabs(api.base, "uploads")
    tab.expects("415", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    data = [sound.flac(sound.noise(20, seed=seed)) for seed in (1, 2)]
    choose(tab.page, [{"name": f"Song {number}.flac", "mimeType": "audio/flac", "buffer": one} for number, one in enumerate(data)],
           files("wrong.flac", content=b"<html>" * 500_000), how="now")
    expect(jobs(tab.page).get_by_text("In the queue")).to_have_count(2, timeout=15000)
    expect(jobs(tab.page)).to_contain_text("This isn't an audio file.", timeout=15000)
    player = api.wait(lambda player: player["state"] == "playing", 10)
    assert player["track"]["title"] == "Song 0" and api.titles() == ["Song 0", "Song 1"]
    assert api.get("uploads")["songs"] == 2
