"""Seeks over a slow network: what is read is near the place, and what is heard is the place, to the sample."""

import subprocess

import numpy as np
import pytest
from kit import compare, sound
from kit.subject import wait_recording
from kit.upnp import didl
from kit.waiting import until

SECONDS = 40


def flac(samples, rate, bits, folder, *options):
    source, target = folder / "in.wav", folder / "out.flac"
    source.write_bytes(sound.wav(samples, rate, bits))
    subprocess.run(["flac", "--silent", "-f", *options, "-o", str(target), str(source)], check=True, timeout=60)
    return target.read_bytes()


def with_wrong_table(data):
    """The table says that everything is in the last part of the file."""
    place = 4
    while data[place] & 0x7F != 3:
        place += 4 + int.from_bytes(data[place + 1:place + 4], "big")
    end = place + 4 + int.from_bytes(data[place + 1:place + 4], "big")
    changed = bytearray(data)
    for point in range(place + 4, end, 18):
        changed[point + 8:point + 16] = (len(data) * 3 // 4).to_bytes(8, "big")
    return bytes(changed)


def noise_behind_silence(rate, bits):
    samples = sound.noise(SECONDS, rate, bits, seed=81)
    samples[:SECONDS * rate // 2] = 0
    return samples


#: Rate, bits, what is heard, the file of it.
KINDS = {
    "16 bits without a table": (44100, 16, None, lambda s, r, b, f: flac(s, r, b, f, "--no-seektable")),
    "16 bits with a table": (44100, 16, None, lambda s, r, b, f: flac(s, r, b, f, "-S", "2s")),
    "24 bits without a table": (96000, 24, None, lambda s, r, b, f: flac(s, r, b, f, "--no-seektable")),
    "24 bits with a table": (96000, 24, None, lambda s, r, b, f: flac(s, r, b, f, "-S", "2s")),
    "a wrong table": (44100, 16, None, lambda s, r, b, f: with_wrong_table(flac(s, r, b, f, "-S", "2s"))),
    "noise behind silence": (44100, 16, noise_behind_silence, lambda s, r, b, f: flac(s, r, b, f, "--no-seektable")),
    "a tag before it": (44100, 16, None, lambda s, r, b, f: b"ID3\x04\0\0\0\0\x27\x10" + bytes(5008) + flac(s, r, b, f)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_seek_in_flac_reads_near_the_place_and_is_exact(device, events, media, renderer, tmp_path, kind):
    rate, bits, make, encode = KINDS[kind]
    samples = make(rate, bits) if make else sound.noise(SECONDS, rate, bits, seed=80)
    data = encode(samples, rate, bits, tmp_path)
    noisy = int(np.count_nonzero(samples.any(axis=1)) / rate)
    # What a second of noise takes in the file; the network is a little faster.
    second = len(data) // noisy
    uri = media.add("/long.flac", data, "audio/flac", mode="slow", rate=5 * second // 2)
    device.set_uri(uri, didl("long", uri, "audio/flac"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    targets = [30, 23, 38, 25, 39]

    def grow():
        """Waits for half a second of sound."""
        size = renderer.recording.stat().st_size
        until(lambda: renderer.recording.stat().st_size > size + rate * bits // 8, 20, "sound")

    for target in targets:
        grow()
        sent = media.sent
        device.seek(f"0:00:{target:02}")
        grow()
        seconds = (media.sent - sent) / second
        assert seconds < 8, f"{seconds:.1f} seconds of sound were read for {target} s"
        assert device.avt("GetPositionInfo")["RelTime"] in (f"0:00:{target:02}", f"0:00:{target + 1:02}")
    events.wait_change("TransportState", "STOPPED", 20, since=mark)
    recorded = wait_recording(renderer).samples
    compare.segments(recorded, sound.scale(samples, bits), targets, rate, 0)


def test_the_next_track_follows_a_flac_that_was_sought_in(device, events, media, renderer, tmp_path):
    first, second = sound.noise(20, seed=82), sound.noise(3, seed=83)
    uris = [media.add(path, flac(samples, 44100, 16, tmp_path), "audio/flac", mode="slow", rate=400_000)
            for path, samples in (("/first.flac", first), ("/second.flac", second))]
    device.set_uri(uris[0], didl("first", uris[0], "audio/flac"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    device.set_next(uris[1], didl("second", uris[1], "audio/flac"))
    targets = [16, 4, 18]
    grown = 0
    for target in targets:
        until(lambda: renderer.recording.stat().st_size > grown + 44100 * 4, 10, "sound")
        device.seek(f"0:00:{target:02}")
        until(lambda: device.avt("GetPositionInfo")["RelTime"] == f"0:00:{target:02}", 10, "the position")
        grown = renderer.recording.stat().st_size
    events.wait_change("TransportState", "STOPPED", 20, since=mark)
    whole = sound.scale(np.concatenate([first, second]), 16)
    compare.segments(wait_recording(renderer).samples, whole, targets, 44100, 0)
