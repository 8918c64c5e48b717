"""A sender and a receiver of Songcast, written from what such devices put on the network: zones, unicast and multicast
streams."""

import re
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass

import numpy

from .waiting import PATIENCE, Feed

ZONES = ("239.255.255.250", 51972)
HALT, LOSSLESS, TIMESTAMPED, RESENT, PROMPT = 1, 2, 4, 8, 16
JOIN, LISTEN, LEAVE, AUDIO, TRACK, METATEXT, SLAVE, RESEND = range(8)


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
        made = group_socket(endpoint, self.address)
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


@dataclass
class Message:
    """What a receiver got. Times are seconds of the monotonic clock, and the kernel's."""
    at: float
    kind: int
    source: tuple
    data: bytes


@dataclass
class Frame:
    """A message of sound, field by field."""
    at: float
    header: int
    flags: int
    samples: int
    number: int
    timestamp: int
    latency: int
    media_timestamp: int
    start: int
    total: int
    rate: int
    bit_rate: int
    volume: int
    depth: int
    channels: int
    reserved: int
    codec: str
    sound: bytes

    @classmethod
    def of(cls, message):
        *fields, length = struct.unpack_from(">BBHIIIIQQIIhBBBB", message.data, 8)
        codec = message.data[58:58 + length].decode()
        return cls(message.at, *fields, codec, message.data[58 + length:])

    @property
    def unit(self):
        """Ticks per second of its timestamps."""
        return 256 * (44100 if self.rate % 441 == 0 else 48000)

    @property
    def values(self):
        """The samples as integers of `depth` bits."""
        if self.depth == 16:
            return numpy.frombuffer(self.sound, ">i2").astype(numpy.int32).reshape(-1, self.channels)
        raw = numpy.frombuffer(self.sound, numpy.uint8).astype(numpy.int32).reshape(-1, 3)
        values = raw[:, 0] << 16 | raw[:, 1] << 8 | raw[:, 2]
        return (values - ((values & 0x800000) << 1)).reshape(-1, self.channels)


