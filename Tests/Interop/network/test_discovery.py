"""Being found: announcements and searches on one network."""

import asyncio
import random
import re
import signal
import subprocess
import time

import pytest
from kit import http, memory, ssdp
from kit.upnp import Device
from kit.waiting import PATIENCE, SLOWNESS, Stopwatch


def expected_set(uuid):
    """(NT, USN) of a MediaRenderer:1 with its three services."""
    udn = f"uuid:{uuid}"
    types = [ssdp.RENDERER, ssdp.AVTRANSPORT, ssdp.RENDERINGCONTROL, ssdp.CONNECTIONMANAGER]
    return {("upnp:rootdevice", f"{udn}::upnp:rootdevice"), (udn, udn)} | {(t, f"{udn}::{t}") for t in types}


@pytest.fixture
def search(link):
    with ssdp.Search(link) as search:
        yield search


def test_first_words_are_byebye_then_alive(own_host, launch):
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(own_host)
        listener.wait_alive(subject.uuid)
        mine = [m for m in listener.messages.items if m.of(subject.uuid)]
        assert mine[0].is_byebye, "what an earlier life announced is taken back first"


def test_alive_set_is_complete_and_repeated(own_host, launch):
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(own_host)
        wanted = expected_set(subject.uuid)
        for nt, usn in wanted:
            listener.messages.wait_count(
                2, lambda m: m.is_alive and (m["NT"], m["USN"]) == (nt, usn), 10, f"alive of {nt}")
        alive = [m for m in listener.messages.items if m.is_alive and m.of(subject.uuid)]
        assert {(m["NT"], m["USN"]) for m in alive} == wanted
        for message in alive:
            assert message.start == "NOTIFY * HTTP/1.1"
            assert message["HOST"] == "239.255.255.250:1900"
            assert int(re.fullmatch(r"max-age\s*=\s*(\d+)", message["CACHE-CONTROL"])[1]) >= 1800
            assert re.fullmatch(r"\S+/\S+ UPnP/(1\.0|1\.1|2\.0) \S+/\S+", message["SERVER"])
            assert message["LOCATION"].startswith(f"http://{link.speaker}:")
            assert message.raw.endswith(b"\r\n\r\n")
        assert len({m["BOOTID.UPNP.ORG"] for m in alive}) == 1
        assert len({m["CONFIGID.UPNP.ORG"] for m in alive}) == 1
        assert 0 <= int(alive[0]["BOOTID.UPNP.ORG"]) < 2**31
        assert 0 <= int(alive[0]["CONFIGID.UPNP.ORG"]) < 2**24


def test_byebye_of_everything_on_sigterm(own_host, launch):
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(own_host)
        boot = listener.wait_alive(subject.uuid)["BOOTID.UPNP.ORG"]
        listener.wait_alive(subject.uuid, nt=ssdp.CONNECTIONMANAGER)
        mark = listener.messages.mark()
        subject.signal(signal.SIGTERM)
        for nt, usn in expected_set(subject.uuid):
            message = listener.messages.wait(
                lambda m: m.is_byebye and (m["NT"], m["USN"]) == (nt, usn), 5, f"byebye of {nt}", mark)
            assert message["BOOTID.UPNP.ORG"] == boot
        assert subject.wait_exit() == 0
        last = listener.messages.items[-1]
        assert not last.is_alive, "nothing is announced after the farewell"


def test_search_for_all_lists_the_whole_set(renderer, search):
    search.send(ssdp.search_request("ssdp:all"))
    for nt, usn in expected_set(renderer.uuid):
        answer = search.messages.wait(lambda m: (m["ST"], m["USN"]) == (nt, usn), 6, f"answer with {nt}")
        assert answer.start == "HTTP/1.1 200 OK"
        assert "EXT" in answer.headers
        assert answer["CACHE-CONTROL"] and answer["SERVER"] and answer["LOCATION"] == renderer.shared_location
    found = [(m["ST"], m["USN"]) for m in search.messages.items if m.of(renderer.uuid)]
    assert set(found) == expected_set(renderer.uuid)


@pytest.mark.parametrize("target", [
    "upnp:rootdevice", "uuid", ssdp.RENDERER, ssdp.AVTRANSPORT, ssdp.RENDERINGCONTROL, ssdp.CONNECTIONMANAGER])
def test_search_for_one_thing(renderer, search, target):
    target = f"uuid:{renderer.uuid}" if target == "uuid" else target
    search.send(ssdp.search_request(target))
    answer = search.wait(renderer.uuid, target=target)
    assert answer["USN"] == (target if target.startswith("uuid:") else f"uuid:{renderer.uuid}::{target}")


