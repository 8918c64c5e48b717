"""What the reference player does where the service descriptions are silent: transport, sources, standby, deletions."""

import pytest
from kit import openhome
from kit.waiting import until

NOWHERE = "http://10.77.1.2/{}.flac"


@pytest.fixture
def three(speaker, oh_media):
    """Three tracks of four seconds that can be played."""
    tracks = openhome.tracks(oh_media, 3, 4, seed=300)
    for track, number in zip(tracks, speaker.append(*(track.uri for track in tracks))):
        track.id = number
    return tracks


def current(speaker):
    return int(speaker.playlist("Id")["Value"])


def test_seek_id_of_an_unknown_track_has_made_the_source_active(speaker):
    speaker.insert(NOWHERE.format(1))
    speaker.product("SetSourceBySystemName", Value="Radio")
    assert speaker.refusal("Playlist", "SeekId", Value=4_000_000_000) == 800
    assert speaker.source() == "Playlist"


def test_delete_all_while_playing(speaker, watch, three):
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    mark = watch.events.mark()
    speaker.playlist("DeleteAll")
    watch.wait("Playlist", "TransportState", "Stopped", 5, mark)
    assert current(speaker) == 0 and speaker.ids() == []
    assert speaker.action("Info", "Track") == {"Uri": "", "Metadata": ""}


@pytest.mark.parametrize("repeat", [0, 1])
def test_the_ends_of_the_list(speaker, watch, three, repeat):
    speaker.playlist("SetRepeat", Value=repeat)
    speaker.playlist("SeekIndex", Value=2)
    watch.wait("Playlist", "TransportState", "Playing")
    speaker.playlist("Next")
    assert current(speaker) == three[0].id
    if repeat:
        until(lambda: speaker.state_of() == "Playing", 5, "the first track plays")
    else:
        until(lambda: speaker.state_of() == "Stopped", 5, "stopped at the first track")
        speaker.playlist("Play")
        until(lambda: speaker.state_of() == "Playing", 5, "playing")
    speaker.playlist("Previous")
    assert current(speaker) == three[2 if repeat else 0].id
    until(lambda: speaker.state_of() == ("Playing" if repeat else "Stopped"), 5, "the state at the end")


def test_next_and_previous_start_playing(speaker, three):
    speaker.playlist("Next")
    assert current(speaker) == three[1].id
    until(lambda: speaker.state_of() == "Playing", 5, "playing")
    speaker.playlist("Stop")
    until(lambda: speaker.state_of() == "Stopped", 5, "stopped")
    assert current(speaker) == three[1].id
    speaker.playlist("Previous")
    assert current(speaker) == three[0].id
    until(lambda: speaker.state_of() == "Playing", 5, "playing")


def test_relative_seeks_stay_within_the_track(speaker, watch, three):
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    until(lambda: speaker.action("Time", "Time")["Duration"] == "4", 5, "the duration")
    speaker.playlist("SeekSecondRelative", Value=-100)
    assert current(speaker) == three[0].id
    assert int(speaker.action("Time", "Time")["Seconds"]) <= 1
    speaker.playlist("Pause")
    until(lambda: speaker.state_of() == "Paused", 5, "paused")
    speaker.playlist("SeekSecondRelative", Value=0)
    until(lambda: speaker.state_of() == "Playing", 5, "a seek by nothing plays")
    assert speaker.refusal("Playlist", "SeekSecondAbsolute", Value=4000) == 803


def test_deleting_the_current_track_while_stopped(speaker, watch):
    one, two, three = speaker.append(*map(NOWHERE.format, range(3)))
    assert current(speaker) == one
    speaker.playlist("DeleteId", Value=one)
    assert current(speaker) == two and speaker.state_of() == "Stopped"
    speaker.playlist("DeleteId", Value=three)
    assert current(speaker) == two
    speaker.playlist("DeleteId", Value=two)
    assert current(speaker) == 0


