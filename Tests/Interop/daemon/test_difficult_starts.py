"""Starting and leaving where something is in the way: a slow disk, a wrong path, a configuration that asks for what isn't there."""

import os
import shutil
import subprocess

import pytest
from kit import sound, ssdp
from kit.media_server import MediaServer
from kit.openhome import Speaker
from kit.subject import chosen
from kit.waiting import PATIENCE, Stopwatch, SLOWNESS, until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's command line or files")


# A disk that takes nothing as long as the gate is shut, and a clock that stands still.
SLOW_DISK = r"""
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int take(void) {
  while (access(getenv("GATE"), F_OK) != 0) usleep(10000);
  return 0;
}
int fsync(int file) { (void)file; return take(); }
int fdatasync(int file) { (void)file; return take(); }
time_t time(time_t *result) {
  if (result) *result = 1900000000;
  return 1900000000;
}
"""


@pytest.fixture
def slow_disk(tmp_path):
    """The environment of a process whose disk is slow, and a function that makes it quick again."""
    if shutil.which("cc") is None:
        pytest.fail("needs a C compiler")
    library, gate = tmp_path / "slow.so", tmp_path / "gate"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, text=True, input=SLOW_DISK)
    yield {"LD_PRELOAD": str(library), "GATE": str(gate)}, gate.touch
    gate.touch()


def test_no_action_waits_for_the_disk(own_host, cable, launch, slow_disk):
    environment, quick = slow_disk
    subject = launch(own_host, environment=environment)
    speaker = Speaker.of(subject, cable)
    first = speaker.insert("http://192.0.2.1/a.flac")
    speaker.insert("http://192.0.2.1/b.flac", after=first)
    subject.device(cable).set_volume(30)
    # Nothing of all this is on the disk yet, and the daemon has answered.
    subject.kill()
    speaker = Speaker.of(subject.start(), cable)
    assert speaker.insert("http://192.0.2.1/c.flac") > first + 1, "ids that were told aren't given again"
    quick()
    assert subject.terminate() == 0


def test_bootid_rises_however_soon_it_is_killed(own_host, cable, launch, slow_disk):
    """No clock to help, and no disk."""
    environment, _ = slow_disk
    subject = launch(own_host, environment=environment, start=False)
    seen = []
    for _ in range(3):
        with ssdp.Listener(cable.phone_interface) as listener:
            mark = listener.messages.mark()
            subject.start()
            seen.append(int(listener.wait_alive(subject.uuid, since=mark)["BOOTID.UPNP.ORG"]))
            subject.kill()
    assert seen == sorted(set(seen)), "each above the one before"


