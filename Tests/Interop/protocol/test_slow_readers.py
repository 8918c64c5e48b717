"""Those who have much sent to them and don't take it: bounded in all, however many they are."""

import select
import socket
from contextlib import ExitStack

import pytest
from kit import gena, http, memory, netns
from kit.openhome import Speaker
from kit.upnp import AVT, envelope
from kit.waiting import until

#: kB that one such attack may cost while it lasts; a single message of its takes up to 16,000.
GROWTH = 100_000
#: kB that may be left of it: a playlist of 5 MB, for one.
LEFT = 10_000
SUBSCRIBERS = 150
READERS = 40


@pytest.fixture
def attacked(own_host, launch):
    """(renderer, its link, an address of an innocent phone)"""
    link = own_host.link()
    subject = launch(own_host)
    subject.location(link)
    address = f"10.77.{link.number}.3"
    netns.sh("ip", "addr", "add", f"{address}/24", "dev", link.phone_interface)
    subject.device(link).volume()
    with memory.Peak(subject.pid) as peak:
        yield subject, link, address
    assert peak.growth <= GROWTH, f"it took {peak.growth} kB"
    assert subject.is_running()
    until(lambda: memory.anonymous(subject.pid) <= peak.before + LEFT, 40, "its memory again")


def deaf(stack, address):
    """The address of a listener that takes connections and reads nothing."""
    listener = stack.enter_context(socket.socket())
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind((address, 0))
    listener.listen(1024)
    return listener.getsockname()[1]


def test_large_events_that_nobody_takes(attacked):
    subject, link, innocent = attacked
    device = subject.device(link)
    event = device.services[AVT].event
    with ExitStack() as stack:
        port = deaf(stack, link.phone)
        # Its quotation marks grow tenfold on their way, in three variables.
        for name, uri in (("SetAVTransportURI", "CurrentURI"), ("SetNextAVTransportURI", "NextURI")):
            device.avt(name, **{uri: f"http://{link.phone}:9/a.wav", f"{uri}MetaData": '"' * 250_000})
        for number in range(SUBSCRIBERS):
            answer = http.request("SUBSCRIBE", event, {
                "CALLBACK": f"<http://{link.phone}:{port}/{number}>", "NT": "upnp:event", "TIMEOUT": "Second-300"})
            assert answer.status == 200
        with gena.Receiver(innocent) as receiver:
            address, phone_port, target, netloc = http.split(event)
            with http.Connection(address, phone_port, timeout=10, source=(innocent, 0)) as connection:
                connection.send(http.build("SUBSCRIBE", target, {
                    "Host": netloc, "CALLBACK": f"<{receiver.url()}>", "NT": "upnp:event", "TIMEOUT": "Second-300"}))
                assert connection.receive().status == 200
            first = receiver.events.wait(lambda event: True, 10, "the innocent's event, however large")
            assert len(first.changes["AVTransportURIMetaData"]) == 250_000
            mark = receiver.events.mark()
            device.avt("SetPlayMode", NewPlayMode="REPEAT_ALL")
            receiver.events.wait(lambda event: event.changes.get("CurrentPlayMode") == "REPEAT_ALL", 10, "a small one", mark)


def test_large_answers_that_nobody_takes(attacked):
    subject, link, innocent = attacked
    speaker = Speaker.of(subject, link)
    ids = []
    for number in range(60):
        ids.append(speaker.insert(f"http://{link.phone}:9/{number}", ids[-1] if ids else 0, "<" * 40_000))
    service = speaker.services[speaker.types["Playlist"]]
    address, port, target, netloc = http.split(service.control)
    body = envelope(speaker.types["Playlist"], "ReadList", {"IdList": " ".join(map(str, ids))})
    request = http.build("POST", target, {
        "Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{speaker.types["Playlist"]}#ReadList"'}, body)
    with ExitStack() as stack:
        for _ in range(READERS):
            connection = stack.enter_context(http.Connection(address, port, timeout=10))
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.send(request)
        with http.Connection(address, port, timeout=30, source=(innocent, 0)) as connection:
            connection.send(request)
            answer = connection.receive()
            assert answer.status == 200 and len(answer.body) > 10_000_000


def test_large_answers_hold_up_nobody(attacked):
    """While somebody's answer of 8 MB is put together, others are answered again and again."""
    subject, link, innocent = attacked
    speaker = Speaker.of(subject, link)
    ids = []
    for number in range(60):
        ids.append(speaker.insert(f"http://{link.phone}:9/{number}", ids[-1] if ids else 0, "<" * 40_000))
    kind = speaker.types["Playlist"]
    address, port, target, netloc = http.split(speaker.services[kind].control)

    def request(action, **arguments):
        return http.build("POST", target, {
            "Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{kind}#{action}"'},
            envelope(kind, action, arguments))
    most = 0
    with http.Connection(address, port, timeout=30) as reader, \
            http.Connection(address, port, timeout=30, source=(innocent, 0)) as other:
        for _ in range(30):
            reader.send(request("ReadList", IdList=" ".join(map(str, ids))))
            answered = 0
            while not select.select([reader.socket], [], [], 0)[0]:
                other.send(request("Id"))
                assert other.receive().status == 200
                answered += 1
            assert len(reader.receive().body) > 10_000_000
            most = max(most, answered)
            if most >= 8:
                break
    assert most >= 8, "answers to others, at best, before the large one came"


def test_the_largest_body_that_can_be_allowed_works(own_host, launch):
    link = own_host.link()
    largest = 524_288
    subject = launch(own_host, settings={"limits": {"body-bytes": largest, "header-bytes": 1_048_576}})
    device = subject.device(link)
    body = envelope(AVT, "SetAVTransportURI", {
        "InstanceID": 0, "CurrentURI": f"http://{link.phone}:9/a", "CurrentURIMetaData": "&" * 100_000})
    body = body if isinstance(body, bytes) else body.encode()
    body += b"\0" * (largest - len(body))

    def post(content):
        return http.request("POST", device.services[AVT].control, {
            "Content-Type": "text/xml", "SOAPACTION": f'"{AVT}#SetAVTransportURI"'}, content)
    assert post(body).status == 200
    assert device.avt("GetMediaInfo")["CurrentURIMetaData"] == "&" * 100_000
    assert post(body + b"\0").status == 413
