"""MiniDLNA, Gerbera and Rygel with a shelf of music, and what our library makes of them (`Tests/MediaDriver`)."""

import os
import re
import subprocess
import tempfile
import time
import uuid as uuids
from dataclasses import dataclass
from pathlib import Path

from . import http, sound, ssdp
from .waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]
SERVER = "urn:schemas-upnp-org:device:MediaServer:1"
#: Titles in the order of their album, which isn't that of the alphabet.
FIRST = ["Zebra", "Army of Me", "“Quoted” & <marked>", "Björk’s Übung", "Mango"]
SECOND = ["Ocean", "Hill", "Brook"]
MANY = [f"Piece {number:03}" for number in range(230)]


def driver():
    """The program of `Tests/MediaDriver`; None where it isn't built."""
    given = os.environ.get("MEDIA_DRIVER")
    places = [Path(given)] if given else [ROOT / ".build" / kind / "MediaDriver" for kind in ("debug", "release")]
    return next((place for place in places if place.exists()), None)


def album(music, artist, name, titles):
    """Adds an album, or tracks to one; each file is whole as soon as it is there."""
    folder = music / artist / name
    with tempfile.TemporaryDirectory(dir=music.parent) as made:
        piece = Path(made) / "tone.wav"
        piece.write_bytes(sound.wav(sound.tone(1, 440)))
        new = Path(made) / "new"
        new.mkdir()
        # Names that tell nothing of the order.
        paths = [new / f"{uuids.uuid5(uuids.NAMESPACE_URL, title).hex}.flac" for title in titles]
        for begin in range(0, len(titles), 20):
            outputs = []
            for number in range(begin, min(begin + 20, len(titles))):
                tags = {"title": titles[number], "artist": artist, "album": name, "track": number + 1, "genre": "Test"}
                outputs += [word for name_, value in tags.items() for word in ("-metadata", f"{name_}={value}")]
                outputs.append(str(paths[number]))
            subprocess.run(["ffmpeg", "-v", "error", "-i", str(piece), *outputs], check=True, timeout=60)
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            path.rename(folder / path.name)


def shelf(folder):
    """A folder with two albums and one of many pieces."""
    music = folder / "music"
    music.mkdir(parents=True)
    for artist, name, titles in [("First Band", "First Album", FIRST), ("Second Band", "Second Album", SECOND),
                                 ("Many Hands", "Many", MANY)]:
        album(music, artist, name, titles)
    return music


@dataclass
class Listed:
    """A line of the driver."""

    form: str
    id: str
    kind: str
    title: str
    artist: str
    album: str
    number: str
    type: str
    seconds: str
    address: str
    art: str


class Library:
    """A media server on a host of its own, found and asked by the library."""

    program = None
    can_search = True
    finds_albums = True
    #: Whether it can be told from what it lists that a track in two places is the same.
    tells_copies = True

    def __init__(self, host, link, folder, music, watches=False):
        """`watches`: whether it looks out for new files, if it can."""
        self.host, self.link, self.folder, self.music, self.watches = host, link, Path(folder), music, watches
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = open(self.folder / "log", "wb")
        host.sh("ip", "route", "replace", "239.0.0.0/8", "dev", link.interface)
        self.process = subprocess.Popen(
            host.wrap(*self.command()), stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8", "PATH": os.environ["PATH"], "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
                 "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_DATA_HOME": str(self.folder / "data")})
        self.location = self._find()

    def command(self):
        raise NotImplementedError

    def _find(self):
        with ssdp.Search(self.link) as search:
            deadline = time.monotonic() + 20 * PATIENCE
            while time.monotonic() < deadline:
                search.send(ssdp.search_request(SERVER))
                try:
                    return search.messages.wait(
                        lambda m: m.is_response and ":MediaServer:" in (m["ST"] or ""), 1, "a media server")["LOCATION"]
                except AssertionError:
                    if self.process.poll() is not None:
                        break
        raise AssertionError(f"{self.program} isn't found:\n{(self.folder / 'log').read_text(errors='replace')[-3000:]}")

    def ask(self, *words, timeout=60):
        """The driver's lines, taken apart."""
        done = subprocess.run(
            [str(driver()), self.location, *map(str, words)],
            capture_output=True, text=True, timeout=timeout * PATIENCE)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    def listed(self, *words):
        """The objects of a listing, which must have come to its end."""
        lines = self.ask(*words)
        assert lines and lines[-1][0] == "end", lines[-3:]
        assert "complete" in lines[-1][1], lines[-1]
        return [Listed(*line) for line in lines[:-1]]

    def wait_scanned(self, titles=(*FIRST, *SECOND, *MANY)):
        """Until everything is there; servers list what they have while they still look for more."""
        until(lambda: self.titles() >= set(titles), 60, f"{self.program} to have scanned all", step=1)

    def titles(self):
        lines = self.ask("tracks", "0")
        return {line[3] for line in lines if line[0] == "track"}

    def container(self, title):
        """The first container of that title, wherever it is."""
        waiting, seen = ["0"], set()
        while waiting:
            parent = waiting.pop(0)
            if parent in seen:
                continue
            seen.add(parent)
            for line in self.ask("list", parent):
                if line[0] == "container":
                    if line[3] == title:
                        return line[1]
                    waiting.append(line[1])
        raise AssertionError(f"no container {title}")

    def fetch(self, address):
        return http.get(address)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=10)
        self.log.close()


class MiniDLNA(Library):
    program = "minidlnad"

    def command(self):
        path = self.folder / "minidlna.conf"
        path.write_text(
            f"port=8200\nmedia_dir=A,{self.music}\ndb_dir={self.folder}/db\nlog_dir={self.folder}\n"
            f"network_interface={self.link.interface}\ninotify={'yes' if self.watches else 'no'}\nfriendly_name=Shelf\nuuid={uuids.uuid4()}\n")
        return ["minidlnad", "-S", "-f", path, "-P", self.folder / "pid"]


class Gerbera(Library):
    program = "gerbera"
    can_search = finds_albums = False
    # The same track has other ids, addresses and even titles elsewhere.
    tells_copies = False

    def command(self):
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        text = Path("/etc/gerbera/config.xml").read_text()
        text = re.sub(r"<home>.*?</home>", f"<home>{home}</home>", text)
        text = re.sub(r"<udn/>", f"<udn>uuid:{uuids.uuid4()}</udn>", text)
        path = self.folder / "config.xml"
        path.write_text(text)
        return ["gerbera", "-c", path, "-m", home, "-e", self.link.interface, "-p", "49200", "-a", self.music]


class Rygel(Library):
    program = "rygel"
    # It fails on "=", and finds no album by "derivedfrom".
    finds_albums = False

    def command(self):
        config = self.folder / "config"
        config.mkdir(exist_ok=True)
        (config / "rygel.conf").write_text(
            f"[general]\nipv6=false\ninterface={self.link.interface}\nport=0\nlog-level=*:3\nallow-upload=false\n"
            "enable-transcoding=true\nmedia-engine=librygel-media-engine-gst.so\n"
            f"[MediaExport]\nenabled=true\ntitle=Shelf\nuris={self.music}\nextract-metadata=true\n"
            f"monitor-changes={'true' if self.watches else 'false'}\nvirtual-folders=true\n[Playbin]\nenabled=false\n[External]\nenabled=false\n"
            "[MPRIS]\nenabled=false\n")
        return ["dbus-run-session", "--", "rygel"]


ALL = {library.program: library for library in (MiniDLNA, Gerbera, Rygel)}
