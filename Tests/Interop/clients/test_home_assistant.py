"""Home Assistant as it is installed by its users, with both of its integrations for renderers."""

import asyncio
import time

import pytest
from heard import ROUNDS, is_silent, is_silent_station, told
from home_assistant import running
from kit import compare, openhome, sound, ssdp
from kit.subject import wait_recording
from kit.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
async def home(renderer, link, only_network, tmp_path_factory):
    await asyncio.to_thread(_wait_until_quiet, link)
    async with running(tmp_path_factory) as home:
        yield home


def _wait_until_quiet(link):
    """Home Assistant 2024.3 offers a device only if it hears of it first in an answer to its own search. After an
    announcement the answer is nothing new to it, and the announcement alone doesn't match what `dlna_dmr` looks for."""
    with ssdp.Listener(link.phone_interface) as listener:
        mark = None
        while mark != listener.messages.mark():
            mark = listener.messages.mark()
            time.sleep(3)


@pytest.fixture(scope="module")
async def dlna(home):
    return await home.add("dlna_dmr")


@pytest.fixture(scope="module")
async def open_home(home):
    return await home.add("openhome")


async def test_dlna_dmr_is_heard(home, dlna, device, events, media, renderer):
    samples = sound.noise(3, seed=33)
    mark = events.events.mark()
    await home.cast(dlna, media.add("/short.flac", sound.flac(samples), "audio/flac"))
    await asyncio.to_thread(events.wait_change, "TransportState", "PLAYING", 10, since=mark)
    await asyncio.to_thread(events.wait_change, "TransportState", "STOPPED", 15, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))
    await home.until(dlna, "idle")


async def test_dlna_dmr_volume_pause_seek_stop(home, dlna, device, uris):
    await home.call(dlna, "volume_set", volume_level=0.37)
    assert device.volume() == 37
    await home.cast(dlna, uris[0])
    await home.until(dlna, "playing")
    await home.call(dlna, "media_pause")
    await home.until(dlna, "paused")
    assert device.state() == "PAUSED_PLAYBACK"
    await home.call(dlna, "media_play")
    await home.until(dlna, "playing")
    await home.call(dlna, "media_seek", seek_position=30)
    await asyncio.to_thread(
        until, lambda: "0:00:30" <= device.avt("GetPositionInfo")["RelTime"] < "0:00:50", 10, "the position of the seek")
    await home.call(dlna, "media_stop")
    await home.until(dlna, "idle")
    assert device.state() == "STOPPED"


async def test_dlna_dmr_casts_over_a_cast(home, dlna, device, uris):
    silent = []
    for turn in range(ROUNDS):
        await home.cast(dlna, uris[turn % 2])
        if await asyncio.to_thread(is_silent, device, uris[turn % 2]):
            silent.append(turn)
    assert not silent, told(silent)


async def test_dlna_dmr_casts_just_after_a_seek(home, dlna, device, uris):
    silent = []
    for turn in range(ROUNDS):
        await home.cast(dlna, uris[0])
        silent_before = await asyncio.to_thread(is_silent, device, uris[0])
        await home.call(dlna, "media_seek", seek_position=30)
        await home.cast(dlna, uris[1])
        if silent_before or await asyncio.to_thread(is_silent, device, uris[1]):
            silent.append(turn)
    assert not silent, told(silent)


async def test_dlna_dmr_casts_over_a_cast_that_has_not_begun(home, dlna, device, uris):
    silent = []
    for turn in range(ROUNDS):
        await home.cast(dlna, uris[0])
        await home.cast(dlna, uris[1])
        if await asyncio.to_thread(is_silent, device, uris[1]):
            silent.append(turn)
    assert not silent, told(silent)


@pytest.fixture
async def radio(home, open_home, device):
    """The entity with the source chosen that it offers casting for: it doesn't for UPnP AV."""
    await home.refresh(open_home)
    await home.call(open_home, "select_source", source="Radio")
    await home.refresh(open_home)
    return open_home


async def test_openhome_is_heard_over_a_cast_of_the_other(home, dlna, radio, device, renderer, uris):
    await home.cast(dlna, uris[1])
    assert not await asyncio.to_thread(is_silent, device, uris[1])
    await home.call(radio, "select_source", source="Radio")
    await home.refresh(radio)
    renderer.recording.unlink()
    await home.cast(radio, uris[0])
    samples = sound.scale(sound.noise(60, seed=1), 16)

    def is_recorded():
        if renderer.recording.exists() and renderer.recording.stat().st_size > 1000:
            recording = sound.read(renderer.recording)
            return recording if recording.seconds > 2 else None
    recorded = (await asyncio.to_thread(until, is_recorded, 15, "two seconds of it are heard")).samples
    compare.assert_identical(recorded, samples[:len(recorded)])


async def test_openhome_volume_and_stop(home, radio, device, uris):
    await home.call(radio, "volume_set", volume_level=0.37)
    assert device.volume() == 37
    await home.cast(radio, uris[0])
    await home.refresh(radio, "playing")
    await home.call(radio, "media_stop")
    await home.refresh(radio, "idle")


async def test_openhome_casts_over_a_cast(home, radio, renderer, link, uris):
    speaker = openhome.Speaker.of(renderer, link)
    silent = []
    for turn in range(ROUNDS):
        await home.cast(radio, uris[turn % 2])
        if await asyncio.to_thread(is_silent_station, speaker, uris[turn % 2]):
            silent.append(turn)
    assert not silent, told(silent)
