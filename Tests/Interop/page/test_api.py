"""The page's API, as scripts use it: the player, the queue, stations, the system; and what is refused.

What is played comes from a media server of the test; OpenHome control points must see the same."""

import json
from urllib.parse import urlsplit

import pytest
from kit import http
from kit.sound import flac, tone
from kit.waiting import until
from openapi_spec_validator import validate

JSON = {"Content-Type": "application/json"}


class API:
    """The API of one speaker. Answers are (status, JSON or text, fields)."""

    def __init__(self, location):
        self.base = f"http://{urlsplit(location).netloc}"

    def ask(self, method, path, body=None, **fields):
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        data = b""
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        response = http.request(method, self.base + path, headers, data)
        kind = response["content-type"] or ""
        return response.status, json.loads(response.body) if "json" in kind else response.text, response

    def get(self, path):
        status, value, _ = self.ask("GET", path)
        assert status == 200, (status, value)
        return value

    def do(self, method, path, body=None, **fields):
        """A command that must be carried out; gives its answer's version, or its result."""
        status, value, response = self.ask(method, path, body, **fields)
        assert status in (200, 204), (status, value)
        return value if status == 200 else int(response["vireo-version"])

    def refused(self, method, path, body=None, **fields):
        """The status and the problem."""
        status, value, response = self.ask(method, path, body, **fields)
        assert status >= 400, (status, value)
        if response["content-type"]:
            assert response["content-type"] == "application/problem+json"
            assert value["status"] == status and value["type"] and value["detail"]
        return status, value

    @property
    def player(self):
        return self.get("/api/v1/player")

    @property
    def queue(self):
        return self.get("/api/v1/queue")


@pytest.fixture
def api(speaker):
    return API(speaker.location)


@pytest.fixture(scope="module")
def track(oh_media):
    oh_media.add("/api/a.flac", flac(tone(20, 440)), "audio/flac")
    return f"{oh_media.base}/api/a.flac"


def test_description_is_valid(api):
    description = api.get("/api/openapi.json")
    validate(description)
    assert api.get("/api")["versions"] == ["v1"]


def test_play_pause_seek(api, speaker, track):
    result = api.do("POST", "/api/v1/play", {"items": [{"uri": track, "title": "Sine", "artist": "Wave"}], "how": "now"})
    assert result == {"added": 1, "left": 0, "token": api.get("/api/v1/queue")["token"]}
    until(lambda: api.player["state"] == "playing", 10, "playing")
    player = api.player
    assert (player["track"]["title"], player["track"]["artist"]) == ("Sine", "Wave")
    assert player["caster"]["isPage"] is True
    assert {"pause", "stop", "seek"} <= set(player["actions"])
    assert until(lambda: api.player.get("format"), 5, "a format")["codec"] == "FLAC"
    assert api.do("PATCH", "/api/v1/player", {"position": 12.5}) > player["version"]
    until(lambda: api.player["position"]["seconds"] >= 12.5, 5, "the position")
    api.do("POST", "/api/v1/player/pause")
    until(lambda: api.player["state"] == "paused", 5, "a pause")
    assert speaker.state_of("Transport") == "Paused"
    assert api.refused("PATCH", "/api/v1/player", {"position": 100})[0] == 422
    api.do("POST", "/api/v1/player/toggle")
    until(lambda: api.player["state"] == "playing", 5, "playing again")
    api.do("POST", "/api/v1/player/stop")
    assert api.player["state"] == "stopped"
    assert speaker.state_of("Transport") == "Stopped"


def test_values_are_those_of_openhome(api, speaker):
    version = api.do("PATCH", "/api/v1/player", {"volume": 23, "muted": True, "repeat": True, "shuffle": True})
    assert api.player["version"] == version
    assert speaker.volume_of()["Value"] == "23"
    assert speaker.playlist("Repeat")["Value"] in ("1", "true")
    speaker.volume_of("SetVolume", Value=24)
    assert api.player["volume"] == 24 and api.player["muted"] is False
    api.do("PATCH", "/api/v1/player", {"source": "radio"})
    assert speaker.source() == "Radio"
    api.do("PATCH", "/api/v1/player", {"standby": True})
    assert api.player["standby"] is True and api.player["actions"] == []
    assert api.refused("POST", "/api/v1/player/next")[1]["type"] == "standby"
    api.do("PATCH", "/api/v1/player", {"standby": False})
    assert speaker.product("Standby")["Value"] in ("0", "false")


