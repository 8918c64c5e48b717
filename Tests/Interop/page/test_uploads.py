"""Songs from phones: sent to the daemon itself, kept, played, served to others, and what goes wrong on the way."""

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import time
from urllib.parse import quote, urlencode, urlsplit

import pytest
from kit import compare, memory, sound, subject as subjects
from kit.api import API, base
from kit.subject import wait_recording
from kit.vireoctl import Vireoctl
from kit.waiting import until

pytestmark = pytest.mark.skipif(subjects.chosen().name != "vireod", reason="only vireod takes songs")

#: What FLAC files begin with; what follows doesn't matter to whom it is sent.
FLAC = b"fLaC" + b"\0" * 60
PIECE = b"\x55" * 65536


class Kept:
    """A speaker that takes songs."""

    def __init__(self, launch, link, directory, limits=None, folder="renderer", **uploads):
        self.link = link
        self.folder = directory / "kept"
        settings = {"uploads": {"enabled": True, "directory": self.folder, **uploads}, "limits": limits or {}}
        self.subject = launch(link.host, folder, settings=settings)
        self.find()

    def find(self):
        self.location = self.subject.location(self.link)
        self.api = API(base(self.location))
        until(lambda: self.api.get("system"), 10, "the speaker")

    @property
    def files(self):
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.exists() else []

    def send(self, data, name="song.flac", headers=None, **query):
        """Sends a whole song."""
        fields = {"Content-Type": "application/octet-stream", **(headers or {})}
        return self.api.ask("POST", f"uploads?{urlencode({'name': name, **query})}", data, fields)

    def begin(self, length, name="song.flac", fields="", **query):
        """A connection that has sent a head."""
        address, port = self.api.host.rsplit(":", 1)
        connection = socket.create_connection((address, int(port)), timeout=30)
        connection.sendall(
            f"POST /api/v1/uploads?{urlencode({'name': name, **query})} HTTP/1.1\r\nHost: {self.api.host}\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n{fields}\r\n".encode())
        return connection

    def send_large(self, length, **query):
        """Sends a song that is never in memory as a whole; its answer."""
        with self.begin(length, **query) as connection:
            connection.sendall(FLAC)
            left = length - len(FLAC)
            while left:
                left -= connection.send(PIECE[:left])
            return answer(connection)


def answer(connection):
    """Status and body."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    body = response.read()
    return response.status, json.loads(body) if body else None


@pytest.fixture
def kept(launch, host, link, tmp_path):
    return Kept(launch, link, tmp_path)


@pytest.fixture
def tmpfs(tmp_path):
    """Makes small disks."""
    mounted = []

    def make(size):
        place = tmp_path / "disk"
        place.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=False)
        if made.returncode:
            pytest.skip("nothing can be mounted here")
        mounted.append(place)
        return place

    yield make
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=False)


def songs(count, seconds=0.8):
    return [sound.noise(seconds, seed=seed + 1) for seed in range(count)]


# MARK: playing


def test_songs_are_played_to_the_sample_in_the_order_of_the_phone(kept):
    samples = songs(3)
    for place, one in enumerate(samples):
        reply = kept.send(sound.flac(one), f"{place}.flac", how="now", batch="b", place=place)
        assert reply.status == 200 and reply.json["state"] == "queued", reply.body
    kept.api.wait(lambda player: player["state"] == "stopped", 20)
    found = compare.heard(wait_recording(kept.subject).samples, [sound.scale(one, 16) for one in samples])
    assert [index for index, _, _ in found] == [0, 1, 2]
    assert all((start, length) == (0, len(samples[index])) for index, start, length in found)


def test_two_at_once_join_in_the_order_of_the_phone(kept):
    first, second = (sound.flac(one) for one in songs(2))
    with kept.begin(len(first), "first.flac", how="end", batch="b", place=0) as one, \
            kept.begin(len(second), "second.flac", how="end", batch="b", place=1) as other:
        one.sendall(first[:1000])
        until(lambda: kept.api.get("uploads")["coming"] == 2, 5, "both")
        other.sendall(second)
        assert answer(other)[1]["state"] == "waiting"
        assert kept.api.queue["ids"] == []
        one.sendall(first[1000:])
        assert answer(one)[1]["state"] == "queued"
    assert kept.api.titles() == ["first", "second"]


def test_another_renderer_fetches_any_part_of_it(kept):
    data = sound.flac(songs(1)[0])
    uri = kept.send(data).json["uri"]
    parts = urlsplit(uri)
    assert parts.netloc == kept.api.host and parts.path.endswith(".flac")

    def fetch(method="GET", **fields):
        return kept.api.ask(method, parts.path, headers=fields)

    whole = fetch()
    assert whole.status == 200 and whole.body == data and whole.headers["content-type"] == "audio/flac"
    part = fetch(Range="bytes=100-199")
    assert part.status == 206 and part.body == data[100:200]
    assert part.headers["content-range"] == f"bytes 100-199/{len(data)}"
    assert fetch(Range="bytes=-7").body == data[-7:]
    assert fetch(Range=f"bytes={len(data)}-").status == 416
    head = fetch("HEAD")
    assert head.status == 200 and head.headers["content-length"] == str(len(data)) and head.body == b""
    assert kept.api.ask("GET", "/uploads/" + "0" * 32).status == 404


def test_a_song_plays_after_the_address_has_changed(kept, link):
    """The queue has an address that isn't ours any more; the speaker plays its own file."""
    samples = songs(1)[0]
    old = kept.send(sound.flac(samples)).json["uri"]
    gone = old.replace(urlsplit(old).hostname, "192.0.2.99")
    kept.api.tell("POST", "play", {"items": [{"uri": gone}], "how": "now"})
    kept.api.wait(lambda player: player["state"] == "playing", 10)
    kept.api.wait(lambda player: player["state"] == "stopped", 15)
    found = compare.heard(wait_recording(kept.subject).samples, [sound.scale(samples, 16)])
    assert found[0] == (0, 0, len(samples))


