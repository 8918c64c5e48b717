"""Fixtures: a renderer that reports to servers on the phone, and a listener who queues short songs."""

import sqlite3
from contextlib import closing
from shutil import copytree, rmtree

import pytest
from kit import openhome, sound, subject as subjects
from kit.report_server import ReportServer
from kit.upnp import didl
from kit.waiting import until


def pytest_collection_modifyitems(items):
    if subjects.chosen().name != "vireod":
        for item in items:
            item.add_marker(pytest.mark.skip(reason="only vireod reports"))


@pytest.fixture
def report_server(cable):
    """Makes servers on the phone; they end with the test."""
    servers = []

    def make(**options):
        servers.append(ReportServer(options.pop("address", cable.phone), **options))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(report_server):
    return report_server()


@pytest.fixture
def secret(tmp_path):
    """Makes a file that only its owner can read."""
    def make(text="lb-secret-token", name="token"):
        path = tmp_path / name
        path.write_text(f"{text}\n")
        path.chmod(0o600)
        return path
    return make


@pytest.fixture
def listenbrainz(server, secret):
    """Settings for reports to `server`, as to ListenBrainz."""
    return {"reports": {"enabled": True, "timeout": "2s"},
            "reports.listenbrainz": {"url": server.base, "token-file": secret()}}


@pytest.fixture
def webhook(server):
    return {"reports": {"enabled": True, "timeout": "2s"}, "reports.webhook": {"url": f"{server.base}/hook", "interval": "0s"}}


class Listener:
    """Queues songs of a second or two, and waits for their end."""

    def __init__(self, subject, link, served):
        self.subject, self.link, self.served = subject, link, served
        self.speaker = openhome.Speaker.of(subject, link)
        self.count = 0

    def song(self, title, seconds=1.0, tags=None):
        self.count += 1
        path = f"/secret-folder/{self.count}.flac"
        samples = sound.tone(seconds, 440, level=0.05)
        if path not in self.served.resources:
            self.served.add(path, sound.flac(samples, tags=tags or ()), "audio/flac")
        return self.speaker.append_one(self.served.base + path, didl(
            title, self.served.base + path, "audio/flac", album=(tags or {}).get("ALBUM", "An album")))

    def play(self, *titles, seconds=1.0, tags=None):
        """Queues them, plays them, and returns at once."""
        first = [self.song(title, seconds, tags) for title in titles][0]
        self.speaker.playlist("SeekId", Value=first)

    def hear(self, *titles, seconds=1.0, tags=None):
        """The same, and waits until all have been heard."""
        self.play(*titles, seconds=seconds, tags=tags)
        self.wait_end(len(titles) * seconds)

    def wait_playing(self):
        until(lambda: self.speaker.state_of() == "Playing", 15, "sound")

    def wait_end(self, seconds=1.0):
        until(lambda: self.speaker.state_of() == "Stopped", seconds + 15, "the end of the queue")

    def again(self):
        """After a restart."""
        self.speaker = self.speaker.again(self.subject)
        return self


@pytest.fixture
def listen(own_host, cable, served, launch):
    """Starts a renderer with these settings; a `Listener` in front of it."""
    def start(settings, **options):
        subject = launch(own_host, settings=settings, **options)
        return Listener(subject, cable, served)
    return start


@pytest.fixture
def rows(tmp_path):
    """What waits in the state of a renderer, as (sink, kind, boot, at, date, body)."""
    def read(subject):
        copy = tmp_path / "copy"
        copytree(subject.folder / "state", copy)
        try:
            with closing(sqlite3.connect(copy / "state.db")) as database:
                return database.execute("SELECT sink, kind, boot, at, date, body FROM reports ORDER BY seq").fetchall()
        except sqlite3.DatabaseError:
            return None  # copied while it was being written, or before anything was
        finally:
            rmtree(copy)
    return read
