"""Controllers of the Sonos class that can't be installed here, replayed (`kit/zone_clients.py`): found, set up, told, and all that
they call. What they do is looked at through the OpenHome device of the same player."""

import json
import re
from xml.sax.saxutils import escape

import pytest
from kit import zone_clients
from kit.waiting import until
from kit.zone import ask
from kit.zone_clients import (
    ALL, HomebridgeZP, Jishi, NodeRed, NodeSonos, Noson, OpenPhonos, Refused, Sonor, SonosCLI, Svrooij)

AVT, RC, GRC, CD = "AVTransport", "RenderingControl", "GroupRenderingControl", "ContentDirectory"


@pytest.fixture
def program(request, zone, zone_link):
    """One program after the other; what they find, tests set by `room`."""
    with request.param(zone_link) as program:
        program.described()
        yield program


def each(action=None, among=ALL):
    """The programs that call it; all of them without one."""
    kinds = [kind for kind in among if action is None or kind.does(action)]
    return pytest.mark.parametrize("program", kinds, ids=lambda kind: kind.__name__, indirect=True)


def of(kind):
    """A program alone."""
    @pytest.fixture
    def fixture(zone, zone_link):
        with kind(zone_link) as program:
            program.described()
            yield program
    return fixture


jishi, node_sonos, svrooij, node_red = of(Jishi), of(NodeSonos), of(Svrooij), of(NodeRed)
homebridge, noson, phonos, sonoscli, sonor = of(HomebridgeZP), of(Noson), of(OpenPhonos), of(SonosCLI), of(Sonor)


def av(program, action, **values):
    return program.call(AVT, action, InstanceID=0, **values)


def state(room):
    return room.state_of("Transport")


def arrives(room, wanted):
    until(lambda: state(room) == wanted, 10, f"{wanted}; it is {state(room)}")


def current(room):
    """The place of the current song."""
    return room.ids().index(int(room.playlist("Id")["Value"])) + 1


def titles(room):
    texts = [entry["Metadata"] for entry in room.read_list(" ".join(map(str, room.ids())))]
    return [re.search(r"<dc:title>(.*?)</dc:title>", text)[1].split(" &")[0] for text in texts]


def metadata(title, address, kind="object.item.audioItem.musicTrack"):
    """As these programs send it, when they send something."""
    return (
        '<DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/" '
        'xmlns:r="urn:schemas-rinconnetworks-com:metadata-1-0/" xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/">'
        f'<item id="-1" parentID="-1" restricted="true"><dc:title>{escape(title)}</dc:title><upnp:class>{kind}</upnp:class>'
        f'<res protocolInfo="http-get:*:audio/wav:*" duration="0:05:00.000">{escape(address)}</res>'
        '<desc id="cdudn" nameSpace="urn:schemas-rinconnetworks-com:metadata-1-0/">RINCON_AssociatedZPUDN</desc>'
        "</item></DIDL-Lite>")


def sent(program, text):
    """A text as a program takes it whose callers have to escape it."""
    return escape(text) if isinstance(program, HomebridgeZP) else text


# Finding and set-up

@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_its_search_finds_the_zone(zone, zone_link, kind):
    with kind(zone_link) as program:
        assert program.find() == zone_link.speaker


@each()
def test_what_it_reads_first(program, player, zone_link):
    described, uid = program.described(), player.uid
    if described:
        assert player.player_name in described.values() and uid in " ".join(map(str, described.values()))
    if program.does("GetZoneGroupState"):
        result = program.call("ZoneGroupTopology", "GetZoneGroupState")
        text = json.dumps(result) if isinstance(result, dict) else str(result)
        assert uid in text and "Kitchen &" in text
    if program.does("GetHouseholdID"):
        assert program.value("GetHouseholdID", program.call("DeviceProperties", "GetHouseholdID"), "CurrentHouseholdID") \
            == player.household_id
    if program.does("GetZoneInfo"):
        info = program.call("DeviceProperties", "GetZoneInfo")
        address = program.value("GetZoneInfo", info, "MACAddress")
        # Programs put the UID together from this.
        assert f"RINCON_{address.replace(':', '')}01400" == uid
    if program.does("GetZoneAttributes"):
        assert program.value("GetZoneAttributes", program.call("DeviceProperties", "GetZoneAttributes"), "CurrentZoneName") \
            == "Kitchen & Co"
    if program.does("GetZoneGroupAttributes"):
        group = program.call("ZoneGroupTopology", "GetZoneGroupAttributes")
        assert program.value("GetZoneGroupAttributes", group, "CurrentZoneGroupID").startswith(f"{uid}:")
        assert program.value("GetZoneGroupAttributes", group, "CurrentZonePlayerUUIDsInGroup") == uid
        assert program.value("GetZoneGroupAttributes", group, "CurrentMuseHouseholdId") == player.household_id
    if program.does("ListAvailableServices"):
        services = program.call("MusicServices", "ListAvailableServices")
        assert program.value("ListAvailableServices", services, "AvailableServiceDescriptorList").startswith("<Services")
        assert int(program.value("ListAvailableServices", services, "AvailableServiceListVersion").split(":")[1]) >= 1
    if program.does("ListAlarms"):
        alarms = program.call("AlarmClock", "ListAlarms")
        assert int(program.value("ListAlarms", alarms, "CurrentAlarmListVersion").split(":")[1]) >= 1
    if program.does("GetString"):
        serial = program.call("SystemProperties", "GetString", VariableName="R_TrialZPSerial")
        assert program.value("GetString", serial, "StringValue").replace("-", "")[:12] in uid
    if program.does("SetLEDState"):
        program.call("DeviceProperties", "SetLEDState", DesiredLEDState="Off")
        assert not player.status_light
        assert program.value("GetLEDState", program.call("DeviceProperties", "GetLEDState"), "CurrentLEDState") == "Off"


