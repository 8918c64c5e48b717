"""The picture inside a file is shown where its metadata names none, through the decoder of the daemon itself."""

import subprocess
from collections import namedtuple

import pytest
from kit.sound import tone, wav
from kit.waiting import until

Song = namedtuple("Song", "name mime")
MP3, FLAC = Song("a.mp3", "audio/mpeg"), Song("b.flac", "audio/flac")


@pytest.fixture
def cover(tmp_path):
    picture = tmp_path / "cover.jpg"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=300x300:d=1", "-frames:v", "1", str(picture)],
                   check=True, timeout=30)
    return picture


def song(folder, name, cover=None):
    """Ten seconds of music, with the picture if one is given."""
    piece, made = folder / "piece.wav", folder / name
    piece.write_bytes(wav(tone(10, 440, level=0.1)))
    picture = ["-i", str(cover), "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"] if cover else []
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(piece), *picture, "-metadata", "title=Within", str(made)], check=True, timeout=60)
    return made.read_bytes()


def shown(api, title="Within"):
    """The address of the picture, as soon as the tags are known."""
    return api.wait(lambda player: player["state"] == "playing" and player["track"]["title"] == title)["track"].get("art")


@pytest.mark.parametrize("kind", [MP3, FLAC], ids=["mp3", "flac"])
def test_the_picture_of_the_file_that_plays(api, page_subject, page_media, tmp_path, cover, kind):
    pictured = page_media.add(f"/pictured/{kind.name}", song(tmp_path, kind.name, cover), kind.mime)
    bare = page_media.add(f"/bare/{kind.name}", song(tmp_path, kind.name), kind.mime)
    named = page_media.add("/named.jpg", cover.read_bytes() + b"\0", "image/jpeg")

    api.tell("POST", "play", {"items": [{"uri": pictured}], "how": "replace"})
    art = shown(api)
    answer = api.ask("GET", art)
    assert answer.status == 200 and answer.headers["content-type"] == "image/jpeg"
    assert answer.body == cover.read_bytes()
    assert api.ask("HEAD", art).headers["content-length"] == str(len(answer.body))

    # Another track without one: it is gone.
    api.tell("POST", "play", {"items": [{"uri": bare}], "how": "replace"})
    api.wait(lambda player: player["track"]["uri"] == bare and player["state"] == "playing")
    assert shown(api) is None
    assert api.ask("GET", art).status == 404

    # The metadata names one: that counts.
    api.tell("POST", "play", {"items": [{"uri": pictured, "title": "Named", "art": named}], "how": "replace"})
    assert api.ask("GET", shown(api)).body == cover.read_bytes() + b"\0"


def test_the_picture_changes_with_the_track(api, page_media, tmp_path, cover):
    """Without a gap: neither before its time nor later."""
    first = page_media.add("/gapless/1.flac", song(tmp_path, "1.flac"), FLAC.mime)
    second = page_media.add("/gapless/2.flac", song(tmp_path, "2.flac", cover), FLAC.mime)
    api.tell("POST", "play", {"items": [{"uri": first}, {"uri": second}], "how": "replace"})
    assert shown(api) is None
    api.tell("PATCH", "player", {"position": 7})
    seen = set()

    def reached():
        track = api.player["track"]
        seen.add((track["uri"], track.get("art") is not None))
        return (second, True) in seen
    until(reached, 15, "the second track's picture", step=0.05)
    assert (first, True) not in seen
    api.tell("POST", "player/previous")
    api.wait(lambda player: player["track"]["uri"] == first and player["state"] == "playing")
    assert api.player["track"].get("art") is None

