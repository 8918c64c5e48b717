"""The party's screens: the host's, with the code that phones scan, and the guests'."""

import re
import struct
import subprocess

import numpy
import pytest
import zxingcpp
from kit import browser as browsers
from mock import Refusal
from playwright.sync_api import expect
from test_page_library import enter as open_album, library_api, street  # noqa: F401


def scan(picture):
    """What a camera reads in a picture (PNG)."""
    width, height = struct.unpack(">II", picture[16:24])
    grey = subprocess.run(["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "gray", "-"], input=picture, capture_output=True, check=True).stdout
    found = zxingcpp.read_barcodes(numpy.frombuffer(grey, numpy.uint8).reshape(height, width))
    return [one.text for one in found]


def requests_of(page):
    return page.get_by_role("list", name="Requests", exact=True)


def enter(page, name="Ann"):
    page.get_by_label("Your name, if you like").fill(name)
    page.get_by_role("button", name="Come in").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_host_starts_it_and_phones_can_scan_its_code(mock, window, scheme):
    page = window("#/party", color_scheme=scheme)
    page.get_by_role("button", name="Start: I accept each song").click()
    code = page.get_by_role("img", name="QR code")
    expect(code).to_be_visible()
    # This browser came by way of this machine's own address, which means nothing to a phone.
    address = "http://192.0.2.7:49494/#/party/ABCDEFGH"
    expect(code).to_have_attribute("aria-label", f"QR code: {address}")
    expect(page.get_by_role("link", name=address)).to_be_visible()
    assert scan(page.screenshot()) == [address]
    expect(page.get_by_text("ABCDEFGH", exact=True)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="0 guests")).to_be_visible()
    page.get_by_role("button", name="Songs join the queue at once").click()
    expect(page.get_by_role("button", name="Songs join the queue at once")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="End the party").click()
    expect(page.get_by_text("No party now")).to_be_visible()


def test_while_there_is_one_it_is_a_touch_away(mock, window):
    mock.fill()
    page = window()
    chip = page.locator("header").get_by_role("link", name="Party")
    expect(page.locator("html[data-link=live]")).to_be_attached()
    expect(chip).to_be_hidden()
    mock.start_party()
    chip.click()
    expect(page.get_by_role("heading", name="Party")).to_be_visible()
    page.goto(f"{mock.url}/#/queue")
    page.locator("main").get_by_role("link", name="Party").click()
    expect(page.get_by_role("heading", name="Party")).to_be_visible()


def test_a_guest_requests_and_the_host_accepts(mock, window):
    mock.fill()
    mock.start_party("ask")
    host = window("#/party")
    guest = window("#/party/abcd-efgh", viewport=browsers.PHONE_SIZE)
    enter(guest)
    expect(guest.get_by_role("status").filter(has_text="You may request 10 more songs")).to_be_visible()
    guest.get_by_role("link", name="Choose a song").click()
    guest.get_by_role("link").filter(has_text="Music on the shelf").click()
    for _ in range(4):
        if guest.locator("main").get_by_role("button", name="Request", exact=True).count():
            break
        guest.locator("main .rows .folder a").first.click()
        guest.wait_for_timeout(300)
    expect(guest.get_by_role("button", name="Add to queue")).to_have_count(0)
    guest.locator("main").get_by_role("button", name="Request", exact=True).first.click()
    expect(guest.locator("#toasts")).to_contain_text("Requested:")
    # The row asks how.
    guest.locator("main .rows button.what").nth(1).click()
    guest.get_by_role("dialog").get_by_role("button", name="Request as the next song").click()
    expect(guest.locator("#toasts")).to_contain_text("Requested:")
    rows = requests_of(host).get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("waits for the host")
    expect(rows.first).to_contain_text("Ann")
    host.get_by_role("button", name=re.compile("^Accept ")).first.click()
    expect(rows.first).to_contain_text("in the queue")
    host.get_by_role("button", name="Refuse").last.click()
    expect(rows.last).to_contain_text("refused")
    guest.locator("header").get_by_role("link", name="Party").click()
    mine = requests_of(guest).get_by_role("listitem")
    expect(mine.first).to_contain_text("in the queue")
    expect(mine.last).to_contain_text("refused")
    expect(guest.get_by_role("status").filter(has_text="You may request 8 more songs")).to_be_visible()
    guest.get_by_role("button", name="Withdraw").click()
    expect(mine).to_have_count(1)


def test_a_whole_evening(tabs, library_api):  # noqa: F811
    """With a speaker and a media server: the phone scans the host's screen, and what its owner wants is heard."""
    if library_api.get("party")["isRunning"]:
        library_api.tell("DELETE", "party")
    host = tabs(library_api.base, "party")
    host.button("Start: I accept each song").click()
    expect(host.page.get_by_role("img", name="QR code")).to_be_visible()
    (address,) = scan(host.page.screenshot())
    assert address == f"{library_api.base}/#/party/{library_api.get('party')['code']}"
    guest = tabs(library_api.base, None, **browsers.PHONE)
    guest.page.goto(address)
    enter(guest.page, "Ann")
    guest.page.get_by_role("link", name="Choose a song").tap()
    open_album(guest, "Music", "Album", "First Album")
    guest.main.get_by_role("button", name="Request", exact=True).first.tap()
    expect(guest.message).to_contain_text("Requested:")
    row = requests_of(host.page).get_by_role("listitem")
    expect(row).to_contain_text("Ann")
    host.button(re.compile("^Accept ")).click()
    # Nothing begins to play by itself.
    expect(row).to_contain_text("in the queue")
    library_api.tell("POST", "player/play")
    library_api.wait(lambda player: player["state"] == "playing")
    expect(row).to_contain_text("plays")
    title = library_api.get("party")["requests"][0]["title"]
    assert library_api.get("player")["track"]["title"] == title
    expect(guest.button("Next")).to_have_count(0)
    host.button("End the party").click()
    guest.go("now")
    expect(guest.button("Next").first).to_be_visible()


def test_a_guest_has_no_controls(mock, window):
    mock.fill()
    mock.start_party()
    page = window("#/party/ABCDEFGH", viewport=browsers.DESK_SIZE)
    enter(page, "")
    expect(page.get_by_role("link", name="Choose a song")).to_be_visible()
    for name in ("Play", "Pause", "Next", "Previous", "Stop", "Mute", "End the party"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    page.goto(f"{mock.url}/#/now")
    expect(page.get_by_role("button", name="Next", exact=True)).to_have_count(0)
    expect(page.locator("main").get_by_role("slider", name="Volume")).to_be_disabled()
    # Until he leaves, or the party ends.
    page.goto(f"{mock.url}/#/party")
    page.get_by_role("button", name="Leave the party").click()
    expect(page.get_by_role("button", name="End the party")).to_be_visible()
    page.goto(f"{mock.url}/#/party/ABCDEFGH")
    enter(page, "")
    expect(page.get_by_role("link", name="Choose a song")).to_be_visible()
    mock.set("party", isRunning=False, code=None)
    expect(page.get_by_text("This party is over")).to_be_visible()
    page.goto(f"{mock.url}/#/now")
    expect(page.get_by_role("button", name="Next", exact=True).first).to_be_visible()


def test_guests_vote_for_each_other(mock, window):
    mock.start_party()
    first = window("#/party/ABCDEFGH")
    enter(first, "Ann")
    expect(first.get_by_role("link", name="Choose a song")).to_be_visible()
    mock.set("party", requests=[{"id": 1, "guest": 9, "name": "Bob", "title": "His", "votes": 0, "next": False, "state": "queued"},
                                {"id": 2, "guest": 1, "title": "Hers", "votes": 0, "next": False, "state": "queued"}])
    vote = first.get_by_role("button", name="Vote for His")
    expect(first.get_by_role("button", name="Vote for Hers")).to_have_count(0)
    vote.click()
    expect(vote).to_have_attribute("aria-pressed", "true")
    expect(requests_of(first)).to_contain_text("1 vote")
    vote.click()
    expect(vote).to_have_attribute("aria-pressed", "false")


def test_limits_are_told(mock, window):
    mock.start_party()
    page = window("#/party/ABCDEFGH")
    enter(page)
    expect(page.get_by_role("link", name="Choose a song")).to_be_visible()
    mock.guests["token-1"]["left"] = 0
    mock.set("party")
    expect(page.get_by_role("status").filter(has_text="You may request another song at")).to_be_visible()


def test_a_wrong_code_is_told(mock, window):
    mock.start_party()
    page = window("#/party/WRONGONE")
    expect(page.get_by_text("This party is over")).to_be_visible()
    mock.refusals["POST", "/api/v1/party/guests"] = Refusal(429, "too-many-tries", "That was tried too often.")
    page.goto(f"{mock.url}/#/party/ABCDEFGH")
    enter(page)
    expect(page.locator("#toasts")).to_contain_text("That was tried too often.")


def test_a_room_that_listens_leads_to_the_hosts_party(mock, window):
    mock.set("rooms", party={"name": "Kitchen", "address": "http://192.0.2.8:49494/#/party/ABCDEFGH"})
    page = window("#/party")
    link = page.get_by_role("link", name="Party of Kitchen")
    expect(link).to_have_attribute("href", "http://192.0.2.8:49494/#/party/ABCDEFGH")
    mock.set_room("uuid:self", host="uuid:kitchen", hostName="Kitchen", state="playing")
    page.goto(f"{mock.url}/#/rooms")
    expect(page.locator("main").get_by_role("link", name="Party of Kitchen")).to_be_visible()


def test_hostile_names_stay_texts(mock, window):
    mock.start_party()
    words = "<img src=x onerror=alert(1)>\u202eabc"
    mock.set("party", requests=[{"id": 1, "guest": 9, "name": words, "title": words, "artist": words, "votes": 0, "next": False, "state": "queued"}])
    page = window("#/party")
    expect(requests_of(page)).to_contain_text("<img src=x")
    assert page.locator("main img[src=x]").count() == 0


@pytest.mark.parametrize("place", ["#/party", "#/party/ABCDEFGH"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(mock, window, place, scheme):
    from axe_playwright_python.sync_playwright import Axe
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

    def faults():
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response["violations"]
        return [f"{one['id']}: {[node['html'][:200] for node in one['nodes']]}" for one in found]
    page = window(place, color_scheme=scheme)
    expect(page.locator("main h1")).to_be_visible()
    page.wait_for_timeout(200)
    assert faults() == []
    mock.fill()
    mock.start_party("ask")
    if place != "#/party":
        expect(page.get_by_role("button", name="Come in")).to_be_visible()
        assert faults() == []
        enter(page)
    mock.set("party", requests=[{"id": 1, "guest": 9, "name": "Bob", "title": "His", "votes": 3, "next": False, "state": "asked"},
                                {"id": 2, "guest": 1, "title": "Hers", "votes": 0, "next": False, "state": "queued"}])
    expect(requests_of(page).get_by_role("listitem")).to_have_count(2)
    page.wait_for_timeout(200)
    assert faults() == []
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
