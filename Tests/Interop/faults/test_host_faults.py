"""What happens to a machine in years: its disk is full or read-only, its clock jumps, its loudspeaker is gone for a while.
Nothing is forgotten, and nobody has to start the renderer anew."""

import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from kit import http, netns, openhome, sound, ssdp
from kit.clock import FAKETIME, Clock
from kit.gena import Subscription
from kit.media_server import MediaServer
from kit.subject import chosen
from kit.upnp import AVT, Device
from kit.waiting import SLOWNESS, until

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's files, clocks and outputs"),
]


@pytest.fixture
def media_here(cable):
    server = MediaServer(cable.phone)
    yield server
    server.close()


class Disk:
    """A small disk of its own for a directory."""

    def __init__(self, path, size="1m"):
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        netns.sh("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "vireo-interop", self.path)

    def fill(self):
        """Not a byte is left."""
        with (self.path / "filler").open("ab", buffering=0) as file:
            for piece in (65536, 4096, 1):
                try:
                    while file.write(b"\0" * piece):
                        pass
                except OSError:
                    pass

    def clear(self):
        (self.path / "filler").unlink()

    def make(self, mode):
        netns.sh("mount", "-o", f"remount,{mode}", self.path)

    def close(self):
        netns.sh("umount", "--lazy", self.path, check=False)


@pytest.fixture
def subject(own_host, cable, launch):
    return launch(own_host, start=False)


@pytest.fixture
def disk(subject):
    disk = Disk(subject.folder / "state")
    yield disk
    subject.kill()
    disk.close()


def both(subject, cable):
    return subject.device(cable), openhome.Speaker.of(subject, cable)


def test_full_disk(subject, cable, disk):
    """What couldn't be written is written as soon as there is room, without anybody touching the player again."""
    device, speaker = both(subject.start(), cable)
    device.set_volume(31)
    until(lambda: (disk.path / "state.db").exists(), 10, "a saved state")
    known = speaker.append("http://10.77.1.2/before")
    # A flush that nobody can see from outside: an orderly restart.
    assert subject.terminate() == 0
    device, speaker = both(subject.start(), cable)
    assert device.volume() == 31
    disk.fill()
    mark = subject.log.mark()
    device.set_volume(32)
    # A volume alone may fit into what the disk has given to the log already.
    known += speaker.append("http://10.77.1.2/" + "x" * 7000)
    subject.log.wait(lambda line: "can't be saved" in line, 10, "a line about the disk", mark)
    assert device.volume() == 32, "everything is as usual meanwhile"
    disk.clear()
    subject.log.wait(lambda line: "saved again" in line, 15, "the state is saved", mark)
    disk.fill()
    mark = subject.log.mark()
    for number in range(40):
        known += speaker.append(f"http://10.77.1.2/{number}" + "x" * 900)
    device.set_volume(33)
    subject.log.wait(lambda line: "can't be saved" in line, 10, "a line about the disk", mark)
    assert speaker.ids() == known
    disk.clear()
    subject.log.wait(lambda line: "saved again" in line, 15, "the state is saved", mark)
    assert len([line for line in subject.log.since(mark) if "can't be saved" in line]) == 1, "said once"
    subject.kill()
    device, speaker = both(subject.start(), cable)
    assert device.volume() == 33 and speaker.ids() == known


def test_a_full_disk_at_the_end_keeps_what_was_saved(subject, cable, disk):
    """Killed while nothing can be written: the last state that could is there, whole."""
    device, speaker = both(subject.start(), cable)
    device.set_volume(31)
    known = speaker.append(*(f"http://10.77.1.2/{number}" for number in range(20)))
    assert subject.terminate() == 0
    device, speaker = both(subject.start(), cable)
    disk.fill()
    mark = subject.log.mark()
    device.set_volume(32)
    speaker.playlist("DeleteAll")
    subject.log.wait(lambda line: "can't be saved" in line, 10, "a line about the disk", mark)
    subject.kill()
    # Also a start finds no room.
    device, speaker = both(subject.start(), cable)
    assert device.volume() == 31 and speaker.ids() == known
    assert not list(disk.path.glob("state.db.*-*")), "nothing was taken for damaged"


def test_read_only_state_directory(subject, cable, disk):
    """It is read, and written to as soon as that can be done."""
    device, speaker = both(subject.start(), cable)
    device.set_volume(31)
    known = speaker.append("http://10.77.1.2/before")
    assert subject.terminate() == 0
    disk.make("ro")
    mark = subject.log.mark()
    device, speaker = both(subject.start(), cable)
    assert device.volume() == 31 and speaker.ids() == known
    known += speaker.append("http://10.77.1.2/after")
    subject.log.wait(lambda line: "can't be saved" in line, 10, "a line about the disk", mark)
    disk.make("rw")
    subject.log.wait(lambda line: "saved again" in line, 15, "the state is saved", mark)
    subject.kill()
    device, speaker = both(subject.start(), cable)
    assert device.volume() == 31 and speaker.ids() == known


def test_a_read_only_directory_doesnt_hinder_the_end(subject, cable, disk):
    disk.make("ro")
    device = subject.start().device(cable)
    device.set_volume(20)
    assert device.volume() == 20
    assert subject.terminate() == 0


# MARK: The clock

def hours_off(device):
    """What the daemon takes for the time, as hours after the real one."""
    theirs = parsedate_to_datetime(http.get(device.location)["Date"]).timestamp()
    return round((theirs - time.time()) / 3600, 1)


@pytest.mark.skipif(FAKETIME is None, reason="faketime isn't installed")
@pytest.mark.parametrize("hours", [-1, 1, -24 * 365], ids=["an hour back", "an hour forward", "a year back"])
def test_the_clock_is_set(own_host, cable, launch, tmp_path, media_here, hours):
    clock = Clock(tmp_path)
    subject = launch(own_host, environment=clock.environment)
    device, speaker = both(subject, cable)
    with Subscription(device.services[AVT].event, cable.phone) as events, ssdp.Search(cable) as search:
        events.initial()
        search.send(ssdp.search_request(ssdp.RENDERER))
        boot = int(search.wait(subject.uuid)["BOOTID.UPNP.ORG"])
        device.set_uri(media_here.add("/long.wav", sound.wav(sound.noise(60, seed=71)), "audio/wav"))
        device.play()
        events.wait_change("TransportState", "PLAYING", 10)
        mark = events.events.mark()
        clock.set(hours)
        until(lambda: hours_off(device) == hours, 5, "the daemon sees the clock that was set")
        device.set_volume(44)

        # It plays on at its pace; the position neither jumps nor stands still.
        def position():
            hours, minutes, seconds = device.avt("GetPositionInfo")["RelTime"].split(":")
            return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        begun, first = time.monotonic(), position()
        until(lambda: position() >= first + 3, 10, "the position goes on")
        assert time.monotonic() - begun > 1.5, "it goes no faster than the time"
        assert position() < 45
        assert device.state() == "PLAYING"
        # The subscription lives, and so does everything else.
        device.stop()
        events.wait_change("TransportState", "STOPPED", 5, since=mark)
        assert device.volume() == 44
        found = ssdp.find(cable, subject.uuid)
        assert Device(found).udn == device.udn
    # Written, and an instance after it is recognisable as a later one.
    until(lambda: (subject.folder / "state/state.db").exists(), 10, "the state is written")
    assert subject.terminate() == 0
    device = subject.start().device(cable)
    assert device.volume() == 44
    with ssdp.Search(cable) as search:
        search.send(ssdp.search_request(ssdp.RENDERER))
        assert int(search.wait(subject.uuid)["BOOTID.UPNP.ORG"]) > boot


# MARK: The loudspeaker


class SoundServer:
    """A PulseAudio of its own, with silent loudspeakers that come and go."""

    def __init__(self, host, folder):
        folder.mkdir()
        self.socket = folder / "socket"
        self.environment = {
            "PULSE_SERVER": f"unix:{self.socket}", "PULSE_COOKIE": str(folder / "cookie"),
            "PULSE_RUNTIME_PATH": str(folder), "PULSE_STATE_PATH": str(folder), "XDG_RUNTIME_DIR": str(folder)}
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **self.environment}
        environment.pop("PULSE_SERVER")
        self._process = subprocess.Popen(
            host.wrap("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--log-target=null",
                      "-L", f"module-native-protocol-unix socket={self.socket} auth-anonymous=1"),
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self._control("info", check=False).returncode == 0, 10, "PulseAudio answers")

    def _control(self, *words, check=True):
        return subprocess.run(["pactl", *words], env={**os.environ, **self.environment}, check=check,
                              capture_output=True, text=True, timeout=30)

    def plug(self):
        self._control("load-module", "module-null-sink", "sink_name=speaker")

    def unplug(self):
        self._control("unload-module", "module-null-sink")

    def hears(self):
        """Whether anything is being played to a loudspeaker."""
        return "Sink Input #" in self._control("list", "sink-inputs").stdout

    def close(self):
        self._process.terminate()
        self._process.wait(10)


