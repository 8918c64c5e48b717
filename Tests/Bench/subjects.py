"""The renderers as they are measured: sound into a pipe that this process reads."""

import os
import select
import threading
import time

from kit import netns, subject


class Drain:
    """Reads the sound out of a named pipe, and knows when the first of it came."""

    def __init__(self, path):
        os.mkfifo(path)
        # Open for writing too, so that a renderer that closes its end doesn't end the reading.
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.first = None
        self.total = 0
        self.last = 0.0
        self._arrived = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        while True:
            poll.poll()
            now = time.monotonic()
            try:
                count = len(os.read(self.descriptor, 65536))
            except BlockingIOError:
                continue
            self.total += count
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
    drained = None

    def configuration(self):
        self.settings.setdefault("audio", {})["output"] = f"pipeline:{sink(self.folder / 'sound')}"
        return super().configuration()

    def command(self):
        return [self.binary(), "--config", self.write_configuration(), "--state-dir", self.folder / "state",
                "--log-level", "warning"]


class Gmediarender(subject.Gmediarender):
    def command(self):
        interface = next((["-I", link.interface] for link in self.host.links), [])
        return [self.binary(), *interface, "-p", "49494", "-u", self.uuid, "-f", self.friendly_name, "-o", "gst",
                f"--gstout-audiopipe={sink(self.folder / 'sound')}", "--gstout-initial-volume-db=0"]


class Bench:
    """A renderer on its own host, with a cable to this side."""

    def __init__(self, kind, folder):
        self.host = netns.Host()
        self.link = self.host.link()
        self.subject = kind(self.host, folder, start=False)
        self.name = self.subject.name
        self.drain = Drain(self.subject.folder / "sound")

    def start(self):
        self.subject.start()
        self.location = self.subject.location(self.link)
        return self

    def close(self):
        self.subject.terminate()
        self.host.close()


def available(only=None):
    kinds = [kind for kind in (Vireod, Gmediarender) if kind.binary() is not None]
    return [kind for kind in kinds if only in (None, kind.name)]
