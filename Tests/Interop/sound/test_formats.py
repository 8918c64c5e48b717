"""Addresses, lengths and formats that are out of the ordinary, and what is said of them."""

import socket
import struct
import subprocess

import numpy as np
import pytest
from kit import compare, sound
from kit.playing import play_to_end, start, wait_failure
from kit.subject import wait_recording
from kit.upnp import AVT, didl
from kit.waiting import until

pytestmark = pytest.mark.audio


def exact(samples, bits=16):
    return sound.scale(samples, bits)


def playing(device, events, uri, metadata=""):
    """Plays `uri` until it is heard; the number of events before."""
    mark = events.events.mark()
    start(device, uri, metadata)
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    return mark


# Addresses


@pytest.mark.parametrize("sent, asked", [
    ("/my song.wav", "/my%20song.wav"), ("/d\u00e9j\u00e0.wav", "/d%C3%A9j%C3%A0.wav"),
    ('/a"b<c>{d}|e^f`.wav', "/a%22b%3Cc%3E%7Bd%7D%7Ce%5Ef%60.wav"), ("/100%.wav", "/100%25.wav"),
    ("/kept%20as%2Fit+is.wav", "/kept%20as%2Fit+is.wav")], ids=str)
def test_an_address_is_escaped_where_it_must_be(device, events, media, renderer, sent, asked):
    samples = sound.noise(1, seed=50)
    media.add(asked, sound.wav(samples), "audio/wav")
    play_to_end(device, events, 2, media.base + sent)
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))
    assert {request.path for request in media.requests.items} == {asked}
    assert device.avt("GetMediaInfo")["CurrentURI"] == media.base + sent, "the address is the one that was sent"


def test_a_file_address_with_a_space(device, events, music_folder, renderer):
    samples = sound.noise(1, seed=51)
    (music_folder / "my own song.wav").write_bytes(sound.wav(samples))
    play_to_end(device, events, 2, f"file://{music_folder}/my own song.wav")
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))


def test_a_redirect_to_an_address_with_a_space(device, events, media, renderer):
    samples = sound.noise(1, seed=51)
    media.add("/over%20there.wav", sound.wav(samples), "audio/wav")
    play_to_end(device, events, 2, media.redirect("/here", "/over there.wav"))
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))


@pytest.mark.parametrize("query", ["?from=/lists/all.m3u", "?x=1#/all.m3u8", "?next=http://a/b.pls"])
def test_only_the_path_tells_a_list(device, events, media, renderer, query):
    samples = sound.noise(1, seed=52)
    uri = media.add("/get", sound.wav(samples), "audio/wav") + query
    play_to_end(device, events, 2, uri)
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))
    assert len(media.requests.items) == 1, "nobody looked inside first"


# Fragmented MP4


def fragmented(folder, kind):
    """Six seconds in fragments of one: the length is nowhere, in `mehd`, in one index, in an index of each fragment; or the
    first fragment is in the header."""
    flags = {"bare": "empty_moov+default_base_moof", "mehd": "empty_moov+default_base_moof", "chained": "dash+delay_moov",
             "sidx": "empty_moov+default_base_moof+global_sidx", "hybrid": "default_base_moof"}[kind]
    data = sound.encoded(sound.music(6), ".m4a", "-c:a", "aac", "-movflags", flags, "-frag_duration", "1000000",
                         folder=folder)
    if kind != "mehd":
        return data
    moov, mvex = data.index(b"moov") - 4, data.index(b"mvex") - 4
    scale = struct.unpack_from(">I", data, data.index(b"mvhd") + 16)[0]
    head = struct.pack(">I4sII", 16, b"mehd", 0, 6 * scale)
    changed = bytearray(data[:mvex + 8] + head + data[mvex + 8:])
    for box in (moov, mvex):
        struct.pack_into(">I", changed, box, struct.unpack_from(">I", changed, box)[0] + len(head))
    return bytes(changed)


@pytest.mark.parametrize("kind, hint, shown", [
    ("bare", "0:00:13", "0:00:13"), ("bare", None, "0:00:00"), ("mehd", "0:00:13", "0:00:06"), ("sidx", None, "0:00:06"),
    ("chained", "0:00:13", "0:00:13"), ("hybrid", "0:00:13", "0:00:13")])