@pytest.fixture
def sound_server(own_host, tmp_path):
    if shutil.which("pulseaudio") is None or shutil.which("pactl") is None:
        pytest.fail("PulseAudio isn't installed")
    server = SoundServer(own_host, tmp_path / "pulse")
    yield server
    server.close()


@contextmanager
def heard_from(sound_server, launch, own_host, cable, media_here, samples, **audio):
    """A renderer that the loudspeaker is heard from: (its process, device, events)."""
    sound_server.plug()
    subject = launch(own_host, settings={"audio": {"output": "pulse:speaker", **audio}},
                     environment=sound_server.environment)
    device = subject.device(cable)
    with Subscription(device.services[AVT].event, cable.phone) as events:
        events.initial()
        device.set_uri(media_here.add("/x.wav", sound.wav(samples), "audio/wav"))
        device.play()
        events.wait_change("TransportState", "PLAYING", 10)
        until(sound_server.hears, 10, "sound")
        yield subject, device, events
    subject.terminate()


def test_loudspeaker_vanishes_and_returns(own_host, cable, launch, sound_server, media_here):
    samples = sound.noise(20, seed=72)
    with heard_from(sound_server, launch, own_host, cable, media_here, samples) as (_, device, events):
        mark = events.events.mark()
        sound_server.unplug()
        assert not sound_server.hears()
        sound_server.plug()
        until(sound_server.hears, 15, "sound again")
        # To its end, as if nothing had been; nothing has failed.
        events.wait_change("TransportState", "STOPPED", 40, since=mark)
        assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
        changes = [event.changes for event in events.events.since(mark)]
        assert not [change for change in changes if change.get("TransportStatus") == "ERROR_OCCURRED"]


