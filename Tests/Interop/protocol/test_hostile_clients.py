"""Hostile clients: refused early, forgotten quickly, and nobody else notices."""

import socket
import time

import pytest
from kit import gena, http, memory, netns
from kit.upnp import AVT, RC, envelope, soap
from kit.waiting import PATIENCE, SLOWNESS, Stopwatch, until

#: kB of memory of its own that an attack may cost while it lasts, and that may be left of it.
GROWTH, LEFT = 2048, 1024
#: Seconds until others are answered meanwhile.
ANSWERED_WITHIN = 0.05


@pytest.fixture
def other(link):
    """A second address of the phone, from which an innocent control point asks."""
    address = f"10.77.{link.number}.3"
    netns.sh("ip", "addr", "add", f"{address}/24", "dev", link.phone_interface)
    yield address
    netns.sh("ip", "addr", "del", f"{address}/24", "dev", link.phone_interface, check=False)


class Innocent:
    """Calls GetVolume from its own address and remembers how long the answers took, without what other programs on
    this machine held either end up."""

    def __init__(self, device, address, renderer):
        self.renderer = renderer
        self.url = device.services[RC].control
        self.address = address
        self.body = envelope(RC, "GetVolume", {"InstanceID": 0, "Channel": "Master"})
        self.slowest = 0.0

    def ask(self, times=5):
        for _ in range(times):
            watch = Stopwatch(self.renderer.pid)
            response = http.request(
                "POST", self.url, {"Content-Type": "text/xml", "SOAPACTION": f'"{RC}#GetVolume"'}, self.body,
                timeout=5, source=(self.address, 0))
            assert response.status == 200
            self.slowest = max(self.slowest, watch.seconds)


@pytest.fixture
def innocent(device, other, renderer):
    innocent = Innocent(device, other, renderer)
    innocent.ask(20)
    innocent.slowest = 0.0
    yield innocent
    assert innocent.slowest < ANSWERED_WITHIN * SLOWNESS, f"an answer took {innocent.slowest:.3f} s meanwhile"


@pytest.fixture
def steady(renderer, device):
    """Fails when memory grows, or memory, descriptors or threads don't come back."""
    before = renderer.descriptors(), renderer.threads()
    with memory.Peak(renderer.pid) as peak:
        yield
    assert peak.growth <= GROWTH, f"it took {peak.growth} kB"
    until(lambda: renderer.descriptors() <= before[0] + 3, 20, f"{before[0]} descriptors again")
    until(lambda: renderer.threads() <= before[1] + 2, 20, f"{before[1]} threads again")
    until(lambda: memory.anonymous(renderer.pid) <= peak.before + LEFT, 20,
          f"{peak.before} kB again (now {memory.anonymous(renderer.pid)})")


def final_status(connection):
    """Status of the answer, or "closed" when the connection was closed or reset without one."""
    try:
        return connection.receive().status
    except (ConnectionError, OSError) as error:
        if isinstance(error, TimeoutError):
            raise
        return "closed"


def send_all(connection, data, piece=65536):
    """Sends until everything went or the other side has had enough; returns how much went."""
    start = 0
    try:
        for start in range(0, len(data), piece):
            connection.send(data[start:start + piece])
    except OSError:
        return start
    return len(data)


def test_host_header_of_a_stranger_is_refused(device):
    """DNS rebinding: a page in somebody's browser reaches the address under its own name."""
    for name in ("evil.example", "evil.example:49494", "127.0.0.1.evil.example", "10.77.1.99", "a b", "@"):
        response = http.get(device.location, host=name)
        assert response.status in (400, 403, 412, 421), name
        response = soap(device.services[RC].control, RC, "SetVolume",
                        {"InstanceID": 0, "Channel": "Master", "DesiredVolume": 1}, host=name)
        assert response.status in (400, 403, 412, 421), name
        response = http.request("SUBSCRIBE", device.services[RC].event, {"CALLBACK": "<http://10.77.1.2:1/>",
                                "NT": "upnp:event"}, host=name)
        assert response.status in (400, 403, 412, 421), name
    assert device.volume() == 100


