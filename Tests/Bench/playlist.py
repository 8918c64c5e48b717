"""The playlist that the renderer owns (OpenHome): what an insert costs, in time, memory and bytes written."""

import statistics
import time

import process
from kit import http, openhome, upnp
from subjects import Bench

SIZES = (10, 1_000, 10_000)
SETTINGS = {"playlist": {"tracks-max": 16_384}}


def metadata(number):
    """As much as media servers send for a track."""
    uri = f"http://192.0.2.10:8200/MediaItems/{number}.flac"
    return uri, upnp.didl(f"The title of track {number} & more", uri, "audio/flac", "0:04:31.200",
                          "An artist of a usual name", "An album, with a subtitle (Deluxe Edition)")


class Phone:
    """A control point on one kept connection; its requests are built before they are timed."""

    def __init__(self, speaker):
        self.kind = speaker.types["Playlist"]
        address, port, self.target, self.netloc = http.split(speaker.services[self.kind].control)
        self.connection = http.Connection(address, port, timeout=60)
        self.made = 0
        self.last = 0

    def request(self, action, **arguments):
        return http.build("POST", self.target, {
            "Host": self.netloc, "Content-Type": 'text/xml; charset="utf-8"',
            "SOAPACTION": f'"{self.kind}#{action}"'}, upnp.envelope(self.kind, action, arguments))

    def call(self, request):
        """(body, ms)"""
        begun = time.perf_counter()
        self.connection.send(request)
        response = self.connection.receive()
        seconds = time.perf_counter() - begun
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {response.body[:200]!r}")
        return response.body, seconds * 1000

    def insert(self):
        """Behind the last track; ms."""
        self.made += 1
        uri, text = metadata(self.made)
        body, milliseconds = self.call(self.request("Insert", AfterId=self.last, Uri=uri, Metadata=text))
        self.last = int(body.split(b"<NewId>")[1].split(b"<")[0])
        return milliseconds

    def grow(self, count, size):
        """From `count` to `size` tracks."""
        for _ in range(size - count):
            self.insert()

    def read_list(self, ids):
        body, milliseconds = self.call(self.request("ReadList", IdList=" ".join(map(str, ids))))
        if body.count(b"&lt;Entry&gt;") != len(ids):
            raise RuntimeError(f"{body.count(b'&lt;Entry&gt;')} of {len(ids)} tracks came")
        return milliseconds

    def delete_all(self):
        self.call(self.request("DeleteAll"))
        self.last = 0


def written(bench):
    """Bytes that the process has had written to the disk so far."""
    with open(f"/proc/{bench.subject.pid}/io") as file:
        return int(dict(line.split(": ") for line in file)["write_bytes"])


def saved(bench, timeout=20):
    """`written`, once nothing has been written for two seconds."""
    seen, since = written(bench), time.monotonic()
    deadline = time.monotonic() + timeout
    while time.monotonic() - since < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
        if (now := written(bench)) != seen:
            seen, since = now, time.monotonic()
    return seen


def dirty(bench):
    return bench.subject.memory()["Private_Dirty"] / 1024


def lowest(bench, seconds=8):
    """The least memory within some seconds: what is given back late counts as given back."""
    least, end = dirty(bench), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.5)
        least = min(least, dirty(bench))
    return least


def growth(bench, quick):
    """Figures by name, of one playlist that grows from nothing to 10,000 tracks, is emptied, and is there once more
    after a restart."""
    bench.subject.settings = SETTINGS
    bench.start()
    speaker = openhome.Speaker.of(bench.subject, bench.link)
    phone = Phone(speaker)
    rounds = 100 if quick else 400
    figures = {"insert": {}, "memory": {}, "written": {}}
    phone.grow(0, SIZES[0])
    saved(bench)
    idle, count = dirty(bench), SIZES[0]
    for size in SIZES:
        phone.grow(count, size)
        count = size
        before = saved(bench)
        figures["memory"][size] = dirty(bench) - idle
        figures["insert"][size] = statistics.median(phone.insert() for _ in range(rounds))
        count += rounds
        bytes_written = saved(bench) - before
        figures["written"][size] = bytes_written / rounds / 1024 if bytes_written else None
        if size == 1_000:
            ids = speaker.ids()[:1_000]
            figures["read"] = statistics.median(phone.read_list(ids) for _ in range(5 if quick else 20))
    before, lone = saved(bench), 3 if quick else 8
    for _ in range(lone):
        phone.insert()
        time.sleep(1.5)  # so that each is saved by itself
    bytes_written = saved(bench) - before
    figures["alone"] = bytes_written / lone / 1024 if bytes_written else None
    phone.delete_all()
    saved(bench)
    figures["left"] = max(0.0, lowest(bench) - idle)
    phone.grow(0, SIZES[-1])
    saved(bench)
    figures["restart"] = restart(bench)
    figures["loaded"] = lowest(bench, 3) - idle
    bench.stop()
    return figures


def restart(bench):
    """ms from the launch to the first answer of the description, with the playlist saved."""
    address, request = process.get_bytes(bench.location)
    bench.stop()
    begun = time.monotonic()
    bench.subject.start()
    return process.wait_answer(address, request, begun)


def idle(bench, rounds):
    """{with OpenHome or not: (PSS, private dirty)} in MiB when idle, medians of several starts in turn."""
    values = {False: [], True: []}
    for _ in range(rounds):
        for enabled, seen in values.items():
            bench.subject.settings = {"openhome": {"enabled": enabled}}
            bench.start()
            process.wait_settled([bench])
            memory = bench.subject.memory()
            seen.append((memory["Pss"] / 1024, memory["Private_Dirty"] / 1024))
            bench.stop()
    return {enabled: tuple(map(statistics.median, zip(*seen))) for enabled, seen in values.items()}


def add_rows(result, failures, kind, folder, quick, say):
    """Measures the renderer of `kind` alone and adds its rows to the table."""
    bench = Bench(kind, folder / "playlist")
    name = bench.name

    def add(label, unit, value, digits=1, target=""):
        result.add(label, unit, {name: value}, digits, target)
    try:
        say("… idle with and without OpenHome")
        bench.start()  # the first start finds out what this host can decode, and the later ones remember
        process.wait_settled([bench])
        bench.stop()
        values = idle(bench, 1 if quick else 3)
        without, on = values[False], values[True]
        add("idle PSS without OpenHome", "MiB", without[0])
        add("OpenHome adds to idle PSS", "MiB", on[0] - without[0], 2, "1")
        add("OpenHome adds to idle private dirty", "MiB", on[1] - without[1], 2, "1")
        say("… playlist")
        figures = growth(bench, quick)
        for size in SIZES:
            add(f"Insert at {size:,} tracks, p50", "ms", figures["insert"][size], 2, "0.3")
        add("ReadList of 1,000 tracks", "ms", figures["read"], 1, "12")
        for size in SIZES[1:]:
            add(f"{size:,} tracks add, private dirty", "MiB", figures["memory"][size], 1,
                "15" if size == SIZES[-1] else "")
        add("10,000 tracks after a restart, private dirty", "MiB", figures["loaded"])
        add("left after DeleteAll", "MiB", figures["left"], 1, "given back")
        for size in SIZES:
            add(f"written per Insert in a row at {size:,} tracks", "KiB", figures["written"][size], 1, "8")
        add("written per lone Insert at 10,000 tracks", "KiB", figures["alone"])
        add("start with 10,000 tracks to description", "ms", figures["restart"])
    except Exception as error:  # the other figures count all the same
        failures.append(f"the playlist of {name}: {error!r}")
    finally:
        bench.close()
