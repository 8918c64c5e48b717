"""Networks that come, go, change and differ: both devices are found within five seconds, at an address that answers."""

import shutil
import socket
import subprocess
import time

import pytest
from kit import http, netns, ssdp
from kit.finding import alive, found, gets_events
from kit.upnp import Device
from kit.waiting import PATIENCE

pytestmark = pytest.mark.network

#: Of <netinet/in.h>; Python has no name for it.
IP_RECVTTL = 12

# How long a link is away, in seconds: the kernel itself tells of a lost carrier only after up to one, and an absence
# that nobody noticed changes nothing. One test below is about a whole minute; in between there is nothing more to happen.
ABSENCE = 2


def check(location, subject, address):
    assert location.startswith(f"http://{address}:"), location
    device = Device(location)
    assert device.udn == f"uuid:{subject.uuid}"
    return device


def is_ready(subject):
    """Waits until the process has said anything, so that what comes next really comes later."""
    subject.log.wait(lambda line: True, 10, "a first line of the log")
    assert subject.is_running()


def test_each_of_two_networks_gets_its_own_address(own_host, launch):
    one, two = own_host.link(), own_host.link()
    with ssdp.Listener(one.phone_interface) as first, ssdp.Listener(two.phone_interface) as second:
        begun = time.monotonic()
        subject = launch(own_host)
        for listener, link in ((first, one), (second, two)):
            found(subject, link, begun)
            alive(subject, listener, begun, link.speaker)
            wrong = [m for m in listener.messages.items
                     if m.is_alive and not m["LOCATION"].startswith(f"http://{link.speaker}:")]
            assert not wrong, f"{wrong[0]} was announced where it can't be reached"


def test_only_named_interfaces_are_used(own_host, launch):
    one, two = own_host.link(), own_host.link()
    with ssdp.Listener(two.phone_interface) as listener, ssdp.Search(two) as search:
        subject = launch(own_host, settings={"network": {"interfaces": [one.interface]}})
        check(subject.location(one), subject, one.speaker)
        search.send(ssdp.search_request(ssdp.RENDERER))
        location = subject.location(one)
        check(location, subject, one.speaker)
        assert not [m for m in search.messages.items + listener.messages.items if m.of(subject.uuid)]
        with pytest.raises(OSError):  # closed without a word
            http.get(location.replace(one.speaker, two.speaker), timeout=5)


def test_every_address_is_served_and_one_is_announced(own_host, launch):
    """A name of the host may lead to any of its addresses in a network; the network hears of one."""
    link = own_host.link()
    other = f"10.77.{link.number}.50"
    link.add_address(other)
    with ssdp.Listener(link.phone_interface) as listener:
        begun = time.monotonic()
        subject = launch(own_host)
        found(subject, link, begun)
        alive(subject, listener, begun, link.speaker)
        assert not [m for m in listener.messages.items if m.is_alive and other + ":" in m["LOCATION"]]
        check(subject.location(link).replace(link.speaker, other), subject, other)


def test_started_before_any_interface_exists(own_host, launch):
    subject = launch(own_host)
    is_ready(subject)
    begun = time.monotonic()
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        found(subject, link, begun)
        # The first copy may have left before anybody listened; the second one follows soon.
        alive(subject, listener, begun, link.speaker)


def test_address_that_comes_after_the_start(own_host, launch):
    """The interface is there and up, DHCP takes its time."""
    link = own_host.link(ipv4=False)
    netns.sh("ip", "addr", "add", f"{link.phone}/24", "dev", link.phone_interface)
    subject = launch(own_host)
    is_ready(subject)
    with ssdp.Listener(link.phone_interface) as listener:
        begun = time.monotonic()
        link.add_address(link.speaker)
        alive(subject, listener, begun, link.speaker)
        found(subject, link, begun)


def test_address_changes(own_host, launch):
    link = own_host.link()
    begun = time.monotonic()
    subject = launch(own_host)
    found(subject, link, begun)
    new = f"10.77.{link.number}.50"
    with ssdp.Listener(link.phone_interface) as listener:
        # In this order: with its first address a network's further ones go too.
        link.remove_address(link.speaker)
        begun = time.monotonic()
        link.add_address(new)
        mark = listener.messages.mark()
        alive(subject, listener, begun, new)
        found(subject, link, begun, new)
        assert not [m for m in listener.messages.since(mark) if m.is_alive and link.speaker + ":" in m["LOCATION"]]


def leave_and_return(link, how, seconds):
    """Returns when it came back, and the link, which may be another one then."""
    if how == "down and up":
        link.down()
        time.sleep(seconds)  # the absence itself
        begun = time.monotonic()
        link.up()
    elif how == "cable pulled":
        link.unplug()
        time.sleep(seconds)
        begun = time.monotonic()
        link.plug()
    else:
        host = link.host
        link.close()
        time.sleep(seconds)
        begun = time.monotonic()
        link = host.link()
    return begun, link


@pytest.mark.parametrize("how", ["down and up", "cable pulled", "taken out"])
def test_link_goes_and_comes_back(own_host, launch, how):
    link = own_host.link()
    subject = launch(own_host)
    found(subject, link, time.monotonic())
    begun, link = leave_and_return(link, how, ABSENCE)
    with ssdp.Listener(link.phone_interface) as listener:
        found(subject, link, begun)
        alive(subject, listener, begun, link.speaker)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_link_is_away_for_a_minute(own_host, launch):
    link = own_host.link()
    subject = launch(own_host)
    found(subject, link, time.monotonic())
    begun, link = leave_and_return(link, "cable pulled", 60)
    with ssdp.Listener(link.phone_interface) as listener:
        found(subject, link, begun)
        alive(subject, listener, begun, link.speaker)
    assert not [line for line in subject.log.items if " error" in line.lower()[:40]]