def test_loudspeaker_stays_away_and_returns_later(own_host, cable, launch, sound_server, media_here):
    """When patience has ended the failure is told; with the loudspeaker there again, Play is enough."""
    samples = sound.noise(30, seed=73)
    with heard_from(sound_server, launch, own_host, cable, media_here, samples, patience="5s") as (subject, device, events):
        mark, log = events.events.mark(), subject.log.mark()
        sound_server.unplug()
        events.events.wait(lambda e: e.changes.get("TransportStatus") == "ERROR_OCCURRED", 40, "the failure", mark)
        events.wait_change("TransportState", "STOPPED", 5, since=mark)
        assert [line for line in subject.log.since(log) if "pulse:speaker" in line], "the log names the device"
        device.set_volume(33)
        assert device.volume() == 33
        sound_server.plug()
        mark = events.events.mark()
        device.play()
        events.wait_change("TransportState", "PLAYING", 15, since=mark)
        until(sound_server.hears, 10, "sound again")
        assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
        device.stop()


def test_loudspeaker_comes_and_goes(own_host, cable, launch, sound_server, media_here):
    """It goes while the first sound is on its way to it, again and again: each attempt ends without harm to the process."""
    samples = sound.noise(30, seed=75)
    with heard_from(sound_server, launch, own_host, cable, media_here, samples) as (subject, device, events):
        device.stop()
        for number in range(96):
            mark = events.events.mark()
            device.play()
            events.wait_change("TransportState", "PLAYING", 20, since=mark)
            time.sleep((0, 0.002, 0.005, 0.01)[number % 4])
            sound_server.unplug()
            # The next attempt begins 200 ms after the first failed.
            time.sleep(0.2 + 0.01 * (number % 12))
            assert device.state() in ("TRANSITIONING", "PLAYING")
            sound_server.plug()
            device.stop()


def test_loudspeaker_is_waited_for(own_host, cable, launch, sound_server, media_here):
    """Unplugged for longer than anybody tries again: the player waits, says so, and goes on where it was."""
    samples = sound.noise(60, seed=74)
    with heard_from(sound_server, launch, own_host, cable, media_here, samples) as (subject, device, events):
        mark, log = events.events.mark(), subject.log.mark()
        sound_server.unplug()
        events.wait_change("TransportState", "TRANSITIONING", 10, since=mark)
        assert "when it is there" in http.get(status_address(subject, cable)).text, "the status page says what is missing"
        time.sleep(5)
        assert device.state() == "TRANSITIONING"
        def position():
            hours, minutes, seconds = device.avt("GetPositionInfo")["RelTime"].split(":")
            return int(hours) * 3600 + int(minutes) * 60 + float(seconds)

        stood = position()
        mark = events.events.mark()
        plugged = time.monotonic()
        sound_server.plug()
        event = events.wait_change("TransportState", "PLAYING", 15, since=mark)
        assert event.at - plugged < 5 * SLOWNESS, "the music goes on within five seconds"
        until(sound_server.hears, 5, "sound again")
        assert stood <= position() <= stood + 10
        lines = [line for line in subject.log.since(log) if " warning " in line and "can't be used" in line]
        assert len(lines) == 1, "one line is enough"


def status_address(subject, cable):
    return re.sub(r"(http://[^/]*)/.*", r"\1/status", subject.location(cable))