def test_a_list_names_songs_that_are_kept(kept):
    for name, one in zip(["One.flac", "Two.flac"], songs(2)):
        kept.send(sound.flac(one), name)
    text = "#EXTM3U\r\n#EXTINF:1,x\r\n/storage/Music/two.FLAC\r\nhttp://192.0.2.1/stream\r\nMissing.mp3\r\nOne.flac\r\n"
    reply = kept.api.tell("POST", "uploads/list", {"text": text, "how": "end"})
    assert (reply["added"], reply["missing"], reply["left"]) == (3, ["Missing.mp3"], 1)
    assert kept.api.titles() == ["Two", "stream", "One"]


# MARK: what is kept


def test_songs_survive_a_kill_and_leftovers_dont(kept):
    data = sound.flac(songs(1)[0])
    key = kept.send(data, how="end").json["key"]
    with kept.begin(10_000_000) as connection:
        connection.sendall(FLAC + PIECE)
        until(lambda: any(name.endswith(".part") for name in kept.files), 5, "a song that is coming")
        time.sleep(1)  # until the queue is stored
        kept.subject.signal(signal.SIGKILL)
        kept.subject.wait_exit()
    assert any(name.endswith(".part") for name in kept.files)
    kept.subject.start()
    kept.find()
    until(lambda: kept.files == [key, f"{key}.note"], 5, "what was left is gone")
    assert kept.api.ask("GET", f"/uploads/{key}").body == data
    assert kept.api.get("uploads/songs")["songs"][0]["isNeeded"]


def test_the_limit_holds_and_the_queue_stays(launch, link, host, tmp_path):
    kept = Kept(launch, link, tmp_path, limit="1MB")
    queued = kept.send(FLAC + b"\1" * 400_000, "queued.flac", how="end").json["key"]
    kept.send(FLAC + b"\2" * 400_000, "idle.flac")
    new = kept.send(FLAC + b"\3" * 500_000, "new.flac").json["key"]
    assert {song["key"] for song in kept.api.get("uploads/songs")["songs"]} == {queued, new}
    for length, status in [(700_000, 507), (1_000_001, 413)]:
        with kept.begin(length) as connection:
            assert answer(connection)[0] == status
    assert kept.api.ask("DELETE", f"uploads/{queued}").status == 409
    assert kept.api.ask("DELETE", f"uploads/{new}").status == 204
    until(lambda: kept.files == sorted([queued, f"{queued}.note"]), 5, "the others are gone")


