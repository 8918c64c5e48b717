"""The sound at low volume, and whenever the volume changes or the sound stops."""

import time

import numpy as np
import pytest
from kit import compare, sound
from kit.media_server import MediaServer
from kit.subject import wait_recording
from kit.waiting import SLOWNESS, until

pytestmark = pytest.mark.audio

RATE = 44100
#: Bytes of the header and of one frame of the recording.
HEAD, FRAME = 44, 4


def recorded_frames(renderer):
    return (renderer.recording.stat().st_size - HEAD) // FRAME if renderer.recording.exists() else 0


def is_silent(renderer):
    before = recorded_frames(renderer)
    time.sleep(0.4)
    return recorded_frames(renderer) == before


def wait_frames(renderer, frames, what):
    until(lambda: recorded_frames(renderer) >= frames, 10, what)


def begin(device, events, uri):
    device.set_uri(uri)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)


def amplitude(samples, frequency):
    """Of a tone, over both channels, in steps of 16 bits."""
    values = samples.sum(axis=1) / 2 / (1 << 16)
    turn = np.exp(-2j * np.pi * frequency * np.arange(len(values)) / RATE)
    return 2 * abs((values * turn).mean())


def mute(device, wanted):
    device.rc("SetMute", Channel="Master", DesiredMute=wanted)


def test_every_step_of_the_volume_is_heard_and_louder_than_the_one_before(device, events, media, renderer):
    steps, frequency = [2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100], 1000
    slow = max(1, SLOWNESS)
    uri = media.add("/steps.wav", sound.wav(sound.tone(round(20 * slow), frequency, level=0.9)), "audio/wav")
    device.set_volume(steps[0])
    begin(device, events, uri)
    places = []
    for step in steps:
        device.set_volume(step)
        # What the device has in hand already, and the change itself.
        place = recorded_frames(renderer) + round(RATE * 0.4 * slow)
        wait_frames(renderer, place + RATE // 5, f"volume {step}")
        places.append(place)
    device.avt("Stop")
    samples = wait_recording(renderer).samples
    levels = [amplitude(samples[place:place + RATE // 5], frequency) for place in places]
    assert all(quiet < loud for quiet, loud in zip(levels, levels[1:])), dict(zip(steps, levels))
    for step, level in zip(steps, levels):
        wanted = 0.9 * 32767 * (step / 100) ** 3
        assert abs(level - wanted) < 0.05 + 0.01 * wanted, f"volume {step}: {level} of {wanted} steps"


def test_a_quiet_tone_has_no_harmonics(device, events, media, renderer):
    frequency = 440
    uri = media.add("/quiet.wav", sound.wav(sound.tone(4.5, frequency, level=0.95)), "audio/wav")
    device.set_volume(8)
    mark = events.events.mark()
    begin(device, events, uri)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    recording = wait_recording(renderer)
    assert recording.bits == 16
    # Whole periods: all of it is in the harmonics themselves.
    samples = recording.samples[:RATE * 4]
    fundamental = amplitude(samples, frequency)
    decibels = {n: 20 * np.log10(amplitude(samples, n * frequency) / fundamental) for n in range(2, 10)}
    assert max(decibels.values()) < -70, decibels


def test_nothing_clicks(device, events, media, renderer):
    frequency, level = 100, 0.4
    uri = media.add("/slow.wav", sound.wav(sound.tone(20, frequency, level=level)), "audio/wav")
    begin(device, events, uri)
    wait_frames(renderer, RATE // 4, "the first samples")
    changes = [lambda: mute(device, 1), lambda: mute(device, 0), lambda: device.set_volume(30),
               lambda: device.set_volume(100), lambda: mute(device, 1), lambda: mute(device, 0)]
    for change in changes:
        change()
        wait_frames(renderer, recorded_frames(renderer) + RATE * 3 // 10, "the change")
    for _ in range(2):
        mark = events.events.mark()
        device.avt("Pause")
        events.wait_change("TransportState", "PAUSED_PLAYBACK", 5, since=mark)
        mark = events.events.mark()
        device.play()
        events.wait_change("TransportState", "PLAYING", 5, since=mark)
        wait_frames(renderer, recorded_frames(renderer) + RATE // 10, "sound behind the pause")
    device.avt("Stop")
    samples = wait_recording(renderer).samples
    assert len(compare.silences(samples, RATE // 10)) == 2, "it wasn't muted"
    # The tone's own steepest step, and the curve's.
    allowed = level * (2 * np.pi * frequency / RATE + 1.5 / (RATE // compare.FADES_PER_SECOND))
    assert compare.steepest(samples) < 1.05 * allowed
    assert abs(samples[-1]).max() <= 2 << 16, "the end doesn't fade"


def test_stop_fades_out(device, events, media, renderer):
    samples = sound.noise(6, seed=41)
    begin(device, events, media.add("/stop.wav", sound.wav(samples), "audio/wav"))
    wait_frames(renderer, RATE // 4, "the first samples")
    device.avt("Stop")
    recorded = wait_recording(renderer).samples
    assert len(compare.without_fade(recorded, sound.scale(samples, 16))) > RATE // 4


def test_a_volume_changed_during_a_pause_counts_from_the_first_sample_on(device, events, media, renderer):
    samples = sound.noise(3, seed=42)
    begin(device, events, media.add("/pause.wav", sound.wav(samples), "audio/wav"))
    wait_frames(renderer, RATE // 4, "some sound")
    mark = events.events.mark()
    device.avt("Pause")
    events.wait_change("TransportState", "PAUSED_PLAYBACK", 5, since=mark)
    until(lambda: is_silent(renderer), 10, "silence")
    mute(device, 1)
    before = recorded_frames(renderer)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    recorded = wait_recording(renderer).samples
    assert len(recorded) == len(samples)
    assert recorded[:before].any() and not recorded[before:].any()


CHANNELS = {
    "stereo": lambda left, right: (left, right), "mono": lambda left, right: ((left + right) // 2,) * 2,
    "left": lambda left, right: (left, left), "right": lambda left, right: (right, right),
    "swapped": lambda left, right: (right, left),
}


@pytest.mark.parametrize("channels", CHANNELS)
def test_channels(own_host, launch, channels):
    cable = own_host.link()
    subject = launch(own_host, settings={"audio": {"channels": channels}})
    device = subject.device(cable)
    media = MediaServer(cable.phone)
    samples = sound.noise(1, seed=43)
    device.set_uri(media.add("/sides.wav", sound.wav(samples), "audio/wav"))
    device.play()
    recorded = wait_recording(subject).samples
    media.close()
    expected = sound.scale(np.stack(CHANNELS[channels](samples[:, 0], samples[:, 1]), axis=1), 16)
    if channels == "mono":
        assert len(recorded) == len(expected)
        assert np.abs(recorded - expected).max() <= 2 << 16
    else:
        compare.assert_identical(recorded, expected)
