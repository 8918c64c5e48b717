"""Playlists that the speaker keeps: over restarts and kills, and when the media server of their tracks has gone elsewhere."""

import re
import shutil
import time
import uuid as uuids

import pytest
from kit import media_libraries, netns, sound
from kit.media_libraries import FIRST, SECOND, MiniDLNA
from kit.page_api import PageAPI, Refused
from kit.waiting import until


class Moving(MiniDLNA):
    """MiniDLNA that stays the same and changes its port."""

    port = 8200

    def __init__(self, *arguments):
        self.uuid = getattr(self, "uuid", uuids.uuid4())
        super().__init__(*arguments)

    def command(self):
        command = super().command()
        path = self.folder / "minidlna.conf"
        text = re.sub(r"port=\d+", f"port={self.port}", path.read_text())
        path.write_text(re.sub(r"uuid=.*", f"uuid={self.uuid}", text))
        return command

    def move(self, port, forgets=False):
        """`forgets`: it looks through its music anew, and counts anew."""
        self.close()
        self.port = port
        if forgets:
            shutil.rmtree(self.folder / "db")
        self.__init__(self.host, self.link, self.folder, self.music)

    def wait_scanned(self):
        super().wait_scanned((*FIRST, *SECOND))


@pytest.fixture
def place(tmp_path, launch, make_host):
    """A speaker and a media server in one network."""
    assert shutil.which("minidlnad"), "minidlnad isn't installed; make test-packages does that"
    host = make_host()
    link = host.link()
    music = tmp_path / "music"
    media_libraries.album(music, "First Band", "First Album", FIRST)
    media_libraries.album(music, "Second Band", "Second Album", SECOND)
    server = Moving(host, link, tmp_path / "minidlna", music)
    server.wait_scanned()
    speaker = launch(host, uuid="9a3b2c1d-0000-4000-8000-00000000a11e", friendly_name="Keeper", settings={})
    yield speaker, link, server
    server.close()


def api(speaker, link):
    return PageAPI(speaker.location(link))


def play_album(house, title):
    udn = house.server()
    album = house.folder(udn, title)
    tracks = [entry for entry in house.objects(udn, album)["objects"] if entry["kind"] == "track"]
    house.post("/play", {"items": [{"server": udn, "object": entry["id"]} for entry in tracks], "how": "replace"})
    return udn


def addresses(house):
    ids = house.get("/queue")["ids"]
    return [track["uri"] for track in house.get("/queue/tracks", ids=",".join(map(str, ids)))["tracks"]]


def titles(house, playlist, **query):
    return [track["title"] for track in house.get(f"/playlists/{playlist}/tracks", **query)["tracks"]]


def play(house, playlist, **how):
    begun = time.monotonic()
    result = house.post(f"/playlists/{playlist}/play", {"how": "replace", **how})
    return result, time.monotonic() - begun


def test_a_list_plays_again_when_its_server_has_moved(place):
    speaker, link, server = place
    house = api(speaker, link)
    play_album(house, "First Album")
    kept = house.post("/playlists", {"name": "Evening", "from": "queue"})
    assert kept["added"] == len(FIRST) and kept["playlist"]["count"] == len(FIRST)
    assert titles(house, kept["playlist"]["id"]) == FIRST

    # Nothing has moved: nothing is asked, and nothing is waited for.
    result, taken = play(house, kept["playlist"]["id"])
    assert result["added"] == len(FIRST) and taken < 1
    assert all(":8200/" in address for address in addresses(house))

    server.move(8311)
    until(lambda: not any(":8200" in one for one in [server.location]), 5, "the other port")
    until(lambda: any(one["isThere"] for one in house.get("/servers")["servers"]), 15, "the server to be back")
    time.sleep(2)
    result, _ = play(house, kept["playlist"]["id"])
    assert result["added"] == len(FIRST)
    assert all(":8311/" in address for address in addresses(house)), addresses(house)
    assert house.queue() == FIRST
    until(lambda: house.playing() in FIRST, 10, "the first track to play")
    # It is remembered.
    until(lambda: all(":8311/" in track["uri"] for track in house.get("/playlists/1/tracks")["tracks"]), 5, "the new addresses to be kept")


