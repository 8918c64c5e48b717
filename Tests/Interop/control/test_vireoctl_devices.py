"""`vireoctl devices --watch` while cables are pulled, devices move, restart, and vanish without a word."""

import json

import pytest
from kit import openhome, ssdp, vireoctl
from kit.vireoctl import INTERRUPTED, Vireoctl
from kit.waiting import until

pytestmark = [pytest.mark.network, pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")]


class Changes:
    """What is told of one device."""

    def __init__(self, watching, udn):
        self._lines = watching.lines
        self.udn = udn.lower()
        self._seen = 0

    def wait(self, *events, timeout=15, **fields):
        """The next of these events, with these fields, behind the last that was waited for."""
        def fits(line):
            change = json.loads(line)
            return (change["udn"].lower() == self.udn and change["event"] in events
                    and all(change[name] == value for name, value in fields.items()))
        line = self._lines.wait(fits, timeout, f"{events} {fields}", self._seen)
        self._seen = self._lines.behind(line)
        return json.loads(line)

    def all(self):
        return [change for change in map(json.loads, self._lines.items) if change["udn"].lower() == self.udn]


@pytest.fixture
def watching(tmp_path):
    """Starts to watch some cables."""
    running = []

    def watch(*links):
        interfaces = [word for link in links for word in ("--interface", link.phone_interface)]
        running.append(Vireoctl(tmp_path, *interfaces).watch("--json", "devices", "--watch"))
        return running[-1]
    yield watch
    for process in running:
        assert process.interrupt() == INTERRUPTED


@pytest.fixture(scope="module")
def silent(street, tmp_path_factory):
    """A device that has gone without a goodbye, and who watches for it. It takes a minute, in which other tests run."""
    server = street.server("Silent", max_age=60)
    with Vireoctl(tmp_path_factory.mktemp("silent"), "--interface", street.link.phone_interface).watch(
            "--json", "devices", "--watch") as watching:
        changes = Changes(watching, server.udn)
        assert changes.wait("appeared")["name"] == "Silent"
        server.close(says_goodbye=False)
        yield changes


def test_a_device_that_says_nothing_stays_for_a_while(silent):
    assert [change["event"] for change in silent.all()] == ["appeared"]


def test_two_cables_of_one_device(launch, own_host, watching):
    """The one by which it is reached is pulled, then the other; then both are back."""
    links = [own_host.link(), own_host.link()]
    renderer = launch(own_host)
    changes = Changes(watching(*links), renderer.uuid)
    openhome.Speaker.of(renderer, links[1])
    first = changes.wait("appeared")["address"]
    used, other = links if first == links[0].speaker else links[::-1]
    used.down()
    changes.wait("updated", address=other.speaker)
    other.down()
    changes.wait("expired")
    other.up()
    changes.wait("appeared", address=other.speaker)
    used.up()


def test_a_device_that_moves(launch, own_host, cable, watching):
    """To another address, as DHCP may give it; it is there once, at the new one."""
    renderer = launch(own_host)
    changes = Changes(watching(cable), renderer.uuid)
    changes.wait("appeared", address=cable.speaker)
    new = cable.speaker.rsplit(".", 1)[0] + ".77"
    cable.remove_address(cable.speaker)
    cable.add_address(new)
    changes.wait("updated", "restarted", "appeared", address=new)
    assert changes.all()[-1]["address"] == new


def test_a_device_that_restarts_without_a_goodbye(launch, own_host, cable, watching):
    renderer = launch(own_host)
    changes = Changes(watching(cable), renderer.uuid)
    changes.wait("appeared")
    with ssdp.Listener(cable.phone_interface) as listener:
        renderer.kill()
        renderer.start()
        changes.wait("restarted")
        mark = listener.messages.mark()
        renderer.terminate()
        listener.wait_byebye(renderer.uuid, since=mark)
        changes.wait("left")


def test_two_devices_with_one_udn(street, watching):
    """The first is shown for as long as it is there; then the second."""
    first = street.server("First", udn="00000000-0000-4000-8000-0000000000AA", boot=100)
    changes = Changes(watching(street.link), first.udn)
    assert changes.wait("appeared")["name"] == "First"
    second = street.server("Second", udn=first.udn.lower(), boot=200)
    # It was asked whether it is still there.
    until(lambda: len(first.requests) >= 2, 10, "a second look at the first")
    for _ in range(3):
        street.announce(second)
        street.announce(first)
    first.close()
    assert changes.wait("updated", "restarted", "appeared", name="Second")["address"] == second.address
    assert {change["name"] for change in changes.all()[:-1]} == {"First"}
    second.close()
    changes.wait("left")


@pytest.mark.slow
@pytest.mark.timeout(250)
def test_a_device_that_said_no_goodbye_expires(silent):
    """After what it was announced for, and a last look."""
    silent.wait("expired", timeout=75)
    assert [change["event"] for change in silent.all()] == ["appeared", "expired"]
