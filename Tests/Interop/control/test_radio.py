"""Radio: presets, stations by address or list, titles, HLS, and stations that break off."""

import re
import subprocess
import time
import xml.etree.ElementTree as ET
from datetime import datetime

import pytest
from kit import compare, openhome, sound
from kit.openhome import entries
from kit.subject import wait_recording
from kit.upnp import didl
from kit.waiting import until

DC = "{http://purl.org/dc/elements/1.1/}"
DIDL = "{urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/}"
UPNP = "{urn:schemas-upnp-org:metadata-1-0/upnp/}"
RATE = 24_000  # bytes of sound per second of a station at 192 kbit/s


@pytest.fixture(scope="module")
def mp3(tmp_path_factory):
    """Twelve seconds of a tone at 192 kbit/s, over and over."""
    return sound.mp3(sound.tone(12, 1000), folder=tmp_path_factory.mktemp("mp3"))


def station(media, path, mp3, titles=("A title",), **options):
    return media.add(path, mp3, "audio/mpeg", mode="icy", rate=RATE, titles=titles,
                     **{"metaint": 8192, **options})


def title_of(text):
    return ET.fromstring(text).findtext(f".//{DC}title")


def artist_of(text):
    return ET.fromstring(text).findtext(f".//{UPNP}artist")


def test_presets_of_the_configuration_and_of_lists(speaker, oh_media):
    array = speaker.ids("Radio")
    assert len(array) == int(speaker.radio("ChannelsMax")["Value"]) == 100, "padded to ChannelsMax"
    known = [number for number in array if number]
    assert len(known) == 3 and array[:3] == known and len(set(known)) == 3
    found = entries(speaker.radio("ReadList", IdList=" ".join(map(str, array)))["ChannelList"], "ChannelList")
    assert [list(entry) for entry in found] == [["Id", "Metadata"]] * 3
    assert [int(entry["Id"]) for entry in found] == known
    assert [title_of(entry["Metadata"]) for entry in found] == ["One & only", "Zwei <2>", "From a list"]
    for entry, path in zip(found, ("/station-1", "/station-2", "/from-list")):
        assert ET.fromstring(entry["Metadata"]).findtext(f".//{DIDL}res") == oh_media.base + path
        assert speaker.radio("Read", Id=entry["Id"])["Metadata"] == entry["Metadata"]
        assert len(entry["Metadata"]) <= 2048
    picture = ET.fromstring(found[0]["Metadata"]).findtext(f".//{UPNP}albumArtURI")
    assert picture == oh_media.base + "/one.png"
    assert entries(speaker.radio("ReadList", IdList=f"-1 {known[1]} x 777")["ChannelList"], "ChannelList")[0]["Id"] \
        == str(known[1])
    token = int(speaker.radio("IdArray")["Token"])
    assert speaker.radio("IdArrayChanged", Token=token)["Value"] == "0"
    assert speaker.radio("RefreshPresets") == {}


def test_preset_plays_and_tells_its_titles(speaker, watch, oh_media, mp3):
    station(oh_media, "/station-1", mp3, ("First Artist - First Song",) * 6 + ("One - Two - Second Song",))
    number = speaker.ids("Radio")[0]
    mark = watch.events.mark()
    speaker.radio("SetId", Value=number, Uri="")
    assert speaker.source() == "Radio" and speaker.radio("Id")["Value"] == str(number)
    assert speaker.state_of("Radio") == "Stopped", "chosen, not played"
    channel = speaker.radio("Channel")
    assert channel["Uri"] == oh_media.base + "/station-1" and title_of(channel["Metadata"]) == "One & only"
    watch.wait("Radio", "Uri", channel["Uri"], 5, mark)
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    assert [r for r in oh_media.requests.items if r.path == "/station-1" and r.headers.get("icy-metadata") == "1"]
    first = watch.wait("Info", "Metatext", lambda text: "First Song" in text, 10, mark)
    told = first.properties["Metatext"]
    assert (title_of(told), artist_of(told)) == ("First Song", "First Artist"), "one dash parts them"
    second = watch.wait("Info", "Metatext", lambda text: "Second Song" in text, 15, mark)
    told = second.properties["Metatext"]
    assert (title_of(told), artist_of(told)) == ("One - Two - Second Song", "A station"), "of two nobody knows which"
    said = [text for text in watch.values("Info", "Metatext", mark) if text]
    assert len(said) == len(set(said)) == 2, "evented on change and only on change"
    counters = speaker.action("Info", "Counters")
    assert counters["MetatextCount"] == "2"
    assert title_of(speaker.action("Info", "Track")["Metadata"]) == "One & only", "Metadata stays the station's"
    assert watch.state("Radio")["Metadata"] == channel["Metadata"]
    details = speaker.action("Info", "Details")
    assert details["CodecName"] == "MP3" and details["Lossless"] == "0" and details["Duration"] == "0"
    assert speaker.transport("StreamInfo")["CanPause"] == "0"
    mark = watch.events.mark()
    speaker.radio("Stop")
    watch.wait("Radio", "TransportState", "Stopped", 5, mark)
    assert speaker.radio("Channel") == channel, "survives the stop"


