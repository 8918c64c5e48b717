"""Media servers and files that misbehave: the failure is told soon, in order, and the next track plays."""

import random
import socket
import time

import pytest
from kit import compare, matroska, sound
from kit.gena import Subscription
from kit.media_server import MediaServer
from kit.playing import start, wait_failure
from kit.subject import chosen, wait_recording
from kit.upnp import AVT, CM, didl
from kit.waiting import PATIENCE, until

pytestmark = pytest.mark.faults

NOISE = sound.noise(8, seed=40)
WAV = sound.wav(NOISE)


def still_plays(device, events, media, renderer):
    """After a failure a good track plays, whole, and the error is forgotten."""
    samples = sound.noise(1, seed=41)
    renderer.recording.unlink(missing_ok=True)
    uri = media.add("/good.wav", sound.wav(samples), "audio/wav")
    device.set_uri(uri)
    mark = events.events.mark()
    device.play()
    playing = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
    events.wait_change("TransportState", "STOPPED", 10, since=events.events.behind(playing))
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))


HTML = b"<!DOCTYPE html><html><head><title>Log in</title></head><body>" + b"<p>no music here</p>" * 200 + b"</body></html>"


def bad_404(media):
    return media.refuse("/gone.mp3")


def bad_403(media):
    return media.refuse("/private.mp3", "403 Forbidden")


def bad_500(media):
    return media.refuse("/broken.mp3", "500 Internal Server Error")


def bad_html(media):
    return media.add("/login.mp3", HTML, "text/html")


def bad_html_as_audio(media):
    return media.add("/login2.mp3", HTML, "audio/mpeg")


def bad_garbage(media):
    return media.add("/garbage.flac", random.Random(7).randbytes(300_000), "audio/flac")


def bad_empty(media):
    return media.add("/empty.mp3", b"", "audio/mpeg")


def bad_circle(media):
    media.redirect("/a", media.base + "/b")
    return media.redirect("/b", media.base + "/a")


def bad_self(media):
    return media.redirect("/self", media.base + "/self")


def bad_to_file(media):
    return media.redirect("/file", "file:///etc/passwd")


def bad_refused_port(media):
    with socket.socket() as unused:
        unused.bind((media.base[7:].split(":")[0], 0))
        return f"http://{unused.getsockname()[0]}:{unused.getsockname()[1]}/x.mp3"


def bad_name(media):
    return "http://no-such-host.invalid/x.mp3"


def bad_port(media):
    return "http://10.77.1.2:99999/x.mp3"


@pytest.mark.parametrize("bad", [
    bad_404, bad_403, bad_500, bad_html, bad_html_as_audio, bad_garbage, bad_empty, bad_circle, bad_self, bad_to_file,
    bad_refused_port, bad_name, bad_port], ids=lambda f: f.__name__[4:])
def test_failure_becomes_state_within_a_second_or_so(device, events, media, renderer, bad):
    uri = bad(media)
    mark = events.events.mark()
    if device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=uri, CurrentURIMetaData="") == 716:
        assert bad is bad_port
        return
    begun = time.monotonic()
    refused = device.fault(AVT, "Play", InstanceID=0, Speed=1)
    assert refused in ({}, 716, 714, 704)
    event = wait_failure(events, 10, mark)
    # A name that resolves nowhere takes as long as the resolver does.
    assert event.at - begun < (6 if bad is bad_name else 2) * PATIENCE
    info = device.avt("GetTransportInfo")
    assert (info["CurrentTransportState"], info["CurrentTransportStatus"]) == ("STOPPED", "ERROR_OCCURRED")
    assert "PLAYING" not in [e.changes.get("TransportState") for e in events.events.since(mark)]
    still_plays(device, events, media, renderer)


def test_failure_is_logged_with_address_and_cause(device, events, media, renderer):
    if chosen().name != "vireod":
        pytest.skip("a matter of Vireo's log")
    uri = media.refuse("/not-there.mp3")
    mark, log = events.events.mark(), renderer.log.mark()
    start(device, uri + "?token=verysecret")
    wait_failure(events, 5, mark)
    renderer.log.wait(lambda text: "not-there.mp3" in text and "404" in text, 5, "a line with address and cause", log)
    assert not [text for text in renderer.log.since(log) if "verysecret" in text], "secrets stay out of the log"


def test_unreachable_host(device, events, media, link, renderer):
    mark = events.events.mark()
    start(device, f"http://10.77.{link.number}.99/x.mp3")
    wait_failure(events, 8, mark)  # the system gives up after three seconds, the renderer's own limit here is three


