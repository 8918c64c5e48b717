"""Stations as Icecast sends them: every codec, titles, sources that break off, and bit rates that leave nothing over."""

import struct
import subprocess

import pytest
from kit import compare, icecast, openhome, sound
from kit.subject import wait_recording
from kit.upnp import didl
from kit.waiting import until

RATE = 48000
SECONDS = 4


def encoded(folder, kind, frequency=1000, title="", rate=0, page=200000, options=()):
    """A tone of `SECONDS`, at `rate` kbit/s or what is usual, in pages of Ogg of `page` microseconds."""
    source, (suffix, codec, usual) = folder / "tone.wav", {
        "MP3": (".mp3", "libmp3lame", 128), "AAC": (".aac", "aac", 128), "Opus": (".opus", "libopus", 96),
        "Vorbis": (".ogg", "libvorbis", 96), "FLAC": (".ogg", "flac", 0)}[kind]
    source.write_bytes(sound.wav(sound.tone(SECONDS, frequency, RATE), RATE))
    target = folder / f"{kind}-{frequency}-{rate}{suffix}"
    bits = ["-b:a", f"{rate or usual}k"] if usual else []
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(source), "-c:a", codec, *bits, *options,
                    "-page_duration", str(page), "-metadata", f"title={title}",
                    str(target)] if suffix in (".opus", ".ogg") else
                   # A file's table of its length has no place in a stream.
                   ["ffmpeg", "-v", "error", "-y", "-i", str(source), "-c:a", codec, *bits,
                    *(["-write_xing", "0"] if kind == "MP3" else []), str(target)],
                   check=True, timeout=60)
    return target.read_bytes()


@pytest.fixture
def station(oh_link, tmp_path):
    server = icecast.Icecast(oh_link.phone, tmp_path / "icecast")
    yield server
    server.close()


@pytest.fixture
def quiet_station(oh_link, tmp_path):
    """Sends no more than what is due."""
    server = icecast.Icecast(oh_link.phone, tmp_path / "icecast", burst=0)
    yield server
    server.close()


def tune(speaker, watch, uri, mime="audio/ogg"):
    mark = watch.events.mark()
    speaker.radio("SetChannel", Uri=uri, Metadata=didl("Live", uri, mime))
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    return mark


def recorded_seconds(renderer):
    if not renderer.recording.exists() or renderer.recording.stat().st_size < 60:
        return 0
    with renderer.recording.open("rb") as file:
        bytes_a_second = struct.unpack_from("<I", file.read(32), 28)[0]
    return renderer.recording.stat().st_size / bytes_a_second


#: MIME type, and the address's ending.
CODECS = {"MP3": ("audio/mpeg", "/a.mp3"), "AAC": ("audio/aac", "/a.aac"), "Opus": ("audio/ogg", "/radio.opus"),
          "Vorbis": ("application/ogg", "/radio.ogg"), "FLAC": ("application/ogg", "/plain")}


