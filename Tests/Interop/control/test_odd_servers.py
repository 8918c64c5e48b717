"""Media servers that lie, break off, or never end, as was reported of ones that can't be installed here: each is browsed as far
as it goes, ends soon, and stands in nobody's way."""

import gzip
import html
import json
import re
import time

import pytest
from kit import odd_server, vireoctl
from kit.odd_server import FEW, MANY, TREE, Fault, container, document, numbers, page, service, track
from kit.vireoctl import NO_INPUT, NONSENSE, OK, REFUSED, TIMED_OUT, UNREACHABLE, Vireoctl
from kit.waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")


@pytest.fixture
def ctl(street, tmp_path):
    return Vireoctl(tmp_path, "--interface", street.link.phone_interface)


@pytest.fixture
def odd(street, request):
    """Makes a server that nobody is told of: it is found by its URL."""
    servers = []

    def make(**how):
        servers.append(street.server(f"{request.node.name}-{len(servers)}", **({"announced": False} | how)))
        return servers[-1]
    yield make
    for server in servers:
        server.close()


def browsed(ctl, server, folder, *options, status=OK, within=15):
    """The titles, and what is said beside them."""
    begun = time.monotonic()
    done = ctl.run("--json", "browse", *options, server.location, *folder)
    assert done.returncode == status, (done.returncode, done.stdout[-300:], done.stderr)
    assert time.monotonic() - begun < within * PATIENCE
    return [entry["title"] for entry in json.loads(done.stdout)] if done.stdout else None, done.stderr


# What a server may send of a folder of 450 objects, and what it says of it. The most requests that are worth it, for the root
# and the folder, and why the list ends.
WHOLE, SHORT, REPEATED, LIMIT = "", "there are more, and doesn't send", "the same again and again", "the limit is reached"


def fault_behind(call, objects):
    if call.start:
        raise Fault(501, "Action Failed")
    return objects[:call.count]


def endless(call, _):
    return [track(f"e{number}", f"Endless {number}") for number in range(call.start, call.start + call.count)]


def heavy(call, objects):
    return [one.replace("</item>", f"<dc:description>{'x' * 30_000}</dc:description></item>") for one in page(call, objects)]


PAGES = {
    "honest": ({}, MANY, 4, WHOLE),
    "total is 0": ({"numbers": lambda call, sent, all: (len(sent), 0)}, MANY, 6, WHOLE),
    "total is that of the page": ({"numbers": lambda call, sent, all: (len(sent), len(sent))}, MANY, 6, WHOLE),
    "total is too much": ({"numbers": lambda call, sent, all: (len(sent), 4294967295)}, MANY, 5, SHORT),
    "total is too little": ({"numbers": lambda call, sent, all: (len(sent), 3)}, MANY, 6, WHOLE),
    "total is negative": ({"numbers": lambda call, sent, all: (len(sent), -1)}, MANY, 6, WHOLE),
    "returned is 0": ({"numbers": lambda call, sent, all: (0, len(all))}, MANY, 4, WHOLE),
    "returned is more": ({"numbers": lambda call, sent, all: (999, len(all))}, MANY, 4, WHOLE),
    "returned more of none": ({"page": lambda call, all: [] if call.start else all[:call.count],
                               "numbers": lambda call, sent, all: (200, len(all))}, MANY[:200], 40, SHORT),
    "numbers are words": ({"numbers": lambda call, sent, all: ("many", "")}, MANY, 6, WHOLE),
    "no numbers": ({"numbers": lambda call, sent, all: (None, None)}, MANY, 6, WHOLE),
    "empty pages": ({"page": lambda call, all: [] if call.start else all[:call.count]}, MANY[:200], 5, SHORT),
    "pages of 10": ({"page": lambda call, all: all[call.start:call.start + min(call.count, 10)]}, MANY, 50, WHOLE),
    "always everything": ({"page": lambda call, all: all}, MANY, 4, WHOLE),
    "always everything, no total": ({"page": lambda call, all: all, "numbers": lambda *_: (None, None)}, MANY, 6, WHOLE),
    "always the first page": ({"page": lambda call, all: all[:call.count]}, MANY[:200], 5, REPEATED),
    "always the first page, no total": (
        {"page": lambda call, all: all[:call.count], "numbers": lambda *_: (None, None)}, MANY[:200], 6, WHOLE),
    "pages overlap": ({"page": lambda call, all: all[max(0, call.start - 7):call.start + call.count]}, MANY, 6, WHOLE),
    "fails in the middle": ({"page": fault_behind}, MANY[:200], 5, SHORT),
    "pages too large": ({"page": heavy}, MANY, 40, WHOLE),
    "cut off": ({"document": lambda objects: document(objects)[:20_000]}, MANY, 40, WHOLE),
}


