"""Runs the vireod that is installed in the Debian system ROOT, and casts sounds to it: `unshare --net cast.py ROOT`."""

import re
import struct
import subprocess
import sys
import threading
from pathlib import Path

import control_point

CONFIGURATION = """
[network]
interfaces = ["lo"]
[audio]
output = "file:/tmp/heard.wav"
[volume]
initial = 100
[metrics]
enabled = true
"""


def main():
    root = Path(sys.argv[1])
    interfaces = subprocess.run(["ip", "-o", "link"], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    if [line.split(": ")[1] for line in interfaces] != ["lo"]:
        sys.exit("this isn't a network namespace of our own")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    (root / "tmp/test.toml").write_text(CONFIGURATION)
    daemon = subprocess.Popen(
        ["chroot", str(root), "/usr/bin/vireod", "--config", "/tmp/test.toml", "--state-dir", "/tmp/state"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}, stderr=subprocess.PIPE, text=True)
    try:
        port = None
        for line in daemon.stderr:
            print("     " + line, end="")
            if found := re.search(r", port (\d+)$", line):
                port = found[1]
                break
        if port is None:
            sys.exit("FAILED: vireod ended before it was ready")
        threading.Thread(target=lambda: [print("     " + line, end="") for line in daemon.stderr], daemon=True).start()
        control_point.cast(f"http://127.0.0.1:{port}")
    finally:
        daemon.terminate()
        code = daemon.wait(10)
    if code != 0:
        sys.exit(f"FAILED: it ended with {code}")
    data = (root / "tmp/heard.wav").read_bytes()[44:]
    samples = [value for value, in struct.iter_unpack("<h", data[:len(data) // 2 * 2])][::2]
    check_heard(samples)


def check_heard(samples):
    """The two tones, one behind the other, each for about two seconds."""
    second = 44100
    if len(samples) < 3.5 * second:
        sys.exit(f"FAILED: only {len(samples) / second:.1f} s were heard")
    for start, hertz in ((second // 2, 440), (len(samples) - 3 * second // 2, 1000)):
        found = control_point.strength(samples[start:start + second], hertz)
        if not 0.25 < found < 0.3:
            sys.exit(f"FAILED: the tone of {hertz} Hz isn't there ({found:.3f} instead of 0.275)")


if __name__ == "__main__":
    main()
