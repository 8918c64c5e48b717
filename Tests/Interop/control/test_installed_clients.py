"""Control points as Debian and PyPI have them: each finds the renderer by itself, and what it casts is heard.

Those of Home Assistant are in test_control.py and test_openhome_control.py; Kodi and Home Assistant itself, which take
longer than all of these, in clients/ (`make test-clients`).
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from kit import compare, sound
from kit.subject import wait_recording
from kit.waiting import PATIENCE, Feed, until

pytestmark = pytest.mark.audio

DRIVERS = Path(__file__).resolve().parents[1] / "clients"


class Driver:
    """A library of others in a process of its own, told by lines what to call."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = Feed()
        self.seen = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
        self.lines.append(f"error: the driver ended with {self.process.wait()}")

    def __call__(self, name, *arguments, timeout=15):
        self.process.stdin.write(" ".join([name, *arguments]) + "\n")
        self.process.stdin.flush()
        line = self.lines.wait(lambda line: line.startswith(("ok", "error")), timeout, f"an answer to {name}", self.seen)
        self.seen = self.lines.behind(line)
        assert line.startswith("ok"), f"{name}: " + "\n".join(self.lines.items)
        return line.removeprefix("ok").strip()

    def close(self):
        self.process.kill()
        self.process.wait(10)
        print(*self.lines.items, sep="\n")


COMMANDS = {
    "upnpclient": lambda link: [sys.executable, DRIVERS / "upnpclient_driver.py"],
    "Net::UPnP": lambda link: ["perl", DRIVERS / "net_upnp.pl"],
    # PyGObject is Debian's, and for Debian's Python.
    "GUPnP": lambda link: ["/usr/bin/python3", DRIVERS / "gupnp_driver.py", link.phone_interface],
}


@pytest.fixture
def client(request, link, only_network):
    driver = Driver(*COMMANDS[request.param](link))
    yield driver
    driver.close()


def found(client, udn):
    """Its name. They search once, for some seconds: on a busy machine an answer may come too late, as anywhere."""
    for _ in range(2):
        try:
            return client("find", udn, timeout=30)
        except AssertionError:
            pass
    return client("find", udn, timeout=30)


@pytest.mark.parametrize("client", COMMANDS, indirect=True)
def test_found_volume_cast_seek_stop(client, device, renderer, media):
    samples = sound.noise(10, seed=31)
    uri = media.add("/cast.flac", sound.flac(samples), "audio/flac")

    assert found(client, device.udn) == renderer.friendly_name
    assert client("volume", "37") == "37" and device.volume() == 37
    assert client("volume", "100") == "100"
    client("cast", uri)
    client("play")
    until(lambda: client("state") == "PLAYING", 10, "the client knows that it plays")
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 20_000, 5, "first samples")
    client("seek", "0:00:08")
    until(lambda: client("state") == "STOPPED", 20, "the client knows that it has ended")
    compare.assert_sought(wait_recording(renderer).samples, sound.scale(samples, 16), 8 * 44100)

    renderer.recording.unlink()
    client("play")
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 20_000, 10, "first samples")
    client("stop")
    until(lambda: client("state") == "STOPPED", 10, "the client knows that it has stopped")
    compare.without_fade(wait_recording(renderer).samples, sound.scale(samples, 16))


def nanodlna(tmp_path, *arguments):
    """The program's own command; what it serves is at port 9000."""
    log = (tmp_path / "nanodlna.log").open("ab")
    return subprocess.Popen([Path(sys.executable).parent / "nanodlna", "--debug", *arguments], stdout=log, stderr=log,
                            env={**os.environ, "TMPDIR": str(tmp_path)})


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_nanodlna_serves_and_casts_a_file(device, events, renderer, only_network, tmp_path):
    samples = sound.noise(3, seed=32)
    path = tmp_path / "A file.wav"
    path.write_bytes(sound.wav(samples))

    mark = events.events.mark()
    # It waits for answers until there has been none for six seconds: it allows ten for them.
    program = nanodlna(tmp_path, "-t", "6", "play", "-q", renderer.friendly_name, path)
    try:
        events.wait_change("TransportState", "PLAYING", 40, since=mark)
        events.wait_change("TransportState", "STOPPED", 20, since=mark)
        compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))
        for end in (lambda: nanodlna(tmp_path, "stop", "-d", device.location).wait(30 * PATIENCE),
                    lambda: program.send_signal(signal.SIGINT)):
            mark = events.events.mark()
            device.play()
            events.wait_change("TransportState", "PLAYING", 10, since=mark)
            end()
            events.wait_change("TransportState", "STOPPED", 10, since=mark)
        program.wait(10 * PATIENCE)
    finally:
        program.kill()
        program.wait(10)
