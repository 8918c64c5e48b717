"""What comes out, compared sample by sample with what was put in."""

import time

import numpy as np
import pytest
from kit import compare, sound
from kit.playing import play_to_end
from kit.subject import wait_recording
from kit.upnp import didl
from kit.waiting import until

pytestmark = pytest.mark.audio


def exact(samples, bits=16):
    return sound.scale(samples, bits)


FORMATS = {
    "WAV 44.1/16": (44100, 16, 2, "wav"), "WAV 48/24": (48000, 24, 2, "wav"), "WAV 96/24": (96000, 24, 2, "wav"),
    "WAV 44.1/16 mono": (44100, 16, 1, "wav"), "WAV 22.05/16": (22050, 16, 2, "wav"),
    "FLAC 44.1/16": (44100, 16, 2, "flac"), "FLAC 48/24": (48000, 24, 2, "flac"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_single_file_is_heard_to_the_sample(device, events, media, renderer, name):
    rate, bits, channels, kind = FORMATS[name]
    samples = sound.noise(2, rate, bits, channels, seed=5)
    data = sound.wav(samples, rate, bits) if kind == "wav" else sound.flac(samples, rate, bits)
    uri = media.add(f"/single.{kind}", data, f"audio/{kind}")
    play_to_end(device, events, 2, uri)
    recording = wait_recording(renderer)
    assert recording.rate == rate
    assert recording.bits >= bits
    if channels == 1 and recording.samples.shape[1] == 2:
        samples = np.repeat(samples, 2, axis=1)
    compare.assert_identical(recording.samples, exact(samples, bits))


def test_raw_pcm_stream(device, events, media, renderer):
    samples = sound.noise(2, seed=6)
    mime = "audio/L16;rate=44100;channels=2"
    uri = media.add("/stream", samples.astype(">i2").tobytes(), mime)
    play_to_end(device, events, 2, uri, didl("raw", uri, mime))
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))


def test_file_uri(device, events, music_folder, renderer):
    samples = sound.noise(1.5, seed=7)
    path = music_folder / "a track.flac"
    path.write_bytes(sound.flac(samples))
    play_to_end(device, events, 2, path.as_uri())
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))


def recorded_bytes(renderer):
    return renderer.recording.stat().st_size if renderer.recording.exists() else 0


def is_silent(renderer):
    before = recorded_bytes(renderer)
    time.sleep(0.4)
    return recorded_bytes(renderer) == before


def test_pause_loses_and_repeats_nothing(device, events, media, renderer):
    samples = sound.noise(4, seed=8)
    uri = media.add("/pause.wav", sound.wav(samples), "audio/wav")
    device.set_uri(uri)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    for number in range(2):
        # Of a pause before the first sample nothing would be heard.
        until(lambda: recorded_bytes(renderer) > 60_000 * (number + 1), 10, "some sound")
        mark = events.events.mark()
        device.avt("Pause")
        events.wait_change("TransportState", "PAUSED_PLAYBACK", 5, since=mark)
        # Who plays on before it has faded out hears no pause.
        until(lambda: is_silent(renderer), 10, "silence")
        mark = events.events.mark()
        device.play()
        events.wait_change("TransportState", "PLAYING", 5, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_paused(wait_recording(renderer).samples, exact(samples), 2)


@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_seek_is_exact(device, events, media, renderer, kind):
    samples = sound.noise(10, seed=9)
    data = sound.wav(samples) if kind == "wav" else sound.flac(samples)
    uri = media.add(f"/seek.{kind}", data, f"audio/{kind}")
    device.set_uri(uri)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 20_000, 5, "first samples")
    device.seek("0:00:08")
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_sought(wait_recording(renderer).samples, exact(samples), 8 * 44100)


