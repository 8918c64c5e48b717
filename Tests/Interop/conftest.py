"""Fixtures: a phone (where pytest runs), a speaker on a cable, a renderer on the speaker."""

import os

import pytest
from kit import media_server, netns, openhome, ssdp, subject as subjects
from kit.gena import Subscription
from kit.upnp import AVT, RC, Device, Fault


def pytest_configure(config):
    if os.environ.get("VIREO_PRIVATE_NETWORK") != "1":
        raise pytest.UsageError("run these tests with Tests/Interop/run: they need a network of their own")
    if hasattr(config, "workerinput"):
        netns.enter_own()
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
            if subject.process is not None and not subject.is_running():
                lines.append(f"It has ended, with status {subject.process.returncode}.")
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
    assert subject.crash() is None, f"{subject.name} crashed: {subject.crash()}"


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


def _subscribed(device, link, service):
    """A subscription whose initial event has come."""
    with Subscription(device.services[service].event, link.phone) as subscription:
        subscription.initial()
        yield subscription


@pytest.fixture
def events(device, link):
    yield from _subscribed(device, link, AVT)


@pytest.fixture
def volume_events(device, link):
    yield from _subscribed(device, link, RC)


@pytest.fixture(scope="module")
def only_network(link):
    """The cable as a phone has its Wi-Fi: programs that name no interface send their searches there."""
    netns.sh("ip", "route", "replace", "default", "dev", link.phone_interface)
    yield
    netns.sh("ip", "route", "del", "default", "dev", link.phone_interface)


@pytest.fixture
def media(link):
    server = media_server.MediaServer(link.phone)
    yield server
    server.close()


@pytest.fixture(scope="session")
def oh_link():
    """The cable of the renderer that the OpenHome tests share: a machine of its own, so that neither half of the
    suite finds the other's playlist."""
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="session")
def oh_media(oh_link):
    server = media_server.MediaServer(oh_link.phone)
    yield server
    server.close()


@pytest.fixture(scope="session")
def oh_settings(oh_media, tmp_path_factory):
    """Presets on the media server that the tests may put anything behind, and a list of further ones."""
    stations = tmp_path_factory.mktemp("stations") / "more stations.m3u"
    stations.write_text(f"#EXTM3U\n#EXTINF:-1,From a list\n{oh_media.base}/from-list\n", encoding="utf-8")
    return {
        "device": {"room": "Kitchen & Bath"},
        "playlist": {"tracks-max": 2000},
        "radio": {"playlists": [str(stations)], "preset": [
            {"name": "One & only", "url": f"{oh_media.base}/station-1", "image": f"{oh_media.base}/one.png"},
            {"name": "Zwei <2>", "url": f"{oh_media.base}/station-2"}]},
    }


@pytest.fixture(scope="session")
def oh_renderer(oh_link, oh_settings, tmp_path_factory):
    """The renderer that the OpenHome tests share, already found."""
    subject = _launch(oh_link.host, tmp_path_factory.mktemp("openhome"), settings=oh_settings)
    subject.shared_location = openhome.Speaker.of(subject, oh_link).location
    yield subject
    _retire(subject)


@pytest.fixture
def speaker(oh_renderer, oh_link):
    """The shared OpenHome device: awake, stopped, with an empty playlist, at full volume."""
    speaker = openhome.Speaker(oh_renderer.shared_location)
    speaker.fresh()
    oh_renderer.recording.unlink(missing_ok=True)
    yield speaker
    if not oh_renderer.is_running():
        status = oh_renderer.process.returncode
        oh_renderer.start()
        oh_renderer.shared_location = openhome.Speaker.of(oh_renderer, oh_link).location
        pytest.fail(f"the renderer died in this test (status {status}); it was started again for the next one")
    speaker.fresh()


@pytest.fixture
def watch(speaker, oh_link):
    """A control point that is subscribed to all OpenHome services."""
    with openhome.Watch(speaker, oh_link.phone) as watch:
        yield watch


@pytest.fixture
def renderer_beside(speaker, oh_renderer, oh_link):
    """The MediaRenderer on the same speaker."""
    return Device(oh_renderer.location(oh_link))


@pytest.fixture
def events_beside(renderer_beside, oh_link):
    yield from _subscribed(renderer_beside, oh_link, AVT)


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


@pytest.fixture(scope="session")
def launch_for_all(tmp_path_factory):
    """Starts renderers that tests share, already found, on that cable; they end with the session."""
    started = []

    def start(link, folder, **options):
        subject = _launch(link.host, tmp_path_factory.mktemp(folder), **options)
        started.append(subject)
        subject.shared_location = subject.location(link)
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


@pytest.fixture
def cable(own_host):
    return own_host.link()


@pytest.fixture
def served(cable):
    """The phone's media server on that cable."""
    server = media_server.MediaServer(cable.phone)
    yield server
    server.close()
