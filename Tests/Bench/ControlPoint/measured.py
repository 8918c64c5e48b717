"""Runs clients, and measures those that don't measure themselves."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

#: Seconds that a client has.
PATIENCE = 120
#: The figures that aren't times.
MEMORY = {"peak", "dirty", "grown"}


def told(command):
    """What a client says of itself in a line of JSON: times in ms, memory in KiB."""
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout)


def timed(command, environment, output=os.devnull):
    """ms from launch to end, and of processor time, of a program that knows nothing of it."""
    with open(output, "wb") as file:
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=file, stdin=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        taken = (time.monotonic() - begun) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {"all": taken, "cpu": (usage.ru_utime + usage.ru_stime) * 1000}


def memory(command, environment):
    """The most of resident memory, and of the program's own, in KiB: looked at all the time, so the program is slower."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment)
    peak = dirty = 0
    while process.poll() is None:
        try:
            peak = max(peak, field(process.pid, "status", "VmHWM"))
            dirty = max(dirty, field(process.pid, "smaps_rollup", "Private_Dirty"))
        except (OSError, KeyError):  # it has just ended
            continue
    return {"peak": peak, "dirty": dirty}


def field(pid, file, name):
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()[1:]
    return int(dict(line.split(":", 1) for line in lines)[name].split()[0])


def by_turns(clients, rounds, time_of=min):
    """The figures by client: of times the least, since what else the machine does only adds to them, of memory the median.
    No figures for one that has failed.

    One round of all after the other, so that what else the machine does meets all.
    """
    results = {name: [] for name in clients}
    failures = set()
    for _ in range(rounds):
        for name, run in clients.items():
            if name in failures:
                continue
            try:
                results[name].append(run())
            except (subprocess.SubprocessError, OSError, IndexError) as error:
                failures.add(name)
                print(f"{name}: {error} {getattr(error, 'stderr', None) or ''}", file=sys.stderr, flush=True)
    return {name: {key: (statistics.median if key in MEMORY else time_of)(one[key] for one in every) for key in every[0]}
            if name not in failures else {} for name, every in results.items()}


def cell(figures, key, digits=0, scale=1):
    return f"{figures[key] / scale:,.{digits}f}" if figures.get(key) is not None else "—"
