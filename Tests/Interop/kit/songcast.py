"""A Songcast sender, written from what such senders put on the network: zones, unicast and multicast streams."""

import socket
import struct
import threading
import time

import numpy

ZONES = ("239.255.255.250", 51972)
HALT, LOSSLESS, TIMESTAMPED, RESENT, PROMPT = 1, 2, 4, 8, 16


def message(tag, kind, body=b""):
    return tag + bytes([1, kind]) + struct.pack(">H", len(body) + 8) + body


def noise(seconds, rate=44100, channels=2, seed=1):
    """White noise that is the same for a seed, as frames of 16-bit samples at a quarter of full scale."""
    generator = numpy.random.default_rng(seed)
    return (generator.standard_normal((int(seconds * rate), channels)) * 2000).clip(-32768, 32767).astype(numpy.int16)


class Sender:
    """Sends `samples` to whoever joins, at the pace at which they are played.

    `packet_ms` is 5 for Linn's devices and 10 for desktop programs, which send no timestamps. `drop(frame)` says which
    frames get lost on their first way."""

    def __init__(self, address, zone="zone-of-a-test", rate=44100, packet_ms=5, stamps=True, latency_ms=320, port=0,
                 multicast=None, drop=lambda frame: False):
        self.address, self.zone, self.rate, self.packet_ms = address, zone, rate, packet_ms
        self.stamps, self.latency_ms, self.multicast, self.drop = stamps, latency_ms, multicast, drop
        self.ticks = 256 * (44100 if rate % 441 == 0 else 48000)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        self.socket.bind((address, port))
        if multicast:
            self.control = self._group(multicast)
            self.uri = f"ohm://{multicast[0]}:{multicast[1]}"
        else:
            self.control = self.socket
            self.uri = f"ohu://{address}:{self.socket.getsockname()[1]}"
        self.zones = self._group(ZONES)
        self.listeners, self.heard = {}, []
        self.frame, self.history, self.track = 0, {}, (1, b"http://192.0.2.1/one.flac", b"<DIDL-Lite/>")
        self.text = b""
        self.sent_at = None
        self.is_open = True
        self.resent = 0
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._answer, self._answer_zones)]
        for thread in self._threads:
            thread.start()

    def _group(self, endpoint):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(endpoint)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                        socket.inet_aton(endpoint[0]) + socket.inet_aton(self.address))
        made.settimeout(0.2)
        return made

    @property
    def zone_uri(self):
        return f"ohz://{ZONES[0]}:{ZONES[1]}/{self.zone}"

    def kinds(self, kind):
        """How many messages of this type have come."""
        return sum(1 for each in list(self.heard) if each == kind)

    def _answer(self):
        self.control.settimeout(0.2)
        while self.is_open:
            try:
                data, source = self.control.recvfrom(9000)
            except TimeoutError:
                continue
            except OSError:
                return
            if data[:5] != b"Ohm \x01" or source[0] == self.address:
                continue
            kind = data[5]
            self.heard.append(kind)
            if kind == 2:
                self.listeners.pop(source, None)
            elif kind in (0, 1):
                is_new = source not in self.listeners
                self.listeners[source] = time.monotonic()
                if kind == 0 or is_new:
                    self._tell(source)
            elif kind == 7:
                count = struct.unpack(">I", data[8:12])[0]
                for frame in struct.unpack(f">{count}I", data[12:12 + 4 * count]):
                    if frame in self.history:
                        again = bytearray(self.history[frame])
                        again[9] |= RESENT
                        self.resent += 1
                        self._send(bytes(again), source)

    def _answer_zones(self):
        while self.is_open:
            try:
                data, _ = self.zones.recvfrom(9000)
            except TimeoutError:
                continue
            except OSError:
                return
            if data[:6] == b"Ohz \x01\x00" and data[12:].decode() == self.zone:
                self.announce()

    def announce(self, uri=None):
        """Says where the zone plays."""
        zone, uri = self.zone.encode(), (uri or self.uri).encode()
        self.socket.sendto(message(b"Ohz ", 1, struct.pack(">II", len(zone), len(uri)) + zone + uri), ZONES)

    def _tell(self, target=None):
        number, uri, metadata = self.track
        self._send(message(b"Ohm ", 4, struct.pack(">III", number, len(uri), len(metadata)) + uri + metadata), target)
        self._send(message(b"Ohm ", 5, struct.pack(">II", 0, len(self.text)) + self.text), target)

    def _send(self, data, target=None):
        if self.multicast:
            self.socket.sendto(data, self.multicast)
        else:
            for listener in [target] if target else list(self.listeners):
                self.socket.sendto(data, listener)

    def set_track(self, uri, metadata):
        self.track = (self.track[0] + 1, uri.encode(), metadata.encode())
        self._tell()

    def set_text(self, text):
        self.text = text.encode()
        self._tell()

    def play(self, samples, halts=True, start=0):
        """Sends all of `samples`, in real time; the time (monotonic) at which the first one was sent."""
        size = self.rate * self.packet_ms / 1000
        began, place = time.monotonic(), 0
        while place < len(samples):
            end = min(len(samples), round((round(place / size) + 1) * size))
            pause = began + place / self.rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            self.packet(samples[place:end], start + place, len(samples) if start else 0,
                        HALT if halts and end == len(samples) else 0)
            place = end
        return began

    def packet(self, samples, start, total, flags=0):
        now = int(time.monotonic() * self.ticks)
        stamp = 0
        if self.stamps and self.sent_at is not None:
            flags |= TIMESTAMPED | PROMPT
            stamp = self.sent_at & 0xffffffff
        self.sent_at = now
        codec = b"FLAC"
        sound = samples.astype(">i2").tobytes()
        header = struct.pack(
            ">BBHIIIIQQIIhBBBB", 50, flags | LOSSLESS, len(samples), self.frame, stamp,
            int(self.latency_ms * self.ticks / 1000), 0, start, total, self.rate, 705600, 0, 16, samples.shape[1], 0,
            len(codec))
        data = message(b"Ohm ", 3, header + codec + sound)
        self.history[self.frame] = data
        self.history.pop(self.frame - 100, None)
        if not self.drop(self.frame):
            self._send(data)
        self.frame += 1

    def begin_again(self, frame=0):
        """As after a restart: numbers and timestamps begin anew."""
        self.frame, self.history, self.sent_at = frame, {}, None

    def close(self):
        self.is_open = False
        for thread in self._threads:
            thread.join(2)
        for each in {self.socket, self.control, self.zones}:
            each.close()
