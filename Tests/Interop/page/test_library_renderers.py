"""Rooms: this speaker, another one that speaks OpenHome, and a renderer that has AV alone."""

import json
import os
import socket
import threading
import time

import pytest
import requests
from kit import media_server, openhome, sound
from kit.page_api import PageAPI, Refused
from kit.upnp import Device
from kit.waiting import until


@pytest.fixture(scope="module")
def rooms(gmediarender_once, launch_for_all):
    """A machine with gmediarender, our speaker, and another of ours."""
    link = gmediarender_once.link
    own = launch_for_all(link, "own", settings={"network": {"ipv6": False}}, friendly_name="Own")
    other = launch_for_all(
        link, "other", settings={"network": {"ipv6": False, "port": 49495}}, friendly_name="Other")
    yield own, other, gmediarender_once


@pytest.fixture(scope="module")
def gmediarender_once(other_renderers):
    from kit import subject as subjects
    return other_renderers(subjects.Gmediarender)


@pytest.fixture
def api(rooms):
    api = PageAPI(rooms[0].shared_location)
    api.ask("DELETE", "/queue")
    return api


@pytest.fixture
def songs(rooms):
    server = media_server.MediaServer(rooms[2].link.phone)
    yield [server.add(f"/{n}.wav", sound.wav(sound.noise(seconds, seed=n)), "audio/wav") for n, seconds in ((1, 3), (2, 30))]
    server.close()


def found(api, name):
    """The renderer of that name, as it is listed; ours are two devices, of which one is found first."""
    kind = "openhome" if name in ("Own", "Other") else "av"
    return until(
        lambda: next((r for r in api.get("/renderers")["renderers"]
                      if r["name"] == name and r["isThere"] and r["kind"] == kind), None), 10, name)


def test_all_are_listed_this_speaker_first(api):
    other, av = found(api, "Other"), found(api, "Interop speaker")
    listed = api.get("/renderers")["renderers"]
    assert [(r["name"], r["kind"], r["isSelf"]) for r in listed] == [
        ("Own", "openhome", True), ("Interop speaker", "av", False), ("Other", "openhome", False)]
    assert other["state"] == "stopped" and 0 <= other["volume"] <= 100 and other["muted"] is False
    assert av["state"] == "stopped" and "volume" in av
    assert listed[0]["volume"] == api.get("/player")["volume"]


@pytest.mark.parametrize("name", ["Own", "Other", "Interop speaker"])
def test_volume_and_mute(api, name):
    udn = found(api, name)["udn"]
    api.patch(f"/renderers/{udn}", {"volume": 31, "muted": True})
    now = api.renderer(udn)
    # gmediarender calculates in dB.
    assert abs(now["volume"] - 31) <= 1 and now["muted"] is True
    api.patch(f"/renderers/{udn}", {"volume": 100, "muted": False})
    now = api.renderer(udn)
    assert now["volume"] == 100 and now["muted"] is False


@pytest.mark.parametrize("body,status", [({}, 422), ({"volume": 101}, 422), ({"balance": 1}, 422)])
def test_what_cannot_be_set(api, body, status):
    with pytest.raises(Refused) as refused:
        api.patch(f"/renderers/{found(api, 'Other')['udn']}", body)
    assert refused.value.status == status


def test_played_elsewhere(rooms, api, songs):
    """On the other speaker: into its queue, at the place that was asked for."""
    udn = found(api, "Other")["udn"]
    there = PageAPI(rooms[1].shared_location)
    items = [{"uri": uri, "title": f"Song {n}"} for n, uri in enumerate(songs)]
    assert api.post("/play", {"items": items, "how": "replace", "where": udn}) == {"added": 2, "left": 0}
    assert there.queue() == ["Song 0", "Song 1"]
    until(lambda: there.playing() == "Song 0", 10, "Song 0 plays there")
    api.post("/play", {"items": [{"uri": songs[1], "title": "Last"}], "how": "end", "where": udn})
    assert there.queue()[-1] == "Last"
    shown = until(lambda: next((r for r in [api.renderer(udn)] if r.get("state") == "playing"), None), 5, "it is shown")
    assert shown["title"] in ("Song 0", "Song 1")
    api.post(f"/renderers/{udn}/pause")
    until(lambda: api.renderer(udn)["state"] == "paused", 5, "it pauses")
    api.post(f"/renderers/{udn}/play")
    until(lambda: api.renderer(udn)["state"] == "playing", 5, "it plays on")
    api.post(f"/renderers/{udn}/stop")
    until(lambda: api.renderer(udn)["state"] == "stopped", 5, "it stops")
    # This speaker has nothing to do with it.
    assert api.queue() == [] and api.get("/player")["state"] == "stopped"


