"""Connections to subscribers that stay open between two events: a help for both, unless the subscriber can't do it."""

import functools
import socket
import threading

import pytest
from kit.gena import Receiver, Subscription, subscribe, unsubscribe
from kit.upnp import RC
from kit.waiting import PATIENCE, Feed, until

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def url_of(device):
    return device.services[RC].event


def quick_enough(test):
    """Who answers after half a second keeps no connection. Where the machine is busy that may happen to a test's own
    subscriber, but not three times in a row."""
    @functools.wraps(test)
    def run(*arguments, **fixtures):
        for _ in range(2):
            try:
                return test(*arguments, **fixtures)
            except AssertionError:
                pass
        return test(*arguments, **fixtures)
    return run


class OneEach:
    """Answers the first message on each connection as if more were welcome; what happens then is `end`."""

    def __init__(self, address, end):
        self.end = end
        self.messages = Feed()
        self.connections = 0
        self._listener = socket.create_server((address, 0))
        self.url = f"http://{address}:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client, self.connections), daemon=True).start()

    def _serve(self, client, number):
        data = b""
        with client:
            while b"</e:propertyset>" not in data:
                if not (more := client.recv(65536)):
                    return
                data += more
            self.messages.append((number, data.decode()))
            client.sendall(ANSWER)
            if self.end == "silence":
                while client.recv(65536):
                    pass

    def wait(self, text):
        return self.messages.wait(lambda message: text in message[1], 10, f"a message with {text}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()


@pytest.fixture
def volume(device):
    yield device
    device.set_volume(100)


@quick_enough
def test_events_share_a_connection(volume, link):
    with Subscription(url_of(volume), link.phone) as events:
        events.initial()
        for number, value in enumerate((31, 32, 33), 1):
            volume.set_volume(value)
            assert events.wait_change("Volume", value).seq == number
        assert len(events.receiver.connections) == 1


@quick_enough
def test_services_of_one_subscriber_share_a_connection(volume, link):
    with Receiver(link.phone) as receiver:
        sids = [subscribe(url_of(volume), receiver.url(f"/{number}"))["SID"] for number in range(3)]
        receiver.events.wait(lambda event: event.sid == sids[-1], 5, "the initial events")
        made = len(receiver.connections)
        volume.set_volume(41)
        for sid in sids:
            receiver.events.wait(lambda event: event.sid == sid and event.seq == 1, 5, "the change")
        assert len(receiver.connections) <= max(made, 3)
        for sid in sids:
            unsubscribe(url_of(volume), sid)


def test_kept_connections_end_soon(volume, link):
    ended = threading.Event()
    with socket.create_server((link.phone, 0)) as listener:
        sid = subscribe(url_of(volume), f"http://{link.phone}:{listener.getsockname()[1]}/")["SID"]
        client, _ = listener.accept()
        with client:
            client.settimeout(20 * PATIENCE)
            data = b""
            while b"</e:propertyset>" not in data:
                data += client.recv(65536)
            assert b"connection: close" not in data.lower()
            client.sendall(ANSWER)
            while client.recv(65536):
                pass
            ended.set()
        unsubscribe(url_of(volume), sid)
    assert ended.is_set()


def test_none_are_kept_where_the_owner_says_so(own_host, launch):
    """`[limits] event-idle-seconds = 0`"""
    link = own_host.link()
    device = launch(own_host, settings={"limits": {"event-idle-seconds": 0}}).device(link)
    with Subscription(url_of(device), link.phone) as events:
        assert events.initial().headers.get("connection", "").lower() == "close"
        for value in (71, 72):
            device.set_volume(value)
            assert events.wait_change("Volume", value).headers.get("connection", "").lower() == "close"
        assert len(events.receiver.connections) == 3


def test_a_subscriber_may_close_between_two_events(volume, link):
    with OneEach(link.phone, "close") as subscriber:
        sid = subscribe(url_of(volume), subscriber.url)["SID"]
        for number, value in enumerate((51, 52, 53), 1):
            volume.set_volume(value)
            _, message = subscriber.wait(f'val="{value}"')
            assert f"SEQ: {number}\r\n" in message
        assert unsubscribe(url_of(volume), sid).status == 200


@quick_enough
def test_an_event_that_a_kept_connection_swallows_comes_again(volume, link):
    with OneEach(link.phone, "silence") as subscriber:
        sid = subscribe(url_of(volume), subscriber.url)["SID"]
        subscriber.wait("SEQ: 0\r\n")
        # Swallowed by the connection of the first event.
        volume.set_volume(61)
        number, message = subscriber.wait('val="61"')
        assert number == 2 and "SEQ: 1\r\n" in message
        assert "connection: close" in message.lower(), "such a subscriber isn't asked to keep connections any more"
        volume.set_volume(62)
        number, message = subscriber.wait('val="62"')
        assert number == 3 and "SEQ: 2\r\n" in message
        until(lambda: len(subscriber.messages.items) == 3, 5, "each event once")
        assert unsubscribe(url_of(volume), sid).status == 200