# Events

@each()
def test_it_is_told_everything_at_once_and_what_changes(program, room, player):
    told = program.subscribe()
    assert told.keys() == set(program.subscribes)
    mark = program.receiver.events.mark()
    room.volume_of("SetVolume", Value=33)
    if RC in told:
        program.event(RC, mark, lambda change: "33" in json.dumps(_plain(change)))
    if GRC in told:
        program.event(GRC, mark, lambda change: "33" in json.dumps(_plain(change)))
    before = len(room.ids())
    mark = program.receiver.events.mark()
    room.playlist("SetRepeat", Value=1)
    room.playlist("SeekIndex", Value=1)
    arrives(room, "Playing")
    if AVT in told:
        # One of them gets no further than the address.
        words = ("PLAYING", "REPEAT_ALL") if isinstance(program, SonosCLI) else ("PLAYING", "REPEAT_ALL", "song-2.wav")
        program.event(AVT, mark, lambda change: all(word in json.dumps(_plain(change)) for word in words))
    mark = program.receiver.events.mark()
    room.playlist("DeleteId", Value=room.ids()[3])
    assert len(room.ids()) == before - 1
    for service in ("ContentDirectory", "Queue"):
        if service in told:
            assert program.event(service, mark, lambda change, old=told[service]: change != old)
    program.end()


def _plain(value):
    if isinstance(value, dict):
        return {str(name): _plain(inside) for name, inside in value.items()}
    return value


def test_what_events_hold(room, player, zone_link):
    """What single programs take from their first events."""
    with Jishi(zone_link) as program:
        told = program.subscribe()
        assert program.uid == player.uid and "Q:0" in told[CD]
        [group] = told["ZoneGroupTopology"]
        assert group["zonegroupmember"]["zonename"] == "Kitchen & Co" and group["$attrs"]["coordinator"] == player.uid
        assert told[AVT]["transportstate"]["val"] == "STOPPED" and told[AVT]["track"]["dc:title"] == "Song 1 & <more>"
        assert told[AVT]["next"]["dc:title"] == "Song 2 & <more>"
        assert told[AVT]["avtransporturi"]["val"] == f"x-rincon-queue:{player.uid}#0"
        assert told[RC]["outputfixed"]["val"] == "0"
    with NodeSonos(zone_link) as program:
        told = program.subscribe()
        assert told[AVT]["track"]["dc:title"] == "Song 1 & <more>" and told[AVT]["CurrentTrackDuration"] == "0:05:00"
        member = told["ZoneGroupTopology"]["ZoneGroupState"]["ZoneGroups"]["ZoneGroup"]["ZoneGroupMember"]
        assert member["UUID"] == player.uid
    with Svrooij(zone_link) as program:
        told = program.subscribe()
        [(_, name, members)] = told["ZoneGroupTopology"]
        assert name == "Kitchen & Co" and list(members) == [player.uid]
        assert told[RC] == {"Volume": {"Master": 20, "LF": 100, "RF": 100}, "Mute": {"Master": False, "LF": False, "RF": False}}
        assert told[AVT]["CurrentTrackMetaData"]["title"] == "Song 1 & <more>"
        assert told[AVT]["CurrentTrackMetaData"]["uri"] == told[AVT]["CurrentTrackURI"]
        assert told[AVT]["EnqueuedTransportURI"] == told[AVT]["AVTransportURI"]
    with HomebridgeZP(zone_link) as program:
        told = program.subscribe()
        assert told["ZoneGroupTopology"] == {"id": player.uid, "zone": "Kitchen & Co", "group": player.uid}
    with OpenPhonos(zone_link) as program:
        program.described()
        told = program.subscribe()
        assert told[RC] == {"Volume": "20", "Mute": "0", "OutputFixed": "0"}
        assert told[GRC]["GroupVolume"] == "20" and told[GRC]["GroupMute"] == "0" and told[GRC]["GroupVolumeChangeable"] == "1"
        assert told["DeviceProperties"]["WirelessMode"] == "0" and told["DeviceProperties"]["MoreInfo"] == ""
    with SonosCLI(zone_link) as program:
        told = program.subscribe()
        assert (told[AVT]["TransportState"], told[AVT]["CurrentTrack"]) == ("STOPPED", "1")
        assert told[RC]["Volume/Master"] == "20"
    with zone_clients.SonosSDK(zone_link) as program:
        told = program.subscribe()
        assert told["GroupManagement"]["GroupCoordinatorIsLocal"] == "1"
        assert told["GroupManagement"]["LocalGroupUUID"].startswith(f"{player.uid}:")


