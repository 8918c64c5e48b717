"""What the process holds, and how often it wakes up."""

import os
import time
from dataclasses import dataclass

from kit import ssdp
from kit.subject import switches
from kit.waiting import PATIENCE


@dataclass
class Level:
    #: kB
    dirty: int
    resident: int
    descriptors: list
    threads: list
    #: Context switches in silence, by thread.
    wakeups: dict = None

    def __str__(self):
        return (f"private dirty {self.dirty / 1024:.2f} MiB, resident {self.resident / 1024:.2f} MiB, "
                f"{len(self.descriptors)} descriptors, {len(self.threads)} threads, {sum((self.wakeups or {}).values())} wake-ups")


#: Of a row in a table of sockets: which column tells the inode, and which says more of what it is.
TABLES = {"tcp": (9, 3), "tcp6": (9, 3), "udp": (9, None), "udp6": (9, None), "unix": (6, None), "netlink": (9, 1)}
#: The state in which a TCP socket listens; in all others it is a connection.
LISTENS = "0A"


#: What sockets of both kinds of TCP are called that don't listen.
CONNECTION = "connection"


def sockets(pid):
    """What each socket in the network of `pid` is, by inode."""
    kinds = {}
    for table, (inode, more) in TABLES.items():
        with open(f"/proc/{pid}/net/{table}") as file:
            for row in list(map(str.split, file))[1:]:
                kinds[row[inode]] = f"socket {table}" + (f" {row[more]}" if more else "")
                if table.startswith("tcp") and row[more] != LISTENS:
                    kinds[row[inode]] = CONNECTION
    return kinds


def take(subject):
    memory = subject.memory()
    descriptors, threads = [], []
    kinds = sockets(subject.pid)
    for number in os.listdir(f"/proc/{subject.pid}/fd"):
        try:
            target = os.readlink(f"/proc/{subject.pid}/fd/{number}")
        except OSError:
            continue
        # Which socket or pipe it is doesn't matter, only that there is one of the kind.
        name, _, inode = target.partition(":[")
        descriptors.append(kinds.get(inode.rstrip("]"), name) if name == "socket" else name)
    for task in os.listdir(f"/proc/{subject.pid}/task"):
        try:
            with open(f"/proc/{subject.pid}/task/{task}/comm") as file:
                threads.append(file.read().strip())
        except OSError:
            continue
    if SPAWNER in threads:
        threads.remove(SPAWNER)
    return Level(memory["Private_Dirty"], memory["Rss"], sorted(descriptors), sorted(threads))


#: Threads that go by themselves: GLib's pools wait 15 seconds for more work.
PASSING = "pool-"
#: The thread that makes those of pools in newer GLib (2.84, not 2.74): one for good, as soon as a name has been looked up.
SPAWNER = "pool-spawner"


def settled(subject, first, statistics, dirty, is_brief=False, seconds=75):
    """The level when all is quiet: as soon as it fits `first` (with at most `dirty` kB more), or at the deadline.

    What goes by itself after a while (connections that nobody uses, threads of pools) is no leak; `is_brief` doesn't
    wait for the threads, and leaves them out.
    """
    deadline = time.monotonic() + seconds * PATIENCE
    before, since = None, 0.0
    while time.monotonic() < deadline:
        # One connection is the one that asks.
        figures = statistics()
        is_quiet = figures["vireo_http_connections"] == 1 and figures["vireo_subscriptions"] == 0
        level = take(subject)
        if is_brief:
            level.threads = [name for name in level.threads if not name.startswith(PASSING)]
        is_quiet = is_quiet and not any(name.startswith(PASSING) for name in level.threads)
        if first is None:
            # Nothing to compare with: until it has been the same for a while, and no subscriber keeps an event waiting any
            # more, which the silent may do for half a minute.
            if before != (level.descriptors, level.threads):
                before, since = (level.descriptors, level.threads), time.monotonic()
            if is_quiet and CONNECTION not in level.descriptors and time.monotonic() - since > 3:
                break
        elif is_quiet and (level.descriptors, level.threads) == (first.descriptors, first.threads) \
                and level.dirty <= first.dirty + dirty:
            break
        time.sleep(0.5)  # nothing tells us when it is over
    return level


#: By then every timer has run out that was set for something which is over: a delivery of an event has the longest.
LEFTOVERS = 35


def wakeups(subject, link, seconds):
    """Context switches by thread in `seconds` of silence: of the first such interval without any, or of the last one.

    Intervals in which an announcement was due don't count, nor do those in which timers of what is over may run out.
    """
    deadline = time.monotonic() + LEFTOVERS
    while True:
        is_last = time.monotonic() > deadline
        with ssdp.Listener(link.phone_interface) as listener:
            before = switches(subject.pid)
            time.sleep(seconds)  # the interval that is looked at
            after = switches(subject.pid)
            woken = {}
            for task, count in after.items():
                if count > before.get(task, 0):
                    with open(f"/proc/{subject.pid}/task/{task}/comm") as file:
                        name = file.read().strip()
                    woken[name] = woken.get(name, 0) + count - before.get(task, 0)
            was_due = any(message.of(subject.uuid[:18]) for message in listener.messages.items)
        if not woken or is_last and not was_due:
            return woken
