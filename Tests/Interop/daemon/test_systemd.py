"""As a service of systemd: the unit as it is written, and what systemd is told. Tests/Packaging has systemd run it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest
from kit import sound
from kit.media_server import MediaServer
from kit.subject import ROOT, chosen
from kit.waiting import Feed, until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod")
analyzed = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze isn't there")

UNIT = ROOT / "systemd/vireo.service"
# systemd 252 doesn't say which settings these are about.
NAMES = {"RootDirectory=/RootImage=": "RootDirectory="}


def analyze(unit, *arguments):
    return subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", *arguments, str(unit)], check=False, text=True,
        capture_output=True, timeout=60).stdout


def exposure(unit=UNIT):
    return float(re.search(r"Overall exposure level for \S+: ([\d.]+)", analyze(unit))[1])


def open_points():
    """The settings that leave something open."""
    rows = json.loads(analyze(UNIT, "--json=short"))
    names = {row["name"] for row in rows if float(row["exposure"] or 0) > 0}
    return {NAMES.get(name, re.sub(r"=.*", "=", name)) for name in names}


@analyzed
def test_the_unit_is_shut_as_far_as_it_says():
    found = exposure()
    assert found <= 2.0
    assert f"finds an exposure of {found} " in UNIT.read_text(), "the unit's comment names another figure"
    assert f"(`systemd-analyze security`: {found})" in (ROOT / "SECURITY.md").read_text()


@analyzed
def test_every_opening_has_its_reason():
    named = set()
    for names in re.findall(r"# Exception \(([^)]*)\):", UNIT.read_text()):
        named.update(name.strip() for name in names.split(","))
    assert len(open_points()) > 5
    assert open_points() - named == set(), "these are open without a reason"
    assert named - open_points() == set(), "these aren't open at all"


@analyzed
def test_a_unit_that_is_less_shut_is_noticed(tmp_path):
    worse = tmp_path / "vireo.service"
    worse.write_text(UNIT.read_text().replace("PrivateUsers=yes\n", "").replace("CapabilityBoundingSet=\n", ""))
    assert exposure(worse) > 2.0


def complaints(text, folder):
    unit = folder / "vireo.service"
    unit.write_text(text.replace("/usr/bin/vireod", "/bin/true"))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], check=False, text=True, capture_output=True,
                          timeout=60).stderr
    return [line for line in said.splitlines() if str(unit) in line]


@analyzed
def test_systemd_understands_all_of_it(tmp_path):
    assert complaints(UNIT.read_text(), tmp_path) == []
    assert complaints(UNIT.read_text().replace("PrivateUsers=", "PrivateUser="), tmp_path) != []


class Systemd:
    """The end of NOTIFY_SOCKET that systemd has; with a watchdog that wants to be fed every second."""

    def __init__(self, folder):
        self.path = str(folder / "notify")
        self.said = Feed()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := self.socket.recv(4096):
            self.said.append(data.decode())

    def environment(self):
        return {"NOTIFY_SOCKET": self.path, "WATCHDOG_USEC": "1000000"}

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)

    def wait(self, text, since=0, timeout=15):
        return self.said.wait(lambda message: text in message, timeout, f"{text} to be said", since)


@pytest.fixture
def systemd(tmp_path):
    systemd = Systemd(tmp_path)
    yield systemd
    systemd.close()


def test_systemd_is_told_of_start_reload_and_stop(own_host, cable, launch, systemd):
    subject = launch(own_host, environment=systemd.environment())
    assert "STATUS=Serving as Interop speaker on port " in systemd.wait("READY=1")
    systemd.wait("WATCHDOG=1")
    since = len(systemd.said)
    subject.signal(signal.SIGHUP)
    assert re.search(r"MONOTONIC_USEC=\d+", systemd.wait("RELOADING=1", since))
    systemd.wait("READY=1", since)
    subject.terminate()
    systemd.wait("STOPPING=1", since)


def test_the_watchdog_waits_for_gstreamer_to_load(own_host, cable, launch, systemd, tmp_path):
    """The list of plugins is a pipe that nobody writes: who loads it is held up, as the first look at all plugins
    holds up a slow computer. Ended by systemd, it would be at the beginning again."""
    pipe = tmp_path / "registry"
    os.mkfifo(pipe)
    served = MediaServer(cable.phone)
    opened = []
    try:
        subject = launch(own_host, environment=systemd.environment() | {"GST_REGISTRY": str(pipe)})
        device = subject.device(cable)
        device.set_uri(served.add("/a.wav", sound.wav(sound.tone(1, 440)), "audio/wav"))
        device.play()
        # Who reads is there: it is being loaded.
        opened = until(lambda: writer(pipe), 15, "somebody who reads the list of plugins")
        for _ in range(3):
            systemd.wait("WATCHDOG=1", since=len(systemd.said))
        assert not any("doesn't answer" in line for line in subject.log.items)
    finally:
        for descriptor in opened:
            os.close(descriptor)
        served.close()
    systemd.wait("WATCHDOG=1", since=len(systemd.said))


def writer(pipe):
    """A pipe's writing end, in a list; none while nobody reads."""
    try:
        return [os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)]
    except OSError:
        return []


def test_the_watchdog_is_fed_by_the_thread_that_makes_sound(own_host, cable, launch, systemd, tmp_path):
    """The sound device is a pipe that nobody reads: whoever opens it is held up until somebody does."""
    pipe = tmp_path / "device"
    os.mkfifo(pipe)
    served = MediaServer(cable.phone)
    try:
        subject = launch(own_host, environment=systemd.environment(), settings={"audio": {"output": f"file:{pipe}"}})
        device = subject.device(cable)
        systemd.wait("WATCHDOG=1", since=len(systemd.said))
        device.set_uri(served.add("/a.wav", sound.wav(sound.tone(1, 440)), "audio/wav"))
        device.play()
        subject.log.wait(lambda line: "the sound thread doesn't answer" in line, 15, "a word about the thread")
        since = len(systemd.said)
        # Longer than systemd would wait; the event loop serves all the while.
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert device.volume() is not None
            time.sleep(0.1)
        assert not any("WATCHDOG=1" in message for message in systemd.said.items[since:]), "fed by a thread that hangs"
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        systemd.wait("WATCHDOG=1", since)
        os.close(reader)
    finally:
        served.close()