def big_endian(samples, depth=16):
    """Integers of `depth` bits as Songcast has them."""
    wide = numpy.ascontiguousarray(samples).astype(">i4").reshape(-1, 1).view(numpy.uint8)
    return wide[:, 4 - depth // 8:].tobytes()


def _endpoint(uri):
    address, port = re.fullmatch(r"oh[um]://([\d.]+):(\d+)", uri).groups()
    return address, int(port)


def group_socket(endpoint, address):
    """A socket that hears what is sent to a group, on the network of `address`."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(endpoint)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    socket.inet_aton(endpoint[0]) + socket.inet_aton(address))
    return made


class ZoneWatch:
    """Hears what is said of zones, and asks."""

    def __init__(self, address):
        self.socket = group_socket(ZONES, address)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        self.address = address
        #: Pairs of a zone and the address where it plays.
        self.told = Feed()
        self._is_open = True
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self):
        self.socket.settimeout(0.1)
        while self._is_open:
            try:
                data, source = self.socket.recvfrom(9000)
            except TimeoutError:
                continue
            if source[0] == self.address or data[:6] != b"Ohz \x01\x01":
                continue
            zone, uri = struct.unpack_from(">II", data, 8)
            assert len(data) == struct.unpack_from(">H", data, 6)[0] == 16 + zone + uri
            self.told.append((data[16:16 + zone].decode(), data[16 + zone:].decode()))

    def query(self, zone):
        """Asks once."""
        name = zone.encode()
        self.socket.sendto(message(b"Ohz ", 0, struct.pack(">I", len(name)) + name), ZONES)

    def ask(self, zone):
        """Where the zone plays, asked as receivers do: until it is answered."""
        mark = self.told.mark()
        deadline = time.monotonic() + 5 * PATIENCE
        while time.monotonic() < deadline:
            self.query(zone)
            time.sleep(0.1)
            for name, uri in self.told.since(mark):
                if name == zone:
                    return uri
        raise AssertionError(f"nobody says where {zone} plays")

    def close(self):
        self._is_open = False
        self._thread.join(2)
        self.socket.close()


class Receiver:
    """Joins a stream, unicast or multicast, and keeps all that comes: Join every 300 ms until Track and Metatext have come, then Listen
    every two seconds while `listens`. It asks for nothing again by itself."""

    # linux/asm-generic/socket.h
    RECEIVE_BUFFER, STAMPS, OVERFLOWS = 33, 35, 40

    def __init__(self, address, uri, joins=True):
        self.target, self.address, self.is_group = _endpoint(uri), address, uri.startswith("ohm:")
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        self.socket = group_socket(self.target, address) if self.is_group else self.out
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, self.RECEIVE_BUFFER, 4 << 20)
        except OSError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, self.STAMPS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, self.OVERFLOWS, 1)
        self.out.bind((address, 0))
        self.messages = Feed()
        #: Datagrams that this machine has lost itself.
        self.dropped = 0
        self.joins, self.listens, self.joined_at = joins, True, None
        self._is_open = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    # What it says

    def send(self, kind, body=b""):
        self.raw(message(b"Ohm ", kind, body))

    def raw(self, data):
        self.out.sendto(data, self.target)

    def resend(self, *numbers):
        self.send(RESEND, struct.pack(f">I{len(numbers)}I", len(numbers), *numbers))

    def leave(self):
        self.joins = self.listens = False
        # Of a group nobody takes leave.
        if not self.is_group:
            self.send(LEAVE)

    # What it hears

    def _run(self):
        known, next_word = set(), 0
        while self._is_open:
            now = time.monotonic()
            if now >= next_word:
                is_known = {TRACK, METATEXT} <= known
                if self.joins and not is_known:
                    self.joined_at = now
                    self.send(JOIN)
                elif self.listens and is_known:
                    self.send(LISTEN)
                next_word = now + (2 if is_known else 0.3)
            if not select.select([self.socket], [], [], min(0.1, max(0, next_word - now)))[0]:
                continue
            try:
                data, extra, _, source = self.socket.recvmsg(16384, 256)
            except OSError:
                continue  # nobody is there, says the other machine
            age = 0
            for _, name, value in extra:
                if name == self.STAMPS:
                    seconds, nanoseconds = struct.unpack("qq", value[:16])
                    age = (time.time_ns() - seconds * 1_000_000_000 - nanoseconds) / 1e9
                elif name == self.OVERFLOWS:
                    self.dropped = struct.unpack("I", value[:4])[0]
            if self.is_group and source[0] == self.address:
                continue
            assert data[:5] == b"Ohm \x01" and len(data) == struct.unpack_from(">H", data, 6)[0], data[:16]
            if not known >= {TRACK, METATEXT} and data[5] in (TRACK, METATEXT):
                known.add(data[5])
            self.messages.append(Message(time.monotonic() - age, data[5], source, data))

    def of(self, kind, since=0):
        return [each for each in self.messages.since(since) if each.kind == kind]

    def frames(self, since=0):
        """The sound, in the order of its coming."""
        assert self.dropped == 0, f"this machine was too slow for {self.dropped} datagrams"
        return [Frame.of(each) for each in self.of(AUDIO, since)]

    def tracks(self, since=0):
        """Sequence, address and metadata of each Track."""
        found = []
        for each in self.of(TRACK, since):
            number, uri, metadata = struct.unpack_from(">III", each.data, 8)
            assert len(each.data) == 20 + uri + metadata
            found.append((number, each.data[20:20 + uri].decode(), each.data[20 + uri:].decode()))
        return found

    def wait(self, condition, timeout, what, since=0):
        """The first message for which `condition` holds."""
        return self.messages.wait(condition, timeout, what, since)

    def wait_joined(self):
        """Track and Metatext have come, as they do also when they are empty."""
        self.wait(lambda each: each.kind == TRACK, 3, "Track")
        self.wait(lambda each: each.kind == METATEXT, 3, "Metatext")
        return self

    def wait_sound(self, since=0):
        """The first sound that isn't silence."""
        return Frame.of(self.wait(lambda each: each.kind == AUDIO and any(Frame.of(each).sound), 5, "sound", since))

    def wait_halt(self, timeout=5, since=0):
        """The place behind the halt."""
        halt = self.wait(lambda each: each.kind == AUDIO and each.data[9] & HALT, timeout, "a halt", since)
        return self.messages.behind(halt)

    def close(self):
        if self._is_open:
            self.leave()
        self._is_open = False
        self._thread.join(2)
        self.socket.close()
        self.out.close()
