"""What a track may open: http and https, whatever lists, redirects and reference movies say; from a file nothing else."""

import struct

import pytest
from kit import sound
from kit.opened import Opened
from kit.upnp import AVT
from kit.waiting import until

NOISE = sound.noise(6, seed=60)
HLS = "application/vnd.apple.mpegurl"
#: A short document isn't recognised as XML while it comes.
PADDING = " " * 4096


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    return sound.mp3(NOISE, folder=tmp_path_factory.mktemp("song"))


@pytest.fixture(params=["allowed", "not allowed"])
def secret(request, music_folder, tmp_path, song):
    """A file that could be played, below an allowed directory or elsewhere, and whether it was opened."""
    path = (music_folder if request.param == "allowed" else tmp_path) / "secret.mp3"
    path.write_bytes(song)
    opened = Opened(path)
    yield path, opened
    opened.close()
    path.unlink()


def hls(*addresses):
    parts = "".join(f"#EXTINF:6,\n{address}\n" for address in addresses)
    return f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n{parts}#EXT-X-ENDLIST\n".encode()


def master(*addresses):
    variants = "".join(f'#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2"\n{address}\n' for address in addresses)
    return f"#EXTM3U\n{variants}".encode()


def encrypted(key, address):
    head, tail = hls(address).split(b"#EXTINF", 1)
    return head + f'#EXT-X-KEY:METHOD=AES-128,URI="{key}"\n'.encode() + b"#EXTINF" + tail


def dash(address, base=""):
    base = f"<BaseURL>{base}</BaseURL>" if base else ""
    return (
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" minBufferTime="PT1S"'
        ' mediaPresentationDuration="PT6S" profiles="urn:mpeg:dash:profile:isoff-main:2011">'
        f'{base}<Period id="1"><AdaptationSet mimeType="audio/mp4" contentType="audio">'
        '<Representation id="1" bandwidth="128000" codecs="mp4a.40.2"><SegmentList duration="6">'
        f'<SegmentURL media="{address}"/></SegmentList></Representation></AdaptationSet></Period></MPD>' + PADDING).encode()


def smooth(address):
    return (
        '<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="60000000">'
        f'<StreamIndex Type="audio" Chunks="1" Url="{address}">'
        '<QualityLevel Index="0" Bitrate="128000" FourCC="AACL" SamplingRate="44100" Channels="2" BitsPerSample="16"'
        ' PacketSize="4" AudioTag="255" CodecPrivateData="1210"/><c d="60000000"/></StreamIndex>'
        '</SmoothStreamingMedia>' + PADDING).encode()


def movie(address):
    """A QuickTime reference movie."""
    def atom(kind, data):
        return struct.pack(">I", len(data) + 8) + kind + data
    text = address.encode() + b"\0"
    reference = atom(b"rdrf", struct.pack(">I4sI", 0, b"url ", len(text)) + text)
    return atom(b"ftyp", b"qt  " + bytes(4) + b"qt  ") + atom(b"moov", atom(b"rmra", atom(b"rmda", reference)))


def redirected(media, address):
    """A list whose part answers with a redirect."""
    return hls(media.redirect("/part.mp3", address))


LISTS = {
    "HLS part": (lambda media, address: hls(address), HLS),
    "HLS second part": (lambda media, address: hls(media.base + "/song.mp3", address), HLS),
    "HLS variant": (lambda media, address: master(address), HLS),
    "HLS next variant": (lambda media, address: master("missing", address), HLS),
    "HLS key": (lambda media, address: encrypted(address, media.base + "/song.mp3"), HLS),
    "HLS redirect": (redirected, HLS),
    "DASH part": (lambda media, address: dash(address), "application/dash+xml"),
    "DASH base": (lambda media, address: dash("part.mp4", base=address), "application/dash+xml"),
    "Smooth Streaming": (lambda media, address: smooth(address), "application/vnd.ms-sstr+xml"),
    "reference movie": (lambda media, address: movie(address), "video/quicktime"),
}
#: What GStreamer itself leaves alone; the rest is refused by us, and the address told.
OTHERWISE = ("HLS redirect", "Smooth Streaming", "reference movie")


