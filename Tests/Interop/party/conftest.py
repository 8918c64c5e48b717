"""Fixtures: a speaker with a party, and guests, each with an address of his own on the phone's cable."""

import subprocess
from http.client import HTTPConnection
from json import dumps, loads
from urllib.parse import urlsplit

import pytest
from kit import subject as subjects
from kit.page_api import PageAPI
from kit.sound import flac, tone
from kit.waiting import until


def pytest_collection_modifyitems(items):
    if subjects.chosen().name != "vireod":
        for item in items:
            item.add_marker(pytest.mark.skip(reason="only vireod has parties"))


class Guest:
    """A browser's part in a party, by plain requests."""

    def __init__(self, party, address):
        self.party, self.address, self.token = party, address, None

    def ask(self, method, path, body=None):
        """The status, the answer and its fields."""
        parts = urlsplit(self.party.api.base)
        connection = HTTPConnection(parts.hostname, parts.port, timeout=30, source_address=(self.address, 0))
        fields = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            fields["Vireo-Guest"] = self.token
        connection.request(method, f"/api/v1/party{path}", dumps(body) if body is not None else None, fields)
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, loads(data) if data else None, response.headers

    def enter(self, code=None, name=""):
        status, answer, fields = self.ask("POST", "/guests", {"code": code or self.party.code, "name": name})
        if status == 200:
            self.token, self.id = answer["token"], answer["id"]
        return status, answer, fields

    def request(self, song, **more):
        return self.ask("POST", "/requests", {"uri": self.party.song(song), "title": song, **more})

    def vote(self, request, method="POST"):
        return self.ask(method, f"/requests/{request}/vote")[0]

    def withdraw(self, request):
        return self.ask("DELETE", f"/requests/{request}")[0]


class Party:
    """A speaker, its party, and who may come to it."""

    def __init__(self, subject, link, served):
        self.subject, self.link, self.served = subject, link, served
        self.api = PageAPI(subject.location(link))
        self.addresses = 10

    def song(self, name, seconds=60):
        path = f"/{name.replace(' ', '-')}.flac"
        if path not in self.served.resources:
            self.served.add(path, flac(tone(seconds, 440, level=0.02)), "audio/flac")
        return self.served.base + path

    def start(self, mode="add", **more):
        return self.api.post("/party", {"mode": mode, **more})

    @property
    def state(self):
        return self.api.get("/party")

    @property
    def code(self):
        return self.state["code"]

    def requests(self, *states):
        """The titles of the requests in those states; of all with their states without any."""
        requests = self.state["requests"]
        return [one["title"] for one in requests if one["state"] in states] if states else [(one["state"], one["title"]) for one in requests]

    def guest(self, name="", enters=True):
        """Somebody at another address."""
        self.addresses += 1
        address = f"10.77.{self.link.number}.{self.addresses}"
        subprocess.run(["ip", "addr", "add", f"{address}/24", "dev", self.link.phone_interface], check=True)
        guest = Guest(self, address)
        if enters:
            assert guest.enter(name=name)[0] == 200
        return guest

    def decide(self, request, decision):
        self.api.patch(f"/party/requests/{request}", {"decision": decision})

    def play(self, *songs, how="replace"):
        self.api.post("/play", {"items": [{"uri": self.song(song), "title": song} for song in songs], "how": how})
        until(lambda: self.api.playing() == songs[0], 15, "sound")

    def again(self):
        """After a restart."""
        self.subject.start()
        self.api = PageAPI(self.subject.location(self.link))
        return self


@pytest.fixture
def hold(own_host, cable, served, launch):
    """Starts a speaker with these settings."""
    def start(settings=None):
        subject = launch(own_host, settings=settings or {})
        return Party(subject, cable, served)
    return start


@pytest.fixture
def party(hold):
    party = hold()
    party.start()
    return party