@pytest.mark.parametrize("lie", PAGES)
def test_long_folders(ctl, odd, lie):
    how, titles, requests, end = PAGES[lie]
    # The root is honest, so that the folder is found.
    server = odd(**{name: (lambda call, *more, name=name, function=function: (
        function if name == "document" or call.arguments["ObjectID"] == "many" else getattr(odd_server, name))(call, *more))
        for name, function in how.items()})
    found, said = browsed(ctl, server, ["Many"])
    assert found == titles
    assert end in said if end else said == "", said
    assert len(server.calls()) <= requests


def test_endless_folders(ctl, odd):
    server = odd(page=lambda call, all: endless(call, all) if call.arguments["ObjectID"] == "many" else all,
                 numbers=lambda call, sent, all: (len(sent), 0))
    found, said = browsed(ctl, server, ["Many"], "--limit", 1000)
    assert len(found) == 1000 and LIMIT in said
    assert len(server.calls()) <= 8


# How a server may write what it has: the same must be read.

def reordered(action, outputs):
    inside = "".join(f"<{name}>{text}</{name}>" for name, text in [("X_Vendor", "1"), *reversed(outputs)])
    return (f'<SOAP:Envelope xmlns:SOAP="http://schemas.xmlsoap.org/soap/envelope/"><SOAP:Header/><SOAP:Body>'
            f'<m:{action}Response xmlns:m="urn:other">{inside}</m:{action}Response></SOAP:Body></SOAP:Envelope>').encode()


def undeclared(objects):
    """Of prefixes, none is declared; vendors' attributes and elements are added."""
    text = "".join(objects).replace("<item ", '<item pv:extra="1" sec:flags="2" ')
    return f"<DIDL-Lite>{text.replace('</item>', '<pv:addedTime>7</pv:addedTime></item>')}</DIDL-Lite>"


def in_cdata(action, outputs):
    return odd_server.envelope(action, [(name, f"<![CDATA[{html.unescape(str(text))}]]>") for name, text in outputs])


WRITTEN = {
    "escaped twice": {"document": lambda objects: html.escape(document(objects))},
    "in CDATA": {"envelope": in_cdata},
    "with a declaration": {"document": lambda objects: f'\ufeff<?xml version="1.0" encoding="UTF-8"?>\n{document(objects)}'},
    "with a wrong declaration": {"document": lambda objects: f'<?xml version="1.0" encoding="utf-16"?>{document(objects)}'},
    "no namespaces": {"document": undeclared},
    "other prefixes": {"document": lambda objects: re.sub(r"<(/?)(DIDL-Lite|item|container|res)\b", r"<\1d:\2", document(objects))
                       .replace("xmlns=", "xmlns:d=")},
    "no root": {"document": "".join},
    "control characters": {"document": lambda objects: document(objects).replace("<dc:title>", "<dc:title>\x01\x0b")},
    "no encoding": {"envelope": lambda action, outputs: odd_server.envelope(action, outputs).replace(b' encoding="utf-8"', b"")},
    "raw ampersands": {"document": lambda objects: document(objects).replace("&amp;", "&")},
    "unknown entities": {"document": lambda objects: document(objects).replace("</item>", "<dc:x>&nbsp;&eacute;</dc:x></item>")},
    "another envelope": {"envelope": reordered},
    "odd classes": {"document": lambda objects: document(objects).replace("object.container.storageFolder", "StorageFolder")},
    "no classes": {"document": lambda objects: re.sub("<upnp:class>[^<]*</upnp:class>", "", document(objects))},
    "no ids of items": {"document": lambda objects: re.sub('<item id="[^"]*"', "<item", document(objects))},
    "no children, it says": {"document": lambda objects: document(objects).replace("<container ", '<container childCount="0" ')},
}


