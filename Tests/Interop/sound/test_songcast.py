"""What another room sends (Songcast): senders of several kinds, written here, and the sound that the renderer makes."""

import threading
import time

import numpy
import pytest
from kit import songcast
from kit.openhome import Speaker
from kit.subject import wait_recording
from kit.waiting import until


@pytest.fixture
def room(oh_renderer, oh_link):
    """The renderer, awake and stopped; its receiver's calls are `speaker.action("Receiver", …)`."""
    speaker = Speaker(oh_renderer.shared_location)
    speaker.fresh()
    oh_renderer.recording.unlink(missing_ok=True)
    yield speaker
    speaker.action("Receiver", "Stop")
    speaker.action("Receiver", "SetSender", Uri="", Metadata="")


@pytest.fixture
def sender(oh_link):
    made = []

    def make(**options):
        made.append(songcast.Sender(oh_link.phone, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def listen(room, sender, uri=None):
    room.action("Receiver", "SetSender", Uri=uri or sender.zone_uri, Metadata="")
    room.action("Receiver", "Play")
    until(lambda: sender.listeners, 5, "a listener")


def state(room):
    return room.action("Receiver", "TransportState")["Value"]


#: A fifth of a second of what is heard is at least so much like what was sent.
ALIKE = 0.85


def lows(values):
    """Without the highest tones: noise that is half a sample away would look quite different."""
    return numpy.convolve(values.astype(float), numpy.ones(8) / 8, "same")


def place(recording, samples, at):
    """Where a fifth of a second of `samples` from the frame `at` on is in the recording, in frames, and how much alike
    they are."""
    heard = lows(recording.samples[:, 0])
    wanted = lows(samples[at:at + recording.rate // 5, 0])
    size = 1 << (len(heard) + len(wanted)).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(heard, size) * numpy.fft.rfft(wanted, size).conj(), size)
    best = int(numpy.argmax(product[:len(heard)]))
    part = heard[best:best + len(wanted)]
    likeness = float(part @ wanted[:len(part)] / (numpy.linalg.norm(part) * numpy.linalg.norm(wanted) + 1e-9))
    return best, likeness


def assert_heard(recording, samples):
    """`samples` are heard, each at its place. A busy machine sends some of them too late, so not every part counts."""
    found = [(at, *place(recording, samples, at))
             for at in range(recording.rate // 2, len(samples) - recording.rate // 2, recording.rate // 2)]
    good = [(at, best) for at, best, likeness in found if likeness > ALIKE]
    assert len(good) * 3 >= len(found) * 2, found
    shifts = [best - at for at, best in good]
    assert max(shifts) - min(shifts) <= 0.005 * recording.rate, shifts


@pytest.mark.parametrize("options", [
    {}, {"packet_ms": 10, "stamps": False}, {"rate": 48000}, {"multicast": ("239.253.7.9", 51970)}],
    ids=["stamped", "desktop", "48k", "multicast"])
def test_what_is_sent_is_heard(room, oh_renderer, sender, options):
    sender = sender(**options)
    listen(room, sender)
    assert state(room) == "Waiting"
    samples = songcast.noise(6, sender.rate)
    sender.play(samples)
    until(lambda: state(room) == "Waiting", 5, "waiting after the halt")
    room.action("Receiver", "Stop")
    recording = wait_recording(oh_renderer)
    assert recording.rate == sender.rate
    assert_heard(recording, samples)


def test_info_follows_the_sender(room, sender):
    sender = sender()
    listen(room, sender)
    until(lambda: room.action("Info", "Track")["Uri"] == "http://192.0.2.1/one.flac", 5, "the track")
    counted = int(room.action("Info", "Counters")["TrackCount"])
    thread = threading.Thread(target=sender.play, args=(songcast.noise(4),))
    thread.start()
    until(lambda: state(room) == "Playing", 5, "sound")
    details = room.action("Info", "Details")
    assert (details["CodecName"], details["SampleRate"], details["BitDepth"], details["Lossless"]) == (
        "FLAC", "44100", "16", "1")
    sender.set_track("http://192.0.2.1/two.flac", "<DIDL-Lite>two</DIDL-Lite>")
    until(lambda: room.action("Info", "Track")["Metadata"] == "<DIDL-Lite>two</DIDL-Lite>", 5, "the second track")
    assert int(room.action("Info", "Counters")["TrackCount"]) > counted
    sender.set_text("<DIDL-Lite>a song</DIDL-Lite>")
    until(lambda: room.action("Info", "Metatext")["Value"] == "<DIDL-Lite>a song</DIDL-Lite>", 5, "the song")
    thread.join()


def test_lost_frames_are_sent_again(room, oh_renderer, sender):
    sender = sender(drop=lambda frame: frame % 20 == 7)
    listen(room, sender)
    samples = songcast.noise(5)
    sender.play(samples)
    until(lambda: state(room) == "Waiting", 5, "waiting after the halt")
    room.action("Receiver", "Stop")
    assert sender.kinds(7) > 0 and sender.resent >= 40
    assert_heard(wait_recording(oh_renderer), samples)


def test_a_listener_leaves_once(room, sender):
    sender = sender()
    listen(room, sender)
    time.sleep(3)
    assert sender.kinds(0) >= 1 and sender.kinds(1) >= 1, "neither joined nor kept listening"
    joins = sender.kinds(0)
    assert joins <= 3, "it joined again although it was answered"
    room.action("Receiver", "Stop")
    until(lambda: not sender.listeners, 3, "leaving")
    time.sleep(1)
    assert sender.kinds(2) == 1
    assert state(room) == "Stopped"


@pytest.mark.parametrize("leave", ["source", "standby", "playlist"])
def test_leaving_the_source_leaves_the_room(room, sender, leave, oh_media):
    sender = sender()
    listen(room, sender)
    if leave == "source":
        room.product("SetSourceBySystemName", Value="Radio")
    elif leave == "standby":
        room.product("SetStandby", Value=1)
    else:
        room.playlist("Play")
    until(lambda: not sender.listeners, 3, "leaving")
    assert state(room) == "Stopped"
    room.product("SetStandby", Value=0)


def test_a_zone_that_moves_is_followed(room, sender):
    first = sender(zone="moving")
    listen(room, first)
    second = sender(zone="elsewhere")
    first.announce(second.uri)
    until(lambda: second.listeners, 3, "the listener at its new place")
    until(lambda: not first.listeners, 3, "leaving the old one")
    assert room.action("Receiver", "Sender")["Uri"] == first.zone_uri
    first.announce("ohu://0.0.0.0:0")
    until(lambda: not second.listeners, 3, "leaving a zone that is silent")
    assert state(room) == "Waiting"


def test_a_sender_that_begins_again_is_heard(room, oh_renderer, sender):
    sender = sender()
    listen(room, sender)
    sender.play(songcast.noise(2, seed=1), halts=False)
    sender.begin_again()
    samples = songcast.noise(4, seed=2)
    sender.play(samples)
    until(lambda: state(room) == "Waiting", 5, "waiting after the halt")
    room.action("Receiver", "Stop")
    assert_heard(wait_recording(oh_renderer), samples)


def test_what_is_no_sender_is_refused(room):
    for uri in ["ohz://239.255.255.250:51972/", "ohz://192.0.2.1:51972/zone", "http://192.0.2.1/", "nonsense",
                "ohu://192.0.2.1", "ohm://239.253.1.1:99999"]:
        assert room.refusal("Receiver", "SetSender", Uri=uri, Metadata="") == 800, uri
    assert room.action("Receiver", "ProtocolInfo")["Value"] == "ohz:*:*:*,ohm:*:*:*,ohu:*.*.*"


def test_the_sender_survives_a_restart(oh_link, launch, sender):
    sender = sender(zone="kept")
    subject = launch(oh_link.host)
    room = Speaker.of(subject, oh_link)
    listen(room, sender)
    time.sleep(1.5)
    subject.kill()
    sender.listeners.clear()
    subject.start()
    room = Speaker.of(subject, oh_link)
    assert room.action("Receiver", "Sender")["Uri"] == sender.zone_uri
    until(lambda: sender.listeners, 5, "listening again by itself")


def test_a_sender_that_died_is_heard_again(room, oh_renderer, sender):
    first = sender(zone="dies")
    listen(room, first)
    first.play(songcast.noise(2, seed=1), halts=False)
    first.close()
    until(lambda: state(room) == "Waiting", 6, "noticing the silence")
    second = sender(zone="dies")
    until(lambda: second.listeners, 8, "the listener at the sender's new port")
    samples = songcast.noise(4, seed=3)
    second.play(samples)
    until(lambda: state(room) == "Waiting", 5, "waiting after the halt")
    room.action("Receiver", "Stop")
    assert_heard(wait_recording(oh_renderer), samples)


def test_a_pause_of_the_sender_is_waited_out(room, oh_renderer, sender):
    sender = sender()
    listen(room, sender)
    sender.play(songcast.noise(2, seed=1))
    until(lambda: state(room) == "Waiting", 5, "waiting after the halt")
    time.sleep(4)
    samples = songcast.noise(4, seed=3)
    sender.play(samples)
    until(lambda: state(room) == "Waiting", 5, "waiting after the second halt")
    room.action("Receiver", "Stop")
    assert_heard(wait_recording(oh_renderer), samples)


def test_what_is_not_sent_by_a_neighbour_is_not_heard(room, sender):
    sender = sender(zone="trap")
    room.action("Receiver", "SetSender", Uri=sender.zone_uri, Metadata="")
    sender.uri = "ohu://192.0.2.99:5000"
    room.action("Receiver", "Play")
    time.sleep(1)
    sender.announce("ohm://239.1.2.3:5000")
    time.sleep(0.5)
    assert not sender.listeners and state(room) == "Waiting"


def test_without_rooms_there_is_no_receiver_and_no_sender(launch, make_host):
    host = make_host()
    link = host.link()
    room = Speaker.of(launch(host, settings={"rooms": {"enabled": False}}), link)
    assert not {"Receiver", "Sender"} & set(room.types)
    assert not {"Receiver", "Sender"} & set(room.product("Attributes")["Value"].split())
    assert "Songcast" not in room.product("SourceXml")["Value"]
