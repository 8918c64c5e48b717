"""Media servers as our library sees them: each lists, counts, sorts, searches and fails in its own way."""

import xml.etree.ElementTree as ET

import pytest
from kit.media_libraries import FIRST, MANY, SECOND
from kit.upnp import Device
from kit.waiting import until

FLAC = "http-get:*:audio/flac:*"


def test_each_track_below_the_root_comes_once(library):
    tracks = library.listed("tracks", "0")
    if library.tells_copies:
        assert sorted(track.title for track in tracks) == sorted(FIRST + SECOND + MANY)
    else:
        assert {track.title for track in tracks} >= {*FIRST, *SECOND, *MANY}
    assert {track.type for track in tracks} == {"audio/flac"}
    assert all(track.seconds == "1" for track in tracks)


def test_the_root_is_listed(library):
    listed = library.listed("list", "0")
    assert listed and all(entry.form == "container" and entry.title for entry in listed)


@pytest.mark.parametrize("sort", ["", "+dc:title", "+vendor:nonsense", "nonsense"])
def test_long_folders_are_listed_whole(library, sort):
    """Also with criteria that the server refuses."""
    titles = [entry.title for entry in library.listed("list", library.container("Many"), *[sort][:bool(sort)])]
    assert sorted(title for title in titles if title in MANY) == MANY
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("name,titles", [("First Album", FIRST), ("Second Album", SECOND)])
def test_albums_are_in_their_order(library, name, titles):
    tracks = library.listed("tracks", library.container(name))
    assert [track.title for track in tracks] == titles
    assert {track.album for track in tracks} == {name}


def test_an_unknown_object_is_none(library):
    lines = library.ask("object", "nothing-of-that-id")
    assert lines[0][0] == "failed" and "701" in lines[0][1]


@pytest.mark.parametrize("words,found", [
    ("army", ["Army of Me"]), ("army me", ["Army of Me"]), ("piece 007", ["Piece 007"]),
    ("“Quoted” &", ["“Quoted” & <marked>"]), ("bj\" or \\", [])])
def test_tracks_are_searched_for(library, words, found):
    lines = library.ask("search", "track", words)
    if not library.can_search:
        assert lines == [["none"]]
        return
    assert sorted({line[3] for line in lines[:-1]}) == found


def test_albums_are_searched_for(library):
    lines = library.ask("search", "album", "first")
    if not library.finds_albums:
        assert lines == [["none"]]
        return
    assert {line[3] for line in lines[:-1]} == {"First Album"}


def test_what_a_renderer_gets(library):
    """An address that can be fetched, and the metadata alone in a document."""
    track = library.listed("tracks", library.container("First Album"))[2]
    chosen, metadata = library.ask("choose", track.id, FLAC, f"{library.link.speaker}/24")
    assert chosen[0] == "resource" and chosen[2] == "audio/flac"
    assert library.fetch(chosen[1]).body[:4] == b"fLaC"
    root = ET.fromstring(metadata[1])
    assert len(root) == 1
    assert root.find(".//{http://purl.org/dc/elements/1.1/}title").text == FIRST[2]
    assert chosen[1] in "".join(root.itertext())
    refused = library.ask("choose", track.id, "http-get:*:audio/x-nonsense:*", "")
    assert refused[0][0] == "refused" and "audio/flac" in refused[0][1]


def test_a_renderer_plays_it(library, launch):
    """The choice for Vireo's own list of formats, cast to it."""
    speaker = launch(library.host)
    device = Device(speaker.location(library.link))
    sink = device.call("urn:schemas-upnp-org:service:ConnectionManager:1", "GetProtocolInfo")["Sink"]
    track = library.listed("tracks", library.container("First Album"))[3]
    chosen, metadata = library.ask("choose", track.id, sink, f"{library.link.speaker}/24")
    device.set_uri(chosen[1], metadata[1])
    device.play()
    until(lambda: device.state() == "PLAYING", 10, "the track to play")
    assert FIRST[3] in device.avt("GetMediaInfo")["CurrentURIMetaData"]
