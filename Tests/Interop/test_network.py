"""Networks that come, go, change and differ: found within seconds, at an address that answers."""

import time

import pytest
from kit import http, netns, ssdp
from kit.upnp import Device
from kit.waiting import PATIENCE

pytestmark = pytest.mark.network

# How long a link is away, in seconds: the kernel itself tells of a lost carrier only after up to one, and an absence
# that nobody noticed changes nothing.
ABSENCE = 2


def check(location, subject, address):
    assert location.startswith(f"http://{address}:"), location
    device = Device(location)
    assert device.udn == f"uuid:{subject.uuid}"
    return device


def test_each_of_two_networks_gets_its_own_address(own_host, launch):
    one, two = own_host.link(), own_host.link()
    with ssdp.Listener(one.phone_interface) as first, ssdp.Listener(two.phone_interface) as second:
        subject = launch(own_host)
        for listener, link in ((first, one), (second, two)):
            listener.wait_alive(subject.uuid, nt=ssdp.RENDERER, location=f"http://{link.speaker}:")
            check(subject.location(link), subject, link.speaker)
            wrong = [m for m in listener.messages.items
                     if m.is_alive and not m["LOCATION"].startswith(f"http://{link.speaker}:")]
            assert not wrong, f"{wrong[0]} was announced where it can't be reached"


def test_only_named_interfaces_are_used(own_host, launch):
    one, two = own_host.link(), own_host.link()
    with ssdp.Listener(two.phone_interface) as listener, ssdp.Search(two) as search:
        subject = launch(own_host, settings={"network": {"interfaces": [one.interface]}})
        check(subject.location(one), subject, one.speaker)
        search.send(ssdp.search_request(ssdp.RENDERER))
        check(subject.location(one), subject, one.speaker)
        assert not [m for m in search.messages.items + listener.messages.items if m.of(subject.uuid)]


def test_network_that_comes_after_the_start(own_host, launch):
    subject = launch(own_host)
    own_host_is_ready(subject)
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        check(subject.location(link, 5 * PATIENCE), subject, link.speaker)
        listener.wait_alive(subject.uuid, timeout=5)


def own_host_is_ready(subject):
    """Waits until the process has said anything, so that the network really comes later."""
    subject.log.wait(lambda line: True, 10, "a first line of the log")
    assert subject.is_running()


def test_address_that_comes_after_the_start(own_host, launch):
    """The interface is there and up, DHCP takes its time."""
    link = own_host.link(ipv4=False)
    netns.sh("ip", "addr", "add", f"{link.phone}/24", "dev", link.phone_interface)
    subject = launch(own_host)
    own_host_is_ready(subject)
    with ssdp.Listener(link.phone_interface) as listener:
        link.add_address(link.speaker)
        listener.wait_alive(subject.uuid, timeout=5, location=f"http://{link.speaker}:")
    check(subject.location(link, 5 * PATIENCE), subject, link.speaker)


def test_address_changes(own_host, launch):
    link = own_host.link()
    subject = launch(own_host)
    check(subject.location(link), subject, link.speaker)
    new = f"10.77.{link.number}.50"
    with ssdp.Listener(link.phone_interface) as listener:
        # In this order: with its first address a network's further ones go too.
        link.remove_address(link.speaker)
        link.add_address(new)
        mark = listener.messages.mark()
        listener.wait_alive(subject.uuid, timeout=5, location=f"http://{new}:", since=0)
        check(subject.location(link, 5 * PATIENCE), subject, new)
        assert not [m for m in listener.messages.since(mark) if m.is_alive and link.speaker + ":" in m["LOCATION"]]


@pytest.mark.parametrize("how", ["down and up", "cable pulled", "taken out"])
def test_link_goes_and_comes_back(own_host, launch, how):
    link = own_host.link()
    subject = launch(own_host)
    check(subject.location(link), subject, link.speaker)
    if how == "down and up":
        link.down()
        time.sleep(ABSENCE)
        link.up()
    elif how == "cable pulled":
        link.unplug()
        time.sleep(ABSENCE)
        link.plug()
    else:
        link.close()
        link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        check(subject.location(link, 5 * PATIENCE), subject, link.speaker)
        listener.wait_alive(subject.uuid, timeout=8)


