"""Waiting for something to become true, with a deadline and without guessing how long to sleep."""

import os
import select
import threading
import time
from dataclasses import dataclass
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


@dataclass
class Processors:
    """What a process has had of the processors so far, in nanoseconds."""

    #: All of its threads together, those that have ended too.
    used: int
    #: By thread: how long it has run, and how long it has waited for a processor.
    threads: dict

    @staticmethod
    def of(process):
        threads = {}
        for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                ran, waited = thread.read_text().split()[:2]
                threads[thread.parent.name] = int(ran), int(waited)
            except (OSError, ValueError):
                pass  # the thread has ended, or this kernel doesn't count
        try:
            # The clock of all that a process has run: CPUCLOCK_SCHED of Linux, as clock_getcpuclockid makes it.
            used = time.clock_gettime_ns((~process << 3) | 2)
        except OSError:
            used = 0  # the process has ended: nothing is known of its waits, and nothing is taken off for them
        return Processors(used, threads if used else {})


def held_up(before, now):
    """Nanoseconds that one thread of a process has waited for a processor while others than the process had it. What the
    process' own threads have run meanwhile may have been in the way as well, so it doesn't count."""
    used = now.used - before.used
    longest = 0
    for thread, (ran, waited) in now.threads.items():
        ran_before, waited_before = before.threads.get(thread, (0, 0))
        by_its_own = used - (ran - ran_before)
        longest = max(longest, waited - waited_before - by_its_own)
    return longest


def longest_wait(before, now):
    """Nanoseconds that one thread of a process has waited for a processor, whoever had it."""
    return max((waited - before.threads.get(thread, (0, 0))[1] for thread, (_, waited) in now.threads.items()), default=0)


def _stolen():
    """Seconds that each processor of a virtual machine was given to others."""
    stolen = {}
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu" and len(fields) > 7:
            stolen[name] = int(fields[7]) / os.sysconf("SC_CLK_TCK")
    return stolen


class Stopwatch:
    """Runs from the moment when it is made, without what this machine did for others meanwhile: what the tests themselves
    waited for a processor, what `processes` (those under test) waited while none of their own threads can have had it, and
    what the host of a virtual machine gave to others. A daemon whose threads are in each other's way is slow."""

    def __init__(self, *processes):
        self._tests = Processors.of(os.getpid())
        self._before = {process: Processors.of(process) for process in processes}
        self._stolen = _stolen()
        self._begun = time.monotonic()

    @property
    def seconds(self):
        passed = time.monotonic() - self._begun
        others = longest_wait(self._tests, Processors.of(os.getpid()))
        others += sum(held_up(before, Processors.of(process)) for process, before in self._before.items())
        stolen = max((now - self._stolen.get(name, now) for name, now in _stolen().items()), default=0)
        return passed - others / 1e9 - stolen


class Reader:
    """A thread that reads a descriptor as something comes, with a way for others to have it read at once.

    `take` reads what is there, without waiting, and returns False at the end; `ended` is called behind that, or when it
    is closed."""

    def __init__(self, descriptor, take, ended=lambda: None):
        self._descriptor = descriptor
        self._take = take
        self._ended = ended
        self._reading = threading.Lock()
        self._open = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def catch_up(self):
        """What has come is taken in when this returns."""
        with self._reading:
            while self._open and select.select([self._descriptor], [], [], 0)[0]:
                # Never set again: it may have been closed meanwhile.
                if not self._take():
                    self._open = False

    def _run(self):
        try:
            while self._open:
                if select.select([self._descriptor], [], [], 0.2)[0]:
                    self.catch_up()
        finally:
            with self._reading:
                self._open = False
                self._ended()

    def close(self):
        self._open = False
        self._thread.join(5)


class Feed:
    """A growing list that threads append to and tests wait on.

    `catch_up`: takes in what has come already and that no thread has got round to yet. With it, what a test looks at and where
    it sets a mark don't depend on how busy the machine is."""

    def __init__(self, catch_up=None):
        self._items = []
        self._changed = threading.Condition()
        self._catch_up = catch_up or (lambda: None)

    @property
    def items(self):
        self._catch_up()
        return self._items

    def append(self, item):
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()

    def __len__(self):
        return len(self.items)

    def mark(self):
        """A place in the feed, behind all that has come; give it to `wait` as `since`."""
        return len(self.items)

    def behind(self, item):
        """The place behind an item that was waited for: what came next counts, however late anybody looks."""
        with self._changed:
            return next(index for index, other in enumerate(self._items) if other is item) + 1

    def since(self, mark):
        self._catch_up()
        with self._changed:
            return list(self._items[mark:])

    def wait(self, condition, timeout, what, since=0):
        """The first item from `since` on for which `condition` holds; waits for it if it isn't there yet."""
        deadline = time.monotonic() + timeout * PATIENCE
        index = since
        with self._changed:
            while True:
                while index < len(self._items):
                    item = self._items[index]
                    index += 1
                    if condition(item):
                        return item
                left = deadline - time.monotonic()
                if left <= 0:
                    last = "\n".join(str(item) for item in self._items[since:][-6:])
                    raise Timeout(f"not within {timeout} s: {what}; the last that came:\n{last or '(nothing)'}")
                self._changed.wait(left)

    def wait_count(self, count, condition, timeout, what, since=0):
        """`count` items from `since` on for which `condition` holds."""
        deadline = time.monotonic() + timeout * PATIENCE
        with self._changed:
            while True:
                found = [item for item in self._items[since:] if condition(item)]
                if len(found) >= count:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout(f"not within {timeout} s: {count} × {what}; there were {len(found)}")
                self._changed.wait(left)
