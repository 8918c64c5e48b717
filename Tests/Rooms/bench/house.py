"""A house with rooms: a namespace each, all on one bridge, some of them behind a relay that delays and loses.

The tests' own process lives where the bridge is, at 10.88.0.1; a room has 10.88.0.11 and onwards. No names are registered
anywhere, so houses of concurrent runs can't meet.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path

from kit import netns
from kit.netns import sh

HERE = Path(__file__).resolve().parent


class Port:
    """How a room is reached. It has the fields of the kit's `Link`, so that the kit's tools work here too."""

    def __init__(self, house, host, number):
        self.house, self.host, self.number = house, host, number
        self.phone_interface, self.phone = house.bridge, house.address
        self.interface, self.outside = "room", f"door{number}"
        self.speaker = f"10.88.0.{10 + number}"


class House:
    """`relayed` are the numbers (from 0) of the rooms behind the relay; `seed` begins all that is random in it."""

    bridge, address = "house", "10.88.0.1"

    def __init__(self, rooms, relayed=(), seed=1):
        self.hosts, self.ports, self.relay = [], [], None
        sh("ip", "link", "add", self.bridge, "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
        sh("ip", "link", "set", self.bridge, "addrgenmode", "none")
        sh("ip", "addr", "add", f"{self.address}/24", "dev", self.bridge)
        sh("ip", "link", "set", self.bridge, "up")
        for number in range(rooms):
            host = netns.Host()
            port = Port(self, host, number + 1)
            host.links.append(_Plugged(port))
            self.hosts.append(host)
            self.ports.append(port)
            if number not in relayed:
                self._wire(port)
        if relayed:
            self.relay = Relay([self.ports[number] for number in relayed], seed)
        for number in range(rooms):
            self._connect(self.ports[number])

    def _wire(self, port):
        sh("ip", "link", "add", "name", port.outside, "type", "veth",
           "peer", "name", port.interface, "netns", port.host.pid)

    def _connect(self, port):
        """Both ends of the cable exist; they are taken into use."""
        host = port.host
        sh("ip", "link", "set", port.outside, "addrgenmode", "none")
        sh("ip", "link", "set", port.outside, "master", self.bridge, "up")
        host.sh("ip", "link", "set", port.interface, "addrgenmode", "none")
        host.sh("ip", "addr", "add", f"{port.speaker}/24", "dev", port.interface)
        host.sh("ip", "link", "set", port.interface, "up")

    def packets(self, number):
        """Packets and bytes that a room has sent and had so far."""
        text = self.hosts[number].sh("cat", "/proc/net/dev")
        fields = next(line for line in text.splitlines() if line.strip().startswith("room:")).split(":")[1].split()
        return {"had": int(fields[1]), "had_bytes": int(fields[0]), "sent": int(fields[9]), "sent_bytes": int(fields[8])}

    def close(self):
        if self.relay:
            self.relay.close()
        for host in self.hosts:
            host.close()
        sh("ip", "link", "del", self.bridge, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Plugged:
    """What `Host.close` takes away of a cable."""

    def __init__(self, port):
        self.interface, self.port = port.interface, port

    def close(self):
        sh("ip", "link", "del", self.port.outside, check=False)


class Relay:
    """The process of `relay.py` between some rooms and the bridge; what it does to packets changes at any time.

    `change(to_room={…}, from_room={…}, rooms=[numbers])`; the keys are those of `relay.Way`."""

    def __init__(self, ports, seed):
        self.seed = seed
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "relay.py"), str(seed),
             *[f"{port.number}:{port.host.pid}:{port.interface}:{port.outside}" for port in ports]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lock = threading.Lock()
        if self._line() != {"ready": True}:
            raise RuntimeError("the relay doesn't start")

    @property
    def pid(self):
        return self._process.pid

    def _line(self):
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _ask(self, **question):
        with self._lock:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            return self._line()

    def change(self, to_room=None, from_room=None, rooms=None):
        """From now on packets are treated so; keys that aren't named fall back to nothing. `rooms` are numbers from 0."""
        numbers = None if rooms is None else [number + 1 for number in rooms]
        self._ask(change={"to_room": to_room or {}, "from_room": from_room or {}}, rooms=numbers)

    def both(self, rooms=None, **options):
        """The same in both directions."""
        self.change(options, options, rooms)

    def counts(self):
        """By room (from 0) and direction: packets passed, lost, doubled, and how late they were sent, in microseconds."""
        return {int(number) - 1: ways for number, ways in self._ask(count=True)["counts"].items()}

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(5)
        self._process.stdout.close()