def test_this_speaker_is_a_renderer_too(api, songs):
    udn = found(api, "Own")["udn"]
    api.post("/play", {"items": [{"uri": songs[1], "title": "Here"}], "where": udn})
    until(lambda: api.playing() == "Here", 10, "it plays here")
    assert api.get("/renderers")["renderers"][0]["title"] == "Here"
    api.post(f"/renderers/{udn}/stop")
    until(lambda: api.get("/player")["state"] == "stopped", 5, "it stops")


def test_one_after_another_where_there_is_no_queue(rooms, api, songs):
    udn = found(api, "Interop speaker")["udn"]
    items = [{"uri": uri, "title": f"Song {n}"} for n, uri in enumerate(songs)]
    result = api.post("/play", {"items": items, "where": udn})
    assert result["added"] == 2 and "has no queue" in result["detail"]
    device = Device(rooms[2].shared_location)
    until(lambda: device.avt("GetPositionInfo")["TrackURI"] == songs[1], 15, "the second song")
    with pytest.raises(Refused) as refused:
        api.post("/play", {"items": items, "how": "end", "where": udn})
    assert refused.value.status == 409 and "queue" in refused.value.problem["detail"]
    api.post(f"/renderers/{udn}/stop")


@pytest.mark.parametrize("part,titles", [("all", ["One", "Two", "Three"]), ("current", ["Two", "Three"])])
def test_cast(rooms, api, songs, part, titles):
    items = [{"uri": f"{songs[1]}?{n}", "title": title} for n, title in enumerate(["One", "Two", "Three"])]
    api.post("/play", {"items": items, "how": "end"})
    second = api.get("/queue")["ids"][1]
    api.post(f"/queue/tracks/{second}/play")
    udn = found(api, "Other")["udn"]
    assert api.post(f"/renderers/{udn}/cast", {"from": part})["added"] == len(titles)
    there = PageAPI(rooms[1].shared_location)
    assert there.queue() == titles
    api.post(f"/renderers/{udn}/stop")
    api.post("/player/stop")


def test_nothing_to_cast(api):
    with pytest.raises(Refused) as refused:
        api.post(f"/renderers/{found(api, 'Other')['udn']}/cast", {"from": "all"})
    assert refused.value.status == 409


def test_a_refusal_is_passed_on(api):
    """gmediarender has nothing to play, or something that was stopped."""
    with pytest.raises(Refused) as refused:
        api.post(f"/renderers/{found(api, 'Interop speaker')['udn']}/cast", {"from": "all"})
    assert refused.value.status == 409


class Events:
    """The sections that a page hears of."""

    def __init__(self, api, sections):
        self.heard = []
        self.response = requests.get(f"{api.base}/api/v1/events", params={"sections": sections}, stream=True, timeout=60)
        assert self.response.status_code == 200, self.response.text
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        name = None
        try:
            for line in self.response.iter_lines(decode_unicode=True, chunk_size=1):
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    self.heard.append((time.monotonic(), name, json.loads(line[5:])))
        except Exception:
            pass

    def last(self, name):
        return next((data for _, section, data in reversed(self.heard) if section == name), None)

    def close(self):
        # Closing alone waits for whoever reads.
        with socket.socket(fileno=os.dup(self.response.raw.fileno())) as connection:
            connection.shutdown(socket.SHUT_RDWR)


def test_a_page_sees_what_others_do(rooms, api):
    """By the renderers' events: the volume of another speaker, whoever sets it."""
    events = Events(api, "renderers,servers")
    name, location = "Other", rooms[1].shared_location
    speaker = PageAPI(location)

    def shown():
        section = events.last("renderers")
        return next((r for r in section["renderers"] if r["name"] == name), {}) if section else {}
    until(lambda: "volume" in shown(), 10, "the other speaker")
    time.sleep(1)
    for volume in (20, 80):
        begun = time.monotonic()
        speaker.patch("/player", {"volume": volume})
        until(lambda: shown().get("volume") == volume, 5, f"volume {volume}")
        assert time.monotonic() - begun < 1.5
    events.close()