# Transport

@each()
def test_transport(program, room, player, songs):
    av(program, "SetAVTransportURI", CurrentURI=f"x-rincon-queue:{player.uid}#0", CurrentURIMetaData="")
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    av(program, "Seek", Unit="TRACK_NR", Target=3)
    assert current(room) == 3
    av(program, "Next")
    assert current(room) == 4
    assert program.refused(AVT, "Next", InstanceID=0) in (711, None)
    av(program, "Previous")
    assert current(room) == 3
    arrives(room, "Playing")
    av(program, "Seek", Unit="REL_TIME", Target="00:02:00")
    assert 119 <= int(room.action("Time", "Time")["Seconds"]) <= 125
    if program.does("GetPositionInfo"):
        info = av(program, "GetPositionInfo")
        assert program.value("GetPositionInfo", info, "RelTime").startswith("0:02:0")
        assert program.value("GetPositionInfo", info, "Track") == "3"
        assert program.value("GetPositionInfo", info, "TrackDuration") == "0:05:00"
        assert program.value("GetPositionInfo", info, "TrackURI") == songs[2]
        assert "Song 3 &" in str(program.value("GetPositionInfo", info, "TrackMetaData"))
    if program.does("GetTransportInfo"):
        info = av(program, "GetTransportInfo")
        assert program.value("GetTransportInfo", info, "CurrentTransportState") == "PLAYING"
        assert program.value("GetTransportInfo", info, "CurrentTransportStatus") == "OK"
    av(program, "Pause")
    arrives(room, "Paused")
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    av(program, "Stop")
    assert state(room) == "Stopped"
    assert program.refused(AVT, "Pause", InstanceID=0) in (701, None)
    if program.does("GetMediaInfo"):
        info = av(program, "GetMediaInfo")
        assert program.value("GetMediaInfo", info, "NrTracks") == "4"
        assert program.value("GetMediaInfo", info, "CurrentURI") == f"x-rincon-queue:{player.uid}#0"
    if program.does("GetCurrentTransportActions"):
        assert "Seek" in program.value("GetCurrentTransportActions", av(program, "GetCurrentTransportActions"), "Actions")


@each()
def test_modes_and_timer(program, zone_speaker):
    room = zone_speaker
    room.product("SetSourceBySystemName", Value="Playlist")
    if program.does("SetPlayMode"):
        for mode, repeats, shuffles in (("REPEAT_ALL", "1", "0"), ("SHUFFLE", "1", "1"), ("SHUFFLE_NOREPEAT", "0", "1"),
                                        ("NORMAL", "0", "0")):
            av(program, "SetPlayMode", NewPlayMode=mode)
            assert (room.playlist("Repeat")["Value"], room.playlist("Shuffle")["Value"]) == (repeats, shuffles)
            if program.does("GetTransportSettings"):
                assert program.value("GetTransportSettings", av(program, "GetTransportSettings"), "PlayMode") == mode
    if program.does("SetCrossfadeMode"):
        av(program, "SetCrossfadeMode", CrossfadeMode=1)
        if program.does("GetCrossfadeMode"):
            assert program.value("GetCrossfadeMode", av(program, "GetCrossfadeMode"), "CrossfadeMode") == "1"
        av(program, "SetCrossfadeMode", CrossfadeMode=0)
    if program.does("ConfigureSleepTimer"):
        av(program, "ConfigureSleepTimer", NewSleepTimerDuration="00:20:00")
        if program.does("GetRemainingSleepTimerDuration"):
            left = program.value("GetRemainingSleepTimerDuration", av(program, "GetRemainingSleepTimerDuration"),
                                 "RemainingSleepTimerDuration")
            assert "0:19:50" <= left <= "0:20:00"
        av(program, "ConfigureSleepTimer", NewSleepTimerDuration="")
        if program.does("GetRemainingSleepTimerDuration"):
            assert not av(program, "GetRemainingSleepTimerDuration").get("RemainingSleepTimerDuration")


@each()
def test_alone_it_leaves_its_group_and_stays(program, zone_speaker, player):
    ids = zone_speaker.ids()
    program.call(AVT, "BecomeCoordinatorOfStandaloneGroup", InstanceID=0)
    assert player.group.coordinator is player and zone_speaker.ids() == ids
    if program.does("DelegateGroupCoordinationTo"):
        assert program.refused(AVT, "DelegateGroupCoordinationTo", InstanceID=0, NewCoordinator="RINCON_00000000000001400",
                               RejoinGroup="true") in (701, 800, None)


# Sound