def test_host_headers_of_friends_are_accepted(device, link):
    address, port, _, _ = http.split(device.location)
    for name in (f"{address}:{port}", address):
        assert http.get(device.location, host=name).status == 200, name


def test_half_open_requests_lock_nobody_out(device, innocent, steady):
    address, port, target, netloc = http.split(device.location)
    held = []
    try:
        for _ in range(200):
            try:
                connection = http.Connection(address, port, timeout=5)
                connection.send(f"POST {target} HTTP/1.1\r\nHost: {netloc}\r\nContent-Le".encode())
                held.append(connection)
            except OSError:
                break
        innocent.ask(20)
    finally:
        for connection in held:
            connection.close()
    innocent.ask()


def test_silent_connections_are_closed(own_host, launch):
    link = own_host.link()
    subject = launch(own_host, settings={"limits": {"header-seconds": "2s", "body-seconds": "2s", "idle-seconds": "2s"}})
    device = subject.device(link)
    address, port, target, netloc = http.split(device.services[RC].control)
    beginnings = [b"", b"POST ", f"POST {target} HTTP/1.1\r\nHost: {netloc}\r\n".encode(),
                  f"POST {target} HTTP/1.1\r\nHost: {netloc}\r\nSOAPACTION: \"{RC}#GetVolume\"\r\n"
                  "Content-Type: text/xml\r\nContent-Length: 500\r\n\r\n<s:Env".encode()]
    connections = []
    for beginning in beginnings:
        connection = http.Connection(address, port, timeout=10)
        connection.send(beginning)
        connections.append(connection)
    begun = time.monotonic()
    for connection, beginning in zip(connections, beginnings):
        assert final_status(connection) in (408, "closed"), beginning
        connection.close()
    assert time.monotonic() - begun < 6 * PATIENCE


