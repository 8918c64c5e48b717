"""The parts of the command line for any device, and for what is wrong: inspect, call, events, doctor, record, replay, and
local files."""

import re
import socket
import time
from urllib.parse import urlsplit

import pytest
from kit import http, sound, vireoctl
from kit.vireoctl import INTERRUPTED, NO_INPUT, REFUSED, UNREACHABLE, USAGE, Vireoctl
from kit.waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")


@pytest.fixture
def ctl(speaker, tmp_path):
    return Vireoctl(tmp_path, "-r", speaker.location)


def flac(path, seconds):
    path.write_bytes(sound.flac(sound.noise(seconds, seed=5), tags=[("TITLE", "Noise")]))
    return path


@pytest.fixture
def song(tmp_path):
    return flac(tmp_path / "a söng.flac", 3)


@pytest.fixture
def long_song(tmp_path):
    return flac(tmp_path / "a long söng.flac", 20)


def read(address):
    """What a server sends to the phone."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), 5) as connection:
        try:
            connection.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            return connection.recv(1000)
        except ConnectionError:
            return b""


def test_inspect(ctl, speaker):
    text = ctl("inspect")
    assert "Vireo" in text and "urn:av-openhome-org:service:Playlist:1" in text
    assert ctl("inspect", speaker.location) == text
    whole = ctl.json("inspect")
    playlist = next(service for service in whole["services"] if ":Playlist:" in service["type"])
    assert {"Insert", "Read", "SeekId"} <= {action["name"] for action in playlist["actions"]}
    assert "Insert(AfterId ui4, Uri string, Metadata string) → NewId ui4" in ctl("inspect", speaker.location, "Playlist")
    assert "SetVolume" in ctl("inspect", "--actions")
    ctl("inspect", speaker.location, "Nonsense", status=USAGE)


def test_call(ctl, speaker):
    here = speaker.location
    assert ctl("call", here, "Volume", "SetVolume", "value=23") == ""
    assert ctl("call", here, "volume:4", "volume") == "Value: 23"
    assert ctl.json("call", here, "Volume", "Volume") == {"Value": "23"}
    refused = ctl.run("call", here, "Volume", "SetVolume", "Value=4711")
    assert refused.returncode == REFUSED and re.search(r"\b(601|811)\b", refused.stderr), refused.stderr
    for words in (["SetVolume"], ["SetVolume", "23"], ["SetVolume", "Value=x"], ["SetVolume", "Value=1", "More=1"], ["Nonsense"]):
        ctl("call", here, "Volume", *words, status=USAGE)
    unchecked = ctl.run("call", "--unchecked", here, "Volume", "Nonsense")
    assert unchecked.returncode == REFUSED and "401" in unchecked.stderr


def subscriptions(speaker):
    page = http.get(f"http://{urlsplit(speaker.location).netloc}/status").body.decode()
    return int(re.search(r"Subscribers\D*?(\d+)", re.sub(r"<[^>]*>", " ", page))[1])


def test_events_end_with_their_subscriptions(ctl, speaker):
    # What is set already is no change.
    ctl("volume", "30")
    before = subscriptions(speaker)
    with ctl.watch("events", speaker.location, "Volume", "--json") as events:
        events.lines.wait(lambda line: True, 10, "the first event")
        # Those of others may end meanwhile, but none begins.
        assert subscriptions(speaker) >= 1
        ctl("volume", "31")
        events.lines.wait(lambda line: '"value": "31"' in line, 10, "the change")
        assert events.interrupt() == INTERRUPTED
    until(lambda: subscriptions(speaker) <= before, 10, "no subscription to be left")
    assert len(ctl("events", speaker.location, "--count", "1").splitlines()) >= 1


def test_doctor(oh_renderer, speaker, oh_link, tmp_path):
    doctor = Vireoctl(tmp_path, "--interface", oh_link.phone_interface)
    found = doctor.json("doctor", oh_link.speaker)
    assert {"grade": "good", "check": "speaker", "text": f"{oh_link.speaker} answers searches"} in found
    assert all(finding["cure"] for finding in found if finding["grade"] != "good")
    missing = doctor.run("doctor", "Cellar")
    assert missing.returncode == REFUSED and "fault | speaker | Cellar isn't found" in missing.stdout


def test_a_local_file_is_played(ctl, speaker, oh_link, song, long_song):
    with ctl.watch("play", str(long_song), "--replace") as playing:
        until(lambda: ctl("status") == "Playing", 10, "Playing")
        address = ctl.json("status")["uri"]
        assert address.startswith(f"http://{oh_link.phone}:") and address.endswith(".flac")
        # Only the renderer is answered, and this is the phone.
        assert read(address) == b""
        until(lambda: ctl.json("status")["position"] >= 2, 10, "the third second")
        ctl("stop")
        assert playing.process.wait(20 * PATIENCE) == 0
    assert ctl("status") == "Stopped"
    for path in (song.parent / "nothing.flac", song.parent):
        ctl("play", f"{path}", status=NO_INPUT)


def test_serving_ends_with_ctrl_c_and_with_another_track(ctl, long_song):
    with ctl.watch("play", str(long_song), "--replace") as playing:
        until(lambda: ctl("status") == "Playing", 10, "Playing")
        assert playing.interrupt() == INTERRUPTED


def test_gmediarender_plays_a_local_file(gmediarender, tmp_path, song):
    ctl = Vireoctl(tmp_path, "-r", gmediarender.shared_location)
    begun = time.monotonic()
    done = ctl.run("play", str(song))
    assert done.returncode == 0, done.stderr
    assert "serving" in done.stderr and time.monotonic() - begun > 2


def test_changes_arrive_though_libupnp_closes_connections_silently(gmediarender, tmp_path):
    """It closes each connection behind its response without a word; what is sent into that moment is lost."""
    ctl = Vireoctl(tmp_path, "-r", gmediarender.shared_location)
    for number in range(30):
        ctl("play", f"http://{gmediarender.link.phone}:1/{number}.flac")


@pytest.mark.parametrize("kind", ["vireo", "gmediarender"])
def test_record_and_replay(kind, speaker, request, tmp_path):
    here = speaker.location if kind == "vireo" else request.getfixturevalue("gmediarender").shared_location
    host = re.match(r"http://([^/]*):\d+/", here)[1]
    ctl = Vireoctl(tmp_path)
    file = tmp_path / "recording"
    service, action, words = ("Volume", "Volume", []) if kind == "vireo" else ("RenderingControl", "GetVolume", ["Channel=Master"])
    before = ctl("call", here, service, action, *words)
    told = ctl.json("record", here, file, "--for", "5")
    text = file.read_text()
    assert told["requests"] > 10 and told["events"] >= 3 and text.startswith("vireoctl recording 1\n")
    assert host not in text
    ctl("record", here, file, status=REFUSED)
    with ctl.watch("replay", file) as replayed:
        url = replayed.lines.wait(lambda line: True, 10, "the URL")
        assert ctl("call", url, service, action, *words) == before
        assert [service["type"] for service in ctl.json("inspect", url)["services"]] == [
            service["type"] for service in ctl.json("inspect", here)["services"]]
        assert "Volume" in ctl("events", url, service, "--count", "1")
        assert replayed.interrupt() == 0
    ctl("replay", "/etc/hostname", status=NO_INPUT)


def test_a_recording_that_is_interrupted_is_whole(speaker, tmp_path):
    file = tmp_path / "recording"
    before = subscriptions(speaker)
    with Vireoctl(tmp_path).watch("record", speaker.location, file, "--for", "600") as recording:
        until(lambda: subscriptions(speaker) > before, 20, "a subscription")
        assert recording.interrupt() == 0
    text = file.read_text()
    assert " SUBSCRIBE " in text and text.count(" SUBSCRIBE ") == text.count(" UNSUBSCRIBE ")
    until(lambda: subscriptions(speaker) <= before, 3, "no subscription to be left")


def test_a_device_that_is_gone(tmp_path, oh_link):
    ctl = Vireoctl(tmp_path)
    for words in (["inspect"], ["call"], ["events"], ["record"]):
        more = {"call": ["X", "Y"], "record": [tmp_path / "x"]}.get(words[0], [])
        ctl(*words, f"http://{oh_link.speaker}:1/x", *more, status=UNREACHABLE)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("closed, status", [(">&-", 70), ("2>&-", 0), ("<&-", 0), ("<&- 2>&-", 0)])
def test_closed_descriptors(ctl, tmp_path, closed, status):
    """Nothing is written to what has taken the number of a closed descriptor."""
    done = ctl.in_shell(closed, "--json", "status")
    assert done.returncode == status, done.stderr
    if status == 0:
        assert done.stdout.startswith("{") and not done.stderr
    else:
        assert done.stderr == "vireoctl: can't write: Bad file descriptor\n"


def test_unknown_interface(ctl):
    done = ctl.run("--interface", "eht0", "devices")
    assert done.returncode == USAGE and 'no interface "eht0"' in done.stderr
