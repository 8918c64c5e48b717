"""Control points that the tests can't install, replayed as their sources say: each finds the renderer, reads it, casts or
queues, is told, seeks, sets the volume, and stops. What is asserted is what it would show.

Those that can be installed are in test_installed_clients.py, test_control.py, test_openhome_control.py and clients/.
"""

import xml.etree.ElementTree as ET

import pytest
from kit import openhome, sound
from kit.openhome import entries, ids
from kit.replay import CLING, GUPNP, NODE, NPUPNP, OHNET, Client, call, polled, refused, told
from kit.subject import chosen
from kit.upnp import SCPD_NS, didl

AV = {"InstanceID": 0}
MASTER = {**AV, "Channel": "Master"}


@pytest.fixture
def tracks(media):
    """Two of a minute: what is waited for comes long before their ends."""
    return [media.add(f"/track-{number}.wav", sound.wav(sound.noise(60, seed=number)), "audio/wav") for number in (1, 2)]


def seconds(text):
    hours, minutes, rest = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def from_time(least):
    return lambda text: seconds(text) >= least


def from_number(least):
    return lambda text: int(text) >= least


def holding(part):
    return lambda text: part in text


def listing(count):
    return lambda text: len(ids(text)) == count


def kept(name):
    return lambda app: app.kept[name]


# --- Cling ---------------------------------------------------------------------------------------------------------

def assert_valid(scpd):
    """What Cling refuses a whole device for."""
    variables = {}
    for variable in scpd.iter(f"{SCPD_NS}stateVariable"):
        kind = variable.findtext(f"{SCPD_NS}dataType")
        allowed = [value.text for value in variable.iter(f"{SCPD_NS}allowedValue")]
        default = variable.findtext(f"{SCPD_NS}defaultValue")
        numeric = kind in ("ui1", "ui2", "ui4", "i1", "i2", "i4", "int")
        assert numeric or kind in ("boolean", "string", "bin.base64", "uri"), kind
        assert not allowed or kind == "string" and (default is None or default in allowed)
        assert numeric or variable.find(f"{SCPD_NS}allowedValueRange") is None
        variables[variable.findtext(f"{SCPD_NS}name")] = variable
    for argument in scpd.iter(f"{SCPD_NS}argument"):
        assert argument.findtext(f"{SCPD_NS}direction") in ("in", "out")
        assert argument.findtext(f"{SCPD_NS}relatedStateVariable") in variables


def read_all(app):
    for name in app.services:
        assert_valid(app.read(name))


#: Names and values of AVTransport's LastChange in the schema that Cling reads it by, on a computer: a single one besides these,
#: and the event is lost.
EVENTED = {
    "AVTransport": "TransportState TransportStatus PlaybackStorageMedium RecordStorageMedium PossiblePlaybackStorageMedia "
                   "PossibleRecordStorageMedia CurrentPlayMode TransportPlaySpeed RecordMediumWriteStatus "
                   "CurrentRecordQualityMode PossibleRecordQualityModes NumberOfTracks CurrentTransportActions CurrentTrack "
                   "CurrentTrackDuration CurrentMediaDuration CurrentTrackURI CurrentTrackMetaData AVTransportURI "
                   "AVTransportURIMetaData NextAVTransportURI NextAVTransportURIMetaData",
    "RenderingControl": "PresetNameList Mute Volume VolumeDB Loudness",
}


def assert_schema(app, name, space):
    for event in app.events(name):
        root = ET.fromstring(event.properties["LastChange"])
        assert root.tag == f"{{{space}}}Event" and [child.tag for child in root] == [f"{{{space}}}InstanceID"]
        assert root[0].attrib == {"val": "0"}
        for variable in root[0]:
            kind = variable.tag.removeprefix(f"{{{space}}}")
            assert kind in EVENTED[name].split(), kind
            channel = {"channel"} if kind in ("Mute", "Volume", "VolumeDB", "Loudness") else set()
            assert set(variable.attrib) == {"val"} | channel and not len(variable)
            if kind in ("NumberOfTracks", "CurrentTrack", "Volume", "VolumeDB", "Mute"):
                int(variable.get("val"))