def test_pause_of_a_live_station_is_stop(speaker, watch, oh_media, mp3):
    uri = station(oh_media, "/live", mp3)
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("Live", uri, "audio/mpeg"))
    assert speaker.radio("Id")["Value"] == "0"
    mark = watch.events.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    mark = watch.events.mark()
    speaker.radio("Pause")
    watch.wait("Radio", "TransportState", "Stopped", 5, mark)
    assert "Paused" not in watch.values("Radio", "TransportState", mark)
    assert speaker.refusal("Radio", "SeekSecondAbsolute", Value=5) in (803, {})


def test_play_without_a_channel_does_nothing(launch, own_host):
    link = own_host.link()
    speaker = openhome.Speaker.of(launch(own_host), link)
    assert speaker.radio("Channel") == {"Uri": "", "Metadata": ""}
    assert speaker.refusal("Radio", "Play") == {}
    assert speaker.state_of("Radio") == "Stopped"
    assert speaker.ids("Radio") == [0] * 100


LISTS = {
    "M3U": ("station.m3u", "audio/x-mpegurl", "#EXTM3U\r\n#EXTINF:-1,Name\r\n{uri}\r\n"),
    "PLS": ("station.pls", "audio/x-scpls", "[playlist]\nNumberOfEntries=1\nFile1={uri}\nTitle1=Name\nLength1=-1\n"),
    "XSPF": ("station.xspf", "application/xspf+xml",
             '<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track>'
             "<location>{uri}</location></track></trackList></playlist>"),
    "ASX": ("station.asx", "video/x-ms-asf", '<asx version="3.0"><entry><ref href="{uri}"/></entry></asx>'),
    "OPML": ("station.opml", "text/x-opml",
             '<opml version="1"><body><outline text="All"><outline type="audio" text="Name" URL="{uri}?a=1&amp;b=2"/>'
             "</outline></body></opml>"),
    "ASX that names an M3U": ("outer.asx", "video/x-ms-asf",
                              '<asx version="3.0"><entryref href="{base}/inner.m3u"/></asx>'),
    "M3U behind redirects": ("hop", "audio/x-mpegurl", ""),
    "M3U by another name": ("listen", "audio/x-mpegurl", "{uri}\n"),
    "M3U of a dead and a living one": ("two.m3u", "audio/x-mpegurl", "{base}/dead\n{uri}\n"),
}


@pytest.mark.parametrize("name", LISTS)
def test_station_given_as_a_list(speaker, watch, oh_media, oh_renderer, mp3, name):
    uri = station(oh_media, "/behind-the-list", mp3)
    oh_media.refuse("/dead")
    inner = oh_media.add("/inner.m3u", f"#EXTM3U\n{uri}\n".encode(), "audio/x-mpegurl")
    path, mime, text = LISTS[name]
    listed = oh_media.add(f"/{path}", text.format(uri=uri, base=oh_media.base).encode(), mime)
    if not text:
        listed = oh_media.redirect("/hop-1.m3u", oh_media.redirect("/hop-2", inner))
    speaker.radio("SetChannel", Uri=listed, Metadata=didl(name, listed, mime))
    mark = watch.events.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    assert speaker.radio("Channel")["Uri"] == listed, "the station is what was chosen"
    until(lambda: oh_renderer.recording.exists() and oh_renderer.recording.stat().st_size > 250_000, 8, "sound")
    speaker.radio("Stop")
    recording = wait_recording(oh_renderer)
    assert abs(compare.frequency(recording.samples[8192:], recording.rate) - 1000) < 2


