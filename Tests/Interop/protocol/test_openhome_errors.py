"""What OpenHome services refuse and with which number, id arrays, and odd questions."""

import pytest
from kit import http, openhome, sound
from kit.openhome import ids
from kit.upnp import envelope, soap
from kit.waiting import until

UNKNOWN = 4_000_000_000
BAD_ARGUMENT = (402, 600, 601)

#: Service, action, arguments, the code (or the codes that will do); nothing is in the playlist.
REFUSALS = [
    ("Product", "SetSourceIndex", {"Value": 4}, 801),
    ("Product", "SetSourceIndex", {"Value": UNKNOWN}, 801),
    ("Product", "SetSourceIndexByName", {"Value": "Nothing"}, 801),
    ("Product", "SetSourceIndexByName", {"Value": ""}, 801),
    ("Product", "SetSourceBySystemName", {"Value": "playlist"}, 801),
    ("Product", "Source", {"Index": 4}, 801),
    ("Product", "Source", {"Index": "x"}, BAD_ARGUMENT),
    ("Product", "SetStandby", {"Value": "maybe"}, BAD_ARGUMENT),
    ("Product", "SetStandby", {}, 402),
    ("Playlist", "SeekId", {"Value": UNKNOWN}, 800),
    ("Playlist", "SeekId", {"Value": 0}, 800),
    ("Playlist", "SeekIndex", {"Value": 0}, 802),
    ("Playlist", "SeekIndex", {"Value": UNKNOWN}, 802),
    ("Playlist", "Read", {"Id": 0}, 800),
    ("Playlist", "Read", {"Id": UNKNOWN}, 800),
    ("Playlist", "Read", {"Id": -1}, BAD_ARGUMENT),
    ("Playlist", "DeleteId", {"Value": UNKNOWN}, 800),
    ("Playlist", "DeleteId", {"Value": 0}, 800),
    ("Playlist", "Insert", {"AfterId": UNKNOWN, "Uri": "http://10.77.1.2/x", "Metadata": ""}, 800),
    ("Playlist", "Insert", {"AfterId": 0, "Uri": "http://10.77.1.2/x"}, 402),
    ("Playlist", "SeekSecondAbsolute", {"Value": 5}, 803),
    ("Playlist", "SeekSecondRelative", {"Value": "half"}, BAD_ARGUMENT),
    ("Playlist", "Explode", {}, 401),
    ("Volume", "SetVolume", {"Value": 101}, 811),
    ("Volume", "SetVolumeNoUnmute", {"Value": UNKNOWN}, 811),
    ("Volume", "SetVolume", {"Value": -1}, BAD_ARGUMENT),
    ("Volume", "SetVolume", {"Value": "loud"}, BAD_ARGUMENT),
    ("Volume", "SetBalance", {"Value": 1000}, 812),
    ("Volume", "SetBalance", {"Value": -1000}, 812),
    ("Volume", "SetFade", {"Value": 1}, (801, 813)),
    ("Volume", "FadeInc", {}, 801),
    ("Volume", "FadeDec", {}, 801),
    ("Volume", "VolumeOffset", {"Channel": "Ceiling"}, 816),
    ("Volume", "SetVolumeOffset", {"Channel": "Ceiling", "VolumeOffsetBinaryMilliDb": 0}, 816),
    ("Volume", "SetVolumeOffset", {"Channel": "Left", "VolumeOffsetBinaryMilliDb": 2_000_000}, 817),
    ("Volume", "SetTrim", {"Channel": "Left", "TrimBinaryMilliDb": 2_000_000}, 819),
    ("Volume", "Trim", {"Channel": ""}, 816),
    ("Radio", "SetId", {"Value": 0, "Uri": ""}, 803),
    ("Radio", "SetId", {"Value": UNKNOWN, "Uri": "http://10.77.1.2/x"}, 803),
    ("Radio", "Read", {"Id": 0}, 800),
    ("Radio", "Read", {"Id": UNKNOWN}, 800),
    ("Transport", "PlayAs", {"Mode": "gramophone", "Command": ""}, 801),
    ("Transport", "PlayAs", {"Mode": "playlist", "Command": "dance"}, 801),
    ("Transport", "PlayAs", {"Mode": "playlist", "Command": "id=77"}, 801),
    ("Transport", "PlayAs", {"Mode": "radio", "Command": "index=1"}, 801),
    ("Transport", "SeekSecondAbsolute", {"StreamId": UNKNOWN, "SecondAbsolute": 1}, 804),
    ("Transport", "SeekSecondRelative", {"StreamId": 0, "SecondRelative": 1}, 804),
    ("Info", "Counters", {"Surplus": 1}, None),
    ("Time", "Seconds", {}, 401),
]


