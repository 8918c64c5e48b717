"""ListenBrainz, good and bad: what is heard gets there once, with its date, whatever the server does."""

import json
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest
from kit import netns
from kit.report_server import Answer
from kit.tls import Authority
from kit.waiting import until

SUBMIT = "/1/submit-listens"


def test_a_listen_is_sent_as_soon_as_it_counts(listen, listenbrainz, server):
    begun = int(time.time())
    listener = listen(listenbrainz)
    listener.play("A song", seconds=6)
    until(lambda: server.listens(["playing_now"]), 15, "what plays now")
    until(lambda: server.listens(), 15, "the listen")
    assert listener.speaker.state_of() == "Playing", "half of it is enough"
    (now, when), = server.listens(["playing_now"])
    assert (now, when) == ("A song", None)
    (title, at), = server.listens()
    assert title == "A song" and begun <= at <= time.time()
    call = server.calls.items[-1]
    assert call.path == SUBMIT and call.headers["authorization"] == "Token lb-secret-token"
    assert call.headers["content-type"] == "application/json" and call.headers["user-agent"].startswith("Vireo/")
    metadata = call.json["payload"][0]["track_metadata"]
    assert metadata["artist_name"] == "An artist" and metadata["release_name"] == "An album"
    information = metadata["additional_info"]
    assert information["media_player"] == information["submission_client"] == "Vireo"
    assert information["duration_ms"] == 6000
    # Nothing of where it came from, of the speaker or of who chose it.
    for secret in ("secret-folder", listener.link.phone, listener.link.speaker, "Interop speaker", listener.subject.uuid):
        assert not any(secret in call.body.decode() for call in server.calls.items), secret


def test_numbers_of_musicbrainz_go_along(listen, listenbrainz, server):
    recording, artist = "b1a9c0e9-d987-4042-ae91-78d6a3267d69", "f27ec8db-af05-4f36-916e-3d57f91ecf5e"
    tags = {"TITLE": "By its tags", "ARTIST": "Tagged", "MUSICBRAINZ_TRACKID": recording, "MUSICBRAINZ_ARTISTID": artist,
            "ISRC": "USVG26300005", "TRACKNUMBER": "7", "MUSICBRAINZ_ALBUMID": "nonsense"}
    listen(listenbrainz).play("Something", seconds=3, tags=tags)
    until(lambda: server.listens(), 15, "the listen")
    metadata = server.taken()[-1].json["payload"][0]["track_metadata"]
    assert (metadata["track_name"], metadata["artist_name"]) == ("By its tags", "Tagged")
    information = metadata["additional_info"]
    assert information["recording_mbid"] == recording and information["artist_mbids"] == [artist]
    assert information["isrc"] == "USVG26300005" and information["tracknumber"] == 7
    assert "release_mbid" not in information


def test_what_is_skipped_is_not_a_listen(listen, listenbrainz, server):
    listener = listen(listenbrainz)
    listener.play("Skipped", "Heard", seconds=4)
    listener.wait_playing()
    listener.speaker.playlist("Next")
    listener.wait_end(4)
    until(lambda: server.titles(), 15, "a listen")
    assert server.titles() == ["Heard"]


def test_a_track_counts_again_when_it_is_repeated(listen, listenbrainz, server):
    listener = listen(listenbrainz)
    listener.speaker.playlist("SetRepeat", Value=1)
    listener.play("Again", seconds=1)
    until(lambda: len(server.titles()) >= 3, 20, "three listens")
    dates = [at for _, at in server.listens()]
    assert dates == sorted(dates)


def test_a_refused_token_stops_and_is_told_without_being_shown(listen, listenbrainz, server, secret, rows):
    good = "Token another-token"
    server.decide = lambda call: Answer() if call.headers["authorization"] == good else Answer(401, {"code": 401, "error": "Invalid"})
    listener = listen(listenbrainz)
    listener.hear("One", "Two")
    listener.subject.log.wait(lambda line: "refuses the token" in line, 15, "a word about it")
    calls = len(server.calls.items)
    listener.hear("Three")
    until(lambda: [row[1] for row in rows(listener.subject) or []] == ["heard"] * 3, 15, "three listens that wait")
    assert len(server.calls.items) == calls, "it isn't asked again"
    secret("another-token")
    listener.subject.signal(signal.SIGHUP)
    until(lambda: server.titles() == ["One", "Two", "Three"], 15, "all of them")
    assert not any("token" in line and "secret" in line or "another-token" in line for line in listener.subject.log.items)