def test_hls_plays(speaker, watch, oh_media, oh_renderer, tmp_path):
    """Segments in MPEG-TS, as broadcasters send them."""
    source = tmp_path / "in.wav"
    source.write_bytes(sound.wav(sound.tone(6, 700, 48000), 48000))
    subprocess.run(
        ["ffmpeg", "-v", "error", "-i", source, "-c:a", "aac", "-b:a", "128k", "-f", "hls", "-hls_time", "2",
         "-hls_playlist_type", "vod", "-hls_segment_filename", tmp_path / "part%d.ts", tmp_path / "list.m3u8"],
        check=True, timeout=60)
    parts = sorted(tmp_path.glob("part*.ts"))
    assert len(parts) >= 3
    for part in parts:
        oh_media.add(f"/hls/{part.name}", part.read_bytes(), "video/mp2t")
    uri = oh_media.add("/hls/list.m3u8", (tmp_path / "list.m3u8").read_bytes(), "application/vnd.apple.mpegurl")
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("HLS", uri, "application/vnd.apple.mpegurl"))
    mark = watch.events.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    wanted = 48000 * 4 * 3
    until(lambda: oh_renderer.recording.exists() and oh_renderer.recording.stat().st_size > wanted, 12, "three seconds")
    speaker.radio("Stop")
    recording = wait_recording(oh_renderer)
    assert abs(compare.frequency(recording.samples[recording.rate // 2:], recording.rate) - 700) < 2
    body = recording.samples[recording.rate // 2:-2048]
    assert not compare.silences(body, recording.rate // 50), "a gap between parts"


def test_a_station_that_breaks_off_comes_back(speaker, watch, oh_media, mp3):
    """Buffering meanwhile, then Playing again; never Stopped, and the control point need do nothing."""
    uri = station(oh_media, "/breaks", mp3, drops=1, after=3 * RATE, metaint=4096)
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("Breaks", uri, "audio/mpeg"))
    start, asked = watch.events.mark(), oh_media.requests.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, start)

    def states():
        told = watch.values("Radio", "TransportState", start)
        assert "Stopped" not in told, told
        return told
    until(lambda: len(states()) > 2 and states()[-2:] == ["Buffering", "Playing"], 20, "Buffering, then Playing again")
    heard = states()
    assert heard.count("Playing") == 2
    assert len([r for r in oh_media.requests.since(asked) if r.path == "/breaks" and r.method == "GET"]) >= 2
    # Another subscription, and another message.
    until(lambda: watch.values("Transport", "TransportState", start)[-1:] == ["Playing"], 5, "Playing of Transport as well")


def attempts(lines):
    """(number, seconds until then) of each attempt to connect again that the log announces."""
    found = (re.search(r"attempt (\d+) to connect again follows in (\d+) s", line) for line in lines)
    return [(int(match[1]), int(match[2])) for match in found if match]


def test_connecting_again_backs_off(speaker, watch, oh_media, oh_renderer, mp3):
    """The server breaks off and then refuses for a while: asked after 1, 2 and 4 seconds, Buffering all the time, and
    Playing again as soon as one attempt succeeds."""
    path = "/gone-for-a-while"
    uri = station(oh_media, path, mp3, drops=1, after=4 * RATE, metaint=4096, afterwards="status",
                  status="503 Service Unavailable")
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("Gone for a while", uri, "audio/mpeg"))
    start, asked, lines = watch.events.mark(), oh_media.requests.mark(), oh_renderer.log.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, start)
    until(lambda: len(attempts(oh_renderer.log.since(lines))) >= 3, 25, "three attempts")
    assert attempts(oh_renderer.log.since(lines))[:3] == [(1, 1), (2, 2), (3, 4)]
    for service in ("Radio", "Transport"):
        told = watch.values(service, "TransportState", start)
        after = told[told.index("Playing") + 1:]
        assert after == ["Buffering"], f"{service} said {told}"
        assert speaker.state_of(service) == "Buffering"
    assert speaker.radio("Channel")["Uri"] == uri
    # By the daemon's own clock: when a request is noticed here depends on how busy this machine is.
    times = [datetime.fromisoformat(line[:23]) for line in oh_renderer.log.since(lines) if attempts([line])]
    waits = [(after - before).total_seconds() for before, after in zip(times, times[1:])]
    assert all(wait >= least - 0.2 for wait, least in zip(waits, (1, 2, 4))), waits
    assert len([r for r in oh_media.requests.since(asked) if r.path == path and r.method == "GET"]) >= 3
    mark = watch.events.mark()
    oh_media.resources[path].mode = "icy"
    watch.wait("Radio", "TransportState", "Playing", 15, mark)
    assert "Stopped" not in watch.values("Radio", "TransportState", start)
    watch.assert_sequence()


@pytest.mark.parametrize("seconds", [0.1, 1])
def test_a_station_that_breaks_off_before_it_is_heard_comes_back(speaker, watch, oh_media, oh_renderer, mp3, seconds):
    """Its buffer isn't full yet when the connection goes; then the server refuses for a while."""
    path = "/hardly-begun"
    uri = station(oh_media, path, mp3, drops=1, after=int(seconds * RATE), metaint=1024, afterwards="status",
                  status="503 Service Unavailable")
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("Hardly begun", uri, "audio/mpeg"))
    start, lines = watch.events.mark(), oh_renderer.log.mark()
    speaker.radio("Play")
    until(lambda: len(attempts(oh_renderer.log.since(lines))) >= 2, 15, "two attempts")
    assert speaker.state_of("Radio") == "Buffering"
    mark = watch.events.mark()
    oh_media.resources[path].mode = "icy"
    watch.wait("Radio", "TransportState", "Playing", 15, mark)
    assert "Stopped" not in watch.values("Radio", "TransportState", start)