@each()
def test_volume_and_tone(program, zone_speaker, player):
    room = zone_speaker

    def volume():
        return int(room.volume_of("Volume")["Value"])
    program.call(RC, "SetVolume", InstanceID=0, Channel="Master", DesiredVolume=41)
    assert volume() == 41
    program.call(RC, "SetMute", InstanceID=0, Channel="Master", DesiredMute=1)
    assert room.volume_of("Mute")["Value"] == "1"
    if program.does("GetVolume"):
        assert str(program.value("GetVolume", program.call(RC, "GetVolume", InstanceID=0, Channel="Master"),
                                 "CurrentVolume")) == "41"
        assert str(program.value("GetMute", program.call(RC, "GetMute", InstanceID=0, Channel="Master"), "CurrentMute")) == "1"
    program.call(RC, "SetMute", InstanceID=0, Channel="Master", DesiredMute=0)
    if program.does("SetRelativeVolume"):
        result = program.call(RC, "SetRelativeVolume", InstanceID=0, Channel="Master", Adjustment=-6)
        assert str(program.value("SetRelativeVolume", result, "NewVolume")) == "35" and volume() == 35
    if program.does("SetBass"):
        for name, level in (("Bass", -3), ("Treble", 4)):
            program.call(RC, f"Set{name}", InstanceID=0, **{f"Desired{name}": level})
            result = program.call(RC, f"Get{name}", InstanceID=0)
            assert str(program.value(f"Get{name}", result, f"Current{name}")) == str(level)
        program.call(RC, "SetLoudness", InstanceID=0, Channel="Master", DesiredLoudness=0)
        assert (player.bass, player.treble, player.loudness) == (-3, 4, False)
        result = program.call(RC, "GetLoudness", InstanceID=0, Channel="Master")
        assert str(program.value("GetLoudness", result, "CurrentLoudness")) == "0"
    if program.does("SetEQ"):
        assert program.refused(RC, "SetEQ", InstanceID=0, EQType="NightMode", DesiredValue=1) in (402, None)
    if program.does("SetGroupVolume"):
        program.call(GRC, "SnapshotGroupVolume", InstanceID=0)
        program.call(GRC, "SetGroupVolume", InstanceID=0, DesiredVolume=52)
        assert volume() == 52
        result = program.call(GRC, "SetRelativeGroupVolume", InstanceID=0, Adjustment=-2)
        assert str(program.value("SetRelativeGroupVolume", result, "NewVolume")) == "50" and volume() == 50
        result = program.call(GRC, "GetGroupVolume", InstanceID=0)
        assert str(program.value("GetGroupVolume", result, "CurrentVolume")) == "50"
    if program.does("SetGroupMute"):
        program.call(GRC, "SetGroupMute", InstanceID=0, DesiredMute=1)
        assert room.volume_of("Mute")["Value"] == "1"


# The queue

@each()
def test_queue(program, room, player, songs):
    def add(place=0, title="Song 5", song=4, following=0):
        return av(program, "AddURIToQueue", EnqueuedURI=sent(program, songs[song]),
                  EnqueuedURIMetaData=sent(program, metadata(title, songs[song])),
                  DesiredFirstTrackNumberEnqueued=place, EnqueueAsNext=following)

    def added(result):
        return tuple(int(program.value("AddURIToQueue", result, name))
                     for name in ("FirstTrackNumberEnqueued", "NumTracksAdded", "NewQueueLength"))
    assert added(add()) == (5, 1, 5) and titles(room) == ["Song 1", "Song 2", "Song 3", "Song 4", "Song 5"]
    assert added(add(2, "Song 6", 5)) == (2, 1, 6) and titles(room)[:3] == ["Song 1", "Song 6", "Song 2"]
    # Some always say so, and want the end.
    assert added(add(0, "Song 5", 4, 1)) == (7, 1, 7)
    assert room.read_list(str(room.ids()[6]))[0]["Uri"] == songs[4]
    if program.does("Browse"):
        result = program.call(CD, "Browse", ObjectID="Q:0", BrowseFlag="BrowseDirectChildren", Filter="*", StartingIndex=1,
                              RequestedCount=2, SortCriteria="")
        names = {"NumberReturned": 1, "TotalMatches": 2} if isinstance(result, list) else {}
        assert [str(result[names[name]] if names else program.value("Browse", result, name))
                for name in ("NumberReturned", "TotalMatches")] == ["2", "7"]
    if hasattr(program, "browse"):
        # One keeps them by title, of which two are the same.
        assert len(program.browse("Q:0")) == (6 if isinstance(program, HomebridgeZP) else 7)
    if program.does("RemoveTrackFromQueue"):
        av(program, "RemoveTrackFromQueue", ObjectID="Q:0/7", UpdateID=0)
        assert len(room.ids()) == 6
        assert program.refused(AVT, "RemoveTrackFromQueue", InstanceID=0, ObjectID="Q:0/99", UpdateID=0) in (402, None)
    if program.does("RemoveTrackRangeFromQueue"):
        before = room.ids()
        result = av(program, "RemoveTrackRangeFromQueue", UpdateID=0, StartingIndex=2, NumberOfTracks=2)
        assert program.value("RemoveTrackRangeFromQueue", result, "NewUpdateID")
        assert room.ids() == before[:1] + before[3:]
    if program.does("ReorderTracksInQueue"):
        before = room.ids()
        av(program, "ReorderTracksInQueue", StartingIndex=1, NumberOfTracks=1, InsertBefore=len(before) + 1, UpdateID=0)
        assert room.ids() == before[1:] + before[:1]
    if program.does("AddMultipleURIsToQueue"):
        before = len(room.ids())
        result = av(
            program, "AddMultipleURIsToQueue", UpdateID=0, NumberOfURIs=2, EnqueuedURIs=" ".join(songs[:2]),
            EnqueuedURIsMetaData=" ".join(metadata(f"Many {number}", songs[number]) for number in range(2)), ContainerURI="",
            ContainerMetaData="", DesiredFirstTrackNumberEnqueued=0, EnqueueAsNext=0)
        assert [int(program.value("AddMultipleURIsToQueue", result, name))
                for name in ("FirstTrackNumberEnqueued", "NumTracksAdded", "NewQueueLength")] == [before + 1, 2, before + 2]
        assert titles(room)[-2:] == ["Many 0", "Many 1"]
    av(program, "RemoveAllTracksFromQueue")
    assert room.ids() == []
    # As it does before it plays something else: an empty queue is no fault.
    av(program, "RemoveAllTracksFromQueue")
    assert program.refused(AVT, "Play", InstanceID=0, Speed=1) in (701, None)


