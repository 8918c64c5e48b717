"""Favourites of a media server: its tracks are found when one is played, and it is said when it is gone."""

import time

import pytest
from kit import odd_server, openhome
from kit.api import API, base
from kit.waiting import until


@pytest.fixture
def street(make_host, launch):
    host = make_host()
    link = host.link()
    subject = launch(host, settings={"network": {"ipv6": False}})
    street = odd_server.Street(host, link)
    street.subject = subject
    street.speaker = openhome.Speaker.of(subject, link)
    street.api = API(base(subject.location(link)))
    yield street
    street.close()


def pin(api, **what):
    return api.tell("POST", "pins", what)


def test_an_album_plays_in_its_order(street):
    server = street.server("Shelf")
    made = pin(street.api, server=server.udn, object="album", title="An Album", description="Shelf")
    assert (made["slot"], made["mode"]) == (1, "server")
    assert not server.calls(), "nobody is asked before it is played"
    street.api.tell("POST", f"pins/{made['id']}/play")
    until(lambda: street.api.titles() == ["First", "Last"], 5, "the album")
    # As an OpenHome control point does, and the same again.
    street.api.tell("DELETE", "queue")
    street.speaker.pins("InvokeIndex", Index=0)
    until(lambda: street.api.titles() == ["First", "Last"], 10, "the album")
    assert street.speaker.playlist("Shuffle")["Value"] in ("0", "false")


def test_a_shuffled_folder_is_shuffled(street):
    server = street.server("Shelf")
    street.speaker.set_pin(4, f"server://object?udn={server.udn}&id=many&version=1", shuffle=1)
    street.speaker.pins("InvokeIndex", Index=4)
    until(lambda: len(street.speaker.ids()) == len(odd_server.MANY), 15, "all of it")
    assert street.speaker.playlist("Shuffle")["Value"] in ("1", "true")


def test_a_server_that_is_gone_is_named_as_the_reason(street):
    server = street.server("Shelf")
    made = pin(street.api, server=server.udn, object="album", title="An Album")
    server.close()
    answer = street.api.ask("POST", f"pins/{made['id']}/play")
    assert answer.status == 404 and "no media server" in answer.json["detail"]
    assert "no media server" in street.api.player["failure"]["detail"]
    # A control point isn't kept waiting; it hears of it as the state.
    began = time.monotonic()
    street.speaker.pins("InvokeId", Id=made["id"])
    assert time.monotonic() - began < 1
    street.subject.log.wait(lambda line: "An Album" in line and "no media server" in line, 5, "a line in the log")


def test_whoever_chooses_something_else_is_not_interrupted(street):
    def slow(status, body):
        yield 1.5
        yield from odd_server.answer(status, body)
    server = street.server("Slow", answer=slow)
    street.speaker.set_pin(0, f"server://object?udn={server.udn}&id=album&version=1")
    street.speaker.append("http://192.0.2.1/mine")
    street.speaker.pins("InvokeIndex", Index=0)
    until(lambda: server.requests.items, 5, "the server is asked")
    street.speaker.product("SetSourceBySystemName", Value="Radio")
    time.sleep(4)
    assert street.speaker.source() == "Radio"
    assert len(street.speaker.ids()) == 1


def test_nobody_is_looked_for_where_nobody_is_needed(street):
    before = street.subject.descriptors()
    made = pin(street.api, uri="http://192.0.2.1/station", title="Bird")
    street.api.get("pins")
    street.api.tell("POST", f"pins/{made['id']}/play")
    street.speaker.pins("InvokeUri", Mode="transport", Type="source", Uri="transport://source?id=Radio&version=1", Shuffle=0)
    street.api.tell("POST", "player/stop")
    # One connection of ours, and perhaps one to the station; no sockets of a search.
    until(lambda: street.subject.descriptors() <= before + 1, 10, "no socket more")
    assert not street.servers
