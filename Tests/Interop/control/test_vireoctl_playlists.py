"""The command line with the playlists of a Vireo."""

import json

import pytest
from kit import media_server, openhome, sound, vireoctl
from kit.vireoctl import NO_INPUT, REFUSED, USAGE, Vireoctl
from kit.waiting import until

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")


@pytest.fixture
def keeper(launch, make_host):
    host = make_host()
    link = host.link()
    speaker = launch(host, uuid="9a3b2c1d-0000-4000-8000-00000000a120", friendly_name="Keeper", settings={})
    return openhome.Speaker.of(speaker, link).location, link


@pytest.fixture
def ctl(keeper, tmp_path):
    return Vireoctl(tmp_path, "-r", keeper[0])


@pytest.fixture
def songs(keeper):
    server = media_server.MediaServer(keeper[1].phone)
    yield [server.add(f"/song-{n}.wav", sound.wav(sound.noise(20, seed=n)), "audio/wav") for n in range(4)]
    server.close()


def names(ctl):
    return [one["name"] for one in ctl.json("playlists")]


def titles(ctl, name):
    return [track["title"] for track in ctl.json("playlists", "show", name)["tracks"]]


def test_a_queue_is_saved_and_loaded(ctl, songs):
    assert ctl("playlists") == ""
    for song in songs:
        ctl("queue", "add", song)
    assert ctl.json("queue", "save", "Evening")["added"] == 4
    assert ctl("playlists").split("\t")[1:3] == ["Evening", "4"]
    assert titles(ctl, "Evening") == [f"song-{n}.wav" for n in range(4)]
    assert ctl("queue", "save", "Evening", status=REFUSED) == ""
    ctl("queue", "clear")
    ctl("queue", "load", "even", "--start", 3)
    until(lambda: ctl("status") == "Playing", 10, "it to play")
    assert [entry["title"] for entry in ctl.json("queue")] == [f"song-{n}.wav" for n in range(4)]
    assert ctl.json("status")["title"] == "song-2.wav"
    ctl("playlists", "load", 1, "--end")
    assert len(ctl.json("queue")) == 8
    ctl("queue", "save", "Evening", "--replace")
    assert len(titles(ctl, 1)) == 8


def test_what_is_deleted_by_its_number_is_that_one(ctl, songs):
    ctl("queue", "add", songs[0])
    for name in ("2024 hits", "Evening", "Morning"):
        ctl("queue", "save", name)
    assert names(ctl) == ["2024 hits", "Evening", "Morning"]
    ctl("playlists", "delete", "202", status=NO_INPUT)
    ctl("playlists", "delete", 2)
    assert names(ctl) == ["2024 hits", "Morning"], "a name that begins with the number stays"


def test_a_playlist_is_edited(ctl, songs):
    ctl("queue", "add", songs[0])
    ctl("queue", "add", songs[1])
    ctl("playlists", "save", "Evening")
    ctl("playlists", "append", "Evening", songs[2], songs[3])
    ctl("playlists", "append", "Evening")
    assert len(titles(ctl, "Evening")) == 6
    ctl("playlists", "remove", "Evening", 6, 5)
    ctl("playlists", "move", "Evening", "song-3.wav", 1)
    ctl("playlists", "move", "Evening", 2, 4)
    assert titles(ctl, "Evening") == ["song-3.wav", "song-1.wav", "song-2.wav", "song-0.wav"]
    ctl("playlists", "rename", "Evening", "Morning")
    assert names(ctl) == ["Morning"]
    # The beginning of a name isn't enough to delete one.
    assert "  Morning" in ctl.run("playlists", "delete", "Morn").stderr
    ctl("playlists", "move", "--", "Morning", 1, str(-2**63), status=NO_INPUT)
    ctl("playlists", "remove", "--", "Morning", str(-2**63), status=NO_INPUT)
    assert len(titles(ctl, "Morning")) == 4
    ctl("playlists", "delete", "morning")
    assert names(ctl) == []
    for words in (["show", "x"], ["load", "x"], ["append", "x"], ["remove", "x", "1"], ["export", "x"]):
        ctl("playlists", *words, status=NO_INPUT)


@pytest.mark.parametrize("form", ["m3u8", "xspf"])
def test_files(ctl, songs, tmp_path, form):
    text = "#EXTM3U\n" + "".join(
        f"#EXTINF:{n}.250,Bänd - Song <{n}>\n#EXTART:Bänd\n#EXTALB:Album\n{songs[0]}?{n}\n" for n in range(1, 3001)) + "/home/me/a.mp3\n"
    (tmp_path / "Long list.m3u8").write_text(text)
    # Sent in parts.
    done = ctl.run("--json", "playlists", "import", tmp_path / "Long list.m3u8")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["added"] == 3000 and json.loads(done.stdout)["left"] == 1
    assert names(ctl) == ["Long list"]
    out = tmp_path / f"out.{form}"
    ctl("playlists", "export", "Long", out)
    ctl("playlists", "export", "Long", out, status=NO_INPUT)
    ctl("playlists", "export", "Long", out, "--force")
    assert ctl("playlists", "export", "Long", "--format", form) == out.read_text().rstrip("\n")
    assert ctl.json("playlists", "import", out, "Again")["added"] == 3000
    one, two = (ctl.json("playlists", "show", name)["tracks"] for name in ("Long list", "Again"))
    kept = ("title", "artist", "album", "duration", "uri")
    assert [[track.get(name) for name in kept] for track in one] == [[track.get(name) for name in kept] for track in two]
    assert one[1234]["title"] == "Song <1235>" and one[1234]["artist"] == "Bänd"
    assert ctl.json("playlists", "import", out, "again", "--append")["added"] == 2000
    (tmp_path / "letter.txt").write_text("Dear friend,\n")
    assert "no list of tracks" in ctl.run("playlists", "import", tmp_path / "letter.txt").stderr
    ctl("playlists", "import", tmp_path / "nothing", status=NO_INPUT)
    ctl("playlists", "import", "-", status=USAGE)


def test_others_keep_none(gmediarender, tmp_path):
    done = Vireoctl(tmp_path, "-r", gmediarender.shared_location).run("playlists")
    assert done.returncode == REFUSED and "no Vireo" in done.stderr, done.stderr