def test_fragments_have_the_length_of_all(device, events, media, renderer, tmp_path, kind, hint, shown):
    uri = media.add("/fragments.m4a", fragmented(tmp_path, kind), "audio/mp4")
    mark = playing(device, events, uri, didl("Fragments", uri, "audio/mp4", hint))
    assert "Seek" not in device.avt("GetCurrentTransportActions")["Actions"].split(",")
    assert device.fault(AVT, "Seek", InstanceID=0, Unit="REL_TIME", Target="0:00:05") in (710, 711)
    assert device.avt("GetPositionInfo")["TrackDuration"] == shown
    if kind in ("sidx", "hybrid"):
        events.wait_change("TransportState", "STOPPED", 15, since=mark)
        assert abs(wait_recording(renderer).seconds - 6) < 0.2, "it is whole"
    told = {e.changes.get("CurrentTrackDuration") for e in events.events.since(mark)} - {None, "0:00:00"}
    assert told <= {shown, hint, "0:00:06"}, "never that of a fragment"


# Types told by the server only


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("looks_like", ["noise", "a film"])
def test_raw_samples_by_the_answers_type(device, events, media, renderer, bits, looks_like):
    samples = sound.noise(1.5, bits=bits, seed=60)
    data = samples.astype(">i4").reshape(-1).view(np.uint8).reshape(-1, 4)[:, 4 - bits // 8:].tobytes()
    if looks_like == "a film":
        # Chance does this once in a while: the samples begin as an MPEG stream does.
        head = (bytes.fromhex("000001ba4400040004010189c3f8") + bytes.fromhex("000001e000088000000000000000")) * 90
        head = head[:len(head) // 12 * 12]
        data = head + data[len(head):]
        raw = np.frombuffer(data, np.uint8).reshape(-1, 2, bits // 8)
        wide = np.zeros((len(raw), 2, 4), np.uint8)
        wide[:, :, :bits // 8] = raw
        samples = (wide.reshape(-1).view(">i4").astype(np.int64) >> (32 - bits)).reshape(-1, 2)
    uri = media.add("/stream", data, f"audio/L{bits};rate=44100;channels=2")
    play_to_end(device, events, 3, uri)
    compare.assert_identical(wait_recording(renderer).samples, exact(samples, bits))


# HTTP live streams


def hls(media, folder, samples, suffix="ts", path="/hls"):
    """A stream in pieces of two seconds; the address of its list, and the pieces in one."""
    folder.mkdir(exist_ok=True)
    (folder / "in.wav").write_bytes(sound.wav(samples))
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-i", folder / "in.wav", "-c:a", "aac", "-b:a", "128k", "-f", "hls",
         "-hls_time", "2", "-hls_segment_type", "fmp4" if suffix == "m4s" else "mpegts",
         "-hls_playlist_type", "vod", "-hls_segment_filename", folder / f"part%d.{suffix}", folder / "list.m3u8"],
        check=True, timeout=60, cwd=folder)
    parts = sorted(folder.glob(f"part*.{suffix}"), key=lambda part: int(part.stem[4:]))
    if suffix == "m4s":
        parts.insert(0, folder / "init.mp4")
    for part in parts:
        media.add(f"{path}/{part.name}", part.read_bytes(), "video/mp4" if suffix == "m4s" else "video/mp2t")
    uri = media.add(f"{path}/list.m3u8", (folder / "list.m3u8").read_bytes(), "application/vnd.apple.mpegurl")
    return uri, b"".join(part.read_bytes() for part in parts)


def test_a_variant_that_is_missing_isnt_the_end(device, events, media, renderer, tmp_path):
    samples = sound.music(4)
    _, whole = hls(media, tmp_path / "hls", samples)
    media.refuse("/gone/list.m3u8")
    master = ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=320000\ngone/list.m3u8\n"
              "#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS=\"mp4a.40.2\"\nhls/list.m3u8\n")
    uri = media.add("/master.m3u8", master.encode(), "application/vnd.apple.mpegurl")
    play_to_end(device, events, 6, uri)
    expected = sound.reference_decode(whole, ".ts", tmp_path).samples
    recorded = wait_recording(renderer).samples
    assert abs(len(recorded) - len(expected)) < 2500


def test_a_variant_whose_server_is_silent_isnt_the_end(device, events, media, link, renderer, tmp_path):
    """Its server takes the connection and says nothing."""
    samples = sound.music(4)
    _, whole = hls(media, tmp_path / "hls", samples)
    with socket.create_server((link.phone, 0)) as silent:
        master = (f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=320000\nhttp://{link.phone}:{silent.getsockname()[1]}/list.m3u8\n"
                  "#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS=\"mp4a.40.2\"\nhls/list.m3u8\n")
        uri = media.add("/master.m3u8", master.encode(), "application/vnd.apple.mpegurl")
        play_to_end(device, events, 12, uri)
    expected = sound.reference_decode(whole, ".ts", tmp_path).samples
    assert abs(len(wait_recording(renderer).samples) - len(expected)) < 2500


def test_variants_that_are_all_silent_are_a_failure(device, events, media, link, tmp_path):
    with socket.create_server((link.phone, 0)) as silent:
        address = f"http://{link.phone}:{silent.getsockname()[1]}"
        master = "#EXTM3U\n" + "".join(f"#EXT-X-STREAM-INF:BANDWIDTH={i}000\n{address}/{i}.m3u8\n" for i in (1, 2))
        mark = events.events.mark()
        start(device, media.add("/silent.m3u8", master.encode(), "application/vnd.apple.mpegurl"))
        wait_failure(events, 20, mark)


def test_no_variant_is_there(device, events, media, tmp_path):
    master = "#EXTM3U\n" + "".join(f"#EXT-X-STREAM-INF:BANDWIDTH=320000\ngone{i}.m3u8\n" for i in range(3))
    mark = events.events.mark()
    start(device, media.add("/none.m3u8", master.encode(), "application/vnd.apple.mpegurl"))
    wait_failure(events, 10, mark)


@pytest.mark.parametrize("suffix, target", [("ts", 3), ("ts", 8), ("m4s", 7)])
def test_a_seek_in_a_stream_of_pieces_is_exact(device, events, media, renderer, tmp_path, suffix, target):
    uri, whole = hls(media, tmp_path / "hls", sound.music(12), suffix)
    expected = sound.reference_decode(whole, ".mp4" if suffix == "m4s" else ".ts", tmp_path).samples
    mark = playing(device, events, uri)
    assert device.avt("GetPositionInfo")["TrackDuration"] == "0:00:12"
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 20_000, 5, "first samples")
    device.seek(f"0:00:0{target}")
    events.wait_change("TransportState", "STOPPED", 20, since=mark)
    recorded = wait_recording(renderer).samples
    tail = expected[target * 44100:]
    length = min(len(recorded), len(expected))
    cut = int(np.flatnonzero((abs(recorded[:length] - expected[:length]) > 200 << 16).any(axis=1))[0])
    behind = recorded[cut:]
    assert abs(len(behind) - len(tail)) < 2500
    assert abs(compare.best_shift(behind, tail, 44100)) < 2500


