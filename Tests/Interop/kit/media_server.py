"""A media server on the phone, good or bad as the test needs it."""

import gzip
import os
import socket
import struct
import threading
import time
from dataclasses import dataclass
from email.utils import formatdate

from .waiting import Feed


@dataclass
class Request:
    method: str
    path: str
    headers: dict
    at: float


@dataclass
class Resource:
    data: bytes = b""
    mime: str = "application/octet-stream"
    #: "plain", "no-range", "stall", "reset", "short" (promises more than it sends), "long" (promises less),
    #: "slow", "icy", "redirect", "status", "crumbs" (each answer breaks off after `after` bytes)
    mode: str = "plain"
    #: Bytes after which "stall", "reset" and "short" take effect; "stall" and "reset" then wait for `go_on`.
    after: int = 0
    #: Bytes per second of "slow" and "icy".
    rate: int = 0
    #: Whether parts are sent to who asks for them.
    ranges: bool = True
    #: Where "redirect" leads.
    target: str = ""
    status: str = "404 Not Found"
    #: ICY: bytes between two pieces of metadata, and the titles in turn.
    metaint: int = 8192
    titles: tuple = ()
    station: str = "A station"
    #: ICY: how many connections are still to be cut, each `after` bytes of sound, and the mode after the last of them.
    drops: int = 0
    afterwards: str = ""
    #: Whole answers go out packed (gzip): "asked" to those who take that, "always" to everybody.
    packed: str = ""
    #: How the end is told: "length", "chunked", or "close" (HTTP/1.0, the connection ends); the latter two send no parts.
    framing: str = "length"


