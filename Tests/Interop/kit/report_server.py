"""Servers that are told what was heard: ListenBrainz, Last.fm and webhooks, good or bad as the test needs them."""

import json
import socket
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from .waiting import Feed


@dataclass
class Call:
    path: str
    headers: dict
    body: bytes
    at: float
    #: What was answered: a status, or the name of a fault.
    answer: object = None

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass
class Answer:
    status: int = 200
    body: object = field(default_factory=lambda: {"status": "ok"})
    headers: dict = field(default_factory=dict)
    #: "" for a whole answer; "cut": half of it, then a reset; "stall": none until `go_on`; "drop": the connection ends without one.
    fault: str = ""


def same(_):
    """An answer that takes everything."""
    return Answer()


class ReportServer:
    """`decide` makes an `Answer` of a `Call`; it may be replaced at any time."""

    def __init__(self, address, tls=None, decide=same, port=0):
        self._tls = tls
        self.decide = decide
        self.calls = Feed()
        self._go_on = threading.Event()
        self._place = (address, port)
        self._listener = None
        self.open()
        self.base = f"http{'s' if tls else ''}://{address}:{self._place[1]}"

    def open(self):
        """Takes connections, at the same port as before."""
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(self._place)
        self._listener.listen(64)
        self._place = self._listener.getsockname()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self):
        """Refuses connections from now on."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def close(self):
        self._go_on.set()
        self.refuse()

    def go_on(self):
        """Answers what was stalled."""
        self._go_on.set()

    def taken(self):
        """The calls that were answered well."""
        return [call for call in self.calls.items if isinstance(call.answer, int) and call.answer < 300]

    # MARK: ListenBrainz

    def listens(self, kinds=("single", "import")):
        """What it has taken, in order: (title, listened_at)."""
        return [(listen["track_metadata"]["track_name"], listen.get("listened_at"))
                for call in self.taken() if call.json.get("listen_type") in kinds for listen in call.json["payload"]]

    def titles(self):
        return [title for title, _ in self.listens()]

    # MARK: Webhooks

    def events(self, *kinds):
        return [call.json for call in self.taken() if not kinds or call.json["event"] in kinds]

    # MARK: Connections

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            client.settimeout(60)
            if self._tls:
                client = self._tls.wrap_socket(client, server_side=True)
            buffer = b""
            while True:
                while b"\r\n\r\n" not in buffer:
                    data = client.recv(65536)
                    if not data:
                        return
                    buffer += data
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ", 2)
                headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
                assert method == "POST", method
                length = int(headers["content-length"])
                while len(buffer) < length:
                    buffer += client.recv(65536)
                call = Call(path, headers, buffer[:length], time.monotonic())
                buffer = buffer[length:]
                if not self._answer(client, call):
                    return
        except OSError:
            pass
        finally:
            client.close()

    def _answer(self, client, call):
        answer = self.decide(call)
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        fields = {"Content-Type": "application/json", "Content-Length": len(body), **answer.headers}
        head = f"HTTP/1.1 {answer.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        if answer.fault:
            call.answer = answer.fault
            self.calls.append(call)
        if answer.fault == "stall":
            self._go_on.wait(60)
            client.sendall(head.encode() + body)
            return False
        if answer.fault == "drop":
            return False
        if answer.fault == "cut":
            client.sendall((head.encode() + body)[:-5])
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            return False
        call.answer = answer.status
        self.calls.append(call)
        client.sendall(head.encode() + body)
        return True
