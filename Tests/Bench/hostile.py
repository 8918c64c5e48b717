"""What hostile input does: how much memory it takes, and how long others wait meanwhile."""

import select
import socket
import threading
import time
from contextlib import ExitStack

from client import Subscribers
from control import call_bytes, forms, subscribe, unsubscribe
from kit import gena, http, netns, upnp
from kit.memory import Peak, anonymous
from kit.upnp import AVT, RC
from table import markdown

TARGET = "target: refused early, under 2 MiB, others served within 50 ms"


class Watch:
    """Meanwhile: the most memory that isn't a file's, and the longest that somebody on another address waits."""

    def __init__(self, bench, source):
        self.pid = bench.subject.pid
        self.address, self.request = call_bytes(bench.renderer(), AVT, "GetTransportInfo", close=True)
        self.source = source
        self.peak = Peak(self.pid)
        self.longest = 0.0
        self.served = self.asked = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._call, daemon=True)

    def _call(self):
        while not self._stop.wait(0.01):
            begun = time.monotonic()
            self.asked += 1
            try:
                with http.Connection(*self.address, timeout=10, source=(self.source, 0)) as connection:
                    connection.send(self.request)
                    if connection.receive().status == 200:
                        self.served += 1
            except OSError:
                pass
            self.longest = max(self.longest, time.monotonic() - begun)

    def __enter__(self):
        self.peak.__enter__()
        self._thread.start()
        time.sleep(0.2)  # a few calls that nothing disturbs
        return self

    def __exit__(self, *_):
        time.sleep(0.3)  # and a few behind it
        self._stop.set()
        self._thread.join(15)
        self.peak.__exit__()

    def left(self, seconds=5):
        """KiB above what there was before, at the least within some seconds."""
        least, end = anonymous(self.pid), time.monotonic() + seconds
        while least > self.peak.before and time.monotonic() < end:
            time.sleep(0.2)
            least = min(least, anonymous(self.pid))
        return max(0, least - self.peak.before)


def push(address, head, body=b"", times=1):
    """Sends as much as is taken, and returns the status of the answer, or what happened instead."""
    with socket.create_connection(address, timeout=10) as connection:
        try:
            connection.sendall(head)
            for _ in range(times):
                connection.sendall(body)
        except OSError:
            pass  # refused before all of it was sent; the answer may be there all the same
        try:
            answer = connection.recv(4096)
            return answer.split(b" ")[1].decode() if answer.startswith(b"HTTP/") else "closed"
        except OSError:
            return "closed"


def attacks(bench, folder, address, renderer):
    """(what, a function that does it and returns the answer)"""
    target, kind = http.split(renderer.service(RC).control)[2], renderer.types["RenderingControl"]

    def head(length):
        return (f"POST {target} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nContent-Type: text/xml\r\n"
                f'SOAPACTION: "{kind}#GetVolume"\r\nContent-Length: {length}\r\n\r\n').encode()

    def without_argument():
        answer = upnp.soap(renderer.service(RC).control, kind, "SetVolume", {"InstanceID": 0, "Channel": "Master"})
        return str(answer.status)

    def half_open():
        with ExitStack() as stack:
            held = []
            for _ in range(200):
                connection = stack.enter_context(socket.create_connection(address, timeout=5))
                try:
                    connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nX-Wait: ")
                    held.append(connection)
                except OSError:
                    pass  # closed already, for those that came later
            time.sleep(1)
            closed = len(select.select(held, [], [], 0)[0])
        return f"{len(held) - closed} kept, {200 - len(held) + closed} closed"

    def long_line():
        return push(address, b"GET /", b"a" * 65536, 128)

    def entities():
        text = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(
            f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12)) + "]><a>&m;</a>"
        body = text.encode().ljust(150_000)
        return push(address, head(len(body)), body)

    def large_body():
        return push(address, head(100 << 20), b"x" * (1 << 20), 100)

    def stalled():
        url = renderer.service(RC).event
        with ExitStack() as stack, Subscribers(folder, bench.link.phone) as subscribers:
            listener = stack.enter_context(socket.create_server((bench.link.phone, 0), backlog=64))
            port = listener.getsockname()[1]
            sids = [gena.subscribe(url, f"http://{bench.link.phone}:{port}/{number}")["SID"] for number in range(20)]
            sids += subscribe(url, subscribers, 1)
            waits = []
            for number in range(3):
                time.sleep(0.5)  # no moderation of the change before
                fired, request = call_bytes(renderer, RC, "SetVolume", close=True, Channel="Master", DesiredVolume=40 + number)
                waits.append(subscribers.fire(fired, request, 1, 5, forms(40 + number)))
            unsubscribe(url, sids)
        lost = sum(heard == 0 for _, heard, _ in waits)
        return f"{lost} events lost" if lost else f"events within {max(wait[0] for wait in waits):.1f} ms"

    return [("SetVolume without its argument", without_argument), ("200 half-open requests", half_open),
            ("a request line of 8 MB", long_line), ("150 kB of entities", entities), ("a body of 100 MB", large_body),
            ("20 subscribers that stall", stalled)]


def measure(bench, folder, failures):
    """A table in Markdown, of one renderer."""
    source = f"10.77.{bench.link.number}.3"
    netns.sh("ip", "addr", "add", f"{source}/24", "dev", bench.link.phone_interface)
    bench.start()
    renderer = bench.renderer()
    address = http.split(bench.location)[:2]
    rows = [[f"hostile input to {bench.name} ({TARGET})", "answer", "growth, MiB", "left of it, MiB", "others wait at most, ms", "others served"]]
    for what, attack in attacks(bench, folder, address, renderer):
        try:
            with Watch(bench, source) as watch:
                answer = attack()
            rows.append([what, answer, f"{watch.peak.growth / 1024:.1f}", f"{watch.left() / 1024:.1f}",
                         f"{watch.longest * 1000:.1f}", f"{watch.served} of {watch.asked}"])
        except Exception as error:  # the other rows count all the same
            failures.append(f"{what}: {error!r}")
            rows.append([what, "—", "—", "—", "—", "—"])
            bench.ensure()
    return markdown(rows, left=2)
