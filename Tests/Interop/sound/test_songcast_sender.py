"""What this room sends to others (Songcast): receivers written here, and the sound that they get."""

import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy
import pytest
from kit import compare, songcast, sound
from kit.media_server import MediaServer
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


def is_loud(frame):
    """Whether it is more than silence with dither."""
    return any(frame.sound) and numpy.abs(frame.values).max() > 4


def of_track(frames):
    """What has been sent behind the silence before the first sound, without the halts."""
    first = next((index for index, frame in enumerate(frames) if is_loud(frame)), len(frames))
    return [frame for frame in frames[first:] if frame.samples]


def assert_counted(frames):
    """No message is missing, and none is doubled."""
    numbers = [frame.number for frame in frames]
    steps = [(one, two) for one, two in zip(numbers, numbers[1:]) if two != one + 1]
    assert not steps, steps


def assert_sent(frames, *tracks, depth=16):
    """The sound is that of the tracks, one behind the other, to the byte."""
    got = b"".join(frame.sound for frame in of_track(frames))
    wanted = b"".join(songcast.big_endian(samples, depth) for samples in tracks)
    if got != wanted:
        values = numpy.concatenate([frame.values for frame in of_track(frames)])
        raise AssertionError(compare.diagnose(values, numpy.concatenate(tracks)))


def assert_in_place(frames, samples, faded=()):
    """Each message has the samples of the place that it names; those at the indices `faded` may be less loud. Up to a block of
    the file before the sound fades out there may be dither."""
    for index, frame in enumerate(frames):
        if index in faded or not is_loud(frame):
            continue
        error = numpy.abs(frame.values - samples[frame.start:frame.start + frame.samples]).max()
        is_ending = any(other.flags & HALT for other in frames[index:index + 30])
        assert error <= (2 if is_ending else 0), (index, frame.number, frame.start)


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
    time.sleep(0.5)
    assert (len(guest.of(TRACK)), len(guest.of(METATEXT))) == (1, 1)
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
    # The first one was told at joining: nothing, or what played last.
    assert [uri for _, uri, _ in told[1:]] == uris
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
    samples = sound.noise(0.6, rate, bits, channels, seed=35)
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
    # What is left of the silence is in the first message.
    assert starts[0] == 0 and 380 < starts[1] <= 480
    assert max(abs(b - a - 480) for a, b in zip(starts[1:], starts[2:-1])) < 40
    values = numpy.concatenate([frame.values for frame in track if 9600 <= frame.start < 96000])[:, 0]
    at = next(frame.start for frame in track if frame.start >= 9600)
    wanted = samples[2 * at::2, 0][:len(values)]
    # A place is a whole number: half a sample of the halved rate, here 3.3 % of the top, can't be told.
    assert numpy.abs(values - wanted).max() < 0.05 * numpy.abs(wanted).max(), "it isn't at its place"
    spectrum = numpy.abs(numpy.fft.rfft(values * numpy.hanning(len(values))))
    assert abs(numpy.argmax(spectrum) * 96000 / len(values) - 1000) < 2
    assert abs(numpy.abs(values).max() / numpy.abs(wanted).max() - 1) < 0.01
    around = int(1000 * len(values) / 96000)
    rest = numpy.concatenate([spectrum[:around - 10], spectrum[around + 10:]])
    assert rest.max() < spectrum.max() * 1e-4, "it isn't a clean tone any more"


@pytest.mark.audio
def test_a_halved_rate_counts_on(speaker, listener, oh_media):
    guest = listener()
    play(speaker, served(oh_media, sound.tone(0.7, 1000, 192000, 24), "counted", rate=192000, bits=24))
    guest.wait_sound()
    guest.wait_halt()
    track = of_track(guest.frames())
    assert [b.start - a.start for a, b in zip(track[1:], track[2:])] == [frame.samples for frame in track[1:-1]]


