"""Rooms that play together: who is in which group, joining and leaving, volumes, what each reports, the next titles."""

import re

import pytest
from kit import browser as browsers
from kit.waiting import until
from playwright.sync_api import expect

SELF, KITCHEN = "uuid:self", "uuid:kitchen"


def card(page, name):
    """The card of a renderer, or of the group that it plays for."""
    return page.get_by_role("list", name="Rooms", exact=True).locator("> li").filter(has=page.get_by_role("heading", name=name, exact=True))


def members(page, name):
    """The rooms of a group, the one that plays first."""
    return card(page, name).get_by_role("list", name="Rooms that play together").locator("> li")


def member(page, host, name):
    return members(page, host).filter(has=page.locator("b").get_by_text(name, exact=True))


def join(mock, udn, host=SELF, name="Living Room"):
    mock.set_room(udn, host=host, hostName=name, state="playing")


def asked(mock, method, path):
    """The bodies of requests of that kind."""
    return [body for verb, where, body in mock.requests if (verb, where) == (method, f"/api/v1/{path}")]


@pytest.mark.parametrize("way", ["touch", "keys"])
def test_a_room_joins_and_leaves_by_one_press(mock, window, way):
    page = window("#/rooms", has_touch=way == "touch")
    expect(card(page, "Kitchen")).to_be_visible()

    def press(button):
        if way == "touch":
            return button.tap()
        button.focus()
        page.keyboard.press("Enter")
    # There is one that it can join.
    press(card(page, "Kitchen").get_by_role("button", name="Join Living Room"))
    until(lambda: asked(mock, "POST", "rooms/uuid%3Akitchen/join") == [{"host": SELF}], 5, "the request")
    expect(members(page, "Living Room")).to_have_count(2)
    expect(members(page, "Living Room").nth(0)).to_contain_text("Plays for all")
    expect(members(page, "Living Room").nth(1)).to_contain_text("Kitchen")
    expect(card(page, "Kitchen")).to_have_count(0)
    press(member(page, "Living Room", "Kitchen").get_by_role("button", name="Leave"))
    expect(card(page, "Kitchen").get_by_role("button", name="Join Living Room")).to_be_visible()
    expect(members(page, "Living Room")).to_have_count(0)


def test_one_of_several_is_chosen(mock, window):
    mock.add_room("uuid:study", "Study")
    page = window("#/rooms")
    card(page, "Study").get_by_role("button", name="Join …").click()
    choice = page.get_by_role("dialog", name="Study joins")
    expect(choice.get_by_role("button", name="Living Room")).to_be_visible()
    choice.get_by_role("button", name="Kitchen").click()
    until(lambda: asked(mock, "POST", "rooms/uuid%3Astudy/join") == [{"host": KITCHEN}], 5, "the request")
    expect(member(page, "Kitchen", "Study")).to_be_visible()
    # Whoever listens isn't one to join.
    expect(card(page, "Living Room").get_by_role("button", name="Join Kitchen")).to_be_visible()


def test_only_rooms_can_join(mock, window):
    page = window("#/rooms")
    for name in ("Television", "Bathroom"):
        expect(card(page, name)).to_be_visible()
        expect(card(page, name).get_by_role("button", name=re.compile("Join"))).to_have_count(0)
    mock.set_room(KITCHEN, canSend=False)
    expect(card(page, "Living Room").get_by_role("button", name=re.compile("Join"))).to_have_count(0)
    expect(card(page, "Kitchen").get_by_role("button", name="Join Living Room")).to_be_visible()
    mock.set_room(KITCHEN, canReceive=False)
    expect(card(page, "Kitchen").get_by_role("button", name=re.compile("Join"))).to_have_count(0)


def test_what_is_refused_is_said(mock, window):
    from mock import Refusal
    mock.refusals["POST", "/api/v1/rooms/uuid%3Akitchen/join"] = Refusal(409, "no-group", "Living Room doesn't send: its sender is switched off.")
    page = window("#/rooms")
    card(page, "Kitchen").get_by_role("button", name="Join Living Room").click()
    expect(page.get_by_text("its sender is switched off")).to_be_visible()
    expect(card(page, "Kitchen")).to_be_visible()


