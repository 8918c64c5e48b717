"""Whether anybody who asks for much holds up the others: the longest turn of the event loop, and the longest wait of a prober
at another address."""

import mmap
import select
import socket
import struct
import subprocess
import threading
import time
from contextlib import ExitStack
from xml.sax.saxutils import escape

import client
from control import call_bytes
from kit import gena, http, netns, openhome, upnp
from kit.upnp import AVT, RC
from table import markdown

TARGET = "target: nothing above 20 ms, all served"
#: Connections at once from one address, as the daemon allows by itself, and requests on each in a row.
CONNECTIONS, DEPTH = 64, 8
#: Tracks in the longest playlist, and bytes of the longest text that a request has room for.
TRACKS, LONG = 16_384, 250_000


class Turns:
    """The event loop as `client/turns.c` sees it from inside of the process."""

    def __init__(self, folder):
        self.path = client.file_of(folder, "turns", bytes(16))
        self.library = client.library("turns", folder)
        with open(self.path, "r+b") as file:
            self.figures = mmap.mmap(file.fileno(), 16)

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "VIREO_TURNS": str(self.path)}

    def begin(self):
        self.figures[:] = bytes(16)

    def longest(self):
        """ms"""
        longest, turns = struct.unpack("=QQ", self.figures[:])
        if turns == 0:
            raise RuntimeError("no turn of the event loop was seen")
        return longest / 1e6


