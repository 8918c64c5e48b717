"""Subscribers that sleep, roam, restart, hang or refuse: each keeps its subscription, and is shown the present state once it
is back."""

import socket
import time

import pytest
from kit import netns
from kit.gena import Receiver, renew, subscribe, unsubscribe
from kit.upnp import RC
from kit.waiting import until

#: Between two tries at most, in seconds, and what a lost connection takes to be noticed on top of it.
SOON = 60


@pytest.fixture(scope="module")
def cable():
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="module")
def other_cable(cable):
    """Of somebody else, who stays."""
    return cable.host.link()


@pytest.fixture
def renderer_there(cable, launch):
    return launch(cable.host)


@pytest.fixture
def speaker(cable, renderer_there):
    return renderer_there.device(cable)


class Phone:
    """A subscriber with an address of its own, which comes and goes."""

    def __init__(self, cable, speaker):
        self.cable = cable
        self.use(speaker)
        self.address = f"10.77.{cable.number}.77"
        self.wake()
        self.receiver = Receiver(self.address)
        self.sid = subscribe(self.url, self.receiver.url(), timeout="Second-1800")["SID"]
        self.events = self.receiver.events
        # And its answer, or it would still be under way when the phone goes to sleep.
        self.receiver.answered.wait(lambda event: event.seq == 0, 5, "the initial event")

    def use(self, speaker):
        """Talks to the speaker at this address from now on."""
        self.speaker, self.url = speaker, speaker.services[RC].event

    def wake(self):
        netns.sh("ip", "addr", "add", f"{self.address}/24", "dev", self.cable.phone_interface)

    def sleep(self):
        netns.sh("ip", "addr", "del", f"{self.address}/24", "dev", self.cable.phone_interface)

    def restart(self, behaviour="answer"):
        """The app again, behind the same port."""
        self.receiver.close()
        self.receiver = Receiver(self.address, behaviour, port=self.receiver.port)
        self.events = self.receiver.events

    def is_subscribed(self):
        return renew(self.url, self.sid).status == 200

    def wait(self, volume, timeout=SOON, since=0):
        return self.receiver.wait_change("Volume", volume, timeout, since)

    def close(self):
        self.receiver.close()
        netns.sh("ip", "addr", "del", f"{self.address}/24", "dev", self.cable.phone_interface, check=False)


@pytest.fixture
def phone(cable, speaker):
    phone = Phone(cable, speaker)
    yield phone
    phone.close()


def is_whole(event):
    return {"Volume", "Mute", "VolumeDB", "PresetNameList"} <= set(event.changes)


def assert_goes_on(phone):
    """The next change is told as ever, no SEQ came twice, and everything is told behind a gap."""
    phone.speaker.set_volume(77)
    assert not is_whole(phone.wait(77))
    events = list(phone.events.items)
    numbers = [event.seq for event in events]
    assert numbers == sorted(set(numbers))
    assert all(is_whole(event) for before, event in zip(events, events[1:]) if event.seq > before.seq + 1), numbers
    assert phone.is_subscribed()


@pytest.mark.slow
def test_a_phone_that_sleeps(phone):
    phone.sleep()
    for volume in (10, 20, 30):
        phone.speaker.set_volume(volume)
        time.sleep(4)  # the changes have to be apart, so that each could be tried
    phone.wake()
    phone.wait(30)
    assert phone.events.items[1].seq > 1 and is_whole(phone.events.items[1]), "SEQ shows the gap"
    assert_goes_on(phone)


@pytest.mark.slow
def test_a_cable_that_is_pulled(phone, cable, other_cable, renderer_there):
    other = renderer_there.device(other_cable)
    phone.speaker.set_volume(10)
    phone.wait(10)
    cable.unplug()
    other.set_volume(20)
    time.sleep(4)  # in which the loss is noticed
    other.set_volume(30)
    cable.plug()
    phone.wait(30)
    assert_goes_on(phone)


@pytest.mark.slow
def test_a_phone_that_changes_its_access_point(phone, cable, other_cable, renderer_there):
    """To the speaker, it has another hardware address from one moment to the next."""
    phone.speaker.set_volume(10)
    phone.wait(10)
    # Somebody else's cable: this one's control connections have to find the new address as well.
    phone.use(renderer_there.device(other_cable))
    phone.sleep()
    phone.speaker.set_volume(15)
    netns.sh("ip", "link", "set", "dev", cable.phone_interface, "address", f"02:00:00:00:77:{cable.number:02x}")
    phone.wake()
    phone.wait(15)
    assert_goes_on(phone)


def test_an_app_that_was_restarted_and_knows_its_subscription(phone):
    phone.receiver.close()
    phone.speaker.set_volume(10)
    phone.speaker.set_volume(20)
    phone.restart()
    event = phone.wait(20)
    assert is_whole(event) and event.seq > 0
    assert_goes_on(phone)


def test_an_app_that_was_restarted_and_does_not_know_it(phone):
    phone.receiver.close()
    phone.speaker.set_volume(10)
    phone.restart("412 Precondition Failed")
    phone.wait(10)
    until(lambda: not phone.is_subscribed(), 10, "the subscription has ended")
    mark = phone.events.mark()
    phone.speaker.set_volume(20)
    time.sleep(1.5)  # in which nothing must come
    assert not phone.events.since(mark)


def test_an_app_that_fails(phone):
    phone.receiver.behaviour = "500 Internal Server Error"
    phone.speaker.set_volume(10)
    phone.wait(10)
    phone.receiver.behaviour = "answer"
    phone.speaker.set_volume(20)
    event = phone.wait(20)
    assert is_whole(event) and event.seq == 2
    assert_goes_on(phone)


def test_an_app_that_hangs(phone):
    phone.receiver.behaviour = "silent"
    phone.speaker.set_volume(10)
    phone.wait(10)
    phone.receiver.behaviour = "answer"
    phone.receiver.release()
    event = phone.events.wait(lambda event: event.seq > 1, SOON, "the present state")
    assert is_whole(event) and event.changes["Volume"] == "10"
    assert_goes_on(phone)


@pytest.mark.slow
def test_tries_become_rarer(phone):
    """A port that is closed is tried after 1, 2 and 4 seconds; and sooner after a change."""
    port = phone.receiver.port
    phone.receiver.close()
    tries = []
    with socket.socket() as closed:
        closed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        closed.bind((phone.address, port))
        closed.listen(64)
        closed.settimeout(SOON)
        phone.speaker.set_volume(10)
        def refuse():
            client, _ = closed.accept()
            tries.append(time.monotonic())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            client.close()

        for _ in range(5):
            refuse()
        pauses = [b - a for a, b in zip(tries, tries[1:])]
        assert all(pause > least for pause, least in zip(pauses, (0.9, 1.9, 3.9, 7.9))), pauses
        time.sleep(1.5)  # the last try is a second old, and the next would be due in 14 s
        phone.speaker.set_volume(20)
        refuse()
        assert tries[-1] - tries[-2] < 8
        assert phone.is_subscribed()


def test_whoever_unsubscribes_is_tried_no_more(phone):
    phone.receiver.close()
    phone.speaker.set_volume(10)
    assert unsubscribe(phone.url, phone.sid).status == 200
    phone.restart()
    time.sleep(3)  # in which nothing must come
    assert not phone.events.items
