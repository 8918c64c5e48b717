"""Boots the Debian system of the test with systemd, in namespaces of its own, and uses the service as installed.

What the chroot of the other steps can't show: that vireod runs, makes sound, keeps its state, is reloaded and watched
within the sandbox of its unit. The network that it has is a loopback interface.
"""

import itertools
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import cast
import control_point

HERE = Path(__file__).resolve().parent
HOST = "http://127.0.0.1:49494"
# A sound card that keeps time: sound goes through libasound to PulseAudio, which has a sink that leads nowhere and can
# be listened to.
SOCKET = "/run/speaker/native"
ALSA = f"""
pcm.speaker {{
  type pulse
  server "unix:{SOCKET}"
}}
"""
SPEAKER = f"""
[Unit]
Before=vireo.service
[Service]
User=nobody
RuntimeDirectory=speaker
Environment=HOME=/run/speaker XDG_RUNTIME_DIR=/run/speaker
ExecStart=/usr/bin/pulseaudio -n --daemonize=no --exit-idle-time=-1 \\
  --load="module-native-protocol-unix auth-anonymous=1 socket={SOCKET}" \\
  --load="module-null-sink sink_name=speaker rate=44100"
[Install]
WantedBy=multi-user.target
"""
PACKAGES = ["systemd", "systemd-sysv", "dbus", "pulseaudio", "pulseaudio-utils", "libasound2-plugins"]
CONFIGURATION = """
[device]
name = "{name}"
[network]
interfaces = ["lo"]
[audio]
output = "alsa:speaker"
release-after = "0s"
[volume]
initial = 100
[metrics]
enabled = true
"""
# The only change to the unit: half a minute is long to wait for the watchdog.
HURRY = "[Service]\nWatchdogSec=15\n"
# systemd-analyze's figure for the unit, at most.
EXPOSURE = 2.0


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")
    print(f"   ok: {text}", flush=True)