def silent_about(search, renderer, *requests, address=None):
    """Sends the requests, then a proper search; the renderer answers only that one."""
    for data in requests:
        search.send(data, address)
    search.send(ssdp.search_request("upnp:rootdevice"))
    search.wait(renderer.uuid, target="upnp:rootdevice")
    time.sleep(1.2)  # the longest that an answer to a search with MX 1 may take
    others = [m for m in search.messages.items if m.of(renderer.uuid) and m["ST"] != "upnp:rootdevice"]
    assert not others, f"answered: {others[0]}"


def test_silence_about_what_it_is_not(renderer, search):
    version2 = ssdp.RENDERER[:-1] + "2"
    silent_about(
        search, renderer,
        ssdp.search_request(version2),
        ssdp.search_request("urn:schemas-upnp-org:device:MediaServer:1"),
        ssdp.search_request(f"uuid:{renderer.uuid[:-1]}"),
        ssdp.search_request("urn:schemas-upnp-org:service:AVTransport:99999999999999999999"),
        ssdp.search_request("anything else"))


def test_silence_about_what_is_no_search(renderer, search):
    wanted = ssdp.RENDERER
    silent_about(
        search, renderer,
        ssdp.search_request(wanted).replace(b"M-SEARCH *", b"M-SEARCH /x"),
        ssdp.search_request(wanted).replace(b"M-SEARCH", b"SEARCH"),
        ssdp.search_request(wanted, man='"ssdp:other"'),
        ssdp.search_request(None, extra=("NT: x",)),
        b"", b"\r\n\r\n", b"\0" * 1400, bytes(range(256)) * 5, b"M-SEARCH" * 180)


@pytest.mark.parametrize("shape", [
    "bare LF", "no blank line", "no MX", "MX 0", "MX not a number", "unquoted MAN", "no HOST", "wrong HOST",
    "lower case", "spaces"])
def test_odd_searches_are_answered(renderer, search, shape):
    """As real control points send them: leniency is the safer choice."""
    target = ssdp.RENDERER
    request = {
        "bare LF": ssdp.search_request(target, end="\n"),
        "no blank line": ssdp.search_request(target)[:-2],
        "no MX": ssdp.search_request(target, mx=None),
        "MX 0": ssdp.search_request(target, mx="0"),
        "MX not a number": ssdp.search_request(target, mx="abc"),
        "unquoted MAN": ssdp.search_request(target, man="ssdp:discover"),
        "no HOST": ssdp.search_request(target, host=None),
        "wrong HOST": ssdp.search_request(target, host="localhost:1900"),
        "lower case": ssdp.search_request(target).replace(b"HOST", b"host").replace(b"ST:", b"st:")
                          .replace(b"MAN", b"man").replace(b"MX", b"mx"),
        "spaces": ssdp.search_request(target).replace(b": ", b":   ").replace(b"\r\n", b"  \r\n", 3),
    }[shape]
    search.send(request)
    search.wait(renderer.uuid, target=target)


def test_large_mx_is_capped(renderer, search):
    search.send(ssdp.search_request(ssdp.RENDERER, mx="120"))
    search.wait(renderer.uuid, timeout=6.5, target=ssdp.RENDERER)


def test_unicast_search_is_answered_at_once(renderer, search, link):
    search.send(ssdp.search_request("upnp:rootdevice"))
    port = int(search.wait(renderer.uuid, target="upnp:rootdevice")["SEARCHPORT.UPNP.ORG"] or 1900)
    for _ in range(8):  # an answer that is put off, as those to multicast searches are, is early now and then
        mark, watch = search.messages.mark(), Stopwatch(renderer.pid)
        search.send(ssdp.search_request(ssdp.RENDERER, mx=None, host=f"{link.speaker}:{port}"), link.speaker, port)
        search.wait(renderer.uuid, target=ssdp.RENDERER, since=mark)
        assert watch.seconds < 0.2 * SLOWNESS


def test_answers_come_from_the_speakers_own_address_to_the_asking_port(renderer, search, link):
    search.send(ssdp.search_request(ssdp.RENDERER))
    assert search.wait(renderer.uuid, target=ssdp.RENDERER).source[0] == link.speaker