def test_cling_casts(device, renderer, link, tracks):
    """The example of its manual casts with "NO METADATA"; apps like BubbleUPnP send a whole DIDL-Lite."""
    with Client(CLING, link) as app:
        assert app.find(renderer.uuid).name == renderer.friendly_name
        read_all(app)
        app.subscribe("AVTransport", "RenderingControl")
        app.run(
            told("RenderingControl", Volume=100, Mute=0),
            call("ConnectionManager", "GetProtocolInfo", expected={"Source": "", "Sink": holding("http-get:*:audio/wav:")}),
            call("RenderingControl", "GetVolume", **MASTER, expected={"CurrentVolume": 100}),
            call("AVTransport", "SetAVTransportURI", **AV, CurrentURI=tracks[0], CurrentURIMetaData="NO METADATA"),
            call("AVTransport", "Play", **AV, Speed="1"),
            told("AVTransport", TransportState="PLAYING", AVTransportURI=tracks[0]),
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(1), "TrackDuration": "0:01:00"}, **AV),
            call("AVTransport", "GetMediaInfo", **AV, expected={"CurrentURI": tracks[0], "NrTracks": 1}),
            call("AVTransport", "Seek", **AV, Unit="REL_TIME", Target="00:00:15"),
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(15)}, **AV),
            polled("AVTransport", "GetTransportInfo",
                   {"CurrentTransportState": "PLAYING", "CurrentTransportStatus": "OK", "CurrentSpeed": 1}, **AV),
            call("RenderingControl", "SetVolume", **MASTER, DesiredVolume=40),
            told("RenderingControl", Volume=40),
            call("AVTransport", "Pause", **AV),
            told("AVTransport", TransportState="PAUSED_PLAYBACK"),
            # The next track, as its user taps on it.
            call("AVTransport", "Stop", **AV),
            call("AVTransport", "SetAVTransportURI", **AV, CurrentURI=tracks[1],
                 CurrentURIMetaData=didl("Où & quand", tracks[1], duration="0:01:00.000")),
            call("AVTransport", "Play", **AV, Speed="1"),
            told("AVTransport", TransportState="PLAYING", AVTransportURI=tracks[1], CurrentTrackDuration="0:01:00",
                 CurrentTrackMetaData=holding("Où &amp; quand")),
            call("AVTransport", "Stop", **AV),
            told("AVTransport", TransportState="STOPPED"))
        assert_schema(app, "AVTransport", "urn:schemas-upnp-org:metadata-1-0/AVT/")
        assert_schema(app, "RenderingControl", "urn:schemas-upnp-org:metadata-1-0/RCS/")


def test_bubbleupnp_plays_a_playlist(speaker, oh_renderer, oh_link, oh_media):
    """Cling's requests to OpenHome's services, in their newest versions."""
    music = openhome.tracks(oh_media, 3, seconds=60, seed=700)
    with Client(CLING, oh_link) as app:
        app.find(openhome.udn(oh_renderer.uuid))
        read_all(app)
        app.subscribe("Product", "Playlist", "Radio", "Info", "Time", "Volume")
        app.run(
            told("Product", ProductRoom="Kitchen & Bath", SourceXml=holding("<Type>Playlist</Type>")),
            told("Volume", VolumeMax=100),
            call("Playlist", "DeleteAll"),
            *(call("Playlist", "Insert", AfterId=after, Uri=track.uri, Metadata=didl(track.title, track.uri),
                   keep={"NewId": track.title})
              for after, track in zip((0, kept("Track 1"), kept("Track 2")), music)),
            told("Playlist", IdArray=listing(3)),
            call("Playlist", "SeekId", Value=kept("Track 2")),
            told("Playlist", TransportState="Playing", Id=lambda value: int(value) == ids(app.shown("Playlist")["IdArray"])[1]),
            told("Info", Uri=music[1].uri, Metadata=holding("Track 2"), SampleRate=44100, Lossless=1, Duration=60),
            told("Time", Seconds=from_number(1)),
            call("Playlist", "SeekSecondAbsolute", Value=12),
            told("Time", Seconds=from_number(12)),
            call("Volume", "SetVolume", Value=35),
            told("Volume", Volume=35),
            call("Playlist", "Next"),
            told("Info", Uri=music[2].uri),
            call("Playlist", "Pause"),
            told("Playlist", TransportState="Paused"),
            call("Playlist", "Stop"),
            told("Playlist", TransportState="Stopped"))


# --- libupnpp ------------------------------------------------------------------------------------------------------