def test_seek_while_paused_stays_paused_there(device, events, media, renderer):
    samples = sound.noise(6, seed=10)
    device.set_uri(media.add("/seek.wav", sound.wav(samples), "audio/wav"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    mark = events.events.mark()
    device.avt("Pause")
    events.wait_change("TransportState", "PAUSED_PLAYBACK", 5, since=mark)
    device.seek("0:00:05")
    until(lambda: device.avt("GetPositionInfo")["RelTime"] == "0:00:05", 5, "the position of the seek")
    assert device.state() in ("PAUSED_PLAYBACK", "TRANSITIONING")
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "STOPPED", 10, since=mark)
    recorded = wait_recording(renderer).samples
    tail = exact(samples)[5 * 44100:]
    compare.assert_identical(recorded[len(recorded) - len(tail):], tail)


def pair(kinds, media, seconds=(2.5, 2.0), rate=44100, bits=16):
    """Two tracks, their URLs and the samples of both together."""
    parts, urls = [], []
    for index, kind in enumerate(kinds):
        samples = sound.noise(seconds[index], rate, bits, seed=20 + index)
        data = sound.wav(samples, rate, bits) if kind == "wav" else sound.flac(samples, rate, bits)
        urls.append(media.add(f"/{index}.{kind}", data, f"audio/{kind}"))
        parts.append(samples)
    return urls, exact(np.concatenate(parts), bits)


@pytest.mark.parametrize("kinds", [("wav", "wav"), ("flac", "flac"), ("wav", "flac"), ("flac", "wav")], ids="-".join)
def test_gapless_pair(device, events, media, renderer, kinds):
    (first, second), both = pair(kinds, media)
    play_to_end(device, events, 5, first, next_uri=second)
    compare.assert_identical(wait_recording(renderer).samples, both)


def test_gapless_pair_of_24_bits(device, events, media, renderer):
    (first, second), both = pair(("flac", "flac"), media, rate=48000, bits=24)
    play_to_end(device, events, 5, first, next_uri=second)
    compare.assert_identical(wait_recording(renderer).samples, both)


def test_gapless_pair_whose_next_is_set_while_playing(device, events, media, renderer):
    (first, second), both = pair(("flac", "flac"), media, seconds=(5, 2))
    device.set_uri(first)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    device.set_next(second)
    events.wait_change("CurrentTrackURI", second, 15, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, both)


def test_next_that_is_replaced_and_cleared(device, events, media, renderer):
    (first, second), _ = pair(("wav", "wav"), media)
    device.set_uri(first)
    device.set_next(second)
    device.set_next("")
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, exact(sound.noise(2.5, seed=20)))


def test_next_is_announced_when_it_is_heard(device, events, media, renderer):
    (first, second), _ = pair(("wav", "wav"), media, seconds=(4, 2))
    device.set_uri(first, didl("first", first))
    device.set_next(second, didl("second", second))
    mark = events.events.mark()
    device.play()
    start = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    change = events.wait_change("CurrentTrackURI", second, 15, since=mark)
    assert 3.4 < change.at - start.at < 5.0
    assert change.changes.get("TransportState", "PLAYING") == "PLAYING"
    told = {}
    for event in events.events.items:
        told.update(event.changes)
        if event is change:
            break
    assert told["AVTransportURI"] == second and told["NextAVTransportURI"] == ""
    assert "second" in told["CurrentTrackMetaData"] and "second" in told["AVTransportURIMetaData"]
    info = device.avt("GetMediaInfo")
    assert (info["CurrentURI"], info["NextURI"]) == (second, "")
    events.wait_change("TransportState", "STOPPED", 10, since=mark)