def test_a_flood_of_searches_is_bounded_and_survived(renderer, link):
    before = memory.anonymous(renderer.pid)
    begun = time.monotonic()
    with ssdp.Search(link) as flood:
        targets = ("upnp:rootdevice", f"uuid:{renderer.uuid}", ssdp.RENDERER, ssdp.AVTRANSPORT, ssdp.CONNECTIONMANAGER)
        for _ in range(600):
            for target in targets:
                flood.send(ssdp.search_request("ssdp:all", mx="5"))
                # None of these waits for its answer, so each next one is new.
                flood.send(ssdp.search_request(target, mx=None, host=link.speaker), link.speaker)
            time.sleep(0.001)  # more at once would be lost in the renderer's buffer, and never come to any limit

        def assert_bounded():
            answers = [m for m in flood.messages.items if m.of(renderer.uuid)]
            seconds = time.monotonic() - begun
            assert len(answers) <= 200 + 40 * seconds, f"in {seconds:.1f} s; a flood must not be multiplied by six"
        assert_bounded()
        with ssdp.Search(link) as search:
            # The flood may use up what is answered per second; a control point asks again.
            deadline = time.monotonic() + 15 * PATIENCE
            while True:
                search.send(ssdp.search_request(f"uuid:{renderer.uuid}"))
                try:
                    search.wait(renderer.uuid, timeout=1.5)
                    break
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise
        assert_bounded()
    assert memory.anonymous(renderer.pid) - before < 8192
    assert http.get(renderer.shared_location).status == 200


def test_gssdp_discover_finds_it(renderer, link):
    seen = ""
    # It would look on for the rest of the time.
    with subprocess.Popen(
            ["stdbuf", "-oL", "gssdp-discover", "-i", link.phone_interface, "-t", ssdp.RENDERER, "-n", "40", "-m", "available"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as search:
        for line in search.stdout:
            seen += line
            if renderer.shared_location in seen:
                search.kill()
    assert renderer.shared_location in seen, seen
    assert f"uuid:{renderer.uuid}::{ssdp.RENDERER}" in seen


def test_gssdp_discover_hears_it_come_and_go(own_host, launch):
    link = own_host.link()
    watcher = subprocess.Popen(
        ["stdbuf", "-oL", "gssdp-discover", "-i", link.phone_interface, "-t", ssdp.RENDERER, "-n", "40", "-r", "60", "-m", "all"],
        stdout=subprocess.PIPE, text=True)
    try:
        subject = launch(own_host)
        seen = ""
        for line in watcher.stdout:
            seen += line
            if "resource available" in line and subject.is_running():
                subject.signal(signal.SIGTERM)
            if "resource unavailable" in line:
                break
        assert "resource available" in seen and "resource unavailable" in seen, seen
    finally:
        watcher.kill()
        watcher.wait()


async def test_async_upnp_client_search(renderer, link):
    from async_upnp_client.search import async_search
    found = []

    async def seen(headers):
        found.append(headers)

    mine = []
    for _ in range(3):
        # It stops listening when the time that it has given is over: an answer of the last moment may come too late.
        await async_search(seen, timeout=3, search_target=ssdp.RENDERER, source=(link.phone, 0))
        mine = [headers for headers in found if headers["_udn"] == f"uuid:{renderer.uuid}"]
        if mine:
            break
    assert mine and mine[0]["location"] == renderer.shared_location


async def test_async_upnp_client_listener_hears_it_come_and_go(own_host, launch):
    from async_upnp_client.const import SsdpSource
    from async_upnp_client.ssdp_listener import SsdpListener
    link = own_host.link()
    told = asyncio.Queue()

    async def callback(device, device_type, source):
        told.put_nowait((device.udn, device_type, source, device.location))

    listener = SsdpListener(async_callback=callback, source=(link.phone, 0))
    await listener.async_start()
    try:
        subject = launch(own_host)

        async def wait(source):
            while True:
                udn, kind, what, location = await told.get()
                # The first byebye removes the whole device, whichever of its types it names.
                gone = source == SsdpSource.ADVERTISEMENT_BYEBYE
                if udn == f"uuid:{subject.uuid}" and what == source and (gone or kind == ssdp.RENDERER):
                    return location

        location = await asyncio.wait_for(wait(SsdpSource.ADVERTISEMENT_ALIVE), 10 * PATIENCE)
        assert location.startswith(f"http://{link.speaker}:")
        subject.signal(signal.SIGTERM)
        await asyncio.wait_for(wait(SsdpSource.ADVERTISEMENT_BYEBYE), 10 * PATIENCE)
    finally:
        await listener.async_stop()


def test_two_searchers_with_the_same_wish_are_both_answered(renderer, link):
    with ssdp.Search(link) as one, ssdp.Search(link) as two:
        for search in random.sample([one, two], 2):
            search.send(ssdp.search_request(ssdp.RENDERER))
        assert one.wait(renderer.uuid) and two.wait(renderer.uuid)


def test_description_is_the_one_that_was_announced(renderer):
    assert Device(renderer.shared_location).udn == f"uuid:{renderer.uuid}"
