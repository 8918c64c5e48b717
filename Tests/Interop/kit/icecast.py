"""Icecast with a configuration of the tests' own, and sources that feed it as fast as they sound."""

import base64
import itertools
import os
import socket
import subprocess
import threading
import time
from urllib.parse import quote

from .waiting import until

CONFIGURATION = """<icecast>
  <limits><clients>50</clients><sources>20</sources><queue-size>524288</queue-size><client-timeout>30</client-timeout>
    <header-timeout>15</header-timeout><source-timeout>10</source-timeout><burst-size>{burst}</burst-size></limits>
  <authentication><source-password>secret</source-password><relay-password>secret</relay-password>
    <admin-user>admin</admin-user><admin-password>secret</admin-password></authentication>
  <hostname>{address}</hostname>
  <listen-socket><port>{port}</port><bind-address>{address}</bind-address></listen-socket>
  <fileserve>0</fileserve>
  <paths><basedir>{folder}</basedir><logdir>{folder}</logdir><webroot>/usr/share/icecast2/web</webroot>
    <adminroot>/usr/share/icecast2/admin</adminroot><pidfile>{folder}/pid</pidfile></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
  <security><chroot>0</chroot>{owner}</security>
</icecast>
"""


class Icecast:
    """Listens at `address`; listeners get `burst` bytes at once when they come."""

    def __init__(self, address, folder, burst=65535):
        with socket.socket() as probe:
            probe.bind((address, 0))
            self.address, self.port = probe.getsockname()
        folder.mkdir(parents=True, exist_ok=True)
        # As root it refuses to run, and becomes somebody who must be able to write here.
        folder.chmod(0o777)
        for parent in folder.parents:
            if str(parent).startswith("/tmp/") and parent.stat().st_uid == os.getuid():
                parent.chmod(parent.stat().st_mode | 0o011)
        owner = "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" if os.getuid() == 0 else ""
        path = folder / "icecast.xml"
        path.write_text(CONFIGURATION.format(address=address, port=self.port, folder=folder, burst=burst, owner=owner))
        path.chmod(0o644)
        self._process = subprocess.Popen(["icecast2", "-c", str(path)], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        self.base = f"http://{address}:{self.port}"
        self._sources = []
        until(self._answers, 10, "Icecast")

    def _answers(self):
        try:
            socket.create_connection((self.address, self.port), timeout=2).close()
            return True
        except OSError:
            return False

    def source(self, mount, pieces, mime, seconds):
        """Feeds `mount` with `pieces` in turn, over and over, each of which sounds `seconds`. Returns the source."""
        source = Source((self.address, self.port), mount, pieces, mime, seconds)
        self._sources.append(source)
        return source

    def title(self, mount, text):
        """Tells the title of a station that isn't Ogg."""
        with socket.create_connection((self.address, self.port), timeout=5) as client:
            login = base64.b64encode(b"admin:secret").decode()
            client.sendall(f"GET /admin/metadata?mode=updinfo&mount={mount}&song={quote(text)} HTTP/1.0\r\n"
                           f"Authorization: Basic {login}\r\n\r\n".encode())
            answer = client.recv(4096)
        assert b" 200 " in answer, answer

    def close(self):
        for source in self._sources:
            source.close()
        self._process.terminate()
        self._process.wait(timeout=10)


class Source:
    def __init__(self, server, mount, pieces, mime, seconds):
        self._over = threading.Event()
        self._client = socket.create_connection(server, timeout=10)
        login = base64.b64encode(b"source:secret").decode()
        self._client.sendall(f"SOURCE {mount} HTTP/1.0\r\nAuthorization: Basic {login}\r\n"
                             f"Content-Type: {mime}\r\nice-name: A station\r\n\r\n".encode())
        answer = self._client.recv(4096)
        if b" 200 " not in answer:
            raise RuntimeError(f"Icecast refuses the source: {answer!r}")
        self._thread = threading.Thread(target=self._feed, args=(pieces, seconds), daemon=True)
        self._thread.start()

    def _feed(self, pieces, seconds):
        due = time.monotonic()
        try:
            for piece in itertools.cycle(pieces):
                step = max(1, len(piece) * 50 // int(seconds * 1000))  # of 50 ms
                for start in range(0, len(piece), step):
                    part = piece[start:start + step]
                    self._client.sendall(part)
                    due += seconds * len(part) / len(piece)
                    if self._over.wait(max(0, due - time.monotonic())):
                        return
        except OSError:
            pass

    def close(self):
        """Breaks off."""
        self._over.set()
        self._thread.join(timeout=5)
        self._client.close()