@pytest.mark.parametrize("way", WRITTEN)
def test_documents(ctl, odd, way):
    server = odd(**WRITTEN[way])
    found, said = browsed(ctl, server, ["Few"])
    assert found == FEW and said == ""
    assert len(server.calls()) <= 6


def test_tags_in_latin_1(ctl, odd):
    """In what is called UTF-8, and is, otherwise."""
    server = odd(envelope=lambda action, outputs: odd_server.envelope(action, outputs).replace("ö".encode(), b"\xf6"))
    assert browsed(ctl, server, ["Few"])[0] == FEW


def test_what_terminals_obey_is_shown_as_text(ctl, odd):
    """Escapes and what turns the reading direction."""
    tree = TREE | {"few": [track("f1", "\u202eevil\u009b31m")]}
    server = odd(tree=tree)
    shown = ctl("browse", server.location, "Few")
    assert "\u202e" not in shown and "\u009b" not in shown and "evil" in shown


# How a server may send what it has: the same must be read.

def head(body, *fields, version="1.1"):
    return "\r\n".join([f"HTTP/{version} 200 OK", *fields, "", ""]).encode() + body


def chunked(status, body):
    yield head(b"", "Transfer-Encoding: chunked")
    for begin in range(0, len(body), 700):
        piece = body[begin:begin + 700]
        yield f"{len(piece):X};x=y\r\n".encode() + piece + b"\r\n"
    yield b"0\r\nTrailer: 1\r\n\r\n"


def crumbs(status, body):
    whole = b"".join(odd_server.answer(status, body))
    for begin in range(0, len(whole), 200):
        yield whole[begin:begin + 200]
        yield 0.005


def continued(status, body):
    yield b"HTTP/1.1 100 Continue\r\n\r\n"
    yield from odd_server.answer(status, body)


def of_one_piece(*fields, version="1.1", ends="\r\n"):
    def answer(status, body):
        whole = head(b"", *(field.format(length=len(body)) for field in fields), version=version)
        yield whole.replace(b"\r\n", ends.encode()) + body
    return answer


SENT = {
    "in chunks": chunked,
    "in crumbs": crumbs,
    "after a hundred": continued,
    "until the end": of_one_piece("Content-Type: text/xml", version="1.0"),
    "until the end, kept": of_one_piece("Connection: keep-alive"),
    "kept, and closed": of_one_piece("Content-Length: {length}", "Connection: keep-alive"),
    "bare line ends": of_one_piece("content-length:{length}", "content-type:text/xml", ends="\n"),
    "as nothing known": of_one_piece("Content-Length: {length}", "Content-Type: application/x-nonsense"),
    "with fields that are none": of_one_piece("Content-Length: {length}", "no colon", ": no name", "EXT:"),
}


@pytest.mark.parametrize("way", SENT)
def test_answers(ctl, odd, way):
    found, said = browsed(ctl, odd(answer=SENT[way], described=SENT[way]), ["Few"])
    assert found == FEW and said == ""


# What can't be read ends with a word and a status, after a few requests.

def cut(status, body):
    yield b"".join(odd_server.answer(status, body))[:-50]


def hangs_up(status, body):
    yield b""


FAILING = {
    "packed though nobody asked": (of_one_piece("Content-Encoding: gzip", "Connection: close"), NONSENSE),
    "cut off": (cut, UNREACHABLE),
    "hangs up": (hangs_up, UNREACHABLE),
    "too short a length": (of_one_piece("Content-Length: 100"), NONSENSE),
    "no HTTP": (lambda status, body: iter([b"SIP/2.0 200 OK\r\n\r\n"]), NONSENSE),
    "endless head": (lambda status, body: iter([b"HTTP/1.1 200 OK\r\n"] + [b"X: " + b"x" * 60_000 + b"\r\n"] * 40), NONSENSE),
    "endless body": (lambda status, body: iter([b"HTTP/1.1 200 OK\r\n\r\n"] + [b"<" * 500_000] * 20), NONSENSE),
    "a page for people": (lambda status, body: odd_server.answer(500, b"<html><body>Internal error"), NONSENSE),
    "moved": (lambda status, body: iter([
        b"HTTP/1.1 301 Moved\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"]), NONSENSE),
    "asks who it is": (lambda status, body: odd_server.answer(401, b""), vireoctl.NOT_ALLOWED),
}