@pytest.mark.parametrize("status", [400, 413])
def test_the_one_that_is_refused_is_found_and_the_others_arrive(listen, listenbrainz, server, rows, status):
    server.refuse()
    listener = listen(listenbrainz)
    titles = ["One", "Two", "Bad", "Four", "Five"]
    listener.hear(*titles)
    until(lambda: len(rows(listener.subject) or []) == len(titles), 15, "listens that wait")
    server.decide = lambda call: Answer(status if "Bad" in call.body.decode() else 200)
    listener.subject.terminate()
    server.open()
    listener.subject.start()
    until(lambda: sorted(server.titles()) == sorted(set(titles) - {"Bad"}), 30, "all but one")
    listener.subject.log.wait(lambda line: "doesn't take one of the reports" in line, 15, "a word about it")
    assert server.titles() == ["One", "Two", "Four", "Five"], "in their order, each once"


def test_a_limit_is_waited_for(listen, listenbrainz, server):
    answers = [Answer(429, {"code": 429}, {"X-RateLimit-Reset-In": "3"})]
    server.decide = lambda call: answers.pop() if answers else Answer()
    listener = listen(listenbrainz)
    listener.play("A song", seconds=3)
    until(lambda: server.titles() == ["A song"], 30, "the listen")
    times = [call.at for call in server.calls.items]
    assert times[1] - times[0] >= 2.9


def test_no_two_calls_in_a_second(listen, listenbrainz, server):
    listen(listenbrainz).hear("A", "B", "C", "D", seconds=0.4)
    until(lambda: sorted(server.titles()) == ["A", "B", "C", "D"], 20, "all of them")
    times = [call.at for call in server.calls.items]
    assert all(later - earlier > 0.95 for earlier, later in zip(times, times[1:]))


@pytest.mark.parametrize("fault", ["500", "503", "stall", "drop", "cut", "refuse", "endless"])
def test_playing_goes_on_whatever_the_server_does(listen, listenbrainz, server, rows, fault):
    """And when it is well again, and the network comes, all is sent."""
    if fault == "refuse":
        server.refuse()
    elif fault == "endless":
        server.decide = lambda call: Answer(body=b"x" * 10_000_000)
    else:
        server.decide = lambda call: Answer(int(fault)) if fault.isdigit() else Answer(fault=fault)
    listener = listen(listenbrainz)
    begun = time.monotonic()
    listener.hear("One", "Two", "Three", seconds=1.5)
    assert time.monotonic() - begun < 15, "it has played as if there was no server"
    until(lambda: len(rows(listener.subject) or []) == 3, 15, "three listens that wait")
    if fault != "refuse":
        until(lambda: server.calls.items, 15, "a call")
    if fault != "endless":
        assert not server.titles()
    seen = len(server.taken())
    if fault == "refuse":
        server.open()
    server.decide = lambda call: Answer()
    server.go_on()
    # A router that restarts.
    listener.link.down()
    time.sleep(1)  # as long as the cable is pulled out
    listener.link.up()

    def titles():
        return [entry["track_metadata"]["track_name"] for call in server.taken()[seen:]
                if call.json["listen_type"] != "playing_now" for entry in call.json["payload"]]
    until(lambda: titles() == ["One", "Two", "Three"], 40, "all of them, at once when the network comes")


def test_killed_between_writing_and_the_answer_nothing_is_lost(listen, listenbrainz, server, rows):
    """What arrived and wasn't acknowledged comes twice, as the same listen."""
    server.decide = lambda call: Answer() if call.json["listen_type"] == "playing_now" else Answer(fault="stall")
    listener = listen(listenbrainz)
    listener.play("A song", seconds=4)
    stalled = server.calls.wait(lambda call: call.answer == "stall", 20, "a call that isn't answered")
    listener.subject.kill()
    assert len(rows(listener.subject)) == 1
    server.decide = lambda call: Answer()
    listener.subject.start()
    until(lambda: server.titles() == ["A song"], 20, "the listen")
    assert server.listens() == [(one["track_metadata"]["track_name"], one["listened_at"]) for one in stalled.json["payload"]]