def test_stop_keeps_the_track_and_goes_to_its_beginning(speaker, watch, oh_media):
    # Long ones: however slow this machine is, the track is still playing when it is stopped.
    identifiers = speaker.append(*(track.uri for track in openhome.tracks(oh_media, 2, 30, seed=310)))
    speaker.playlist("SeekIndex", Value=0)
    begun = watch.wait("Playlist", "TransportState", "Playing")
    second = watch.wait("Time", "Seconds", 1)
    assert speaker.state_of() == "Playing", f"the first second took {second.at - begun.at:.1f} s"
    mark = watch.events.mark()
    speaker.playlist("Stop")
    watch.wait("Playlist", "TransportState", "Stopped", 5, mark)
    watch.wait("Time", "Seconds", 0, 5, mark)
    assert current(speaker) == identifiers[0]


def test_play_wakes_and_switches(speaker, three):
    speaker.product("SetSourceBySystemName", Value="Radio")
    speaker.product("SetStandby", Value=1)
    speaker.playlist("Play")
    assert speaker.product("Standby")["Value"] == "0" and speaker.source() == "Playlist"
    until(lambda: speaker.state_of() == "Playing", 5, "playing")
    speaker.product("SetStandby", Value=1)
    assert speaker.state_of() == "Stopped"
    speaker.product("SetSourceBySystemName", Value="Playlist")
    assert speaker.product("Standby")["Value"] == "0" and speaker.state_of() == "Stopped"


def test_the_stream_ends_with_the_source(speaker, watch, three):
    speaker.playlist("Play")
    watch.wait("Transport", "StreamId", lambda text: text != "0")
    mark = watch.events.mark()
    speaker.product("SetSourceBySystemName", Value="Radio")
    watch.wait("Transport", "StreamId", 0, 5, mark)
    info = speaker.transport("StreamInfo")
    assert (info["CanSeek"], info["CanPause"]) == ("0", "0")
    modes = speaker.transport("ModeInfo")
    assert (modes["CanSkipNext"], modes["CanRepeat"], modes["CanShuffle"]) == ("0", "0", "0")


def test_choosing_a_preset(speaker):
    one, two = speaker.ids("Radio")[:2]
    speaker.radio("SetId", Value=one, Uri="")
    before = speaker.radio("Channel")
    assert speaker.refusal("Radio", "SetId", Value=4_000_000_000, Uri="") == 803
    assert speaker.radio("Channel") == before and speaker.radio("Id")["Value"] == str(one)
    speaker.radio("SetId", Value=two, Uri=NOWHERE.format("other"))
    assert speaker.radio("Channel")["Uri"] == NOWHERE.format("other"), "the URI goes before the preset's own"
    assert speaker.radio("Id")["Value"] == str(two)
    speaker.radio("SetChannel", Uri=NOWHERE.format("third"), Metadata="")
    assert speaker.radio("Id")["Value"] == "0" and speaker.state_of("Radio") == "Stopped"


def test_repeat_and_shuffle_are_transports_too(speaker, watch):
    speaker.transport("SetRepeat", Repeat=1)
    speaker.transport("SetShuffle", Shuffle=1)
    watch.wait("Playlist", "Repeat", 1)
    watch.wait("Playlist", "Shuffle", 1)
    assert speaker.playlist("Repeat")["Value"] == speaker.playlist("Shuffle")["Value"] == "1"


def test_shuffle_while_playing_keeps_the_track(speaker, watch, three):
    speaker.playlist("SeekIndex", Value=1)
    watch.wait("Playlist", "TransportState", "Playing")
    mark = watch.events.mark()
    speaker.playlist("SetShuffle", Value=1)
    watch.wait("Playlist", "Shuffle", 1, 5, mark)
    assert current(speaker) == three[1].id and speaker.state_of() in ("Playing", "Buffering")
    heard = {current(speaker)}
    for _ in range(2):
        speaker.playlist("Next")
        heard.add(current(speaker))
    assert heard == {track.id for track in three}, "all others follow it"
