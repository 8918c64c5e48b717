"""What the owner of the speaker attaches to it: hooks, mixers, metrics."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from kit import compare, exposition, http, sound
from kit.gena import Subscription
from kit.openhome import Speaker
from kit.programs import lines, lives
from kit.subject import ROOT, chosen, wait_recording
from kit.upnp import RC
from kit.waiting import until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's configuration")

DIDL = ('<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">'
        "<dc:title>$(reboot) 'x'</dc:title><upnp:class>object.item.audioItem.musicTrack</upnp:class>"
        '<res protocolInfo="http-get:*:audio/wav:*">x</res></item></DIDL-Lite>')


def test_hooks_follow_a_track(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    hook = ["/bin/sh", "-c", f'echo "$VIREO_HOOK|$VIREO_STATE|$VIREO_TITLE" >> {log}']
    subject = launch(own_host, settings={"hooks": {"off-delay": "0s"} | {f"on-{name}": hook for name in ("play", "stop", "track")}})
    device = subject.device(cable)
    device.set_uri(served.add("/a.wav", sound.wav(sound.tone(1, 440)), "audio/wav"), DIDL)
    device.play()
    until(lambda: any(line.startswith("on-stop") for line in lines(log)), 15, "the hook on-stop")
    found = lines(log)
    assert sorted(found[:2]) == ["on-play|playing|$(reboot) 'x'", "on-track|playing|$(reboot) 'x'"]
    assert found[2].startswith("on-stop|stopped|")
    assert len(found) == 3


# Everything that a hook is told, as one line, with the hook's name in front.
TELLING = ('{ echo "$VIREO_HOOK|$VIREO_STATE|$VIREO_VOLUME|$VIREO_MUTED|$VIREO_STANDBY|$VIREO_TITLE|$VIREO_URI|$VIREO_ERROR|$#"; }'
           " >> ")


def test_every_hook_is_told_the_state(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    hook = ["/bin/sh", "-c", TELLING + str(log), "hook", "an argument", "$HOME"]
    names = ("play", "stop", "pause", "track", "volume", "mute", "standby", "error")
    subject = launch(own_host, settings={"hooks": {f"on-{name}": hook for name in names}, "volume": {"initial": 20}})
    device, speaker = subject.device(cable), Speaker.of(subject, cable)

    def told(name, text):
        until(lambda: f"on-{name}|{text}|2" in lines(log), 15, f"the hook on-{name} with {text}; there is {lines(log)}")

    uri = served.add("/a.wav", sound.wav(sound.tone(30, 440)), "audio/wav")
    title = "$(reboot) 'x'"
    device.set_uri(uri, DIDL)
    device.play()
    told("play", f"playing|20|0|0|{title}|{uri}|")
    told("track", f"playing|20|0|0|{title}|{uri}|")
    device.set_volume(33)
    told("volume", f"playing|33|0|0|{title}|{uri}|")
    device.avt("Pause")
    told("pause", f"paused|33|0|0|{title}|{uri}|")
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    told("mute", f"paused|33|1|0|{title}|{uri}|")
    speaker.product("SetStandby", Value=1)
    told("stop", f"stopped|33|1|1|{title}|{uri}|")
    told("standby", f"stopped|33|1|1|{title}|{uri}|")
    speaker.product("SetStandby", Value=0)
    # Awake, it is at the source from before the cast.
    told("standby", "stopped|33|1|0|||")
    assert not [line for line in lines(log) if line.startswith("on-error")]
    device.set_uri(served.refuse("/absent.wav"))
    device.play()
    until(lambda: [line for line in lines(log) if line.startswith("on-error|stopped|33|1|0||") and "404" in line], 15,
          "the hook on-error")


def test_a_hook_that_hangs_is_ended_with_all_it_started(own_host, cable, launch, tmp_path):
    """It doesn't listen to SIGTERM, has a child that doesn't either, and one whose parent is gone."""
    pids = tmp_path / "pids"
    note = f"trap '' TERM; echo $$ >> {pids}; "
    stubborn = (f'{note} sh -c "{note.replace("$$", chr(92) + "$$")} sleep 600; true" & '
                f'( sh -c "{note.replace("$$", chr(92) + "$$")} sleep 600; true" & ) ; while :; do sleep 600; done')
    subject = launch(own_host, settings={"hooks": {"timeout": "1s", "on-volume": ["/bin/sh", "-c", stubborn]}})
    device = subject.device(cable)
    device.set_volume(7)
    until(lambda: len(lines(pids)) == 3, 15, "the three")
    assert all(lives(pid) for pid in lines(pids))
    subject.log.wait(lambda line: "ran for 1s and was ended" in line, 15, "a word about the hook")
    until(lambda: not any(lives(pid) for pid in lines(pids)), 15, "all three to be gone")
    children = Path(f"/proc/{subject.pid}/task/{subject.pid}/children")
    until(lambda: children.read_text() == "", 15, "no child, not even a zombie")
    assert device.volume() == 7


def test_hooks_end_with_the_daemon(own_host, cable, launch, tmp_path):
    pids = tmp_path / "pids"
    hook = ["/bin/sh", "-c", f"echo $$ >> {pids}; exec sleep 600"]
    subject = launch(own_host, settings={"hooks": {"timeout": "60s", "on-volume": hook}})
    subject.device(cable).set_volume(7)
    until(lambda: len(lines(pids)) == 1, 15, "the hook")
    assert subject.terminate() == 0
    until(lambda: not lives(lines(pids)[0]), 15, "the hook to be gone")


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


CARD = """
</usr/share/alsa/alsa.conf>
ctl.kitchen {
  type pulse
  sink speaker
}
"""


def pulse_plugin():
    return any(Path("/usr/lib").glob("*/alsa-lib/libasound_module_ctl_pulse.so"))


@pytest.mark.skipif(not pulse_plugin(), reason="needs ALSA's plugin for PulseAudio (libasound2-plugins)")
@pytest.mark.parametrize("card", ["pulse", "kitchen"])
def test_a_card_makes_the_volume(own_host, cable, launch, tmp_path, card):
    """The card is PulseAudio's, reached through libasound like any other; also under a name of the owner's own."""
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
        (tmp_path / "asound.conf").write_text(CARD)
        subject = launch(own_host, settings={"audio": {"mixer": f"alsa:Master@{card}"}, "volume": {"initial": 20}},
                         environment={"XDG_RUNTIME_DIR": str(run), "ALSA_CONFIG_PATH": str(tmp_path / "asound.conf")})
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
        # What others do is followed, and told to control points; nothing goes in circles.
        with Subscription(device.services[RC].event, cable.phone) as events:
            events.initial()
            mark = events.events.mark()
            pactl("set-sink-volume", "speaker", "42%")
            pactl("set-sink-mute", "speaker", "0")
            until(lambda: device.volume() == 42, 15, "the knob's volume")
            events.wait_change("Mute", "0", 10, since=mark)
            assert set(percent()) == {"42"}
            pactl("set-sink-mute", "speaker", "1")
            events.wait_change("Mute", "1", 10, since=mark)
            pactl("set-sink-volume", "speaker", "55%")
            until(lambda: device.volume() == 55, 15, "the knob's volume")
        pulse.send_signal(signal.SIGKILL)
        pulse.wait()
        device.set_volume(10)
        subject.log.wait(lambda line: "the volume can't be set" in line, 15, "a word about the card")
        assert device.volume() == 10
    finally:
        pulse.kill()
        pulse.wait()


@pytest.mark.parametrize("page", [
    "a 1", "a 1\n\n", "a  1\n", "a{} 1\n", "a{x=1} 1\n", 'a{x="1",} 1\n', 'a{x="1" y="2"} 1\n', 'a{x="1",x="2"} 1\n',
    'a{x="\\t"} 1\n', "a one\n", "a 1\na 1\n", "a 1\nb 1\na{x=\"1\"} 1\n", "# TYPE a meter\na 1\n", "a 1\n# TYPE a gauge\n",
    "# TYPE a gauge\n# TYPE a gauge\na 1\n", "# HELP a \\x\na 1\n", "# TYPE a counter\na -1\n", "# TYPE a gauge\n", "# a\n", "1a 1\n",
    '# TYPE h histogram\nh_bucket{le="+Inf"} 2\nh_sum 1\nh_count 1\n', '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
    '# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n', '# TYPE h histogram\nh_sum 1\nh_count 1\n',
    '# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_count 1\n',
])
def test_what_prometheus_would_not_read_is_noticed(page):
    with pytest.raises(exposition.Malformed):
        exposition.parse(page)


class Metrics:
    """What is to be fetched at /metrics."""

    def __init__(self, subject, cable):
        self.url = re.sub(r"(http://[^/]*)/.*", r"\1/metrics", subject.location(cable))

    def families(self):
        response = http.get(self.url)
        assert response.status == 200
        assert response["content-type"] == exposition.CONTENT_TYPE
        families = exposition.parse(response.text() if callable(response.text) else response.text)
        exposition.lint(families)
        return families

    def values(self):
        return exposition.values(self.families())


def test_metrics(own_host, cable, launch, served):
    subject = launch(own_host, settings={"metrics": {"enabled": True}, "limits": {"connections": 77, "idle-seconds": "1min"}})
    device = subject.device(cable)
    metrics = Metrics(subject, cable)
    before = metrics.values()
    assert before["vireo_underruns_total"] == 0 and before['vireo_refusals_total{reason="tooLarge"}'] == 0
    device.set_volume(31)
    assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master", DesiredVolume=101) == 601
    assert before["vireo_buffer_seconds"] == 0
    device.set_uri(served.add("/a.wav", sound.wav(sound.tone(4, 440)), "audio/wav"))
    device.play()
    until(lambda: 0 < metrics.values()["vireo_buffer_seconds"] < 5, 15, "something to be buffered")
    wait_recording(subject)
    after = metrics.values()
    assert after["vireo_buffer_seconds"] == 0
    action = 'action="SetVolume",service="RenderingControl"'
    assert after[f"vireo_actions_total{{{action}}}"] == 2
    assert after['vireo_action_faults_total{action="SetVolume",code="601",service="RenderingControl"}'] == 1
    assert after['vireo_action_duration_seconds_count{service="RenderingControl"}'] == 2
    assert 0 < after['vireo_action_duration_seconds_sum{service="RenderingControl"}'] < 30
    assert after["vireo_tracks_started_total"] == 1
    assert after["vireo_volume"] == 31
    assert after["process_resident_memory_bytes"] > 1e6
    assert after["process_cpu_seconds_total"] >= before["process_cpu_seconds_total"] > 0
    assert after["vireo_http_requests_total"] > before["vireo_http_requests_total"]
    assert after["vireo_uptime_seconds"] > before["vireo_uptime_seconds"]
    assert after['vireo_limit{key="connections"}'] == 77
    assert after['vireo_limit{key="idle-seconds"}'] == 60


def test_metrics_tell_of_trouble(own_host, cable, launch, served):
    subject = launch(own_host, settings={"metrics": {"enabled": True}})
    device = subject.device(cable)
    metrics = Metrics(subject, cable)
    device.set_uri(served.refuse("/absent.wav"))
    device.play()
    until(lambda: metrics.values()['vireo_playback_failures_total{kind="notFound"}'] == 1, 15, "the failure")
    assert http.get(metrics.url.replace("/metrics", "/nothing")).status == 404
    assert metrics.values()['vireo_refusals_total{reason="notFound"}'] == 1


def test_metrics_stay_few_whatever_is_asked(own_host, cable, launch):
    """Labels are the services' words, never a peer's."""
    subject = launch(own_host, settings={"metrics": {"enabled": True}})
    device = subject.device(cable)
    metrics = Metrics(subject, cable)

    def ask(number):
        assert device.fault(RC, f"Invented{number}", InstanceID=0) == 401
        http.get(metrics.url.replace("/metrics", f"/invented/{number}"))

    ask(0)
    before = len(metrics.values())
    for number in range(1, 40):
        ask(number)
    after = metrics.values()
    assert len(after) == before
    assert after['vireo_actions_total{action="unknown",service="RenderingControl"}'] == 40
    assert not any("nvented" in name for name in after)


def test_the_dashboard_asks_for_what_is_there(own_host, cable, launch):
    subject = launch(own_host, settings={"metrics": {"enabled": True}})
    device = subject.device(cable)
    assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master", DesiredVolume=101) == 601
    there = {name.split("{")[0] for name in Metrics(subject, cable).values()}
    dashboard = json.loads((ROOT / "Config/grafana/vireo.json").read_text())
    asked = {name for panel in dashboard["panels"] for target in panel.get("targets", [])
             for name in re.findall(r"\b(?:vireo|process)_[a-z_]+", target["expr"])}
    assert len(asked) > 10
    assert asked - there == set()


def test_metrics_are_off_by_default(own_host, cable, launch):
    subject = launch(own_host)
    page = re.sub(r"(http://[^/]*)/.*", r"\1/metrics", subject.location(cable))
    assert http.get(page).status == 404