@pytest.mark.audio
def test_surround_sound_is_sent_in_stereo(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(1.2, channels=6, seed=36)
    play(speaker, served(oh_media, samples, "surround", "wav"))
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


# When it is told

@pytest.mark.audio
def test_sound_leaves_before_it_is_heard(own_host, launch, oh_media, tmp_path):
    """By the times at which this machine got it, and those at which the room's device says that it played it."""
    link, times = own_host.link(), tmp_path / "times"
    recording = tmp_path / "renderer" / "recording.wav"
    subject = launch(own_host, settings={"audio": {"output": f"file:{recording}?times={times}"}})
    speaker = Speaker.of(subject, link)
    media, watch = MediaServer(link.phone), songcast.ZoneWatch(link.phone)
    guest = songcast.Receiver(link.phone, watch.ask(udn(subject.uuid))).wait_joined()
    samples = sound.noise(3, seed=38)
    play(speaker, served(media, samples))
    guest.wait_sound()
    guest.wait_halt(8)
    recorded = wait_recording(subject)
    frames = guest.frames()
    for each in (guest, watch, media):
        each.close()
    track = of_track(frames)
    assert_sent(frames, samples)
    # A line through the arrivals: they are as even as the device plays.
    due = numpy.array([frame.start / 44100 for frame in track])
    late = numpy.array([frame.at for frame in track]) - due
    late -= numpy.quantile(late, 0.1)
    assert numpy.quantile(late, 0.9) < 0.020, "most of it comes in bursts"
    assert numpy.median(numpy.abs(numpy.diff([frame.at for frame in track]) - 0.005)) < 0.002
    # When each was heard.
    played = numpy.array([[float(word) for word in line.split()] for line in times.read_text().splitlines()])
    lead = len(recorded) - len(samples)
    assert not recorded.samples[:lead].any()
    heard = numpy.interp([lead + frame.start for frame in track], played[:, 0], played[:, 1] / 1e9)
    ahead = heard - [frame.at for frame in track]
    assert abs(numpy.median(ahead) - LATENCY) < 0.010
    assert numpy.quantile(ahead, 0.05) > LATENCY / 2
    # What the sender says of it: each timestamp is that of the message before.
    ticks = numpy.array([frame.timestamp for frame in track[1:]], dtype=numpy.uint32)
    since = (ticks - ticks[0]).astype(numpy.int64) / track[0].unit
    sent = numpy.array([frame.at for frame in track[:-1]])
    error = since - (sent - sent[0])
    assert numpy.quantile(numpy.abs(error - numpy.median(error)), 0.9) < 0.020
    assert (numpy.diff(since) >= 0).all()
    assert abs(since[-1] - (due[-2] - due[0])) < 0.050


# Lost messages, and who listens

@pytest.mark.audio
def test_lost_messages_are_sent_again(speaker, listener, oh_media):
    guest, other, stranger = listener(), listener(), listener(joins=False)
    play(speaker, served(oh_media, sound.noise(2.2, seed=39)))
    guest.wait_sound()
    time.sleep(0.7)
    mark = guest.messages.mark()
    first = guest.frames()[-1].number - 40
    wanted = [first, first + 3, *range(first + 10, first + 20)]
    guest.resend(*wanted)
    stranger.resend(*wanted)
    # Neither is there: one is too old, one is still to come.
    guest.resend(0, first + 100000)
    guest.wait_halt()
    again = [frame for frame in guest.frames(mark) if frame.flags & RESENT]
    assert [frame.number for frame in again] == wanted
    by_number = {frame.number: frame for frame in guest.frames() if not frame.flags & RESENT}
    for frame in again:
        once = by_number[frame.number]
        assert frame.flags == once.flags | RESENT
        assert (frame.at, frame.flags) != (once.at, once.flags)
        frame.at, frame.flags = once.at, once.flags
        assert frame == once
    assert again[-1].number and not any(frame.flags & RESENT for frame in other.frames())
    assert stranger.messages.items == []


@pytest.mark.audio
def test_who_leaves_hears_no_more(speaker, listener, oh_media):
    guest, other = listener(), listener()
    play(speaker, served(oh_media, sound.noise(2, seed=40)))
    guest.wait_sound()
    mark = guest.messages.mark()
    guest.leave()
    answer = guest.wait(lambda each: each.kind == LEAVE, 3, "the answer to Leave", mark)
    assert len(answer.data) == 8
    place = guest.messages.behind(answer)
    other.wait_halt()
    assert guest.messages.since(place) == []
    assert_counted(other.frames())


@pytest.mark.audio
@pytest.mark.slow
def test_who_is_silent_for_ten_seconds_is_forgotten(speaker, listener, oh_media):
    guest, other = listener(), listener()
    guest.listens = False
    play(speaker, served(oh_media, sound.noise(14, seed=41), "long"))
    guest.wait_sound()
    until(lambda: time.monotonic() - guest.messages.items[-1].at > 1, 12, "its forgetting", step=0.1)
    last = guest.frames()[-1]
    assert 9.5 < last.at - guest.joined_at < 11
    assert other.frames()[-1].number > last.number + 100
    # The cable was pulled for a while.
    mark = guest.messages.mark()
    guest.listens = True
    guest.wait(lambda each: each.kind == TRACK, 4, "Track", mark)
    guest.wait_sound(mark)
    assert_counted(other.frames())


@pytest.mark.audio
def test_eight_hear_the_same(speaker, listener, oh_media):
    guests = [listener() for _ in range(8)]
    samples = sound.noise(1.2, seed=42)
    play(speaker, served(oh_media, samples))
    for guest in guests:
        guest.wait_halt(8)
        assert_sent(guest.frames(), samples)
    assert all([each.data for each in guest.of(AUDIO)] == [each.data for each in guests[0].of(AUDIO)] for guest in guests)


def test_the_seventeenth_is_ignored(listener, speaker):
    guests = [listener() for _ in range(16)]
    late = listener(joins=False)
    late.joins = True
    time.sleep(1.5)
    assert late.messages.items == []
    guests[0].leave()
    late.wait_joined()


# What the player does

@pytest.mark.audio
def test_a_pause_and_going_on(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(2, seed=43)
    play(speaker, served(oh_media, samples))
    guest.wait_sound()
    time.sleep(0.5)
    speaker.playlist("Pause")
    mark = guest.wait_halt()
    time.sleep(0.5)
    assert guest.frames(mark) == [], "sound in a pause"
    speaker.playlist("Play")
    guest.wait_halt(8, mark)
    frames = guest.frames()
    assert_counted(frames)
    assert len(guest.tracks()) == 2
    halts = [index for index, frame in enumerate(frames) if frame.flags & HALT]
    assert len(halts) == 2 and halts[1] == len(frames) - 1
    halt = halts[0]
    onward = next(index for index in range(halt + 1, len(frames)) if is_loud(frames[index]))
    # The sound fades out and in, 20 ms each.
    assert_in_place(frames, samples, {*range(halt - 6, halt), *range(onward, onward + 6)})
    starts = [frame.start for frame in of_track(frames)]
    assert starts[-1] + of_track(frames)[-1].samples == len(samples)
    lost = frames[onward].start - frames[halt].start
    assert -882 <= lost <= 882, "sound was left out, or sent twice"


@pytest.mark.audio
def test_a_pause_makes_no_other_stream(speaker, listener, oh_media):
    """Receivers begin anew, in their displays too, when the depth changes or the sample start goes down."""
    guest = listener()
    play(speaker, served(oh_media, sound.noise(1, seed=50)))
    guest.wait_sound()
    time.sleep(0.3)
    speaker.playlist("Pause")
    mark = guest.wait_halt()
    speaker.playlist("Play")
    guest.wait_halt(8, mark)
    frames = of_track(guest.frames())
    assert {frame.depth for frame in frames} == {16}
    assert all(a.start <= b.start for a, b in zip(frames, frames[1:]))


@pytest.mark.audio
def test_a_seek(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(8, seed=44)
    play(speaker, served(oh_media, samples, "seek"))
    guest.wait_sound()
    time.sleep(0.5)
    speaker.playlist("SeekSecondAbsolute", Value=7)
    guest.wait(lambda each: each.kind == AUDIO and songcast.Frame.of(each).start > 6.5 * 44100, 5, "the new place")
    guest.wait(lambda each: each.kind == AUDIO and songcast.Frame.of(each).start > 7.9 * 44100, 8, "the end")
    guest.wait_halt(since=len(guest.messages.items) - 20)
    frames = guest.frames()
    assert_counted(frames)
    cut = next(index for index, frame in enumerate(frames) if frame.start > 6.5 * 44100)
    assert frames[cut].start == 7 * 44100
    assert_in_place(frames, samples, range(cut - 10, cut + 10))
    assert sum(frame.samples for frame in frames[cut:] if any(frame.sound)) == 44100


@pytest.mark.audio
def test_a_stop(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(4, seed=45)
    play(speaker, served(oh_media, samples))
    guest.wait_sound()
    time.sleep(0.4)
    speaker.playlist("Stop")
    mark = guest.wait_halt()
    time.sleep(0.5)
    assert guest.frames(mark) == []
    frames = guest.frames()
    assert_in_place(frames, samples, range(len(frames) - 8, len(frames)))
    assert frames[-1].start < 2.5 * 44100
    # And once more from its beginning: it need not join for that.
    speaker.playlist("Play")
    guest.wait_sound(mark)
    again = of_track(guest.frames(mark))
    assert again[0].start == 0 and again[0].sound == songcast.big_endian(samples[:again[0].samples])
    assert_counted(guest.frames())


@pytest.mark.audio
def test_all_stop_where_the_host_stops(speaker, listener, oh_media, oh_renderer):
    guest = listener()
    samples = sound.noise(3, seed=53)
    play(speaker, served(oh_media, samples))
    guest.wait_sound()
    time.sleep(0.5)
    speaker.playlist("Stop")
    guest.wait_halt()
    # The silence before the sound: the host's sound begins behind it.
    heard = wait_recording(oh_renderer).samples[:, 0]
    heard = heard[int(numpy.flatnonzero(heard)[0]):]
    sent = of_track(guest.frames())
    assert abs(sent[-1].start + sent[-1].samples - len(heard)) <= 221


@pytest.mark.audio
def test_only_a_fade_is_not_exact(speaker, listener, oh_media):
    guest = listener()
    samples = sound.noise(1.2, seed=54)
    play(speaker, served(oh_media, samples))
    guest.wait_sound()
    time.sleep(0.4)
    speaker.playlist("Pause")
    mark = guest.wait_halt()
    # Until the pause is heard there is no silence to come.
    time.sleep(0.5)
    speaker.playlist("Play")
    guest.wait_halt(since=mark)
    sent = of_track(guest.frames())
    halt = next(frame.number for frame in guest.frames() if frame.flags & HALT)
    before = [frame for frame in sent if frame.number < halt][:-6]
    assert_sent(before, samples[:before[-1].start + before[-1].samples])
    behind = [frame for frame in sent if frame.number > halt]
    onward = next(index for index, frame in enumerate(behind) if is_loud(frame))
    assert onward > 20
    assert not any(any(frame.sound) for frame in behind[:onward - 1]), "the silence isn't silent"


@pytest.mark.audio
def test_the_next_track_before_the_end(speaker, listener, oh_media):
    guest = listener()
    first, second = sound.noise(6, seed=46), sound.noise(0.8, seed=47)
    uris = [served(oh_media, first, "skipped"), served(oh_media, second, "next")]
    play(speaker, *uris)
    guest.wait_sound()
    time.sleep(0.5)
    speaker.playlist("Next")
    told = guest.wait(lambda each: each.kind == TRACK and uris[1].encode() in each.data, 5, "the next track")
    place = guest.messages.behind(told)
    guest.wait_halt(8, place)
    track = of_track(guest.frames(place))
    assert track[0].start == 0
    assert sum(frame.samples for frame in track) == len(second)
    assert_in_place(track, second, range(6))
    assert_counted(guest.frames())
    before = guest.frames()[:-len(guest.frames(place))]
    assert_in_place(before, first, range(len(before) - 8, len(before)))


@pytest.mark.audio
def test_numbers_go_on_behind_a_halt(speaker, listener, oh_media):
    guest = listener()
    play(speaker, served(oh_media, sound.noise(0.3, seed=54)))
    guest.wait_sound()
    mark = guest.wait_halt()
    speaker.playlist("Play")
    guest.wait_halt(since=mark)
    assert_counted(guest.frames())


@pytest.mark.audio
def test_standby(speaker, listener, oh_media):
    guest = listener()
    play(speaker, served(oh_media, sound.noise(6, seed=48), "standby"))
    guest.wait_sound()
    speaker.product("SetStandby", Value=1)
    mark = guest.wait_halt()
    time.sleep(0.4)
    assert guest.frames(mark) == []
    speaker.product("SetStandby", Value=0)
    speaker.playlist("Play")
    guest.wait_sound(mark)
    assert_counted(guest.frames())


@pytest.mark.audio
def test_the_last_listener_leaves_while_it_plays(speaker, listener, oh_media):
    guest = listener()
    play(speaker, served(oh_media, sound.noise(5, seed=52)))
    guest.wait_sound()
    until(lambda: speaker.action("Sender", "Audio")["Value"] == "1", 2, "Audio")
    guest.leave()
    until(lambda: speaker.action("Sender", "Status2")["Value"] == "Ready", 2, "Ready")
    until(lambda: speaker.action("Sender", "Audio")["Value"] == "0", 1, "that nothing is sent")


def test_control_points_are_told(speaker, listener, oh_media, oh_link):
    until(lambda: speaker.action("Sender", "Audio")["Value"] == "0", 1, "silence of what was before")
    with Watch(speaker, oh_link.phone, ["Sender"]) as watch:
        state = watch.state("Sender")
        assert (state["Status"], state["Status2"], state["Enabled"], state["Audio"]) == ("Enabled", "Ready", "1", "0")
        assert (state["Attributes"], state["PresentationUrl"]) == ("", "")
        guest = listener()
        play(speaker, served(oh_media, sound.noise(1.5, seed=49)))
        watch.wait("Sender", "Status2", "Sending")
        sounding = watch.wait("Sender", "Audio", "1")
        halt = guest.wait(lambda each: each.kind == AUDIO and each.data[9] & HALT, 8, "a halt")
        watch.wait("Sender", "Audio", "0", since=watch.events.behind(sounding))
        assert 0.5 < time.monotonic() - halt.at < 3
        assert watch.values("Sender", "Status2") == ["Ready", "Sending", "Ready"]
        assert watch.values("Sender", "Audio") == ["0", "1", "0"]
        assert set(watch.values("Sender", "Status")) == {"Enabled"}
        guest.leave()
        time.sleep(0.3)
        watch.assert_sequence()
        assert watch.values("Sender", "Status2")[-1] == "Ready"


# Rooms that listen themselves

def test_a_room_does_not_listen_to_itself(speaker, oh_renderer, zones):
    zone = udn(oh_renderer.uuid)
    uri = f"ohz://239.255.255.250:51972/{zone}"
    before = speaker.action("Receiver", "Sender")
    for own in (uri, zones.ask(zone)):
        assert speaker.refusal("Receiver", "SetSender", Uri=own, Metadata="") == 800
    assert speaker.action("Receiver", "Sender") == before


def test_a_room_that_listens_leads_to_the_origin(speaker, oh_renderer, oh_link, zones, listener):
    zone = udn(oh_renderer.uuid)
    own = zones.ask(zone)
    guest = listener()
    origin = songcast.Sender(oh_link.phone, zone="origin")
    try:
        mark = zones.told.mark()
        speaker.action("Receiver", "SetSender", Uri=origin.zone_uri, Metadata="")
        speaker.action("Receiver", "Play")
        until(lambda: origin.listeners, 5, "the room at its sender")
        zones.told.wait_count(3, lambda told: told == (zone, origin.uri), 5, "the origin", mark)
        assert zones.ask(zone) == origin.uri
        assert speaker.action("Sender", "Status2")["Value"] == "Inactive"
        assert speaker.action("Sender", "Status")["Value"] == "Enabled"
        # Whoever asks the room itself gets nothing.
        late = listener(joins=False)
        late.send(songcast.JOIN)
        time.sleep(0.3)
        assert late.messages.items == []
        mark, heard = zones.told.mark(), guest.messages.mark()
        speaker.action("Receiver", "Stop")
        zones.told.wait_count(3, lambda told: told == (zone, own), 5, "its own place again", mark)
        assert speaker.action("Sender", "Status2")["Value"] == "Ready"
        # Who was there is known again as soon as it says that it listens.
        guest.wait(lambda each: each.kind == TRACK, 4, "Track", heard)
    finally:
        speaker.action("Receiver", "SetSender", Uri="", Metadata="")
        origin.close()


# Strangers

@pytest.mark.audio
def test_nonsense_and_floods(speaker, listener, oh_media, oh_renderer, oh_link, zones):
    guest, flooder = listener(), listener()
    samples = sound.noise(2.5, seed=51)
    play(speaker, served(oh_media, samples, "flood"))
    guest.wait_sound()
    random = numpy.random.default_rng(51)
    whole = [songcast.message(b"Ohm ", kind, bytes(length)) for kind in range(9) for length in (0, 1, 7, 54, 300)]
    whole += [songcast.message(b"Ohz ", kind, bytes(length)) for kind in range(5) for length in (0, 3, 8, 200)]
    # Lists and texts that are longer than what is there.
    whole += [songcast.message(b"Ohm ", kind, b"\xff" * length) for kind in (4, 5, 6, 7) for length in (4, 12, 60)]
    whole += [songcast.message(b"Ohz ", kind, b"\xff" * length) for kind in (0, 1, 3) for length in (4, 8, 60)]
    nonsense = [each[:cut] for each in whole for cut in (len(each), len(each) // 2, 5)]
    nonsense += [each + b"behind it" for each in whole]
    nonsense += [random.bytes(int(length)) for length in random.integers(0, 9000, 100)]
    strangers = [songcast.Receiver(oh_link.phone, f"ohu://{flooder.target[0]}:{port}", joins=False)
                 for port in (flooder.target[1], 51973)]
    for data in nonsense:
        # That may be a Join, and the answers to it.
        for stranger in strangers:
            stranger.raw(data)
        zones.socket.sendto(data, songcast.ZONES)
    strangers[0].leave()
    mark, begun = flooder.messages.mark(), time.monotonic()
    for _ in range(1000):
        flooder.send(songcast.JOIN)
    recent = flooder.frames()[-1].number
    for _ in range(200):
        flooder.resend(*range(recent - 40, recent - 20))
    told = zones.told.mark()
    for _ in range(300):
        zones.query(udn(oh_renderer.uuid))
    passed = time.monotonic() - begun + 0.5
    time.sleep(0.5)
    assert len(flooder.of(TRACK, mark)) <= 10 + 10 * passed + 2
    again = [frame for frame in flooder.frames(mark) if frame.flags & RESENT]
    assert 20 <= len(again) <= 400 + 400 * passed and len(again) <= 20 * (passed / 0.020 + 1)
    assert 1 <= len(zones.told.since(told)) <= 20 + 20 * passed + 2
    for stranger in strangers:
        stranger.close()
    guest.wait_halt(8)
    assert_counted(guest.frames())
    assert_sent(guest.frames(), samples)
    assert zones.ask(udn(oh_renderer.uuid))


# What there is while nobody listens

def ports(host):
    """The UDP ports that are open on a machine."""
    return {int(line.split()[1].split(":")[1], 16) for line in host.sh("cat", "/proc/net/udp").splitlines()[1:]}


def threads(subject):
    return [path.read_text().strip() for path in Path(f"/proc/{subject.pid}/task").glob("*/comm")]


def test_nobody_costs_nothing(speaker, listener, oh_link, oh_renderer):
    assert 51972 in ports(oh_link.host)
    until(lambda: "room-sender" not in threads(oh_renderer), 3, "the end of the thread")
    assert 51973 not in ports(oh_link.host)
    guest = listener()
    until(lambda: "room-sender" in threads(oh_renderer) and 51973 in ports(oh_link.host), 3, "a thread and a port")
    guest.leave()
    until(lambda: "room-sender" not in threads(oh_renderer) and 51973 not in ports(oh_link.host), 3, "nothing of it")


# Multicast

@pytest.fixture
def grouped(launch, own_host):
    """A room that sends to a group: itself, and the network and the address where it is heard."""
    link = own_host.link()
    subject = launch(own_host, settings={"rooms": {"mode": "multicast"}})
    watch = songcast.ZoneWatch(link.phone)
    yield Speaker.of(subject, link), link, watch.ask(udn(subject.uuid))
    watch.close()


@pytest.mark.audio
def test_multicast_reaches_all_with_one_stream(grouped):
    speaker, link, uri = grouped
    assert uri.startswith("ohm://239.253.") and uri.endswith(":51970")
    assert "ohz:*:*:m" in speaker.action("Sender", "Metadata")["Value"]
    assert speaker.refusal("Receiver", "SetSender", Uri=uri, Metadata="") == 800
    media, guests = MediaServer(link.phone), [songcast.Receiver(link.phone, uri).wait_joined() for _ in range(2)]
    samples = sound.noise(3, seed=81)
    play(speaker, served(media, samples, "group"))
    for guest in guests:
        guest.wait_sound()
    lost = guests[0].frames()[-1].number
    guests[0].resend(lost)
    guests[0].wait(lambda each: each.kind == AUDIO and each.data[9] & RESENT, 2, "the frame once more")
    guests[0].wait_halt()
    for guest in guests:
        frames = [frame for frame in guest.frames() if not frame.flags & RESENT]
        assert_sent(frames, samples)
        assert_counted(frames)
        assert {each.source[0] for each in guest.of(AUDIO)} == {link.speaker}
        guest.close()
    media.close()
    until(lambda: speaker.action("Sender", "Status2")["Value"] == "Ready", 14, "forgetting who says nothing more")


@pytest.mark.audio
def test_of_two_senders_in_a_group_one_gives_way(grouped):
    speaker, link, uri = grouped
    media, guest = MediaServer(link.phone), songcast.Receiver(link.phone, uri).wait_joined()
    play(speaker, served(media, sound.noise(12, seed=82), "blocked"))
    guest.wait_sound()
    port = int(uri.rsplit(":", 1)[1])
    other = songcast.Sender(link.phone, multicast=(uri[6:].split(":")[0], port))
    other.packet(songcast.noise(0.005), 0, 0)
    until(lambda: speaker.action("Sender", "Status")["Value"] == "Blocked", 2, "Blocked")
    mark = guest.messages.mark()
    time.sleep(0.5)
    assert [each for each in guest.of(AUDIO, mark) if each.source[0] == link.speaker] == []
    other.close()
    until(lambda: speaker.action("Sender", "Status")["Value"] == "Enabled", 5, "Enabled again")
    mark = guest.messages.mark()
    guest.wait_sound(mark)
    guest.close()
    media.close()


def test_without_rooms_nobody_can_listen(launch, make_host):
    host = make_host()
    link = host.link()
    subject = launch(host, settings={"rooms": {"enabled": False}})
    speaker = Speaker.of(subject, link)
    assert "Sender" not in speaker.types
    assert not {51972, 51973} & ports(host)
    watch = songcast.ZoneWatch(link.phone)
    watch.query(udn(subject.uuid))
    time.sleep(0.3)
    assert watch.told.items == []
    watch.close()