@pytest.mark.parametrize("way", FAILING)
def test_what_cannot_be_read(ctl, odd, way):
    answer, status = FAILING[way]
    server = odd(answer=answer, envelope=lambda *more: gzip.compress(odd_server.envelope(*more)) if "packed" in way
                 else odd_server.envelope(*more))
    found, said = browsed(ctl, server, ["Few"], status=status)
    assert not found and said.startswith("vireoctl: ")
    assert len(server.calls()) <= 15


@pytest.mark.parametrize("error,status", [
    (Fault(501, "Action Failed"), REFUSED), (Fault(701, "No such object"), NO_INPUT), (Fault(720, "Cannot process"), NO_INPUT),
    (Fault(701, "No such object", status=200), NO_INPUT), (Fault(-911), REFUSED), (Fault(""), REFUSED)])
def test_refusals(ctl, odd, error, status):
    def refuse(call, objects):
        raise error
    server = odd(page=refuse)
    browsed(ctl, server, ["Few"], status=status)
    assert len(server.calls()) <= 3


def test_empty_folders(ctl, odd):
    """One kind of server fails on them: "fromIndex > toIndex"."""
    def refuse(call, objects):
        if not objects:
            raise Fault(720, "fromIndex(0) > toIndex(-1)")
        return page(call, objects)
    for server in (odd(), odd(page=refuse)):
        found, said = browsed(ctl, server, ["None"])
        assert found == [] and "is empty" in said


# Searching.

def test_a_search_that_is_refused_is_done_by_hand(ctl, odd):
    def refuse(call, objects):
        if call.action == "Search":
            raise Fault(708, "Unsupported search criteria")
        return page(call, objects)
    def find_nothing(call, objects):
        return [] if call.action == "Search" else page(call, objects)
    # Without its own search, with one that fails, with one for nothing that people look for, and with one that is blind.
    for how in ({}, {"search": "*", "page": refuse}, {"search": "upnp:rating", "page": refuse},
                {"search": "*", "page": find_nothing}):
        server = odd(**how)
        done = ctl.run("--json", "search", "--server", server.location, "--track", "army")
        assert [entry["title"] for entry in json.loads(done.stdout)] == ["Army of Me"], done.stderr
        assert "can't search: 5 folders were looked through instead" in done.stderr
    assert len(server.calls()) <= 10


def test_a_search_by_hand_ends(ctl, odd):
    """Folders without end, each in each."""
    def deeper(call, _):
        ident = call.arguments["ObjectID"]
        return [container(f"{ident}.{number}", f"Folder {ident}.{number}") for number in range(2)] + [container("0", "Up")]
    server = odd(page=lambda call, objects: deeper(call, objects)[call.start:], tree=AnyTree())
    done = ctl.run("search", "--server", server.location, "--track", "army", timeout=60)
    assert done.returncode == NO_INPUT and "and there is more" in done.stderr, done.stderr
    assert len(server.calls()) <= 4100


class AnyTree(dict):
    """Every folder is there."""

    def get(self, key, default=None):
        return []


# Playing: what the renderer gets.

def test_albums_are_played(ctl, odd, speaker, oh_link):
    """In their order, by servers that sort, that say so and refuse, and that lie in other ways."""
    def unsorted(call, objects):
        if call.arguments.get("SortCriteria"):
            raise Fault(709, "Unsupported sort criteria")
        return page(call, objects)
    player = ctl.with_options("-r", speaker.location)
    for how in ({}, {"page": unsorted, "sort": "upnp:originalTrackNumber,dc:title"}, {"document": undeclared},
                {"document": lambda objects: html.escape(document(objects))}, {"tell_nothing": True}):
        def no_metadata(call, objects):
            if call.arguments.get("BrowseFlag") == "BrowseMetadata":
                raise Fault(501, "Action Failed")
            return page(call, objects)
        server = odd(announced=True, **({"page": no_metadata} if how.pop("tell_nothing", False) else how))
        until(lambda: ctl.run("browse", server.name).returncode == OK, 10, "the server")
        album = next(entry["number"] for entry in ctl.json("browse", server.name) if entry["title"] == "An Album")
        player("play", album, "--end")
        queue = player.json("queue")
        assert [entry["title"] for entry in queue] == ["First", "Last"], how
        assert [entry["uri"] for entry in queue] == ["http://192.0.2.1/a1.flac", "http://192.0.2.1/a2.flac"]
        player("queue", "clear")