def test_upplay_plays_a_playlist(speaker, oh_renderer, oh_link, oh_media):
    """It asks for the source first, keeps a copy of the id array, reads ten tracks at a time, and pings Id."""
    music = openhome.tracks(oh_media, 2, seconds=60, seed=720)
    with Client(NPUPNP, oh_link) as app:
        app.find(openhome.udn(oh_renderer.uuid)).subscribe("Product", "Time")
        app.run(call("Product", "SourceIndex", keep={"Value": "source"}), call("Product", "SourceXml", keep={"Value": "xml"}))
        sources = [source.findtext("Type") for source in ET.fromstring(app.kept["xml"])]
        assert sources[int(app.kept["source"])] == "Playlist", "else it offers no playlist"
        app.subscribe("Playlist", "Volume")
        app.run(
            call("Volume", "VolumeLimit", expected={"Value": 100}),
            call("Volume", "Volume", expected={"Value": 100}),
            call("Playlist", "IdArray", expected={"Array": ""}),
            call("Playlist", "DeleteAll"),
            call("Playlist", "Insert", AfterId=0, Uri=music[0].uri, Metadata=didl("First", music[0].uri),
                 keep={"NewId": "first"}),
            call("Playlist", "Insert", AfterId=kept("first"), Uri=music[1].uri, Metadata=didl("Second", music[1].uri),
                 keep={"NewId": "second"}),
            told("Playlist", IdArray=lambda text: ids(text) == [int(app.kept["first"]), int(app.kept["second"])]),
            call("Playlist", "ReadList", IdList=lambda app: f"{app.kept['first']} {app.kept['second']} ",
                 keep={"TrackList": "list"}))
        assert [(entry["Id"], entry["Uri"]) for entry in entries(app.kept["list"])] == \
            [(app.kept["first"], music[0].uri), (app.kept["second"], music[1].uri)]
        app.run(
            call("Playlist", "SeekIndex", Value=1),
            told("Playlist", TransportState="Playing", Id=lambda value: value == app.kept["second"]),
            call("Playlist", "Id", expected={"Value": app.kept["second"]}),
            told("Time", Seconds=from_number(1), Duration=60),
            call("Playlist", "SeekSecondAbsolute", Value=12),
            told("Time", Seconds=from_number(12)),
            call("Volume", "SetVolume", Value=35),
            told("Volume", Volume=35),
            call("Playlist", "Pause"),
            told("Playlist", TransportState="Paused"),
            call("Playlist", "Play"),
            told("Playlist", TransportState="Playing"),
            # It stops before it takes the present track out.
            call("Playlist", "Stop"),
            call("Playlist", "DeleteId", Value=kept("second")),
            told("Playlist", TransportState="Stopped", IdArray=lambda text: ids(text) == [int(app.kept["first"])],
                 Id=lambda value: value == app.kept["first"]))


# --- ohNet ---------------------------------------------------------------------------------------------------------

#: What ohTopology takes from the first event of each service; a property that is missing there ends it.
PROPERTIES = {
    "Product": "Attributes ManufacturerImageUri ManufacturerInfo ManufacturerName ManufacturerUrl ModelImageUri ModelInfo "
               "ModelName ModelUrl ProductImageUri ProductInfo ProductUrl ProductRoom ProductName SourceIndex SourceXml Standby",
    "Info": "Uri Metadata Metatext BitDepth BitRate CodecName Duration Lossless SampleRate",
    "Time": "Duration Seconds",
    "Volume": "Balance BalanceMax Fade FadeMax Mute Volume VolumeLimit VolumeMax VolumeMilliDbPerStep VolumeSteps VolumeUnity",
    "Playlist": "Id IdArray TransportState Repeat Shuffle TracksMax ProtocolInfo",
    "Radio": "Id IdArray Uri Metadata TransportState ChannelsMax ProtocolInfo",
}


def used_by_2016(app):
    """ohTopology of 2016 makes no proxy for a service unless it is exactly version 1 (DeviceFactory.cs)."""
    return {name for name in PROPERTIES if app.version(name) == 1}


def read(app, service, number):
    """One track or station: each is asked for alone, and its answer is known by its place, not by its id."""
    root = "TrackList" if service == "Playlist" else "ChannelList"
    app.run(call(service, "ReadList", IdList=f"{number} ", keep={root: "list"}))
    entry, = entries(app.kept["list"], root)
    return entry