def test_server_that_never_answers(device, events, link, renderer, media):
    with socket.socket() as silent:
        silent.bind((link.phone, 0))
        silent.listen()
        mark = events.events.mark()
        start(device, f"http://{link.phone}:{silent.getsockname()[1]}/x.mp3")
        wait_failure(events, 10, mark)
    still_plays(device, events, media, renderer)


def test_stall_is_transitioning_then_an_error(device, events, media, renderer):
    uri = media.add("/stall.wav", WAV, "audio/wav", mode="stall", after=600_000)
    mark = events.events.mark()
    start(device, uri)
    playing = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    mark = events.events.behind(playing)
    events.wait_change("TransportState", "TRANSITIONING", 12, since=mark)
    wait_failure(events, 15, mark)
    still_plays(device, events, media, renderer)


def test_stall_that_ends_in_time_loses_nothing(device, events, media, renderer):
    uri = media.add("/pause.wav", WAV, "audio/wav", mode="stall", after=500_000)
    mark = events.events.mark()
    start(device, uri)
    playing = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    mark = events.events.behind(playing)
    events.wait_change("TransportState", "TRANSITIONING", 12, since=mark)
    mark = events.events.mark()
    media.go_on()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 20, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(NOISE, 16))


def test_connection_reset_in_the_middle(device, events, media, renderer):
    """What has come until then is heard, then the failure is told."""
    uri = media.add("/reset.wav", WAV, "audio/wav", mode="reset", after=500_000)
    mark = events.events.mark()
    start(device, uri)
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    mark = events.events.mark()
    media.go_on()
    wait_failure(events, 20, mark)
    heard = wait_recording(renderer).samples
    compare.assert_identical(heard, sound.scale(NOISE[:len(heard)], 16))
    assert len(heard) > 1000, "what had come when the connection broke"
    still_plays(device, events, media, renderer)


def test_less_than_promised(device, events, media, renderer):
    """All that is there is heard, then the failure is told."""
    uri = media.add("/short.wav", WAV[:400_044], "audio/wav", mode="short", after=400_044)
    mark = events.events.mark()
    start(device, uri)
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    wait_failure(events, 20, mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(NOISE[:100_000], 16))
    still_plays(device, events, media, renderer)


def test_more_than_promised(device, events, media, renderer):
    uri = media.add("/long.wav", WAV[:400_000], "audio/wav", mode="long")
    mark = events.events.mark()
    start(device, uri)
    playing = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 20, since=events.events.behind(playing))
    still_plays(device, events, media, renderer)


def test_truncated_flac(device, events, media, renderer):
    data = sound.flac(NOISE)
    uri = media.add("/cut.flac", data[:len(data) // 3], "audio/flac")
    mark = events.events.mark()
    start(device, uri)
    playing = events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 15, since=events.events.behind(playing))
    still_plays(device, events, media, renderer)


@pytest.mark.parametrize("times", [
    {}, {"cluster": 2**64 - 2**20, "scale": 1, "block": 2**20}, {"cluster": 2**63 - 1, "scale": 1},
    {"block": 2**64 - 2, "scale": 1}, {"cluster": 2**44, "block": 2**44}, {"scale": 2**63}, {"scale": 0},
    {"duration": float("nan")}, {"duration": -1.0}, {"duration": 1e300}, {"rate": 1e300}, {"rate": float("nan")},
], ids=str)
def test_times_that_no_clock_holds(device, events, media, renderer, times):
    """Whatever a file says of its times, it ends or fails, and what comes behind it plays."""
    data = matroska.vorbis_track(sound.vorbis(sound.tone(1, 440)), **times)
    uri = media.add("/times.mka", data, "audio/x-matroska")
    start(device, uri)

    def state():
        return device.avt("GetTransportInfo")["CurrentTransportState"]
    if not times:
        until(lambda: state() == "PLAYING", 10, "the file is one that plays")
    until(lambda: state() == "STOPPED", 10, "an end")
    still_plays(device, events, media, renderer)


def test_redirects_are_followed(device, events, media, renderer):
    samples = sound.noise(1, seed=42)
    media.add("/real.wav", sound.wav(samples), "audio/wav")
    media.redirect("/2", media.base + "/real.wav")
    uri = media.redirect("/1", media.base + "/2")
    mark = events.events.mark()
    start(device, uri)
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", 10, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))
    assert device.avt("GetMediaInfo")["CurrentURI"] == uri, "the address is the one that was sent"


def test_without_range_it_plays_and_refuses_to_seek(device, events, media, renderer):
    samples = sound.noise(3, seed=43)
    uri = media.add("/norange.wav", sound.wav(samples), "audio/wav", mode="no-range")
    mark = events.events.mark()
    start(device, uri)
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    until(lambda: "Seek" not in device.avt("GetCurrentTransportActions")["Actions"].split(","), 3, "no Seek on offer")
    assert device.fault(AVT, "Seek", InstanceID=0, Unit="REL_TIME", Target="0:00:02") in (710, 711)
    events.wait_change("TransportState", "STOPPED", 10, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))


