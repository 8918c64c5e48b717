"""What this room sends to others (Songcast): receivers written here, and the sound that they get."""

import subprocess
import time
import xml.etree.ElementTree as ET

import numpy
import pytest
from kit import compare, songcast, sound
from kit.openhome import Speaker, Watch, udn
from kit.songcast import AUDIO, HALT, LEAVE, LOSSLESS, METATEXT, PROMPT, RESENT, TIMESTAMPED, TRACK
from kit.subject import wait_recording
from kit.waiting import until

#: From sending to hearing.
LATENCY = 0.3


@pytest.fixture
def zones(oh_link):
    watch = songcast.ZoneWatch(oh_link.phone)
    yield watch
    watch.close()


@pytest.fixture
def listener(oh_link, speaker, oh_renderer, zones):
    """Makes receivers that listen to the room, each one joined."""
    uri = zones.ask(udn(oh_renderer.uuid))
    made = []

    def make(**options):
        made.append(songcast.Receiver(oh_link.phone, uri, **options))
        return made[-1].wait_joined() if made[-1].joins else made[-1]

    yield make
    for each in made:
        each.close()
    until(lambda: speaker.action("Sender", "Status2")["Value"] in ("Ready", "Disabled"), 5, "that nobody listens")


def served(media, samples, name="one", kind="flac", rate=44100, bits=16):
    """The address of a file with these samples."""
    data = sound.wav(samples, rate, bits) if kind == "wav" else sound.flac(samples, rate, bits)
    return media.add(f"/sent-{name}.{kind}", data, f"audio/{kind}")


def play(speaker, *uris):
    speaker.append(*uris)
    speaker.playlist("Play")


def of_track(frames):
    """What has been sent behind the silence before the first sound, without the halts."""
    first = next((index for index, frame in enumerate(frames) if any(frame.sound)), len(frames))
    return [frame for frame in frames[first:] if frame.samples]


