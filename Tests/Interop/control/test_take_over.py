"""Who has the speaker: a cast that is prepared, one that takes over and ends, and what the UPnP AV device shows of others."""

import time

import pytest
from kit import openhome, sound
from kit.media_server import MediaServer
from kit.subject import chosen
from kit.upnp import AVT, didl
from kit.waiting import until


@pytest.fixture
def album(speaker, oh_media):
    """Three tracks in the playlist, the first of which plays."""
    tracks = openhome.tracks(oh_media, 3, 30, seed=400)
    for track in tracks:
        track.id = speaker.insert(track.uri, (speaker.ids() or [0])[-1], didl(track.title, track.uri))
    speaker.playlist("Play")
    until(lambda: speaker.state_of() == "Playing", 8, "the playlist plays")
    return tracks


@pytest.fixture
def av(renderer_beside):
    return renderer_beside


@pytest.fixture
def told(events_beside):
    return events_beside


@pytest.fixture
def cast(oh_media):
    return oh_media.add("/cast.wav", sound.wav(sound.noise(30, seed=410)), "audio/wav")


def shown(av):
    """What the UPnP AV device says when it is asked."""
    media, position = av.avt("GetMediaInfo"), av.avt("GetPositionInfo")
    return {
        "TransportState": av.state(), "AVTransportURI": media["CurrentURI"],
        "AVTransportURIMetaData": media["CurrentURIMetaData"], "CurrentTrackURI": position["TrackURI"],
        "CurrentTrackMetaData": position["TrackMetaData"], "CurrentTrackDuration": position["TrackDuration"],
        "NumberOfTracks": media["NrTracks"], "NextAVTransportURI": media["NextURI"],
        "CurrentTransportActions": plain(av.avt("GetCurrentTransportActions")["Actions"])}


def plain(actions):
    """Without those that DLNA has added."""
    return ",".join(action for action in actions.split(",") if not action.startswith("X_"))


def known(told):
    """What its events have said."""
    values = {}
    for event in told.events.since(0):
        values.update(event.changes)
    if "CurrentTransportActions" in values:
        values["CurrentTransportActions"] = plain(values["CurrentTransportActions"])
    return values


def agree(av, told, wanted):
    """Answers and events come to say the same, and it is what is wanted."""
    def differences():
        asked, evented = shown(av), known(told)
        return {name: (asked[name], evented.get(name), wanted.get(name)) for name in asked
                if asked[name] != evented.get(name) or asked[name] != wanted.get(name, asked[name])}
    try:
        until(lambda: not differences(), 8, "answers and events agree", step=0.1)
    except AssertionError as error:
        raise AssertionError(f"asked, told, wanted: {differences()}") from error


def still_plays(speaker, seconds=2):
    """The playlist's position moves on."""
    position = int(speaker.action("Time", "Time")["Seconds"])
    until(lambda: int(speaker.action("Time", "Time")["Seconds"]) >= position + seconds, 10, "it plays on", step=0.1)
    assert speaker.state_of() == "Playing" and speaker.source() == "Playlist"


def on_air(av, speaker, uri):
    until(lambda: av.state() == "PLAYING", 8, "the cast plays")
    assert av.avt("GetMediaInfo")["CurrentURI"] == uri
    until(lambda: speaker.state_of("Transport") == "Playing" and speaker.source() == "UPnP AV", 5, "OpenHome shows it")
    assert speaker.action("Info", "Track")["Uri"] == uri and speaker.state_of() == "Stopped"


def test_stop_silences_what_plays_beside_a_prepared_cast(speaker, av, told, album, cast):
    av.set_uri(cast, didl("A cast", cast))
    still_plays(speaker)
    av.stop()
    until(lambda: speaker.state_of("Transport") == "Stopped", 5, "the playlist is silent")
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": cast, "CurrentTransportActions": "Play,Seek"})


def test_preparing_a_cast_silences_nobody(speaker, av, told, album, cast):
    av.set_uri(cast, didl("A cast", cast))
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": cast, "CurrentTransportActions": "Play,Stop,Seek"})
    still_plays(speaker)
    assert av.fault(AVT, "Pause", InstanceID=0) == 701
    av.set_next(album[2].uri)
    agree(av, told, {"TransportState": "STOPPED", "NextAVTransportURI": album[2].uri})
    av.play()
    on_air(av, speaker, cast)
    assert speaker.ids() == [track.id for track in album]


def stop_set_play(av, uri):
    if av.state() not in ("STOPPED", "NO_MEDIA_PRESENT"):
        av.stop()
    until(lambda: av.state() == "STOPPED", 5, "Stop is followed by STOPPED")
    av.set_uri(uri)
    av.play()


def set_play(av, uri):
    av.set_uri(uri)
    av.play()


def set_poll_play(av, uri):
    """Plays only when it is offered, and not when PLAYING is read already."""
    av.set_uri(uri)
    until(lambda: "Play" in av.avt("GetCurrentTransportActions")["Actions"], 5, "Play is offered")
    if av.state() != "PLAYING":
        av.play()


def set_seek_play(av, uri):
    av.set_uri(uri)
    av.seek("0:00:10")
    av.play()


@pytest.mark.parametrize("sequence", [stop_set_play, set_play, set_poll_play, set_seek_play])
def test_control_points_take_over_in_their_own_ways(speaker, av, album, cast, sequence):
    sequence(av, cast)
    on_air(av, speaker, cast)
    av.set_uri(album[2].uri)
    on_air(av, speaker, album[2].uri)
    assert speaker.ids() == [track.id for track in album]