@pytest.mark.skipif(chosen().name != "vireod", reason="options of vireod")
@pytest.mark.parametrize("compatibility", [{}, {"product-version": 1}], ids=["Kazoo", "ohTopology of 2016"])
def test_ohnet_plays_a_playlist_and_a_station(compatibility, own_host, cable, launch, served, tmp_path):
    """A room with its sources; tracks put at the end and chosen by id; a preset. Actions of version 1 by HTTP/1.0."""
    station = served.add("/station", sound.mp3(sound.tone(12, 1000), folder=tmp_path), "audio/mpeg", mode="icy", rate=24_000,
                         metaint=8192, titles=("An artist - A song",))
    renderer = launch(own_host, settings={
        "compatibility": compatibility, "device": {"room": "Küche"},
        "radio": {"preset": [{"name": "A station", "url": station}]}})
    music = openhome.tracks(served, 2, seconds=60, seed=740)
    with Client(OHNET, cable) as app:
        app.find(openhome.udn(renderer.uuid))
        assert used_by_2016(app) == (set(PROPERTIES) if compatibility else {"Info", "Time", "Playlist"})
        app.subscribe(*PROPERTIES)
        for name, properties in PROPERTIES.items():
            assert set(properties.split()) <= set(app.shown(name)), name
        product = app.shown("Product")
        assert product["ProductRoom"] == "Küche" and product["Standby"] == "0"
        assert {"Volume", "Info", "Time"} <= set(product["Attributes"].split())
        sources = [(source[1].text, source[2].text) for source in ET.fromstring(product["SourceXml"])]
        assert sources[:2] == [("Playlist", "true"), ("Radio", "true")]

        app.run(
            call("Product", "SetSourceIndex", Value=0),
            call("Playlist", "DeleteAll"),
            call("Playlist", "Insert", AfterId=0, Uri=music[0].uri, Metadata=didl("First", music[0].uri)),
            told("Playlist", IdArray=listing(1)),
            call("Playlist", "Insert", AfterId=lambda app: ids(app.shown("Playlist")["IdArray"])[-1], Uri=music[1].uri,
                 Metadata=didl("Second", music[1].uri), keep={"NewId": "second"}),
            told("Playlist", IdArray=listing(2)),
            call("Playlist", "SeekId", Value=kept("second")),
            told("Playlist", TransportState="Playing", Id=lambda value: value == app.kept["second"]))
        assert [read(app, "Playlist", number)["Uri"] for number in ids(app.shown("Playlist")["IdArray"])] == \
            [track.uri for track in music]
        app.run(
            told("Info", Uri=music[1].uri, Metadata=holding("Second"), SampleRate=44100, BitDepth=16, Duration=60),
            told("Time", Seconds=from_number(1), Duration=60),
            call("Playlist", "SeekSecondAbsolute", Value=12),
            told("Time", Seconds=from_number(12)),
            call("Volume", "SetVolume", Value=40),
            call("Volume", "VolumeInc"),
            told("Volume", Volume=41),
            call("Volume", "SetMute", Value=1),
            told("Volume", Mute=1),
            call("Playlist", "SetRepeat", Value=1),
            call("Playlist", "SetShuffle", Value=0),
            told("Playlist", Repeat=1, Shuffle=0),
            # Round to the first again, which it has announced as the next.
            call("Playlist", "Next"),
            told("Info", Uri=music[0].uri),
            call("Playlist", "Pause"),
            told("Playlist", TransportState="Paused"))

        preset = next(number for number in ids(app.shown("Radio")["IdArray"]) if number)
        shown = ET.fromstring(read(app, "Radio", preset)["Metadata"])
        assert [element.text for element in shown.iter() if element.tag.endswith(("}title", "}res"))] == ["A station", station]
        app.run(
            call("Radio", "SetId", Value=preset, Uri=station),
            call("Radio", "Play"),
            told("Radio", TransportState="Playing", Id=preset, Uri=station),
            told("Product", SourceIndex=1),
            told("Info", Uri=station, Metadata=holding("A station"), Metatext=holding("A song")),
            call("Product", "SetStandby", Value=1),
            told("Product", Standby=1),
            told("Radio", TransportState="Stopped"),
            call("Product", "SetStandby", Value=0),
            told("Product", Standby=0))


# --- dLeyna --------------------------------------------------------------------------------------------------------

def assert_dleyna_reads(app):
    """The scale of its sliders: the speeds, and the loudest volume."""
    speeds = app.read("AVTransport").find(f".//{SCPD_NS}stateVariable[{SCPD_NS}name='TransportPlaySpeed']")
    assert [value.text for value in speeds.iter(f"{SCPD_NS}allowedValue")] == ["1"]
    volume = app.read("RenderingControl").find(f".//{SCPD_NS}stateVariable[{SCPD_NS}name='Volume']")
    assert volume.findtext(f"{SCPD_NS}allowedValueRange/{SCPD_NS}maximum") == "100"