@each("SaveQueue")
def test_a_saved_queue_and_back(program, room, player):
    saved = program.value("SaveQueue", av(program, "SaveQueue", Title="Saved & kept", ObjectID=""), "AssignedObjectID")
    [playlist] = player.get_sonos_playlists()
    assert (playlist.title, playlist.item_id) == ("Saved & kept", saved)
    assert len(player.music_library.browse(playlist)) == 4
    av(program, "RemoveAllTracksFromQueue")
    result = av(program, "AddURIToQueue", EnqueuedURI=f"file:///jffs/settings/savedqueues.rsq#{saved.split(':')[1]}",
                EnqueuedURIMetaData="", DesiredFirstTrackNumberEnqueued=0, EnqueueAsNext=1)
    assert int(program.value("AddURIToQueue", result, "NumTracksAdded")) == 4
    assert titles(room) == ["Song 1", "Song 2", "Song 3", "Song 4"]


@each("CreateSavedQueue")
def test_saved_queues(program, room, player, songs):
    made = av(program, "CreateSavedQueue", Title="Empty", EnqueuedURI="", EnqueuedURIMetaData="")["AssignedObjectID"]
    for number in range(3):
        result = av(program, "AddURIToSavedQueue", ObjectID=made, UpdateID=0, EnqueuedURI=songs[number],
                    EnqueuedURIMetaData=metadata(f"Kept {number}", songs[number]), AddAtIndex=4294967295)
        assert int(result["NewUpdateID"]) > 0
    result = av(program, "ReorderTracksInSavedQueue", ObjectID=made, UpdateID=0, TrackList="0,2", NewPositionList=",0")
    assert int(result["QueueLengthChange"]) == -1
    playlist = next(each for each in player.get_sonos_playlists() if each.item_id == made)
    assert [track.title for track in player.music_library.browse(playlist)] == ["Kept 2", "Kept 1"]
    program.call(CD, "DestroyObject", ObjectID=made)
    assert made not in [each.item_id for each in player.get_sonos_playlists()]
    assert program.refused(CD, "DestroyObject", ObjectID=made) in (701, None)


# What plays instead of the queue

@each(among=(Jishi, NodeSonos, Svrooij, NodeRed))
def test_an_announcement_and_back(program, room, player, songs):
    """Something else is played, and what played before goes on: the queue and its place survive."""
    av(program, "Seek", Unit="TRACK_NR", Target=2)
    ids, place = room.ids(), current(room)
    av(program, "SetAVTransportURI", CurrentURI=sent(program, songs[5]), CurrentURIMetaData="")
    assert state(room) == "Stopped" and room.source() != "Playlist"
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    if program.does("GetMediaInfo"):
        # As it was set: programs compare it.
        assert program.value("GetMediaInfo", av(program, "GetMediaInfo"), "CurrentURI") == songs[5]
    av(program, "SetAVTransportURI", CurrentURI=f"x-rincon-queue:{player.uid}#0", CurrentURIMetaData="")
    av(program, "Seek", Unit="TRACK_NR", Target=place)
    av(program, "Seek", Unit="REL_TIME", Target="0:01:00")
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    assert (room.source(), room.ids(), current(room)) == ("Playlist", ids, place)
    assert int(room.action("Time", "Time")["Seconds"]) >= 60


@each()
def test_radio(program, room, zone_station):
    address = "x-rincon-mp3radio" + zone_station.removeprefix("http")
    station = metadata("A station & more", address, "object.item.audioItem.audioBroadcast")
    av(program, "SetAVTransportURI", CurrentURI=address, CurrentURIMetaData=sent(program, station))
    assert state(room) == "Stopped" and room.source() == "Radio" and room.radio("Channel")["Uri"] == zone_station
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    if program.does("GetMediaInfo"):
        info = av(program, "GetMediaInfo")
        assert program.value("GetMediaInfo", info, "CurrentURI") == address
        assert program.value("GetMediaInfo", info, "NrTracks") == "1"
    if program.does("GetPositionInfo"):
        until(lambda: "An artist &" in str(program.value("GetPositionInfo", av(program, "GetPositionInfo"), "TrackMetaData")),
              10, "it shows the song")
        info = av(program, "GetPositionInfo")
        assert program.value("GetPositionInfo", info, "TrackURI") == address
        assert program.value("GetPositionInfo", info, "TrackDuration") == "0:00:00"
    assert program.refused(AVT, "Next", InstanceID=0) in (701, 711, None)
    for other in ("x-sonosapi-stream:s24939?sid=254", "x-rincon-stream:RINCON_00000000000001400", "x-sonos-htastream:RINCON:spdif"):
        assert program.refused(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=other, CurrentURIMetaData="") in (714, None)
    arrives(room, "Playing")
    av(program, "Stop")
    assert state(room) == "Stopped"