@pytest.mark.parametrize("service, action, arguments, wanted", REFUSALS,
                         ids=[f"{s}.{a}({','.join(map(str, g.values()))[:24]})" for s, a, g, _ in REFUSALS])
def test_refusals(speaker, service, action, arguments, wanted):
    result = speaker.refusal(service, action, **arguments)
    if wanted is None:
        assert isinstance(result, dict)
    else:
        assert result in (wanted if isinstance(wanted, tuple) else (wanted,))


def test_full_playlist(launch, own_host):
    """TracksMax is 1000 unless configured, and no more go in."""
    link = own_host.link()
    speaker = openhome.Speaker.of(launch(own_host), link)
    assert speaker.playlist("TracksMax")["Value"] == "1000"
    address, port, target, netloc = http.split(speaker.services[speaker.types["Playlist"]].control)
    body = envelope(speaker.types["Playlist"], "Insert", {"AfterId": 0, "Uri": "http://10.77.1.2/x", "Metadata": ""})
    request = http.build("POST", target, {"Host": netloc, "Content-Type": "text/xml",
                                          "SOAPACTION": f'"{speaker.types["Playlist"]}#Insert"'}, body)
    with http.Connection(address, port) as connection:
        for _ in range(1000):
            connection.send(request)
            assert connection.receive().status == 200
    assert speaker.refusal("Playlist", "Insert", AfterId=0, Uri="http://10.77.1.2/x", Metadata="") == 801
    assert len(speaker.ids()) == 1000
    speaker.playlist("DeleteId", Value=500)
    assert speaker.insert("http://10.77.1.2/x", metadata="") == 1001
    assert speaker.refusal("Playlist", "Insert", AfterId=0, Uri="http://10.77.1.2/x", Metadata="") == 801


def test_volume_beyond_its_maximum(speaker):
    """Clamped from below; refused only where nothing could come of it."""
    speaker.volume_of("SetVolume", Value=50)
    for underflow in (4294967295, 65535, 255, 1000):
        assert speaker.refusal("Volume", "SetVolume", Value=underflow) == 811
        assert speaker.volume_of()["Value"] == "50", "a control point's 0 - 1 is no full volume"
    assert speaker.refusal("Volume", "SetVolume", Value=150) == {}
    assert speaker.volume_of()["Value"] == "100"
    assert speaker.refusal("Volume", "SetVolume", Value=150) == 811
    assert speaker.refusal("Volume", "VolumeInc") == {}, "the end of the scale is no error"
    assert speaker.refusal("Volume", "VolumeIncNoUnmute") == {}
    speaker.volume_of("SetVolume", Value=0)
    assert speaker.refusal("Volume", "VolumeDec") == {}
    characteristics = speaker.volume_of("Characteristics")
    assert (characteristics["VolumeMax"], characteristics["FadeMax"]) == ("100", "0")


def test_offsets_and_trim_are_read_back(speaker, watch):
    mark = watch.events.mark()
    speaker.volume_of("SetTrim", Channel="Left", TrimBinaryMilliDb=-1024)
    watch.wait("Volume", "Trim", lambda text: "-1024" in text, 5, mark)
    assert speaker.volume_of("Trim", Channel="Left")["TrimBinaryMilliDb"] == "-1024"
    speaker.volume_of("SetVolumeOffset", Channel="Right", VolumeOffsetBinaryMilliDb=-2048)
    offsets = openhome.json_list(watch.wait("Volume", "VolumeOffsets", lambda t: "-2048" in t, 5, mark)
                                 .properties["VolumeOffsets"])
    assert {"channel": "Right", "offset": -2048} in offsets
    speaker.volume_of("SetTrim", Channel="Left", TrimBinaryMilliDb=0)
    speaker.volume_of("SetVolumeOffset", Channel="Right", VolumeOffsetBinaryMilliDb=0)


def test_an_invalid_source_leaves_standby_all_the_same(speaker):
    speaker.product("SetStandby", Value=1)
    assert speaker.refusal("Product", "SetSourceIndex", Value=42) == 801
    assert speaker.product("Standby")["Value"] == "0"


def test_what_does_nothing_without_complaint(speaker, watch):
    for action in ("Play", "Pause", "Stop", "Next", "Previous"):
        assert speaker.refusal("Playlist", action) == {}, f"{action} on an empty playlist"
    assert speaker.state_of() == "Stopped" and speaker.playlist("Id")["Value"] == "0"
    speaker.append("http://10.77.1.2/x.flac")
    speaker.product("SetSourceBySystemName", Value="Radio")
    for action in ("Pause", "Stop", "Next", "Previous"):
        assert speaker.refusal("Playlist", action) == {}, f"{action} on an inactive source"
    assert speaker.refusal("Playlist", "SeekSecondAbsolute", Value=10) == {}
    assert speaker.source() == "Radio"
    speaker.playlist("DeleteAll")
    speaker.playlist("DeleteAll")


