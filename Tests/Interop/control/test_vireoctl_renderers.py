"""The command line with renderers of every kind: AV alone, ours and others, and both in one device, as upmpdcli is."""

import time
from pathlib import Path

import pytest
from kit import media_server, sound, vireoctl
from kit.vireoctl import INTERRUPTED, REFUSED, Vireoctl
from kit.waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")

RECORDINGS = Path(__file__).parent / "recordings"


def state(ctl, wanted):
    until(lambda: ctl("status") == wanted, 10, f"{wanted}, not {ctl('status')}")


def lacks_openhome(ctl, url):
    for words in (["queue"], ["radio"], ["source"], ["standby"], ["play", "--end", url]):
        done = ctl.run(*words)
        assert done.returncode == REFUSED and "OpenHome" in done.stderr, words


def test_av_half_alone(device, renderer, media, tmp_path):
    """A renderer that has no OpenHome: it has no queue, and says so."""
    ctl = Vireoctl(tmp_path, "-r", renderer.shared_location)
    url = media.add("/ctl.wav", sound.wav(sound.noise(10)), "audio/wav")
    ctl("play", url)
    state(ctl, "Playing")
    ctl("volume", 41)
    assert ctl("volume") == "41"
    ctl("pause")
    state(ctl, "Paused")
    assert ctl.json("status")["uri"] == url
    lacks_openhome(ctl, url)
    ctl("stop")
    state(ctl, "Stopped")


@pytest.fixture(params=["gmediarender", "rygel"])
def other(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def songs(other):
    server = media_server.MediaServer(other.link.phone)
    # The second is long, since gmediarender forgets what it has played.
    yield [server.add(f"/{n}.wav", sound.wav(sound.noise(seconds, seed=n)), "audio/wav") for n, seconds in ((1, 3), (2, 30))]
    server.close()


def test_two_songs_on_others(other, songs, tmp_path):
    ctl = Vireoctl(tmp_path, "-r", other.shared_location)
    ctl("stop")
    begun = time.monotonic()
    # No queue: vireoctl stays until the last one plays.
    done = ctl.run("play", *songs, timeout=20)
    assert done.returncode == 0 and "no queue" in done.stderr, done.stderr
    assert 2 <= time.monotonic() - begun < 15 * PATIENCE
    until(lambda: ctl.json("status").get("uri") == songs[1], 5, "the second track")
    state(ctl, "Playing")
    # Others are rounded by Rygel.
    ctl("volume", 50)
    assert ctl("volume") == "50"
    ctl("pause")
    state(ctl, "Paused")
    ctl("play")
    state(ctl, "Playing")
    ctl("seek", "0:10")
    until(lambda: ctl.json("status")["position"] >= 10, 5, "the place that was sought")
    lacks_openhome(ctl, songs[0])
    ctl("stop")
    state(ctl, "Stopped")


def test_others_are_followed(other, songs, tmp_path):
    ctl = Vireoctl(tmp_path, "-r", other.shared_location)
    ctl("stop")
    with ctl.watch("--json", "status", "--watch") as watching:
        watching.lines.wait(lambda line: '"Stopped"' in line, 10, "the first line")
        ctl("play", songs[1])
        watching.lines.wait(lambda line: '"Playing"' in line, 10, "playing")
        ctl("volume", 25)
        watching.lines.wait(lambda line: '"volume": 25' in line, 10, "the volume")
        assert watching.interrupt() == INTERRUPTED
    ctl("stop")


@pytest.fixture
def upmpdcli(tmp_path):
    """Made from what it is known to do, and replayed: Debian doesn't have it."""
    with Vireoctl(tmp_path).watch("replay", RECORDINGS / "upmpdcli") as replayed:
        yield Vireoctl(tmp_path, "-r", replayed.lines.wait(lambda line: True, 10, "the URL"))
        assert replayed.interrupt() == 0


def test_upmpdcli(upmpdcli):
    """One device with both. It tells of its queue only while that is the source, and calls nothing visible "true"."""
    ctl = upmpdcli
    url = "http://192.0.2.9/army.flac"
    status = ctl.json("status")
    assert (status["renderer"], status["state"], status["sourceType"], status["volume"]) == ("Salon", "Stopped", "Radio", 40)
    assert [source["type"] for source in ctl.json("source")] == ["Playlist", "Radio"]
    # The station is left first: nothing can be put into the queue before.
    ctl("play", url)
    status = ctl.json("status")
    assert (status["state"], status["title"], status["artist"], status["uri"]) == ("Playing", "Army of Me", "Björk", url)
    assert (status["track"], status["tracks"], status["duration"], status["format"]) == (2, 2, 234, "FLAC 44.1 kHz")
    assert [(entry["title"], entry["current"]) for entry in ctl.json("queue")] == [("Zebra", False), ("Army of Me", True)]
    assert ctl("volume") == "40"
    ctl("volume", "-5")
    ctl("play", "--end", url)
    for words in (["pause"], ["next"], ["stop"], ["queue", "shuffle", "on"], ["mute", "on"], ["queue", "clear"]):
        ctl(*words)
    assert "Playing" in ctl("events", ctl.options[1], "Playlist", "--count", "1")