def _favourite(title, address, protocol, kind):
    inside = escape(metadata(title, address, kind).replace(re.search("<res.*</res>", metadata("", address, ""))[0], ""))
    return (
        '<DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/" '
        'xmlns:r="urn:schemas-rinconnetworks-com:metadata-1-0/" xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/">'
        f'<item id="" parentID="FV:2" restricted="false"><dc:title>{escape(title)}</dc:title><r:type>instantPlay</r:type>'
        f'<res protocolInfo="{protocol}:*:*:*">{escape(address)}</res><r:description>Described</r:description>'
        f"<r:resMD>{inside}</r:resMD></item></DIDL-Lite>")


@each("FV:2")
def test_favourites(program, room, player, zone_station):
    player.create_sonos_playlist_from_queue("A playlist")
    [playlist] = player.get_sonos_playlists()
    radio = "x-rincon-mp3radio" + zone_station.removeprefix("http")
    saved = playlist.resources[0].uri
    made = (_favourite("Radio & more", radio, "x-rincon-mp3radio", "object.item.audioItem.audioBroadcast"),
            _favourite("Playlist & more", saved, "file", "object.container.playlistContainer"))
    for text in made:
        if program.does("CreateObject"):
            result = program.call(CD, "CreateObject", ContainerID="FV:2", Elements=text)
            assert program.value("CreateObject", result, "ObjectID").startswith("FV:2/")
        else:
            player.contentDirectory.CreateObject([("ContainerID", "FV:2"), ("Elements", text)])
    found = _favourites_of(program)
    assert set(found) == {"Radio & more", "Playlist & more"}
    address, about = found["Radio & more"]
    av(program, "SetAVTransportURI", CurrentURI=address, CurrentURIMetaData=about)
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    assert room.source() == "Radio" and room.radio("Channel")["Uri"] == zone_station
    # One of them doesn't escape the name.
    assert re.search("<dc:title>Radio (&|&amp;) more", room.radio("Channel")["Metadata"])
    address, about = found["Playlist & more"]
    av(program, "RemoveAllTracksFromQueue")
    first = program.value("AddURIToQueue", av(program, "AddURIToQueue", EnqueuedURI=address, EnqueuedURIMetaData=about,
                                             DesiredFirstTrackNumberEnqueued=0, EnqueueAsNext=0), "FirstTrackNumberEnqueued")
    av(program, "SetAVTransportURI", CurrentURI=f"x-rincon-queue:{player.uid}#0", CurrentURIMetaData="")
    av(program, "Seek", Unit="TRACK_NR", Target=first)
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    assert room.source() == "Playlist" and titles(room) == ["Song 1", "Song 2", "Song 3", "Song 4"]
    if program.does("DestroyObject"):
        program.call(CD, "DestroyObject", ObjectID=player.music_library.get_sonos_favorites()[0].item_id)
        assert len(player.music_library.get_sonos_favorites()) == 1


def _favourites_of(program):
    """Title to address and metadata, as the program reads them and sends them back."""
    if isinstance(program, HomebridgeZP):
        return {title.replace("&amp;", "&"): (each["uri"], each["meta"]) for title, each in program.browse("FV:2").items()}
    found = {}
    for each in program.browse("FV:2"):
        if isinstance(program, OpenPhonos):
            found[each["title"]] = each["res"], each["about"]
        elif isinstance(program, Jishi):
            found[each["title"]] = each["uri"], each["metadata"]
        elif isinstance(program, SonosCLI):
            found[each["title"]] = each["res"], each["resmd"]
        elif isinstance(program, Noson):
            found[each["dc:title"]] = each["res"], each["r:resMD"]
        else:
            assert each["r:type"] == "instantPlay" and each["upnp:class"] == "object.itemobject.item.sonos-favorite"
            found[each["dc:title"]] = each["res"]["_"], each["r:resMD"]
    return found


@each("R:0/0")
def test_stations(program, room, zone_station):
    [station] = [each for each in program.browse("R:0/0")]
    address = station["res"] if isinstance(program, Noson) else station["res"]["_"]
    assert station["dc:title"] == "A preset & more"
    av(program, "SetAVTransportURI", CurrentURI=address, CurrentURIMetaData="")
    av(program, "Play", Speed=1)
    arrives(room, "Playing")
    assert room.radio("Channel")["Uri"].endswith("/preset")
    assert program.browse("R:0/1") == []


# What only one of them does

def test_jishi_sends_a_template_that_it_has_not_filled(jishi, room):
    assert jishi.refused(AVT, "AddURIToQueue", InstanceID=0, amount=2, EnqueuedURI="{uri}", EnqueuedURIMetaData="{metadata}",
                         DesiredFirstTrackNumberEnqueued=0, EnqueueAsNext=0) is None
    assert len(room.ids()) == 4