def test_insert_doesnt_switch_the_source(speaker):
    speaker.product("SetSourceBySystemName", Value="Radio")
    track = speaker.insert("http://10.77.1.2/x.flac")
    assert speaker.source() == "Radio"
    assert speaker.playlist("Id")["Value"] == str(track)


def test_seek_id_switches_the_source(speaker, oh_media, watch):
    track = speaker.insert(oh_media.add("/seek.wav", sound.wav(sound.noise(3)), "audio/wav"))
    speaker.product("SetSourceBySystemName", Value="Radio")
    speaker.playlist("SeekId", Value=track)
    assert speaker.source() == "Playlist"
    watch.wait("Playlist", "TransportState", "Playing")


def test_transport_seeks_only_in_the_stream_it_was_meant_for(speaker, watch, oh_media):
    tracks = openhome.tracks(oh_media, 2, 8)
    speaker.append(*(track.uri for track in tracks))
    speaker.transport("Play")
    watch.wait("Transport", "TransportState", "Playing")
    stream = until(lambda: int(speaker.transport("StreamInfo")["StreamId"]), 5, "a stream id")
    until(lambda: speaker.transport("StreamInfo")["CanSeek"] == "1", 5, "a seekable stream")
    assert speaker.refusal("Transport", "SeekSecondAbsolute", StreamId=stream, SecondAbsolute=4) == {}
    speaker.transport("SkipNext")
    later = until(lambda: int(speaker.transport("StreamId")["StreamId"]), 5, "a stream id")
    assert later > stream
    assert speaker.refusal("Transport", "SeekSecondAbsolute", StreamId=stream, SecondAbsolute=2) == 804


def test_play_as(speaker, watch, oh_media):
    tracks = openhome.tracks(oh_media, 3, 5)
    numbers = speaker.append(*(track.uri for track in tracks))
    assert openhome.json_list(speaker.transport("Modes")["Modes"]) == ["playlist", "radio", "upnpav", "receiver"]
    speaker.product("SetStandby", Value=1)
    speaker.transport("PlayAs", Mode="playlist", Command="index=1")
    assert speaker.playlist("Id")["Value"] == str(numbers[1]) and speaker.product("Standby")["Value"] == "0"
    watch.wait("Transport", "TransportState", "Playing")
    speaker.transport("PlayAs", Mode="playlist", Command=f"id={numbers[2]}")
    assert speaker.playlist("Id")["Value"] == str(numbers[2])
    assert speaker.source() == "Playlist"


# --- ids ----------------------------------------------------------------------------------------------------------

def test_id_arrays(speaker, watch):
    assert speaker.playlist("IdArray")["Array"] == ""
    watch.wait("Playlist", "IdArray", "")  # the initial event may tell the list of up to 300 ms ago
    before = int(speaker.playlist("IdArray")["Token"])
    first = speaker.insert("http://10.77.1.2/1")
    second = speaker.insert("http://10.77.1.2/2", first)
    third = speaker.insert("http://10.77.1.2/3", first)
    fourth = speaker.insert("http://10.77.1.2/4", 0)
    assert first < second < third < fourth
    wanted = [fourth, first, third, second]
    answer = speaker.playlist("IdArray")
    assert ids(answer["Array"]) == wanted
    event = watch.wait("Playlist", "IdArray", lambda text: ids(text) == wanted)
    assert event.properties.get("Id", str(first)) == str(first), "the first that came is current"
    token = int(answer["Token"])
    assert token == before + 4
    assert speaker.playlist("IdArrayChanged", Token=token)["Value"] == "0"
    assert speaker.playlist("IdArrayChanged", Token=before)["Value"] == "1"
    speaker.playlist("SetShuffle", Value=1)
    assert ids(speaker.playlist("IdArray")["Array"]) == wanted, "the order of shuffle doesn't show"
    speaker.playlist("DeleteAll")
    watch.wait("Playlist", "IdArray", "")
    assert speaker.insert("http://10.77.1.2/5") > fourth, "never used again"


def test_read_list(speaker):
    tracks = {speaker.insert(f"http://10.77.1.2/{n}?a=1&b={n}", metadata=f'<x a="{n}">&amp; "{n}" é 日</x>'): n
              for n in range(4)}
    a, b, c, d = sorted(tracks)
    found = speaker.read_list(f"{c} {a}")
    assert [(e["Id"], e["Uri"]) for e in found] == [
        (str(n), f"http://10.77.1.2/{tracks[n]}?a=1&b={tracks[n]}") for n in (c, a)], "in the order asked"
    assert [list(entry) for entry in found] == [["Id", "Uri", "Metadata"]] * 2
    assert found[0]["Metadata"] == f'<x a="{tracks[c]}">&amp; "{tracks[c]}" é 日</x>'
    assert speaker.playlist("Read", Id=d) == {
        "Uri": f"http://10.77.1.2/{tracks[d]}?a=1&b={tracks[d]}",
        "Metadata": f'<x a="{tracks[d]}">&amp; "{tracks[d]}" é 日</x>'}


