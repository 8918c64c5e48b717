"""A party: guests request songs, the host decides, and what comes of it in the queue that every control point sees."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit import openhome
from kit.page_api import Refused
from kit.waiting import until


def refused(call, *arguments):
    """The status and the kind of a refusal."""
    with pytest.raises(Refused) as refusal:
        call(*arguments)
    return refusal.value.status, refusal.value.problem.get("type")


def test_without_a_start_there_is_none(hold):
    party = hold()
    state = party.state
    assert not state["isRunning"] and state["requests"] == [] and "code" not in state
    guest = party.guest(enters=False)
    assert guest.enter("ABCDEFGH")[0] == 404
    assert guest.request("a")[0] == 422, "nobody without a token"
    assert refused(party.api.ask, "DELETE", "/party") == (404, "no-party")


def test_requests_join_the_queue_behind_earlier_ones_and_ahead_of_the_rest(party):
    party.play("Host 1", "Host 2", "Host 3")
    ann, bob = party.guest("Ann"), party.guest("Bob")
    for number, guest in enumerate((ann, bob, ann), 1):
        status, request, _ = guest.request(f"Wish {number}")
        assert status == 200 and request["state"] == "queued" and request["guest"] == guest.id
    assert party.api.queue() == ["Host 1", "Wish 1", "Wish 2", "Wish 3", "Host 2", "Host 3"]
    assert bob.request("Sooner", next=True)[0] == 200
    assert party.api.queue()[:3] == ["Host 1", "Sooner", "Wish 1"]
    # Votes move a request among requests.
    assert bob.vote(3) == 204 and bob.vote(3) == 204
    assert party.api.queue() == ["Host 1", "Sooner", "Wish 3", "Wish 1", "Wish 2", "Host 2", "Host 3"]
    assert ann.vote(3) == 409, "nobody votes for himself"
    assert ann.withdraw(1) == 204 and ann.withdraw(2) == 403
    # Every control point sees that.
    speaker = openhome.Speaker.of(party.subject, party.link)
    assert len(speaker.ids()) == 6
    # And what control points do is what holds.
    speaker.playlist("DeleteId", Value=next(one["track"] for one in party.state["requests"] if one["title"] == "Wish 2"))
    until(lambda: ("removed", "Wish 2") in party.requests(), 5, "it is gone")
    party.api.post("/player/next")
    until(lambda: party.api.playing() == "Sooner" and party.requests("playing") == ["Sooner"], 15, "the first request is heard")
    party.api.post("/player/next")
    until(lambda: party.requests()[:2] == [("playing", "Wish 3"), ("played", "Sooner")], 15, "and the next one")
    # It was played, so it has to rest.
    status, problem, _ = bob.request("Sooner")
    assert (status, problem["type"]) == (409, "already-played")
    assert bob.request("Host 1")[1]["type"] == "already-played"


def test_the_host_is_asked(party):
    party.api.patch("/party", {"mode": "ask"})
    party.play("Host 1", "Host 2")
    guest = party.guest("Ann")
    for name in ("A", "B", "C"):
        assert guest.request(name)[1]["state"] == "asked"
    assert len(party.api.queue()) == 2
    assert guest.request("B")[1]["type"] == "already-waiting"
    # Two pages of the host at once.
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: party.decide(2, "accept"), range(16)))
        list(pool.map(lambda _: party.decide(3, "refuse"), range(16)))
    assert party.api.queue() == ["Host 1", "B", "Host 2"]
    assert party.requests("refused") == ["C"] and party.requests("asked") == ["A"]
    assert refused(party.decide, 3, "accept") == (409, "request-over")
    party.decide(2, "refuse")
    assert party.api.queue() == ["Host 1", "Host 2"]


def test_limits_hold_for_guests_and_for_addresses(party):
    party.api.ask("DELETE", "/party")
    party.start("ask")
    guest = party.guest("Ann")
    for number in range(10):
        assert guest.request(f"{number}")[0] == 200
    status, problem, fields = guest.request("more")
    assert status == 429 and problem["type"] == "too-many-requests" and 100 < int(fields["Retry-After"]) <= 120
    assert guest.ask("GET", "/guest")[1]["left"] == 0
    # Another guest at the same address is nobody else.
    assert guest.enter(name="Not Ann")[0] == 200
    assert guest.request("more")[0] == 429
    other = party.guest()
    assert other.request("more", next=True)[0] == 200
    assert other.request("even more", next=True)[1]["type"] == "too-many-next"


def test_who_enters_again_has_voted_already(party):
    party.play("Host 1", "Host 2")
    ann, bob = party.guest("Ann"), party.guest("Bob")
    assert ann.request("A")[0] == 200
    assert bob.vote(1) == 204
    assert bob.enter(name="Not Bob")[0] == 200
    assert bob.vote(1) == 409
    assert party.state["requests"][0]["votes"] == 1


def test_a_wrong_code_leads_nowhere_and_is_slowed_down(party):
    guest = party.guest(enters=False)
    for _ in range(10):
        assert guest.enter("AAAAAAAA")[0] == 403
    status, problem, fields = guest.enter()
    assert status == 429 and problem["type"] == "too-many-tries" and 0 < int(fields["Retry-After"]) <= 30
    assert party.guest("Ann").token


def test_sixty_four_guests_at_once(party):
    party.play("Host 1", "Host 2")
    guests = [party.guest(f"Guest {number}") for number in range(64)]
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda pair: pair[1].request(f"Song {pair[0]}", next=False)[0], enumerate(guests)))
        assert statuses == [200] * 64
        assert set(pool.map(lambda guest: guest.vote(1 if guest.id != party.state["requests"][0]["guest"] else 2), guests[1:40])) <= {204, 409}
    state = party.state
    assert state["guests"] == 64 and len(state["requests"]) == 64
    waiting = [one for one in state["requests"] if one["state"] == "queued"]
    assert [one["votes"] for one in waiting] == sorted((one["votes"] for one in waiting), reverse=True)
    queue = party.api.queue()
    assert queue[0] == "Host 1" and queue[-1] == "Host 2" and queue[1:-1] == [one["title"] for one in waiting]
    # All of them wait for something, so nobody else comes in; a hundred requests are the most.
    assert party.guest(enters=False).enter()[0] == 409
    with ThreadPoolExecutor(16) as pool:
        more = list(pool.map(lambda pair: pair[1].request(f"More {pair[0]}")[0], enumerate(guests)))
    assert more.count(200) == 36 and more.count(409) == 28


def test_a_second_party_is_a_new_one(party):
    party.play("Host 1", "Host 2")
    ann = party.guest("Ann")
    assert ann.request("A")[0] == 200
    first = party.code
    party.api.ask("DELETE", "/party")
    assert ann.request("B")[0] == 404 and not party.state["isRunning"]
    assert party.api.queue() == ["Host 1", "A", "Host 2"], "what is in the queue stays there"
    party.start("ask")
    assert party.code != first and party.requests() == [] and party.state["guests"] == 0
    assert ann.request("B")[1]["type"] == "unknown-guest"
    assert ann.enter(first)[0] == 403 and ann.enter()[0] == 200
    assert ann.request("B")[0] == 200
    party.decide(1, "accept")
    assert party.api.queue() == ["Host 1", "B", "A", "Host 2"]
    assert refused(party.start) == (409, "party-running")


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_it_goes_on_after_a_restart(party, end):
    party.play("Host 1", "Host 2")
    ann, bob = party.guest("Ann"), party.guest()
    assert ann.request("A")[0] == 200 and ann.request("B")[0] == 200
    assert bob.vote(2) == 204
    party.api.patch("/party", {"mode": "ask"})
    assert bob.request("C")[0] == 200
    code, seconds = party.code, party.state["seconds"]
    if end == "kill":
        # What is half a second old is on the disk.
        time.sleep(1.5)
    getattr(party.subject, end)()
    party.again()
    state = party.state
    assert (state["isRunning"], state["code"], state["mode"], state["guests"]) == (True, code, "ask", 2)
    assert seconds - 60 <= state["seconds"] <= seconds
    assert party.requests() == [("queued", "B"), ("queued", "A"), ("asked", "C")]
    assert state["requests"][0]["votes"] == 1 and state["requests"][0]["name"] == "Ann"
    # Everybody is who he was.
    party.decide(3, "accept")
    assert party.api.queue() == ["Host 1", "B", "A", "C", "Host 2"]
    assert bob.vote(1) == 204 and ann.vote(1) == 409
    assert bob.withdraw(3) == 204
    assert party.api.queue() == ["Host 1", "B", "A", "Host 2"]
    party.api.ask("DELETE", "/party")
    party.subject.terminate()
    party.again()
    assert not party.state["isRunning"]


def test_it_begins_with_the_daemon_and_ends_by_itself(hold):
    party = hold({"party": {"start": "ask", "requests": 2, "every": "1h", "votes": False}})
    state = party.state
    assert state["isRunning"] and state["mode"] == "ask" and not state["votes"] and 28700 < state["seconds"] <= 28800
    ann, bob = party.guest(), party.guest()
    assert [ann.request(name)[0] for name in "abc"] == [200, 200, 429]
    assert bob.vote(1) == 409
    # The shortest party that can be asked for is six minutes, so nobody waits for its end here: PartyAPITests does.
    assert 350 < party.api.patch("/party", {"hours": 0.1})["seconds"] <= 360


def test_guests_may_request_where_pages_may_only_look(hold):
    party = hold({"page": {"access": "view"}, "party": {"start": "add"}})
    guest = party.guest("Ann")
    assert guest.request("A")[0] == 200 and party.api.queue() == ["A"]
    assert refused(party.api.post, "/player/play")[0] == 403
    assert refused(party.decide, 1, "refuse")[0] == 403
    assert refused(party.api.ask, "DELETE", "/party")[0] == 403


def test_idle_it_wakes_nobody(party):
    """A party is not a reason to run."""
    guest = party.guest()
    guest.request("A")
    time.sleep(3)
    before = party.subject.processor_seconds()
    time.sleep(4)
    assert party.subject.processor_seconds() - before < 0.05
