"""Who wants to be alone: pauses by the API and by vireoctl, what was sent last, and what nobody is shown."""

import hashlib
import json
import shlex
import subprocess

import pytest
from kit import http, vireoctl
from kit.page_api import PageAPI, Refused
from kit.report_server import Answer
from kit.subject import ROOT
from kit.vireoctl import REFUSED, USAGE, Vireoctl
from kit.waiting import until


@pytest.fixture
def listener(listen, listenbrainz):
    return listen(listenbrainz)


@pytest.fixture
def api(listener):
    return PageAPI(listener.speaker.location)


@pytest.fixture
def ctl(listener, tmp_path):
    if vireoctl.program() is None:
        pytest.skip("vireoctl isn't built")
    return Vireoctl(tmp_path, "-r", listener.speaker.location)


def test_what_was_sent_is_shown(listener, api, server):
    listener.hear(*[f"Song {number}" for number in range(25)], seconds=0.3)
    until(lambda: "Song 24" in server.titles(), 40, "the last one")
    reports = api.get("/reports")
    assert reports["enabled"] and reports["clock"] and "pause" not in reports
    (one,) = reports["servers"]
    assert (one["name"], one["waiting"], one["lost"]) == ("listenbrainz", 0, 0) and one["address"].startswith("http://")
    assert len(reports["sent"]) == 20
    assert reports["sent"][0]["title"] in ("Song 24", "Song 23") and reports["sent"][0]["artist"] == "An artist"
    assert {sent["event"] for sent in reports["sent"]} <= {"heard", "now"}


def test_in_a_pause_nothing_is_sent_nor_kept(listener, api, server, rows):
    listener.hear("Before")
    until(lambda: server.titles() == ["Before"], 15, "the listen")
    assert 3500 < api.post("/reports/pause", {"for": "hour"})["pause"]["seconds"] <= 3600
    calls = len(server.calls.items)
    listener.hear("Meanwhile", "Meanwhile, too")
    # What begins in the pause isn't told when it ends in the middle.
    listener.play("In the middle", seconds=4)
    listener.wait_playing()
    assert "pause" not in api.post("/reports/resume")
    listener.wait_end(4)
    listener.hear("After")
    until(lambda: server.titles() == ["Before", "After"], 15, "what came after the pause")
    assert all("Meanwhile" not in call.body.decode() and "middle" not in call.body.decode() for call in server.calls.items[calls:])
    assert not any("Meanwhile" in row[5] for row in rows(listener.subject) or [])


def test_a_pause_outlives_a_restart(listener, api, server):
    api.post("/reports/pause", {"for": "today"})
    listener.subject.terminate()
    listener.subject.start()
    listener.again()
    assert 0 < api.get("/reports")["pause"]["seconds"] <= 25 * 3600
    listener.hear("Not for you")
    listener.subject.terminate()
    assert not server.calls.items


def test_an_album_is_paused_until_another_one_plays(listener, api, server):
    tags = {"TITLE": "x", "ARTIST": "A", "ALBUM": "Private"}
    listener.play("x", seconds=3, tags=tags)
    listener.wait_playing()
    until(lambda: api.get("/player").get("track", {}).get("album") == "Private", 15, "the album is known")
    assert api.post("/reports/pause", {"for": "album"})["pause"] == {"album": "Private"}
    listener.wait_end(3)
    listener.hear("x", tags=tags)
    assert api.get("/reports")["pause"] == {"album": "Private"}
    listener.hear("Public", tags={"TITLE": "Public", "ARTIST": "A", "ALBUM": "Other"})
    until(lambda: server.titles() == ["Public"], 15, "the other album")
    assert "pause" not in api.get("/reports")


def test_what_cant_be_paused_is_refused(listener, api):
    with pytest.raises(Refused) as refused:
        api.post("/reports/pause", {"for": "album"})
    assert refused.value.status == 409 and refused.value.problem["type"] == "no-album"
    for body in ({}, {"for": "ever"}, {"for": "hour", "more": 1}):
        with pytest.raises(Refused) as refused:
            api.post("/reports/pause", body)
        assert refused.value.status == 422


def test_examples_do_what_they_say(listener, api):
    guide = (ROOT / "Config/README.md").read_text(encoding="utf-8")
    lines = [line for line in guide.splitlines() if line.startswith("curl ") and "/api/v1/reports" in line]
    answers = [json.loads(subprocess.run([*shlex.split(line.replace("http://SPEAKER:49494", api.base), comments=True), "-fsS", "--max-time", "20"],
                                         capture_output=True, timeout=30, check=True).stdout) for line in lines]
    assert ["pause" in answer for answer in answers] == [False, True, False]


def test_pages_that_may_only_look_pause_nothing(listen, listenbrainz):
    api = PageAPI(listen({**listenbrainz, "page": {"access": "view"}}).speaker.location)
    assert api.get("/reports")["enabled"]
    with pytest.raises(Refused) as refused:
        api.post("/reports/pause", {"for": "hour"})
    assert refused.value.status == 403


def test_other_sites_pause_nothing(listener, api):
    for fields in ({"Origin": "http://evil.example"}, {"Origin": "null"}):
        response = http.request("POST", f"{api.base}/api/v1/reports/resume", fields)
        assert response.status == 403


