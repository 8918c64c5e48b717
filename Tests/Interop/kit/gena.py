"""A subscriber over plain sockets, well behaved or not."""

import socket
import threading
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

from . import http
from .upnp import last_change, local
from .waiting import PATIENCE, Feed


@dataclass
class Event:
    path: str
    headers: dict
    properties: dict
    at: float
    raw: bytes = field(repr=False, default=b"")

    @property
    def sid(self):
        return self.headers.get("sid")

    @property
    def seq(self):
        return int(self.headers.get("seq", "-1"))

    @property
    def changes(self):
        """What LastChange holds; empty when there is none."""
        text = self.properties.get("LastChange")
        return last_change(text) if text else {}


class Receiver:
    """Takes NOTIFY requests on an address of the phone.

    `behaviour` is "answer", "silent" (accept and never answer), "slow" (answer after `delay` seconds, or when
    `release` is called), or a status to answer with, such as "412 Precondition Failed".
    """

    def __init__(self, address, behaviour="answer", delay=30.0, interface=None, backlog=64, port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            self._listener.bind((address, port, 0, socket.if_nametoindex(interface) if interface else 0))
        else:
            self._listener.bind((address, port))
        self._listener.listen(backlog)
        self.port = self._listener.getsockname()[1]
        self.address = address
        self.behaviour = behaviour
        self.delay = delay
        self.events = Feed()
        self.connections = Feed()
        #: The events that were answered: the sender knows that they have come.
        self.answered = Feed()
        self._released = threading.Event()
        self._open = True
        self._clients = []
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path="/event"):
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.port}{path}"

    def release(self):
        self._released.set()

    def close(self):
        self._open = False
        self._released.set()
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        for client in list(self._clients):
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended already

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _accept(self):
        while self._open:
            try:
                client, source = self._listener.accept()
            except OSError:
                return
            self.connections.append(source)
            self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        client.settimeout(60)
        buffer = b""
        try:
            while self._open:
                while b"\r\n\r\n" not in buffer:
                    data = client.recv(65536)
                    if not data:
                        return
                    buffer += data
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                headers = {}
                for line in lines[1:]:
                    name, _, value = line.partition(":")
                    headers[name.strip().lower()] = value.strip()
                length = int(headers.get("content-length", "0"))
                while len(buffer) < length:
                    data = client.recv(65536)
                    if not data:
                        return
                    buffer += data
                body, buffer = buffer[:length], buffer[length:]
                properties = {}
                for prop in ET.fromstring(body):
                    for variable in prop:
                        properties[local(variable.tag)] = variable.text or ""
                event = Event(lines[0].split(" ")[1], headers, properties, time.monotonic(), head + b"\r\n\r\n" + body)
                event.method = lines[0].split(" ")[0]
                self.events.append(event)
                if self.behaviour == "silent":
                    self._released.wait(60)
                    return
                if self.behaviour == "slow":
                    self._released.wait(self.delay)
                status = "200 OK" if self.behaviour in ("answer", "slow") else self.behaviour
                client.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
                self.answered.append(event)
                if headers.get("connection", "").lower() == "close":
                    return
        except OSError:
            pass
        finally:
            client.close()
            self._clients.remove(client)

    def wait_change(self, name, value, timeout=5, since=0):
        """The event in which LastChange gives `name` this value (or satisfies it, when it is a function)."""
        wanted = value if callable(value) else lambda text: text == str(value)
        return self.events.wait(
            lambda event: name in event.changes and wanted(event.changes[name]),
            timeout, f"an event with {name} = {value}", since)


def subscribe(event_url, callback, timeout="Second-300", headers=None, **options):
    """The answer to SUBSCRIBE; a header given as None is left out."""
    fields = {"CALLBACK": callback if callback is None or callback.startswith("<") else f"<{callback}>",
              "NT": "upnp:event", "TIMEOUT": timeout}
    fields.update(headers or {})
    return http.request(
        "SUBSCRIBE", event_url, {name: value for name, value in fields.items() if value is not None}, **options)


def renew(event_url, sid, timeout="Second-300", headers=None):
    return http.request("SUBSCRIBE", event_url, {"SID": sid, "TIMEOUT": timeout, **(headers or {})})


def unsubscribe(event_url, sid, headers=None):
    return http.request("UNSUBSCRIBE", event_url, {"SID": sid, **(headers or {})})


class Subscription:
    """A subscription with its receiver, ended on leaving the block."""

    def __init__(self, event_url, address, **options):
        self.url = event_url
        self.receiver = Receiver(address, **options)
        self.response = subscribe(event_url, self.receiver.url())
        assert self.response.status == 200, f"SUBSCRIBE answered {self.response.status}"
        self.sid = self.response["SID"]

    @property
    def events(self):
        return self.receiver.events

    def initial(self, timeout=5 * PATIENCE):
        return self.events.wait(lambda event: event.sid == self.sid and event.seq == 0, timeout, "the initial event")

    def wait_change(self, *arguments, **options):
        return self.receiver.wait_change(*arguments, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            unsubscribe(self.url, self.sid)
        except (OSError, ConnectionError):
            pass
        self.receiver.close()