def test_link_that_only_blinks(own_host, launch):
    """Away for some milliseconds. That isn't told anew, as nobody forgets a device so soon; but nothing may be lost."""
    link = own_host.link()
    subject = launch(own_host)
    found(subject, link, time.monotonic())
    begun = time.monotonic()
    # As one command each, since starting a program takes longer than the link is to be away.
    own_host.sh("sh", "-c", f"ip -batch - <<'END'\nlink set {link.interface} down\nlink set {link.interface} up\nEND")
    found(subject, link, begun)
    begun = time.monotonic()
    own_host.sh("sh", "-c", f"ip -batch - <<'END'\naddr del {link.speaker}/24 dev {link.interface}\n"
                f"addr add {link.speaker}/24 dev {link.interface}\nEND")
    found(subject, link, begun)


def test_one_of_two_networks_goes(own_host, launch):
    one, two = own_host.link(), own_host.link()
    subject = launch(own_host)
    found(subject, one, time.monotonic())
    found(subject, two, time.monotonic())
    begun = time.monotonic()
    one.down()
    found(subject, two, begun)
    begun = time.monotonic()
    one.up()
    found(subject, one, begun)
    found(subject, two, begun)


def test_a_second_vireo_on_the_same_host(own_host, launch):
    link = own_host.link()
    begun = time.monotonic()
    one = launch(own_host, folder="one", friendly_name="One")
    first = found(one, link, begun)
    begun = time.monotonic()
    two = launch(own_host, folder="two", friendly_name="Two")
    second = found(two, link, begun)
    assert found(one, link, begun) == first
    begun = time.monotonic()
    one.terminate()
    assert found(two, link, begun) == second


def other_program(name, host, link):
    """A UPnP program that nobody here wrote, on the speaker's machine; skips where it isn't installed."""
    if shutil.which(name) is None:
        pytest.fail(f"{name} isn't installed")
    command = {
        # Listens on port 1900, as every program with GSSDP in it does.
        "gssdp-discover": ["gssdp-discover", "-i", link.interface, "--message-type=available"],
        "gmediarender": ["gmediarender", "-I", link.interface, "-u", "6b4f3e2c-0000-4000-8000-00000000beef",
                         "-f", "Somebody else", "--logfile=/dev/null"],
    }[name]
    if name == "gmediarender":  # libupnp announces by the route alone
        host.sh("ip", "route", "replace", "224.0.0.0/4", "dev", link.interface)
    process = subprocess.Popen(host.wrap(*command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL)
    # There when it has the port.
    deadline = time.monotonic() + 10 * PATIENCE
    while ":1900 " not in host.sh("ss", "-lunp"):
        assert process.poll() is None and time.monotonic() < deadline, f"{name} doesn't open port 1900"
        time.sleep(0.05)
    return process


@pytest.mark.parametrize("program", ["gssdp-discover", "gmediarender"])
def test_another_upnp_program_on_the_same_host(own_host, launch, program):
    link = own_host.link()
    process = other_program(program, own_host, link)
    try:
        begun = time.monotonic()
        subject = launch(own_host)
        found(subject, link, begun)
        if program == "gmediarender":
            assert ssdp.find(link, "6b4f3e2c-0000-4000-8000-00000000beef"), "the other one is still found"
        # And when the other one goes.
        process.kill()
        process.wait(10)
        found(subject, link, time.monotonic())
    finally:
        process.kill()
        process.wait(10)


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


@pytest.mark.parametrize("ipv6", [False, True], ids=["IPv4", "IPv6"])
def test_announcements_cross_so_many_routers_and_no_more(own_host, launch, ipv6):
    link = own_host.link(ipv4=not ipv6, ipv6=ipv6)
    with ssdp.Listener(link.phone_interface, ipv6=ipv6) as listener:
        if ipv6:
            listener.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
        else:
            listener.socket.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
        for ttl in (None, 5):
            subject = launch(own_host, folder=f"ttl-{ttl}", settings={"network": {"ttl": ttl}})
            mark = listener.messages.mark()
            listener.wait_alive(subject.uuid, since=mark)
            subject.terminate()
            seen = {message.hops for message in listener.messages.since(mark) if message.of(subject.uuid)}
            assert seen == {ttl or 2}


def test_ipv6_only(own_host, launch):
    link = own_host.link(ipv4=False, ipv6=True)
    with ssdp.Listener(link.phone_interface, ipv6=True) as listener:
        begun = time.monotonic()
        subject = launch(own_host)
        # Bracketed, and without a scope.
        alive(subject, listener, begun, link.speaker6)
        locations = found(subject, link, begun, link.speaker6)
        for uuid, location in locations.items():
            message = listener.wait_alive(uuid)
            assert message["LOCATION"] == location
            assert message["HOST"].upper() == "[FF02::C]:1900"
    # And when the network has gone and comes back.
    own_host.sh("ip", "-6", "addr", "del", f"{link.speaker6}/64", "dev", link.interface)
    subject.log.wait(lambda line: "no longer announcing" in line, 10, "the loss of the address")
    begun = time.monotonic()
    own_host.sh("ip", "-6", "addr", "add", f"{link.speaker6}/64", "dev", link.interface, "nodad")
    found(subject, link, begun, link.speaker6)


def test_ipv6_events(own_host, launch):
    link = own_host.link(ipv4=False, ipv6=True)
    subject = launch(own_host)
    gets_events(link, link.phone6, subject.location(link, ipv6=True))


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
