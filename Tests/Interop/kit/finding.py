"""Being found: both devices within five seconds, at an address that answers, and that sends events."""

import time
import xml.etree.ElementTree as ET

from . import http, openhome, ssdp
from .gena import Receiver
from .upnp import AVT, DEVICE_NS
from .waiting import PATIENCE, SLOWNESS

#: Seconds after a change in which both devices are found where they can be reached now.
FOUND_WITHIN = 5


def ask(location, link, method="GET", target=None, headers=None):
    """The answer to a request to the device behind LOCATION, sent on this link."""
    address, port, path, netloc = http.split(location)
    address += f"%{link.phone_interface}" if address.startswith("fe80:") else ""
    with http.Connection(address, port, timeout=5 * PATIENCE) as connection:
        connection.send(http.build(method, target or path, {"Host": netloc, **(headers or {})}))
        return connection.receive(method)


def answers(location, uuid, link):
    """Whether the description behind LOCATION can be had and is that of `uuid`."""
    response = ask(location, link)
    return response.status == 200 and f"<UDN>uuid:{uuid}</UDN>" in response.text


def found(subject, link, since, address=None):
    """A search on this link finds both devices, with a LOCATION on `address` (by default the speaker's there) that
    answers, at most five seconds after `since`. The search is repeated each second, as people press a button again."""
    address = address or link.speaker
    ipv6 = ":" in address
    wanted = {subject.uuid, openhome.udn(subject.uuid)}
    place = f"http://[{address}]:" if ipv6 else f"http://{address}:"
    host = f"[FF02::C]:{ssdp.PORT}" if ipv6 else f"{ssdp.GROUP}:{ssdp.PORT}"
    deadline = since + FOUND_WITHIN * SLOWNESS
    locations = {}
    with ssdp.Search(link, ipv6) as search:
        while wanted - locations.keys():
            left = deadline - time.monotonic()
            assert left > 0, f"{wanted - locations.keys()} not found within {FOUND_WITHIN} s"
            try:
                search.send(ssdp.search_request("upnp:rootdevice", host=host))
            except OSError:
                pass  # the phone's own end isn't up yet
            for uuid in wanted - locations.keys():
                try:
                    locations[uuid] = search.wait(uuid, min(1.2, max(left, 0.1)) / PATIENCE)["LOCATION"]
                except AssertionError:
                    pass
    for uuid, location in locations.items():
        assert location.startswith(place), f"found at {location}, should be {place}"
        assert answers(location, uuid, link), f"no description at {location}"
    seconds = time.monotonic() - since
    assert seconds < FOUND_WITHIN * SLOWNESS, f"found and answering only after {seconds:.1f} s"
    return locations


def alive(subject, listener, since, address):
    """Both devices announce themselves there within the time."""
    place = f"http://[{address}]:" if ":" in address else f"http://{address}:"
    for uuid in (subject.uuid, openhome.udn(subject.uuid)):
        message = listener.wait_alive(uuid, timeout=FOUND_WITHIN, location=place)
        assert message.at - since < FOUND_WITHIN * SLOWNESS


def gets_events(link, address, location):
    """A subscriber at `address` of the phone, on this link, gets the initial event of what is behind LOCATION."""
    services = ET.fromstring(ask(location, link).body).iter(f"{DEVICE_NS}service")
    path = next(service.findtext(f"{DEVICE_NS}eventSubURL") for service in services
                if service.findtext(f"{DEVICE_NS}serviceType") == AVT)
    with Receiver(address, interface=link.phone_interface if address.startswith("fe80:") else None) as receiver:
        answer = ask(location, link, "SUBSCRIBE", path, {
            "CALLBACK": f"<{receiver.url()}>", "NT": "upnp:event", "TIMEOUT": "Second-300"})
        assert answer.status == 200
        assert receiver.events.wait(lambda e: e.sid == answer["sid"], 5, "the initial event").seq == 0