def test_jishi_lists_more_than_one_answer_holds(jishi, room):
    for number in range(8):
        saved = av(jishi, "SaveQueue", Title=f"As many {number}", ObjectID="")["assignedobjectid"]
        av(jishi, "AddURIToQueue", EnqueuedURI=f"file:///jffs/settings/savedqueues.rsq#{saved.split(':')[1]}",
           EnqueuedURIMetaData="", DesiredFirstTrackNumberEnqueued=0, EnqueueAsNext=0)
    assert len(jishi.browse("Q:0")) == len(room.ids()) == 1024
    assert jishi.browse("A:PLAYLISTS") == jishi.browse("AI:") == []


def test_node_sonos_renames_between_quotation_marks(node_sonos, player):
    assert node_sonos.quoted("DeviceProperties", "GetZoneAttributes")["CurrentZoneName"] == "Kitchen & Co"
    try:
        node_sonos.quoted("DeviceProperties", "SetZoneAttributes", DesiredZoneName="Bath & Bed", DesiredIcon="",
                          DesiredConfiguration="")
        assert node_sonos.quoted("DeviceProperties", "GetZoneAttributes")["CurrentZoneName"] == "Bath & Bed"
        # What isn't to be changed, newer versions call so.
        node_sonos.call("DeviceProperties", "SetZoneAttributes", DesiredZoneName="Kitchen & Co", DesiredIcon="null",
                        DesiredConfiguration="null")
        found = node_sonos.call("DeviceProperties", "GetZoneAttributes")
        assert (found["CurrentZoneName"], found["CurrentIcon"]) == ("Kitchen & Co", "x-rincon-roomicon:living")
    finally:
        player.player_name = "Kitchen & Co"


def test_node_sonos_lists_the_library(node_sonos, room):
    for object_id in ("A:ARTIST", "A:ALBUMARTIST", "A:ALBUM", "A:GENRE", "A:COMPOSER", "A:TRACKS", "A:PLAYLISTS", "S:",
                      "A:TRACKS:word", "SQ:"):
        assert node_sonos.browse(object_id, "container") == []


def test_svrooij_writes_addresses_in_its_own_way(svrooij, room, zone_station):
    """Ampersands as they are; other colons than the first as %3a."""
    for address in (zone_station + "?a=1&b=2", "x-rincon-mp3radio" + zone_station.removeprefix("http") + "?a=1&b=2",
                    "aac://" + zone_station, "hls-radio://" + zone_station):
        av(svrooij, "SetAVTransportURI", CurrentURI=address, CurrentURIMetaData="")
        av(svrooij, "Play", Speed=1)
        arrives(room, "Playing")
        played = room.action("Info", "Track")["Uri"]
        assert played.removesuffix("?a=1&b=2") == zone_station and played.endswith("2") == address.endswith("2")


def test_svrooij_keeps_tokens(svrooij):
    svrooij.call("SystemProperties", "SetString", VariableName="sonos-ts-9", StringValue="{\"key\":\"a\"}".replace('"', "&quot;"))
    assert svrooij.call("SystemProperties", "GetString", VariableName="sonos-ts-9")["StringValue"] == '{"key":"a"}'
    svrooij.call("SystemProperties", "Remove", VariableName="sonos-ts-9")
    assert svrooij.refused("SystemProperties", "GetString", VariableName="sonos-ts-9") == 800


def test_node_red_looks_and_restores(node_red, room, player):
    info = json.loads(node_red.get("/info").body)
    assert info["householdId"] == player.household_id and info["device"]["id"] == player.uid
    assert info["device"]["capabilities"]
    with pytest.raises(AssertionError, match="404"):
        node_red.get("/status/batterystatus")
    alarms = node_red.own("AlarmClock", "ListAlarms")
    assert alarms["CurrentAlarmList"] == "&lt;Alarms&gt;&lt;/Alarms&gt;", "what it takes for none"
    with pytest.raises(Refused) as refusal:
        node_red.own(RC, "GetEQ", InstanceID=0, EQType="NightMode")
    assert refusal.value.code == 402
    # A snapshot, and back: metadata goes out as it came, already escaped.
    av(node_red, "Seek", Unit="TRACK_NR", Target=3)
    before = node_red.own(AVT, "GetMediaInfo", InstanceID=0)
    node_red.own(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=before["CurrentURI"],
                 CurrentURIMetaData=before["CurrentURIMetaData"])
    assert current(room) == 3 and room.source() == "Playlist"


def test_noson_makes_no_station(noson, room):
    """Stations come from the settings: it shows that it couldn't."""
    text = _favourite("A station", "x-rincon-mp3radio://example.com/", "x-rincon-mp3radio", "object.item.audioItem")
    assert noson.refused(CD, "CreateObject", ContainerID="R:0/0", Elements=text) == 800


def test_noson_plays_what_it_streams_itself(noson, room, songs):
    """What this computer plays; then another address for after it."""
    av(noson, "SetAVTransportURI", CurrentURI=songs[0], CurrentURIMetaData=metadata("Desktop", songs[0]))
    av(noson, "SetNextAVTransportURI", NextURI=songs[1], NextURIMetaData=metadata("Next", songs[1]))
    av(noson, "Play", Speed=1)
    arrives(room, "Playing")
    assert av(noson, "GetMediaInfo")["NextURI"] == songs[1]
    av(noson, "Next")
    until(lambda: room.action("Info", "Track")["Uri"] == songs[1], 10, "the next one plays")