# Seeks in files whose demuxer doesn't go where it should


@pytest.mark.parametrize("suffix, codec", [(".ts", "aac"), (".ts", "libmp3lame"), (".mpg", "mp2"), (".au", "pcm_s16be")])
@pytest.mark.parametrize("place", ["http", "file"])
def test_a_seek_that_would_go_elsewhere_is_refused(device, events, media, music_folder, renderer, tmp_path, suffix, codec,
                                                   place):
    data = sound.encoded(sound.rising(6), suffix, "-c:a", codec, folder=tmp_path)
    (music_folder / f"rising{suffix}").write_bytes(data)
    uri = media.add(f"/rising{suffix}", data) if place == "http" else f"file://{music_folder}/rising{suffix}"
    mark = playing(device, events, uri)
    assert "Seek" not in device.avt("GetCurrentTransportActions")["Actions"].split(",")
    assert device.fault(AVT, "Seek", InstanceID=0, Unit="REL_TIME", Target="0:00:04") in (710, 711)
    events.wait_change("TransportState", "STOPPED", 15, since=mark)
    recording = wait_recording(renderer)
    assert abs(recording.seconds - 6) < 0.1, "it is whole"
    assert len(sound.places(recording)) == 1


def test_a_transport_stream_is_counted_from_its_first_sound(device, events, media, renderer, tmp_path):
    """Its clock is 0.7 s ahead of that."""
    data = sound.encoded(sound.rising(6), ".ts", "-c:a", "aac", folder=tmp_path)
    playing(device, events, media.add("/rising.ts", data))
    until(lambda: device.avt("GetPositionInfo")["RelTime"] == "0:00:02", 5, "two seconds")
    heard = sound.read(renderer.recording).seconds
    assert heard > 1.9, "no more is shown than was heard"


