"""What is heard of an OpenHome playlist: joints, order, deletions, broken tracks; compared with the sources."""

import numpy as np
import pytest
from kit import compare, openhome, sound
from kit.subject import wait_recording
from kit.waiting import until

pytestmark = pytest.mark.audio


def play_to_end(speaker, watch, timeout=20):
    """Plays from Stop until the playlist has come to its end."""
    mark = watch.events.mark()
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing", 10, mark)
    watch.wait("Playlist", "TransportState", "Stopped", timeout, mark)


def fill(speaker, tracks):
    for track, number in zip(tracks, speaker.append(*(track.uri for track in tracks))):
        track.id = number
    return tracks


def pieces(renderer, tracks):
    return compare.heard(wait_recording(renderer).samples, [track.samples for track in tracks])


def order_of(found):
    """The tracks in the order in which each was heard."""
    return [index for index, _, _ in found]


def assert_whole(found, tracks):
    for index, start, length in found:
        assert (start, length) == (0, len(tracks[index].samples)), f"track {index}: {length} samples from {start}"


@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_three_tracks_are_joined_to_the_sample(speaker, watch, oh_media, oh_renderer, kind):
    tracks = fill(speaker, openhome.tracks(oh_media, 3, kind=kind))
    play_to_end(speaker, watch)
    both = np.concatenate([track.samples for track in tracks])
    compare.assert_identical(wait_recording(oh_renderer).samples, both)
    # The end of the list: stopped, with the first track current.
    assert speaker.ids()[0] == tracks[0].id == int(speaker.playlist("Id")["Value"])
    heard = watch.values("Playlist", "Id")
    assert [n for n in heard if int(n)][-4:] == [str(track.id) for track in [*tracks, tracks[0]]]


def test_three_flac_tracks_of_24_bits(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 3, 1.2, "flac", rate=48000, bits=24))
    play_to_end(speaker, watch)
    compare.assert_identical(
        wait_recording(oh_renderer).samples, np.concatenate([track.samples for track in tracks]))


def test_the_list_is_told_track_by_track(speaker, watch, oh_media):
    """Info counts tracks, Details come from the decoder, Time moves; each when it is heard."""
    first, second = fill(speaker, openhome.tracks(oh_media, 2, 2.5, "flac"))
    before = int(speaker.action("Info", "Counters")["TrackCount"])
    play_to_end(speaker, watch)
    counts = [int(n) for n in watch.values("Info", "TrackCount")]
    assert before + 1 in counts and counts == sorted(counts)
    changes = [event.properties for event in watch.of("Info") if "Uri" in event.properties]
    assert all("TrackCount" in properties for properties in changes), "another track counts in the same event"
    assert {"Uri": second.uri, "TrackCount": str(before + 1)}.items() <= next(
        properties for properties in changes if properties["Uri"] == second.uri).items()
    assert first.uri in [properties["Uri"] for properties in changes]
    details = [e.properties for e in watch.of("Info") if e.properties.get("CodecName")]
    assert details[-1]["CodecName"] == "FLAC"
    said = {}
    for properties in details:
        said.update(properties)
    assert (said["SampleRate"], said["BitDepth"], said["Lossless"]) == ("44100", "16", "1")
    assert set(watch.values("Time", "Seconds")) >= {"0", "1", "2"}
    durations = watch.values("Info", "Duration") + watch.values("Time", "Duration")
    assert {"2", "3"} & set(durations), durations


@pytest.mark.parametrize("suffix, codec", [(".m4a", "alac"), (".wv", "wavpack"), (".tta", "tta")])
def test_details_tell_the_bits_of_the_recording(speaker, watch, oh_media, tmp_path, suffix, codec):
    """Not those of the samples that its decoder makes of them."""
    wide = ["-sample_fmt", "s32" if codec == "tta" else "s32p", "-bits_per_raw_sample", "24"]
    data = sound.encoded(sound.noise(2, bits=24), suffix, "-c:a", codec, *wide, bits=24, folder=tmp_path)
    mark = watch.events.mark()
    speaker.append(oh_media.add(f"/bits{suffix}", data))
    speaker.playlist("Play")
    watch.wait("Info", "BitDepth", "24", 10, mark)
    details = speaker.action("Info", "Details")
    assert (details["BitDepth"], details["SampleRate"], details["Lossless"]) == ("24", "44100", "1")
    assert set(watch.values("Info", "BitDepth", mark)) <= {"0", "24"}, "nothing else was told before"


