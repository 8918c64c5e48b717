"""When the page's control point runs, what it says when nothing is found, and what follows from servers that come and go."""

import pytest
import requests
from kit.page_api import PageAPI
from kit.waiting import until


@pytest.fixture
def alone(launch, make_host):
    """A speaker that nobody else is with."""
    host = make_host()
    link = host.link()
    subject = launch(host, settings={"network": {"ipv6": False}})
    return subject, link, PageAPI(subject.location(link))


def test_nothing_of_it_is_there_until_somebody_asks(alone):
    subject, link, api = alone
    before, threads = subject.descriptors(), subject.threads()
    for path in ("/player", "/queue", "/radio", "/system"):
        api.get(path)
    until(lambda: subject.descriptors() <= before + 1, 5, "no socket more")
    api.get("/servers")
    during = subject.descriptors()
    assert during > before + 1
    assert subject.threads() == threads


def test_no_server_is_found_and_it_is_said_why(alone):
    _, _, api = alone
    seconds = requests.get(f"{api.base}/api/v1/servers", timeout=10).elapsed.total_seconds()
    assert seconds < 2
    found = api.get("/servers")
    assert found["servers"] == [] and not found["isSearching"]
    assert "Nothing answers on" in found["problem"] and "port 1900" in found["problem"] and "guest" in found["problem"]