def test_pictures_are_no_tracks(ctl, odd, speaker):
    """Of which some servers send a dozen with each track, before it."""
    pictures = "".join(f'<res protocolInfo="http-get:*:image/jpeg:*">http://192.0.2.1/{n}.jpg</res>' for n in range(12))
    sound = '<res duration="0:01:40" protocolInfo="http-get:*:audio/flac:*">'
    server = odd(announced=True, document=lambda objects: document(objects).replace(
        '<res protocolInfo="http-get:*:audio/flac:*">', pictures + sound))
    first = ctl.json("browse", server.location, "Few")[0]
    assert (first["uri"], first["duration"]) == ("http://192.0.2.1/f0.flac", 100)
    player = ctl.with_options("-r", speaker.location)
    player("play", 1, "--end")
    assert [entry["uri"] for entry in player.json("queue")] == ["http://192.0.2.1/f0.flac"]
    player("queue", "clear")


def test_addresses(ctl, odd):
    """Relative ones, and such with spaces and letters that none may have."""
    def uris(**how):
        server = odd(**how)
        return [entry["uri"].replace(server.base, "BASE") for entry in ctl.json("browse", server.location, "Few")]
    tree = TREE | {"few": [track(f"f{n}", title, address) for n, (title, address) in enumerate(zip(FEW, [
        "/media/1.flac", "2.flac?a=1&b=2", "http://192.0.2.1/3 a.flac", "../4.flac", "//192.0.2.1/5.flac"]))]}
    assert uris(tree=tree, path="/ms/description.xml") == [
        "BASE/media/1.flac", "BASE/ms/2.flac?a=1&b=2", "http://192.0.2.1/3 a.flac", "BASE/4.flac", "http://192.0.2.1/5.flac"]


# Descriptions. Each is on its own host, so that none is held up by another's.

def described(change):
    return lambda server: change(odd_server.description(server).decode(), server).encode()