def test_after_a_kill_while_nobody_looks_for_servers(place):
    speaker, link, server = place
    house = api(speaker, link)
    play_album(house, "Second Album")
    kept = house.post("/playlists", {"name": "Evening", "from": "queue"})["playlist"]
    speaker.kill()
    server.move(8312)
    speaker.start()
    house = api(speaker, link)
    assert [one["name"] for one in house.get("/playlists")["playlists"]] == ["Evening"]
    result, taken = play(house, kept["id"])
    assert result["added"] == len(SECOND) and taken < 9
    assert all(":8312/" in address for address in addresses(house)), addresses(house)
    until(lambda: house.playing() in SECOND, 10, "the first track to play")
    # Killed again, and everything is where it was: it plays without waiting for a search.
    until(lambda: all(":8312/" in track["uri"] for track in house.get(f"/playlists/{kept['id']}/tracks")["tracks"]), 5, "what is kept")
    speaker.kill()
    speaker.start()
    house = api(speaker, link)
    result, taken = play(house, kept["id"])
    assert result["added"] == len(SECOND) and taken < 1
    assert all(":8312/" in address for address in addresses(house))


def test_tracks_are_searched_for_when_the_server_has_counted_anew(place):
    speaker, link, server = place
    house = api(speaker, link)
    play_album(house, "Second Album")
    kept = house.post("/playlists", {"name": "Evening", "from": "queue"})["playlist"]
    # More music comes before, so that other tracks get the ids.
    media_libraries.album(server.music, "A Band", "A First Album", ["Alpha", "Beta", "Gamma", "Delta"])
    shutil.rmtree(server.music / "First Band")
    server.close()
    server.port = 8313
    shutil.rmtree(server.folder / "db")
    Moving.__init__(server, server.host, server.link, server.folder, server.music)
    MiniDLNA.wait_scanned(server, ("Alpha", *SECOND))
    until(lambda: any(one["isThere"] for one in house.get("/servers")["servers"]), 15, "the server to be back")
    time.sleep(2)
    result, _ = play(house, kept["id"])
    assert result["added"] == len(SECOND)
    assert house.queue() == SECOND
    assert all(":8313/" in address for address in addresses(house)), addresses(house)
    until(lambda: house.playing() in SECOND, 10, "the first track to play")
    assert titles(house, kept["id"]) == SECOND


def test_a_server_that_has_gone_leaves_the_addresses(place):
    speaker, link, server = place
    house = api(speaker, link)
    play_album(house, "First Album")
    kept = house.post("/playlists", {"name": "Evening", "from": "queue"})["playlist"]
    before = addresses(house)
    speaker.kill()
    server.close()
    speaker.start()
    house = api(speaker, link)
    result, taken = play(house, kept["id"])
    assert result["added"] == len(FIRST) and taken < 5
    assert addresses(house) == before
    server.log = open(server.folder / "log", "ab")
    server.process.wait()


def test_edits_outlive_a_kill(own_subject_api):
    speaker, link, house = own_subject_api
    items = [{"uri": f"http://192.0.2.1/{number}", "title": f"Song {number}", "seconds": 10} for number in range(120)]
    one = house.post("/playlists", {"name": "Songs", "items": items})["playlist"]
    first = house.get(f"/playlists/{one['id']}/tracks", count=100)
    assert first["total"] == 120 and len(first["tracks"]) == 100
    ids = [track["id"] for track in first["tracks"]]
    house.post(f"/playlists/{one['id']}/move", {"ids": [ids[5], ids[3]], "after": 0})
    house.post(f"/playlists/{one['id']}/remove", {"ids": ids[10:50]})
    house.patch(f"/playlists/{one['id']}", {"name": "Öther songs"})
    house.post("/playlists", {"name": "Empty"})
    speaker.kill()
    speaker.start()
    house = api(speaker, link)
    lists = house.get("/playlists")["playlists"]
    assert [(one["name"], one["count"], one["seconds"]) for one in lists] == [("Empty", 0, 0), ("Öther songs", 80, 800)]
    assert titles(house, one["id"])[:4] == ["Song 5", "Song 3", "Song 0", "Song 1"]
    house.ask("DELETE", f"/playlists/{one['id']}")
    with pytest.raises(Refused) as refused:
        titles(house, one["id"])
    assert refused.value.status == 404


