"""What helps to find the cause when the soak fails: the end of the daemon's log, and what its threads are doing."""

import shutil
import subprocess
import time
from pathlib import Path

SECONDS = 60


def last_lines(recent, now=None):
    """Of `recent`, pairs of a time and a line, the lines of the last minute."""
    now = time.monotonic() if now is None else now
    return [line for at, line in list(recent) if now - at <= SECONDS]


def stacks(pid):
    """The stack of each thread, if gdb is installed and may look; otherwise what the kernel says of each."""
    if shutil.which("gdb"):
        command = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set debuginfod enabled off",
                   "-ex", "thread apply all backtrace 30"]
        try:
            found = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120,
                                   stdin=subprocess.DEVNULL)
            lines = [line for line in found.stdout.splitlines() if line.startswith(("Thread ", "#"))]
            if lines:
                return lines
        except (OSError, subprocess.TimeoutExpired):
            pass
    return [line for task in sorted(Path(f"/proc/{pid}/task").glob("*"), key=lambda task: int(task.name))
            for line in of_kernel(task)]


def of_kernel(task):
    """A thread's name, state, and the function of the kernel in which it waits."""
    try:
        name, waits = ((task / file).read_text().strip() for file in ("comm", "wchan"))
        status = (task / "status").read_text().splitlines()
    except OSError:
        return [f"{task.name}: gone"]
    wanted = ("State:", "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:")
    return [f"{task.name} {name}: waits in {waits or '?'}",
            *("  " + " ".join(line.split()) for line in status if line.startswith(wanted))]


def collect(subject):
    """All of it, as lines to print."""
    lines = ["the last minute of its log:", *("  " + line for line in last_lines(subject.recent))]
    if subject.is_running():
        lines += ["its threads:", *("  " + line for line in stacks(subject.pid))]
    return lines