def test_volumes_of_a_group_and_of_its_rooms(mock, window):
    join(mock, KITCHEN)
    page = window("#/rooms")
    group = card(page, "Living Room").get_by_role("slider", name="Volume of the group")
    expect(group).to_have_value("34")
    group.fill("44")
    until(lambda: mock.room_of(KITCHEN)["volume"] == 32, 5, "the other room")
    assert mock.room_of(SELF)["volume"] == 44
    kitchen = member(page, "Living Room", "Kitchen")
    # This speaker's own volume is shown in both places, and the other one's stays where it is.
    member(page, "Living Room", "Living Room").get_by_role("slider", name="Volume of Living Room").fill("20")
    until(lambda: mock.sections["player"]["volume"] == 20, 5, "this speaker's volume")
    assert mock.room_of(KITCHEN)["volume"] == 32
    kitchen.get_by_role("slider", name="Volume of Kitchen").fill("10")
    until(lambda: mock.room_of(KITCHEN)["volume"] == 10, 5, "the other's volume")
    kitchen.get_by_role("button", name="Mute Kitchen").click()
    expect(kitchen.get_by_role("button", name="Mute Kitchen")).to_have_attribute("aria-pressed", "true")
    mute = card(page, "Living Room").get_by_role("button", name="Mute the group")
    expect(mute).to_have_attribute("aria-pressed", "false")
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "true")
    assert mock.room_of(SELF)["muted"] and mock.room_of(KITCHEN)["muted"]
    assert asked(mock, "PATCH", "rooms/uuid%3Aself/group")[-1] == {"muted": True}


@pytest.mark.parametrize("report, words", [
    ({}, "In step, within 0.2 ms"),
    ({"offset": -40, "p95": 12}, "In step, within 0.1 ms"),
    ({"offset": 1400, "p95": 900}, "In step, within 1.4 ms"),
    ({"offset": 7000, "p95": 9100}, "Out of step by 9.1 ms"),
    ({"loss": 3}, "Some sound was lost"),
    ({"state": "joining"}, "Getting in step …"),
    ({"state": "ready"}, "Ready to begin"),
    ({"state": "silent"}, "Waiting for sound"),
    ({"seen": 7}, "Last heard of 7 sec. ago"),
])
def test_what_a_room_reports(mock, window, report, words):
    mock.room_figures[KITCHEN] = report
    join(mock, KITCHEN)
    page = window("#/rooms")
    expect(member(page, "Living Room", "Kitchen").get_by_text(words, exact=True)).to_be_visible()


def test_the_figures_stay_open_while_they_change(mock, window):
    mock.room_figures[KITCHEN] = {"offset": -84, "p95": 190, "loss": 2, "lost": 41, "repaired": 3, "buffer": 120400}
    join(mock, KITCHEN)
    page = window("#/rooms")
    kitchen = member(page, "Living Room", "Kitchen")
    figures = kitchen.locator("details")
    expect(figures.locator("dl")).to_be_hidden()
    kitchen.get_by_text("Some sound was lost").focus()
    page.keyboard.press("Enter")
    for label, value in {"Now": "0.08 ms late", "95% of the time within": "0.19 ms", "Lost in 10 s": "0.2%; packets in all: 41 lost, 3 sent again", "Buffer": "120 ms"}.items():
        expect(figures.locator("dl > div").filter(has=page.locator("dt").get_by_text(label, exact=True))).to_contain_text(value)
    mock.room_figures[KITCHEN] = {"offset": 220, "p95": 240}
    expect(figures).to_contain_text("0.22 ms early")
    expect(kitchen.get_by_text("In step, within 0.3 ms")).to_be_focused()


def test_without_reports_the_state_is_said(mock, window):
    """Of a group of others nothing is known here, and of a room that isn't a Vireo neither."""
    mock.add_room("uuid:study", "Study")
    join(mock, "uuid:study", KITCHEN, "Kitchen")
    page = window("#/rooms")
    study = member(page, "Kitchen", "Study")
    expect(study).to_contain_text("Playing")
    mock.set_room("uuid:study", state="waiting")
    expect(study).to_contain_text("Waiting for sound")
    page.wait_for_timeout(700)
    assert not asked(mock, "GET", "rooms/reports")