def test_choosing_a_station_silences_nobody(speaker, watch, album, cast):
    speaker.radio("SetChannel", Uri=cast, Metadata=didl("A file", cast))
    watch.wait("Radio", "Uri", cast)
    still_plays(speaker)
    speaker.transport("Play")
    until(lambda: speaker.state_of("Radio") == "Playing" and speaker.source() == "Radio", 8, "the station plays")
    assert speaker.state_of() == "Stopped"


def test_the_av_device_shows_and_handles_what_the_playlist_plays(speaker, av, told, album):
    one, two, _ = album
    agree(av, told, {
        "TransportState": "PLAYING", "AVTransportURI": one.uri, "CurrentTrackURI": one.uri, "NumberOfTracks": "1",
        "CurrentTrackMetaData": didl(one.title, one.uri), "CurrentTrackDuration": "0:00:30",
        "CurrentTransportActions": "Pause,Stop,Seek,Next"})
    assert av.fault(AVT, "SetNextAVTransportURI", InstanceID=0, NextURI=one.uri, NextURIMetaData="") == 701
    av.seek("0:00:20")
    until(lambda: int(speaker.action("Time", "Time")["Seconds"]) >= 20, 5, "the playlist's track is sought in")
    av.avt("Pause")
    until(lambda: speaker.state_of() == "Paused", 5, "the playlist is paused")
    agree(av, told, {"TransportState": "PAUSED_PLAYBACK"})
    av.avt("Next")
    until(lambda: int(speaker.playlist("Id")["Value"]) == two.id and speaker.state_of() == "Paused", 8, "the next track")
    agree(av, told, {"TransportState": "PAUSED_PLAYBACK", "AVTransportURI": two.uri})
    av.play()
    until(lambda: speaker.state_of() == "Playing", 8, "it goes on with that")
    agree(av, told, {"TransportState": "PLAYING", "AVTransportURI": two.uri})
    av.stop()
    until(lambda: speaker.state_of() == "Stopped", 5, "the playlist is stopped")
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": two.uri})
    # A stopped track is skipped as silently.
    av.avt("Previous")
    until(lambda: int(speaker.playlist("Id")["Value"]) == one.id, 5, "the track before")
    av.avt("Next")
    until(lambda: int(speaker.playlist("Id")["Value"]) == two.id, 5, "the track behind")
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": two.uri})
    av.play()
    until(lambda: speaker.state_of() == "Playing" and av.state() == "PLAYING", 8, "the playlist plays again")
    assert speaker.source() == "Playlist" and int(speaker.playlist("Id")["Value"]) == two.id


def test_a_control_point_that_goes_on_at_stopped_takes_nothing_back(speaker, av, told, cast, album, oh_media):
    """It holds a list of its own, and casts the next track whenever it is told STOPPED, as several do. Somebody takes over with the
    playlist, and stops that: no track of the first one's list may come."""
    short = oh_media.add("/short.wav", sound.wav(sound.noise(1, seed=411)), "audio/wav")
    set_play(av, cast)
    until(lambda: known(told)["TransportState"] == "PLAYING", 8, "the cast plays")
    mark = told.events.mark()
    speaker.playlist("SeekId", Value=album[1].id)
    told.wait_change("AVTransportURI", album[1].uri, 8, mark)
    until(lambda: speaker.state_of() == "Playing", 8, "the playlist has taken over")
    speaker.playlist("Stop")
    told.wait_change("TransportState", "NO_MEDIA_PRESENT", 8, mark)
    speaker.playlist("SeekId", Value=speaker.insert(short, album[2].id))
    told.wait_change("AVTransportURI", short, 8, mark)
    until(lambda: speaker.state_of() == "Stopped", 8, "the last track has ended")
    until(lambda: known(told)["TransportState"] == "NO_MEDIA_PRESENT", 8, "nobody is told of an end")
    states = [e.changes["TransportState"] for e in told.events.since(mark) if "TransportState" in e.changes]
    assert "STOPPED" not in states, f"it would have cast again: {states}"


def test_the_source_returns_when_a_cast_is_over(speaker, av, told, watch, album, cast):
    set_play(av, cast)
    on_air(av, speaker, cast)
    mark = watch.events.mark()
    av.stop()
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": cast})
    watch.wait("Product", "SourceIndex", 0, 20, mark)
    assert speaker.source() == "Playlist" and speaker.state_of("Transport") == "Stopped"
    agree(av, told, {"TransportState": "STOPPED", "AVTransportURI": cast})
    av.play()
    on_air(av, speaker, cast)
    speaker.transport("Stop")
    watch.wait("Product", "SourceIndex", 2, 8, mark)
    until(lambda: speaker.source() == "Playlist", 20, "the source returns")


def test_a_cast_track_by_track_keeps_the_source(speaker, av, watch, album, cast):
    set_play(av, cast)
    on_air(av, speaker, cast)
    mark = watch.events.mark()
    for track in album:
        stop_set_play(av, track.uri)
        on_air(av, speaker, track.uri)
    assert watch.values("Product", "SourceIndex", mark) == []


@pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's files")
def test_no_cast_survives_a_power_cut(own_host, launch):
    link = own_host.link()
    subject = launch(own_host)
    speaker, av = openhome.Speaker.of(subject, link), subject.device(link)
    speaker.product("SetSourceBySystemName", Value="Radio")
    server = MediaServer(link.phone)
    set_play(av, server.add("/cast.wav", sound.wav(sound.noise(30, seed=412)), "audio/wav"))
    until(lambda: speaker.source() == "UPnP AV" and av.state() == "PLAYING", 8, "the cast plays")
    time.sleep(1)  # the state is saved half a second after a change
    subject.kill()
    server.close()
    speaker = speaker.again(subject.start())
    assert speaker.source() == "Radio"
    assert subject.device(link).state() == "NO_MEDIA_PRESENT"
