"""Network namespaces and the veth pairs between them.

pytest itself lives in the phone's namespace; each `Host` is a further one, held open by a child process, so that it
vanishes with the run. No names are registered anywhere, so concurrent runs can't meet.
"""

import ctypes
import itertools
import os
import socket
import subprocess

#: linux/sched.h
CLONE_NEWNET = 0x40000000

_numbers = itertools.count(1)


def sh(*words, check=True):
    """Runs a command that is expected to succeed at once."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=30)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def enter_own():
    """Takes the calling thread, and whatever it starts, to a network namespace where nothing is but loopback."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no network namespace for this worker")
    sh("ip", "link", "set", "lo", "up")


def _enter(namespace):
    """Takes the calling thread to a network namespace."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "the namespace can't be entered")


class Host:
    """A namespace of its own: the machine that the renderer runs on."""

    def __init__(self):
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._holder.stdout.readline().strip() != "ready":
            raise RuntimeError("no further network namespace could be made")
        self.links = []

    @property
    def pid(self):
        return self._holder.pid

    def wrap(self, *command):
        """The command line that runs `command` on this host."""
        return ["nsenter", "--target", str(self.pid), "--net", "--", *map(str, command)]

    def sh(self, *command, check=True):
        return sh(*self.wrap(*command), check=check)

    def socket(self, *kind):
        """A socket of this host, for the tests' own process."""
        with open("/proc/thread-self/ns/net") as own, open(f"/proc/{self.pid}/ns/net") as there:
            _enter(there)
            try:
                return socket.socket(*kind)
            finally:
                _enter(own)

    def link(self, **options):
        link = Link(self, **options)
        self.links.append(link)
        return link

    def close(self):
        for link in self.links:
            link.close()
        self._holder.stdin.close()
        self._holder.wait(timeout=10)
        self._holder.stdout.close()


class Link:
    """A cable between the phone and a host: 10.77.N.2 here, 10.77.N.1 there, fe80::2 and fe80::1 beside them."""

    def __init__(self, host, ipv4=True, ipv6=False, up=True, inner=None):
        number = next(_numbers)
        if number > 250:
            raise RuntimeError("out of subnets")
        self.host = host
        self.number = number
        self.phone_interface = f"ph{number}"
        self.interface = inner or f"sp{number}"
        self.phone = f"10.77.{number}.2"
        self.speaker = f"10.77.{number}.1"
        self.phone6 = "fe80::2"
        self.speaker6 = "fe80::1"
        sh("ip", "link", "add", "name", self.phone_interface, "type", "veth",
           "peer", "name", self.interface, "netns", host.pid)
        # Addresses are given by hand, so that none of them is tentative.
        sh("ip", "link", "set", self.phone_interface, "addrgenmode", "none")
        host.sh("ip", "link", "set", self.interface, "addrgenmode", "none")
        sh("ip", "link", "set", self.phone_interface, "up")
        if ipv4:
            sh("ip", "addr", "add", f"{self.phone}/24", "dev", self.phone_interface)
            self.add_address(self.speaker)
        if ipv6:
            sh("ip", "-6", "addr", "add", f"{self.phone6}/64", "dev", self.phone_interface, "nodad")
            host.sh("ip", "-6", "addr", "add", f"{self.speaker6}/64", "dev", self.interface, "nodad")
        if up:
            self.up()

    def add_address(self, address, prefix=24):
        self.host.sh("ip", "addr", "add", f"{address}/{prefix}", "dev", self.interface)

    def remove_address(self, address, prefix=24):
        self.host.sh("ip", "addr", "del", f"{address}/{prefix}", "dev", self.interface)

    def up(self):
        self.host.sh("ip", "link", "set", self.interface, "up")

    def down(self):
        self.host.sh("ip", "link", "set", self.interface, "down")

    def unplug(self):
        """The cable pulled at the far end: the speaker's interface stays up and loses its carrier."""
        sh("ip", "link", "set", self.phone_interface, "down")

    def plug(self):
        sh("ip", "link", "set", self.phone_interface, "up")

    def close(self):
        sh("ip", "link", "del", self.phone_interface, check=False)