@pytest.fixture
def own_subject_api(launch, make_host):
    host = make_host()
    link = host.link()
    speaker = launch(host, uuid="9a3b2c1d-0000-4000-8000-00000000a11f", friendly_name="Keeper", settings={})
    return speaker, link, api(speaker, link)


def test_events_keep_pages_in_step(own_subject_api):
    import requests
    _, _, house = own_subject_api
    with requests.get(f"{house.base}/api/v1/events", params={"sections": "playlists"}, stream=True, timeout=10) as stream:
        lines = stream.iter_lines(decode_unicode=True)

        def section():
            for line in lines:
                if line.startswith("data:") and "playlists" in line:
                    return __import__("json").loads(line[5:])
            return None
        assert section()["playlists"] == []
        house.post("/playlists", {"name": "A"})
        assert [one["name"] for one in section()["playlists"]] == ["A"]


def test_files_go_out_and_in(own_subject_api):
    import requests
    _, _, house = own_subject_api
    items = [{"uri": f"http://192.0.2.1:8200/{n}?a=b&c", "title": f"Söng <{n}> – x", "artist": "A & B", "album": "“Q”", "seconds": n + 0.25}
             for n in range(1, 400)]
    one = house.post("/playlists", {"name": "Out", "items": items})["playlist"]
    for form in ("m3u8", "xspf"):
        answer = requests.get(f"{house.base}/api/v1/playlists/{one['id']}/export", params={"format": form}, timeout=10)
        assert answer.status_code == 200 and f"Out.{form}" in answer.headers["Content-Disposition"]
        back = house.post("/playlists", {"name": form, "text": answer.content.decode()})
        assert back["added"] == len(items) and back["left"] == 0
        for start in (0, 300):
            tracks = house.get(f"/playlists/{back['playlist']['id']}/tracks", start=start, count=100)["tracks"]
            for track, item in zip(tracks, items[start:]):
                assert (track["title"], track["artist"], track["album"], track["seconds"]) == (
                    item["title"], item["artist"], item["album"], item["seconds"])


def test_a_full_disk_is_said(own_subject_api):
    """The state is on a file system of its own that is full."""
    speaker, link, house = own_subject_api
    house.post("/playlists", {"name": "Kept", "items": [{"uri": "http://192.0.2.1/1"}]})
    speaker.terminate()
    state = speaker.folder / "state"
    saved = {path.name: path.read_bytes() for path in state.iterdir() if path.is_file()}
    netns.sh("mount", "-t", "tmpfs", "-o", "size=400k", "none", str(state))
    try:
        for name, data in saved.items():
            (state / name).write_bytes(data)
        speaker.start()
        house = api(speaker, link)
        with pytest.raises(Refused) as refused:
            house.post("/playlists", {"name": "Large", "text": "#EXTM3U\n" + "".join(
                f"#EXTINF:1,{'x' * 60}\nhttp://192.0.2.1/{number}\n" for number in range(2000))})
        assert refused.value.status == 507, refused.value
        assert [one["name"] for one in house.get("/playlists")["playlists"]] == ["Kept"]
        assert titles(house, house.get("/playlists")["playlists"][0]["id"]) == ["1"]
        speaker.terminate()
    finally:
        netns.sh("umount", str(state))
