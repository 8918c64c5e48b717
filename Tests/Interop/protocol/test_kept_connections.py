"""Connections to subscribers that stay open between two events: a help for both, unless the subscriber can't do it."""

import contextlib
import socket
import threading
import time

import pytest
from kit.gena import Receiver, Subscription, subscribe, unsubscribe
from kit.upnp import RC
from kit.waiting import PATIENCE, Feed, Timeout, until

#: Seconds within which a subscriber must answer, or its connection isn't kept.
PROMPT = 0.5
#: A machine on which half a second is too short so often is too slow for these tests.
ROUNDS = 5
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def url_of(device):
    return device.services[RC].event


class Laps:
    """The time between one thing that causes an event and the event behind it: by then Vireo has the answer to the first, and
    has kept its connection or not."""

    def __init__(self):
        self._begun = []
        self.matter = True

    def begin(self):
        """Called before whatever causes an event, when the event before has come."""
        self._begun.append(time.monotonic())

    def over(self):
        """Whether answers are prompt makes no difference from here on."""
        self.matter = False

    def were_prompt(self):
        times = [*self._begun, time.monotonic()]
        # With only one event so far, the one behind it has just come.
        return all(later - earlier < PROMPT for earlier, later in zip(times, times[2:] or times[-1:]))


def where_answers_are_prompt(play):
    """Who takes longer than `PROMPT` keeps no connection. A busy machine may do that to `play`: then what fails there shows
    nothing, and it is played again. Where all was prompt, the first failure counts."""
    for _ in range(ROUNDS):
        laps = Laps()
        try:
            return play(laps)
        except Timeout:
            raise
        except AssertionError as failure:
            if laps.were_prompt() or not laps.matter:
                raise
            last = failure
    raise AssertionError(f"in none of {ROUNDS} rounds were all answers prompt") from last


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
                with contextlib.suppress(ConnectionResetError):
                    while client.recv(65536):
                        pass
            if self.end == "reset":
                client.recv(1)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

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


def test_events_share_a_connection(volume, link):
    def play(laps):
        laps.begin()
        with Subscription(url_of(volume), link.phone) as events:
            events.initial()
            for number, value in enumerate((31, 32, 33), 1):
                laps.begin()
                volume.set_volume(value)
                assert events.wait_change("Volume", value).seq == number
                assert len(events.receiver.connections) == 1
    where_answers_are_prompt(play)


def test_services_of_one_subscriber_share_a_connection(volume, link):
    def play(laps):
        with Receiver(link.phone) as receiver:
            laps.begin()
            sids = [subscribe(url_of(volume), receiver.url(f"/{number}"))["SID"] for number in range(3)]
            for sid in sids:
                receiver.events.wait(lambda event: event.sid == sid, 5, "the initial events")
            assert len(receiver.connections) <= 3
            laps.begin()
            volume.set_volume(41)
            for sid in sids:
                receiver.events.wait(lambda event: event.sid == sid and event.seq == 1, 5, "the change")
            assert len(receiver.connections) <= 3
            for sid in sids:
                unsubscribe(url_of(volume), sid)
    where_answers_are_prompt(play)


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
        for value in (51, 52, 53):
            volume.set_volume(value)
            subscriber.wait(f'val="{value}"')
        # One that crosses the end of its connection may have been read: the next one has another number.
        numbers = [int(message.split("SEQ: ")[1].split("\r")[0]) for _, message in subscriber.messages.items]
        assert numbers == sorted(set(numbers))
        assert unsubscribe(url_of(volume), sid).status == 200


def swallowed(volume, subscriber, value, laps):
    """Subscribes, and has the connection of the first event swallow the next one, with `value`. The SID, and the event behind
    that."""
    laps.begin()
    sid = subscribe(url_of(volume), subscriber.url)["SID"]
    subscriber.wait("SEQ: 0\r\n")
    volume.set_volume(value)
    number, message = subscriber.wait(f'val="{value}"')
    assert "SEQ: 1\r\n" not in message, "the connection wasn't kept"
    laps.over()
    assert number == 2 and "SEQ: 2\r\n" in message and "PresetNameList" in message
    return sid, message


def test_what_a_kept_connection_swallows_comes_in_the_next_event(volume, link):
    """Nobody knows whether it was read: the same SEQ isn't sent twice."""
    def play(laps):
        with OneEach(link.phone, "silence") as subscriber:
            sid, message = swallowed(volume, subscriber, 61, laps)
            assert "connection: close" in message.lower(), "such a subscriber isn't asked to keep connections any more"
            volume.set_volume(62)
            number, message = subscriber.wait('val="62"')
            assert number == 3 and "SEQ: 3\r\n" in message
            until(lambda: len(subscriber.messages.items) == 3, 5, "each event once")
            assert unsubscribe(url_of(volume), sid).status == 200
    where_answers_are_prompt(play)


def test_a_kept_connection_that_breaks_swallows_nothing(volume, link):
    """It is reset with the event in it."""
    def play(laps):
        with OneEach(link.phone, "reset") as subscriber:
            sid, _ = swallowed(volume, subscriber, 63, laps)
            assert unsubscribe(url_of(volume), sid).status == 200
    where_answers_are_prompt(play)
