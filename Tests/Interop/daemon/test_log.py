"""What gets into the log: nobody fills a disk with it, and nobody's password is in it; nor on the status page. And how often a
server is asked that somebody else has named."""

import time
from urllib.parse import urljoin

import pytest
from kit import http, sound
from kit.openhome import Speaker
from kit.subject import chosen
from kit.upnp import Fault
from kit.waiting import until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's log")

#: What is written of a kind in a minute, and a summary behind it; twice, where a slow machine begins another minute.
MOST = 2 * (20 + 1)
#: A line with everything that somebody else may put into it.
LONGEST = 2100

TITLE = "T" * 3000
DIDL = ('<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">'
        f"<dc:title>{TITLE}</dc:title><upnp:class>object.item.audioItem.musicTrack</upnp:class></item></DIDL-Lite>")


@pytest.fixture
def renderer(own_host, launch):
    """At the level that everybody has."""
    return launch(own_host, arguments=["--log-level", "info"], settings={
        "volume": {"initial": 10, "limit": 50}, "hooks": {"on-volume": ["/bin/false"]}})


def casts(device, speaker, served, number):
    device.set_uri(f"{served.base}/{number}/" + "x" * 4000, DIDL)


def queues(device, speaker, served, number):
    if number == 0:
        device.set_uri(f"{served.base}/first")
    device.set_next(f"{served.base}/{number}", DIDL)


def tunes(device, speaker, served, number):
    speaker.radio("SetChannel", Uri=f"{served.base}/{number}", Metadata=DIDL)


def too_loud(device, speaker, served, number):
    device.set_volume(60 + number % 40)


def hooks(device, speaker, served, number):
    device.set_volume(number % 50)
    time.sleep(0.005)  # the program that fails takes about as long; nothing waits for this


def dead(device, speaker, served, number):
    device.set_uri(f"{served.base}/{number}")
    device.play()
    served.requests.wait(lambda request: request.path == f"/{number}", 10, f"request {number}")


def lists(device, speaker, served, number):
    served.add(f"/{number}.m3u", b"file:///etc/passwd\n", "audio/x-mpegurl")
    device.set_uri(f"{served.base}/{number}.m3u")
    device.play()


def strange(device, speaker, served, number):
    assert http.get(urljoin(device.location, f"/nothing/{number}")).status == 404


@pytest.mark.parametrize("flood, word, times", [
    (casts, " casts ", 300), (queues, " queues ", 300), (tunes, " tunes to ", 300), (too_loud, "is the limit", 300),
    (hooks, "hook on volume", 300), (dead, "can't play", 60), (lists, "can't play", 100), (strange, "nothing is served", 100)])
def test_a_flood_is_counted(own_host, cable, renderer, served, flood, word, times):
    device, speaker = renderer.device(cable), Speaker.of(renderer, cable)
    mark = renderer.log.mark()
    for number in range(times):
        flood(device, speaker, served, number)
    renderer.log.wait(lambda line: word in line, 10, "the first are written", mark)
    renderer.terminate()
    lines = renderer.log.since(mark)
    found = [line for line in lines if word in line]
    assert len(found) <= MOST, f"{len(found)} lines of {times}"
    assert len(lines) < 3 * MOST, "\n".join(lines[-40:])
    assert max(len(line.encode()) for line in lines) <= LONGEST
    # What wasn't told yet is told at the end, where the number is known for certain.
    if flood in (casts, queues, tunes, too_loud):
        told = [int(line.split(" more of these")[0].split()[-1]) for line in found if " more of these in " in line]
        assert sum(told) + len(found) - len(told) == times, "each is counted"


def test_tracks_of_no_length_ask_slowly(own_host, cable, renderer, served):
    """Repeated without end: a request each, a line each."""
    speaker = Speaker.of(renderer, cable)
    uri = served.add("/short.wav", sound.wav(sound.tone(0.01, 440)), "audio/wav")
    mark = renderer.log.mark()
    speaker.append(uri, uri + "?2")
    speaker.playlist("SetRepeat", Value=1)
    speaker.playlist("Play")
    served.requests.wait_count(60, lambda request: True, 30, "requests without a pause")
    begun, asked = time.monotonic(), served.requests.mark()
    time.sleep(4)  # the interval in which few must come
    passed = time.monotonic() - begun
    # Each is opened, and perhaps asked for its end, too.
    assert len(served.requests.since(asked)) <= 3 * (passed + 3)
    assert speaker.state_of("Playlist") in ("Playing", "Buffering")
    speaker.playlist("Stop")
    assert len([line for line in renderer.log.since(mark) if ": playing " in line]) <= MOST
    assert max(len(line.encode()) for line in renderer.log.since(mark)) <= LONGEST