def test_repeat_begins_again_without_a_gap(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 2, 1.2))
    speaker.playlist("SetRepeat", Value=1)
    mark = watch.events.mark()
    speaker.playlist("Play")
    two_one = [str(tracks[1].id), str(tracks[0].id)]
    until(lambda: [n for n in watch.values("Playlist", "Id", mark) if n in two_one][-2:] == two_one, 12, "the next round")
    mark = watch.events.mark()
    speaker.playlist("SetRepeat", Value=0)
    watch.wait("Playlist", "TransportState", "Stopped", 10, mark)
    samples = wait_recording(oh_renderer).samples
    both = np.concatenate([track.samples for track in tracks])
    # Two, unless this test came too late to end the second one.
    rounds = max(2, round(len(samples) / len(both)))
    compare.assert_identical(samples, np.concatenate([both] * rounds))


def test_shuffle_plays_each_track_once(speaker, watch, oh_media, oh_renderer):
    tracks = openhome.tracks(oh_media, 7, 0.8)
    speaker.playlist("SetShuffle", Value=1)
    fill(speaker, tracks)
    play_to_end(speaker, watch, 30)
    found = pieces(oh_renderer, tracks)
    assert sorted(order_of(found)) == list(range(7)), f"heard: {order_of(found)}"
    assert_whole(found, tracks)
    assert speaker.ids() == [track.id for track in tracks], "the list keeps its order"


def test_shuffle_is_another_order_each_time(speaker, watch, oh_media, oh_renderer):
    """Five rounds of eight tracks: that all are in the list's order is a matter of one in 10^23."""
    fill(speaker, openhome.tracks(oh_media, 8, 0.3))
    orders = []
    for _ in range(5):
        speaker.playlist("SetShuffle", Value=0)
        speaker.playlist("SeekIndex", Value=0)
        speaker.playlist("Stop")
        speaker.playlist("SetShuffle", Value=1)
        order = [int(speaker.playlist("Id")["Value"])]
        for _ in range(7):
            speaker.playlist("Next")
            order.append(int(speaker.playlist("Id")["Value"]))
        assert sorted(order) == speaker.ids(), "a permutation"
        orders.append(tuple(order))
    assert len(set(orders)) > 1


def test_deleting_the_playing_track_goes_on_with_the_next(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 3, 2))
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    until(lambda: oh_renderer.recording.exists() and oh_renderer.recording.stat().st_size > 40_000, 5, "sound")
    mark = watch.events.mark()
    speaker.playlist("DeleteId", Value=tracks[0].id)
    watch.wait("Playlist", "Id", tracks[1].id, 5, mark)
    watch.wait("Playlist", "TransportState", "Stopped", 15, mark)
    found = pieces(oh_renderer, tracks)
    assert order_of(found) == [0, 1, 2]
    assert found[0][1] == 0 and found[0][2] < len(tracks[0].samples), "the deleted one was cut off"
    assert_whole(found[1:], tracks)
    assert int(speaker.playlist("Id")["Value"]) == tracks[1].id


def test_deleting_the_last_track_while_it_plays_stops(speaker, watch, oh_media, oh_renderer):
    (track,) = fill(speaker, openhome.tracks(oh_media, 1, 5))
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    mark = watch.events.mark()
    speaker.playlist("DeleteId", Value=track.id)
    watch.wait("Playlist", "TransportState", "Stopped", 5, mark)
    assert speaker.playlist("Id")["Value"] == "0"
    watch.wait("Playlist", "IdArray", "", 5)


def test_deleting_another_track_isnt_heard(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 4, 1.5))
    speaker.playlist("SeekId", Value=tracks[1].id)
    watch.wait("Playlist", "TransportState", "Playing")
    mark = watch.events.mark()
    speaker.playlist("DeleteId", Value=tracks[0].id)
    speaker.playlist("DeleteId", Value=tracks[2].id)
    watch.wait("Playlist", "TransportState", "Stopped", 15, mark)
    compare.assert_identical(
        wait_recording(oh_renderer).samples, np.concatenate([tracks[1].samples, tracks[3].samples]))


def test_a_broken_track_is_skipped_and_told(speaker, watch, oh_media, oh_renderer):
    tracks = openhome.tracks(oh_media, 2, 1.5)
    gone = oh_media.refuse("/gone.flac")
    garbage = oh_media.add("/garbage.flac", bytes(range(256)) * 400, "audio/flac")
    first, one, two, last = speaker.append(tracks[0].uri, gone, garbage, tracks[1].uri)
    mark = oh_renderer.log.mark()
    play_to_end(speaker, watch, 30)
    compare.assert_identical(
        wait_recording(oh_renderer).samples, np.concatenate([track.samples for track in tracks]))
    lines = oh_renderer.log.since(mark)
    assert any("gone.flac" in line for line in lines) and any("garbage.flac" in line for line in lines)
    assert speaker.ids() == [first, one, two, last], "they stay in the list"
    assert speaker.state_of() == "Stopped"