def assert_counted(frames):
    """No message is missing, and none is doubled."""
    numbers = [frame.number for frame in frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def assert_sent(frames, *tracks, depth=16):
    """The sound is that of the tracks, one behind the other, to the byte."""
    got = b"".join(frame.sound for frame in of_track(frames))
    wanted = b"".join(songcast.big_endian(samples, depth) for samples in tracks)
    if got != wanted:
        values = numpy.concatenate([frame.values for frame in of_track(frames)])
        raise AssertionError(compare.diagnose(values, numpy.concatenate(tracks)))


def assert_in_place(frames, samples, faded=()):
    """Each message has the samples of the place that it names; those at the indices `faded` may be less loud."""
    for index, frame in enumerate(frames):
        if index not in faded and any(frame.sound):
            assert frame.sound == songcast.big_endian(samples[frame.start:frame.start + frame.samples]), (
                index, frame.number, frame.start)


# What a receiver is told

def test_the_zone_of_a_room(speaker, oh_renderer, oh_link, zones, listener):
    metadata = speaker.action("Sender", "Metadata")["Value"]
    assert len(metadata.encode()) <= 1000
    tree = ET.fromstring(metadata)
    [item] = tree
    named = {field.tag.split("}")[1]: field for field in item}
    zone = udn(oh_renderer.uuid)
    assert named["res"].text == f"ohz://239.255.255.250:51972/{zone}"
    assert named["res"].attrib["protocolInfo"] == "ohz:*:*:u"
    assert named["title"].text == "Kitchen & Bath"
    assert named["class"].text == "object.item.audioItem"
    assert {"Sender", "Receiver"} <= set(speaker.product("Attributes")["Value"].split())
    mark = zones.told.mark()
    zones.query("no-room-here")
    zones.query(zone)
    time.sleep(0.5)
    [(told, uri)] = zones.told.since(mark)
    assert told == zone and uri.startswith(f"ohu://{oh_link.speaker}:")
    listener()


def test_somebody_listens_while_nothing_plays(speaker, listener):
    guest = listener()
    [(_, uri, metadata)] = guest.tracks()
    assert (uri, metadata) == ("", "")
    time.sleep(0.5)
    assert guest.of(AUDIO) == []
    assert speaker.action("Sender", "Status2")["Value"] == "Ready"
    assert speaker.action("Sender", "Audio")["Value"] == "0"


@pytest.mark.audio
@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_what_is_played_is_sent(speaker, listener, oh_media, kind):
    guest = listener()
    samples = sound.noise(1.5, seed=31)
    uri = served(oh_media, samples, kind=kind)
    play(speaker, uri)
    guest.wait_sound()
    details = speaker.action("Info", "Details")
    guest.wait_halt()
    frames = guest.frames()
    assert_sent(frames, samples)
    assert_counted(frames)
    assert frames[0].number == 0
    assert all((f.header, f.reserved, f.volume, f.rate, f.depth, f.channels) == (50, 0, 0, 44100, 16, 2) for f in frames)
    assert {frame.latency for frame in frames} == {int(LATENCY * 256 * 44100)}
    assert not frames[0].flags & TIMESTAMPED
    assert all(frame.flags & (TIMESTAMPED | PROMPT | RESENT) == TIMESTAMPED | PROMPT for frame in frames[1:-1])
    assert [frame.flags & HALT for frame in frames] == [0] * (len(frames) - 1) + [HALT]
    track = of_track(frames)
    assert all(frame.samples in (220, 221) for frame in track[:-1])
    assert all(frame.flags & LOSSLESS for frame in track)
    starts = numpy.cumsum([0] + [frame.samples for frame in track])
    assert [frame.start for frame in track] == list(starts[:-1])
    assert frames[-1].start == len(samples)
    assert {frame.codec for frame in track} == {details["CodecName"]}
    assert {frame.bit_rate for frame in track[len(track) // 2:]} == {int(details["BitRate"])}
    told = guest.tracks()[-1]
    assert told[1] == uri and "sent-one" in told[2]


@pytest.mark.audio
def test_the_length_of_a_track_is_told_to_the_sample(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(1.7, seed=32)
    play(speaker, served(oh_media, samples, kind="wav"))
    guest.wait_sound()
    guest.wait_halt()
    assert {frame.total for frame in of_track(guest.frames())} == {len(samples)}


@pytest.mark.audio
def test_two_tracks_without_a_gap(speaker, listener, oh_media):
    guest = listener()
    first, second = sound.noise(1.503, seed=33), sound.noise(1.2, seed=34)
    uris = [served(oh_media, first, "first"), served(oh_media, second, "second")]
    play(speaker, *uris)
    guest.wait_sound()
    guest.wait_halt()
    frames = guest.frames()
    assert_sent(frames, first, second)
    assert_counted(frames)
    told = guest.tracks()
    assert [uri for _, uri, _ in told] == ["", *uris]
    numbers = [number for number, _, _ in told]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    track = of_track(frames)
    joint = next(index for index, frame in enumerate(track) if sum(f.samples for f in track[:index]) == len(first))
    assert track[joint].start == 0
    # It is told before the sound begins.
    place = [each.kind == TRACK and uris[1].encode() in each.data for each in guest.messages.items].index(True)
    assert [each.kind for each in guest.messages.items[:place]].count(AUDIO) == track[joint].number
    # A text belongs to a track.
    assert all(len(each.data) == 16 for each in guest.of(METATEXT))


@pytest.mark.audio
@pytest.mark.parametrize(("rate", "bits", "channels"), [(44100, 24, 2), (96000, 24, 2), (48000, 16, 2), (44100, 16, 1)],
                         ids=["24-44", "24-96", "16-48", "mono"])
def test_formats_that_are_sent_as_they_are(speaker, listener, oh_media, rate, bits, channels):
    guest = listener()
    samples = sound.noise(1, rate, bits, channels, seed=35)
    play(speaker, served(oh_media, samples, f"{rate}-{bits}-{channels}", rate=rate, bits=bits))
    guest.wait_sound()
    guest.wait_halt()
    track = of_track(guest.frames())
    assert {(f.rate, f.depth, f.channels, f.latency) for f in track} == {
        (rate, bits, channels, int(LATENCY * track[0].unit))}
    assert_sent(guest.frames(), samples, depth=bits)


@pytest.mark.audio
def test_a_high_rate_is_halved(speaker, listener, oh_media):
    guest = listener()
    samples = sound.tone(1.2, 1000, 192000, 24)
    play(speaker, served(oh_media, samples, "high", rate=192000, bits=24))
    guest.wait_sound()
    guest.wait_halt()
    track = of_track(guest.frames())
    assert {(f.rate, f.depth, f.channels) for f in track} == {(96000, 24, 2)}
    assert abs(sum(frame.samples for frame in track) - len(samples) // 2) < 200
    starts = [frame.start for frame in track]
    assert abs(starts[-1] + track[-1].samples - len(samples) // 2) < 200
    assert [b - a for a, b in zip(starts, starts[1:])] == [frame.samples for frame in track[:-1]]
    values = numpy.concatenate([frame.values for frame in track])[9600:96000, 0]
    wanted = samples[19200:192000:2, 0][:len(values)]
    spectrum = numpy.abs(numpy.fft.rfft(values * numpy.hanning(len(values))))
    assert abs(numpy.argmax(spectrum) * 96000 / len(values) - 1000) < 2
    assert abs(numpy.abs(values).max() / numpy.abs(wanted).max() - 1) < 0.01
    around = int(1000 * len(values) / 96000)
    rest = numpy.concatenate([spectrum[:around - 10], spectrum[around + 10:]])
    assert rest.max() < spectrum.max() * 1e-4, "it isn't a clean tone any more"


@pytest.mark.audio
def test_surround_sound_is_sent_in_stereo(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(1.2, channels=6, seed=36)
    play(speaker, served(oh_media, samples, "surround"))
    guest.wait_sound()
    guest.wait_halt()
    track = of_track(guest.frames())
    assert {(f.rate, f.channels) for f in track} == {(44100, 2)}
    values = numpy.concatenate([frame.values / (1 << frame.depth - 1) for frame in track])
    source = samples / 32768
    assert len(values) == len(source)
    weights, *_ = numpy.linalg.lstsq(source, values, rcond=None)
    assert numpy.abs(values - source @ weights).max() < 1e-3
    left, right, centre, _, back_left, back_right = weights
    assert left[0] > 0.2 and right[1] > 0.2 and back_left[0] > 0.2 and back_right[1] > 0.2
    assert abs(left[1]) + abs(right[0]) + abs(back_left[1]) + abs(back_right[0]) < 1e-3
    assert abs(centre[0] - centre[1]) < 1e-3 and 0.6 < centre[0] / left[0] < 0.8
    assert weights.sum(axis=0).max() < 1.001


@pytest.mark.audio
def test_listeners_change_nothing_for_the_host(speaker, listener, oh_media, oh_renderer):
    uri = served(oh_media, sound.noise(1.5, seed=37), "same")
    recordings = []
    for listens in (False, True):
        oh_renderer.recording.unlink(missing_ok=True)
        guest = listener() if listens else None
        if not listens:
            play(speaker, uri)
        else:
            speaker.playlist("Play")
        until(lambda: speaker.state_of() == "Playing", 5, "playing")
        until(lambda: speaker.state_of() == "Stopped", 8, "the end")
        recordings.append(wait_recording(oh_renderer))
        if guest:
            assert of_track(guest.frames())
    alone, together = recordings
    assert (alone.rate, alone.bits, alone.kind) == (together.rate, together.bits, together.kind)
    lead = len(together) - len(alone)
    assert lead > LATENCY * 44100 and not together.samples[:lead].any()
    compare.assert_identical(together.samples[lead:], alone.samples)