@pytest.mark.parametrize("question, places", [
    ("", []), ("   ", []), ("{0}", [0]), ("{0},{1}", [0, 1]), (" {1}  ,, {0} ", [1, 0]), ("-1 {0}", [0]),
    ("{0} -1 nonsense 1e3 0x1 {1}", [0, 1]), ("0", []), ("99999999999999999999 {1}", [1]), ("4294967296", []),
    ("\n{0}\t{1}\n", [0, 1]), ("nothing", []), ("{0};{1}", [0, 1]), ("☃ {0}", [0])])
def test_read_list_odd_questions(speaker, question, places):
    """Lumin sends -1; nothing of this is an error."""
    known = sorted(speaker.insert(f"http://10.77.1.2/{n}") for n in range(2))
    if ";" in question:  # no separator that is known to be sent; skipped or taken, but no error
        assert len(speaker.read_list(question.format(*known))) in (0, 2)
        return
    found = speaker.read_list(question.format(*known))
    assert [int(entry["Id"]) for entry in found] == [known[place] for place in places]


def test_read_list_of_many_and_of_repeated_ids(speaker):
    last = 0
    for n in range(200):
        last = speaker.insert(f"http://10.77.1.2/{n}", last)
    known = speaker.ids()
    assert [int(e["Id"]) for e in speaker.read_list(" ".join(map(str, known)))] == known
    repeated = speaker.read_list(f"{known[0]} " * 5000)
    assert 1 <= len(repeated) <= 5000 and {e["Id"] for e in repeated} == {str(known[0])}


def test_metadata_is_kept_verbatim(speaker):
    for metadata in ("<broken", "< spaces \n kept ", "<DIDL-Lite/>", "<]]>", "<&#0;", "<" + "é" * 2000):
        track = speaker.insert("http://10.77.1.2/x", metadata=metadata)
        assert speaker.playlist("Read", Id=track)["Metadata"] == metadata


def test_what_has_no_metadata_has_a_title(speaker):
    """Some control points drop it otherwise."""
    for metadata in ("", ".", "NOT_IMPLEMENTED", " spaces \n kept ", "]]>"):
        track = speaker.insert("http://10.77.1.2/a%20song.flac", metadata=metadata)
        told = speaker.playlist("Read", Id=track)["Metadata"]
        assert "<dc:title>a song.flac</dc:title>" in told and ">http://10.77.1.2/a%20song.flac</res>" in told
        assert speaker.read_list(str(track))[0]["Metadata"] == told
    speaker.radio("SetChannel", Uri="http://10.77.1.2/live", Metadata="")
    assert "<dc:title>live</dc:title>" in speaker.radio("Channel")["Metadata"]


def test_uris_that_arent_followed_are_refused_or_skipped(speaker, watch):
    """A playlist may name what can't be played; it is never opened."""
    refused = [speaker.refusal("Playlist", "Insert", AfterId=0, Uri=uri, Metadata="")
               for uri in ("file:///etc/passwd", "appsrc://", "javascript:1", "")]
    assert all(isinstance(answer, dict) or answer >= 700 for answer in refused), refused
    mark = watch.events.mark()
    speaker.playlist("Play")
    assert "Playing" not in watch.values("Playlist", "TransportState", mark)
    until(lambda: speaker.state_of() == "Stopped", 5, "stopped again")


def test_protocol_info_is_the_sink_of_connection_manager(speaker, renderer_beside):
    from kit.upnp import CM
    sink = renderer_beside.call(CM, "GetProtocolInfo")["Sink"]
    assert speaker.playlist("ProtocolInfo")["Value"] == sink == speaker.radio("ProtocolInfo")["Value"]


def test_calls_to_the_wrong_device(speaker, renderer_beside, oh_renderer):
    """Each control URL knows its own service only."""
    from kit.upnp import AVT
    response = soap(speaker.services[speaker.types["Playlist"]].control, AVT, "Stop", {"InstanceID": 0})
    assert response.status == 500 and b"<errorCode>401</errorCode>" in response.body
    response = soap(renderer_beside.services[AVT].control, speaker.types["Playlist"], "DeleteAll")
    assert response.status == 500 and b"<errorCode>401</errorCode>" in response.body
    assert oh_renderer.is_running()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_lower_versions_are_called_by_their_own_type(speaker, version):
    """A control point of Product:1 names that type in its calls."""
    response = soap(speaker.services[speaker.types["Product"]].control, openhome.kind("Product", version), "Standby")
    assert response.status == 200 and openhome.kind("Product", version).encode() in response.body