def test_where_nothing_is_reported(listen):
    api = PageAPI(listen({}).speaker.location)
    assert api.get("/reports") == {"enabled": False, "clock": True, "servers": [], "sent": []}
    with pytest.raises(Refused) as refused:
        api.post("/reports/pause", {"for": "hour"})
    assert refused.value.status == 409


def test_the_token_is_nowhere(listener, api, server):
    listener.hear("A song")
    until(lambda: server.titles(), 15, "the listen")
    server.decide = lambda call: Answer(401, {"code": 401, "error": "lb-secret-token is wrong"})
    listener.hear("Another")
    listener.subject.log.wait(lambda line: "refuses the token" in line, 15, "a word about it")
    shown = [json.dumps(api.get(path)) for path in ("/reports", "/system", "/system/log", "/player")]
    shown += [http.get(f"{api.base}/status").body.decode(), listener.subject.checked(), *listener.subject.log.items]
    assert not any("lb-secret-token" in text for text in shown)


# MARK: The command line


def test_vireoctl_shows_and_pauses(listener, ctl, server):
    listener.hear("A song")
    until(lambda: server.titles(), 15, "the listen")
    shown = ctl.json("reports")
    assert shown["servers"][0]["name"] == "listenbrainz" and shown["sent"][0]["title"] == "A song"
    assert ctl("reports").split("\t")[:3] == ["listenbrainz", "ready", "0"]
    assert ctl("reports", "pause") == ""
    assert 3500 < ctl.json("reports", "status")["pause"]["seconds"] <= 3600
    assert ctl.json("reports", "resume")["paused"] is False
    assert ctl("reports", "pause", "album") == ""
    assert ctl.json("reports", "status")["pause"]["album"] == "An album"
    ctl("reports", "pause", "forever", status=USAGE)


def test_vireoctl_of_others(listen, tmp_path):
    if vireoctl.program() is None:
        pytest.skip("vireoctl isn't built")
    listener = listen({})
    ctl = Vireoctl(tmp_path, "-r", listener.speaker.location)
    assert ctl("reports") == ""
    ctl("reports", "pause", status=REFUSED)


# MARK: Last.fm


def last_fm(call):
    """As Last.fm answers, and how it signs."""
    form = call.form
    signed = "".join(name + value for name, value in sorted(form.items()) if name not in ("api_sig", "format"))
    if hashlib.md5((signed + "fm-secret").encode()).hexdigest() != form["api_sig"]:
        return Answer(403, {"error": 13, "message": "Invalid method signature supplied"})
    match form["method"]:
        case "auth.getToken": return Answer(body={"token": "a-token"})
        case "auth.getSession": return Answer(body={"session": {"name": "ada", "key": "fm-session", "subscriber": 0}})
    if form.get("sk") != "fm-session":
        return Answer(403, {"error": 9, "message": "Invalid session key"})
    return Answer(body={"scrobbles": {"@attr": {"accepted": 1, "ignored": 0}}})


def test_last_fm(listen, server, secret, tmp_path, cable):
    """A login by vireoctl, then scrobbles."""
    if vireoctl.program() is None:
        pytest.skip("vireoctl isn't built")
    server.decide = last_fm
    session = tmp_path / "session"
    secret_file = secret("fm-secret", "secret")
    ctl = Vireoctl(tmp_path)
    page = ctl("reports", "login", "--api-key", "fm-key", "--secret-file", secret_file, "--session-file", session,
               "--url", f"{server.base}/2.0/")
    assert page == f"{server.base}/api/auth/?api_key=fm-key&token=a-token"
    assert session.read_text() == "fm-session\n" and session.stat().st_mode & 0o777 == 0o600
    listener = listen({"reports": {"enabled": True}, "reports.lastfm": {
        "url": f"{server.base}/2.0/", "api-key": "fm-key", "secret-file": secret_file, "session-file": session}})

    def scrobbles():
        return [call.form for call in server.taken() if call.form["method"] == "track.scrobble"]
    listener.hear("Too short")
    listener.play("Long enough", seconds=34)
    until(lambda: scrobbles(), 40, "a scrobble")
    assert [form["track[0]"] for form in scrobbles()] == ["Long enough"]
    now = [call.form["track"] for call in server.taken() if call.form["method"] == "track.updateNowPlaying"]
    assert now == ["Too short", "Long enough"]
    form = scrobbles()[0]
    assert form["artist[0]"] == "An artist" and form["duration[0]"] == "34" and form["chosenByUser[0]"] == "1"


def test_last_fm_without_a_session(listen, server, secret):
    server.decide = last_fm
    listener = listen({"reports": {"enabled": True}, "reports.lastfm": {
        "url": server.base, "api-key": "fm-key", "secret-file": secret("fm-secret", "secret"),
        "session-file": secret("an-old-session", "session")}})
    listener.play("A song", seconds=3)
    listener.subject.log.wait(lambda line: "vireoctl reports login makes a new session" in line, 15, "a word about it")
    assert not any(word in line for line in listener.subject.log.items for word in ("fm-secret", "an-old-session"))
