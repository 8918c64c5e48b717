"""The documents' examples of curl: each is run as it stands, but for the addresses, and does what it says."""

import json
import re
import shlex
import subprocess

import pytest
from kit.api import base
from kit.media_libraries import FIRST
from kit.page_api import PageAPI
from kit.subject import ROOT
from kit.waiting import until

#: What an example calls the speaker, and a server with music.
SPEAKER = "http://SPEAKER:49494"
MUSIC = re.compile(r"http://192\.0\.2\.\d+[^\s\"']*")
#: What examples about media servers and other renderers name.
OTHERS = ("SERVER_UDN", "RENDERER_UDN", "ROOM_UDN", "HOST_UDN")
#: What needs a renderer that reports: `reports/test_pause.py` runs it.
REPORTS = "/api/v1/reports/"
#: What needs a speaker that takes songs from phones.
UPLOADS = "/api/v1/uploads"
#: `curl` ends a stream with this status when its time is over.
TIME_IS_OVER = 28


def examples(document):
    """The lines of the shell that call curl, in code blocks of Markdown and in manuals."""
    text = document.read_text(encoding="utf-8")
    blocks = [text] if document.suffix != ".md" else re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [match[1] for line in lines if (match := re.match(r"(?:\.Dl )?(?:\$ )?(curl .*)", line))]


DOCUMENTS = {str(path.relative_to(ROOT)): examples(path)
             for pattern in ("*.md", "Config/*.md", "Config/*.[1-8]", "Sources/*.md", "Tests/*.md", "Tests/*/*.md")
             for path in sorted(ROOT.glob(pattern))}


def test_there_are_examples():
    assert len(DOCUMENTS["README.md"]) >= 4
    assert len(DOCUMENTS["Config/README.md"]) >= 8


def body(command):
    return json.loads(command[command.index("--json") + 1]) if "--json" in command else {}


@pytest.mark.parametrize("document", [name for name, lines in DOCUMENTS.items() if lines])
def test_examples_do_what_they_say(document, api, songs, tmp_path):
    """They are run in their order, since one may take back what the one before has done."""
    playlist = "PLAYLIST_ID"
    for line in DOCUMENTS[document]:
        if any(word in line for word in (*OTHERS, REPORTS, UPLOADS)):
            continue
        assert SPEAKER in line, f"this example asks somebody else: {line}"
        command = shlex.split(MUSIC.sub(songs[0]["uri"], line.replace(SPEAKER, api.base).replace("PLAYLIST_ID", playlist)), comments=True)
        is_stream = any(word.split("?")[0].endswith("/events") for word in command)
        is_of_player = any(word.endswith("/player") for word in command)
        command += ["-fsS", "--max-time", "2" if is_stream else "20"]
        done = subprocess.run(command, capture_output=True, timeout=30, text=True, cwd=tmp_path)
        assert done.returncode == (TIME_IS_OVER if is_stream else 0), f"{line}\n{done.stdout}\n{done.stderr}"
        if is_stream:
            assert "event: player\ndata: {" in done.stdout, line
        elif is_of_player and "PATCH" in command:
            player = api.player
            assert body(command).items() <= player.items(), line
        elif body(command).get("items"):
            assert json.loads(done.stdout)["added"] == len(body(command)["items"]), line
            if body(command).get("how") in ("now", "replace"):
                until(lambda: api.player["state"] == "playing", 10, line)
        elif done.stdout:
            playlist = str(json.loads(done.stdout).get("playlist", {}).get("id", playlist))


def test_examples_of_songs_from_phones(launch, own_host, cable, tmp_path):
    settings = {"uploads": {"enabled": True, "directory": tmp_path / "kept"}}
    speaker = base(launch(own_host, settings=settings).location(cable))
    (tmp_path / "song.flac").write_bytes(b"fLaC" + bytes(1000))
    lines = [line for line in DOCUMENTS["Config/README.md"] if UPLOADS in line]
    answers = []
    for line in lines:
        command = [*shlex.split(line.replace(SPEAKER, speaker), comments=True), "-fsS", "--max-time", "20"]
        done = subprocess.run(command, capture_output=True, timeout=30, text=True, cwd=tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        answers.append(json.loads(done.stdout))
    sent, kept, listed, cleared = answers
    assert sent["state"] == "queued" and kept["total"] == 1
    assert listed["missing"] == ["one.mp3", "two.mp3"] and cleared["songs"] == 1


@pytest.fixture
def other_devices(libraries, library_speakers, launch_for_all):
    """A speaker, and what it finds: a media server, a folder of it, and another speaker."""
    library = libraries("minidlnad")
    house = PageAPI(library_speakers(library.link).shared_location)
    beside = launch_for_all(library.link, "beside", settings={"network": {"ipv6": False, "port": 49495}},
                            friendly_name="Beside")
    server = house.server()
    renderer = until(lambda: next((r for r in house.get("/renderers")["renderers"] if r["name"] == "Beside" and r["isThere"]
                                   and r["kind"] == "openhome"), None), 10, "the other speaker")
    host = until(lambda: next((r for r in house.get("/rooms")["rooms"] if r["isSelf"]), None), 10, "the speaker itself")
    return house, PageAPI(beside.shared_location), {
        "ROOM_UDN": renderer["udn"], "HOST_UDN": host["udn"], "SERVER_UDN": server, "FOLDER_ID": house.folder(server, "First Album"), "RENDERER_UDN": renderer["udn"]}


def test_examples_about_other_devices(other_devices):
    house, beside, names = other_devices
    lines = [line for line in DOCUMENTS["Config/README.md"] if any(word in line for word in OTHERS)]
    assert len(lines) >= 8
    answers = []
    for line in lines:
        command = line.replace(SPEAKER, house.base)
        for name, value in names.items():
            command = command.replace(name, value)
        done = subprocess.run([*shlex.split(command, comments=True), "-fsS", "--max-time", "30"],
                              capture_output=True, timeout=40, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        answers.append(json.loads(done.stdout) if done.stdout else {})
    folders, page, found, here, cast, added = [answer for answer in answers if answer.keys() & {"objects", "added"}]
    assert folders["objects"] and [track["title"] for track in page["objects"]] == FIRST
    assert "Mango" in [track["title"] for track in found["objects"]]
    assert here["added"] == cast["added"] == added["added"] == len(FIRST)
    assert sorted(beside.queue()) == sorted(FIRST * 2)
    assert beside.get("/player")["volume"] == 30
    house.post(f"/renderers/{names['RENDERER_UDN']}/stop")
    house.post("/player/stop")