def test_a_station_of_dead_addresses_asks_slowly_and_not_for_long(own_host, cable, renderer, served):
    speaker = Speaker.of(renderer, cable)
    entries = [served.base + f"/dead/{number}" for number in range(2000)]
    uri = served.add("/dead.m3u", "\n".join(entries).encode(), "audio/x-mpegurl")
    speaker.radio("SetChannel", Uri=uri, Metadata="")
    speaker.radio("Play")

    def asked():
        return [request for request in served.requests.since(0) if request.path.startswith("/dead/")]

    until(lambda: len(asked()) >= 6, 20, "the first few are tried")
    time.sleep(3)  # the interval in which few must come
    assert len(asked()) <= 20
    assert speaker.state_of("Radio") == "Buffering"
    speaker.radio("Stop")
    assert speaker.state_of("Radio") == "Stopped"
    mark = served.requests.mark()
    time.sleep(4.5)  # the interval in which nothing must come: longer than the longest pause
    assert not served.requests.since(mark)


@pytest.mark.slow
def test_a_station_of_dead_addresses_is_given_up(own_host, cable, renderer, served):
    speaker = Speaker.of(renderer, cable)
    entries = [served.base + f"/dead/{number}" for number in range(2000)]
    speaker.radio("SetChannel", Uri=served.add("/dead.m3u", "\n".join(entries).encode(), "audio/x-mpegurl"), Metadata="")
    speaker.radio("Play")
    renderer.log.wait(lambda line: "addresses of the list were tried in vain" in line, 90, "a word that it is given up")
    until(lambda: speaker.state_of("Radio") == "Stopped", 5, "stopped")
    assert len(served.requests.since(0)) <= 21


def test_secrets_are_neither_in_the_log_nor_on_the_status_page(own_host, cable, launch, served):
    """With everything that is logged at all."""
    subject = launch(own_host, arguments=["--log-level", "trace"], settings={
        "hooks": {"on-track": ["/bin/sh", "-c", 'echo "now $VIREO_URI"'], "on-error": ["/bin/sh", "-c", 'echo "$VIREO_ERROR"']}})
    device, speaker = subject.device(cable), Speaker.of(subject, cable)
    place = served.base.removeprefix("http://")
    music = sound.wav(sound.tone(0.5, 440))
    served.add("/good.wav", music, "audio/wav")
    served.add("/a;token=hush4/good.wav", music, "audio/wav")
    served.add("/a%3Ftoken=hush5", music, "audio/wav")
    served.refuse("/refused", "401 Unauthorized")
    served.redirect("/moved", f"http://me:hush6@{place}/gone;sid=hush7?apikey=hush8")
    addresses = [
        f"http://me:hush1@{place}/good.wav", f"{served.base}/good.wav?X-Plex-Token=hush2#hush3",
        f"{served.base}/a;token=hush4/good.wav", f"{served.base}/a%3Ftoken=hush5", f"{served.base}/moved",
        f"http://me:hush9@{place}/refused?api_key=hush10", f"http://me:hu/sh11hush@{place}/good.wav",
        f"http://me:hush12@{cable.phone}:9/nobody?sig=hush13", "http://me:hush14@nowhere.invalid/a?sig=hush15",
        f"{served.base}/token/hush16/none.wav", f"{served.base}/none.wav?url=http://me:hush17@host/",
        "ftp://me:hush18@host/", f"{served.base}/good.wav?u=me@mail&p=hush19",
    ]
    page = urljoin(device.location, "/status")
    shown = []
    for uri in addresses:
        mark = subject.log.mark()
        try:
            device.set_uri(uri)
            device.play()
            subject.log.wait(lambda line: "finished, nothing" in line or "can't play" in line, 15, f"the end of {uri}", mark)
        except Fault as fault:
            shown.append(fault.description)
        shown.append(http.get(page).text)
        speaker.radio("SetChannel", Uri=uri, Metadata="")
        speaker.append(uri)
    subject.terminate()
    found = [line for line in subject.log.items + shown if "hush" in line]
    assert not found, "\n".join(found)
    assert any("now http://" in line for line in subject.log.items), "the hook has said it"
