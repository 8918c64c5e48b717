"""SSDP over plain sockets: a listener on one interface, and searches that may be as odd as the test wants."""

import socket
import struct
import time
from dataclasses import dataclass

from .waiting import PATIENCE, Feed, Reader

GROUP = "239.255.255.250"
GROUP6 = "ff02::c"
PORT = 1900

RENDERER = "urn:schemas-upnp-org:device:MediaRenderer:1"
AVTRANSPORT = "urn:schemas-upnp-org:service:AVTransport:1"
RENDERINGCONTROL = "urn:schemas-upnp-org:service:RenderingControl:1"
CONNECTIONMANAGER = "urn:schemas-upnp-org:service:ConnectionManager:1"


@dataclass
class Message:
    start: str
    headers: dict
    source: tuple
    at: float
    raw: bytes
    #: Routers that it could cross still, where the socket was asked for that; otherwise None.
    hops: int = None

    def __getitem__(self, name):
        return self.headers.get(name.upper())

    @property
    def is_alive(self):
        return self["NTS"] == "ssdp:alive"

    @property
    def is_byebye(self):
        return self["NTS"] == "ssdp:byebye"

    @property
    def is_response(self):
        return self.start.startswith("HTTP/1.1 200")

    def of(self, uuid):
        return uuid in (self["USN"] or "")

    def __str__(self):
        return f"{self.start} NTS={self['NTS']} NT={self['NT'] or self['ST']} USN={self['USN']} {self['LOCATION']}"


def parse(data, source):
    lines = data.decode("utf-8", "replace").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().upper()] = value.strip()
    return Message(lines[0], headers, source, time.monotonic(), data)


class _Reader:
    def __init__(self, sock):
        self.socket = sock
        self.messages = Feed(lambda: self._reader.catch_up())
        self._reader = Reader(sock.fileno(), self._take)

    def _take(self):
        try:
            data, ancillary, _, source = self.socket.recvmsg(65536, 256, socket.MSG_DONTWAIT)
        except OSError:
            return True  # a datagram that was damaged, or the word that a search reached nobody
        message = parse(data, source)
        for level, kind, value in ancillary:
            if (level, kind) in ((socket.IPPROTO_IP, socket.IP_TTL), (socket.IPPROTO_IPV6, socket.IPV6_HOPLIMIT)):
                message.hops = struct.unpack("i", value)[0]
        self.messages.append(message)
        return True

    def close(self):
        self._reader.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Listener(_Reader):
    """Hears what is multicast on one interface of the phone."""

    def __init__(self, interface, ipv6=False):
        index = socket.if_nametoindex(interface)
        sock = socket.socket(socket.AF_INET6 if ipv6 else socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        # Nothing of the other interfaces, whatever else has joined there.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        if ipv6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.bind((GROUP6, PORT, 0, index))
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                            socket.inet_pton(socket.AF_INET6, GROUP6) + struct.pack("@I", index))
        else:
            sock.bind((GROUP, PORT))
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                            struct.pack("4s4sI", socket.inet_aton(GROUP), b"\0\0\0\0", index))
        super().__init__(sock)

    def wait_alive(self, uuid, timeout=10, since=0, nt=None, location=None):
        return self.messages.wait(
            lambda m: m.is_alive and m.of(uuid) and (nt is None or m["NT"] == nt)
            and (location is None or (m["LOCATION"] or "").startswith(location)),
            timeout, f"ssdp:alive of {uuid} {nt or ''} {location or ''}", since)

    def wait_byebye(self, uuid, timeout=10, since=0):
        return self.messages.wait(
            lambda m: m.is_byebye and m.of(uuid), timeout, f"ssdp:byebye of {uuid}", since)


def search_request(target, mx="1", host=f"{GROUP}:{PORT}", man='"ssdp:discover"', end="\r\n", extra=()):
    """An M-SEARCH; None leaves a line out."""
    lines = ["M-SEARCH * HTTP/1.1"]
    for name, value in (("HOST", host), ("MAN", man), ("MX", mx), ("ST", target)):
        if value is not None:
            lines.append(f"{name}: {value}")
    lines.extend(extra)
    return (end.join(lines) + end + end).encode()


class Search(_Reader):
    """A socket that searches, and the answers that it gets."""

    def __init__(self, link, ipv6=False, port=0):
        index = socket.if_nametoindex(link.phone_interface)
        if ipv6:
            sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            sock.bind((link.phone6, port, 0, index))
        else:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(link.phone))
            sock.bind((link.phone, port))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.index = index
        self.ipv6 = ipv6
        super().__init__(sock)

    def send(self, data, address=None, port=PORT):
        if self.ipv6:
            self.socket.sendto(data, (address or GROUP6, port, 0, self.index))
        else:
            self.socket.sendto(data, (address or GROUP, port))

    def wait(self, uuid, timeout=6, target=None, since=0):
        return self.messages.wait(
            lambda m: m.is_response and m.of(uuid) and (target is None or m["ST"] == target),
            timeout, f"answer to a search for {target or 'anything'} from {uuid}", since)


def find(link, uuid, timeout=10, ipv6=False, target=RENDERER):
    """The LOCATION that a search on this link gives for the device; repeats the search each second."""
    with Search(link, ipv6) as search:
        deadline = time.monotonic() + timeout * PATIENCE
        host = f"[FF02::C]:{PORT}" if ipv6 else f"{GROUP}:{PORT}"
        while True:
            try:
                search.send(search_request(target, host=host))
            except OSError:
                pass
            try:
                return search.wait(uuid, min(1.5, max(0.1, deadline - time.monotonic())) / PATIENCE)["LOCATION"]
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
