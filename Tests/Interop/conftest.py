"""Fixtures: a phone (where pytest runs), a speaker on a cable, a renderer on the speaker."""

import os

import pytest
from kit import media_server, netns, ssdp, subject as subjects
from kit.gena import Subscription
from kit.upnp import AVT, RC, Device, Fault


def pytest_configure(config):
    if os.environ.get("VIREO_PRIVATE_NETWORK") != "1":
        raise pytest.UsageError("run these tests with Tests/Interop/run: they need a network of their own")
    subject = subjects.chosen()
    if subject.binary() is None:
        raise pytest.UsageError(f"{subject.name} isn't there; build it, or set VIREOD to its path")


def pytest_report_header(config):
    subject = subjects.chosen()
    return f"subject: {subject.name}, {subject.binary()}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        for subject in _running:
            lines = subject.log.items[-60:]
            if lines:
                report.sections.append((f"log of {subject.name} ({subject.folder.name})", "\n".join(lines)))


#: Every renderer that has been started and not closed.
_running = []


def _launch(host, folder, **options):
    subject = subjects.chosen()(host, folder, **options)
    _running.append(subject)
    return subject


def _retire(subject):
    try:
        subject.terminate()
    finally:
        subject.kill()
        _running.remove(subject)


@pytest.fixture(scope="session")
def host():
    """The speaker's machine that most tests share."""
    host = netns.Host()
    yield host
    host.close()


@pytest.fixture(scope="session")
def link(host):
    return host.link()


@pytest.fixture(scope="session")
def renderer(host, link, tmp_path_factory):
    """The renderer that most tests share, already found. A test that harms it must use `launch`."""
    subject = _launch(host, tmp_path_factory.mktemp("shared"), settings=_file_settings(tmp_path_factory))
    subject.shared_location = subject.location(link)
    yield subject
    _retire(subject)


def _file_settings(factory):
    music = factory.getbasetemp() / "music"
    music.mkdir(exist_ok=True)
    return {"playback": {"directories": [str(music)]}}


@pytest.fixture(scope="session")
def music_folder(tmp_path_factory, renderer):
    """The directory that the shared renderer may read by file: URI."""
    return tmp_path_factory.getbasetemp() / "music"


@pytest.fixture
def device(renderer, link):
    """The shared renderer's description, with the renderer stopped, at full volume and unmuted."""
    device = _fresh(renderer)
    renderer.recording.unlink(missing_ok=True)
    yield device
    if not renderer.is_running():
        status = renderer.process.returncode
        renderer.start()
        renderer.shared_location = renderer.location(link)
        pytest.fail(f"the renderer died in this test (status {status}); it was started again for the next one")
    try:
        device.stop()
    except Fault:
        pass  # nothing was there to stop


def _fresh(renderer):
    device = Device(renderer.shared_location)
    try:
        device.stop()
    except Fault:
        pass
    device.set_volume(100)
    device.rc("SetMute", Channel="Master", DesiredMute=0)
    return device


@pytest.fixture
def events(device, link):
    """A subscription to AVTransport whose initial event has come."""
    with Subscription(device.services[AVT].event, link.phone) as subscription:
        subscription.initial()
        yield subscription


@pytest.fixture
def volume_events(device, link):
    with Subscription(device.services[RC].event, link.phone) as subscription:
        subscription.initial()
        yield subscription


@pytest.fixture
def media(link):
    server = media_server.MediaServer(link.phone)
    yield server
    server.close()


@pytest.fixture
def listener(link):
    with ssdp.Listener(link.phone_interface) as listener:
        yield listener


@pytest.fixture
def launch(tmp_path):
    """Starts renderers of the test's own; they end with it."""
    started = []

    def start(host, folder="renderer", **options):
        subject = _launch(host, tmp_path / folder, **options)
        started.append(subject)
        return subject

    yield start
    for subject in started:
        _retire(subject)


@pytest.fixture
def make_host():
    """Further machines; they vanish with the test."""
    hosts = []

    def make():
        hosts.append(netns.Host())
        return hosts[-1]

    yield make
    for host in hosts:
        host.close()


@pytest.fixture
def own_host(make_host):
    return make_host()
