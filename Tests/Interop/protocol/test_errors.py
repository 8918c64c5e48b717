"""Every refusal has its code: actions called over plain SOAP in every state."""

import pytest
from kit import http, sound
from kit.upnp import AVT, CM, RC, Device, Fault, envelope, soap


@pytest.fixture
def url(media):
    return media.add("/tone.wav", sound.wav(sound.noise(20)), "audio/wav")


@pytest.fixture
def empty(device):
    """The renderer without media."""
    device.set_uri("")
    return device


@pytest.fixture
def stopped(device, url):
    device.set_uri(url)
    return device


@pytest.fixture
def playing(stopped, events):
    stopped.play()
    events.wait_change("TransportState", "PLAYING", 10)
    return stopped


@pytest.fixture
def paused(playing, events):
    mark = events.events.mark()
    playing.avt("Pause")
    events.wait_change("TransportState", "PAUSED_PLAYBACK", 10, since=mark)
    return playing


PLAY = ("Play", {"Speed": "1"})
PAUSE = ("Pause", {})
STOP = ("Stop", {})
SEEK = ("Seek", {"Unit": "REL_TIME", "Target": "0:00:01"})


def code(device, action, arguments):
    return device.fault(AVT, action, InstanceID=0, **arguments)


@pytest.mark.parametrize("action", [PLAY, PAUSE, STOP, SEEK, ("Next", {}), ("Previous", {})], ids=lambda a: a[0])
def test_without_media_nothing_can_be_done(empty, action):
    assert code(empty, *action) == 701


def test_when_stopped(stopped):
    assert code(stopped, *PAUSE) == 701
    assert code(stopped, *STOP) == {}, "Stop when stopped does nothing, without complaint"
    assert code(stopped, *STOP) == {}
    assert code(stopped, *SEEK) in ({}, 701)
    assert stopped.state() == "STOPPED"


def test_when_playing(playing):
    assert code(playing, *PLAY) == {}, "Play when playing does nothing, without complaint"
    assert playing.state() == "PLAYING"
    assert code(playing, *STOP) == {}


def test_when_paused(paused):
    assert code(paused, *PAUSE) == {}
    assert paused.state() == "PAUSED_PLAYBACK"
    assert code(paused, *PLAY) == {}


def test_setting_a_uri_changes_no_state(device, url, media, events):
    other = media.add("/other.wav", sound.wav(sound.noise(20, seed=2)), "audio/wav")
    device.set_uri(url)
    assert device.state() == "STOPPED"
    device.play()
    events.wait_change("TransportState", "PLAYING", 10)
    mark = events.events.mark()
    device.set_uri(other)
    events.wait_change("AVTransportURI", other, 5, since=mark)
    events.events.wait(lambda e: e.changes.get("TransportState") == "PLAYING" or device.state() == "PLAYING", 8,
                       "playing the new resource", mark)
    mark = events.events.mark()
    device.avt("Pause")
    events.wait_change("TransportState", "PAUSED_PLAYBACK", 8, since=mark)
    mark = events.events.mark()
    device.set_uri(url)
    events.wait_change("AVTransportURI", url, 5, since=mark)
    assert device.state() in ("PAUSED_PLAYBACK", "TRANSITIONING")


@pytest.mark.parametrize("unit, target, wanted", [
    ("FRAME", "1", 710), ("X_UNKNOWN", "1", 710), ("", "0:00:01", 710),
    ("REL_TIME", "rubbish", 711), ("REL_TIME", "0:99:00", 711), ("REL_TIME", "", 711), ("REL_TIME", "1:2:3:4", 711),
    ("REL_TIME", "99:00:00", 711), ("TRACK_NR", "7", 711), ("TRACK_NR", "x", 711), ("ABS_TIME", "-0:00:05", 711),
])
def test_seek_refusals(playing, unit, target, wanted):
    assert playing.fault(AVT, "Seek", InstanceID=0, Unit=unit, Target=target) == wanted
    assert playing.state() == "PLAYING"


@pytest.mark.parametrize("target", ["0:00:05", "00:00:05", "0:00:05.500", "000:00:05", "+0:00:05", "0:00:05.1/2"])
def test_seek_targets_that_are_understood(playing, target):
    assert playing.fault(AVT, "Seek", InstanceID=0, Unit="REL_TIME", Target=target) == {}


@pytest.mark.parametrize("speed", ["2", "1/2", "0", "-1", "fast", ""])
def test_speed_other_than_1(stopped, speed):
    assert code(stopped, "Play", {"Speed": speed}) == 717
    assert stopped.state() == "STOPPED"


@pytest.mark.parametrize("mode, wanted", [("RANDOMLY", 712), ("", 712), ("INTRO", 712), ("NORMAL", {})])
def test_play_modes(device, mode, wanted):
    assert code(device, "SetPlayMode", {"NewPlayMode": mode}) == wanted