def test_request_line_of_8_mb(device, innocent, steady):
    address, port, _, _ = http.split(device.location)
    with http.Connection(address, port) as connection:
        begun = time.monotonic()
        send_all(connection, b"GET /" + b"a" * (8 << 20) + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert final_status(connection) in (414, 431, "closed")
        assert time.monotonic() - begun < 3 * PATIENCE
        innocent.ask()


def test_endless_headers(device, innocent, steady):
    address, port, target, netloc = http.split(device.location)
    for headers in (b"X: y\r\n" * 100_000, b"X: " + b"y" * (1 << 20) + b"\r\n", b"X" * (1 << 20)):
        with http.Connection(address, port) as connection:
            send_all(connection, f"GET {target} HTTP/1.1\r\nHost: {netloc}\r\n".encode() + headers + b"\r\n")
            assert final_status(connection) in (431, "closed")
        innocent.ask()


def test_body_of_100_mb(device, innocent, steady):
    address, port, target, netloc = http.split(device.services[RC].control)
    fields = {"Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{RC}#GetVolume"'}
    size = 100 << 20
    with http.Connection(address, port) as connection:
        connection.send(http.build("POST", target, {**fields, "Content-Length": size}))
        # What the kernel's buffers hold, and a megabyte so that the answer gets through.
        assert send_all(connection, b" " * size) < 16 << 20
        assert final_status(connection) in (413, "closed")
    innocent.ask()
    with http.Connection(address, port) as connection:
        connection.send(http.build("POST", target, {**fields, "Transfer-Encoding": "chunked"}))
        assert send_all(connection, (b"10000\r\n" + b" " * 65536 + b"\r\n") * 400) < 16 << 20
        assert final_status(connection) in (413, "closed")
    innocent.ask()


def test_lengths_that_lie(device):
    address, port, target, netloc = http.split(device.services[RC].control)
    base = (f"POST {target} HTTP/1.1\r\nHost: {netloc}\r\nContent-Type: text/xml\r\n"
            f'SOAPACTION: "{RC}#GetVolume"\r\n').encode()
    for lines in (b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: x\r\n",
                  b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"):
        with http.Connection(address, port) as connection:
            connection.send(base + lines + b"\r\nabcde")
            assert final_status(connection) in (400, 411, 413, 500, 501, "closed"), lines


ENTITIES = (b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "' + b"a" * 1000 + b'">'
            + b"".join(b'<!ENTITY %c "%s">' % (c + 1, b"&%c;" % c * 10) for c in range(ord("a"), ord("i")))
            + b"]>")
XML_ATTACKS = {
    # Linear, but each reference stands for much: 150 kB that become gigabytes where entities are replaced.
    "150 kB of entities": b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 50_000 + b'">]><Envelope><Body>' + b"&a;" * 33_000
                          + b"</Body></Envelope>",
    "billion laughs": ENTITIES + b"<Envelope><Body>&i;</Body></Envelope>",
    "external entity": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
                       + envelope(RC, "GetVolume", {"InstanceID": "0", "Channel": "X"}).split(b"?>", 1)[1]
                       .replace(b">X<", b">&a;<"),
    "external DTD": b'<!DOCTYPE x SYSTEM "http://10.77.1.2:1/x.dtd">'
                    + envelope(RC, "GetVolume", {"InstanceID": "0", "Channel": "Master"}).split(b"?>", 1)[1],
    "deep nesting": b"<a>" * 50_000,
    "one huge name": b"<" + b"a" * 400_000 + b">",
    "many attributes": b"<a " + b" ".join(b'a%d="1"' % n for n in range(40_000)) + b"/>",
    "many arguments": envelope(RC, "GetVolume", {"InstanceID": "0", "Channel": "Master"}).replace(
        b"<Channel>", b"<x>1</x>" * 40_000 + b"<Channel>"),
    "not UTF-8": envelope(RC, "GetVolume", {"InstanceID": "0", "Channel": "Master"}).replace(b"Master", b"\xff\xfe\xfa"),
    "NUL bytes": b"\0" * 10_000,
}


@pytest.mark.parametrize("name", XML_ATTACKS)
def test_hostile_xml(device, innocent, steady, name):
    begun = time.monotonic()
    for _ in range(5):
        response = soap(device.services[RC].control, RC, "GetVolume", body=XML_ATTACKS[name])
        assert response.status in (400, 413, 500) or (name == "many arguments" and response.status == 200)
        assert b"root:" not in response.body
    assert time.monotonic() - begun < 5 * PATIENCE
    innocent.ask()


def test_an_action_without_its_argument(device, innocent, steady):
    for _ in range(50):
        assert device.fault(RC, "SetVolume", InstanceID=0, Channel="Master") == 402
    innocent.ask()


def test_slow_bodies_are_given_up(own_host, launch):
    """A body that trickles in has one deadline, and is told 408."""
    link = own_host.link()
    subject = launch(own_host, settings={"limits": {"body-seconds": "2s"}})
    device = subject.device(link)
    address, port, target, netloc = http.split(device.services[RC].control)
    with http.Connection(address, port, timeout=20) as connection:
        connection.send(f"POST {target} HTTP/1.1\r\nHost: {netloc}\r\nSOAPACTION: \"{RC}#GetVolume\"\r\n"
                        "Content-Type: text/xml\r\nContent-Length: 5000\r\n\r\n".encode())
        begun = time.monotonic()
        connection.socket.settimeout(0.2)
        answer = b""
        while not answer and time.monotonic() - begun < 6 * PATIENCE:
            try:
                connection.send(b" ")
                answer = connection.socket.recv(100)
            except TimeoutError:
                pass
        assert answer.startswith(b"HTTP/1.1 408"), answer
        assert time.monotonic() - begun < 4 * PATIENCE


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_ten_thousand_subscriptions(device, innocent, steady, link):
    """So many as the limit allows, from one address; all of those get their events, and the rest is told 503."""
    with gena.Receiver(link.phone, backlog=1024) as receiver:
        accepted = []
        address, port, target, netloc = http.split(device.services[RC].event)
        request = http.build("SUBSCRIBE", target, {
            "Host": netloc, "CALLBACK": f"<{receiver.url()}>", "NT": "upnp:event", "TIMEOUT": "Second-300"})
        statuses = set()
        with http.Connection(address, port) as connection:
            for number in range(10_000):
                connection.send(request)
                response = connection.receive()
                statuses.add(response.status)
                if response.status == 200:
                    accepted.append(response["sid"])
                if number % 1000 == 999:
                    innocent.ask()
        assert len(accepted) == 512 and statuses == {200, 503}
        for sid in accepted:
            receiver.events.wait(lambda event, sid=sid: event.sid == sid, 30, "everybody's initial event")
        mark = receiver.events.mark()
        device.set_volume(47)
        got = receiver.events.wait_count(512, lambda event: event.changes.get("Volume") == "47", 30, "the change", mark)
        assert {event.sid for event in got} == set(accepted), "none is lost"
        innocent.ask()
        for sid in accepted:
            assert gena.unsubscribe(device.services[RC].event, sid).status == 200


def test_rubbish_instead_of_http(device, innocent, steady):
    address, port, _, _ = http.split(device.location)
    for data in (b"\0" * 5000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500, b"\r\n" * 5000,
                 b"GET\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"SSH-2.0-x\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        with http.Connection(address, port, timeout=15) as connection:
            send_all(connection, data)
            connection.socket.shutdown(socket.SHUT_WR)
            assert final_status(connection) in (400, 404, 405, 414, 431, 501, 505, "closed"), data[:20]
    innocent.ask()


def test_connections_that_come_and_go(device, innocent, steady):
    address, port, target, netloc = http.split(device.location)
    whole = http.build("GET", target, {"Host": netloc})
    for number in range(300):
        connection = http.Connection(address, port)
        connection.send(whole[:number % len(whole)] if number % 2 else whole)
        connection.close()
    innocent.ask()


def test_client_that_never_reads(device, innocent, steady):
    """Asks for the description over and over and takes no answer: the answers must not pile up."""
    address, port, target, netloc = http.split(device.location)
    with http.Connection(address, port, timeout=2) as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        send_all(connection, http.build("GET", target, {"Host": netloc}) * 20_000)
        innocent.ask()


def test_strangers_from_elsewhere_are_not_served(own_host, launch):
    """Requests only from networks that the daemon is on, unless [network] allow says otherwise."""
    link = own_host.link()
    foreign = "10.99.8.8"
    netns.sh("ip", "addr", "add", f"{foreign}/32", "dev", "lo")
    own_host.sh("ip", "route", "add", foreign, "via", link.phone)
    try:
        subject = launch(own_host)
        location = subject.location(link)
        try:
            assert http.get(location, source=(foreign, 0), timeout=5).status == 403
        except (ConnectionError, OSError):
            pass  # closed without a word is as good
        assert http.get(location).status == 200
        friend = launch(own_host, folder="friend", settings={"network": {"allow": ["10.99.8.0/24"]}})
        assert http.get(friend.location(link), source=(foreign, 0)).status == 200
    finally:
        netns.sh("ip", "addr", "del", f"{foreign}/32", "dev", "lo", check=False)


def test_fault_storm(device, innocent, steady):
    for _ in range(500):
        device.fault(AVT, "Explode", InstanceID=0)
    innocent.ask()


def test_huge_arguments(device):
    """What fits is kept, and what doesn't is refused; never half of it."""
    uri = "http://10.77.1.2:1/x.wav"
    long = "x" * 200_000
    assert device.fault(AVT, "SetAVTransportURI", InstanceID=0, CurrentURI=uri, CurrentURIMetaData=long) == {}
    assert device.avt("GetMediaInfo")["CurrentURIMetaData"] == long