@pytest.mark.parametrize("end", ["Stop", "Pause", "another source", "standby"])
def test_nothing_is_connected_to_once_it_is_stopped(speaker, watch, oh_media, oh_renderer, mp3, end):
    path = "/never-again"
    uri = station(oh_media, path, mp3, drops=1, after=4 * RATE, metaint=4096, afterwards="status")
    speaker.radio("SetChannel", Uri=uri, Metadata="")
    start, lines = watch.events.mark(), oh_renderer.log.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, start)
    until(lambda: attempts(oh_renderer.log.since(lines)), 15, "the first attempt is announced")
    mark = watch.events.mark()
    if end == "another source":
        speaker.product("SetSourceBySystemName", Value="Playlist")
    elif end == "standby":
        speaker.product("SetStandby", Value=1)
    else:
        speaker.radio(end)
    watch.wait("Radio", "TransportState", "Stopped", 5, mark)
    asked = oh_media.requests.mark()
    time.sleep(2.5)  # the interval in which nothing must come
    assert not [r for r in oh_media.requests.since(asked) if r.path == path]
    assert speaker.state_of("Radio") == "Stopped"


def test_a_station_that_isnt_there_stops_and_says_so(speaker, watch, oh_media, oh_renderer):
    uri = oh_media.refuse("/nothing-here")
    speaker.radio("SetChannel", Uri=uri, Metadata="")
    mark, log = watch.events.mark(), oh_renderer.log.mark()
    speaker.radio("Play")
    until(lambda: any("can't play" in line and "nothing-here" in line for line in oh_renderer.log.since(log)), 10, "the reason")
    until(lambda: speaker.state_of("Radio") == "Stopped", 10, "stopped")
    # The way there and back may be over before the event of SetChannel is taken: then there is nothing to tell.
    until(lambda: watch.values("Radio", "TransportState", mark)[-1:] in ([], ["Stopped"]), 10, "stopped, as it is told")
    assert "Playing" not in watch.values("Radio", "TransportState", mark)