PLACES = {
    "a pipe instead of the file": lambda state: (state.mkdir(), os.mkfifo(state / "state.db"), "state.db is a named pipe"),
    "a directory instead of the file": lambda state: (state.mkdir(), (state / "state.db").mkdir(), "state.db is a directory"),
    "a link to nowhere instead of the file":
        lambda state: (state.mkdir(), (state / "state.db").symlink_to("/nowhere/x"), "state.db is a link that leads nowhere"),
    "a pipe instead of the directory": lambda state: (os.mkfifo(state), "state is a named pipe"),
    "a file instead of the directory": lambda state: (state.write_text("x"), "state is a file"),
    "a link to nowhere instead of the directory":
        lambda state: (state.symlink_to("/nowhere/x"), "state is a link that leads nowhere"),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_in_the_place_of_the_state_is_named(own_host, cable, launch, place):
    subject = launch(own_host, start=False)
    state = subject.folder / "state"
    words = PLACES[place](state)[-1]
    subject.start()
    subject.log.wait(lambda line: " error " in line and words in line, 15, "an error that names it")
    device = subject.device(cable)
    device.set_volume(20)
    assert device.volume() == 20
    checked = subprocess.run([subject.binary(), "--config", subject.write_configuration(), "--state-dir", state, "--check-config"],
                             capture_output=True, text=True, timeout=20 * PATIENCE)
    assert checked.returncode == 78 and words in checked.stderr
    assert subject.terminate() == 0


def test_check_config_looks_at_this_host(own_host, cable, launch, tmp_path):
    (tmp_path / "amplifier").write_text("#!/bin/sh\n")
    (tmp_path / "amplifier").chmod(0o755)
    settings = {"hooks": {"on-play": [f"{tmp_path}/amplifer", "on"]}, "audio": {"mixer": f"command:{tmp_path}/amplifier set"},
                "device": {"icon": f"{tmp_path}/bird.png"}, "openhome": {"enabled": False}, "upnp-av": {"enabled": False}}
    subject = launch(own_host, settings=settings, start=False)
    path = subject.write_configuration()
    text = path.read_text().splitlines()

    def place(beginning, section):
        first = text.index(f"[{section}]")
        return next(number + 1 for number in range(first, len(text)) if text[number].startswith(beginning))

    wanted = [
        f"{path}:{place('on-play', 'hooks')}: hooks.on-play: there is no {tmp_path}/amplifer; did you mean {tmp_path}/amplifier?",
        f"{path}:{place('mixer', 'audio')}: audio.mixer: there is no {tmp_path}/amplifier set",
        f"{path}:{place('icon', 'device')}: device.icon: there is no {tmp_path}/bird.png",
        f"{path}:{place('enabled', 'upnp-av')}: upnp-av.enabled: is false, and so is openhome.enabled",
    ]
    checked = subprocess.run([subject.binary(), "--config", path, "--check-config"], capture_output=True, text=True,
                             timeout=20 * PATIENCE)
    assert checked.returncode == 78 and "[hooks]" in checked.stdout
    for line in wanted:
        assert f"vireod: {line}" in checked.stderr, checked.stderr
    # A start says the same, and goes on.
    subject.start()
    for line in wanted:
        subject.log.wait(lambda said: "warning" in said and line in said, 15, line)
    assert subject.is_running()
    subject.settings = {"device": {"name": " "}}
    checked = subprocess.run([subject.binary(), "--config", subject.write_configuration(), "--check-config"],
                             capture_output=True, text=True, timeout=20 * PATIENCE)
    assert checked.returncode == 78 and "device.name: is blank" in checked.stderr


@pytest.mark.parametrize("helper", [True, False], ids=["with its helper", "by itself"])
def test_sigterm_during_the_first_look_at_the_plugins(own_host, cable, launch, tmp_path, helper):
    """One plugin takes a minute to load. GStreamer's helper looks at it, or, where that can't be started, GStreamer."""
    if shutil.which("cc") is None:
        pytest.fail("needs a C compiler")
    folder, begun = tmp_path / "plugins", tmp_path / "begun"
    folder.mkdir()
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", folder / "libgstslow.so"], check=True, text=True,
        input='#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void begin(void) {\n'
              f'  close(open("{begun}", O_CREAT | O_WRONLY, 0600));\n  sleep(60);\n}}\n')
    environment = {"GST_REGISTRY": str(tmp_path / "registry"), "GST_PLUGIN_PATH": str(folder)}
    if not helper:
        environment["GST_PLUGIN_SCANNER"] = environment["GST_PLUGIN_SCANNER_1_0"] = "/bin/false"
        environment["GST_REGISTRY_FORK"] = "no"
    subject = launch(own_host, environment=environment)
    subject.device(cable)
    until(begun.exists, 30, "the slow plugin to be looked at")
    watch = Stopwatch(subject.pid)
    assert subject.terminate() == 0
    assert watch.seconds < 10 * SLOWNESS


def test_a_list_that_leads_back_to_itself_is_said_to_do_so(own_host, cable, launch):
    served = MediaServer(cable.phone)
    try:
        subject = launch(own_host)
        device = subject.device(cable)
        uri = f"{served.base}/loop.m3u"
        assert served.add("/loop.m3u", f"#EXTM3U\n{uri}\n".encode(), "audio/x-mpegurl") == uri
        device.set_uri(uri)
        device.play()
        subject.log.wait(lambda line: "can't play" in line and "leads back to itself" in line, 15, "a line that says why")
        assert not any("page or a picture" in line for line in subject.log.items)
        # What else it names is played.
        served.add("/more.m3u", f"more.m3u\n{served.add('/a.wav', sound.wav(sound.tone(5, 440)), 'audio/wav')}\n".encode(),
                   "audio/x-mpegurl")
        device.set_uri(f"{served.base}/more.m3u")
        device.play()
        until(lambda: device.state() == "PLAYING", 15, "the sound behind the loop")
    finally:
        served.close()
