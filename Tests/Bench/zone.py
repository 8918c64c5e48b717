"""The zone for controllers of the Sonos class, which is off by default: what it costs beside what it is compared with."""

import statistics
import time

import extras
import process
from client import Calls
from kit import http, openhome, upnp
from kit.upnp import Device
from kit.waiting import until
from kit.zone import ask, search
from playlist import Phone
from subjects import Bench

TRACKS = 1_000
ON = {"sonos": {"enabled": True}}


class Caller:
    """Calls of one action on one kept connection; the request is built before they are timed."""

    def __init__(self, device, service, action, **arguments):
        address, port, target, netloc = http.split(device.services[service].control)
        self.address = (address, port)
        self.request = http.build("POST", target, {
            "Host": netloc, "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{service}#{action}"'},
            upnp.envelope(service, action, arguments))
        self.connection = http.Connection(address, port, timeout=60)

    def call(self):
        """(body, ms)"""
        begun = time.perf_counter()
        self.connection.send(self.request)
        response = self.connection.receive()
        seconds = time.perf_counter() - begun
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {response.body[:200]!r}")
        return response.body, seconds * 1000

    def whole(self, rounds, entry):
        """(p50, p99) in ms of answers that have all tracks."""
        times = []
        for _ in range(rounds):
            body, milliseconds = self.call()
            if body.count(entry) != TRACKS:
                raise RuntimeError(f"{body.count(entry)} of {TRACKS} tracks came")
            times.append(milliseconds)
        return percentiles(times)


def percentiles(times):
    return statistics.median(times), sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]


def zone_of(bench):
    """The description of the zone, once it shows itself: it first listens for those of others."""
    until(lambda: ask(bench.link, search(), seconds=1), 20, "the zone answers")
    return Device(f"http://{bench.link.speaker}:1400/xml/device_description.xml")


def kept(folder, device, service, action, milliseconds, **arguments):
    caller = Caller(device, service, action, **arguments)
    caller.connection.close()
    return Calls(folder, caller.address, caller.request, 1, milliseconds)


def lists(bench, rounds):
    """{name: (p50, p99) in ms} of the whole list, as two protocols read it."""
    speaker = openhome.Speaker.of(bench.subject, bench.link)
    Phone(speaker).grow(0, TRACKS)
    ids = " ".join(map(str, speaker.ids()))
    browse = Caller(zone_of(bench), "urn:schemas-upnp-org:service:ContentDirectory:1", "Browse", ObjectID="Q:0",
                    BrowseFlag="BrowseDirectChildren", Filter="*", StartingIndex=0, RequestedCount=0, SortCriteria="")
    read = Caller(speaker, speaker.types["Playlist"], "ReadList", IdList=ids)
    return {f"zone: Browse of {TRACKS:,} tracks": browse.whole(rounds, b"&lt;item "),
            f"beside it ReadList of {TRACKS:,} tracks": read.whole(rounds, b"&lt;Entry&gt;")}


def add_rows(result, failures, kind, folder, quick, say):
    """Measures the renderer of `kind` alone and adds its rows to the table."""
    bench = Bench(kind, folder / "zone")

    def add(label, unit, value, digits=1, target=""):
        result.add(label, unit, {bench.name: value}, digits, target)
    try:
        say("… idle with a zone")
        bench.start()  # finds out what this host can decode; the later starts remember
        process.wait_settled([bench])
        bench.stop()
        values = extras.idle(bench, {"off": {}, "on": ON}, 1 if quick else 3, 10 if quick else 60)
        add("zone on: adds to idle private dirty", "MiB", values["on"][0] - values["off"][0], 2)
        add("zone on: idle wake-ups a minute", "", values["on"][1], 0, "0")
        say("… calls to a zone")
        bench.subject.settings = {table: dict(keys) for table, keys in ON.items()}
        bench.start()
        zone, speaker = zone_of(bench), openhome.Speaker.of(bench.subject, bench.link)
        milliseconds = 700 if quick else 4000
        for name, calls in (
                ("zone: GetZoneGroupState, 1 kept connection",
                 kept(folder, zone, "urn:schemas-upnp-org:service:ZoneGroupTopology:1", "GetZoneGroupState", milliseconds)),
                ("beside it SourceXml of Product", kept(folder, speaker, speaker.types["Product"], "SourceXml", milliseconds))):
            add(f"{name}, p50", "ms", calls.p50, 3)
            add(f"{name}, p99", "ms", calls.p99, 3)
        for name, (p50, p99) in lists(bench, 20 if quick else 200).items():
            add(f"{name}, p50", "ms", p50)
            add(f"{name}, p99", "ms", p99)
    except Exception as error:  # the other figures count all the same
        failures.append(f"the zone of {bench.name}: {error!r}")
    finally:
        bench.close()