def test_one_of_two_networks_goes(own_host, launch):
    one, two = own_host.link(), own_host.link()
    subject = launch(own_host)
    check(subject.location(one), subject, one.speaker)
    check(subject.location(two), subject, two.speaker)
    one.down()
    check(subject.location(two), subject, two.speaker)
    one.up()
    check(subject.location(one, 5 * PATIENCE), subject, one.speaker)


def test_new_network_is_told_to_the_old_one_as_an_update(own_host, launch):
    one = own_host.link()
    with ssdp.Listener(one.phone_interface) as listener:
        subject = launch(own_host)
        boot = int(listener.wait_alive(subject.uuid)["BOOTID.UPNP.ORG"])
        subject.location(one)
        two = own_host.link()
        check(subject.location(two, 5 * PATIENCE), subject, two.speaker)
        update = listener.messages.wait(
            lambda m: m["NTS"] == "ssdp:update" and m.of(subject.uuid), 5, "ssdp:update on the first network")
        assert int(update["BOOTID.UPNP.ORG"]) == boot
        new = int(update["NEXTBOOTID.UPNP.ORG"])
        assert new > boot and update["LOCATION"].startswith(f"http://{one.speaker}:")
        with ssdp.Search(two) as search:
            search.send(ssdp.search_request(ssdp.RENDERER))
            assert int(search.wait(subject.uuid)["BOOTID.UPNP.ORG"]) == new


def test_ipv6_only(own_host, launch):
    link = own_host.link(ipv4=False, ipv6=True)
    with ssdp.Listener(link.phone_interface, ipv6=True) as listener:
        subject = launch(own_host)
        alive = listener.wait_alive(subject.uuid, timeout=8)
        assert alive["LOCATION"].startswith(f"http://[{link.speaker6}]:"), "bracketed, and without a scope"
        assert alive["HOST"].upper() == "[FF02::C]:1900"
        location = subject.location(link, ipv6=True)
        assert location == alive["LOCATION"]
        address, port, target, netloc = http.split(location)
        with http.Connection(f"{address}%{link.phone_interface}", port) as connection:
            connection.send(http.build("GET", target, {"Host": netloc}))
            assert connection.receive().status == 200


def test_ipv6_events(own_host, launch):
    from kit.gena import Receiver
    from kit.upnp import AVT, DEVICE_NS
    import xml.etree.ElementTree as ET
    link = own_host.link(ipv4=False, ipv6=True)
    subject = launch(own_host)
    address, port, target, netloc = http.split(subject.location(link, ipv6=True))

    def send(data, method="GET"):
        with http.Connection(f"{address}%{link.phone_interface}", port) as connection:
            connection.send(data)
            return connection.receive(method)
    root = ET.fromstring(send(http.build("GET", target, {"Host": netloc})).body)
    path = next(service.findtext(f"{DEVICE_NS}eventSubURL") for service in root.iter(f"{DEVICE_NS}service")
                if service.findtext(f"{DEVICE_NS}serviceType") == AVT)
    with Receiver(link.phone6, interface=link.phone_interface) as receiver:
        answer = send(http.build("SUBSCRIBE", path, {
            "Host": netloc, "CALLBACK": f"<{receiver.url()}>", "NT": "upnp:event", "TIMEOUT": "Second-300"}))
        assert answer.status == 200
        assert receiver.events.wait(lambda e: e.sid == answer["sid"], 5, "the initial event").seq == 0


def test_ipv6_can_be_switched_off(own_host, launch):
    link = own_host.link(ipv6=True)
    with ssdp.Listener(link.phone_interface, ipv6=True) as listener:
        subject = launch(own_host, settings={"network": {"ipv6": False}})
        check(subject.location(link), subject, link.speaker)
        assert not [m for m in listener.messages.items if m.of(subject.uuid)]




def test_nothing_is_sent_to_where_nobody_asked(own_host, launch):
    """While idle the renderer is silent: after the announcements nothing leaves it."""
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(own_host)
        listener.wait_alive(subject.uuid)
        quiet_since = time.monotonic()
        deadline = quiet_since + 15 * PATIENCE
        while time.monotonic() - quiet_since < 3:
            assert time.monotonic() < deadline, "announcements don't end"
            mark = listener.messages.mark()
            try:
                listener.messages.wait(lambda m: m.of(subject.uuid), 0.5 / PATIENCE, "more", mark)
                quiet_since = time.monotonic()
            except AssertionError:
                pass
