"""Ogg over HTTP: what kind it is, the stream itself says; seeks land on the sample, whatever was sought before."""

import subprocess

import numpy as np
import pytest
from kit import compare, sound
from kit.subject import wait_recording
from kit.upnp import didl
from kit.waiting import until


def ffmpeg(samples, rate, folder, *options, suffix=".ogg"):
    source, target = folder / "in.wav", folder / f"out{suffix}"
    source.write_bytes(sound.wav(samples, rate))
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(source), *options, str(target)], check=True, timeout=60)
    return target.read_bytes()


#: Rate, encoder, whether it is lossless.
KINDS = {
    "Opus": (48000, lambda s, r, f: sound.opus(s, r), False),
    "Vorbis": (44100, lambda s, r, f: sound.vorbis(s, r), False),
    "FLAC": (44100, lambda s, r, f: sound.flac_in_ogg(s, r), True),
    # Pages of a second, packets that go on from one page to the next.
    "Opus by ffmpeg": (48000, lambda s, r, f: ffmpeg(s, r, f, "-c:a", "libopus", "-b:a", "128k"), False),
    "FLAC by ffmpeg": (44100, lambda s, r, f: ffmpeg(s, r, f, "-c:a", "flac"), True),
}
SECONDS = 60


@pytest.mark.parametrize("kind", KINDS)
def test_seeks_in_ogg_are_exact(device, events, media, renderer, tmp_path, kind):
    rate, encode, lossless = KINDS[kind]
    samples = sound.noise(SECONDS, rate, seed=40) if lossless else sound.music(SECONDS, rate)
    data = encode(samples, rate, tmp_path)
    whole = sound.scale(samples, 16) if lossless else sound.reference_decode(data, ".ogg", tmp_path).samples
    # Neither name nor type say what it is.
    uri = media.add("/plain", data, "application/octet-stream")
    device.set_uri(uri, didl("plain", uri, "application/octet-stream"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("CurrentTrackDuration", "0:01:00", 10, since=mark)
    targets = [1, 30, 3, 41, 28, 2, 59]
    grown = 0
    for target in targets:
        until(lambda: renderer.recording.stat().st_size > grown + rate * 4 // 2, 10, "sound")
        device.seek(f"0:00:{target:02}")
        until(lambda: device.avt("GetPositionInfo")["RelTime"] == f"0:00:{target:02}", 10, "the position")
        grown = renderer.recording.stat().st_size
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    recorded = wait_recording(renderer).samples
    if not lossless:
        # Behind the end there is nothing to go on from, and decoders differ in how they do without.
        recorded = recorded[:-200]
    # The encoder's rounding, and what a decoder that begins in the middle hasn't settled yet.
    compare.segments(recorded, whole, targets, rate, 0 if lossless else 40 << 16)


def test_seeks_in_ogg_from_a_slow_server_are_exact(device, events, media, renderer, tmp_path):
    """The first of them comes before it is known where the file ends."""
    rate, encode, _ = KINDS["Opus by ffmpeg"]
    data = encode(sound.music(SECONDS, rate), rate, tmp_path)
    whole = sound.reference_decode(data, ".ogg", tmp_path).samples
    uri = media.add("/slow", data, "audio/ogg", mode="slow", rate=40000)
    device.set_uri(uri, didl("slow", uri, "audio/ogg"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    targets, grown = [30, 4, 41], 0
    for target in targets:
        device.seek(f"0:00:{target:02}")
        events.wait_change("CurrentTrackDuration", "0:01:00", 10, since=mark)
        until(lambda: renderer.recording.stat().st_size > grown + rate * 4 * 3 // 2, 15, "sound")
        assert device.avt("GetPositionInfo")["RelTime"][-2:] in {f"{target + more:02}" for more in range(3)}
        grown = renderer.recording.stat().st_size
    device.stop()
    # Stop fades out.
    compare.segments(wait_recording(renderer).samples[:-rate // 2], whole, targets, rate, 40 << 16)


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("kind", ["Opus", "Vorbis", "FLAC"])
def test_ogg_without_a_length_plays(device, events, media, renderer, tmp_path, kind, framing):
    rate, encode, lossless = KINDS[kind]
    samples = sound.noise(2, rate, seed=41) if lossless else sound.music(2, rate)
    data = encode(samples, rate, tmp_path)
    uri = media.add("/radio.ogg", data, "audio/ogg", framing=framing)
    device.set_uri(uri, didl("radio", uri, "audio/ogg"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    recorded = wait_recording(renderer).samples
    if lossless:
        compare.assert_identical(recorded, sound.scale(samples, 16))
    else:
        expected = sound.reference_decode(data, ".ogg", tmp_path).samples[:len(samples)]
        compare.assert_decoded(recorded, expected, 50, None, 4096 if kind == "Vorbis" else 0)