def test_queue_is_the_playlist(api, speaker, track):
    tracks = [{"uri": f"{track}?{n}", "title": f"Track {n}", "seconds": 10} for n in range(5)]
    assert api.do("POST", "/api/v1/queue/tracks", {"tracks": tracks})["added"] == 5
    queue = api.queue
    ids = queue["ids"]
    assert speaker.ids() == ids and queue["seconds"] == 50
    titles = [t["title"] for t in api.get("/api/v1/queue/tracks?ids=" + ",".join(map(str, ids)))["tracks"]]
    assert titles == [f"Track {n}" for n in range(5)]
    assert "Track 3" in speaker.read_list(str(ids[3]))[0]["Metadata"]
    api.do("POST", "/api/v1/queue/move", {"ids": [ids[4], ids[0]], "after": ids[2]}, If_Match=queue["token"])
    moved = [ids[1], ids[2], ids[4], ids[0], ids[3]]
    assert speaker.ids() == moved == api.queue["ids"]
    assert api.refused("DELETE", "/api/v1/queue", If_Match=queue["token"])[0] == 412
    api.do("DELETE", f"/api/v1/queue/tracks/{ids[2]}")
    api.do("POST", "/api/v1/queue/remove", {"ids": [ids[1], ids[4]]})
    assert speaker.ids() == [ids[0], ids[3]]
    assert api.queue["undo"] == "Removing 2 tracks"
    api.do("POST", "/api/v1/queue/undo")
    assert speaker.ids() == [ids[1], ids[4], ids[0], ids[3]]
    api.do("DELETE", "/api/v1/queue")
    assert speaker.ids() == []
    api.do("POST", "/api/v1/queue/undo")
    speaker.playlist("DeleteId", Value=ids[0])
    assert api.refused("POST", "/api/v1/queue/undo")[0] == 409


def test_stations(api, speaker):
    presets = api.get("/api/v1/radio")["presets"]
    assert [preset["title"] for preset in presets[:2]] == ["One & only", "Zwei <2>"]
    api.do("POST", f"/api/v1/radio/{presets[1]['id']}/play")
    assert api.get("/api/v1/radio")["current"] == presets[1]["id"]
    assert speaker.source() == "Radio"
    assert api.refused("POST", "/api/v1/radio/4711/play")[0] == 404
    api.do("POST", "/api/v1/player/stop")


def test_system(api, oh_link):
    system = api.get("/api/v1/system")
    assert system["checks"] and all(check["state"] in ("ok", "warning", "fault") for check in system["checks"])
    assert any(interface["isUsed"] for interface in system["interfaces"])
    assert "audio/flac" in system["decoders"]
    room = next(s for s in system["settings"] if s["key"] == "device.room")
    assert "Kitchen" in room["value"] and room["where"].startswith("line ")
    assert isinstance(api.get("/api/v1/system/log")["lines"], list)


def controls(api):
    """What these requests would change. The version may rise for other reasons, such as what an earlier test has cast."""
    return {key: value for key, value in api.player.items() if key in ("volume", "muted", "loudness")}


@pytest.mark.parametrize("body, status, pointer", [
    ({}, 422, ""), ({"volume": 101}, 422, "/volume"), ({"volume": "7"}, 422, "/volume"), ({"loudness": 7}, 422, "/loudness"),
    ({"muted": None}, 422, "/muted"), (b"{", 400, None), (b'{"volume":1,"volume":2}', 400, None), (b"\xff", 400, None),
    (b'{"volume":' + b"[" * 9 + b"]" * 9 + b"}", 400, None), ([], 422, ""),
])
def test_bodies_are_checked(api, body, status, pointer):
    before = controls(api)
    assert (lambda got: (got[0], got[1].get("pointer")))(api.refused("PATCH", "/api/v1/player", body)) == (status, pointer)
    assert controls(api) == before


@pytest.mark.parametrize("fields, status", [
    ({"Origin": "null"}, 403), ({"Origin": "http://evil.example"}, 403), ({"Sec_Fetch_Site": "cross-site"}, 403),
    ({"Content_Type": "text/plain"}, 415), ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
])
def test_other_sites_control_nothing(api, fields, status):
    api.do("PATCH", "/api/v1/player", {"volume": 31})
    before = controls(api)
    assert api.refused("PATCH", "/api/v1/player", {"volume": 7}, **fields)[0] == status
    assert controls(api) == before


def test_our_own_page_controls(api):
    api.do("PATCH", "/api/v1/player", {"volume": 31}, Origin=api.base)
    assert api.player["volume"] == 31


def test_no_preflight_is_answered(api):
    status, _, response = api.ask("OPTIONS", "/api/v1/player", Origin="http://evil.example",
                                  Access_Control_Request_Method="PATCH")
    assert status == 405
    assert response["access-control-allow-origin"] is None


def test_a_form_reaches_no_action(speaker):
    """SOAP takes no media type that a form can send."""
    control = speaker.services[speaker.types["Volume"]].control
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        response = http.request("POST", control, {"Content-Type": kind, "Origin": "http://evil.example"}, b"a=b")
        assert response.status == 415, kind
