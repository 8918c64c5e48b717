"""Every word of a measurement library, as `getInstance` and `track`, and what is ours of it: a row of the table each."""

import signal
import time

import pytest
from kit import sound
from kit.report_server import Answer
from kit.tls import Authority
from kit.upnp import didl
from kit.waiting import until


def kinds(server):
    return [event["event"] for event in server.events()]


def changed(settings, **reports):
    return {**settings, "reports": {**settings["reports"], **reports}}


def hook(settings, **values):
    return {**settings, "reports.webhook": {**settings["reports.webhook"], **values}}


def test_get_instance(listen, webhook, server):
    """`getInstance(site, application)`, once: the site is ours to name, the application is Vireo, and both stay until a restart."""
    listener = listen(changed(webhook, site="A house"))
    until(lambda: server.events("started"), 15, "the first event")
    (event,) = server.events()
    assert event["site"] == "A house" and event["player"]["name"] == "Vireo"
    listener.subject.settings["reports"]["site"] = "Another"
    listener.subject.write_configuration()
    listener.subject.signal(signal.SIGHUP)
    listener.subject.log.wait(lambda line: "reports.site has changed; restart needed" in line, 15, "a word about it")
    listener.hear("A song")
    until(lambda: server.events("ended"), 15, "the end")
    assert {event["site"] for event in server.events()} == {"A house"}


def test_tracking(listen, webhook, server):
    """`tracking` false: no requests, no thread, no library. It is false by default."""
    listener = listen({**webhook, "reports": {}})
    listener.hear("A song")
    assert not any(name.startswith("report-") for name in listener.subject.thread_names())
    assert "libcurl" not in listener.subject.libraries()
    listener.subject.terminate()
    assert not server.calls.items


def test_offline_mode(listen, webhook, server, rows):
    """Requests pass a persistent ring; with `offline = false` they don't, and what can't be sent is lost with the program."""
    server.refuse()
    listener = listen(webhook)
    listener.hear("Kept")
    until(lambda: [row[1] for row in rows(listener.subject) or []] == ["started", "began", "ended"], 15, "events that wait")
    listener.subject.terminate()
    server.open()
    listener.subject.start()
    until(lambda: kinds(server)[:4] == ["started", "began", "ended", "started"], 20, "all of them, in their order")
    listener.subject.terminate()
    server.refuse()
    before = len(kinds(server))
    listener.subject.settings["reports"]["offline"] = False
    listener.subject.start()
    listener.again().hear("Forgotten")
    listener.subject.terminate()
    assert not rows(listener.subject)
    server.open()
    listener.subject.start()
    until(lambda: len(kinds(server)) > before, 20, "an event")
    assert kinds(server)[before:] == ["started"]


def test_debug(listen, webhook, server, secret):
    """The log says what is sent, without tokens; at its usual level it doesn't."""
    settings = hook(webhook, **{"token-file": secret("hook-secret-token")})
    listener = listen({**settings, "log": {"reports": "debug"}})
    listener.hear("A song of mine")
    until(lambda: server.events("ended"), 15, "the end")
    assert server.taken()[-1].headers["authorization"] == "Bearer hook-secret-token"
    lines = listener.subject.log.items
    assert any('"event":"ended"' in line and "A song of mine" in line for line in lines)
    assert not any("hook-secret-token" in line for line in lines)


def test_debug_is_off_by_default(own_host, cable, listen, webhook, server):
    listener = listen({**webhook, "log": {"level": "info"}}, arguments=["--log-level", "info"])
    listener.hear("A song of mine")
    until(lambda: server.events("ended"), 15, "the end")
    assert not any("A song of mine" in line for line in listener.subject.log.items)


def test_timeout(listen, webhook, server):
    """`timeout`, of a request: 10 s unless it is set."""
    server.decide = lambda call: Answer(fault="stall")
    listener = listen(changed(webhook, timeout="1s"))
    server.calls.wait(lambda call: True, 15, "a call")
    begun = time.monotonic()
    listener.subject.log.wait(lambda line: "webhook can't be reached" in line, 15, "a word about it")
    assert time.monotonic() - begun < 8
    assert "timeout = \"1s\"" in listener.subject.checked()


def test_ssl(listen, report_server, cable, tmp_path, secret):
    """`ssl`: whatever isn't on our link must be https; that is `test_listenbrainz.py`, too."""
    authority = Authority(tmp_path, "trusted")
    server = report_server(tls=authority.context(cable.phone))
    listen({"reports": {"enabled": True}, "reports.webhook": {"url": f"{server.base}/hook"}}, authorities=authority.certificate)
    until(lambda: server.events("started"), 15, "an event over TLS")


def test_adapter(listen, webhook, server):
    """`getPosition`, `getDuration`, `getMeta`: what the player says; there is no screen, so it has no width and height."""
    listen(webhook).hear("A song", seconds=2)
    until(lambda: server.events("ended"), 15, "the end")
    began, ended = server.events("began", "ended")
    assert began["position"] < 0.5 and began["duration"] == ended["duration"] == 2
    assert abs(ended["position"] - 2) < 0.5 and abs(ended["heard"] - 2) < 0.5
    assert set(ended["player"]) == {"name", "version"}
    assert (began["state"], ended["state"]) == ("playing", "stopped")
    assert not {"width", "height", "screen"} & set(ended)


