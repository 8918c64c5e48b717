"""ReplayGain as it is heard: how loud tagged tracks come out of the daemon, one after the other without a gap."""

import numpy as np
import pytest
from kit import openhome, sound
from kit.media_server import MediaServer
from kit.subject import chosen, wait_recording

pytestmark = [pytest.mark.audio, pytest.mark.skipif(chosen().name != "vireod", reason="an option of vireod")]

LEVEL = 0.2
LENGTH = 44100
HALF = {"REPLAYGAIN_TRACK_GAIN": "-6.00 dB", "REPLAYGAIN_TRACK_PEAK": LEVEL,
        "REPLAYGAIN_ALBUM_GAIN": "-12.00 dB", "REPLAYGAIN_ALBUM_PEAK": LEVEL}
BOOST = {"REPLAYGAIN_TRACK_GAIN": "+10.00 dB", "REPLAYGAIN_TRACK_PEAK": LEVEL}
LOUD = {"REPLAYGAIN_TRACK_GAIN": "+12.00 dB", "REPLAYGAIN_TRACK_PEAK": 0.5}
UNKNOWN_PEAK = {"REPLAYGAIN_TRACK_GAIN": "+9.00 dB"}
OWN_ONLY = {"REPLAYGAIN_TRACK_GAIN": "-3.00 dB"}
ALBUM_ONLY = {"REPLAYGAIN_ALBUM_GAIN": "-9.00 dB"}
NONE = {}

#: Settings, and the decibels by which each of the tracks is to be louder than its file.
CASES = {
    "off": ({"replaygain": "off"}, [(HALF, 0), (LOUD, 0), (NONE, 0)]),
    "track": ({"replaygain": "track"}, [(HALF, -6), (BOOST, 10), (ALBUM_ONLY, -9), (NONE, 0)]),
    "album": ({"replaygain": "album"}, [(HALF, -12), (OWN_ONLY, -3), (ALBUM_ONLY, -9), (NONE, 0)]),
    "preamp": ({"replaygain": "track", "replaygain-preamp": 4}, [(HALF, -2), (OWN_ONLY, 0), (NONE, 0)]),
    "quieter by preamp": ({"replaygain": "album", "replaygain-preamp": -5}, [(HALF, -17), (NONE, -5)]),
    # A peak of half of full scale leaves 6 dB; one that nobody knows may be full scale.
    "clipping protection": ({"replaygain": "track", "replaygain-preamp": 2},
                            [(LOUD, 20 * np.log10(2)), (UNKNOWN_PEAK, 0), (BOOST, 12)]),
    "no clipping protection": ({"replaygain": "track", "replaygain-clipping-protection": False},
                               [(LOUD, 12), (UNKNOWN_PEAK, 9)]),
}


def decibels(heard, source):
    return 10 * np.log10((heard.astype(np.float64) ** 2).mean() / (source.astype(np.float64) ** 2).mean())


def play(speaker, link, uris):
    """All of them, without a gap, to the end."""
    speaker.append(*uris)
    with openhome.Watch(speaker, link.phone, ("Playlist",)) as watch:
        mark = watch.events.mark()
        speaker.playlist("Play")
        watch.wait("Playlist", "TransportState", "Playing", 10, mark)
        watch.wait("Playlist", "TransportState", "Stopped", 20, mark)


def record(launch, host, settings, files):
    """What is heard of FLAC files, on the scale of 32 bits."""
    link = host.link()
    subject = launch(host, settings={"playback": settings})
    speaker = openhome.Speaker.of(subject, link)
    media = MediaServer(link.phone)
    try:
        play(speaker, link, [media.add(f"/{n}.flac", data, "audio/flac") for n, data in enumerate(files)])
        return wait_recording(subject).samples
    finally:
        media.close()


@pytest.mark.parametrize("name", CASES)
def test_each_track_is_as_loud_as_its_tags_say(launch, own_host, name):
    settings, tracks = CASES[name]
    sources = [sound.noise(LENGTH / 44100, seed=900 + n, level=LEVEL) for n in range(len(tracks))]
    recorded = record(launch, own_host, settings,
                      [sound.flac(source, tags=tags) for source, (tags, _) in zip(sources, tracks)])
    assert len(recorded) == LENGTH * len(tracks), "no sample more or less for it"
    for place, (source, (tags, wanted)) in enumerate(zip(sources, tracks)):
        # To the sample: each has its own gain from the first one to the last.
        heard = recorded[place * LENGTH:(place + 1) * LENGTH]
        for part in (slice(None), slice(0, 1000), slice(-1000, None)):
            found = decibels(heard[part], sound.scale(source, 16)[part])
            assert abs(found - wanted) < 0.1, f"{tags}: {found:+.2f} dB at {part}, wanted {wanted:+.2f}"


@pytest.mark.parametrize("protects", [True, False])
def test_what_would_be_cut_off_is_lowered_instead(launch, own_host, protects):
    """A tone at 0.7 of full scale with a gain of 9 dB, which doesn't fit."""
    source = sound.tone(1, 997, level=0.7)
    tags = {"REPLAYGAIN_TRACK_GAIN": "+9.00 dB", "REPLAYGAIN_TRACK_PEAK": 0.7}
    recorded = record(launch, own_host,
                      {"replaygain": "track", "replaygain-clipping-protection": protects},
                      [sound.flac(source, tags=tags)])
    top = (1 << 31) - 1
    flat = np.count_nonzero(np.abs(recorded) >= top - (1 << 16))
    if protects:
        # A tone touches its peak for a moment; one that is cut off stays there.
        assert flat < recorded.size * 0.05, f"{flat} samples at full scale"
        assert abs(decibels(recorded, sound.scale(source, 16)) - 20 * np.log10(1 / 0.7)) < 0.1
    else:
        assert flat > recorded.size * 0.2, f"only {flat} samples at full scale"
