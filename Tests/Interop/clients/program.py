"""A program of others in a process group of its own, whose output is kept."""

import os
import signal
import subprocess
import threading

from kit.waiting import Feed


class Program:
    def __init__(self, home, *command, **environment):
        self.home = home
        self.log = Feed()
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=home,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(home), **environment},
            start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.log.append(line.decode("utf-8", "replace").rstrip())

    def is_running(self):
        return self.process.poll() is None

    def close(self):
        """Ends it, and whatever it started; the last lines that it wrote are shown when the test fails."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        print(*self.log.items[-80:], sep="\n")