@pytest.mark.parametrize("kind", CODECS)
def test_a_station_of_each_codec(speaker, watch, oh_renderer, station, tmp_path, kind):
    mime, mount = CODECS[kind]
    station.source(mount, [encoded(tmp_path, kind, title="One")], mime, SECONDS)
    tune(speaker, watch, station.base + mount, mime)
    until(lambda: recorded_seconds(oh_renderer) > 5, 15, "more than one round of sound")
    speaker.radio("Stop")
    recording = wait_recording(oh_renderer)
    assert abs(compare.frequency(recording.samples[RATE // 2:RATE * 2], recording.rate) - 1000) < 2


@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_an_ogg_station_as_a_preset(speaker, watch, oh_renderer, oh_media, tmp_path, framing):
    data = encoded(tmp_path, "Opus", title="One") + encoded(tmp_path, "Opus", 2000, "Two")
    oh_media.add("/station-1", data, "audio/ogg", framing=framing, rate=len(data) // (2 * SECONDS))
    mark = watch.events.mark()
    speaker.radio("SetId", Value=speaker.ids("Radio")[0], Uri="")
    speaker.radio("Play")
    watch.wait("Radio", "TransportState", "Playing", 10, mark)
    watch.wait("Info", "Metatext", lambda text: "Two" in text, 15, mark)


def test_titles_of_a_chained_stream(speaker, watch, oh_renderer, station, tmp_path):
    pieces = [encoded(tmp_path, "Vorbis", 500, "First song"), encoded(tmp_path, "Vorbis", 2000, "Second song")]
    station.source("/radio.ogg", pieces, "application/ogg", SECONDS)
    mark = tune(speaker, watch, station.base + "/radio.ogg")
    for title in ("First song", "Second song", "First song"):
        found = watch.wait("Info", "Metatext", lambda text: title in text, 15, mark)
        mark = watch.events.behind(found)
    assert speaker.state_of("Radio") == "Playing", "one stream follows the other without an end"
    speaker.radio("Stop")
    samples = wait_recording(oh_renderer).samples
    assert not compare.silences(samples, RATE // 10), "nor a gap"


def test_a_source_that_drops_and_returns(speaker, watch, oh_renderer, station, tmp_path):
    data = encoded(tmp_path, "Opus")
    source = station.source("/radio.opus", [data], "audio/ogg", SECONDS)
    tune(speaker, watch, station.base + "/radio.opus")
    until(lambda: recorded_seconds(oh_renderer) > 2, 10, "sound")
    mark = watch.events.mark()
    source.close()
    watch.wait("Radio", "TransportState", lambda state: state != "Playing", 15, mark)
    mark = watch.events.mark()
    station.source("/radio.opus", [data], "audio/ogg", SECONDS)
    watch.wait("Radio", "TransportState", "Playing", 20, mark)


@pytest.mark.parametrize(("kind", "rate"), [("Opus", 24), ("Opus", 64), ("Vorbis", 48), ("MP3", 32), ("AAC", 32)])
def test_a_station_of_low_rate_plays_steadily(speaker, watch, oh_renderer, quiet_station, tmp_path, kind, rate):
    mime, mount = CODECS[kind]
    quiet_station.source(mount, [encoded(tmp_path, kind, rate=rate)], mime, SECONDS)
    mark = tune(speaker, watch, quiet_station.base + mount, mime)
    until(lambda: recorded_seconds(oh_renderer) > 8, 16, "steady sound")
    waits = [state for state in watch.values("Radio", "TransportState", mark) if state == "Buffering"]
    assert len(waits) <= 3, f"it waits again and again, {len(waits)} times"


#: Kind and bit rate of stations in pages of a second, as ffmpeg makes them by default.
LONG_PAGES = {"Opus 16": ("Opus", 16, ()), "Opus 32": ("Opus", 32, ()),
              "Vorbis 30": ("Vorbis", 30, ("-ac", "1", "-ar", "22050"))}


@pytest.mark.parametrize("name", LONG_PAGES)
def test_a_station_of_low_rate_and_long_pages_plays_steadily(launch, oh_link, quiet_station, tmp_path, name):
    """It answers only once it has something to send, and the first sound comes seconds later."""
    kind, rate, options = LONG_PAGES[name]
    mime, mount = CODECS[kind]
    data = encoded(tmp_path, kind, rate=rate, page=1000000, options=options)
    quiet_station.source(mount, [data], mime, SECONDS)
    renderer = launch(oh_link.host, settings={"playback": {"timeout": "10s"}})
    speaker = openhome.Speaker.of(renderer, oh_link)
    with openhome.Watch(speaker, oh_link.phone) as watch:
        mark, uri = watch.events.mark(), quiet_station.base + mount
        speaker.radio("SetChannel", Uri=uri, Metadata=didl("Live", uri, mime))
        speaker.radio("Play")
        watch.wait("Radio", "TransportState", "Playing", 15, mark)
        until(lambda: recorded_seconds(renderer) > 8, 16, "steady sound")
        waits = [state for state in watch.values("Radio", "TransportState", mark) if state == "Buffering"]
    assert len(waits) <= 3, f"it waits again and again, {len(waits)} times"
