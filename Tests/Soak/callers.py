"""Control points that call actions one after the other, each on a connection that it keeps."""

import random
import re
import socket
import threading
import time
from collections import Counter

from kit.waiting import PATIENCE

#: Nobody waits longer than that for an answer, whatever else goes on.
SLOWEST = 2.0 * PATIENCE
ERROR = re.compile(rb"<errorCode>(\d+)</errorCode>")
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Kept:
    """A connection that is made anew when the other side has closed it."""

    def __init__(self, world, source):
        self.world = world
        self.source = source
        self.socket = None

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def abort(self):
        """Wakes up whoever waits for an answer."""
        connection = self.socket
        if connection:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def exchange(self, request):
        """(status, body)."""
        if self.socket is None:
            self.socket = socket.create_connection(self.world.address, SLOWEST + 5, (self.source, 0))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError(f"closed after {len(data)} bytes of an answer")
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        found = LENGTH.search(head)
        length = int(found[1]) if found else 0
        while len(body) < length:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("closed in the middle of a body")
            body += more
        if b"connection: close" in head.lower():
            self.close()
        return int(head[9:12]), body


class Callers:
    """Several callers who share a number of actions; `progress` says how much of it is done."""

    #: A scene of so many actions: as fast as can be, then with some room between, then hardly any, so that something
    #: is heard to its end. Each part with its actions a second.
    SCENE = 1000
    PARTS = ((600, None), (350, 100), (50, 10))

    def __init__(self, world, catalogue, seed, count):
        self.world = world
        self.catalogue = catalogue
        self.count = count
        self.done = 0
        self.answers = Counter()
        self.failures = Counter()
        self.slowest = 0.0
        self.reconnected = 0
        self._lock = threading.Lock()
        self._part_began = time.monotonic()
        self.connections = [Kept(world, source) for source in world.people]
        self.threads = [
            threading.Thread(target=self._run, args=(connection, random.Random(f"{seed} caller {number}")), daemon=True)
            for number, connection in enumerate(self.connections)]

    @property
    def progress(self):
        return self.done / self.count

    @property
    def is_over(self):
        return self.done >= self.count or not any(thread.is_alive() for thread in self.threads)

    def start(self):
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()

    def abort(self):
        for connection in self.connections:
            connection.abort()

    def _take(self):
        """The number of the next action; None when all are taken."""
        with self._lock:
            if self.done >= self.count:
                return None
            self.done += 1
            return self.done - 1

    def _run(self, connection, dice):
        try:
            while (number := self._take()) is not None:
                place, pace = number % self.SCENE, None
                for length, pace in self.PARTS:
                    if place < length:
                        break
                    place -= length
                if place == 0:
                    self._part_began = time.monotonic()
                if pace and place:
                    due = self._part_began + place / pace
                    time.sleep(max(0, due - time.monotonic()))  # paces the caller; nothing waits for this
                if pace != self.PARTS[-1][1]:
                    calls = [self.catalogue.random(dice)]
                else:
                    calls = self.catalogue.session(dice) if place == 0 else [self.catalogue.getter(dice)]
                for call in calls:
                    self._call(connection, call)
        except Exception as error:  # a mistake of the test must not look like success
            self._fail(f"the caller itself: {type(error).__name__}: {error}")
            raise
        finally:
            connection.close()

    def _call(self, connection, call):
        request = (f"POST {call.path} HTTP/1.1\r\nHost: %s\r\nContent-Type: text/xml; charset=\"utf-8\"\r\n"
                   f"SOAPACTION: \"{call.action.service}#{call.action.name}\"\r\nContent-Length: {len(call.body)}\r\n\r\n")
        tries = 0
        while True:
            generation = self.world.wait_online()
            was_kept = connection.socket is not None
            begun = time.monotonic()
            try:
                status, body = connection.exchange((request % self.world.netloc).encode() + call.body)
                break
            except OSError as error:
                connection.close()
                if self.world.generation != generation:
                    continue  # the network was away meanwhile
                # A connection that is idle for a moment may be closed to make room; that is no lost answer.
                tries += 1
                self.reconnected += 1
                if not was_kept or tries > 3:
                    return self._fail(f"no answer to {call.action.name}: {error}")
        if self.world.generation == generation:
            self.slowest = max(self.slowest, time.monotonic() - begun)
        self._judge(call, status, body)

    def _judge(self, call, status, body):
        name = f"{call.action.service.split(':')[3]} {call.action.name}"
        code = None
        if status == 200:
            if f":{call.action.name}Response".encode() not in body:
                return self._fail(f"{name}: 200 without its answer")
            self.catalogue.learn(call, body)
        elif status == 500 and (found := ERROR.search(body)):
            code = int(found[1])
            if code == 501:
                self._fail(f"{name}: 501, action failed")
        elif status == 503:
            code = 503
        else:
            return self._fail(f"{name}: HTTP {status} {body[:200]!r}")
        self.answers[code or 200] += 1
        if call.wanted and code not in (*call.wanted, 503):
            self._fail(f"{name}: {code or 200} where {call.wanted} is right: {call.body[-300:]!r}")

    def _fail(self, what):
        self.failures[what] += 1