def play(device, renderer, uri):
    """Plays `uri` until it stops, which must be for an error; returns the lines of the log meanwhile."""
    mark = renderer.log.mark()
    device.set_uri(uri)
    assert device.fault(AVT, "Play", InstanceID=0, Speed=1) in ({}, 716)
    until(lambda: device.state() == "STOPPED", 20, "an end")
    assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "ERROR_OCCURRED"
    return renderer.log.since(mark)


def played(lines):
    return any("player: playing" in line for line in lines)


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_from_the_network_opens_no_file(device, media, renderer, secret, song, kind):
    path, opened = secret
    make, mime = LISTS[kind]
    media.add("/song.mp3", song, "audio/mpeg")
    lines = play(device, renderer, media.add("/list", make(media, path.as_uri()), mime))
    assert not opened
    assert not played(lines) or kind == "HLS second part"
    if kind == "Smooth Streaming":
        assert any("Smooth Streaming isn't supported" in line for line in lines), lines
    if kind not in OTHERWISE:
        assert any("leads to file:" in line and "is refused" in line for line in lines), lines


@pytest.mark.parametrize("address", [
    "data:audio/mpeg;base64,AAAA", "resource:///org/x", "rtsp://{host}/x", "rtmp://{host}/x", "icy://{host}/x", "srt://{host}:9",
    "udp://239.1.2.3:5004", "cdda://1", "testbin://audiotestsrc", "fd://0", "splitfile:///etc/passwd"])
def test_a_list_from_the_network_opens_http_only(device, media, link, renderer, address):
    lines = play(device, renderer, media.add("/list", hls(address.format(host=link.phone)), HLS))
    assert not played(lines)
    assert any("which is refused" in line for line in lines)


@pytest.mark.parametrize("kind", [kind for kind in LISTS if kind not in ("HLS redirect", "HLS second part", "HLS key")])
@pytest.mark.parametrize("where", ["inside", "outside", "network", "data"])
def test_a_list_in_an_allowed_directory_leads_nowhere(
        device, media, renderer, music_folder, tmp_path, song, kind, where):
    path = (music_folder if where == "inside" else tmp_path) / "part.mp3"
    path.write_bytes(song)
    opened = Opened(path)
    addresses = {"network": media.add("/song.mp3", song, "audio/mpeg"), "data": "data:audio/mpeg;base64,AAAA"}
    make, _ = LISTS[kind]
    suffix = {"H": ".m3u8", "D": ".mpd", "S": ".ism", "r": ".mov"}[kind[0]]
    listed = music_folder / f"list{suffix}"
    listed.write_bytes(make(media, addresses.get(where, path.as_uri())))
    asked = media.requests.mark()
    try:
        assert not played(play(device, renderer, listed.as_uri()))
        assert not opened
        assert not media.requests.since(asked)
    finally:
        opened.close()
        listed.unlink()
        path.unlink()


def test_opening_a_file_is_noticed(secret):
    path, opened = secret
    assert not opened
    path.read_bytes()
    assert opened


def test_a_list_of_parts_on_the_network_still_plays(device, events, media, renderer, song):
    """The protection leaves alone what it is not meant for."""
    media.add("/song.mp3", song, "audio/mpeg")
    mark, log = events.events.mark(), renderer.log.mark()
    device.set_uri(media.add("/list", master(media.add("/parts", hls(media.base + "/song.mp3"), HLS)), HLS))
    device.play()
    events.wait_change("TransportState", "PLAYING", 20, since=mark)
    until(lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 400_000, 20, "sound")
    assert played(renderer.log.since(log)), "the log says so in other words"
    device.stop()
