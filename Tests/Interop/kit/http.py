"""A small HTTP client over plain sockets: it sends exactly what it is told and hides nothing of the answer."""

import socket
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Response:
    status: int
    reason: str
    headers: dict
    body: bytes
    #: Seconds from the last byte sent to the end of the answer.
    seconds: float = 0.0
    raw_head: bytes = field(default=b"", repr=False)

    def __getitem__(self, name):
        return self.headers.get(name.lower())

    @property
    def text(self):
        return self.body.decode("utf-8")


class Connection:
    """One TCP connection, kept open between requests."""

    def __init__(self, address, port, timeout=15, source=None):
        self.socket = socket.create_connection((address, port), timeout=timeout, source_address=source)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _more(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return data

    def _line_block(self):
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                raise ConnectionError(f"closed in the middle of a head: {self.buffer[:200]!r}")
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return head

    def receive(self, method="GET"):
        """The next answer, whole."""
        started = time.monotonic()
        head = self._line_block()
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ", 2)
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(parts[1])
        if method == "HEAD" or status in (204, 304) or 100 <= status < 200:
            body = b""
        elif headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._chunks()
        elif "content-length" in headers:
            length = int(headers["content-length"])
            while len(self.buffer) < length:
                if not self._more():
                    raise ConnectionError("closed in the middle of a body")
            body, self.buffer = self.buffer[:length], self.buffer[length:]
        else:
            while self._more():
                pass
            body, self.buffer = self.buffer, b""
        reason = parts[2] if len(parts) > 2 else ""
        return Response(status, reason, headers, body, time.monotonic() - started, head)

    def _chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                if not self._more():
                    raise ConnectionError("closed in the middle of a chunk")
            size, self.buffer = self.buffer.split(b"\r\n", 1)
            length = int(size.split(b";")[0], 16)
            while len(self.buffer) < length + 2:
                if not self._more():
                    raise ConnectionError("closed in the middle of a chunk")
            body, self.buffer = body + self.buffer[:length], self.buffer[length + 2:]
            if length == 0:
                return body


def build(method, target, headers, body=b""):
    """The bytes of a request; a Content-Length is added when there is a body or the method is POST."""
    lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
    if (body or method == "POST") and not any(name.lower() in ("content-length", "transfer-encoding") for name in headers):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8") + body


def split(url):
    """(address, port, target, host header) of an http URL."""
    parts = urlsplit(url)
    target = parts.path or "/"
    if parts.query:
        target += "?" + parts.query
    return parts.hostname, parts.port or 80, target, parts.netloc


def request(method, url, headers=None, body=b"", timeout=15, host=None, source=None):
    """One request on a connection of its own. `host` replaces the Host header ("" leaves it out)."""
    address, port, target, netloc = split(url)
    fields = {}
    if host != "":
        fields["Host"] = netloc if host is None else host
    fields["Connection"] = "close"
    fields.update(headers or {})
    with Connection(address, port, timeout, source) as connection:
        connection.send(build(method, target, fields, body))
        return connection.receive(method)


def get(url, **options):
    return request("GET", url, **options)