def test_slow_server_loses_nothing(device, events, media, renderer):
    samples = sound.noise(3, seed=44)
    uri = media.add("/slow.wav", sound.wav(samples), "audio/wav", mode="slow", rate=120_000)
    mark = events.events.mark()
    start(device, uri)
    events.wait_change("TransportState", "PLAYING", 15, since=mark)
    events.wait_change("TransportState", "STOPPED", 25, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))


@pytest.mark.parametrize("bad", [bad_404, bad_html_as_audio], ids=lambda f: f.__name__[4:])
def test_a_bad_next_track_doesnt_cut_the_current_one(device, events, media, renderer, bad):
    samples = sound.noise(3, seed=45)
    device.set_uri(media.add("/first.wav", sound.wav(samples), "audio/wav"))
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    device.set_next(bad(media))
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(samples, 16))
    still_plays(device, events, media, renderer)


#: FLAC's decoders switched off by GStreamer's own means.
NO_FLAC = {"GST_PLUGIN_FEATURE_RANK": "flacdec:NONE,avdec_flac:NONE"}


def test_only_what_can_be_decoded_is_offered(own_host, launch):
    if chosen().name != "vireod":
        pytest.skip("gmediarender offers whatever GStreamer has a name for")
    cable = own_host.link()
    sink = launch(own_host, environment=NO_FLAC).device(cable).call(CM, "GetProtocolInfo")["Sink"]
    assert "audio/mpeg" in sink and "audio/flac" not in sink


def test_missing_decoder_names_the_package(own_host, launch):
    if chosen().name != "vireod":
        pytest.skip("a matter of Vireo's log")
    cable = own_host.link()
    subject = launch(own_host, environment=NO_FLAC)
    device = subject.device(cable)
    server = MediaServer(cable.phone)
    try:
        with Subscription(device.services[AVT].event, cable.phone) as events:
            events.initial()
            mark = events.events.mark()
            start(device, server.add("/x.flac", sound.flac(NOISE), "audio/flac"))
            wait_failure(events, 10, mark)
        subject.log.wait(lambda line: "gstreamer1.0-" in line, 5, "the name of the Debian package")
    finally:
        server.close()


def test_station_titles(device, events, media, tmp_path):
    data = sound.mp3(sound.music(12), folder=tmp_path)
    uri = media.add("/station", data, "audio/mpeg", mode="icy", rate=24_000, metaint=8192,
                    titles=("First song",) * 6 + ("Second - Song",))
    mark = events.events.mark()
    start(device, uri, didl("My station", uri, "audio/mpeg"))
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    assert [r for r in media.requests.items if r.headers.get("icy-metadata") == "1"], "titles are asked for"
    events.wait_change("CurrentTrackMetaData", lambda text: "First song" in text, 10, since=mark)
    events.wait_change(
        "CurrentTrackMetaData", lambda text: "<dc:title>Song<" in text and ">Second<" in text, 15, since=mark)
    assert "My station" in device.avt("GetMediaInfo")["CurrentURIMetaData"], "what was sent stays as it was sent"
    device.stop()


def test_stop_while_a_server_hangs_is_quick(device, events, link):
    with socket.socket() as silent:
        silent.bind((link.phone, 0))
        silent.listen()
        start(device, f"http://{link.phone}:{silent.getsockname()[1]}/x.mp3")
        events.wait_change("TransportState", "TRANSITIONING", 5)
        mark, begun = events.events.mark(), time.monotonic()
        device.stop()
        event = events.wait_change("TransportState", "STOPPED", 5, since=mark)
        assert event.at - begun < 1 * PATIENCE


def test_many_changes_of_track_in_a_row(device, events, media, renderer):
    """Somebody presses next, next, next: the last one plays."""
    uris = [media.add(f"/{n}.wav", sound.wav(sound.noise(2, seed=50 + n)), "audio/wav") for n in range(12)]
    for uri in uris:
        start(device, uri)
    assert device.avt("GetMediaInfo")["CurrentURI"] == uris[-1]
    until(lambda: device.state() == "STOPPED", 15, "the end of the last")
    recorded = wait_recording(renderer).samples
    last = sound.scale(sound.noise(2, seed=61), 16)
    compare.assert_identical(recorded[len(recorded) - len(last):], last)
