"""Fixtures of what control points find: media servers, and other renderers."""

import pytest
from kit import netns, odd_server
from kit.media_fixtures import gmediarender, libraries, library, other_renderers, rygel, shelf  # noqa: F401


@pytest.fixture(scope="module")
def street():
    """A host for media servers that are odd."""
    host = netns.Host()
    street = odd_server.Street(host, host.link())
    yield street
    street.close()
    host.close()


@pytest.fixture
def row(make_host):
    """Cables to two hosts that are in one network with each other and with the phone: 10.66.0.1 here, .11 and .12 there."""
    netns.sh("ip", "link", "add", "row", "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
    netns.sh("ip", "link", "set", "row", "addrgenmode", "none")
    netns.sh("ip", "addr", "add", "10.66.0.1/24", "dev", "row")
    netns.sh("ip", "link", "set", "row", "up")
    links = [make_host().link(ipv4=False) for _ in range(2)]
    for number, link in enumerate(links):
        netns.sh("ip", "link", "set", link.phone_interface, "master", "row")
        link.phone_interface, link.phone, link.speaker = "row", "10.66.0.1", f"10.66.0.{11 + number}"
        link.add_address(link.speaker)
    yield links
    netns.sh("ip", "link", "del", "row", check=False)
