"""HTTPS: what a server with a good certificate sends is heard exactly; of any other the log says what is wrong with it."""

import pytest
from kit import compare, sound
from kit.media_server import MediaServer
from kit.subject import wait_recording
from kit.tls import Authority
from kit.upnp import AVT
from kit.waiting import until

NOISE = sound.noise(3, seed=70)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"), "trusted")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"), "stranger")


@pytest.fixture
def renderer(launch, own_host, authority):
    """A renderer whose host trusts `authority` and nobody else."""
    own_host.link()
    return launch(own_host, authorities=authority.certificate)


@pytest.fixture
def link(renderer, own_host):
    return own_host.links[0]


@pytest.fixture
def device(renderer, link):
    return renderer.device(link)


@pytest.fixture
def serve(link):
    servers = []

    def start(tls=None):
        servers.append(MediaServer(link.phone, tls))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def is_exact(device, renderer, uri):
    device.set_uri(uri, "")
    device.play()
    until(lambda: device.state() == "STOPPED", 15, "the end")
    assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "OK"
    compare.assert_identical(wait_recording(renderer).samples, sound.scale(NOISE, 16))


def test_sound_over_https_is_exact(device, renderer, link, serve, authority):
    server = serve(authority.context(link.phone))
    is_exact(device, renderer, server.add("/a.flac", sound.flac(NOISE), "audio/flac"))


def test_redirects_lead_from_http_to_https_and_back(device, renderer, link, serve, authority):
    plain, secure = serve(), serve(authority.context(link.phone))
    for first, second in ((plain, secure), (secure, plain)):
        target = second.add("/a.wav", sound.wav(NOISE), "audio/wav")
        is_exact(device, renderer, first.redirect("/moved", target))
        renderer.recording.unlink()


@pytest.mark.parametrize("way", ["at once", "redirected"])
@pytest.mark.parametrize("fault", ["isn't trusted", "has expired", "is made out to another name"])
def test_what_is_wrong_with_a_certificate_is_told(device, renderer, link, serve, authority, stranger, fault, way):
    context = {
        "isn't trusted": lambda: stranger.context(link.phone),
        "has expired": lambda: authority.context(link.phone, at="2020-01-01 00:00:00"),
        "is made out to another name": lambda: authority.context("192.0.2.1"),
    }[fault]()
    server = serve(context)
    uri = server.add("/a.wav", sound.wav(NOISE), "audio/wav")
    if way == "redirected":
        uri = serve().redirect("/moved", uri)
    mark = renderer.log.mark()
    device.set_uri(uri, "")
    assert device.fault(AVT, "Play", InstanceID=0, Speed=1) in ({}, 716)
    until(lambda: device.state() == "STOPPED", 15, "the end")
    assert device.avt("GetTransportInfo")["CurrentTransportStatus"] == "ERROR_OCCURRED"
    told = [line for line in renderer.log.since(mark) if "can't prove who it is" in line]
    assert told and all(fault in line for line in told), renderer.log.since(mark)
    others = {"isn't trusted", "has expired", "another name"} - {fault, "another name" if "name" in fault else ""}
    assert not any(other in told[0] for other in others)
    assert not server.requests.items, "it was asked for something all the same"
