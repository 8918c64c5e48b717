"""The renderer under test: how it is started, and what can be seen of its process from outside."""

import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import uuid as uuids
from contextlib import closing
from pathlib import Path

from . import ssdp
from .upnp import Device
from .waiting import PATIENCE, Feed, Reader, until

ROOT = Path(__file__).resolve().parents[3]


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def switches(pid):
    """Context switches by thread: each is a wake-up, or the end of a time slice."""
    result = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status") as file:
                result[task] = sum(int(n) for n in re.findall(r"voluntary_ctxt_switches:\s+(\d+)", file.read()))
        except FileNotFoundError:
            pass
    return result


class Subject:
    """A renderer started on a `Host`. Its log is kept, and printed when a test fails."""

    name = "?"

    def __init__(self, host, folder, uuid=None, friendly_name="Interop speaker", settings=None, start=True,
                 environment=None, arguments=(), authorities=None, files=None):
        """`authorities`: a file with the certificates of those that the host trusts, instead of its own; `files`: others that it
        has instead of its own, by path."""
        self.host = host
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.uuid = uuid or str(uuids.uuid4())
        self.friendly_name = friendly_name
        self.recording = self.folder / "recording.wav"
        self.settings = settings or {}
        self.environment = environment or {}
        self.arguments = list(arguments)
        self.files = dict(files or {})
        if authorities is not None:
            self.files["/etc/ssl/certs/ca-certificates.crt"] = authorities
        self.log = Feed(self._catch_up)
        self._reader = None
        self.process = None
        self.launches = 0
        if start:
            self.start()

    def command(self):
        raise NotImplementedError

    def start(self):
        """Starts the process, on the same folder and with the same identity as before."""
        self.launches += 1
        environment = {name: value for name, value in os.environ.items()
                       if name in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")}
        environment["HOME"] = str(self.folder)
        # One plugin registry for all, as a machine has one: scanning the plugins anew takes seconds.
        environment["GST_REGISTRY"] = os.path.join(tempfile.gettempdir(), f"vireo-interop-{os.getuid()}.registry")
        environment["SWIFT_BACKTRACE"] = os.environ.get("SWIFT_BACKTRACE", "enable=no")
        environment.update(self.environment)
        self.process = subprocess.Popen(
            self.host.wrap(*self._trusting(), *self.command()), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, env=environment, cwd=self.folder)
        self._read_log(self.process.stdout)
        return self

    def _trusting(self):
        """What a command needs before it, so that it finds `files` in the place of its host's."""
        if not self.files:
            return []
        binds = [word for path, file in self.files.items() for word in (str(file), path)]
        script = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 1; shift 2; done; shift; exec "$@"'
        return ["unshare", "--mount", "sh", "-c", script, "sh", *binds, "--"]

    def _read_log(self, stream):
        rest = b""

        def take():
            nonlocal rest
            data = os.read(stream.fileno(), 65536)
            # The last line may have no end.
            *lines, rest = (rest + data).split(b"\n") if data or not rest else (rest, b"")
            for line in lines:
                self._logged(line.decode("utf-8", "replace").rstrip())
            return bool(data)
        self._catch_up()
        self._reader = Reader(stream.fileno(), take, stream.close)

    def _logged(self, line):
        self.log.append(line)

    def _catch_up(self):
        if self._reader is not None:
            self._reader.catch_up()

    @property
    def pid(self):
        # nsenter without --fork replaces itself by the command.
        return self.process.pid

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait_exit(self, timeout=10):
        return self.process.wait(timeout * PATIENCE)

    def terminate(self, timeout=15):
        """SIGTERM, then the exit status. A process that doesn't go is killed, and that is an error."""
        if not self.is_running():
            return self.process.returncode if self.process else None
        self.signal(signal.SIGTERM)
        try:
            return self.wait_exit(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} didn't leave within {timeout} s of SIGTERM") from None

    def kill(self):
        if self.is_running():
            self.process.kill()
            self.process.wait(10)

    def leave(self):
        """Ends what is left when it has ended."""

    def crash(self):
        """The signal of a crash that ended the process; None if it runs, or ended in another way."""
        crashes = (signal.SIGABRT, signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE)
        status = self.process.poll() if self.process else None
        return next((crash.name for crash in crashes if status == -crash), None)

    def location(self, link, timeout=15, ipv6=False):
        return ssdp.find(link, self.uuid, timeout, ipv6)

    def device(self, link, timeout=15):
        return Device(self.location(link, timeout))

    def memory(self):
        """kB of the process: Rss, Pss, Private_Dirty."""
        values = {}
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, rest = line.split(":", 1)
            values[name] = int(rest.split()[0])
        return values

    def thread_names(self):
        return [path.read_text().strip() for path in Path(f"/proc/{self.pid}/task").glob("*/comm")]

    def libraries(self):
        """What is mapped into its memory, as the kernel lists it."""
        return Path(f"/proc/{self.pid}/maps").read_text()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def processor_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Vireod(Subject):
    name = "vireod"

    @staticmethod
    def binary():
        named = os.environ.get("VIREOD")
        places = [named] if named else [ROOT / ".build/release/vireod", ROOT / ".build/debug/vireod"]
        for place in places:
            place = Path(place)
            place = place if place.is_absolute() else ROOT / place
            if place.exists():
                return place
        return None

    def configuration(self):
        tables = {
            "device": {"uuid": self.uuid, "name": self.friendly_name},
            "audio": {"output": f"file:{self.recording}", "release-after": "0s"},
            # What is only away is waited for where a test says so.
            "playback": {"timeout": "3s", "patience": "0s"},
            "volume": {"initial": 100},
        }
        for table, values in self.settings.items():
            tables.setdefault(table, {}).update(values)
        lines = []
        for table, values in tables.items():
            lines.append(f"[{table}]")
            lines += [f"{key} = {toml(value)}" for key, value in values.items() if value is not None]
            lines.append("")
        return "\n".join(lines)

    def write_configuration(self):
        path = self.folder / "vireo.toml"
        path.write_text(self.configuration())
        return path

    def checked(self):
        """What --check-config prints of its configuration."""
        return subprocess.run([self.binary(), "--check-config", "--config", self.write_configuration()], capture_output=True,
                              text=True, timeout=30, check=False).stdout

    def command(self):
        return [self.binary(), "--config", self.write_configuration(), "--state-dir", self.folder / "state",
                "--log-level", os.environ.get("INTEROP_LOG_LEVEL", "debug"), *self.arguments]


class Gmediarender(Subject):
    """The stand-in that proves the harness where Vireo isn't there yet."""

    name = "gmediarender"

    @staticmethod
    def binary():
        found = shutil.which("gmediarender")
        return Path(found) if found else None

    def start(self):
        # libupnp announces by the route alone.
        for link in self.host.links[:1]:
            self.host.sh("ip", "route", "replace", "224.0.0.0/4", "dev", link.interface, check=False)
        return super().start()

    def command(self):
        interface = next((["-I", link.interface] for link in self.host.links), [])
        pipe = f"audioconvert ! audio/x-raw,format=S16LE ! wavenc ! filesink sync=true location={self.recording}"
        return [self.binary(), *interface, "-u", self.uuid, "-f", self.friendly_name, "--logfile=stdout",
                "-o", "gst", f"--gstout-audiopipe={pipe}", "--gstout-initial-volume-db=0"]


class Rygel(Subject):
    """Its Playbin renderer alone, with a session bus and a home of its own."""

    name = "rygel"
    CONFIGURATION = """[general]
ipv6=false
interface={interface}
port=49595
enable-transcoding=false
log-level=*:2
[Playbin]
enabled=true
title={name}
audio-sink={sink}
video-sink=fakesink
"""
    OTHERS = ("MediaExport", "External", "MPRIS", "Tracker", "Tracker3", "LMS", "GstLaunch", "Ruih", "RuihServer")

    def __init__(self, host, folder, **options):
        self._bus = None
        super().__init__(host, folder, uuid="uuid:", **options)  # it takes one of its own, and nobody else is on its network

    @staticmethod
    def binary():
        if not glob.glob("/usr/lib/*/rygel-*/plugins/librygel-playbin.so") or shutil.which("dbus-daemon") is None:
            return None
        found = shutil.which("rygel")
        return Path(found) if found else None

    def sink(self):
        return "fakesink sync=true"

    def command(self):
        text = self.CONFIGURATION.format(interface=self.host.links[0].interface, name=self.friendly_name, sink=self.sink())
        text += "".join(f"[{name}]\nenabled=false\n" for name in self.OTHERS)
        (self.folder / "XDG_CONFIG_HOME" / "rygel.conf").write_text(text)
        return [self.binary()]

    def start(self):
        places = {name: str(self.folder / name) for name in
                  ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
        for place in places.values():
            os.makedirs(place, mode=0o700, exist_ok=True)
        address = f"unix:path={self.folder}/bus"
        if self._bus is None:
            self._bus = subprocess.Popen(
                ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self._bus.stdout.readline()
        self.environment |= {**places, "DBUS_SESSION_BUS_ADDRESS": address, "GSETTINGS_BACKEND": "memory"}
        return super().start()

    def leave(self):
        """Ends what is left when it has ended."""
        if self._bus is not None:
            self._bus.kill()
            self._bus.wait(10)
            self._bus.stdout.close()
            self._bus = None


SUBJECTS = {subject.name: subject for subject in (Vireod, Gmediarender)}


def chosen():
    return SUBJECTS[os.environ.get("SUBJECT", "vireod")]


def stored(state, copy, name):
    """What the database below `state` says of the setting `name`, if anything; `copy` is read, as the daemon has its own locked."""
    return _first(state, copy, "SELECT value FROM setting WHERE name = ?", name)


def stored_tracks(state, copy):
    """How many tracks it has, in the same way."""
    return _first(state, copy, "SELECT count(*) FROM track WHERE uri IS NOT NULL")


def _first(state, copy, query, *values):
    shutil.copytree(state, copy)
    try:
        with closing(sqlite3.connect(copy / "state.db")) as database:
            found = database.execute(query, values).fetchone()
    except sqlite3.DatabaseError:
        return None  # copied while it was being written
    finally:
        shutil.rmtree(copy)
    return found and found[0]


def wait_recording(subject, timeout=10):
    """The recording, once its header has been finished."""
    from . import sound  # here, so that the benchmark can use this module without numpy

    def finished():
        if not subject.recording.exists() or subject.recording.stat().st_size < 45:
            return None
        try:
            recording = sound.read(subject.recording)
        except AssertionError:
            return None
        # What follows the data that the header speaks of will be in the next header: a stop fades out first.
        is_whole = recording.complete and not recording.surplus
        return recording if is_whole or subject.name != "vireod" else None
    return until(finished, timeout, f"a finished recording in {subject.recording}")
