"""Rooms that play together, by the API of the page of one of them: two speakers on one host. How they sound, other tests say."""

from urllib.parse import quote

import pytest
from kit import media_server, netns, sound
from kit.page_api import PageAPI, Refused
from kit.waiting import until
from test_library_renderers import Events


@pytest.fixture(scope="module")
def link():
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="module")
def speakers(link, launch_for_all):
    """Here, whose page is open, and There."""
    here = launch_for_all(link, "here", settings={"network": {"ipv6": False}}, friendly_name="Here")
    there = launch_for_all(link, "there", settings={"network": {"ipv6": False, "port": 49495}}, friendly_name="There")
    return PageAPI(here.shared_location), PageAPI(there.shared_location)


@pytest.fixture
def rooms(speakers):
    """Both, each for itself, and their UDNs."""
    here, there = speakers
    udns = [until(lambda: next((r["udn"] for r in here.get("/rooms")["rooms"] if r["name"] == name and r.get("state")), None), 10, name)
            for name in ("Here", "There")]
    yield (here, there, *udns)
    for udn in udns:
        try:
            here.post(f"/rooms/{quote(udn)}/leave")
        except Refused as refused:
            assert refused.status == 409, "others listen to it"
    for speaker in speakers:
        speaker.ask("DELETE", "/queue")


def room(api, name):
    return next(one for one in api.get("/rooms")["rooms"] if one["name"] == name)


def test_both_are_listed_this_one_first(rooms):
    here, there, own, other = rooms
    listed = here.get("/rooms")["rooms"]
    assert [(r["name"], r["isSelf"], r["isThere"], r["canSend"], r["canReceive"]) for r in listed] == [
        ("Here", True, True, True, True), ("There", False, True, True, True)]
    assert all("host" not in r and "hostName" not in r and r["state"] == "stopped" and 0 <= r["volume"] <= 100 for r in listed)
    # They are called as among the renderers.
    assert {own, other} <= {r["udn"] for r in here.get("/renderers")["renderers"]}
    until(lambda: [r["name"] for r in there.get("/rooms")["rooms"]] == ["There", "Here"], 5, "the list of the other one")


@pytest.mark.parametrize("name", ["Here", "There"])
def test_one_joins_the_other_and_leaves(rooms, name):
    here, there, own, other = rooms
    member, host = (own, other) if name == "Here" else (other, own)
    here.post(f"/rooms/{member}/join", {"host": host})
    for api in (here, there):
        joined = until(lambda: next((r for r in [room(api, name)] if r.get("host")), None), 5, "it is shown")
        assert joined["hostName"] == ("There" if name == "Here" else "Here")
        assert joined["state"] in ("waiting", "buffering", "playing")
    # Once more does no harm.
    here.post(f"/rooms/{member}/join", {"host": host})
    with pytest.raises(Refused) as refused:
        here.post(f"/rooms/{host}/leave")
    assert refused.value.status == 409 and "listens to it" in refused.value.problem["detail"]
    # And the other way round there would be nobody who plays.
    with pytest.raises(Refused) as refused:
        here.post(f"/rooms/{host}/join", {"host": member})
    assert refused.value.status == 409
    here.post(f"/rooms/{member}/leave")
    for api in (here, there):
        until(lambda: "host" not in room(api, name), 5, "it has left")
    here.post(f"/rooms/{member}/leave")


def test_what_cannot_be(rooms):
    here, _, own, other = rooms
    for path, body, status in [
        (f"/rooms/{own}/join", {"host": own}, 409), (f"/rooms/{own}/join", {"host": "nobody"}, 404),
        ("/rooms/nobody/join", {"host": own}, 404), ("/rooms/nobody/leave", None, 404),
    ]:
        with pytest.raises(Refused) as refused:
            here.post(path, body)
        assert refused.value.status == status, path
    with pytest.raises(Refused) as refused:
        here.patch(f"/rooms/{other}/group", {"step": 2, "volume": 3})
    assert refused.value.status == 422 and refused.value.problem["pointer"] == "/step"


def test_the_volume_of_a_group(rooms):
    here, there, own, other = rooms
    here.patch("/player", {"volume": 30, "muted": False})
    there.patch("/player", {"volume": 50, "muted": False})

    def volumes():
        return here.get("/player")["volume"], there.get("/player")["volume"]
    # A room alone is a group too.
    here.patch(f"/rooms/{own}/group", {"step": 2})
    assert volumes() == (32, 50)
    here.post(f"/rooms/{other}/join", {"host": own})
    here.patch(f"/rooms/{own}/group", {"volume": 42})
    assert volumes() == (42, 60)
    here.patch(f"/rooms/{own}/group", {"volume": 100})
    assert volumes() == (100, 100)
    # Moved on by the same hand: the difference is back.
    here.patch(f"/rooms/{own}/group", {"volume": 40})
    assert volumes() == (40, 58)
    here.patch(f"/rooms/{own}/group", {"step": -3})
    assert volumes() == (37, 55)
    here.patch(f"/rooms/{own}/group", {"muted": True})
    assert here.get("/player")["muted"] and there.get("/player")["muted"]
    here.patch(f"/rooms/{own}/group", {"muted": False})
    assert not here.get("/player")["muted"] and not there.get("/player")["muted"]
    with pytest.raises(Refused) as refused:
        here.patch(f"/rooms/{other}/group", {"step": 2})
    assert refused.value.status == 409 and "group" in refused.value.problem["detail"]


def test_a_member_is_told_what_comes_next(rooms, link):
    here, there, own, other = rooms
    server = media_server.MediaServer(link.phone)
    address = server.add("/1.wav", sound.wav(sound.noise(3, seed=1)), "audio/wav")
    there.post("/play", {"items": [{"uri": f"{address}?{n}", "title": f"Song {n}", "artist": "A band"} for n in range(14)], "how": "end"})
    told = there.get("/rooms/next")["titles"]
    assert told == [{"title": f"Song {n}", "artist": "A band"} for n in range(1, 11)]
    assert here.get("/rooms/next") == {"titles": []}
    events = Events(here, "rooms")
    until(lambda: events.last("rooms"), 5, "the first event")
    assert "next" not in events.last("rooms")
    here.post(f"/rooms/{own}/join", {"host": other})
    until(lambda: events.last("rooms").get("next") == told, 5, "what comes next there")
    there.ask("DELETE", "/queue")
    until(lambda: events.last("rooms").get("next") == [], 15, "there is nothing any more")
    here.post(f"/rooms/{own}/leave")
    until(lambda: "next" not in events.last("rooms"), 5, "it has left")
    events.close()
    server.close()


def test_a_page_hears_what_others_group(rooms):
    """Somebody else's control point groups the rooms: a page that is open sees it."""
    here, there, own, other = rooms
    events = Events(here, "rooms")
    until(lambda: events.last("rooms") and len(events.last("rooms")["rooms"]) == 2 and all(r.get("state") for r in events.last("rooms")["rooms"]), 10, "both rooms")

    def host(name):
        return next(r.get("host") for r in events.last("rooms")["rooms"] if r["name"] == name)
    there.post(f"/rooms/{other}/join", {"host": own})
    until(lambda: host("There") == own, 3, "There joins")
    there.post(f"/rooms/{other}/leave")
    until(lambda: host("There") is None, 3, "There leaves")
    there.post(f"/rooms/{own}/join", {"host": other})
    until(lambda: host("Here") == other, 3, "Here joins")
    events.close()


def test_reports(rooms):
    here, _, _, _ = rooms
    reports = here.get("/rooms/reports")
    assert reports == {"sending": False, "listeners": []}