def test_no_song_goes_for_what_is_none(launch, link, host, tmp_path):
    kept = Kept(launch, link, tmp_path, limit="1MB")
    key = kept.send(FLAC + b"\1" * 500_000).json["key"]
    with kept.begin(900_000) as connection:
        connection.sendall(b"<html>" * 1000)
        assert answer(connection)[0] == 415
    until(lambda: kept.files == sorted([key, f"{key}.note"]), 5, "what is no song is gone")
    assert kept.api.get("uploads")["songs"] == 1


def test_a_reload_lowers_the_limit(launch, link, host, tmp_path):
    kept = Kept(launch, link, tmp_path, limit="10MB")
    for number in range(3):
        kept.send(FLAC + bytes([number]) * 900_000)
    kept.subject.settings["uploads"]["limit"] = "1MB"
    kept.subject.write_configuration()
    kept.subject.signal(signal.SIGHUP)
    until(lambda: kept.api.get("uploads")["songs"] == 1, 5, "the new limit")
    assert kept.api.get("uploads")["limit"] == 1_000_000


# MARK: what goes wrong


def test_what_is_no_song_is_refused(kept):
    for data, problem in [(b"<html>" + b" " * 500, "not-audio"), (b"#EXTM3U\nx.mp3\n" + b" " * 100, "not-audio")]:
        reply = kept.send(data, "song.flac")
        assert reply.status == 415 and reply.json["type"] == problem
    until(lambda: kept.files == [], 5, "nothing stays")


def test_a_refusal_reaches_who_is_still_sending(kept):
    """In the first of many megabytes it is seen that this is no song."""
    with kept.begin(300_000_000) as connection:
        sent = 0
        try:
            while sent < 300_000_000:
                sent += connection.send(b"<html>" + PIECE)
        except OSError:
            pass
        assert sent < 100_000_000, "the rest isn't waited for"
        assert answer(connection)[0] == 415


def test_consent_comes_when_there_is_room(kept):
    with kept.begin(len(FLAC), fields="Expect: 100-continue\r\n") as connection:
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(FLAC)
        assert answer(connection)[0] == 200
    for length in (2_000_000_000, 2**63 - 1):
        with kept.begin(length, fields="Expect: 100-continue\r\n") as connection:
            assert answer(connection)[0] == 413


