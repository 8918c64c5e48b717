"""What nobody can beat on this machine: a server in C without any logic, measured by the same client."""

import statistics
import subprocess
import time

from client import Calls, Subscribers, file_of, program
from kit import http, netns
from table import markdown

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 400\r\n\r\n" + b"x" * 400
PORT = "49500"
COUNTS = (1, 10, 100, 500)


class Server:
    def __init__(self, folder, host, link, count=0, port=9):
        event = http.build("", "", {"Host": "floor", "NT": "upnp:event", "Connection": "close"},
                           b'val="10"' + b"x" * 500).split(b" ", 2)[2]
        self._process = subprocess.Popen(
            host.wrap(program("floor", folder), link.speaker, PORT, file_of(folder, "answer", ANSWER), count, link.phone,
                      port, file_of(folder, "notify", event)), stdout=subprocess.PIPE)
        self._process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait(10)
        self._process.stdout.close()


def measure(folder, milliseconds):
    """A table in Markdown."""
    host = netns.Host()
    link = host.link()
    address = (link.speaker, PORT)
    request = http.build("POST", "/", {"Host": "floor"}, b"x" * 400)
    rows = [["floor: a server without logic", "ms"]]
    try:
        with Server(folder, host, link):
            for label, fresh in (("new", True), ("kept", False)):
                calls = Calls(folder, address, request, 1, milliseconds, fresh)
                rows.append([f"a call on a {label} connection, p50", f"{calls.p50:.3f}"])
        for count in COUNTS:
            with Subscribers(folder, link.phone) as subscribers, \
                    Server(folder, host, link, count, subscribers.ports[0]):
                times = []
                for _ in range(8):
                    taken, heard, _ = subscribers.fire(address, request, count, 4, ['val="10"'])
                    if heard == count:
                        times.append(taken)
                    time.sleep(0.05)
            if times:
                rows.append([f"to the last of {count} subscriber{'s'[:count > 1]}", f"{statistics.median(times):.2f}"])
    finally:
        host.close()
    return markdown(rows)
