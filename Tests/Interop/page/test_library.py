"""The library of the page: MiniDLNA, Gerbera and Rygel through the API."""

import pytest
from kit.media_libraries import FIRST, MANY, SECOND
from kit.page_api import Refused
from kit.waiting import until


@pytest.fixture
def udn(house):
    return house.server()


def test_the_server_is_found_and_described(library, house, udn):
    server = next(server for server in house.get("/servers")["servers"] if server["udn"] == udn)
    assert server["name"] and server["model"] and server["seen"] < 60
    known = until(
        lambda: [s.get("canSearch") for s in house.get("/servers")["servers"] if s.get("canSearch") is not None], 5,
        "what the server can search for")
    assert known == [library.can_search]


def test_the_way_to_an_album(house, udn):
    """Titles and paths, as they are told on the way down and to somebody who comes from outside."""
    top = house.objects(udn)
    assert top["path"] == [] and top["title"] and top["isEnd"] and top["total"] == len(top["objects"])
    assert all(entry["kind"] != "track" and entry["isPlayable"] for entry in top["objects"])
    album = house.folder(udn, "First Album")
    page = house.objects(udn, album)
    assert [entry["title"] for entry in page["objects"] if entry["kind"] == "track"] == FIRST
    assert page["title"] == "First Album"
    assert page["path"][0] == {"id": "0", "title": top["title"]} and len(page["path"]) >= 2
    for entry in page["objects"]:
        if entry["kind"] == "track":
            assert entry["isPlayable"] and entry["seconds"] == 1 and entry["album"] == "First Album"
            assert entry["artist"] == "First Band"


@pytest.mark.parametrize("count", [50, 100, 200])
def test_long_folders_page_by_page(house, udn, count):
    entries, asked = house.whole(udn, house.folder(udn, "Many"), count=count)
    titles = [entry["title"] for entry in entries if entry["kind"] == "track"]
    assert sorted(titles) == MANY
    assert asked <= len(entries) // count + 2
    ids = [entry["id"] for entry in entries]
    assert len(ids) == len(set(ids))


def test_pages_from_anywhere(house, udn):
    many = house.folder(udn, "Many")
    whole = [entry["id"] for entry in house.whole(udn, many, 200)[0]]
    for start, count in [(0, 1), (1, 1), (199, 2), (229, 10), (len(whole) - 1, 50)]:
        page = house.objects(udn, many, start=start, count=count)
        assert [entry["id"] for entry in page["objects"]] == whole[start:start + count], (start, count)
    beyond = house.objects(udn, many, start=len(whole) + 10)
    assert beyond["objects"] == [] and beyond["isEnd"]


def test_searched(library, house, udn):
    def titles(**query):
        return [entry["title"] for entry in house.get(f"/servers/{udn}/search", **query)["objects"]]
    if not library.can_search:
        with pytest.raises(Refused) as refused:
            titles(q="army")
        assert refused.value.status == 409 and refused.value.problem["type"] == "search-not-offered"
        return
    assert set(titles(q="army me", kind="track")) == {"Army of Me"}
    assert set(titles(q="“Quoted” &", kind="track")) == {"“Quoted” & <marked>"}
    assert titles(q="no such thing", kind="track") == []
    assert "Zebra" in titles(q="zebra")
    some = house.get(f"/servers/{udn}/search", q="piece", kind="track", count=40)
    assert len(some["objects"]) == 40 and not some["isEnd"]
    more = house.get(f"/servers/{udn}/search", q="piece", kind="track", count=200, start=40)
    assert len({entry["title"] for entry in some["objects"] + more["objects"]}) == 230 and more["isEnd"]
    if library.finds_albums:
        assert set(titles(q="first", kind="album")) == {"First Album"}
    else:
        with pytest.raises(Refused) as refused:
            titles(q="first", kind="album")
        assert refused.value.status == 409


def test_an_album_into_the_queue(library, house, udn):
    album = house.folder(udn, "First Album")
    result = house.post("/play", {"items": [{"server": udn, "object": album}], "how": "end"})
    token = house.get("/queue")["token"]
    assert result == {"added": len(FIRST), "left": 0, "token": token}
    assert house.queue() == FIRST
    second = house.folder(udn, "Second Album")
    house.post("/play", {"items": [{"server": udn, "object": second}], "how": "replace"})
    assert house.queue() == SECOND
    until(lambda: house.playing() in SECOND, 10, "it plays")


def test_one_track_now(house, udn):
    album = house.folder(udn, "First Album")
    track = next(entry for entry in house.objects(udn, album)["objects"] if entry["title"] == "Mango")
    assert house.post("/play", {"items": [{"server": udn, "object": track["id"]}]})["added"] == 1
    until(lambda: house.playing() == "Mango", 10, "Mango plays")
    assert house.get("/player")["track"]["album"] == "First Album"


def test_all_below_a_folder(library, house, udn):
    result = house.post("/play", {"items": [{"server": udn, "object": "0"}], "how": "end"})
    if library.tells_copies:
        assert result["added"] == len(FIRST + SECOND + MANY)
    assert set(house.queue()) >= {*FIRST, *SECOND, *MANY}


@pytest.mark.parametrize("path", ["/servers/no-such/objects", "/servers/no-such/search?q=x", "/renderers/no-such"])
def test_unknown_devices(house, udn, path):
    with pytest.raises(Refused) as refused:
        house.get(path)
    assert refused.value.status == 404 and refused.value.problem["type"] == "not-found"


def test_unknown_objects(library, house, udn):
    with pytest.raises(Refused) as refused:
        house.post("/play", {"items": [{"server": udn, "object": "nothing-of-that-id"}]})
    assert refused.value.status == 404
    assert house.queue() == []