def test_pages_of_other_sites_send_nothing(kept):
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    assert kept.send(FLAC, headers=form).status == 415
    assert kept.send(FLAC, headers={"Content-Type": "text/plain"}).status == 415
    assert kept.send(FLAC, headers={"Origin": "http://evil.example"}).status == 403
    assert kept.send(FLAC, headers={"Host": "evil.example"}).status in (403, 412)
    reply = kept.api.ask("OPTIONS", "uploads", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
    assert "access-control-allow-origin" not in reply.headers
    assert kept.files == []


def test_two_of_a_phone_at_once_are_enough(kept):
    with kept.begin(1_000_000) as one, kept.begin(1_000_000) as other:
        for connection in (one, other):
            connection.sendall(FLAC)
        until(lambda: kept.api.get("uploads")["coming"] == 2, 5, "both")
        third = kept.send(FLAC)
        assert third.status == 429 and third.headers["retry-after"] == "5"
    until(lambda: kept.api.get("uploads")["coming"] == 0, 5, "both are given up")
    assert kept.send(FLAC).status == 200


def test_a_cut_connection_leaves_nothing(kept):
    with kept.begin(1_000_000) as connection:
        connection.sendall(FLAC + PIECE)
        until(lambda: kept.files, 5, "a beginning")
    until(lambda: kept.files == [], 5, "nothing stays")
    assert kept.api.get("uploads")["bytes"] == 0


def test_a_silent_phone_is_cut(launch, link, host, tmp_path):
    kept = Kept(launch, link, tmp_path, limits={"body-seconds": "2s"})
    with kept.begin(1_000_000) as connection:
        connection.sendall(FLAC)
        began = time.monotonic()
        assert answer(connection)[0] == 408
        assert 1.5 < time.monotonic() - began < 8
    until(lambda: kept.files == [], 5, "nothing stays")


def test_a_full_disk_is_told_at_the_head(launch, link, host, tmp_path, tmpfs):
    disk = tmpfs("70m")
    kept = Kept(launch, link, disk)
    assert kept.send(FLAC + PIECE * 30).status == 200
    with kept.begin(7_000_000) as connection:
        status, problem = answer(connection)
    assert status == 507 and problem["type"] == "disk-full"
    assert kept.api.get("uploads")["songs"] == 1, "what makes too little room stays"


def test_a_disk_that_fills_up_meanwhile(launch, link, host, tmp_path, tmpfs):
    disk = tmpfs("80m")
    kept = Kept(launch, link, disk)
    with kept.begin(10_000_000) as connection:
        connection.sendall(FLAC + PIECE)
        until(lambda: kept.files, 5, "a beginning")
        with open(disk / "filler", "wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(PIECE)
        try:
            for _ in range(200):
                connection.sendall(PIECE)
        except OSError:
            pass
        status, problem = answer(connection)
        assert status == 507 and problem["type"] == "disk-full"
    until(lambda: kept.files == [], 5, "nothing stays")
    (disk / "filler").unlink()
    assert kept.send(FLAC).status == 200


def test_a_directory_that_may_not_be_written(launch, link, host, tmp_path, tmpfs):
    disk = tmpfs("80m")
    kept = Kept(launch, link, disk)
    kept.send(FLAC)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    reply = kept.send(FLAC)
    assert reply.status == 507 and reply.json["type"] == "not-writable"
    assert kept.api.get("uploads")["problem"]
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert kept.send(FLAC).status == 200
    assert "problem" not in kept.api.get("uploads")


def test_a_directory_that_cannot_be_made(launch, link, host, tmp_path, tmpfs):
    disk = tmpfs("80m")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    reply = Kept(launch, link, disk).send(FLAC)
    assert reply.status == 507 and "may not write" in reply.json["detail"], "it isn't said to be gone"


def test_two_speakers_do_not_share_a_directory(kept, make_host, launch):
    key = kept.send(FLAC).json["key"]
    with kept.begin(1_000_000) as connection:
        connection.sendall(FLAC + PIECE)
        until(lambda: any(name.endswith(".part") for name in kept.files), 5, "a song that is coming")
        link = make_host().link()
        other = Kept(launch, link, kept.folder.parent, folder="other")
        reply = other.send(FLAC)
        assert reply.status == 507 and "[uploads] directory" in reply.json["detail"]
        assert other.api.get("uploads")["songs"] == 0
        connection.sendall(b"\1" * (1_000_000 - len(FLAC) - len(PIECE)))
        assert answer(connection)[0] == 200, "what was coming is still there"
    assert kept.api.ask("GET", f"/uploads/{key}").body == FLAC


def test_a_directory_that_vanishes(kept):
    key = kept.send(FLAC).json["key"]
    subprocess.run(["rm", "-rf", str(kept.folder)], check=True)
    # Its head promises more than can be had.
    with pytest.raises(http.client.IncompleteRead):
        kept.api.ask("GET", f"/uploads/{key}")
    assert kept.api.ask("GET", f"/uploads/{key}").status == 404
    assert kept.send(FLAC).status == 200, "it is made again"


def test_a_lack_of_descriptors_deletes_no_song(kept):
    data = sound.flac(songs(1)[0])
    key = kept.send(data, how="end").json["key"]
    address, port = kept.api.host.rsplit(":", 1)
    with socket.create_connection((address, int(port)), timeout=10) as connection:
        # The connection has one already.
        until(lambda: kept.api.get("uploads")["songs"] == 1, 5, "the song")
        most = resource.prlimit(kept.subject.pid, resource.RLIMIT_NOFILE)
        taken = len(os.listdir(f"/proc/{kept.subject.pid}/fd"))
        resource.prlimit(kept.subject.pid, resource.RLIMIT_NOFILE, (taken, most[1]))
        connection.sendall(f"GET /uploads/{key} HTTP/1.1\r\nHost: {kept.api.host}\r\n\r\n".encode())
        while connection.recv(65536):
            pass
        resource.prlimit(kept.subject.pid, resource.RLIMIT_NOFILE, most)
    assert kept.api.ask("GET", f"/uploads/{key}").body == data
    assert kept.files == sorted([key, f"{key}.note"])


def test_the_speaker_plays_however_many_others_fetch(kept):
    large = kept.send_large(20_000_000)[1]["key"]
    uri = kept.send(sound.flac(songs(1, 3)[0]), "own.flac").json["uri"]
    address, port = kept.api.host.rsplit(":", 1)
    readers = []
    for number in range(3):
        source = f"10.77.{kept.link.number}.{60 + number}"
        subprocess.run(["ip", "addr", "add", f"{source}/24", "dev", kept.link.phone_interface], check=True)
        for _ in range(8):
            readers.append(socket.create_connection((address, int(port)), source_address=(source, 0)))
            readers[-1].settimeout(10)
            readers[-1].sendall(f"GET /uploads/{large} HTTP/1.1\r\nHost: {kept.api.host}\r\n\r\n".encode())
            assert readers[-1].recv(12) == b"HTTP/1.1 200"
    assert kept.api.ask("GET", f"/uploads/{large}", headers={"Range": "bytes=0-3"}).status == 503, "all places are taken"
    kept.api.play(uri)
    kept.api.wait(lambda player: player["state"] == "playing", 10)
    for reader in readers:
        reader.close()
    for number in range(3):
        source = f"10.77.{kept.link.number}.{60 + number}"
        subprocess.run(["ip", "addr", "del", f"{source}/24", "dev", kept.link.phone_interface], check=True)


# MARK: cost


#: 2 MiB is promised of a release build, and measured there by the bench.
MOST_GROWTH = 2048 if "release" in os.environ.get("VIREOD", "") else 6144


def test_a_large_upload_costs_no_memory(kept):
    kept.send_large(20_000_000)
    with memory.Peak(kept.subject.pid) as peak:
        status, reply = kept.send_large(300_000_000)
    assert status == 200
    assert peak.growth <= MOST_GROWTH, f"{peak.growth} kB"
    key = reply["key"]
    with memory.Peak(kept.subject.pid) as peak:
        connection = http.client.HTTPConnection(kept.api.host, timeout=60)
        connection.request("GET", f"/uploads/{key}")
        response, count = connection.getresponse(), 0
        while data := response.read(1 << 20):
            count += len(data)
        connection.close()
    assert count == 300_000_000
    assert peak.growth <= MOST_GROWTH, f"{peak.growth} kB"


def test_a_reader_that_takes_nothing_costs_little(kept):
    key = kept.send_large(20_000_000)[1]["key"]
    address, port = kept.api.host.rsplit(":", 1)
    with memory.Peak(kept.subject.pid) as peak:
        connections = []
        for _ in range(8):
            connections.append(socket.create_connection((address, int(port))))
            connections[-1].sendall(f"GET /uploads/{key} HTTP/1.1\r\nHost: {kept.api.host}\r\n\r\n".encode())
        time.sleep(1)
        # One more of this address has to wait.
        assert kept.api.ask("GET", f"/uploads/{key}").status == 503
    for connection in connections:
        connection.close()
    assert peak.growth <= MOST_GROWTH, f"{peak.growth} kB"
    until(lambda: kept.api.ask("GET", f"/uploads/{key}", headers={"Range": "bytes=0-3"}).body == b"fLaC", 5, "a place")


def test_where_it_is_off_nothing_of_it_runs(launch, link, host, tmp_path):
    subject = launch(link.host, settings={"uploads": {"directory": tmp_path / "kept"}})
    api = API(base(subject.location(link)))
    reply = api.ask("POST", f"uploads?name={quote('a.flac')}", FLAC, {"Content-Type": "application/octet-stream"})
    assert reply.status == 403 and "[uploads] enabled" in reply.json["detail"]
    assert not api.get("uploads")["enabled"] and "uploads" not in api.player
    assert not (tmp_path / "kept").exists()
    assert not {"vireo-uploads", "vireo-songs"} & set(subject.thread_names())


# MARK: the command line


def test_vireoctl_sends_lists_and_removes(kept, tmp_path):
    ctl = Vireoctl(tmp_path, "-r", kept.location)
    files = []
    for name, one in zip(["Erster Ton.flac", "zweiter.flac"], songs(2)):
        path = tmp_path / name
        path.write_bytes(sound.flac(one))
        files.append(str(path))
    ctl("uploads", "add", *files)
    assert kept.api.titles() == ["Erster Ton", "zweiter"]
    listed = ctl.json("uploads")
    assert {song["name"] for song in listed} == {"Erster Ton.flac", "zweiter.flac"} and all(song["isNeeded"] for song in listed)
    text = tmp_path / "text.mp3"
    text.write_bytes(b"no song" * 100)
    assert ctl.run("uploads", "add", str(text)).returncode != 0
    ctl("uploads", "add", "--how", "keep", files[0])
    ctl("uploads", "remove", "--unused")
    assert kept.api.get("uploads")["songs"] == 2
