"""vireoctl party, and the party of another room."""

import pytest
from kit import vireoctl
from kit.page_api import PageAPI
from kit.vireoctl import REFUSED, USAGE, Vireoctl
from kit.waiting import until


@pytest.fixture
def party(hold):
    return hold()


@pytest.fixture
def ctl(party, tmp_path):
    if vireoctl.program() is None:
        pytest.skip("vireoctl isn't built")
    return Vireoctl(tmp_path, "-r", party.subject.location(party.link))


def test_a_party_from_its_beginning_to_its_end(party, ctl):
    assert ctl("party") == "" and ctl.json("party")["running"] is False
    assert "There is no party." in ctl.run("party", "stop").stderr
    started = ctl.json("party", "start", "--hours", "2")
    assert started["running"] and started["mode"] == "ask" and 7100 < started["seconds"] <= 7200
    assert started["address"] == f"{party.api.base}/#/party/{started['code']}" and started["code"] == party.code
    assert f"address: {started['address']}" in ctl("party", "status")
    assert ctl.run("party", "start", "add").returncode == REFUSED
    guest = party.guest("Ann")
    for name in "ABC":
        assert guest.request(name, artist="Band")[0] == 200
    assert ctl("party", "requests").splitlines()[0] == "1\tasked\t0\tBand – A\tAnn"
    ctl("party", "accept", "1", "2")
    ctl("party", "refuse", "3")
    assert party.api.queue() == ["A", "B"]
    assert {one["id"]: one["state"] for one in ctl.json("party", "requests")} == {1: "queued", 2: "queued", 3: "refused"}
    # The current track of a queue that nobody has heard yet can be taken back as well.
    ctl("party", "refuse", "1")
    assert party.api.queue() == ["B"]
    assert ctl.run("party", "accept", "3").returncode == REFUSED
    assert ctl.run("party", "accept", "99").returncode == REFUSED
    ctl("party", "stop")
    assert not party.state["isRunning"]


@pytest.mark.parametrize("words", [("start", "maybe"), ("start", "--hours", "25"), ("accept",), ("accept", "x"), ("dance",)])
def test_what_is_wrong_is_told(ctl, words):
    assert ctl.run("party", *words).returncode == USAGE


def test_hostile_names_reach_no_terminal(party, ctl):
    party.start("ask")
    guest = party.guest("\x1b[31mred\x07")
    guest.request("A", artist="\x1b]0;title\x07")
    assert "\x1b" not in ctl.run("party", "requests").stdout


def test_a_room_that_listens_tells_of_the_hosts_party(hold, party, make_host, launch, cable):
    """The page of a room that plays along leads to the page of the one that plays."""
    member = launch(party.subject.host, "member", settings={"network": {"port": 49495}}, friendly_name="Member")
    api = PageAPI(member.location(cable))
    rooms = until(lambda: (lambda found: found if len(found) == 2 and all("state" in one for one in found) else None)(api.get("/rooms")["rooms"]), 15, "both rooms")
    own, host = [one["udn"] for one in sorted(rooms, key=lambda one: not one["isSelf"])]
    code = party.start()["code"]
    assert party.api.get("/rooms/next")["party"] == code
    api.post(f"/rooms/{own}/join", {"host": host})
    # It is told while a page shows the rooms.
    import requests
    with requests.get(f"{api.base}/api/v1/events?sections=rooms", stream=True, timeout=30) as stream:
        for line in stream.iter_lines():
            if b'"party"' in line:
                assert f'"address":"{party.api.base}/#/party/{code}"'.encode() in line
                break
        else:
            raise AssertionError("nothing was told of the party")
    party.api.ask("DELETE", "/party")
    assert "party" not in party.api.get("/rooms/next")
