"""A cable that isn't good: passes Ethernet frames between rooms and the bridge, and delays, loses, doubles and reorders them.

For each room there are two TAP devices, one in the room's namespace and one at the bridge; all that goes in at one comes out at
the other. Whatever is random comes from the seed. A process of its own, with real-time priority where that is allowed: it stands
for hardware, which doesn't wait for a processor.

    relay.py SEED NUMBER:PID:INNER:OUTER…     lines of JSON on its input change it and ask it (`house.Relay`)
"""

import ctypes
import fcntl
import gc
import heapq
import json
import os
import random
import select
import struct
import sys
import time
from dataclasses import dataclass

#: linux/if_tun.h
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
PR_SET_TIMERSLACK = 29
#: A queue never grows beyond this many frames: what is too much is lost, as in a switch.
MOST_WAITING = 20_000


@dataclass
class Way:
    """What happens to frames in one direction. Times in milliseconds, shares from 0 to 1."""

    #: Every frame takes this long.
    fixed: float = 0.0
    #: On top, exponential with this mean, for each frame anew …
    exponential: float = 0.0
    #: … or even between 0 and this.
    uniform: float = 0.0
    loss: float = 0.0
    doubled: float = 0.0
    #: This share waits `reorder_ms` more, and so comes behind its successors.
    reordered: float = 0.0
    reorder_ms: float = 10.0
    #: Frames never pass each other: one that is held up holds up those behind it, as in a queue.
    in_order: bool = False
    #: Nothing gets through.
    cut: bool = False

    @property
    def is_plain(self):
        return self == Way()


class Channel:
    """One direction of one room."""

    def __init__(self, source, target, seed):
        self.source, self.target, self.random = source, target, random.Random(seed)
        self.way, self.last = Way(), 0
        self.passed = self.lost = self.doubled = self.refused = self.latest = 0

    def due(self, now):
        """When the frame that has come now goes on, perhaps twice, perhaps never; nanoseconds."""
        way, rand = self.way, self.random
        if way.is_plain:
            return (now,)
        if way.cut or (way.loss and rand.random() < way.loss):
            self.lost += 1
            return ()
        delay = way.fixed
        if way.exponential:
            delay += rand.expovariate(1 / way.exponential)
        if way.uniform:
            delay += rand.random() * way.uniform
        if way.reordered and rand.random() < way.reordered:
            delay += way.reorder_ms
        due = now + int(delay * 1e6)
        if way.in_order:
            due = self.last = max(due, self.last)
        if way.doubled and rand.random() < way.doubled:
            self.doubled += 1
            return (due, due)
        return (due,)

    def send(self, frame, due):
        try:
            os.write(self.target, frame)
        except OSError:
            self.refused += 1  # the interface is down
            return
        self.passed += 1
        if due:
            self.latest = max(self.latest, time.monotonic_ns() - due)

    def counts(self):
        latest, self.latest = self.latest, 0
        return {"passed": self.passed, "lost": self.lost, "doubled": self.doubled, "refused": self.refused,
                "late_us": latest // 1000}


def tap(name, namespace=None):
    """A TAP device, made in the namespace of a process, or here."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as own:
        if namespace is not None:
            with open(f"/proc/{namespace}/ns/net") as there:
                if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "the room's namespace can't be entered")
        try:
            descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        finally:
            if namespace is not None:
                libc.setns(own.fileno(), CLONE_NEWNET)
    return descriptor


class Relay:
    def __init__(self, seed, rooms):
        self.rooms, self.sources = {}, {}
        for number, namespace, inner, outer in rooms:
            room, bridge = tap(inner, namespace), tap(outer)
            to_room, from_room = Channel(bridge, room, f"{seed} {number} in"), Channel(room, bridge, f"{seed} {number} out")
            self.rooms[number] = {"to_room": to_room, "from_room": from_room}
            self.sources |= {bridge: to_room, room: from_room}
        self.waiting, self.order = [], 0

    def run(self):
        poll = select.epoll()
        timer = _Timer()
        poll.register(0, select.EPOLLIN)
        poll.register(timer.descriptor, select.EPOLLIN)
        for source in self.sources:
            poll.register(source, select.EPOLLIN)
        print(json.dumps({"ready": True}), flush=True)
        waiting = self.waiting
        while True:
            timer.set(waiting[0][0] if waiting else 0)
            for descriptor, _ in poll.poll():
                channel = self.sources.get(descriptor)
                if channel is not None:
                    self.take(channel)
                elif descriptor == 0 and not self.obey():
                    return
            now = time.monotonic_ns()
            while waiting and waiting[0][0] <= now:
                due, _, channel, frame = heapq.heappop(waiting)
                channel.send(frame, due)

    def take(self, channel):
        for _ in range(64):
            try:
                frame = os.read(channel.source, 65536)
            except OSError:
                return
            now = time.monotonic_ns()
            for due in channel.due(now):
                if due <= now:
                    channel.send(frame, 0)
                elif len(self.waiting) < MOST_WAITING:
                    self.order += 1
                    heapq.heappush(self.waiting, (due, self.order, channel, frame))
                else:
                    channel.lost += 1

    def obey(self):
        line = sys.stdin.readline()
        if not line:
            return False
        asked = json.loads(line)
        if "change" in asked:
            for number, channels in self.rooms.items():
                if asked.get("rooms") is None or number in asked["rooms"]:
                    for name, options in asked["change"].items():
                        channels[name].way = Way(**options)
            print(json.dumps({"changed": True}), flush=True)
        else:
            counts = {number: {name: channel.counts() for name, channel in channels.items()}
                      for number, channels in self.rooms.items()}
            print(json.dumps({"counts": counts}), flush=True)
        return True


class _Timer:
    """A timerfd: epoll's own timeout counts in milliseconds."""

    ABSOLUTE = 1

    def __init__(self):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self._libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        self._due = 0

    def set(self, due):
        """Ready at `due` (nanoseconds); 0: never."""
        if due != self._due:
            self._due = due
            value = struct.pack("@4q", 0, 0, due // 1_000_000_000, due % 1_000_000_000)
            self._libc.timerfd_settime(self.descriptor, self.ABSOLUTE, value, None)


def main():
    seed, rooms = sys.argv[1], [word.split(":") for word in sys.argv[2:]]
    relay = Relay(seed, [(int(number), int(pid), inner, outer) for number, pid, inner, outer in rooms])
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(30))
    except OSError:
        pass  # then it is late now and then, which it counts
    gc.disable()
    relay.run()


if __name__ == "__main__":
    main()
