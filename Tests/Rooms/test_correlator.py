"""The bench itself, on recordings that are made up: it is believed only if it finds what was put in."""

import numpy as np
import pytest
from bench import noise
from bench.correlate import offsets
from bench.recording import Recording
from bench.trail import Source, follow

RATE, SECONDS = 44100, 9
BLOCK = 441


@pytest.fixture(scope="module")
def track():
    return noise.left(noise.make(SECONDS, seed=7))


def interpolated(samples, places):
    """The samples between frames, by a windowed sinc of 64 taps."""
    padded = np.pad(samples, 64)
    wide = np.lib.stride_tricks.sliding_window_view(padded, 64)
    result = np.empty(len(places), np.float32)
    for begin in range(0, len(places), 8192):
        part = places[begin:begin + 8192]
        whole = np.floor(part).astype(np.int64)
        away = ((part - whole)[:, None] - np.arange(-31, 33)[None, :]).astype(np.float32)
        kernel = np.sinc(away) * np.cos(np.pi * away / 66) ** 2
        result[begin:begin + 8192] = (wide[np.clip(whole - 31 + 64, 0, len(wide) - 1)] * kernel).sum(axis=1)
    return result


def played(samples, begin=100.0, ppm=0.0):
    """A recording of a device that is `ppm` fast."""
    frames = np.arange(0, len(samples), BLOCK)
    return Recording(samples, RATE, frames, begin + frames / RATE / (1 + ppm * 1e-6))


def in_step(track, ppm, late=0.0, drift=0.0):
    """What a device that is `ppm` fast plays, and when, so that it is heard `late` seconds behind, growing by `drift`
    millionths: resampled, as a servo does it."""
    frames = np.arange(int(len(track) * (1 + ppm * 1e-6)) - 10)
    times = frames / RATE / (1 + ppm * 1e-6)
    return played(interpolated(track, (times - late - times * drift * 1e-6) * RATE), ppm=ppm)


@pytest.mark.parametrize("late", [0, 1e-6, 100e-6, -100e-6, 1.37e-3, -0.21, 0.33])
def test_a_shift_is_found(track, late):
    for second in (played(track, 100 + late), in_step(track, 0, late)):
        found = offsets(played(track), second)
        assert len(found.known) >= 12
        assert np.abs(found.known - late).max() < 1e-6


@pytest.mark.parametrize("drift", [20, -20, 100])
def test_a_drift_is_found(track, drift):
    found = offsets(played(track), in_step(track, 0, 50e-6, drift))
    assert abs(found.drift - drift) < 0.1 + abs(drift) * 0.01
    # The first window doesn't know of it yet.
    assert abs(found.known[1] - (50e-6 + drift * 1e-6)) < 1e-6
    # A device of another pace whose sound nobody corrects.
    found = offsets(played(track), played(track, ppm=-drift))
    assert abs(found.drift - drift) < 0.1 + abs(drift) * 0.01


@pytest.mark.parametrize("ppm", [50, -50, 500])
def test_devices_of_different_pace_in_step_show_no_offset(track, ppm):
    found = offsets(played(track), in_step(track, ppm))
    assert found.unknown == 0 and found.size(1) < 1


def test_a_room_that_hurries_is_followed(track):
    """At 1500 ppm no window has one peak, but the trails know how far apart the two are."""
    first, second = played(track), in_step(track, 0, 2e-3, -1500)
    trails = [follow(each, Source(track)) for each in (first, second)]
    found = offsets(first, second).filled(*trails)
    assert found.unknown < 0.1
    inner = ~np.isnan(found.values)
    assert np.abs(found.values - (2e-3 - 1500e-6 * (found.times - 100)))[inner].max() < 20e-6
    assert not trails[1].jumps and not trails[1].holes


def test_noise_beside_it_does_not_move_the_peak(track):
    other = np.random.default_rng(3).standard_normal(len(track)).astype(np.float32) * 0.05
    found = offsets(played(track), played(track + other, 100.0001))
    assert np.abs(found.known - 100e-6).max() < 2e-6


def test_another_noise_has_no_offset(track):
    assert offsets(played(track), played(noise.left(noise.make(SECONDS, seed=8)))).unknown == 1
    assert offsets(played(track), played(track * 0)).unknown == 1


def test_a_break_of_the_device_is_no_shift(track):
    """A pause of a second in the middle of one recording: what is behind is a second late."""
    half = len(track) // 2 // BLOCK * BLOCK
    frames = np.arange(0, len(track), BLOCK)
    times = 100 + frames / RATE + (frames >= half)
    found = offsets(played(track), Recording(track, RATE, frames, times), most=1.5)
    before = found.between(100, 100 + half / RATE).known
    behind = found.between(101 + half / RATE, 200).known
    assert len(before) >= 6 and np.abs(before).max() < 1e-6
    assert len(behind) >= 4 and np.abs(behind - 1).max() < 1e-6


def test_the_trail_of_what_was_played_is_clean(track):
    source = Source(noise.left(noise.make(5, seed=9)), track)
    for ppm in (0, 50, -500):
        trail = follow(in_step(track, ppm) if ppm else played(track), source)
        assert trail.is_alike[2:-4].all() and not trail.holes and not trail.jumps
        expected = source.starts[1] + (trail.times - 100) * RATE
        assert np.abs(trail.places - expected)[trail.is_alike].max() < 0.1


@pytest.mark.parametrize("count", [1, -1, 3, -220, 221, 5000])
@pytest.mark.parametrize("ppm", [0, 200])
def test_missing_and_doubled_frames_are_found(track, count, ppm):
    """`count` frames left out, or played again, while the device goes on; also behind a converter at work."""
    base = in_step(track, ppm).samples if ppm else track
    at = 6 * RATE + 100
    second = played(np.concatenate([base[:at], base[at + count:]]), ppm=ppm)
    trail = follow(second, Source(track))
    frames = count / (1 + ppm * 1e-6)
    assert (trail.missing, trail.doubled) == ((round(frames), 0) if count > 0 else (0, -round(frames)))
    assert len(trail.jumps) == 1 and abs(trail.jumps[0].at - 106) < 0.05
    # A shift is an offset, too.
    found = offsets(played(track), second)
    assert abs(found.known[-1] + frames / RATE) < 1e-6


@pytest.mark.parametrize("length", [0.002, 0.005, 0.1, 1.2])
def test_silence_inside_the_music_is_found(track, length):
    silent = track.copy()
    at = 5 * RATE
    silent[at:at + int(length * RATE)] = 0
    trail = follow(in_step(silent, 50), Source(track))
    assert len(trail.holes) == 1 and not trail.jumps
    assert abs(trail.holes[0].length - length) < 0.002 and abs(trail.holes[0].at - 105) < 0.003


def test_music_that_is_silent_itself_has_no_hole(track):
    silent = track.copy()
    silent[5 * RATE:6 * RATE] = 0
    trail = follow(in_step(silent, 50), Source(silent))
    assert not trail.holes and not trail.jumps


def test_a_seek_and_a_joint_are_jumps(track):
    other = noise.left(noise.make(5, seed=11))
    sound = np.concatenate([track[:4 * RATE], track[7 * RATE:], other])
    trail = follow(played(sound), Source(track, other))
    assert not trail.holes
    assert [round(jump.frames) for jump in trail.jumps] == [3 * RATE]
    assert [round(jump.at, 1) for jump in trail.jumps] == [104.0]