class Booted:
    """A Debian system that runs."""

    def __init__(self, root):
        self.root = root
        self.process = None

    def __enter__(self):
        if os.path.ismount(self.root / "proc"):
            sys.exit(f"{self.root}/proc is mounted: those would be other processes than it has")
        # Unified control groups, and bpf() for the devices that a unit may open.
        environment = dict(os.environ, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--boot", f"--directory={self.root}", "--private-network",
             "--machine=vireo-packaging", "--register=no", "--keep-unit", "--console=pipe",
             "--capability=CAP_BPF,CAP_PERFMON", "--system-call-filter=bpf"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        control_point.until(self.leader, "systemd's first process")
        control_point.until(lambda: self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"),
                            "the system to have booted", 60)
        return self

    def leader(self):
        """The process id, out here, of the one that is 1 in there; "" while there is none."""
        if self.process.poll() is not None:
            sys.exit(f"FAILED: systemd-nspawn can't boot it: {self.process.stderr.read()}")
        pid = self.process.pid
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def run(self, *command, timeout=60):
        """Runs a command in there."""
        return subprocess.run(
            ["nsenter", f"--target={self.leader()}", "--all", "--", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
             "LC_ALL=C.UTF-8", *command],
            check=False, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=timeout)

    def control(self, *arguments):
        """Runs a program of ours in its network, and nowhere else."""
        return subprocess.Popen(["nsenter", f"--target={self.leader()}", "--net", "--", *arguments], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def show(self, name):
        return self.run("systemctl", "show", "vireo", f"--property={name}", "--value").stdout.strip()

    def journal(self):
        return self.run("journalctl", "--unit=vireo", "--no-pager", "--output=cat").stdout

    def page(self, path):
        """What is served there; "" when nothing is."""
        program = f"import urllib.request; print(urllib.request.urlopen('{HOST}{path}', timeout=10).read().decode())"
        answer = self.control(sys.executable, "-c", program)
        text, _ = answer.communicate(timeout=60)
        return text if answer.returncode == 0 else ""


def prepare(root):
    """Writes what the test needs; returns it, folders behind their content."""
    made = {
        "etc/asound.conf": ALSA,
        "etc/systemd/system/vireo.service.d/hurry.conf": HURRY,
        "etc/systemd/system/speaker.service": SPEAKER,
    }
    for path, text in made.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    (root / "etc/vireo/vireo.toml").write_text(CONFIGURATION.format(name="Kitchen"))
    wanted = root / "etc/systemd/system/multi-user.target.wants/speaker.service"
    wanted.symlink_to("/etc/systemd/system/speaker.service")
    return [*(root / path for path in made), wanted, root / "etc/systemd/system/vireo.service.d"]


def is_served(system, name=""):
    return f"<h1>{name}" in system.page("/status") or (not name and "<h1>" in system.page("/status"))


def use(root):
    """Everything that is to be seen of the running service. `root` is left as it was, but for logs and state."""
    made = prepare(root)
    try:
        with Booted(root) as system:
            starts(system)
            plays(system)
            reloads(system, root)
            is_watched(system)
            stops(system)
    finally:
        for path in made:
            path.rmdir() if path.is_dir() else path.unlink()


def starts(system):
    state = system.run("systemctl", "is-active", "vireo").stdout.strip()
    if state != "active":
        print(system.run("systemctl", "status", "vireo", "--no-pager").stdout, system.journal())
    check(state == "active", "the service runs, started at boot, because it was installed")
    check(system.show("StatusText").startswith("Serving as Kitchen on port 49494"), "it has told systemd that it is ready")
    pid = system.show("MainPID")
    status = dict(re.findall(r"^(\w+):\s*(.*)$", system.run("cat", f"/proc/{pid}/status").stdout, re.M))
    check(int(status["Uid"].split()[0]) >= 61184, f"as a user of its own, made for the service ({status['Uid'].split()[0]})")
    check(status["Seccomp"] == "2" and status["NoNewPrivs"] == "1", "with its system calls filtered")
    check(int(status["CapBnd"], 16) == 0, "without any capability")
    found = re.search(r"Overall exposure level for vireo.service: ([\d.]+)",
                      system.run("systemd-analyze", "security", "--no-pager", "vireo.service").stdout)
    check(float(found[1]) <= EXPOSURE, f"its exposure is {found[1]}, not over {EXPOSURE}")


def plays(system):
    recorder = system.run(
        "systemd-run", "--unit=recorder", "--uid=nobody", "--property=StandardOutput=truncate:/run/heard.raw", "parec",
        f"--server=unix:{SOCKET}", "--device=speaker.monitor", "--format=s16le", "--rate=44100", "--channels=2")
    check(recorder.returncode == 0, "somebody listens")
    control_point.until(lambda: system.run("stat", "-c", "%s", "/run/heard.raw").stdout.strip() not in ("", "0"), "a first sound")
    caster = system.control(sys.executable, str(HERE / "control_point.py"), HOST)
    hurried = set()
    while caster.poll() is None:
        hurried |= real_time_threads(system)
        time.sleep(0.1)
    if caster.returncode != 0:
        print(system.journal())
    check(caster.returncode == 0, "tracks are cast to it by UPnP AV and OpenHome")
    if system.run("systemd-run", "--wait", "--uid=nobody", "--property=LimitRTPRIO=20", "chrt", "--fifo", "10",
                  "true").returncode == 0:
        check(hurried, f"sound is made with real-time priority, by {', '.join(sorted(hurried))}")
    else:
        print("   (real-time priority can not be seen: nobody here may raise its limit for a service)")
    system.run("systemctl", "stop", "recorder")
    data = Path(f"/proc/{system.leader()}/root/run/heard.raw").read_bytes()
    cast.check_heard(without_silence([value for value, in struct.iter_unpack("<h", data[:len(data) // 4 * 4])][::2]))
    check(True, "and are heard, by way of libasound and PulseAudio, from within the sandbox")
    check("rror" not in system.journal(), "nothing is in the journal but what should be")
    for path, text in (("/var/lib/private/vireo/state.db", "its state is kept"),
                       ("/var/cache/private/vireo/gstreamer-1.0", "and GStreamer's list of plugins")):
        control_point.until(lambda: system.run("test", "-e", path).returncode == 0, path)
        check(True, f"{text} ({path})")


def real_time_threads(system):
    """Names and priorities of vireod's threads that go before others (sched(7): FIFO and RR are 1 and 2)."""
    found = set()
    for line in system.run("sh", "-c", f"cat /proc/{system.show('MainPID')}/task/*/stat").stdout.splitlines():
        name, fields = line.split("(", 1)[1].rsplit(")", 1)
        if fields.split()[38] in ("1", "2"):
            found.add(f"{name} ({fields.split()[37]})")
    return found


def without_silence(samples):
    """Before, between and behind the tracks there is silence."""
    heard = []
    for is_zero, run in itertools.groupby(samples, lambda sample: sample == 0):
        run = list(run)
        if not is_zero or len(run) < 16:
            heard += run
    return heard


def reloads(system, root):
    pid = system.show("MainPID")
    (root / "etc/vireo/vireo.toml").write_text(CONFIGURATION.format(name="Bathroom"))
    check(system.run("systemctl", "reload", "vireo").returncode == 0, "it can be reloaded")
    control_point.until(lambda: is_served(system, "Bathroom"), "the new name")
    check(system.show("MainPID") == pid, "and has its new name without a restart")


def is_watched(system):
    first = int(system.show("WatchdogTimestampMonotonic"))
    control_point.until(lambda: int(system.show("WatchdogTimestampMonotonic")) > first, "the watchdog to be fed")
    pid = system.show("MainPID")
    check(system.show("NRestarts") == "0", "the watchdog is fed")
    system.run("kill", "-STOP", pid)
    control_point.until(lambda: system.show("NRestarts") == "1" and system.show("ActiveState") == "active",
                        "systemd to start again what has stopped", 60)
    check(system.show("MainPID") != pid, "a daemon that hangs is started again")
    control_point.until(lambda: is_served(system), "the restarted service")
    system.run("kill", "-KILL", system.show("MainPID"))
    control_point.until(lambda: system.show("NRestarts") == "2" and system.show("ActiveState") == "active",
                        "systemd to start again what was killed", 60)
    check(is_served(system), "and so is one that was killed")


def stops(system):
    check(system.run("systemctl", "stop", "vireo").returncode == 0, "it stops")
    check((system.show("Result"), system.show("ExecMainStatus")) == ("success", "0"), "as it should")


if __name__ == "__main__":
    use(Path(sys.argv[1]))
