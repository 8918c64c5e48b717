"""The System screen: what is reported of what was heard, and its pause."""

from mock import Refusal
from playwright.sync_api import expect


def panel(page):
    return page.locator("section.panel").filter(has=page.get_by_role("heading", name="Reports of what was heard"))


def test_reports_are_shown(mock, window):
    page = window("#/system")
    reports = panel(page)
    expect(reports).to_contain_text("listenbrainz")
    expect(reports).to_contain_text("later · 12 wait · it answers 500")
    reports.locator("summary").filter(has_text="Last sent").click()
    expect(reports.get_by_role("list", name="Last sent").get_by_role("listitem")).to_have_count(3)
    expect(reports).to_contain_text("Ida Sørensen · Harbour")


def test_where_nothing_is_reported_there_is_no_panel(mock, window):
    mock.reports = {"enabled": False, "clock": True, "servers": [], "sent": []}
    page = window("#/system")
    expect(page.get_by_role("heading", name="Diagnosis").or_(page.get_by_role("heading", name="System"))).to_be_visible()
    expect(panel(page)).to_have_count(0)


def test_reports_are_paused_and_go_on(mock, window):
    mock.fill()
    page = window("#/system")
    panel(page).get_by_role("button", name="Pause for an hour").click()
    expect(panel(page)).to_contain_text("Paused until")
    panel(page).get_by_role("button", name="Go on").click()
    expect(panel(page)).not_to_contain_text("Paused")
    panel(page).get_by_role("button", name="Pause for this album").click()
    expect(panel(page)).to_contain_text("Paused while “")
    assert [(path, body) for method, path, body in mock.requests if method == "POST"] == [
        ("/api/v1/reports/pause", {"for": "hour"}), ("/api/v1/reports/resume", None), ("/api/v1/reports/pause", {"for": "album"})]


def test_a_refusal_is_told(mock, window):
    mock.refusals["POST", "/api/v1/reports/pause"] = Refusal(409, "no-album", "What plays names no album.")
    page = window("#/system")
    panel(page).get_by_role("button", name="Pause for this album").click()
    expect(page.get_by_text("What plays names no album.")).to_be_visible()


def test_who_may_only_look_sees_no_buttons(mock, window):
    mock.set(access="view")
    page = window("#/system")
    expect(panel(page)).to_be_visible()
    expect(panel(page).get_by_role("button", name="Pause for an hour")).to_be_hidden()


def test_an_unset_clock_is_told(mock, window):
    mock.reports["clock"] = False
    page = window("#/system")
    expect(panel(page)).to_contain_text("They wait until the speaker knows the time.")
