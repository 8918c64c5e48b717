"""GStreamer's plugins: none for pictures is ever loaded, and none comes near the daemon only to be looked at."""

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kit import compare, sound
from kit.gena import Subscription
from kit.media_server import MediaServer
from kit.subject import chosen, wait_recording
from kit.upnp import AVT

pytestmark = [
    pytest.mark.audio,
    pytest.mark.skipif(chosen().name != "vireod", reason="others may show pictures"),
]

#: Plugins for pictures, and what they follow hardware with.
PICTURES = re.compile(
    r"libgst(videoparsersbad|va|vaapi|v4l2codecs|video4linux2|uvch264|nvcodec|msdk|qsv|vpx|openh264|x264|x265|de265|dav1d"
    r"|aom|svtav1|theora|mpeg2dec|png|jpeg|jpegformat|openjpeg|webp|rsvg|gdkpixbuf|kms|gtk|opengl|videoconvert\w*)\.so"
    r"|libgudev|libudev|libgstgl-")
#: NETLINK_KOBJECT_UEVENT, in which the kernel tells of hardware.
HARDWARE = "15"


def libraries(pid):
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {Path(fields[5]).name for fields in map(str.split, lines) if len(fields) > 5 and ".so" in fields[5]}


def assert_no_pictures(pid):
    loaded = sorted(name for name in libraries(pid) if PICTURES.match(name))
    assert not loaded
    rows = [line.split() for line in Path(f"/proc/{pid}/net/netlink").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1] == HARDWARE}
    assert not sockets & descriptors(pid)


def descriptors(pid):
    """What the process has open; one that it closes meanwhile isn't."""
    found = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(os.readlink(path))
    return found


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """The environment of a daemon that finds no list of plugins, the first time."""
    return {"GST_REGISTRY": str(tmp_path_factory.mktemp("plugins") / "registry")}


def heard(subject, cable, name, data):
    """What is recorded of a file that is played to its end."""
    device = subject.device(cable)
    with contextlib.closing(MediaServer(cable.phone)) as media, Subscription(device.services[AVT].event, cable.phone) as events:
        events.initial()
        device.set_uri(media.add(f"/{name}", data))
        device.play()
        playing = events.wait_change("TransportState", "PLAYING", 20)
        events.wait_change("TransportState", "STOPPED", 20, since=events.events.items.index(playing))
        assert events.events.items[-1].changes.get("TransportStatus", "OK") == "OK"
    return wait_recording(subject).samples


def assert_similar(recorded, expected):
    """Nearly the same, a block of a decoder earlier or later: few containers say where the sound begins."""
    assert abs(len(recorded) - len(expected)) < 3000
    shift = compare.best_shift(recorded, expected)
    assert compare.signal_to_noise(recorded[max(0, shift):], expected[max(0, -shift):]) > 40


#: How a file is made of samples, and whether they come out unchanged.
FILES = {
    "mp4, H.264, AAC": (".mp4", lambda s, folder: sound.film(s, ".mp4", "libx264", "aac", folder=folder), False),
    "mkv, MPEG-4, FLAC": (".mkv", lambda s, folder: sound.film(s, ".mkv", "mpeg4", "flac", folder=folder), True),
    "avi, MPEG-4, PCM": (".avi", lambda s, folder: sound.film(s, ".avi", "mpeg4", "pcm_s16le", folder=folder), True),
    "ts, MPEG-2, MP2": (".ts", lambda s, folder: sound.film(s, ".ts", "mpeg2video", "mp2", folder=folder), False),
    "MP3, cover": (".mp3", lambda s, folder: sound.with_cover(sound.mp3(s, folder=folder), ".mp3", folder), False),
    "FLAC, cover": (".flac", lambda s, folder: sound.with_cover(sound.flac(s), ".flac", folder), True),
    "M4A, cover": (".m4a", lambda s, folder: sound.with_cover(sound.m4a(s, folder=folder), ".m4a", folder), False),
}


@pytest.mark.parametrize("name", FILES)
def test_pictures_are_left_alone_and_the_sound_is_heard(own_host, launch, registry, tmp_path, name):
    suffix, make, is_exact = FILES[name]
    samples = sound.music(2)
    data = make(samples, tmp_path)
    cable = own_host.link()
    subject = launch(own_host, environment=registry)
    recorded = heard(subject, cable, f"film{suffix}", data)
    if is_exact:
        compare.assert_identical(recorded, sound.scale(samples, 16))
    else:
        assert_similar(recorded, sound.reference_decode(data, suffix, tmp_path).samples)
    assert_no_pictures(subject.pid)
    if name == "mkv, MPEG-4, FLAC":
        # It decodes nearly everything, MPEG-4's pictures too, and brings the libraries of graphics cards with it.
        assert "libgstlibav.so" not in libraries(subject.pid)


#: Suffix and encoder.
PICTURES_ALONE = {"PNG": (".png", "png"), "JPEG": (".jpg", "mjpeg"), "mp4": (".mp4", "libx264"), "H.264": (".h264", "libx264")}


@pytest.mark.parametrize("name", PICTURES_ALONE)
def test_pictures_without_sound_are_refused_at_once(own_host, launch, registry, tmp_path, name):
    suffix, encoder = PICTURES_ALONE[name]
    cable = own_host.link()
    # Whoever waits for sound gives up long after this test has.
    subject = launch(own_host, environment=registry, settings={"playback": {"timeout": "60s"}})
    device = subject.device(cable)
    with contextlib.closing(MediaServer(cable.phone)) as media, Subscription(device.services[AVT].event, cable.phone) as events:
        events.initial()
        device.set_uri(media.add(f"/picture{suffix}", sound.picture(suffix, encoder, tmp_path)))
        device.play()
        events.wait_change("TransportStatus", "ERROR_OCCURRED", 10)
        subject.log.wait(lambda line: f"picture{suffix} holds pictures, but no sound" in line, 5, "a line that says why")
    assert_no_pictures(subject.pid)


def test_a_first_look_at_all_plugins_leaves_nothing_behind(own_host, launch, tmp_path):
    cable = own_host.link()
    registry = tmp_path / "registry"
    subject = launch(own_host, environment={"GST_REGISTRY": str(registry)})
    samples = sound.noise(0.5)
    recorded = heard(subject, cable, "short.wav", sound.wav(samples))
    compare.assert_identical(recorded, sound.scale(samples, 16))
    assert registry.exists()
    assert_no_pictures(subject.pid)
    plugins = [name for name in libraries(subject.pid) if re.match(r"libgst\w+\.so$", name)]
    assert len(plugins) < 12, plugins


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_plugin_that_crashes_harms_nobody(own_host, launch, tmp_path):
    folder = tmp_path / "plugins"
    folder.mkdir()
    library = folder / "libgstbroken.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, text=True,
                   input="#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n")
    cable = own_host.link()
    subject = launch(own_host, environment={"GST_REGISTRY": str(tmp_path / "registry"), "GST_PLUGIN_PATH": str(folder)})
    samples = sound.noise(0.5)
    recorded = heard(subject, cable, "short.wav", sound.wav(samples))
    compare.assert_identical(recorded, sound.scale(samples, 16))