class MediaServer:
    def __init__(self, address, tls=None):
        """With `tls` (an ssl.SSLContext) it speaks HTTPS."""
        self._tls = tls
        self._address = (address, 0)
        self._clients = set()
        self._listener = self._listen()
        self._address = self._listener.getsockname()
        self.base = f"http{'s' if tls else ''}://{address}:{self._address[1]}"
        self.resources = {}
        self.requests = Feed()
        #: Bytes that "slow" has sent so far, of all files.
        self.sent = 0
        self._go_on = threading.Event()
        self._open = True
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _listen(self):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(self._address)
        listener.listen(64)
        return listener

    def vanish(self):
        """As if the machine was switched off: connections break, new ones are refused."""
        self._close_listener()
        for client in list(self._clients):
            try:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def break_off(self):
        """As ``vanish``, but what was under way ends with a reset, which nobody takes for the end of an answer."""
        self._close_listener()
        for client in list(self._clients):
            try:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                os.close(client.detach())
            except OSError:
                pass

    def come_back(self):
        """Behind the same port."""
        self._listener = self._listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def add(self, path, data=b"", mime="application/octet-stream", **options):
        """Serves `data` below `path` and returns its URL."""
        self.resources[path] = Resource(data, mime, **options)
        return self.base + path

    def redirect(self, path, target):
        return self.add(path, mode="redirect", target=target)

    def refuse(self, path, status="404 Not Found"):
        return self.add(path, mode="status", status=status)

    def go_on(self):
        """Lets stalled answers continue."""
        self._go_on.set()

    def close(self):
        self._open = False
        self._go_on.set()
        self._close_listener()

    def _close_listener(self):
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def _accept(self, listener):
        while self._open:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        buffer = b""
        try:
            client.settimeout(60)
            if self._tls:
                client = self._tls.wrap_socket(client, server_side=True)
            self._clients.add(client)
            while self._open:
                while b"\r\n\r\n" not in buffer:
                    data = client.recv(65536)
                    if not data:
                        return
                    buffer += data
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ", 2)
                headers = {}
                for line in lines[1:]:
                    name, _, value = line.partition(":")
                    headers[name.strip().lower()] = value.strip()
                self.requests.append(Request(method, path, headers, time.monotonic()))
                if not self._answer(client, method, path, headers):
                    return
        except OSError:
            pass
        finally:
            self._clients.discard(client)
            client.close()

    def _head(self, client, status, fields):
        lines = [f"HTTP/1.1 {status}", f"Date: {formatdate(usegmt=True)}", "Server: interop"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        # Bytes that are no UTF-8 go out as they are: b"R\xe1dio".decode(errors="surrogateescape").
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode(errors="surrogateescape"))

    def _answer(self, client, method, path, headers):
        """True when the connection may be used again."""
        resource = self.resources.get(path.split("?")[0])
        if resource is None or resource.mode == "status":
            status = resource.status if resource else "404 Not Found"
            body = f"<html><body>{status}</body></html>".encode()
            self._head(client, status, {"Content-Type": "text/html", "Content-Length": len(body)})
            if method != "HEAD":
                client.sendall(body)
            return True
        if resource.mode == "redirect":
            self._head(client, "302 Found", {"Location": resource.target, "Content-Length": 0})
            return True
        if resource.mode == "icy":
            return self._icy(client, method, headers, resource)

        if resource.framing != "length":
            return self._endless(client, method, resource)

        data, status = resource.data, "200 OK"
        fields = {"Content-Type": resource.mime}
        start = 0
        if resource.mode != "no-range" and resource.ranges:
            fields["Accept-Ranges"] = "bytes"
            wanted = headers.get("range", "")
            if wanted.startswith("bytes="):
                first, _, last = wanted[6:].split(",")[0].partition("-")
                total = len(data) + (500_000 if resource.mode == "short" else 0)
                start = int(first) if first else max(0, total - int(last))
                end = min(int(last), total - 1) if first and last else total - 1
                if start >= total:
                    self._head(client, "416 Range Not Satisfiable",
                               {"Content-Range": f"bytes */{total}", "Content-Length": 0})
                    return True
                status = "206 Partial Content"
                fields["Content-Range"] = f"bytes {start}-{end}/{total}"
                data = data[start:end + 1]
        takes = resource.packed == "always" or "gzip" in headers.get("accept-encoding", "")
        if resource.packed and takes and status == "200 OK":
            data = gzip.compress(data)
            fields["Content-Encoding"] = "gzip"
        promised = len(data)
        if resource.mode == "short":
            promised = len(resource.data) + 500_000 - start
        elif resource.mode == "long":
            promised = max(0, promised // 2)
        fields["Content-Length"] = promised
        self._head(client, status, fields)
        if method == "HEAD":
            return True
        return self._body(client, resource, data, start)

    def _endless(self, client, method, resource):
        """An answer that doesn't say how long it is, as fast as `rate` says."""
        chunked = resource.framing == "chunked"
        lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] if chunked else ["HTTP/1.0 200 OK"]
        lines += [f"Content-Type: {resource.mime}", "Connection: close"]
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        if method == "HEAD":
            return False
        step = max(1, resource.rate // 10) if resource.rate else 16384
        started = time.monotonic()
        for start in range(0, len(resource.data), step):
            part = resource.data[start:start + step]
            client.sendall(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            ahead = (start + step) / resource.rate - (time.monotonic() - started) if resource.rate else 0
            if ahead > 0:
                time.sleep(ahead)  # paces the station; nothing waits for this
        if chunked:
            client.sendall(b"0\r\n\r\n")
        return False

    def _body(self, client, resource, data, start):
        if resource.mode in ("stall", "reset", "short"):
            client.sendall(data[:max(0, resource.after - start)])
            if resource.mode in ("stall", "reset"):
                self._go_on.wait(60)
            if resource.mode == "stall":
                client.sendall(data[max(0, resource.after - start):])
                return True
            if resource.mode == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            return False
        if resource.mode == "crumbs":
            client.sendall(data[:resource.after])
            return len(data) <= resource.after
        if resource.mode == "slow":
            step = max(1, resource.rate // 20)
            for index in range(0, len(data), step):
                piece = data[index:index + step]
                client.sendall(piece)
                self.sent += len(piece)
                time.sleep(0.05)  # paces the server; nothing waits for this
            return True
        client.sendall(data)
        return resource.mode != "long"

    def _icy(self, client, method, headers, resource):
        """An endless station: the data over and over, with titles between when the client asks for them."""
        wants = headers.get("icy-metadata") == "1"
        fields = {"Content-Type": resource.mime, "icy-name": resource.station, "icy-br": "128",
                  "Connection": "close"}
        if wants:
            fields["icy-metaint"] = resource.metaint
        self._head(client, "200 OK", fields)
        if method == "HEAD":
            return False
        position, turn = 0, 0
        started = time.monotonic()
        sent = 0
        while self._open:
            piece = b""
            while len(piece) < resource.metaint:
                part = resource.data[position:position + resource.metaint - len(piece)]
                piece += part
                position = (position + len(part)) % len(resource.data)
            client.sendall(piece)
            sent += len(piece)
            if resource.drops > 0 and sent >= resource.after:
                resource.drops -= 1
                if resource.drops == 0 and resource.afterwards:
                    resource.mode = resource.afterwards
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                return False
            if wants:
                title = resource.titles[min(turn, len(resource.titles) - 1)] if resource.titles else ""
                turn += 1
                text = f"StreamTitle='{title}';".encode()
                blocks = (len(text) + 15) // 16
                client.sendall(bytes([blocks]) + text.ljust(blocks * 16, b"\0"))
            ahead = sent / resource.rate - (time.monotonic() - started) - 2
            if resource.rate and ahead > 0:
                time.sleep(ahead)  # paces the station; nothing waits for this
        return False
