"""The command line with MiniDLNA, Gerbera and Rygel: browsed, searched, played; and what they tell of new files."""

import json
import shutil

import pytest
from kit import media_libraries, netns, openhome, vireoctl
from kit.media_libraries import FIRST
from kit.vireoctl import INTERRUPTED, NO_INPUT, Vireoctl
from kit.waiting import until

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")


@pytest.fixture
def ctl(library, tmp_path):
    return Vireoctl(tmp_path, "--interface", library.link.phone_interface)


@pytest.fixture
def name(ctl):
    """The server's name, which the next command knows already."""
    servers = ctl.json("servers")
    assert [server["kind"] for server in servers] == ["server"]
    return servers[0]["name"]


def test_browsed(library, ctl, name):
    top = ctl.json("browse", name)
    assert top and all(entry["container"] for entry in top)
    assert [line.split("\t")[1] for line in ctl("browse", name).splitlines()] == [f"{entry['title']}/" for entry in top]
    first = ctl.json("browse", f"{name}/{top[0]['title']}")
    assert first == ctl.json("browse", name, top[0]["title"]) == ctl.json("browse", f"{name}:{top[0]['id']}")
    many = [entry["title"] for entry in ctl.json("browse", f"{name}:{library.container('Many')}")]
    assert [title for title in sorted(many) if title in media_libraries.MANY] == media_libraries.MANY
    ctl("browse", f"{name}/no such folder", status=NO_INPUT)
    ctl("browse", f"{name}:no such id", status=NO_INPUT)


def found(ctl, *words):
    """The titles, and what is said beside them."""
    done = ctl.run("--json", "search", *words)
    assert done.returncode == 0, done.stderr
    return [entry["title"] for entry in json.loads(done.stdout)], done.stderr


def test_searched(library, ctl, name):
    """By the server, or through all of its folders where it can't; that is said."""
    titles, said = found(ctl, "--track", "Zebra")
    assert "Zebra" in titles and (not library.tells_copies or titles == ["Zebra"]), titles
    assert ("can't search: " in said and "looked through instead" in said) == (not library.can_search), said
    titles, said = found(ctl, "--server", name, "--album", "first album")
    assert set(titles) == {"First Album"}
    assert ("looked through instead" in said) == (not library.finds_albums), said
    # One that can search for some of it isn't looked through unasked.
    titles, said = found(ctl, name, "first")
    assert {*FIRST} <= set(titles), titles
    assert ("--album looks through its folders" in said) == (library.can_search and not library.finds_albums), said
    ctl("search", "--server", name, "--track", "no such thing", status=NO_INPUT)


def test_an_album_is_played(library, launch, ctl, name):
    """Found by its title, and played by number, in its order."""
    renderer = launch(library.host)
    ctl = ctl.with_options("-r", openhome.Speaker.of(renderer, library.link).location)
    ctl("search", "--server", name, "--album", "First Album")
    ctl("play", 1, "--replace")
    until(lambda: ctl("status") == "Playing", 10, "Playing")
    queue = ctl.json("queue")
    assert [entry["title"] for entry in queue] == FIRST
    assert ctl.json("status")["uri"] in [entry["uri"] for entry in queue]
    ctl("search", "--server", name, "--track", "Hill")
    ctl("play", 1)
    until(lambda: ctl.json("status").get("title") == "Hill", 10, "the track that was found")
    assert sorted(entry["title"] for entry in ctl.json("queue")) == sorted([*FIRST, "Hill"])
    ctl("play", f"{name}:{library.container('Second Album')}", "--end")
    assert [entry["title"] for entry in ctl.json("queue")][-3:] == media_libraries.SECOND
    ctl("play", 99, status=NO_INPUT)


def test_new_files_are_told(own_host, tmp_path):
    """By events, which vireoctl shows. Of the three, Rygel sends them: MiniDLNA 1.3.0 opens a connection for an event and sends
    nothing, and Gerbera 1.1.0 says nothing after the first."""
    if media_libraries.driver() is None or shutil.which("rygel") is None:
        pytest.fail("Rygel or MediaDriver isn't there")
    music = tmp_path / "music"
    music.mkdir()
    media_libraries.album(music, "First Band", "First Album", FIRST[:2])
    server = media_libraries.Rygel(own_host, own_host.link(), tmp_path / "rygel", music, watches=True)
    try:
        server.wait_scanned(FIRST[:2])
        with Vireoctl(tmp_path).watch("--json", "events", server.location, "ContentDirectory") as events:
            def updates(line, event):
                told = json.loads(line)
                return told["event"] == event and [
                    value["value"] for value in told["values"] if value["name"] == "SystemUpdateID"]
            first = updates(events.lines.wait(lambda line: updates(line, "all"), 10, "the first event"), "all")
            media_libraries.album(music, "First Band", "First Album", FIRST[2:3])
            events.lines.wait(lambda line: updates(line, "changed") not in (False, [], first), 15, "the event of the new file")
            until(lambda: FIRST[2] in server.titles(), 30, "the new file")
            told = [value for line in events.lines.items for value in json.loads(line)["values"]]
            assert {"SystemUpdateID", "ContainerUpdateIDs"} <= {value["name"] for value in told}
            assert events.interrupt() == INTERRUPTED
    finally:
        server.close()
