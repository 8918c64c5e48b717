"""Waiting for something to become true, with a deadline and without guessing how long to sleep."""

import os
import threading
import time
from pathlib import Path

#: Multiplies every deadline; raise it on a slow or crowded machine.
PATIENCE = float(os.environ.get("INTEROP_PATIENCE", "3"))

#: Multiplies the limits that are promises ("found within 5 seconds"): those hold as they are, unless somebody said that
#: the machine is slow.
SLOWNESS = float(os.environ.get("INTEROP_PATIENCE", "1"))


class Timeout(AssertionError):
    """The deadline passed; the message says what was waited for and what was there instead."""


def until(condition, timeout, what, step=0.02):
    """Polls `condition` (of a process that can't call back) until it is truthy, and returns what it gave."""
    deadline = time.monotonic() + timeout * PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise Timeout(f"not within {timeout} s: {what}")
        time.sleep(step)


def _waited(process):
    """Nanoseconds that each thread of a process has waited for a processor so far."""
    waited = {}
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            waited[thread] = int(thread.read_text().split()[1])
        except (OSError, IndexError):
            pass  # the thread has ended, or this kernel doesn't count
    return waited


class Stopwatch:
    """Runs from the moment when it is made, without what other programs have held up this process and `processes`: the
    longest that one thread of each had to wait for a processor."""

    def __init__(self, *processes):
        self._before = {process: _waited(process) for process in (*processes, "self")}
        self._begun = time.monotonic()

    @property
    def seconds(self):
        passed = time.monotonic() - self._begun
        for process, before in self._before.items():
            passed -= max((now - before.get(thread, 0) for thread, now in _waited(process).items()), default=0) / 1e9
        return passed


class Feed:
    """A growing list that threads append to and tests wait on."""

    def __init__(self):
        self.items = []
        self._changed = threading.Condition()

    def append(self, item):
        with self._changed:
            self.items.append(item)
            self._changed.notify_all()

    def __len__(self):
        return len(self.items)

    def mark(self):
        """A place in the feed; give it to `wait` as `since`."""
        return len(self.items)

    def behind(self, item):
        """The place behind an item that was waited for: what came next counts, however late anybody looks."""
        with self._changed:
            return next(index for index, other in enumerate(self.items) if other is item) + 1

    def since(self, mark):
        with self._changed:
            return list(self.items[mark:])

    def wait(self, condition, timeout, what, since=0):
        """The first item from `since` on for which `condition` holds; waits for it if it isn't there yet."""
        deadline = time.monotonic() + timeout * PATIENCE
        index = since
        with self._changed:
            while True:
                while index < len(self.items):
                    item = self.items[index]
                    index += 1
                    if condition(item):
                        return item
                left = deadline - time.monotonic()
                if left <= 0:
                    last = "\n".join(str(item) for item in self.items[since:][-6:])
                    raise Timeout(f"not within {timeout} s: {what}; the last that came:\n{last or '(nothing)'}")
                self._changed.wait(left)

    def wait_count(self, count, condition, timeout, what, since=0):
        """`count` items from `since` on for which `condition` holds."""
        deadline = time.monotonic() + timeout * PATIENCE
        with self._changed:
            while True:
                found = [item for item in self.items[since:] if condition(item)]
                if len(found) >= count:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout(f"not within {timeout} s: {count} × {what}; there were {len(found)}")
                self._changed.wait(left)