def test_change_of_rate_keeps_pitch_and_doesnt_click(device, events, media, renderer):
    frequency, seconds = 1000, 2
    first = media.add("/44.wav", sound.wav(sound.tone(seconds, frequency, 44100), 44100), "audio/wav")
    second = media.add("/48.wav", sound.wav(sound.tone(seconds, frequency, 48000), 48000), "audio/wav")
    play_to_end(device, events, 4, first, next_uri=second)
    recording = wait_recording(renderer)
    assert abs(recording.seconds - 2 * seconds) < 0.02, f"{recording.seconds} s of 4 s"
    rate = recording.rate
    for start in (0.2, 2.2):
        part = recording.samples[int(start * rate):int((start + 1.6) * rate)]
        assert abs(compare.frequency(part, rate) - frequency) < 0.5
    slope = 0.4 * 2 * np.pi * frequency / rate
    assert compare.steepest(recording.samples) < 1.5 * slope, "a click"
    assert not compare.silences(recording.samples, rate // 200), "a gap"


def test_change_of_rate_keeps_pitch_downwards(device, events, media, renderer):
    first = media.add("/96.flac", sound.flac(sound.tone(2, 1000, 96000, 24), 96000, 24), "audio/flac")
    second = media.add("/44.flac", sound.flac(sound.tone(2, 1500, 44100), 44100), "audio/flac")
    play_to_end(device, events, 4, first, next_uri=second)
    recording = wait_recording(renderer)
    rate = recording.rate
    assert abs(recording.seconds - 4) < 0.02
    assert abs(compare.frequency(recording.samples[rate // 5:2 * rate - rate // 5], rate) - 1000) < 0.5
    assert abs(compare.frequency(recording.samples[2 * rate + rate // 5:-rate // 5], rate) - 1500) < 0.5


#: Suffix, MIME type, rate, encoder, largest error of a sample in steps of 16 bits, samples allowed at the end.
LOSSY = {
    "MP3": (".mp3", "audio/mpeg", 44100, lambda s, folder: sound.mp3(s, folder=folder), 3, 0),
    "MP3 VBR": (".mp3", "audio/mpeg", 44100, lambda s, folder: sound.mp3(s, folder=folder, quality=("-V", "2")), 3, 0),
    "AAC": (".m4a", "audio/mp4", 44100, lambda s, folder: sound.m4a(s, folder=folder), None, 0),
    "ALAC": (".m4a", "audio/mp4", 44100, lambda s, folder: sound.m4a(s, folder=folder, codec="alac"), 0, 0),
    "Opus": (".opus", "audio/ogg", 48000, lambda s, folder: sound.opus(s), None, 0),
    # The end of a Vorbis stream is cut by few decoders; up to a block may follow.
    "Vorbis": (".ogg", "audio/ogg", 44100, lambda s, folder: sound.vorbis(s), None, 4096),
}


def lossy(name, count, media, folder):
    """URLs of the track (or two halves of one), and what a decoder that heeds delay and padding makes of them."""
    suffix, mime, rate, encode = LOSSY[name][:4]
    whole = sound.music(5, rate)
    cut = int(2.6 * rate) + 77  # on no frame boundary
    urls, expected = [], []
    for index, part in enumerate([whole[:cut], whole[cut:]][:count]):
        data = encode(part, folder)
        urls.append(media.add(f"/{index}{suffix}", data, mime))
        decoded = sound.reference_decode(data, suffix, folder)
        assert 0 <= len(decoded) - len(part) < 2048, "the reference decoder isn't one"
        expected.append(decoded.samples[:len(part)])
    return urls, expected


@pytest.mark.parametrize("name", LOSSY)
def test_lossy_file_has_its_exact_length(device, events, media, renderer, tmp_path, name):
    (uri,), (expected,) = lossy(name, 1, media, tmp_path)
    play_to_end(device, events, 3, uri)
    recording = wait_recording(renderer)
    compare.assert_decoded(recording.samples, expected, 50, *LOSSY[name][4:])


@pytest.mark.parametrize("name", [name for name in LOSSY if name != "Vorbis"])
def test_gapless_lossy_pair(device, events, media, renderer, tmp_path, name):
    (first, second), expected = lossy(name, 2, media, tmp_path)
    play_to_end(device, events, 6, first, next_uri=second)
    recording = wait_recording(renderer)
    compare.assert_decoded(recording.samples, np.concatenate(expected), 50, *LOSSY[name][4:])


def test_volume_scales_as_its_decibels_say(device, events, media, renderer):
    samples = sound.noise(1.5, seed=30)
    uri = media.add("/loud.wav", sound.wav(samples), "audio/wav")
    device.set_volume(50)
    decibels = int(device.rc("GetVolumeDB", Channel="Master")["CurrentVolume"]) / 256
    assert decibels < -3
    play_to_end(device, events, 2, uri)
    recorded = wait_recording(renderer).samples
    assert len(recorded) == len(samples)
    power = np.sqrt((recorded.astype(float) ** 2).mean()) / np.sqrt((exact(samples).astype(float) ** 2).mean())
    assert abs(20 * np.log10(power) - decibels) < 0.7


def test_mute_is_silence_of_the_same_length(device, events, media, renderer):
    samples = sound.noise(1.5, seed=31)
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    play_to_end(device, events, 2, media.add("/x.wav", sound.wav(samples), "audio/wav"))
    recorded = wait_recording(renderer).samples
    assert len(recorded) == len(samples) and not recorded.any()


def test_play_again_after_the_end_starts_at_the_beginning(device, events, media, renderer):
    samples = sound.noise(1.5, seed=32)
    uri = media.add("/x.wav", sound.wav(samples), "audio/wav")
    for _ in range(2):
        renderer.recording.unlink(missing_ok=True)
        play_to_end(device, events, 2, uri)
        assert device.avt("GetPositionInfo")["RelTime"] == "0:00:00"
        compare.assert_identical(wait_recording(renderer).samples, exact(samples))


def test_position_moves_with_the_sound(device, events, media):
    device.set_uri(media.add("/x.wav", sound.wav(sound.noise(6)), "audio/wav"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    assert device.avt("GetPositionInfo")["TrackDuration"] == "0:00:06"
    #: (seconds told, asked, answered)
    seen = []

    def fourth_second():
        asked = time.monotonic()
        seen.append((int(device.avt("GetPositionInfo")["RelTime"].split(":")[2]), asked, time.monotonic()))
        return seen[-1][0] >= 4
    until(fourth_second, 6, "four seconds")
    told = [seconds for seconds, _, _ in seen]
    assert told == sorted(told) and len({1, 2, 3, 4} & set(told)) >= 3
    first = next(index for index, seconds in enumerate(told) if seconds)
    # Whole seconds are told, each somewhere between question and answer.
    (begin, asked, answered), (end, asked_last, answered_last) = seen[first], seen[-1]
    assert asked_last - answered - 1 < end - begin < answered_last - asked + 1
