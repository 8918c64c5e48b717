"""How long each takes to find media servers that answer a search at once."""

import subprocess
import sys
import time
from pathlib import Path

import measured
from table import markdown

HERE = Path(__file__).resolve().parent
TYPE = "urn:schemas-upnp-org:device:MediaServer:1"


class Devices:
    """So many of them on the loopback, each answering after so many seconds."""

    def __init__(self, count, seconds=0):
        self.process = subprocess.Popen([sys.executable, HERE / "devices.py", str(count), str(seconds)],
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def answered(self):
        """When they began to answer the next search."""
        return float(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def gssdp_discover(count):
    """It reads no descriptions."""
    start = time.monotonic()
    process = subprocess.Popen(["gssdp-discover", "-i", "lo", "-n", "10", "-t", TYPE, "-m", "available"],
                               stdout=subprocess.PIPE, text=True)
    times = []
    while len(times) < count and (line := process.stdout.readline()):
        if "Location:" in line:
            times.append((time.monotonic() - start) * 1000)
    ticks = Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]
    found = {"first": times[0], "all": times[-1], "cpu": int(ticks) / 1e6,
             "peak": measured.field(process.pid, "status", "VmHWM"),
             "dirty": measured.field(process.pid, "smaps_rollup", "Private_Dirty")}
    process.kill()
    process.wait()
    return found


def table(programs, rounds):
    lines = [["what is found, by whom", "first, ms", "all, ms", "CPU, ms", "memory at most, MiB", "its own, MiB"]]
    for count in (1, 20, 200):
        clients = {"Vireo's ControlPoint": lambda: measured.told([programs.bench, "find", str(count)])}
        if programs.python:
            clients["async-upnp-client"] = lambda: measured.told([programs.python, HERE / "peer.py", "find", str(count)])
        if programs.gupnp:
            clients["GUPnP"] = lambda: measured.told([programs.gupnp, "find", str(count)])
            clients["gssdp-discover (no descriptions)"] = lambda: gssdp_discover(count)
        with Devices(count):
            for name, figures in measured.by_turns(clients, rounds if count < 200 else max(3, rounds // 3)).items():
                lines.append([f"{count} device{'s' * (count > 1)}, {name}", *(measured.cell(figures, key) for key in ("first", "all", "cpu")),
                              measured.cell(figures, "peak", 1, 1024), measured.cell(figures, "dirty", 1, 1024)])
    return markdown(lines)

