"""Starting, stopping, dying, reloading; and two renderers on one machine."""

import signal
import socket
import subprocess
import time

import pytest
from kit import http, openhome, sound, ssdp
from kit.gena import Receiver, Subscription, subscribe
from kit.media_server import MediaServer
from kit.subject import chosen, stored, wait_recording
from kit.upnp import AVT, RC, Device
from kit.waiting import PATIENCE, until

only_vireod = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's command line or files")


def test_volume_and_mute_survive_a_restart(own_host, cable, launch):
    subject = launch(own_host)
    device = subject.device(cable)
    device.set_volume(37)
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    assert subject.terminate() == 0
    device = subject.start().device(cable)
    assert device.volume() == 37
    assert device.rc("GetMute", Channel="Master") == {"CurrentMute": "1"}
    with Subscription(device.services[RC].event, cable.phone) as events:
        assert events.initial().changes["Volume"] == "37"


@only_vireod
def test_volume_survives_kill_9(own_host, cable, launch, tmp_path):
    subject = launch(own_host)
    device = subject.device(cable)
    # The start writes something too, a while after it: that the files have changed says nothing.
    state, copy = subject.folder / "state", tmp_path / "copy"
    device.set_volume(41)
    level = int(device.rc("GetVolumeDB", Channel="Master")["CurrentVolume"])
    until(lambda: stored(state, copy, "master-level") == level, 15, "the volume is written")
    subject.kill()
    assert subject.start().device(cable).volume() == 41