def test_phonos_finds_the_address_of_the_queue(phonos, room, player):
    [queue] = phonos.browse("Q:0", "BrowseMetadata", 0, 1)
    assert queue["res"] == f"x-rincon-queue:{player.uid}#0"
    assert phonos.value("GetMediaInfo", av(phonos, "GetMediaInfo"), "CurrentURI") == queue["res"]
    [item] = phonos.browse("Q:0/2", "BrowseMetadata", 0, 1)
    assert item["title"] == "Song 2 & <more>"
    assert uid_of(phonos.get("/status/topology").body.decode()) == player.uid


def uid_of(text):
    return re.search(r'uuid="(RINCON_[^"]+)"', text)[1]


def test_sonoscli_plays_lists_of_the_network(sonoscli, room, songs, zone_link):
    """Durations with thousandths of a second, and a favourite that is a list: it is refused, as by real zones."""
    [member] = sonoscli.topology()
    assert member["Location"].startswith(f"http://{zone_link.speaker}:1400/") and "Invisible" not in member
    av(sonoscli, "AddURIToQueue", EnqueuedURI=songs[4], EnqueuedURIMetaData=metadata('"Quoted"', songs[4]),
       DesiredFirstTrackNumberEnqueued=1, EnqueueAsNext=0)
    first = sonoscli.browse("Q:0")[0]
    assert (first["title"], first["id"]) == ('"Quoted"', "Q:0/1")
    assert sonoscli.refused(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI="file:///jffs/settings/savedqueues.rsq#1",
                            CurrentURIMetaData="") == 714


def test_sonor_reads_its_snapshot(sonor, room, player, zone_link, songs):
    [(coordinator, [member])] = sonor.topology()
    assert coordinator == player.uid and member["Location"] == f"http://{zone_link.speaker}:1400/xml/device_description.xml"
    assert [track["title"] for track in sonor.queue()] == [f"Song {number} & <more>" for number in range(1, 5)]
    assert [track["duration"] for track in sonor.queue()] == [300] * 4
    av(sonor, "Seek", Unit="TRACK_NR", Target=2)
    av(sonor, "Play", Speed=1)
    arrives(room, "Playing")
    av(sonor, "Seek", Unit="REL_TIME", Target="00:01:30")
    av(sonor, "Seek", Unit="TIME_DELTA", Target="-00:00:30")
    assert 59 <= int(room.action("Time", "Time")["Seconds"]) <= 65
    av(sonor, "Seek", Unit="TIME_DELTA", Target="00:00:30")
    assert 89 <= int(room.action("Time", "Time")["Seconds"]) <= 96


def test_node_sonos_reads_modes_and_lists(node_sonos, room):
    assert len(node_sonos.browse("Q:0", RequestedCount=1000)) == 4
    assert node_sonos.call("AlarmClock", "ListAlarms")["CurrentAlarmList"] == "<Alarms></Alarms>"


def test_homebridge_sets_the_balance(homebridge, room):
    """By the louder side first."""
    homebridge.call(RC, "SetVolume", InstanceID=0, Channel="RF", DesiredVolume=100)
    homebridge.call(RC, "SetVolume", InstanceID=0, Channel="LF", DesiredVolume=60)
    sides = [homebridge.call(RC, "GetVolume", InstanceID=0, Channel=side)["currentVolume"] for side in ("LF", "RF")]
    assert sides == [60, 100]
    homebridge.call(RC, "SetVolume", InstanceID=0, Channel="LF", DesiredVolume=100)


@pytest.mark.parametrize("text", [
    "<DIDL-Lite xmlns:dc='d'><item id='1' parentID='0'><dc:title>You & me</dc:title></item></DIDL-Lite>",
    "<DIDL-Lite><item><dc:title>Nothing is declared</dc:title></item></DIDL-Lite>", "<DIDL-Lite></DIDL-Lite>", "nothing"])
def test_what_one_sends_the_others_can_read(node_red, room, zone_link, songs, text):
    """Events hold metadata as it was sent: if it isn't right, programs drop them whole."""
    node_red.own(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=songs[5].replace("&", "&amp;"), CurrentURIMetaData=escape(text))
    for kind in ALL:
        with kind(zone_link) as program:
            program.described()
            assert "STOPPED" in json.dumps(_plain(program.subscribe()[AVT]))


def test_all_are_answered_at_the_same_time(room, zone_link, player):
    """Each with its subscriptions."""
    programs = [kind(zone_link) for kind in ALL]
    try:
        for each in programs:
            each.described()
            each.subscribe()
        mark = {each: each.receiver.events.mark() for each in programs}
        room.volume_of("SetVolume", Value=44)
        for each in programs:
            each.event(RC, mark[each], lambda change: "44" in json.dumps(_plain(change)))
            each.end()
        assert ask(zone_link, programs[0].search, seconds=1)
    finally:
        for each in programs:
            each.receiver.close()
