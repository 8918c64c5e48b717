"""Actions, descriptions and events: latency, throughput, fan-out."""

import re
import shutil
import statistics
import subprocess
import time

from client import Calls, Subscribers
from kit import gena, http, upnp
from kit.upnp import AVT, RC
from process import get_bytes


def call_bytes(renderer, service, action, close=False, **arguments):
    """((address, port), the request)"""
    kind = renderer.types[service.split(":")[3]]
    address, port, target, netloc = http.split(renderer.service(service).control)
    headers = {"Host": netloc, "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{kind}#{action}"'}
    if close:
        headers["Connection"] = "close"
    return (address, port), http.build(
        "POST", target, headers, upnp.envelope(kind, action, {"InstanceID": 0, **arguments}))


def latency(bench, folder, milliseconds):
    """Calls on new connections, and on one that is kept (None where the renderer closes it)."""
    renderer = bench.renderer()
    fresh = Calls(folder, *call_bytes(renderer, AVT, "GetTransportInfo", close=True), 1, milliseconds, fresh=True)
    kept = Calls(folder, *call_bytes(renderer, AVT, "GetTransportInfo"), 1, milliseconds)
    return fresh, kept


def throughput(bench, folder, connections, milliseconds, get=False):
    """(calls, µs of the renderer's processor time per call)"""
    if get:
        address, request = get_bytes(bench.location)
        request = request.replace(b"Connection: close\r\n", b"")
    else:
        address, request = call_bytes(bench.renderer(), AVT, "GetTransportInfo")
    before = bench.subject.processor_seconds()
    calls = Calls(folder, address, request, connections, milliseconds)
    # Whole hundredths of a second are what the kernel counts in.
    return calls, (bench.subject.processor_seconds() - before) / calls.calls * 1e6


def forms(volume):
    """How LastChange may write a volume inside of a NOTIFY."""
    return [f"val={quote}{volume}{quote}" for quote in ("&quot;", '"', "&#34;")]


def subscribe(url, subscribers, count):
    """SIDs; fewer than `count` when some are refused."""
    answers = [gena.subscribe(url, subscribers.url(number)) for number in range(count)]
    return [answer["SID"] for answer in answers if answer.status == 200]


def unsubscribe(url, sids):
    for sid in sids:
        try:
            gena.unsubscribe(url, sid)
        except OSError:
            return


def fan_out(bench, folder, count, rounds, ports=1):
    """(ms from SetVolume to the last of `count` subscribers, median; events lost at worst; subscribers refused)"""
    renderer = bench.renderer()
    renderer.set_volume(100)
    times, lost = [], 0
    with Subscribers(folder, bench.link.phone, ports) as subscribers:
        url = renderer.service(RC).event
        sids = subscribe(url, subscribers, count)
        for number in range(rounds):
            time.sleep(0.5)  # so that no moderation of the change before is measured
            address, request = call_bytes(
                renderer, RC, "SetVolume", close=True, Channel="Master", DesiredVolume=10 + number)
            taken, heard, _ = subscribers.fire(address, request, len(sids), 4, forms(10 + number))
            lost = max(lost, len(sids) - heard)
            if heard:
                times.append(taken)
        # A renderer that has lost its subscribers already may also be slow to let them go.
        if not lost:
            unsubscribe(url, sids)
    return (statistics.median(times) if times else None), lost, count - len(sids)


def told_playing(bench, folder, uri, rounds):
    """ms from Play to the NOTIFY that says PLAYING to the one subscriber, median."""
    device = bench.renderer()
    address, play = call_bytes(device, AVT, "Play", close=True, Speed=1)
    playing = [f"TransportState val={quote}PLAYING" for quote in ("&quot;", '"', "&#34;")]
    times = []
    with Subscribers(folder, bench.link.phone) as subscribers:
        url = device.service(AVT).event
        sids = subscribe(url, subscribers, 1)
        for _ in range(rounds):
            device.set_uri(uri)
            time.sleep(0.5)  # so that no moderation of the change before is measured
            taken, heard, _ = subscribers.fire(address, play, 1, 4, playing)
            if not heard:
                raise RuntimeError(f"{bench.name} doesn't tell that it plays")
            times.append(taken)
            device.stop()
            bench.drain.wait_quiet()
        unsubscribe(url, sids)
    return statistics.median(times)


def first_event(bench, folder, rounds):
    """ms from sending SUBSCRIBE to the arrival of the initial event, median."""
    address, port, target, netloc = http.split(bench.renderer().service(RC).event)
    with Subscribers(folder, bench.link.phone) as subscribers:
        subscribe = http.build("SUBSCRIBE", target, {
            "Host": netloc, "CALLBACK": f"<{subscribers.url(0)}>", "NT": "upnp:event", "TIMEOUT": "Second-300",
            "Connection": "close"})
        unsubscribe = f"UNSUBSCRIBE {target} HTTP/1.1\r\nHost: {netloc}\r\nConnection: close\r\nSID: ".encode()
        return subscribers.first((address, port), subscribe, unsubscribe, rounds)


def quick_changes(bench, folder, count=40):
    """Events that one subscriber gets of `count` changes of the volume, one right behind the other."""
    renderer = bench.renderer()
    renderer.set_volume(100)
    with Subscribers(folder, bench.link.phone) as subscribers:
        url = renderer.service(RC).event
        sids = subscribe(url, subscribers, 1)
        time.sleep(0.5)  # the first event's moderation isn't what is measured
        made = [call_bytes(renderer, RC, "SetVolume", close=True, Channel="Master", DesiredVolume=10 + number)
                for number in range(count)]
        messages, last, _ = subscribers.burst(made[0][0], [request for _, request in made], forms(9 + count))
        unsubscribe(url, sids)
    return messages, last