def test_a_list_of_nothing_but_broken_tracks_stops(speaker, watch, oh_media):
    """Three in a row end it, instead of going round for ever."""
    uris = [oh_media.refuse(f"/gone-{n}.flac") for n in range(6)]
    speaker.append(*uris)
    speaker.playlist("SetRepeat", Value=1)
    mark, asked = watch.events.mark(), oh_media.requests.mark()
    speaker.playlist("Play")
    until(lambda: watch.values("Transport", "TransportState", mark)[-1:] == ["Stopped"]
          and speaker.state_of() == "Stopped", 15, "it gives up")
    tried = {request.path for request in oh_media.requests.since(asked)}
    assert 1 <= len(tried) <= 4, tried


def test_seeks_and_skips_are_heard_where_they_go(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 3, 6))
    speaker.playlist("SeekIndex", Value=1)
    watch.wait("Playlist", "TransportState", "Playing")
    until(lambda: oh_renderer.recording.exists() and oh_renderer.recording.stat().st_size > 20_000, 5, "sound")
    mark = watch.events.mark()
    speaker.playlist("SeekSecondAbsolute", Value=5)
    watch.wait("Playlist", "Id", tracks[2].id, 15, mark)
    speaker.playlist("SeekSecondRelative", Value=4)
    watch.wait("Playlist", "TransportState", "Stopped", 15, mark)
    found = pieces(oh_renderer, tracks)
    assert order_of(found) == [1, 1, 2, 2]
    assert found[1][1:] == (5 * 44100, 44100), found
    assert found[3][1] + found[3][2] == len(tracks[2].samples)
    assert abs(found[3][1] - (found[2][2] + 4 * 44100)) < 0.7 * 44100, "from where it was"


def test_play_twice_restarts_and_pause_holds(speaker, watch, oh_media, oh_renderer):
    tracks = fill(speaker, openhome.tracks(oh_media, 1, 3))
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    until(lambda: oh_renderer.recording.exists() and oh_renderer.recording.stat().st_size > 60_000, 5, "sound")
    mark = watch.events.mark()
    speaker.playlist("Pause")
    watch.wait("Playlist", "TransportState", "Paused", 5, mark)
    mark = watch.events.mark()
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing", 5, mark)
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Stopped", 15, mark)
    found = pieces(oh_renderer, tracks)
    assert found[0][1] == 0 and found[0][2] < 2.9 * 44100, "the first part, across the pause"
    assert found[-1][1:] == (0, 3 * 44100), "and once more from the beginning"


def test_an_insert_before_the_joint_is_heard(speaker, watch, oh_media, oh_renderer):
    """What follows is decided as late as can be: a track put between while the first one plays."""
    tracks = openhome.tracks(oh_media, 3, 2.5)
    first, last = speaker.append(tracks[0].uri, tracks[2].uri)
    speaker.playlist("Play")
    watch.wait("Playlist", "TransportState", "Playing")
    mark = watch.events.mark()
    speaker.insert(tracks[1].uri, first)
    watch.wait("Playlist", "TransportState", "Stopped", 20, mark)
    compare.assert_identical(
        wait_recording(oh_renderer).samples, np.concatenate([track.samples for track in tracks]))
    assert speaker.ids()[0] == first and speaker.ids()[2] == last


def test_volume_mute_and_balance_are_heard(speaker, watch, oh_media, oh_renderer):
    (track,) = fill(speaker, openhome.tracks(oh_media, 1, 1.2))
    maximum = int(speaker.volume_of("Characteristics")["BalanceMax"])
    assert maximum > 0
    speaker.volume_of("SetBalance", Value=maximum)
    play_to_end(speaker, watch)
    recorded = wait_recording(oh_renderer).samples
    assert len(recorded) == len(track.samples)
    assert not recorded[:, 0].any() and np.array_equal(recorded[:, 1], track.samples[:, 1]), "right alone"
    oh_renderer.recording.unlink()
    speaker.volume_of("SetBalance", Value=0)
    speaker.volume_of("SetMute", Value=1)
    play_to_end(speaker, watch)
    recorded = wait_recording(oh_renderer).samples
    assert len(recorded) == len(track.samples) and not recorded.any()
