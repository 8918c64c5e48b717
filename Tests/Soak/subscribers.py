"""Subscriptions that come and go: some are ended properly, most are forgotten, and many callbacks misbehave."""

import heapq
import re
import select
import socket
import threading
import time
from collections import Counter

from crowd import Crowd
from kit import http
from kit.waiting import until

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#: What a callback does with an event, and how often there is such a one. "kept" keeps the connection; "refuse": nobody listens; "nobody": no host
#: has that address; "silent": takes it and never answers.
KINDS = {"good": 25, "kept": 15, "refuse": 10, "nobody": 3, "silent": 7, "garbage": 6, "error": 6, "unknown": 6, "reset": 6, "half": 6,
         "huge": 4, "slow": 6}
KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
ANSWERS = {"good": OK, "kept": KEPT, "garbage": bytes(range(256)) * 8, "error": b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
           "unknown": b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n", "half": b"HTTP/1.1 20",
           "huge": b"HTTP/1.1 200 OK\r\n" + b"X-Filler: yes\r\n" * 20_000, "slow": OK}
SEQ = re.compile(rb"\r\nSEQ: *(\d+)", re.IGNORECASE)
SID = re.compile(rb"\r\nSID: *([^\r]+)", re.IGNORECASE)


class Ears:
    """All callbacks behind one loop: a listening socket for each kind."""

    def __init__(self, world, address):
        self.world = world
        self.poll = select.epoll()
        self.listeners, self.ports, self.open = {}, {}, {}
        #: Per subscription with good ears: the last SEQ.
        self.last = {}
        #: Events that didn't follow each other: (SID, SEQ, SEQ before, generation of the network).
        self.gaps = []
        self.heard = 0
        self._later = []
        self._stop = False
        for kind in ANSWERS.keys() | {"silent", "reset"}:
            listener = socket.socket()
            listener.bind((address, 0))
            listener.listen(1024)
            listener.setblocking(False)
            self.ports[kind] = listener.getsockname()[1]
            self.listeners[listener.fileno()] = (kind, listener)
            self.poll.register(listener, select.EPOLLIN)
        with socket.socket() as refusing:
            refusing.bind((address, 0))
            self.ports["refuse"] = refusing.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self):
        self._stop = True
        self._thread.join(5)
        for _, listener in self.listeners.values():
            listener.close()
        for client, _, _ in self.open.values():
            client.close()

    def _run(self):
        while not self._stop:
            for descriptor, _ in self.poll.poll(0.1):
                if descriptor in self.listeners:
                    self._accept(*self.listeners[descriptor])
                elif descriptor in self.open:
                    self._read(descriptor)
            while self._later and self._later[0][0] <= time.monotonic():
                _, descriptor, entry = heapq.heappop(self._later)
                # The number may be another connection's by now.
                if self.open.get(descriptor) is entry:
                    self._end(descriptor, OK)

    def _accept(self, kind, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.setblocking(False)
            self.open[client.fileno()] = [client, kind, b""]
            self.poll.register(client, select.EPOLLIN)

    def _read(self, descriptor):
        entry = self.open[descriptor]
        client, kind, _ = entry
        try:
            data = client.recv(65536)
        except OSError:
            data = b""
        entry[2] += data
        if data and b"propertyset>" not in entry[2][-40:]:
            return
        if not data:
            return self._end(descriptor, b"")
        if kind in ("good", "kept"):
            self._check(entry[2])
        if kind == "kept":
            entry[2] = b""
            try:
                client.send(KEPT)
            except OSError:
                self._end(descriptor, b"")
            return
        if kind == "silent":
            return
        if kind == "slow":
            return heapq.heappush(self._later, (time.monotonic() + 1.5, descriptor, entry))
        if kind == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self._end(descriptor, ANSWERS.get(kind, b""))

    def _check(self, message):
        self.heard += 1
        sid, number = SID.search(message)[1].decode(), int(SEQ.search(message)[1])
        before = self.last.get(sid, -1)
        if number != before + 1:
            self.gaps.append((sid, number, before, self.world.generation, time.strftime("%H:%M:%S")))
        self.last[sid] = number

    def _end(self, descriptor, answer):
        entry = self.open.pop(descriptor, None)
        if entry is None:
            return
        self.poll.unregister(entry[0])
        try:
            entry[0].send(answer)
        except OSError:
            pass
        entry[0].close()


class Subscribers(Crowd):
    """Makes `count` subscriptions, as fast as `progress()` goes."""

    #: The shortest time that is granted; nobody renews, save a few.
    SECONDS = 10

    def __init__(self, world, events, seed, count, progress):
        super().__init__("subscribers", world, seed, count, progress)
        self.events = events
        self.made = 0
        self.answers = Counter()
        self.ears = Ears(world, world.guests[0])
        #: Generation of the network in which those with good ears subscribed, and when.
        self.born = {}
        #: (when, what, path, SID)
        self._plans = []

    def _work(self):
        while self.made < self.count or self._plans:
            if self.made < min(self.count, self.count * self.progress() + 1):
                self._subscribe()
            else:
                time.sleep(0.01)  # paces the subscribers; nothing waits for this
            while self._plans and (self._plans[0][0] <= time.monotonic() or self.made >= self.count):
                _, what, path, sid = heapq.heappop(self._plans)
                self._follow(what, path, sid)

    def _send(self, method, path, headers):
        """The answer; None when the network was away."""
        generation = self.world.wait_online()
        source = self.dice.choice(self.world.guests)
        try:
            return http.request(method, f"http://{self.world.netloc}{path}", headers, timeout=20, source=(source, 0))
        except OSError as error:
            if self.world.generation == generation:
                self.failures[f"no answer to {method}: {error}"] += 1
            return None

    def _subscribe(self):
        self.made += 1
        path = self.dice.choice(self.events)
        kind = self.dice.choices(list(KINDS), list(KINDS.values()))[0]
        place = f"{self.world.guests[0]}:{self.ears.ports[kind]}" if kind != "nobody" else self.world.nobody
        generation = self.world.generation
        answer = self._send("SUBSCRIBE", path, {
            "CALLBACK": f"<http://{place}/{kind}>", "NT": "upnp:event", "TIMEOUT": f"Second-{self.SECONDS}"})
        if answer is None:
            return
        self.answers[answer.status] += 1
        if answer.status == 503:
            return
        if answer.status != 200:
            self.failures[f"SUBSCRIBE answered {answer.status}"] += 1
            return
        sid, now = answer["SID"], time.monotonic()
        if kind in ("good", "kept"):
            self.born[sid] = (generation, now)
        turn = self.dice.random()
        if turn < 0.3:
            heapq.heappush(self._plans, (now + self.dice.random() * 5, "UNSUBSCRIBE", path, sid))
        elif turn < 0.4:
            heapq.heappush(self._plans, (now + self.dice.random() * 8, "SUBSCRIBE", path, sid))

    def _follow(self, what, path, sid):
        headers = {"SID": sid}
        if what == "SUBSCRIBE":
            headers["TIMEOUT"] = f"Second-{self.SECONDS}"
        else:
            self.born.pop(sid, None)  # it may be too early for the first event
        answer = self._send(what, path, headers)
        # 412: the callback had refused, so the subscription is gone.
        if answer is not None and answer.status not in (200, 412):
            self.failures[f"{what} with a SID answered {answer.status}"] += 1

    def finish(self):
        """To be called when nothing more can come: adds the events that were lost to the failures."""
        for sid, number, before, generation, when in self.ears.gaps:
            if self.born.get(sid, (None,))[0] == generation:
                self.failures[f"an event with SEQ {number} behind {before} at {when}"] += 1
        for sid, (generation, born) in self.born.items():
            if sid not in self.ears.last and not self.world.was_away(born, born + self.SECONDS):
                self.failures["a subscriber never heard anything"] += 1
        self.ears.close()


def wait_gone(statistics, seconds):
    """Until the daemon has forgotten all of them."""
    until(lambda: statistics()["vireo_subscriptions"] == 0, seconds, "no subscription is left")
