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