class Prober:
    """Somebody at another address who asks for little, and how long that took at most."""

    def __init__(self, folder, address, request, source):
        self.process = subprocess.Popen(
            [client.program("prober", folder), *map(str, address), client.file_of(folder, "probe", request), source],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        time.sleep(0.2)  # a few calls that nothing disturbs

    def end(self):
        """(answered, failed, ms on a kept connection, ms on a new one)"""
        time.sleep(0.3)  # and a few behind it
        answered, failed, kept, fresh = map(float, self.process.communicate(timeout=30)[0].split())
        return int(answered), int(failed), kept / 1000, fresh / 1000


class Ear:
    """Takes any number of events as fast as they come and reads nothing of them; hangs where it is told to."""

    def __init__(self, address, hangs=False):
        self.listener = socket.create_server((address, 0), backlog=1024)
        self.url = f"http://{address}:{self.listener.getsockname()[1]}/"
        self.taken, self.hangs, self._over = 0, hangs, False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        poll, clients = select.epoll(), {}
        poll.register(self.listener, select.EPOLLIN)
        while not self._over:
            for number, _ in poll.poll(0.2):
                if number == self.listener.fileno():
                    connection = self.listener.accept()[0]
                    clients[connection.fileno()] = [connection, b"", 0]
                    if not self.hangs:
                        poll.register(connection, select.EPOLLIN)
                elif not self._take(clients[number]):
                    poll.unregister(number)
                    clients.pop(number)[0].close()
        for connection, _, _ in clients.values():
            connection.close()

    def _take(self, client):
        connection, head, left = client
        try:
            data = connection.recv(1 << 20)
            if not data:
                return False
            if left == 0:
                head += data
                if b"\r\n\r\n" not in head:
                    client[1] = head
                    return True
                lines, data = head.split(b"\r\n\r\n", 1)
                left = int(lines.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                client[1] = b""
            client[2] = left - len(data)
            if client[2] <= 0:
                client[2] = 0
                self.taken += 1
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except OSError:
            return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._over = True
        self._thread.join(5)
        self.listener.close()


def volley(address, payloads, seconds=60):
    """Sends each payload on a connection of its own, all at once, and reads until each is closed; bytes that came."""
    poll, waiting, total = select.poll(), {}, 0
    for payload in payloads:
        connection = socket.create_connection(address, timeout=10)
        connection.setblocking(False)
        waiting[connection.fileno()] = [connection, memoryview(payload)]
        poll.register(connection, select.POLLIN | select.POLLOUT)
    deadline = time.monotonic() + seconds
    while waiting and time.monotonic() < deadline:
        for number, events in poll.poll(200):
            connection, rest = waiting[number]
            try:
                if events & select.POLLOUT and rest:
                    waiting[number][1] = rest = rest[connection.send(rest):]
                    if not rest:
                        poll.modify(number, select.POLLIN)
                if events & ~select.POLLOUT:
                    data = connection.recv(1 << 20)
                    total += len(data)
                    if data:
                        continue
                    raise ConnectionError
            except BlockingIOError:
                continue
            except OSError:
                poll.unregister(number)
                waiting.pop(number)[0].close()
    for connection, _ in waiting.values():
        connection.close()
    return total


class Stranger:
    """What somebody on the network can send."""

    def __init__(self, bench):
        self.bench = bench
        self.phone = bench.link.phone
        self.renderer = bench.renderer()
        self.speaker = openhome.Speaker.of(bench.subject, bench.link)
        self.address = http.split(bench.location)[:2]

    def request(self, service, action, close=True, **arguments):
        """The bytes of a call; `service` is AVT, RC, or the short name of one of OpenHome's."""
        if service in (AVT, RC):
            return call_bytes(self.renderer, service, action, close, **arguments)[1]
        kind = self.speaker.types[service]
        _, _, target, netloc = http.split(self.speaker.services[kind].control)
        headers = {"Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{kind}#{action}"'}
        if close:
            headers["Connection"] = "close"
        return http.build("POST", target, headers, upnp.envelope(kind, action, arguments))

    def many(self, service, action, connections=CONNECTIONS, depth=DEPTH, **arguments):
        """The same call over and over."""
        kept = self.request(service, action, False, **arguments) * (depth - 1)
        return self.fire([kept + self.request(service, action, **arguments)] * connections)

    def fire(self, payloads, address=None):
        """How much was answered."""
        total = volley(address or self.address, payloads)
        return f"{total / 1e6:.1f} MB answered" if total > 100_000 else f"{total / 1e3:.1f} kB answered"

    def once(self, service, action, **arguments):
        """The status of one call."""
        with http.Connection(*self.address, timeout=60) as connection:
            connection.send(self.request(service, action, **arguments))
            return connection.receive().status

    def event_url(self, service):
        return self.renderer.service(service).event if service in (AVT, RC) else self.speaker.event_url(service)

    def subscribe(self, stack, url, callback):
        answer = gena.subscribe(url, callback)
        if answer.status != 200:
            raise RuntimeError(f"SUBSCRIBE answered {answer.status}")
        stack.callback(gena.unsubscribe, url, answer["SID"])

    # MARK: Playlist

    def empty(self):
        self.once("Playlist", "DeleteAll")

    def fill(self, count, metadata="", connections=8):
        """Puts `count` tracks in front of the playlist."""
        for begun in range(0, count, 4096):
            number = min(4096, count - begun)
            calls = [self.request("Playlist", "Insert", False, AfterId=0, Uri=f"http://{self.phone}:9/{begun + n}",
                                  Metadata=metadata) for n in range(number)]
            end = self.request("Playlist", "TracksMax")
            volley(self.address, [b"".join(calls[n::connections]) + end for n in range(connections)])

    def ids(self):
        return self.speaker.ids()


def twice_escaped(shape):
    """DIDL-Lite that was escaped once too often, as long as a request has room for."""
    open_tag = upnp.didl("@", "http://192.0.2.1/a.flac")
    return escape(open_tag.replace("@", shape))


def fitting(text):
    """As many repetitions of a text as one argument has room for once they are escaped."""
    return text * (LONG // len(escape(text).encode()))


SHAPES = {
    "quotation marks": fitting('"'), "brackets": fitting("<"), "ampersands": fitting("&"),
    "empty elements": "<DIDL-Lite><item>" + fitting("<a/>")[:-100],
    "ends of sections": "<DIDL-Lite><item><![CDATA[" + fitting("]>")[:-100],
    "sections": "<DIDL-Lite><item><title>" + fitting("<![CDATA[a]]>")[:-140],
    "entities in an attribute": '<DIDL-Lite><item><res protocolInfo="' + fitting("&amp;")[:-300] + '">a</res></item></DIDL-Lite>',
    "a tag without an end": "<DIDL-Lite><item><res " + fitting("a ")[:-100],
    "marks on one letter": "<DIDL-Lite><item><title>a" + fitting("\u0301\u0323")[:-60] + "</title></item></DIDL-Lite>",
    "marks in an attribute": '<DIDL-Lite><item><res protocolInfo="a' + fitting("\u0301\u0323")[:-60] + '"/></item></DIDL-Lite>',
    "a name of marks": "<DIDL-Lite><item><a" + fitting("\u0301\u0323")[:-60] + ":b/></item></DIDL-Lite>",
    "letters with marks": "<DIDL-Lite><item><title>" + fitting("e\u0301")[:-60] + "</title></item></DIDL-Lite>",
    "a thousand artists": "<DIDL-Lite><item>" + fitting("<artist role=''>a</artist>")[:-200] + "</item></DIDL-Lite>",
    "one line": "<DIDL-Lite><item><title>" + fitting("a")[:-200] + "</title></item></DIDL-Lite>",
    "line ends": "<DIDL-Lite><item><title>" + fitting("\r\n")[:-200] + "</title></item></DIDL-Lite>",
    "spaces": fitting(" ")[:-10] + "<",
}


def casts(stranger, metadata, rounds=6):
    """Casts the same again and again while somebody is told; the state has to be another each time."""
    def attack():
        statuses = []
        with ExitStack() as stack:
            ear = stack.enter_context(Ear(stranger.phone))
            for service in (AVT, "Info", "Radio"):
                stranger.subscribe(stack, stranger.event_url(service), ear.url)
            for number in range(rounds):
                statuses.append(stranger.once(AVT, "SetAVTransportURI", CurrentURI=f"http://{stranger.phone}:9/{number}",
                                              CurrentURIMetaData=metadata))
            time.sleep(0.3)  # the last moderation
        return f"{statuses[-1]}, {ear.taken} events"
    return attack


def last_change(stranger, count):
    def attack():
        with ExitStack() as stack:
            ear = stack.enter_context(Ear(stranger.phone))
            for number in range(2):
                for word, variable in (("", "Current"), ("Next", "Next")):
                    stranger.once(AVT, f"Set{word}AVTransportURI", **{
                        f"{variable}URI": f"http://{stranger.phone}:9/{number}", f"{variable}URIMetaData": fitting('"')})
                for _ in range(count if number == 0 else 0):
                    stranger.subscribe(stack, stranger.event_url(AVT), ear.url)
                time.sleep(0.5 + count * 0.2)  # moderation, and large messages leave a few at a time
        return f"{ear.taken} events"
    return attack


def shown(stranger, what, source):
    """Metadata that has to be read to be shown: asked for again and again, and looked at after each change."""
    metadata = twice_escaped(what)

    def attack():
        with ExitStack() as stack:
            ear = stack.enter_context(Ear(stranger.phone))
            if source == "radio":
                stranger.once("Radio", "SetChannel", Uri=f"http://{stranger.phone}:9/a", Metadata=metadata)
                stranger.once("Radio", "Play")
            else:
                stranger.once("Playlist", "DeleteAll")
                stranger.once("Playlist", "Insert", AfterId=0, Uri=f"http://{stranger.phone}:9/a", Metadata=metadata)
                stranger.once("Playlist", "SeekIndex", Value=0)
            for service in ("Info", "Radio", AVT):
                stranger.subscribe(stack, stranger.event_url(service), ear.url)
            asked = stranger.many("Info", "Counters")
            stranger.many("Info", "Track")
            stranger.many("Radio", "Channel")
            stranger.fire([b"".join(stranger.request(RC, "SetVolume", close=number == DEPTH - 1, Channel="Master",
                                                     DesiredVolume=10 + number % 80) for number in range(DEPTH))] * CONNECTIONS)
        return asked
    return attack


def subscriptions(stranger, count, hangs):
    def attack():
        with Ear(stranger.phone, hangs) as ear:
            address, _, target, netloc = http.split(stranger.event_url(RC))
            head = {"Host": netloc, "NT": "upnp:event", "TIMEOUT": "Second-300"}
            sids = []

            def begin(number):
                with http.Connection(*stranger.address, timeout=30) as connection:
                    for index in range(number, count, 16):
                        connection.send(http.build("SUBSCRIBE", target, {**head, "CALLBACK": f"<{ear.url}{index}>"}))
                        answer = connection.receive()
                        if answer.status == 200:
                            sids.append(answer["SID"])
            threads = [threading.Thread(target=begin, args=(number,)) for number in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            if hangs:
                for number in range(6):
                    stranger.once(RC, "SetVolume", Channel="Master", DesiredVolume=20 + number)
                    time.sleep(0.5)
            taken = len(sids)
            stranger.fire([b"".join(http.build("UNSUBSCRIBE", target, {"Host": netloc, "SID": sid})
                                    for sid in sids[number::16]) + stranger.request(RC, "GetVolume", Channel="Master")
                           for number in range(16)])
        return f"{taken} subscribed, {ear.taken} events"
    return attack


def searches(stranger, mx):
    def attack():
        targets = ("ssdp:all", "upnp:rootdevice", AVT, stranger.speaker.types["Product"])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((stranger.phone, 0))
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(stranger.phone))
            end, sent = time.monotonic() + 2, 0
            while time.monotonic() < end:
                for target in targets:
                    line = "" if mx is None else f"MX: {mx}\r\n"
                    text = (f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\n{line}'
                            f"ST: {target}\r\n\r\n").encode()
                    sender.sendto(text, ("239.255.255.250", 1900))
                    sent += 1
        return f"{sent} searches"
    return attack


def late_reader(stranger):
    """It takes its events only behind the answer that they have to come before."""
    def attack():
        with ExitStack() as stack:
            listener = stack.enter_context(socket.create_server((stranger.phone, 0), backlog=64))
            listener.settimeout(5)
            stranger.subscribe(stack, stranger.event_url(AVT), f"http://{stranger.phone}:{listener.getsockname()[1]}/")
            waits = []

            def take():
                connection = listener.accept()[0]
                connection.settimeout(5)
                data = connection.recv(65536)
                while data and b"</e:propertyset>" not in data:
                    data += connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                connection.close()
            take()
            for action, arguments in 5 * [("SetAVTransportURI", {"CurrentURI": f"http://{stranger.phone}:9/a",
                                                                "CurrentURIMetaData": ""}), ("Stop", {})]:
                begun = time.monotonic()
                stranger.once(AVT, action, **arguments)
                waits.append(time.monotonic() - begun)
                try:
                    listener.settimeout(0.5)
                    take()
                except TimeoutError:
                    pass
        return f"waits {max(waits) * 1000:.0f} ms itself"
    return attack


def attacks(stranger):
    """(what, a function that prepares, a function that attacks and says what came of it)"""
    def nothing():
        pass

    def long_list():
        stranger.empty()
        stranger.fill(200, "<" * 40_000)

    def full_list():
        stranger.empty()
        stranger.fill(TRACKS)

    def read_lists(connections):
        return lambda: stranger.many("Playlist", "ReadList", connections, 1, IdList=" ".join(map(str, stranger.ids())))

    def numbers():
        return " ".join(map(str, range(1, 32_769)))

    def long_inserts():
        return stranger.fire([stranger.request("Playlist", "Insert", AfterId=stranger.ids()[-1],
                                               Uri=f"http://{stranger.phone}:9/{number}", Metadata=SHAPES["empty elements"])
                              for number in range(8)])

    def inserts():
        return stranger.many("Playlist", "Insert", AfterId=0, Uri="http://192.0.2.1/a", Metadata="")

    def large_uri():
        return stranger.many(AVT, "SetAVTransportURI", 16, 1, CurrentURI="http://192.0.2.1/" + "a" * 8000,
                             CurrentURIMetaData=fitting('"'))

    def pages():
        get = http.build("GET", "/", {"Host": f"{stranger.address[0]}:{stranger.address[1]}"})
        return stranger.fire([get * 500 + stranger.request(RC, "GetVolume", Channel="Master")] * CONNECTIONS)

    def descriptions():
        host = f"{stranger.address[0]}:{stranger.address[1]}"
        targets = [http.split(stranger.bench.location)[2]] + [
            http.split(service.scpd)[2] for service in stranger.speaker.services.values()]
        gets = b"".join(http.build("GET", target, {"Host": host}) for target in targets)
        return stranger.fire([gets * 4 + stranger.request(RC, "GetVolume", Channel="Master")] * CONNECTIONS)

    def two_lists():
        stranger.many("Playlist", "IdArray", CONNECTIONS, 1)
        return stranger.many("Playlist", "IdArray")

    def shuffles():
        return stranger.fire([b"".join(stranger.request("Playlist", "SetShuffle", close=number == DEPTH - 1, Value=number % 2)
                                       for number in range(DEPTH))] * CONNECTIONS)

    yield "512 small calls at once, 64 connections", nothing, lambda: stranger.many(AVT, "GetTransportInfo")
    yield "32,000 small requests at once, 64 connections", nothing, pages
    yield "all descriptions, 64 connections", nothing, descriptions
    yield "ReadList of 8 MB", long_list, read_lists(1)
    yield "ReadList of 8 MB, 16 connections", nothing, read_lists(16)
    for service in ("Playlist", "Radio"):
        yield f"ReadList of 32,768 numbers from {service}, 4 connections", nothing, lambda service=service: stranger.many(
            service, "ReadList", 4, 1, IdList=numbers())
    yield "8 Inserts of 250 kB", nothing, long_inserts
    yield f"IdArray of {TRACKS:,} tracks, 64 connections", full_list, two_lists
    yield f"64 × 8 Inserts at {TRACKS - 1000:,} tracks", lambda: (stranger.empty(), stranger.fill(TRACKS - 1000)), inserts
    yield f"64 × 8 SetShuffle at {TRACKS:,} tracks", nothing, shuffles
    yield f"DeleteAll of {TRACKS:,} tracks", full_list, lambda: f"{stranger.once('Playlist', 'DeleteAll')}"
    for count in (1, 20):
        yield f"LastChange of 7.5 MB, to {count}", nothing, last_change(stranger, count)
    yield "GetMediaInfo and GetPositionInfo of 250 kB, 64 connections", nothing, lambda: (
        stranger.many(AVT, "GetMediaInfo", CONNECTIONS, 1), stranger.many(AVT, "GetPositionInfo", CONNECTIONS, 2))[1]
    for name, shape in SHAPES.items():
        yield f"SetAVTransportURI, {name}", nothing, casts(stranger, shape)
    yield "SetAVTransportURI of 250 kB, 16 connections", nothing, large_uri
    for name, what in (("one line", "a" * 200_000), ("elements", "<a/>" * 12_000), ("ampersands", "&" * 40_000)):
        for source in ("playlist", "radio"):
            yield f"metadata escaped twice, {name}, {source}", nothing, shown(stranger, what, source)
    yield "500 subscriptions and their end", nothing, subscriptions(stranger, 500, False)
    yield "500 subscriptions that hang", nothing, subscriptions(stranger, 500, True)
    yield "a subscriber that reads behind the answer", nothing, late_reader(stranger)
    for mx in (None, 0, 1, 5):
        yield f"searches for 2 s, {'no MX' if mx is None else f'MX {mx}'}", nothing, searches(stranger, mx)


def measure(bench, folder, failures, only=None):
    """A table in Markdown, of one renderer."""
    source = f"10.77.{bench.link.number}.4"
    netns.sh("ip", "addr", "add", f"{source}/24", "dev", bench.link.phone_interface)
    turns = Turns(folder)
    before = dict(bench.subject.environment), bench.subject.settings
    bench.subject.environment |= turns.environment
    bench.subject.settings = {"playlist": {"tracks-max": TRACKS}}
    bench.start()
    rows = [[f"who asks {bench.name} for much ({TARGET})", "what came of it", "longest turn of the event loop, ms",
             "others wait at most on a kept connection, ms", "on a new one, ms", "others served"]]
    stranger = Stranger(bench)
    probe = call_bytes(stranger.renderer, AVT, "GetTransportInfo")
    for what, prepare, attack in attacks(stranger):
        if only and only not in what:
            continue
        try:
            prepare()
            time.sleep(0.7)  # what is to be saved and told of that is over
            prober = Prober(folder, *probe, source)
            turns.begin()
            try:
                outcome = attack()
            finally:
                answered, failed, kept, fresh = prober.end()
            rows.append([what, outcome, f"{turns.longest():.1f}", f"{kept:.1f}", f"{fresh:.1f}",
                         f"{answered} of {answered + failed}"])
        except Exception as error:  # the other rows count all the same
            failures.append(f"{what}: {error!r}")
            rows.append([what, "—", "—", "—", "—", "—"])
            bench.ensure()
    bench.stop()
    bench.subject.environment, bench.subject.settings = before
    return markdown(rows, left=2)