def test_without_a_device_it_is_silent_and_says_so(own_host, cable, launch, media_here):
    subject = launch(own_host, settings={"audio": {"output": "auto"}, "metrics": {"enabled": True}},
                     environment={"PULSE_SERVER": "unix:/nonexistent/socket"})
    device = subject.device(cable)
    log = subject.log.mark()
    for seed in (75, 76):
        with Subscription(device.services[AVT].event, cable.phone) as events:
            events.initial()
            device.set_uri(media_here.add(f"/{seed}.wav", sound.wav(sound.noise(2, seed=seed)), "audio/wav"))
            mark, begun = events.events.mark(), time.monotonic()
            device.play()
            mark = events.events.behind(events.wait_change("TransportState", "PLAYING", 10, since=mark))
            assert "No sound device was found" in http.get(status_address(subject, cable)).text
            metrics = http.get(status_address(subject, cable).replace("/status", "/metrics")).text
            assert 'vireo_sound_device{state="silent"} 1' in metrics
            events.wait_change("TransportState", "STOPPED", 20, since=mark)
            assert time.monotonic() - begun > 1.8, "it plays in real time"
            assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
    lines = [line for line in subject.log.since(log) if "No sound device was found" in line]
    assert len(lines) == 1, "it is said once"
    assert " warning " in lines[0]


# MARK: A sound server that has no loudspeaker


def offered(media, kind, tmp_path, seconds):
    """The address of a file, of one that is sent in chunks as it is made, or of a station."""
    samples = sound.noise(seconds, seed=77)
    if kind == "file":
        return media.add("/x.wav", sound.wav(samples), "audio/wav")
    data = sound.mp3(samples, folder=tmp_path)
    if kind == "chunked":
        return media.add("/x.mp3", data, "audio/mpeg", framing="chunked", rate=int(len(data) / seconds * 1.3))
    return media.add("/x", data, "audio/mpeg", mode="icy", rate=24_000)


@pytest.mark.parametrize("kind", ["file", "chunked", "station"])
def test_auto_waits_for_the_loudspeaker_of_a_server_that_stays(own_host, cable, launch, sound_server, media_here, tmp_path, kind):
    """`auto`: unplugged while it plays, for longer than anybody tries again; plugged in again it is heard by itself."""
    sound_server.plug()
    subject = launch(own_host, settings={"audio": {"output": "auto"}}, environment=sound_server.environment)
    device = subject.device(cable)
    with Subscription(device.services[AVT].event, cable.phone) as events:
        events.initial()
        device.set_uri(offered(media_here, kind, tmp_path, 60))
        mark = events.events.mark()
        device.play()
        mark = events.events.behind(events.wait_change("TransportState", "PLAYING", 15, since=mark))
        until(sound_server.hears, 10, "sound")
        log = subject.log.mark()
        sound_server.unplug()
        mark = events.events.behind(events.wait_change("TransportState", "TRANSITIONING", 10, since=mark))
        time.sleep(5)
        assert device.state() == "TRANSITIONING"
        assert "when it is there" in http.get(status_address(subject, cable)).text, "the status page says what is missing"
        plugged = time.monotonic()
        sound_server.plug()
        event = events.wait_change("TransportState", "PLAYING", 15, since=mark)
        assert event.at - plugged < 5 * SLOWNESS, "the music goes on within five seconds"
        until(sound_server.hears, 5, "sound again")
        assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
        lines = [line for line in subject.log.since(log) if " warning " in line]
        assert len(lines) == 1 and "can't be used" in lines[0], "one line is enough"
        device.stop()


@pytest.mark.parametrize("kind", ["file", "chunked", "station"])
def test_auto_is_silent_until_a_server_gets_a_loudspeaker(own_host, cable, launch, sound_server, media_here, tmp_path, kind):
    """`auto`: the sound server is there, but has no loudspeaker before one is plugged in."""
    subject = launch(own_host, settings={"audio": {"output": "auto"}, "metrics": {"enabled": True}},
                     environment=sound_server.environment)
    device = subject.device(cable)
    with Subscription(device.services[AVT].event, cable.phone) as events:
        events.initial()
        device.set_uri(offered(media_here, kind, tmp_path, 60))
        mark, log = events.events.mark(), subject.log.mark()
        device.play()
        events.wait_change("TransportState", "PLAYING", 15, since=mark)
        assert "No sound device was found" in http.get(status_address(subject, cable)).text
        metrics = http.get(status_address(subject, cable).replace("/status", "/metrics")).text
        assert 'vireo_sound_device{state="silent"} 1' in metrics
        time.sleep(5)
        assert device.state() == "PLAYING"
        sound_server.plug()
        until(sound_server.hears, 5, "sound")
        until(lambda: "No sound device was found" not in http.get(status_address(subject, cable)).text, 5, "the page says so")
        until(lambda: device.state() == "PLAYING", 5, "it plays")
        assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
        lines = [line for line in subject.log.since(log) if " warning " in line]
        assert len(lines) == 1 and "No sound device was found" in lines[0], "it is said once"
        device.stop()