@pytest.mark.parametrize("what", ["size", "depth", "redirects"])
def test_lists_are_bounded(speaker, watch, oh_media, mp3, what):
    """In size, in lists inside lists, and in redirects: what goes beyond is no station, and the daemon lives on."""
    good = station(oh_media, "/bounded", mp3)
    if what == "size":
        uri = oh_media.add("/huge.m3u", b"#\n" * 600_000 + good.encode() + b"\n", "audio/x-mpegurl")
    elif what == "depth":
        inner = good
        for n in range(8):
            inner = oh_media.add(f"/deep-{n}.m3u", f"{inner}\n".encode(), "audio/x-mpegurl")
        uri = inner
    else:
        inner = oh_media.add("/end.m3u", f"{good}\n".encode(), "audio/x-mpegurl")
        for n in range(30):
            inner = oh_media.redirect(f"/far-{n}.m3u", inner)
        uri = inner
    speaker.radio("SetChannel", Uri=uri, Metadata="")
    mark, asked = watch.events.mark(), oh_media.requests.mark()
    speaker.radio("Play")
    until(lambda: watch.values("Radio", "TransportState", mark)[-1:] == ["Stopped"], 20, "stopped")
    assert "Playing" not in watch.values("Radio", "TransportState", mark)
    paths = [request.path for request in oh_media.requests.since(asked)]
    assert "/bounded" not in paths and len(paths) < 40, paths


def test_a_list_that_lists_itself_ends(speaker, watch, oh_media):
    uri = oh_media.add("/circle.m3u", f"{oh_media.base}/circle.m3u\n".encode(), "audio/x-mpegurl")
    speaker.radio("SetChannel", Uri=uri, Metadata="")
    mark, asked = watch.events.mark(), oh_media.requests.mark()
    speaker.radio("Play")
    until(lambda: watch.values("Radio", "TransportState", mark)[-1:] == ["Stopped"], 15, "stopped")
    assert len(oh_media.requests.since(asked)) < 30


def test_a_file_is_a_station_that_can_seek_and_pause(speaker, watch, oh_media):
    uri = oh_media.add("/file.wav", sound.wav(sound.noise(20)), "audio/wav")
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("A file", uri))
    mark = watch.events.mark()
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    until(lambda: speaker.action("Time", "Time")["Duration"] == "20", 5, "the duration")
    speaker.radio("SeekSecondAbsolute", Value=15)
    until(lambda: int(speaker.action("Time", "Time")["Seconds"]) >= 15, 5, "the position")
    mark = watch.events.mark()
    speaker.radio("Pause")
    watch.wait("Radio", "TransportState", "Paused", 5, mark)
    speaker.radio("SeekSecondRelative", Value=-14)
    watch.wait("Radio", "TransportState", "Playing", 5, mark)
    until(lambda: 0 <= int(speaker.action("Time", "Time")["Seconds"]) < 5, 5, "back at the beginning")


def test_sighup_reads_the_presets_anew(launch, own_host):
    import signal
    link = own_host.link()
    stations = [{"name": "A", "url": "http://10.77.1.2/a"}, {"name": "B", "url": "http://10.77.1.2/b"}]
    subject = launch(own_host, settings={"radio": {"preset": stations}})
    speaker = openhome.Speaker.of(subject, link)
    with openhome.Watch(speaker, link.phone, ("Radio",)) as watch:
        first = [number for number in speaker.ids("Radio") if number]
        assert len(first) == 2
        stations[0] = {"name": "Another", "url": "http://10.77.1.2/c"}
        subject.write_configuration()
        mark = watch.events.mark()
        subject.signal(signal.SIGHUP)
        event = watch.wait("Radio", "IdArray", lambda text: True, 8, mark)
        second = [number for number in openhome.ids(event.properties["IdArray"]) if number]
        assert second[1] == first[1], "what stayed keeps its id"
        assert second[0] not in first, "other contents, another id"
        assert title_of(speaker.radio("Read", Id=second[0])["Metadata"]) == "Another"