def test_dleyna_casts(device, renderer, link, tracks):
    """dLeyna-renderer: all properties of its MPRIS player, OpenUri, OpenNextUri, SetPosition, PlayPause, Volume, Mute, icon."""
    with Client(GUPNP, link) as app:
        assert app.find(renderer.uuid).name == renderer.friendly_name
        app.run(call("ConnectionManager", "GetProtocolInfo", expected={"Sink": holding("http-get:*:audio/flac:")}))
        app.subscribe("ConnectionManager", "AVTransport", "RenderingControl")
        assert_dleyna_reads(app)
        assert app.icons()
        app.run(
            told("ConnectionManager", SinkProtocolInfo=holding("http-get:*:audio/flac:")),
            told("RenderingControl", Volume=100, Mute=0),
            # A player that counts no bytes says so, and is asked for the time.
            refused("AVTransport", "X_DLNA_GetBytePositionInfo", **AV),
            call("AVTransport", "GetPositionInfo", **AV, expected={"RelTime": "0:00:00"}),
            call("AVTransport", "SetAVTransportURI", **AV, CurrentURI=tracks[0], CurrentURIMetaData=didl("A title", tracks[0])),
            call("AVTransport", "Play", **AV, Speed="1"),
            told("AVTransport", TransportState="PLAYING", CurrentTrackURI=tracks[0], CurrentTrackDuration="0:01:00",
                 NumberOfTracks=1, CurrentTrack=1, TransportPlaySpeed=1))
        # It takes a renderer of DLNA 1.50 for one that can't seek, unless this word is there.
        assert {"Pause", "Seek", "X_DLNA_SeekTime"} <= set(app.shown("AVTransport")["CurrentTransportActions"].split(","))
        # It puts an element of its own around the metadata.
        shown = ET.fromstring(f"<DIDL-Lite>{app.shown('AVTransport')['CurrentTrackMetaData']}</DIDL-Lite>")
        assert shown.findtext(".//{http://purl.org/dc/elements/1.1/}title") == "A title"
        app.run(
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(1)}, **AV),
            call("AVTransport", "Seek", **AV, Unit="REL_TIME", Target="00:00:15"),
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(15)}, **AV),
            call("RenderingControl", "SetVolume", **MASTER, DesiredVolume=40),
            call("RenderingControl", "SetMute", **MASTER, DesiredMute=1),
            told("RenderingControl", Volume=40, Mute=1),
            told("AVTransport", TransportState="PLAYING"),
            call("AVTransport", "Pause", **AV),
            told("AVTransport", TransportState="PAUSED_PLAYBACK"),
            call("AVTransport", "Play", **AV, Speed="1"),
            told("AVTransport", TransportState="PLAYING"),
            call("AVTransport", "SetNextAVTransportURI", **AV, NextURI=tracks[1], NextURIMetaData=""),
            told("AVTransport", NextAVTransportURI=tracks[1]),
            call("AVTransport", "Seek", **AV, Unit="REL_TIME", Target="00:00:59"),
            told("AVTransport", TransportState="PLAYING", CurrentTrackURI=tracks[1]),
            call("AVTransport", "Stop", **AV),
            told("AVTransport", TransportState="STOPPED"))


# --- Node ----------------------------------------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.timeout(300)
def test_node_casts_and_never_answers_an_event(device, renderer, link, tracks):
    """upnp-mediarenderer-client reads events and leaves them without an answer: each is given half a minute, and the next
    comes all the same. Meanwhile its actions are done at once."""
    with Client(NODE, link, patience=70, behaviour="silent") as app:
        app.find(renderer.uuid)
        app.read("ConnectionManager")
        assert "PrepareForConnection" not in app.outs["ConnectionManager"], "else it would have to answer"
        app.read("AVTransport")
        app.subscribe("AVTransport")
        app.run(
            call("ConnectionManager", "GetProtocolInfo", expected={"Sink": holding("http-get:*:audio/mpeg:")}),
            call("AVTransport", "SetAVTransportURI", **AV, CurrentURI=tracks[0], CurrentURIMetaData=""),
            call("AVTransport", "Play", **AV, Speed=1),
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(1)}, **AV),
            call("AVTransport", "Seek", **AV, Unit="REL_TIME", Target="00:00:15"),
            polled("AVTransport", "GetPositionInfo", {"RelTime": from_time(15)}, **AV),
            call("AVTransport", "Pause", **AV),
            polled("AVTransport", "GetTransportInfo", {"CurrentTransportState": "PAUSED_PLAYBACK"}, **AV),
            told("AVTransport", TransportState="PAUSED_PLAYBACK"),
            call("AVTransport", "Stop", **AV),
            polled("AVTransport", "GetTransportInfo", {"CurrentTransportState": "STOPPED"}, **AV))
