"""Links of other kinds than one cable with an address: bridges, addresses that stand alone, addresses that are there twice."""

import time

import pytest
from kit import http, netns, ssdp
from kit.finding import alive, ask, found, gets_events
from kit.waiting import Timeout, until

pytestmark = pytest.mark.network

LEFT_OUT = "leads to containers or virtual machines only"


class Bridge:
    """A bridge on the speaker's machine, with the speaker's address; it becomes the other end of `link` by `join`.

    A namespace has no card that could be a port, but a container's own is one, and that is a veth called eth0."""

    def __init__(self, host, name, card="eth0"):
        self.host = host
        self.name = name
        self.link = host.link(ipv4=False, inner=card)
        netns.sh("ip", "addr", "add", f"{self.link.phone}/24", "dev", self.link.phone_interface)
        host.sh("ip", "link", "add", "name", name, "type", "bridge")
        host.sh("ip", "link", "set", name, "addrgenmode", "none")
        host.sh("ip", "addr", "add", f"{self.link.speaker}/24", "dev", name)
        host.sh("ip", "link", "set", name, "up")

    def join(self):
        self.host.sh("ip", "link", "set", self.link.interface, "master", self.name)

    def leave(self):
        self.host.sh("ip", "link", "set", self.link.interface, "nomaster")

    def add_guests(self):
        """A container and a virtual machine."""
        self.host.sh("ip", "link", "add", "name", "veth5f3a", "master", self.name, "type", "veth", "peer", "name", "inside")
        for end in ("veth5f3a", "inside"):
            self.host.sh("ip", "link", "set", end, "up")
        self.host.sh("ip", "tuntap", "add", "vnet0", "mode", "tap")
        self.host.sh("ip", "link", "set", "vnet0", "master", self.name)
        self.host.sh("ip", "link", "set", "vnet0", "up")


def is_silent(subject, link, location):
    """Nothing is served on this link: neither a search nor a request is answered. `location`: where it would be."""
    with ssdp.Search(link) as search:
        search.send(ssdp.search_request(ssdp.RENDERER))
        with pytest.raises(OSError):  # closed without a word
            http.get(location, timeout=5)
        with pytest.raises(Timeout):
            search.wait(subject.uuid, 1)


@pytest.mark.parametrize("name", ["br-lan", "vmbr0", "br-0123456789ab"])
def test_a_bridge_with_a_card_is_the_network(own_host, launch, name):
    bridge = Bridge(own_host, name)
    bridge.add_guests()
    bridge.join()
    with ssdp.Listener(bridge.link.phone_interface) as listener:
        begun = time.monotonic()
        subject = launch(own_host)
        locations = found(subject, bridge.link, begun)
        alive(subject, listener, begun, bridge.link.speaker)
    gets_events(bridge.link, bridge.link.phone, locations[subject.uuid])
    assert not [line for line in subject.log.items if LEFT_OUT in line]


@pytest.mark.parametrize("name", ["docker0", "br0"])
def test_a_bridge_of_guests_is_left_out(own_host, launch, name):
    lan = own_host.link()
    # Whoever is there is a container: its end of the cable has no card's name.
    guests = Bridge(own_host, name, card="veth9e21")
    guests.join()
    subject = launch(own_host)
    location = subject.location(lan)
    line = subject.log.wait(lambda line: LEFT_OUT in line, 10, "what is left out")
    assert name in line and "[network] interfaces" in line, "and what to do about it"
    is_silent(subject, guests.link, location.replace(lan.speaker, guests.link.speaker))
    subject.terminate()
    begun = time.monotonic()
    named = launch(own_host, folder="named", settings={"network": {"interfaces": [name]}})
    found(named, guests.link, begun)
    assert not [line for line in named.log.items if LEFT_OUT in line]


def test_a_card_joins_a_bridge_and_leaves(own_host, launch):
    bridge = Bridge(own_host, "br0")
    bridge.add_guests()
    subject = launch(own_host)
    subject.log.wait(lambda line: LEFT_OUT in line, 10, "what is left out")
    for _ in range(2):
        with ssdp.Listener(bridge.link.phone_interface) as listener:
            begun = time.monotonic()
            bridge.join()
            locations = found(subject, bridge.link, begun)
            alive(subject, listener, begun, bridge.link.speaker)
        gets_events(bridge.link, bridge.link.phone, locations[subject.uuid])
        mark = subject.log.mark()
        bridge.leave()
        subject.log.wait(lambda line: "no longer announcing on br0" in line, 10, "the end of it", mark)
    assert len([line for line in subject.log.items if LEFT_OUT in line]) == 1, "once is enough"


def test_a_neighbour_of_an_address_that_stands_alone(own_host, launch):
    """DHCPv6 gives /128; which network is on the link a route says. Who is behind a router is a stranger all the same."""
    link = own_host.link(ipv4=False)
    link.phone6, link.speaker6, stranger = "2001:db8:0:1::2", "2001:db8:0:1::1", "2001:db8:0:2::2"
    for address in (link.phone6, stranger):
        netns.sh("ip", "-6", "addr", "add", f"{address}/64", "dev", link.phone_interface, "nodad")
    own_host.sh("ip", "-6", "addr", "add", f"{link.speaker6}/128", "dev", link.interface, "nodad")
    network = ["2001:db8:0:1::/64", "dev", link.interface, "metric", "100"]
    own_host.sh("ip", "-6", "route", "add", *network, "proto", "ra")
    own_host.sh("ip", "-6", "route", "add", "2001:db8:0:2::/64", "via", link.phone6)
    begun = time.monotonic()
    subject = launch(own_host)
    location = found(subject, link, begun, link.speaker6)[subject.uuid]
    gets_events(link, link.phone6, location)
    with pytest.raises(OSError):  # closed without a word
        http.get(location, source=(stranger, 0))
    # The network is no longer on the link: whoever is in it comes through a router now.
    own_host.sh("ip", "-6", "route", "add", f"{stranger}/128", "dev", link.interface)
    own_host.sh("ip", "-6", "route", "replace", *network, "via", stranger)
    until(lambda: is_refused(location), 5, "the neighbour to be one no more")


def is_refused(location):
    try:
        http.get(location)
    except OSError:
        return True
    return False


def test_two_links_with_the_same_addresses(own_host, launch):
    """A card and its VLANs, say: all have one address, made of the one address that the card has."""
    one, two = (own_host.link(ipv4=False, ipv6=True) for _ in range(2))
    assert (one.speaker6, one.phone6) == (two.speaker6, two.phone6)
    begun = time.monotonic()
    subject = launch(own_host)
    for link in (one, two):
        location = found(subject, link, begun, link.speaker6)[subject.uuid]
        gets_events(link, link.phone6, location)


def test_an_address_that_is_served_on_one_of_two_links(own_host, launch):
    one, two = (own_host.link(ipv4=False, ipv6=True) for _ in range(2))
    begun = time.monotonic()
    subject = launch(own_host, settings={"network": {"interfaces": [one.interface]}})
    location = found(subject, one, begun, one.speaker6)[subject.uuid]
    assert ask(location, one).status == 200
    with pytest.raises(OSError):  # closed without a word
        ask(location, two)
