"""The renderers as they are measured: sound into a pipe that this process reads."""

import os
import select
import signal
import subprocess
import threading
import time

from kit import netns, ssdp, subject, upnp

#: Seconds that a renderer has to leave after SIGTERM; then it is killed, and the table says so.
GRACE = 4


class Drain:
    """Reads the sound out of a named pipe, and knows when the first of it came."""

    def __init__(self, path):
        os.mkfifo(path)
        # Open for writing too, so that a renderer that closes its end doesn't end the reading.
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.first = None
        self.total = 0
        self.last = 0.0
        #: A bytearray to collect the sound in, or None.
        self.kept = None
        self._arrived = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        while True:
            poll.poll()
            now = time.monotonic()
            try:
                data = os.read(self.descriptor, 65536)
            except BlockingIOError:
                continue
            if self.kept is not None:
                self.kept += data
            self.total += len(data)
            self.last = now
            if self.first is None:
                self.first = now
                self._arrived.set()

    def expect(self):
        self._arrived.clear()
        self.first = None

    def wait(self, timeout):
        """When the first byte came since `expect`; None when none did."""
        return self.first if self._arrived.wait(timeout) else None

    def wait_quiet(self, seconds=0.15, timeout=5):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and time.monotonic() - self.last < seconds:
            time.sleep(0.01)


def sink(path):
    return f"audioconvert ! audio/x-raw,format=S16LE ! filesink sync=true buffer-mode=unbuffered location={path}"


class Vireod(subject.Vireod):
    title = "Vireo"

    def configuration(self):
        # The tests let go of the device at once; here it is kept as the daemon keeps it by itself.
        self.settings.setdefault("audio", {}).update(
            {"output": f"pipeline:{sink(self.folder / 'sound')}", "release-after": None})
        return super().configuration()

    def command(self):
        return [self.binary(), "--config", self.write_configuration(), "--state-dir", self.folder / "state",
                "--log-level", "warning"]


class Gmediarender(subject.Gmediarender):
    title = "gmediarender"

    def command(self):
        interface = next((["-I", link.interface] for link in self.host.links), [])
        return [self.binary(), *interface, "-p", "49494", "-u", self.uuid, "-f", self.friendly_name, "-o", "gst",
                f"--gstout-audiopipe={sink(self.folder / 'sound')}", "--gstout-initial-volume-db=0"]


class Rygel(subject.Rygel):
    title = "Rygel"

    def sink(self):
        return sink(self.folder / "sound")


KINDS = (Vireod, Gmediarender, Rygel)


class Renderer(upnp.Device):
    """A described renderer, whatever the versions of its services are."""

    def __init__(self, location):
        super().__init__(location)
        self.types = {kind.split(":")[3]: kind for kind in self.services}

    def call(self, service, action, timeout=15, **arguments):
        return super().call(self.types[service.split(":")[3]], action, timeout, **arguments)

    def service(self, kind):
        """The service that has this type in some version."""
        return self.services[self.types[kind.split(":")[3]]]


def home(folder):
    """The environment of one user for all renderers, with a registry of GStreamer's plugins that is there already: some
    plugins depend on HOME, and are loaded again by whoever has another one than the registry was written with."""
    place = folder / "home"
    environment = {"HOME": str(place), "GST_REGISTRY": str(place / "registry")}
    if not place.exists():
        place.mkdir()
        subprocess.run(["gst-inspect-1.0", "--exists", "audioconvert"], env={**os.environ, **environment}, check=True)
    return environment


class Bench:
    """A renderer on its own host, with a cable to this side."""

    def __init__(self, kind, folder):
        self.host = netns.Host()
        self.link = self.host.link()
        self.folder = folder
        self.subject = kind(self.host, folder, start=False, environment=home(folder.parent))
        self.name = kind.title
        #: How often SIGTERM wasn't enough, of how many times.
        self.killed = self.stopped = 0
        self.drain = Drain(self.subject.folder / "sound")
        self.location = None

    def start(self):
        self.stop()
        self.subject.start()
        self.location = self.subject.location(self.link)
        return self

    def ensure(self):
        """Starts it again when it has died."""
        if not self.subject.is_running():
            self.start()
        return self

    def renderer(self):
        return Renderer(self.location)

    def stop(self):
        """SIGTERM; then SIGKILL, which is counted."""
        if not self.subject.is_running():
            return
        self.stopped += 1
        self.subject.signal(signal.SIGTERM)
        try:
            self.subject.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.killed += 1
            self.subject.kill()

    def close(self):
        self.stop()
        self.subject.leave()
        self.host.close()


def available(only=None):
    """(the renderers that are here, the names of those that aren't)"""
    wanted = [kind for kind in KINDS if only in (None, kind.name)]
    return ([kind for kind in wanted if kind.binary() is not None],
            [kind.title for kind in wanted if kind.binary() is None])