def test_track(listen, webhook, server, own_host, cable, served):
    """`track` begins by itself, with each track and each song of a station; `stream` names it, the attributes are ours."""
    settings = hook(changed(webhook, radio=True), attributes={"room": "two", "audience": "family"})
    listener = listen({**settings, "radio": {"preset": [{"name": "Radio Bird", "url": f"{served.base}/station"}]}})
    listener.hear("Song/1")
    until(lambda: server.events("ended"), 15, "the end")
    first = server.events("began")[0]
    assert first["stream"] == "playlist/An artist/Song%2F1"
    assert (first["title"], first["artist"], first["album"]) == ("Song/1", "An artist", "An album")
    assert first["attributes"] == {"room": "two", "audience": "family"}
    device = listener.subject.device(cable)
    uri = f"{served.base}/secret-folder/1.flac"
    device.set_uri(uri, didl("Cast", uri, "audio/flac"))
    device.play()
    until(lambda: any(event.get("stream") == "upnp-av/An artist/Cast" for event in server.events("began")), 15, "a cast")
    until(lambda: device.state() == "STOPPED", 15, "its end")
    data = sound.mp3(sound.music(4), folder=listener.subject.folder)
    served.add("/station", data, "audio/mpeg", mode="icy", rate=16000, metaint=16000, station="Bird FM",
               titles=("A - One", "A - One", "A - One", "B - Two"))
    listener.speaker.radio("SetId", Value=listener.speaker.ids("Radio")[0], Uri="")
    listener.speaker.radio("Play")
    until(lambda: any(event.get("title") == "Two" for event in server.events("began")), 30, "a song of a station")
    song = next(event for event in server.events("began") if event.get("title") == "Two")
    assert song["stream"] == "radio/Radio Bird" and song["artist"] == "B" and song["station"] == "Radio Bird"


def test_data_sent_cyclically(listen, webhook, server):
    """Heartbeats, every `interval`; "0s" is the beginning and the end only."""
    listener = listen(hook(webhook, interval="1s"))
    listener.hear("A song", seconds=4.5)
    until(lambda: server.events("ended"), 15, "the end")
    assert kinds(server) == ["started", "began", "beat", "beat", "beat", "beat", "ended"]
    beats = server.events("beat")
    assert [round(beat["heard"]) for beat in beats] == [1, 2, 3, 4]
    assert all(abs(beat["position"] - beat["heard"]) < 0.5 for beat in beats)
    assert len({event["id"] for event in server.events()}) == len(server.events())


def test_data_sent_cyclically_pauses_with_the_music(listen, webhook, server):
    listener = listen(hook(webhook, interval="1s"))
    listener.play("A song", seconds=30)
    until(lambda: server.events("beat"), 15, "a beat")
    listener.speaker.playlist("Pause")
    until(lambda: listener.speaker.state_of() == "Paused", 15, "a pause")
    count = len(server.events())
    time.sleep(3)  # as long as nothing may come
    assert len(server.events()) == count


@pytest.mark.parametrize("way", ["stop", "skip", "standby", "source"])
def test_stop(listen, webhook, server, way):
    """`stop` ends it, and its state is sent: by Stop, a skip, standby, and another source."""
    listener = listen(webhook)
    listener.play("A song", "Another", seconds=30)
    until(lambda: server.events("began"), 15, "the beginning")
    speaker = listener.speaker
    if way == "stop":
        speaker.playlist("Stop")
    elif way == "skip":
        speaker.playlist("Next")
    elif way == "standby":
        speaker.product("SetStandby", Value=1)
    else:
        speaker.product("SetSourceBySystemName", Value="Radio")
    until(lambda: server.events("ended"), 15, "the end")
    (ended,) = server.events("ended")
    assert ended["title"] == "A song" and ended["state"] == "stopped" and ended["heard"] < 20


def test_unload(listen, webhook, server, rows):
    """`unload` ends all: at SIGTERM the last state is sent if that goes within a second, and is kept if not."""
    listener = listen(webhook)
    listener.play("A song", seconds=30)
    until(lambda: server.events("began"), 15, "the beginning")
    assert listener.subject.terminate() == 0
    assert [event["title"] for event in server.events("ended")] == ["A song"]
    assert not rows(listener.subject), "it has arrived, so it isn't kept"
    server.decide = lambda call: Answer(fault="stall") if call.json["event"] == "ended" else Answer()
    listener.subject.start()
    listener.again()
    listener.speaker.playlist("Play")
    until(lambda: len(server.events("began")) == 2, 15, "the beginning")
    begun = time.monotonic()
    assert listener.subject.terminate() == 0
    assert time.monotonic() - begun < 4
    assert [row[1] for row in rows(listener.subject)] == ["ended"]
    stalled = server.calls.items[-1].json
    server.decide = lambda call: Answer()
    listener.subject.start()
    until(lambda: len(server.events("ended")) == 2, 20, "the end, though late")
    assert server.events("ended")[1]["id"] == stalled["id"], "what came twice has the same id"
    assert server.events("ended")[1]["at"] == pytest.approx(stalled["at"], abs=0.1)


def test_commit(listen, webhook, server):
    """`commit(action: app started)`."""
    listen(webhook)
    until(lambda: server.events(), 15, "an event")
    event = server.events()[0]
    assert event["event"] == "started" and abs(event["at"] - time.time()) < 30
    assert "stream" not in event and "title" not in event