DESCRIBED = {
    "Relative": (described(lambda text, _: text.replace("/control<", "control<")), {"path": "/control/../description.xml"}),
    "Absolute": (described(lambda text, server: text.replace("/control<", f"{server.base}/control<")), {}),
    "Base": (described(lambda text, server: text.replace("<device>", f"<URLBase>{server.base}/a/</URLBase><device>", 1)), {}),
    "Wrong base": (described(lambda text, server: text.replace("<device>", "<URLBase>nonsense</URLBase><device>", 1)), {}),
    "Base elsewhere": (described(lambda text, _: text.replace(
        "<device>", "<URLBase>http://127.0.0.1:80/</URLBase><device>", 1)), {}),
    "Three hundred": (described(lambda text, _: text.replace(
        "</serviceList>", "".join(service(kind=f"urn:x:service:X{n}:1") for n in range(300)) + "</serviceList>")), {}),
    "Vendor": (described(lambda text, _: text.replace("<UDN>", "<sec:ProductCap>x</sec:ProductCap><dlna:X_DLNADOC/><UDN>")), {}),
    "Embedded": (described(lambda text, _: text.replace("<device>", (
        "<device><deviceType>urn:x:device:X:1</deviceType><UDN>uuid:outer</UDN><friendlyName>Outer</friendlyName><deviceList>"
        "<device>"), 1).replace("</device>", "</device></deviceList></device>")), {}),
    "Unclosed": (described(lambda text, _: text.replace("</device></root>", "")), {}),
    "Ampersand & Co": (odd_server.description, {}),
    "Later": (described(lambda text, _: text.replace("MediaServer:1", "MediaServer:4").replace("Directory:1", "Directory:4")), {}),
    "In chunks": (odd_server.description, {"described": chunked}),
    "In crumbs": (odd_server.description, {"described": crumbs}),
    "Latin": (lambda server: odd_server.description(server).replace(b"Latin", b"Lat\xeen").replace(
        b'"1.0"?', b'"1.0" encoding="iso-8859-1"?'), {}),
}
BROKEN = {
    "Bomb": (described(lambda text, _: text.replace(
        "?>", '?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>').replace("Bomb", "&b;")), {}),
    "Page": (lambda server: b"<!DOCTYPE html><html><body><p>Welcome<br></html>", {}),
    "Nothing": (lambda server: b"", {}),
    "Binary": (lambda server: bytes(range(256)) * 50, {}),
    "Nameless": (described(lambda text, _: re.sub("<UDN>.*</UDN>", "", text)), {}),
    "Somebody else": (described(lambda text, server: text.replace(server.udn, "somebody-else")), {}),
    "Packed": (lambda server: gzip.compress(odd_server.description(server)), {
        "described": of_one_piece("Content-Encoding: gzip", "Content-Length: {length}")}),
    "Deep": (lambda server: b"<device>" * 20_000, {}),
    "Endless": (odd_server.description, {"described": FAILING["endless body"][0]}),
    "Silent": (odd_server.description, {"described": lambda status, body: iter([60])}),
    "Slow": (odd_server.description, {"described": lambda status, body: iter([b"HTTP/1.1 200 OK\r\n", *[0.2, b"X: y\r\n"] * 100])}),
    "Absent": (odd_server.description, {"described": lambda status, body: odd_server.answer(404, b"")}),
}


@pytest.fixture(scope="module")
def crowd(street):
    """All of them, a healthy one, and one that is silent when it is asked for anything."""
    servers = {name: street.server(name.replace("&", "&amp;"), description=how, **more)
               for name, (how, more) in {**BROKEN, **DESCRIBED}.items()}
    servers["Mute"] = street.server("Mute", answer=lambda status, body: iter([60]))
    servers["Healthy"] = street.server("Healthy", search="dc:title,upnp:class")
    yield servers
    for server in servers.values():
        server.close()


def test_who_is_found_in_a_crowd(ctl, crowd):
    begun = time.monotonic()
    found = {server["name"]: server for server in ctl.json("--timeout", 6, "servers")}
    assert time.monotonic() - begun < 10 * PATIENCE
    found["Latin"] = found.pop("Latîn", None)
    assert {"Healthy", "Mute"} <= set(found)
    assert set(DESCRIBED) - set(found) == set()
    assert not set(found) & set(BROKEN), set(found) & set(BROKEN)


@pytest.mark.parametrize("name", sorted(DESCRIBED))
def test_odd_descriptions_are_browsed(ctl, crowd, name):
    found, said = browsed(ctl, crowd[name], ["Few"])
    assert found == FEW and said == ""


@pytest.mark.parametrize("name", sorted({*BROKEN} - {"Silent", "Slow", "Endless"}))
def test_broken_descriptions_are_refused(ctl, crowd, name):
    done = ctl.run("inspect", crowd[name].location)
    if name == "Somebody else":
        assert done.returncode == OK
    else:
        assert done.returncode in (NONSENSE, vireoctl.NO_DEVICE) and done.stdout == "", (done.stdout, done.stderr)


def test_a_crowd_is_searched(ctl, crowd):
    """One that never answers holds up no other, and is named."""
    begun = time.monotonic()
    with ctl.watch("--timeout", 4, "search", "--track", "Mango") as searching:
        searching.lines.wait(lambda line: "\tMango\t" in line and "Healthy" in line, 15, "what the healthy one has")
        searching.process.wait(30 * PATIENCE)
    assert time.monotonic() - begun < 30 * PATIENCE
    lines = [line for line in searching.lines.items if "\tMango\t" in line]
    assert len(lines) == len(DESCRIBED) + 1
    done = ctl.run("search", "--server", crowd["Mute"].location, "Mango")
    assert done.returncode == TIMED_OUT and "Mute" in done.stderr