def test_a_room_that_listens_shows_what_comes_next(mock, window):
    mock.set("rooms", next=[{"title": "First of it", "artist": "Somebody"}, {"title": "<b>Second</b>"}])
    page = window("#/rooms")
    expect(card(page, "Kitchen")).to_be_visible()
    expect(page.get_by_role("list", name="Up next")).to_have_count(0)
    join(mock, SELF, KITCHEN, "Kitchen")
    titles = card(page, "Kitchen").get_by_role("list", name="Up next").get_by_role("listitem")
    expect(titles).to_have_text(["First of itSomebody", "<b>Second</b>"])
    expect(member(page, "Kitchen", "Living Room").get_by_text("In step, within 0.2 ms")).to_be_visible()
    mock.set("rooms", next=[{"title": "<b>Second</b>"}])
    expect(titles).to_have_text(["<b>Second</b>"])
    mock.set("rooms", next=None)
    expect(page.get_by_text("Up next")).to_be_hidden()


def test_what_listens_to_something_unknown_can_leave(mock, window):
    mock.set_room(KITCHEN, hostName="A computer", state="playing")
    page = window("#/rooms")
    kitchen = card(page, "Kitchen")
    expect(kitchen).to_contain_text("listens to A computer")
    kitchen.get_by_role("button", name="Leave").click()
    until(lambda: "hostName" not in mock.room_of(KITCHEN), 5, "it leaves")
    expect(kitchen.get_by_role("button", name="Leave")).to_be_hidden()


def test_rooms_that_listen_to_each_other_are_both_shown(mock, window):
    join(mock, SELF, KITCHEN, "Kitchen")
    join(mock, KITCHEN)
    page = window("#/rooms")
    for name in ("Living Room", "Kitchen"):
        expect(card(page, name).get_by_role("button", name="Leave")).to_be_visible()


def test_a_page_that_may_only_look(mock, window):
    join(mock, KITCHEN)
    mock.add_room("uuid:study", "Study")
    mock.set(access="view")
    page = window("#/rooms")
    kitchen = member(page, "Living Room", "Kitchen")
    expect(kitchen).to_contain_text("In step")
    expect(kitchen.get_by_role("slider")).to_be_disabled()
    expect(page.get_by_role("button", name=re.compile("Leave|Join|Mute"))).to_have_count(0)
    expect(card(page, "Living Room").get_by_role("slider", name="Volume of the group")).to_be_disabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [browsers.PHONE_SIZE, browsers.DESK_SIZE, {"width": 320, "height": 568}])
def test_axe_finds_nothing_and_all_fits(mock, window, scheme, size):
    mock.add_room("uuid:study", "Study")
    mock.add_room("uuid:hall", "A hall with quite a long name, as people have it")
    join(mock, "uuid:study")
    join(mock, SELF, KITCHEN, "Kitchen")
    join(mock, "uuid:hall", KITCHEN, "Kitchen")
    mock.set("rooms", next=[{"title": "A long title " * 9, "artist": "Somebody with a long name"}])
    mock.set_room(SELF, host=None, hostName=None)
    page = window("#/rooms", color_scheme=scheme, viewport=size)
    expect(member(page, "Living Room", "Study")).to_contain_text("In step")
    page.locator("summary:visible").first.click()
    tab = type("Tab", (), {"page": page})
    found = browsers.Tab.axe(tab)
    join(mock, SELF, KITCHEN, "Kitchen")
    expect(page.get_by_role("list", name="Up next")).to_be_visible()
    found += browsers.Tab.axe(tab)
    assert not found, "\n".join(found)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl"])
def test_the_words_of_a_group_fit_in_all_languages(mock, window, language):
    mock.fill()
    mock.add_room("uuid:study", "Study")
    join(mock, KITCHEN)
    page = window("#/rooms", locale=language, viewport={"width": 320, "height": 700})
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("summary:visible")).to_be_visible()
    page.locator("summary:visible").click()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    assert "{" not in page.locator("main").inner_text()