@pytest.mark.parametrize("place", ["http", "file"])
@pytest.mark.parametrize("codec, rate", [("wmav2", "128k"), ("wmav2", "48k"), ("wmav1", "128k")])
def test_a_seek_in_windows_media_is_exact(device, events, media, music_folder, renderer, tmp_path, codec, rate, place):
    data = sound.encoded(sound.rising(30), ".wma", "-c:a", codec, "-b:a", rate, folder=tmp_path)
    (music_folder / "rising.wma").write_bytes(data)
    uri = media.add("/rising.wma", data) if place == "http" else f"file://{music_folder}/rising.wma"
    playing(device, events, uri)

    def more():
        size = renderer.recording.stat().st_size if renderer.recording.exists() else 0
        until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > size + 200_000, 8, "sound")
    for target in (25, 4, 17, 0, 10, 1):
        more()
        device.seek(f"0:00:{target:02}")
    more()
    device.stop()
    places = sound.places(wait_recording(renderer))
    assert np.allclose(places, [0, 25, 4, 17, 0, 10, 1], rtol=0, atol=0.06), places


def test_windows_media_that_pauses_goes_back_to_its_beginning(device, events, media, renderer, tmp_path):
    data = sound.encoded(sound.rising(8), ".wma", "-c:a", "wmav2", "-b:a", "48k", folder=tmp_path)
    mark = playing(device, events, media.add("/rising.wma", data))
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 300_000, 8, "sound")
    device.avt("Pause")
    events.wait_change("TransportState", "PAUSED_PLAYBACK", 5, since=mark)
    device.seek("0:00:00")
    until(lambda: device.avt("GetPositionInfo")["RelTime"] == "0:00:00", 5, "the beginning")
    assert device.avt("GetTransportInfo")["CurrentTransportState"] == "PAUSED_PLAYBACK"
    device.play()
    events.wait_change("TransportState", "STOPPED", 20, since=mark)
    recording = wait_recording(renderer)
    places = sound.places(recording)
    assert np.allclose(places, [0, 0], rtol=0, atol=0.06), places


# Files that GStreamer can't read here


@pytest.mark.parametrize("suffix, codec", [(".caf", "pcm_s16le"), (".caf", "alac"), (".w64", "pcm_s16le")])
def test_who_has_a_file_of_no_use_is_told_to_convert_it(device, events, media, renderer, tmp_path, suffix, codec):
    uri = media.add(f"/odd{suffix}", sound.encoded(sound.music(2), suffix, "-c:a", codec, folder=tmp_path))
    mark, log = events.events.mark(), renderer.log.mark()
    start(device, uri)
    wait_failure(events, 10, mark)
    renderer.log.wait(lambda line: f"odd{suffix}" in line and "convert the file" in line, 5, "what to do", log)


# Encodings of the transfer and of text


@pytest.mark.parametrize("packed", ["asked", "always"])
def test_what_a_server_packs_is_whole(device, events, media, renderer, packed):
    samples = sound.noise(3, seed=61)
    data = sound.wav(samples)
    uri = media.add("/packed.wav", data, "audio/wav", packed=packed)
    play_to_end(device, events, 4, uri)
    compare.assert_identical(wait_recording(renderer).samples, exact(samples))


@pytest.mark.parametrize("name", [b"R\xe1dio \x96 Jazz", "R\u00e1dio \u2013 Jazz".encode()], ids=["CP1252", "UTF-8"])
def test_a_stations_name(device, events, media, tmp_path, name):
    data = sound.mp3(sound.music(6), folder=tmp_path)
    uri = media.add("/station", data, "audio/mpeg", mode="icy", rate=24_000, metaint=8192,
                    station=name.decode(errors="surrogateescape"), titles=("A song",))
    mark = playing(device, events, uri, didl("My station", uri, "audio/mpeg"))
    events.wait_change("CurrentTrackMetaData", lambda text: "R\u00e1dio \u2013 Jazz" in text, 10, since=mark)
