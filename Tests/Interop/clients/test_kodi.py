"""Kodi as Debian has it: "play using" the renderer that it has found."""

import pytest
from heard import ROUNDS, is_silent, told
from kit import compare, sound
from kit.subject import wait_recording
from kit.waiting import until
from kodi import Kodi

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def kodi(renderer, only_network, tmp_path_factory):
    kodi = Kodi(tmp_path_factory.mktemp("kodi"))
    try:
        kodi.begin()
        kodi.find(renderer.friendly_name)
        yield kodi
    finally:
        kodi.close()


def test_is_heard(kodi, device, events, media, renderer):
    samples = sound.noise(3, seed=35)
    mark = events.events.mark()
    kodi.cast(media.add("/short.wav", sound.wav(samples), "audio/wav"), renderer.friendly_name)
    events.wait_change("TransportState", "PLAYING", 15, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))


def seconds(device):
    hours, minutes, rest = device.avt("GetPositionInfo")["RelTime"].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


def test_volume_pause_seek_stop(kodi, device, renderer, uris):
    kodi.cast(uris[0], renderer.friendly_name)
    assert not is_silent(device, uris[0])
    kodi.call("Application.SetVolume", volume=37)
    until(lambda: device.volume() == 37, 10, "the volume")
    kodi.press("pause")
    until(lambda: device.state() == "PAUSED_PLAYBACK", 10, "a pause")
    kodi.press("pause")
    until(lambda: device.state() == "PLAYING", 10, "the end of the pause")
    positions = [seconds(device)]

    def leaps():
        positions.append(seconds(device))
        return positions[-1] - positions[-2] >= 5
    kodi.press("stepforward")
    until(leaps, 10, "a seek")
    kodi.stop()
    until(lambda: device.state() == "STOPPED", 10, "the end")


def test_casts_over_a_cast(kodi, device, renderer, uris):
    silent = []
    for turn in range(ROUNDS):
        kodi.cast(uris[turn % 2], renderer.friendly_name)
        if is_silent(device, uris[turn % 2]):
            silent.append(turn)
    assert not silent, told(silent)


def test_casts_just_after_a_seek(kodi, device, renderer, uris):
    silent = []
    for turn in range(ROUNDS):
        kodi.cast(uris[0], renderer.friendly_name)
        silent_before = is_silent(device, uris[0])
        kodi.press("stepforward")
        kodi.cast(uris[1], renderer.friendly_name)
        if silent_before or is_silent(device, uris[1]):
            silent.append(turn)
    assert not silent, told(silent)
