"""The daemon under test, with its log read as it comes: what is bad is kept, the rest only counted."""

import os
import re
import time
from collections import Counter, deque

from kit import http, subject

#: `2026-11-21 17:02:51.042 info    http: message`
LINE = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ (\w+) +(.*)$")
#: Lines of level error that the soak provokes, with the reason. Whatever else comes at that level, or from a library
#: straight to standard error, is a fault.
PROVOKED = (
    # A track that is stopped while its decoder is still being plugged: GStreamer looks at the graph in between, says so,
    # with an empty line in front, and stops it all the same. About once in 3,000 tracks here.
    re.compile(r"^$"), re.compile(r"GStreamer-WARNING .* loop detected in the graph of bin 'pipeline\d+'!!$"),
)


class Soaked(subject.Vireod):
    """Logs to a file if wanted; the lines themselves would need more memory than all the rest."""

    def __init__(self, *arguments, log=None, **options):
        self.levels = Counter()
        self.faults = Counter()
        self.warnings = Counter()
        #: The last lines, each with the time when it came.
        self.recent = deque(maxlen=200)
        self._file = open(log, "a", encoding="utf-8") if log else None
        super().__init__(*arguments, **options)

    def command(self):
        command = super().command()
        command[command.index("--log-level") + 1] = os.environ.get("SOAK_LOG_LEVEL", "info")
        return command

    def _logged(self, line):
        self.recent.append((time.monotonic(), line))
        if self._file:
            print(line, file=self._file, flush=True)
        found = LINE.match(line)
        level = found[1] if found else "unformatted"
        self.levels[level] += 1
        if level == "warning":
            self.warnings[general(found[2])] += 1
        elif level not in ("trace", "debug", "info", "notice") and not any(p.search(line) for p in PROVOKED):
            self.faults[general(found[2] if found else line)] += 1

    def statistics(self):
        """The figures of /metrics that have no labels."""
        port = self.netloc.rsplit(":", 1)[1]
        text = http.get(f"http://{self.netloc.rsplit(':', 1)[0]}:{port}/metrics").text
        return {line.split(" ")[0]: float(line.split(" ")[1]) for line in text.splitlines()
                if line and line[0] != "#" and "{" not in line}


def general(text):
    """The message without what differs from one time to the next."""
    text = re.sub(r"\S+://\S+", "URI", text)
    return re.sub(r"\d+", "N", text)[:200]
