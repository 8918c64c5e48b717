"""What the owner of the speaker attaches to it: hooks, mixers, metrics."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from kit import compare, http, sound
from kit.media_server import MediaServer
from kit.subject import chosen, wait_recording
from kit.upnp import RC
from kit.waiting import until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's configuration")

DIDL = ('<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">'
        "<dc:title>$(reboot) 'x'</dc:title><upnp:class>object.item.audioItem.musicTrack</upnp:class>"
        '<res protocolInfo="http-get:*:audio/wav:*">x</res></item></DIDL-Lite>')


@pytest.fixture
def cable(own_host):
    return own_host.link()


@pytest.fixture
def served(cable):
    server = MediaServer(cable.phone)
    yield server
    server.close()


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_hooks_follow_a_track(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    hook = ["/bin/sh", "-c", f'echo "$VIREO_HOOK|$VIREO_STATE|$VIREO_TITLE" >> {log}']
    subject = launch(own_host, settings={"hooks": {f"on-{name}": hook for name in ("play", "stop", "track")}})
    device = subject.device(cable)
    device.set_uri(served.add("/a.wav", sound.wav(sound.tone(1, 440)), "audio/wav"), DIDL)
    device.play()
    until(lambda: any(line.startswith("on-stop") for line in lines(log)), 15, "the hook on-stop")
    found = lines(log)
    assert sorted(found[:2]) == ["on-play|playing|$(reboot) 'x'", "on-track|playing|$(reboot) 'x'"]
    assert found[2].startswith("on-stop|stopped|")
    assert len(found) == 3


def test_a_hook_that_hangs_holds_up_nobody(own_host, cable, launch, tmp_path):
    log = tmp_path / "hooks"
    slow = ["/bin/sh", "-c", f"echo $VIREO_VOLUME >> {log}; exec sleep 600"]
    subject = launch(own_host, settings={"hooks": {"timeout": "500ms", "on-volume": slow}})
    device = subject.device(cable)
    threads, descriptors = subject.threads(), subject.descriptors()
    for volume in range(40):
        device.set_volume(volume)
    until(lambda: lines(log)[-1:] == ["39"], 15, "the last volume")
    assert len(lines(log)) < 10, "of quick changes only the latest waits"
    subject.log.wait(lambda line: "ran for 500ms and was ended" in line, 15, "a word about the hook")
    children = Path(f"/proc/{subject.pid}/task/{subject.pid}/children")
    until(lambda: children.read_text() == "", 15, "no child, living or dead")
    until(lambda: subject.descriptors() <= descriptors, 15, f"no more than {descriptors} descriptors")
    assert subject.threads() <= threads + 3


def test_a_fixed_volume_leaves_every_sample_as_it_is(own_host, cable, launch, served):
    subject = launch(own_host, settings={"audio": {"mixer": "none"}})
    device = subject.device(cable)
    samples = sound.noise(1)
    device.set_volume(3)
    assert device.volume() == 3
    device.set_uri(served.add("/a.wav", sound.wav(samples), "audio/wav"))
    device.play()
    compare.assert_identical(wait_recording(subject).samples, sound.scale(samples, 16))


def test_a_program_makes_the_volume(own_host, cable, launch, tmp_path):
    log = tmp_path / "volumes"
    program = tmp_path / "amplifier"
    program.write_text(f'#!/bin/sh\necho "$# $1 $VIREO_MUTED" >> {log}\n')
    program.chmod(0o755)
    subject = launch(own_host, settings={"audio": {"mixer": f"command:{program}"}, "volume": {"initial": 11}})
    device = subject.device(cable)
    until(lambda: lines(log) == ["1 11 0"], 15, "the volume at the start")
    device.set_volume(64)
    until(lambda: lines(log)[-1:] == ["1 64 0"], 15, "the volume")
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    until(lambda: lines(log)[-1:] == ["1 0 1"], 15, "mute")


def pulse_plugin():
    return any(Path("/usr/lib").glob("*/alsa-lib/libasound_module_ctl_pulse.so"))


@pytest.mark.skipif(not pulse_plugin(), reason="needs ALSA's plugin for PulseAudio (libasound2-plugins)")
def test_a_card_makes_the_volume(own_host, cable, launch, tmp_path):
    """The card is PulseAudio's, reached through libasound like any other."""
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    environment = {"XDG_RUNTIME_DIR": str(run), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    pulse = subprocess.Popen(
        ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--load=module-native-protocol-unix",
         "--load=module-null-sink sink_name=speaker"], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)

    def pactl(*words):
        return subprocess.run(["pactl", *words], env=environment, capture_output=True, text=True, check=False,
                              timeout=20).stdout

    try:
        until(lambda: "speaker" in pactl("list", "short", "sinks"), 20, "PulseAudio")
        subject = launch(own_host, settings={"audio": {"mixer": "alsa:Master@pulse"}, "volume": {"initial": 20}},
                         environment={"XDG_RUNTIME_DIR": str(run)})
        device = subject.device(cable)

        def percent():
            return re.findall(r"(\d+)%", pactl("get-sink-volume", "speaker"))

        until(lambda: set(percent()) == {"20"}, 15, "the volume at the start")
        device.set_volume(73)
        until(lambda: set(percent()) == {"73"}, 15, "the volume")
        device.rc("SetMute", Channel="Master", DesiredMute=1)
        until(lambda: "yes" in pactl("get-sink-mute", "speaker"), 15, "mute")
        descriptors = subject.descriptors()
        for volume in range(60):
            device.set_volume(volume)
        until(lambda: set(percent()) == {"59"}, 15, "the last volume")
        assert subject.descriptors() <= descriptors + 2, "nothing is left open"
        pulse.send_signal(signal.SIGKILL)
        pulse.wait()
        device.set_volume(10)
        subject.log.wait(lambda line: "the volume can't be set" in line, 15, "a word about the card")
        assert device.volume() == 10
    finally:
        pulse.kill()
        pulse.wait()


def test_metrics(own_host, cable, launch, served):
    subject = launch(own_host, settings={"metrics": {"enabled": True}})
    device = subject.device(cable)
    page = re.sub(r"(http://[^/]*)/.*", r"\1/metrics", subject.location(cable))

    def metrics():
        response = http.get(page)
        assert response.status == 200
        assert response["content-type"].startswith("text/plain; version=0.0.4")
        text = response.text() if callable(response.text) else response.text
        values = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                assert name not in values, f"{name} is there twice"
                values[name] = float(value)
        return values

    before = metrics()
    device.set_volume(31)
    assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master", DesiredVolume=101) == 601
    device.set_uri(served.add("/a.wav", sound.wav(sound.tone(1, 440)), "audio/wav"))
    device.play()
    wait_recording(subject)
    after = metrics()
    action = 'service="RenderingControl",action="SetVolume"'
    assert after[f"vireo_actions_total{{{action}}}"] == 2
    assert after[f'vireo_action_faults_total{{{action},code="601"}}'] == 1
    assert after['vireo_action_duration_seconds_count{service="RenderingControl"}'] == 2
    assert after["vireo_tracks_started_total"] == 1
    assert after["vireo_volume"] == 31
    assert after["process_resident_memory_bytes"] > 1e6
    assert after["vireo_http_requests_total"] > before["vireo_http_requests_total"]


def test_metrics_are_off_by_default(own_host, cable, launch):
    subject = launch(own_host)
    page = re.sub(r"(http://[^/]*)/.*", r"\1/metrics", subject.location(cable))
    assert http.get(page).status == 404