@pytest.mark.parametrize("action, arguments", [
    PLAY, PAUSE, STOP, SEEK, ("GetTransportInfo", {}), ("GetPositionInfo", {}), ("GetMediaInfo", {}),
    ("SetAVTransportURI", {"CurrentURI": "http://127.0.0.1/x", "CurrentURIMetaData": ""}),
    ("SetNextAVTransportURI", {"NextURI": "http://127.0.0.1/x", "NextURIMetaData": ""}),
    ("GetCurrentTransportActions", {}), ("SetPlayMode", {"NewPlayMode": "NORMAL"})], ids=lambda a: str(a)[:20])
def test_unknown_instance_of_avtransport(device, action, arguments):
    for instance in ("1", "4294967295"):
        assert device.fault(AVT, action, InstanceID=instance, **arguments) == 718


@pytest.mark.parametrize("action, arguments", [
    ("GetVolume", {"Channel": "Master"}), ("SetVolume", {"Channel": "Master", "DesiredVolume": 5}),
    ("GetMute", {"Channel": "Master"}), ("ListPresets", {}), ("SelectPreset", {"PresetName": "FactoryDefaults"})])
def test_unknown_instance_of_rendering_control(device, action, arguments):
    assert device.fault(RC, action, InstanceID=7, **arguments) == 702
    assert device.volume() == 100


def test_refusals_of_rendering_control(device):
    assert device.fault(RC, "GetVolume", InstanceID=0, Channel="LFE") == 703
    assert device.fault(RC, "SetMute", InstanceID=0, Channel="Nobody", DesiredMute=1) == 703
    assert device.fault(RC, "SelectPreset", InstanceID=0, PresetName="Loud") == 701
    for value, wanted in ((101, 601), (-1, 601), (65536, 601), ("loud", 402), ("", 402)):
        assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master", DesiredVolume=value) == wanted, value
    assert device.fault(RC, "SetMute", InstanceID=0, Channel="Master", DesiredMute="maybe") == 402
    assert device.volume() == 100


def test_one_missing_argument_is_402_and_harms_nobody(renderer, device):
    """This one line ended gmediarender 0.1."""
    assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master") == 402
    assert device.fault(RC, "SetVolume") == 402
    assert device.fault(RC, "GetVolume", InstanceID=0) == 402
    assert device.fault(AVT, "SetAVTransportURI", InstanceID=0) == 402
    assert device.fault(AVT, "Seek", InstanceID=0, Unit="REL_TIME") == 402
    assert device.fault(AVT, "GetTransportInfo") == 402
    assert renderer.is_running() and device.volume() == 100


@pytest.mark.parametrize("value, muted", [
    ("1", "1"), ("0", "0"), ("true", "1"), ("false", "0"), ("TRUE", "1"), ("no", "0"), ("yes", "1"), (" 0 ", "0")])
def test_spellings_of_booleans(device, value, muted):
    device.rc("SetMute", Channel="Master", DesiredMute=value)
    assert device.rc("GetMute", Channel="Master") == {"CurrentMute": muted}


@pytest.mark.parametrize("text, value", [("12", 12), ("+12", 12), ("012", 12), (" 12 ", 12), ("0", 0), ("100", 100)])
def test_spellings_of_numbers(device, text, value):
    device.set_volume(text)
    assert device.volume() == value


def test_every_volume_is_read_back_as_it_was_set(device):
    for value in range(101):
        device.set_volume(value)
        assert device.volume() == value


def test_volume_in_decibels(device):
    span = device.rc("GetVolumeDBRange", Channel="Master")
    low, high = int(span["MinValue"]), int(span["MaxValue"])
    assert low < -20 * 256 and high == 0, "the unit is 1/256 dB"
    device.set_volume(100)
    assert int(device.rc("GetVolumeDB", Channel="Master")["CurrentVolume"]) == 0
    device.rc("SetVolumeDB", Channel="Master", DesiredVolume=-20 * 256)
    assert 0 < device.volume() < 100
    assert abs(int(device.rc("GetVolumeDB", Channel="Master")["CurrentVolume"]) + 20 * 256) < 3 * 256
    assert device.fault(RC, "SetVolumeDB", InstanceID=0, Channel="Master", DesiredVolume=40000) in (402, 600, 601)


def test_connection_manager_refusals(device):
    assert device.fault(CM, "GetCurrentConnectionInfo", ConnectionID=1) == 706
    assert device.fault(CM, "GetCurrentConnectionInfo", ConnectionID="x") in (402, 600)
    assert device.fault(CM, "PrepareForConnection", RemoteProtocolInfo="", PeerConnectionManager="",
                        PeerConnectionID=-1, Direction="Input") in (401, 602)


def test_unknown_actions_and_services(device):
    assert device.fault(AVT, "Explode", InstanceID=0) == 401
    assert device.fault(AVT, "play", InstanceID=0, Speed=1) == 401, "names are case-sensitive"
    other = AVT[:-1] + "9"
    response = soap(device.services[AVT].control, other, "Stop", {"InstanceID": 0})
    assert response.status == 500 and b"<errorCode>401</errorCode>" in response.body
    response = soap(device.services[AVT].control, RC, "GetVolume", {"InstanceID": 0, "Channel": "Master"})
    assert response.status == 500 and b"<errorCode>401</errorCode>" in response.body


