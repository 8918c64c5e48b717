"""Clients that are broken, slow or hostile; each costs the daemon something, and must cost nobody else anything."""

import socket
import time
from collections import Counter

from crowd import Crowd
from kit import ssdp
from kit.upnp import RC

RESET = b"\x01\0\0\0\0\0\0\0"
#: Seconds that a slow one sends its bytes; the daemon gives up earlier or later.
SLOW_SECONDS = 4
#: How many slow ones there are at a time.
SLOW_AT_ONCE = 40


class Broken(Crowd):
    def __init__(self, world, path, seed, count, progress):
        super().__init__("broken", world, seed, count, progress)
        self.path = path
        self.made = Counter()
        #: Those who take their time: (until when, socket, what they send, byte by byte).
        self._slow = []
        self.kinds = [self.half, self.slowloris, self.reset, self.garbage, self.huge_head, self.huge_body, self.lie,
                      self.never_reads, self.silent, self.datagrams, self.not_xml, self.in_a_row]

    def _work(self):
        while self.made.total() < self.count:
            self._trickle()
            if self.made.total() > self.count * self.progress() or not self.world.is_online:
                time.sleep(0.02)  # paces them; nothing waits for this
                continue
            kind = self.dice.choice(self.kinds)
            self.made[kind.__name__] += 1
            try:
                kind()
            except OSError:
                pass  # refused, closed, or the network is away: what becomes of them is nobody's concern
        for _, client, _ in self._slow:
            client.close()

    def _trickle(self):
        now = time.monotonic()
        for entry in list(self._slow):
            until, client, rest = entry
            try:
                if now > until or not rest:
                    raise OSError
                client.send(rest[:1])
                del rest[:1]
            except OSError:
                client.close()
                self._slow.remove(entry)

    def _keep(self, client, rest=b""):
        while len(self._slow) >= SLOW_AT_ONCE:
            self._slow.pop(0)[1].close()
        client.setblocking(False)
        self._slow.append((time.monotonic() + SLOW_SECONDS, client, bytearray(rest)))

    def _connect(self):
        client = socket.create_connection(self.world.address, 2, (self.dice.choice(self.world.guests), 0))
        client.settimeout(2)
        return client

    def _head(self, method="POST", extra=""):
        return (f"{method} {self.path} HTTP/1.1\r\nHost: {self.world.netloc}\r\nContent-Type: text/xml\r\n"
                f"SOAPACTION: \"{RC}#GetVolume\"\r\n{extra}").encode()

    def half(self):
        head = self._head(extra="Content-Length: 400\r\n\r\n<s:Envelope xmlns:s='http://schem")
        with self._connect() as client:
            client.sendall(head[:self.dice.randrange(len(head))])
            if self.dice.random() < 0.5:
                client.shutdown(socket.SHUT_WR)
                client.recv(1000)

    def slowloris(self):
        self._keep(self._connect(), self._head(extra="X-a: b\r\n" * 200))

    def reset(self):
        head = self._head(extra="Content-Length: 4000\r\n\r\n" + "<a>" * 500)
        with self._connect() as client:
            client.sendall(head[:self.dice.randrange(len(head))])
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def garbage(self):
        with self._connect() as client:
            client.sendall(self.dice.randbytes(self.dice.choice([1, 10, 1000, 60_000])))
            client.shutdown(socket.SHUT_WR)
            client.recv(1000)

    def huge_head(self):
        line = self.dice.choice([b"X: y\r\n" * 4000, b"X: " + b"y" * 200_000, b"X" * 200_000])
        with self._connect() as client:
            client.sendall(self.dice.choice([self._head(), b"GET /" + b"a" * 100_000]) + line)
            client.recv(1000)

    def huge_body(self):
        with self._connect() as client:
            if self.dice.random() < 0.5:
                client.sendall(self._head(extra="Content-Length: 400000000\r\n\r\n") + b" " * 500_000)
            else:
                client.sendall(self._head(extra="Transfer-Encoding: chunked\r\n\r\n")
                               + (b"8000\r\n" + b" " * 32768 + b"\r\n") * 20)
            client.recv(1000)

    def lie(self):
        line = self.dice.choice(["Content-Length: -1", "Content-Length: x", "Content-Length: 5\r\nContent-Length: 6",
                                 "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 9" + "9" * 30])
        with self._connect() as client:
            client.sendall(self._head(extra=line + "\r\n\r\nabcde"))
            client.recv(1000)

    def never_reads(self):
        client = self._connect()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        try:
            client.send(self._head("GET", "\r\n") * 2000)
        except OSError:
            pass
        self._keep(client, b"GET / HTTP/1.1\r\n\r\n" * 20)

    def silent(self):
        self._keep(self._connect(), b"")

    def datagrams(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((self.dice.choice(self.world.guests), 0))
            search = ssdp.search_request(self.dice.choice(["ssdp:all", "upnp:rootdevice", "", "x" * 500]), mx="1")
            for data in (self.dice.randbytes(500), search[:self.dice.randrange(len(search))], search,
                         b"NOTIFY * HTTP/1.1\r\n\r\n", b""):
                sender.sendto(data, (ssdp.GROUP, ssdp.PORT))

    def not_xml(self):
        body = self.dice.choice([b"<a>" * 5000, b"\0" * 3000, b"<!DOCTYPE x [<!ENTITY a '&a;&a;'>]><x>&a;</x>",
                                 b"<" + b"a" * 100_000, b"\xff\xfe\xfa", b"{}"])
        with self._connect() as client:
            client.sendall(self._head(extra=f"Content-Length: {len(body)}\r\n\r\n") + body)
            client.recv(1000)

    def in_a_row(self):
        """Many requests at once, then gone before the answers."""
        with self._connect() as client:
            client.sendall(self._head("GET", "\r\n") * 30)