def test_thousands_are_sent_in_under_a_minute(listen, listenbrainz, server, rows):
    """5,000 listens, as of a server that was away for a week, in 4 MB of state."""
    listener = listen(listenbrainz)
    listener.hear("First")
    until(lambda: server.titles() == ["First"], 15, "the first")
    listener.subject.terminate()
    state = listener.subject.folder / "state/state.db"
    now = int(time.time() * 1000)
    with closing(sqlite3.connect(state)) as database, database:
        database.execute("DELETE FROM reports")
        mbid = "b1a9c0e9-d987-4042-ae91-78d6a3267d69"
        for seq in range(1, 5001):
            body = {"i": f"{seq:032x}", "s": "playlist", "t": f"Song {seq} of a long week, with a long title (remastered)", "a": "An artist",
                    "b": "An album", "n": 1, "d": 240000, "mr": mbid, "mb": mbid, "mt": mbid, "ma": [mbid]}
            database.execute("INSERT INTO reports VALUES (?, 'listenbrainz', 'heard', 'another-boot', ?, ?, ?)",
                             (seq, seq * 1000, now - (5001 - seq) * 100_000, json.dumps(body, separators=(",", ":"))))
    assert state.stat().st_size <= 4 << 20
    listener.subject.start()
    begun = time.monotonic()
    until(lambda: len(server.titles()) == 5001, 60, "all of them")
    assert time.monotonic() - begun < 60
    assert server.titles()[1:] == [f"Song {seq} of a long week, with a long title (remastered)" for seq in range(1, 5001)]
    until(lambda: (left := rows(listener.subject)) is not None and len(left) < 50, 15, "they are deleted")


def test_over_tls(own_host, cable, listen, report_server, secret, tmp_path):
    """A good certificate is needed; plain HTTP to another network isn't spoken at all."""
    authority = Authority(tmp_path, "trusted")
    server = report_server(tls=authority.context(cable.phone))
    settings = {"reports": {"enabled": True, "timeout": "2s"},
                "reports.listenbrainz": {"url": server.base, "token-file": secret()}}
    listener = listen(settings, authorities=authority.certificate)
    listener.hear("A song")
    until(lambda: server.titles() == ["A song"], 15, "the listen")


def test_a_bad_certificate_is_no_server(own_host, cable, listen, report_server, secret, tmp_path):
    trusted, stranger = Authority(tmp_path, "trusted"), Authority(tmp_path, "stranger")
    server = report_server(tls=stranger.context(cable.phone))
    settings = {"reports": {"enabled": True, "timeout": "2s"},
                "reports.listenbrainz": {"url": server.base, "token-file": secret()}}
    listener = listen(settings, authorities=trusted.certificate)
    listener.hear("A song")
    listener.subject.log.wait(lambda line: "listenbrainz can't be reached" in line, 15, "a word about it")
    assert not server.calls.items


def test_plain_http_goes_to_connected_networks_only(own_host, cable, listen, report_server, secret):
    netns.sh("ip", "addr", "add", "198.51.100.1/32", "dev", "lo")
    try:
        own_host.sh("ip", "route", "add", "198.51.100.0/24", "via", cable.phone)
        server = report_server(address="198.51.100.1")
        settings = {"reports": {"enabled": True, "timeout": "2s"},
                    "reports.listenbrainz": {"url": server.base, "token-file": secret()}}
        listener = listen(settings)
        listener.hear("A song")
        listener.subject.log.wait(lambda line: "leads to another network" in line, 15, "a word about it")
        assert not server.calls.items
    finally:
        netns.sh("ip", "addr", "del", "198.51.100.1/32", "dev", "lo")


def test_without_libcurl_the_ring_fills(listen, listenbrainz, server, rows, tmp_path):
    """One word in the log, and nothing is lost."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    place = next(line.split(" => ")[1].strip() for line in known.splitlines() if line.strip().startswith("libcurl.so.4 "))
    nothing = tmp_path / "nothing"
    nothing.write_bytes(b"")
    listener = listen(listenbrainz, files={place: nothing})
    listener.hear("One", "Two")
    until(lambda: len(rows(listener.subject) or []) == 2, 15, "two listens that wait")
    words = [line for line in listener.subject.log.items if "libcurl isn't installed" in line and "warning" in line.lower()]
    assert len(words) == 1 and not server.calls.items