def test_faults_are_well_formed(device):
    with pytest.raises(Fault) as caught:
        device.call(AVT, "Explode", InstanceID=0)
    response = caught.value.response
    assert response.status == 500
    assert response["content-type"].replace('"', "").lower() == "text/xml; charset=utf-8"
    assert b":Client</faultcode>" in response.body and b"<faultstring>UPnPError</faultstring>" in response.body
    assert b"urn:schemas-upnp-org:control-1-0" in response.body
    assert 0 < len(caught.value.description) < 256


def test_http_level_answers(device):
    control = device.services[AVT].control
    body = envelope(AVT, "GetTransportInfo", {"InstanceID": 0})
    assert soap(control + "x", AVT, "GetTransportInfo", body=body).status == 404
    assert soap(control, AVT, "x", body=body, headers={"SOAPACTION": None}).status in (400, 412)
    assert soap(control, AVT, "x", body=body, headers={"SOAPACTION": '"nonsense"'}).status in (400, 412, 500)
    assert soap(control, AVT, "GetTransportInfo", body=body, headers={"Content-Type": "image/png"}).status in (400, 415)
    assert soap(control, AVT, "GetTransportInfo", body=b"<not xml").status in (400, 500)
    assert soap(control, AVT, "GetTransportInfo", body=b"").status in (400, 500)
    assert http.get(control).status == 405
    assert soap(control, AVT, "GetTransportInfo", body=body[:-20]).status in (400, 500)


def test_soapaction_and_body_disagree(device):
    body = envelope(AVT, "Stop", {"InstanceID": 0})
    response = soap(device.services[AVT].control, AVT, "GetTransportInfo", body=body)
    assert response.status in (400, 500) and b"CurrentTransportState" not in response.body


@pytest.mark.parametrize("uri", [
    "ftp://127.0.0.1/x.mp3", "gopher://x/", "javascript:alert(1)", "data:audio/wav;base64,AAAA", "smb://x/y",
    "file:///etc/passwd", "file:/etc/passwd", "FILE:///etc/passwd", "cdda://1", "alsa://", "pulse://", "no scheme",
    "dvd://", "v4l2://", "appsrc://", "//host/path", "rtsp://127.0.0.1:1/x", "\x01http://x/"])
def test_refused_addresses(device, url, uri):
    device.set_uri(url)
    refused = (716, 402, 500) if "\x01" in uri else (716,)
    try:
        result = device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=uri, CurrentURIMetaData="")
    except Exception:
        if "\x01" not in uri:
            raise
        result = 402  # a control character isn't XML; refused below SOAP
    assert result in refused
    assert device.avt("GetMediaInfo")["CurrentURI"] == url, "what was set before stays"
    if "\x01" not in uri:
        assert device.fault(AVT, "SetNextAVTransportURI", InstanceID=0, NextURI=uri, NextURIMetaData="") == 716


def test_file_uris_only_below_the_named_directories(device, music_folder):
    inside = music_folder / "Ä track.wav"
    inside.write_bytes(sound.wav(sound.noise(1)))
    assert device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=inside.as_uri(), CurrentURIMetaData="") == {}
    for path in (f"file://{music_folder}/../secret.wav", f"file://{music_folder}/%2e%2e/secret.wav",
                 f"file://{music_folder}-other/x.wav", f"file://elsewhere{music_folder}/x.wav"):
        result = device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=path, CurrentURIMetaData="")
        assert result == 716, path


def test_a_link_out_of_the_named_directories_isnt_followed(device, events, music_folder, tmp_path):
    """Refused at once, or when it is to be played: what it points to is never heard."""
    outside = tmp_path / "secret.wav"
    outside.write_bytes(sound.wav(sound.noise(1)))
    link = music_folder / "link.wav"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    if device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=link.as_uri(), CurrentURIMetaData="") == 716:
        return
    mark = events.events.mark()
    assert device.fault(AVT, "Play", InstanceID=0, Speed=1) in ({}, 716)
    events.wait_change("TransportStatus", "ERROR_OCCURRED", 5, since=mark)
    assert "PLAYING" not in [e.changes.get("TransportState") for e in events.events.since(mark)]


def test_transport_actions_follow_the_state(empty, url, events):
    def actions():
        return set(filter(None, empty.avt("GetCurrentTransportActions")["Actions"].split(",")))
    assert "Play" not in actions()
    empty.set_uri(url)
    assert "Play" in actions() and "Pause" not in actions()
    mark = events.events.mark()
    empty.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    assert {"Pause", "Stop", "Seek"} <= actions()


def test_description_still_answers(device):
    assert Device(device.location).udn == device.udn
