"""Boots the Debian system of the test with systemd, in namespaces of its own, and uses the service as installed.

What the chroot of the other steps can't show: that vireod runs, makes sound, keeps its state, is reloaded and watched
within the sandbox of its unit. The network that it has is a loopback interface.
"""

import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import cast
import control_point

HERE = Path(__file__).resolve().parent
HOST = "http://127.0.0.1:49494"
# Sound through libasound, as to a sound card; what it gets is kept where the sandbox lets it be kept.
ALSA = """
pcm.recorder {
  type file
  slave.pcm "null"
  file "/var/lib/vireo/heard.raw"
  format "raw"
}
"""
CONFIGURATION = """
[device]
name = "{name}"
[network]
interfaces = ["lo"]
[audio]
output = "alsa:recorder"
release-after = "0s"
[volume]
initial = 100
[metrics]
enabled = true
"""
# The only change to the unit: half a minute is long to wait for the watchdog.
HURRY = "[Service]\nWatchdogSec=4\n"
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
        return subprocess.run(["nsenter", f"--target={self.leader()}", "--net", "--", *arguments], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def show(self, name):
        return self.run("systemctl", "show", "vireo", f"--property={name}", "--value").stdout.strip()

    def journal(self):
        return self.run("journalctl", "--unit=vireo", "--no-pager", "--output=cat").stdout

    def page(self, path):
        answer = self.control(sys.executable, "-c",
                              f"import urllib.request; print(urllib.request.urlopen('{HOST}{path}', timeout=10).read().decode())")
        return answer.stdout if answer.returncode == 0 else ""


def prepare(root):
    (root / "etc/asound.conf").write_text(ALSA)
    (root / "etc/vireo/vireo.toml").write_text(CONFIGURATION.format(name="Kitchen"))
    hurry = root / "etc/systemd/system/vireo.service.d/hurry.conf"
    hurry.parent.mkdir(parents=True)
    hurry.write_text(HURRY)
    (root / "usr/sbin/policy-rc.d").unlink(missing_ok=True)
    return [root / "etc/asound.conf", hurry, hurry.parent]


def is_served(system, name=""):
    return f"<h1>{name}" in system.page("/status") or (not name and "<h1>" in system.page("/status"))


def use(root):
    """Everything that is to be seen of the running service. `root` is left as it was, but for logs and state."""
    made = prepare(root)
    try:
        with Booted(root) as system:
            starts(system)
            plays(system, root)
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


def plays(system, root):
    answer = system.control(sys.executable, str(HERE / "control_point.py"), HOST)
    if answer.returncode != 0:
        print(system.journal())
    check(answer.returncode == 0, f"tracks are cast to it by UPnP AV and OpenHome {answer.stdout.strip()}")
    data = (root / "var/lib/private/vireo/heard.raw").read_bytes()
    cast.check_heard([value for value, in struct.iter_unpack("<h", data[:len(data) // 4 * 4])][::2])
    check(True, "ALSA got the sound, from within the sandbox")
    control_point.until((root / "var/lib/private/vireo/state.db").exists, "its state in /var/lib/vireo")
    check("rror" not in system.journal(), "and nothing is in the journal but what should be")


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