@only_vireod
@pytest.mark.parametrize("damage", [b"", b"\0" * 100, b"{", b"[1,2,3]", b'{"version": 999999}'], ids=repr)
def test_damaged_state_is_reported_and_survived(own_host, cable, launch, damage):
    subject = launch(own_host)
    subject.device(cable).set_volume(41)
    assert subject.terminate() == 0
    files = [path for path in (subject.folder / "state").rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(damage)
    mark = subject.log.mark()
    device = subject.start().device(cable)
    assert device.volume() == 100, "the initial volume of the configuration"
    assert any("state" in line.lower() for line in subject.log.since(mark))


@only_vireod
def test_a_state_directory_that_cant_be_is_survived(own_host, cable, launch):
    subject = launch(own_host, start=False)
    state = subject.folder / "state"
    state.write_text("a file where the directory should be")
    device = subject.start().device(cable)
    device.set_volume(20)
    assert device.volume() == 20
    assert subject.terminate() == 0


def test_kill_9_then_start_says_byebye_first(own_host, cable, launch):
    subject = launch(own_host)
    with ssdp.Listener(cable.phone_interface) as listener:
        old = subject.location(cable)
        assert old
        with ssdp.Search(cable) as search:
            search.send(ssdp.search_request(ssdp.RENDERER))
            boot = int(search.wait(subject.uuid)["BOOTID.UPNP.ORG"])
        subject.kill()
        mark = listener.messages.mark()
        subject.start()
        farewell = listener.wait_byebye(subject.uuid, since=mark)
        listener.wait_alive(subject.uuid, since=listener.messages.behind(farewell))
        mine = [m for m in listener.messages.since(mark) if m.of(subject.uuid)]
        assert mine[0].is_byebye
        assert int(next(m for m in mine if m.is_alive)["BOOTID.UPNP.ORG"]) > boot


def test_identity_stays(own_host, cable, launch):
    subject = launch(own_host)
    first = subject.device(cable).udn
    subject.terminate()
    assert subject.start().device(cable).udn == first


@only_vireod
def test_identity_without_configuration_is_stable_and_a_uuid(own_host, cable, launch):
    import uuid as uuids
    import xml.etree.ElementTree as ET
    from kit.upnp import DEVICE_NS

    def udn(folder):
        done = subprocess.run(
            [subject.binary(), "--state-dir", folder, "--print-description"], capture_output=True, timeout=20)
        assert done.returncode == 0, done.stderr
        # One description after the other, the MediaRenderer's first.
        texts = [b"<?xml" + text for text in done.stdout.split(b"<?xml") if text.strip()]
        return [ET.fromstring(text).findtext(f"{DEVICE_NS}device/{DEVICE_NS}UDN") for text in texts]
    subject = launch(own_host, start=False)
    first = udn(subject.folder / "a")
    for name in first:
        assert name.startswith("uuid:") and str(uuids.UUID(name[5:])) == name[5:].lower()
    assert first[1] == f"uuid:{openhome.udn(first[0][5:])}"
    assert udn(subject.folder / "b") == first, "the same after a reinstall, which has a new state directory"


@only_vireod
def test_sighup_renames(own_host, cable, launch):
    subject = launch(own_host)
    with ssdp.Listener(cable.phone_interface) as listener:
        device = subject.device(cable)
        config = device.root.get("configId")
        device.set_volume(55)
        subject.friendly_name = "Küche & Bad"
        subject.write_configuration()
        mark = listener.messages.mark()
        subject.signal(signal.SIGHUP)
        farewell = listener.wait_byebye(subject.uuid, since=mark)
        assert farewell["CONFIGID.UPNP.ORG"] == config
        # What the start repeats may still be announced before the farewell.
        alive = listener.wait_alive(subject.uuid, since=listener.messages.behind(farewell))
        assert alive["CONFIGID.UPNP.ORG"] != config
    renamed = Device(alive["LOCATION"])
    assert renamed.name == "Küche & Bad"
    assert renamed.udn == device.udn and renamed.root.get("configId") == alive["CONFIGID.UPNP.ORG"]
    assert renamed.volume() == 55


@only_vireod
def test_sighup_with_a_broken_file_changes_nothing(own_host, cable, launch):
    subject = launch(own_host)
    device = subject.device(cable)
    (subject.folder / "vireo.toml").write_text("[device\nname = ")
    mark = subject.log.mark()
    subject.signal(signal.SIGHUP)
    subject.log.wait(lambda line: "vireo.toml" in line, 5, "a line about the broken file", mark)
    assert Device(device.location).name == subject.friendly_name


def test_sigterm_while_playing_leaves_within_a_second_or_so(own_host, cable, launch):
    subject = launch(own_host)
    device = subject.device(cable)
    media = MediaServer(cable.phone)
    idle = socket.create_connection((cable.speaker, http.split(device.location)[1]))
    silent = Receiver(cable.phone, behaviour="silent")
    try:
        subscribe(device.services[AVT].event, silent.url())
        with Subscription(device.services[AVT].event, cable.phone) as events:
            events.initial()
            device.set_uri(media.add("/x.wav", sound.wav(sound.noise(30)), "audio/wav"))
            device.play()
            events.wait_change("TransportState", "PLAYING", 10)
            begun = time.monotonic()
            assert subject.terminate() == 0
            assert time.monotonic() - begun < 2 * PATIENCE
        if subject.name == "vireod":
            assert wait_recording(subject).complete, "the recording's header is finished on the way out"
    finally:
        idle.close()
        silent.close()
        media.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_leaves_on_signal(own_host, cable, launch, number):
    subject = launch(own_host)
    subject.location(cable)
    begun = time.monotonic()
    subject.signal(number)
    assert subject.wait_exit() == 0
    assert time.monotonic() - begun < 2 * PATIENCE


@only_vireod
def test_sigterm_during_the_start(own_host, cable, launch):
    for delay in (0, 0.01, 0.03, 0.1):
        subject = launch(own_host, folder=f"at-{delay}")
        time.sleep(delay)
        subject.signal(signal.SIGTERM)
        # Before the handler is there, the signal's own effect ends the process.
        assert subject.wait_exit() in (0, -signal.SIGTERM)


def test_two_renderers_on_one_host(own_host, cable, launch):
    one = launch(own_host, folder="one", friendly_name="One")
    first = one.device(cable)
    two = launch(own_host, folder="two", friendly_name="Two")
    second = two.device(cable)
    assert (first.name, second.name) == ("One", "Two")
    assert first.location != second.location
    first.set_volume(11)
    second.set_volume(22)
    assert (first.volume(), second.volume()) == (11, 22)
    assert one.device(cable).name == "One", "both are found"
    with ssdp.Search(cable) as search:
        search.send(ssdp.search_request("upnp:rootdevice"))
        assert search.wait(one.uuid) and search.wait(two.uuid)
        if one.name == "vireod":
            assert search.wait(openhome.udn(one.uuid)) and search.wait(openhome.udn(two.uuid))
        ours = {one.uuid, two.uuid, openhome.udn(one.uuid), openhome.udn(two.uuid)}
        assert {m["USN"][5:41] for m in search.messages.items if m.is_response} <= ours
    two.terminate()
    assert one.device(cable).volume() == 11


def test_beside_another_upnp_program(own_host, cable, launch):
    """Something else holds port 1900 (shared, as UPnP programs do) and something the usual HTTP port."""
    holder = subprocess.Popen(own_host.wrap(
        "python3", "-c",
        "import socket, struct, sys\n"
        "u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "u.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
        "u.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "u.bind(('', 1900))\n"
        f"u.setsockopt(0, 35, socket.inet_aton('239.255.255.250') + socket.inet_aton('{cable.speaker}'))\n"
        "t = socket.socket(); t.bind(('', 49494)); t.listen()\n"
        "print('ready', flush=True); sys.stdin.read()"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline().strip() == "ready"
        subject = launch(own_host)
        assert subject.device(cable).udn == f"uuid:{subject.uuid}"
    finally:
        holder.stdin.close()
        holder.wait(10)


@only_vireod
def test_command_line(tmp_path, launch, own_host):
    binary = chosen().binary()

    def run(*arguments):
        return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=20)
    assert run("--version").returncode == 0 and run("--version").stdout.strip()
    assert run("--help").returncode == 0
    assert run("--nonsense").returncode not in (0, -6)
    config = tmp_path / "x.toml"
    config.write_text('[network]\nprot = 5\n')
    done = run("--config", config, "--check-config")
    assert done.returncode != 0
    message = done.stdout + done.stderr
    assert "x.toml" in message and "2" in message and "prot" in message and "port" in message
    config.write_text('[volume]\ninitial = 1000\n')
    done = run("--config", config, "--check-config")
    assert done.returncode != 0 and "initial" in done.stdout + done.stderr and "100" in done.stdout + done.stderr
    config.write_text('[device]\nname = "X & Y"\n')
    done = run("--config", config, "--check-config")
    assert done.returncode == 0 and "X & Y" in done.stdout
    assert run("--config", tmp_path / "none.toml").returncode != 0
    assert "null" in run("--list-outputs").stdout


@only_vireod
def test_command_line_without_proc():
    """Where /proc isn't mounted Swift itself sees no arguments; `--version` must not become a daemon then."""
    script = 'mount -t tmpfs none /proc && exec "$0" --version'
    done = subprocess.run(["unshare", "--mount", "--net", "sh", "-c", script, chosen().binary()],
                          capture_output=True, text=True, timeout=20 * PATIENCE)
    assert (done.returncode, done.stdout[:7]) == (0, "vireod "), done.stderr


@only_vireod
def test_limits_are_visible(own_host, cable, launch):
    """In --check-config and the metrics; a change that waits for a restart is told."""
    settings = {"limits": {"connections": 77, "header-seconds": "3s"}, "metrics": {"enabled": True}}
    subject = launch(own_host, settings=settings)
    location = subject.location(cable)
    shown = subprocess.run([subject.binary(), "--config", subject.write_configuration(), "--check-config"],
                           capture_output=True, text=True, timeout=20 * PATIENCE).stdout
    assert "connections = 77 " in shown and 'header-seconds = "3s"' in shown and "subscriptions = 1024 " in shown
    metrics = http.get(location.split("/", 3)[0] + "//" + location.split("/", 3)[2] + "/metrics").text
    assert 'vireo_limit{key="connections"} 77\n' in metrics and 'vireo_limit{key="header-seconds"} 3\n' in metrics
    section = shown.split("[limits]\n")[1].split("\n[")[0]
    keys = [line.split(" = ")[0] for line in section.splitlines() if " = " in line]
    assert len(keys) >= 9 and all(f'vireo_limit{{key="{key}"}} ' in metrics for key in keys), keys
    subject.settings["limits"]["connections"] = 78
    subject.write_configuration()
    mark = subject.log.mark()
    subject.signal(signal.SIGHUP)
    subject.log.wait(lambda line: "limits.connections" in line and "restart" in line, 5, "the need of a restart", mark)
