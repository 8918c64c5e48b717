"""Media servers that lie as they are told to: what was reported of servers that can't be installed here.

Each has an address of its own on one host, answers searches and announces itself, and is honest in all that it isn't told
to do differently."""

import html
import itertools
import json
import re
import socket
import struct
import threading
import uuid as uuids
from dataclasses import dataclass

from . import ssdp
from .waiting import Feed, Reader

SERVER = "urn:schemas-upnp-org:device:MediaServer:1"
DIRECTORY = "urn:schemas-upnp-org:service:ContentDirectory:1"
NAMESPACES = ('xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
              'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"')


def container(ident, title, kind="object.container.storageFolder", inside=""):
    return (f'<container id="{ident}" parentID="0" restricted="1"><dc:title>{html.escape(title)}</dc:title>'
            f'<upnp:class>{kind}</upnp:class>{inside}</container>')


def track(ident, title, address="http://192.0.2.1/{id}.flac", inside=""):
    return (f'<item id="{ident}" parentID="0" restricted="1"><dc:title>{html.escape(title)}</dc:title>'
            f'<upnp:class>object.item.audioItem.musicTrack</upnp:class>{inside}'
            f'<res protocolInfo="http-get:*:audio/flac:*">{html.escape(address.format(id=ident))}</res></item>')


#: A folder that is longer than a page, one that isn't, an album, and an empty one.
MANY = [f"Piece {number:03}" for number in range(450)]
FEW = ["Zebra", "Army of Me", "“Quoted” & <marked>", "Björk’s Übung", "Mango"]
TREE = {
    "0": [container("many", "Many"), container("few", "Few"), container("none", "None"),
          container("album", "An Album", "object.container.album.musicAlbum")],
    "many": [track(f"m{number}", title) for number, title in enumerate(MANY)],
    "few": [track(f"f{number}", title) for number, title in enumerate(FEW)],
    "none": [],
    "album": [track(f"a{number}", title, inside=f"<upnp:album>An Album</upnp:album><upnp:originalTrackNumber>{number}"
                    "</upnp:originalTrackNumber>") for number, title in ((2, "Last"), (1, "First"))],
}


class Fault(Exception):
    def __init__(self, code, text="", status=500):
        super().__init__(code)
        self.code, self.text, self.status = code, text, status


@dataclass
class Call:
    action: str
    arguments: dict

    @property
    def start(self):
        return int(self.arguments["StartingIndex"])

    @property
    def count(self):
        return int(self.arguments["RequestedCount"])


# What a server does where it isn't told otherwise; each of them may be replaced.

def page(call, objects):
    """What is sent of all that there is."""
    return objects[call.start:call.start + (call.count or len(objects))]


def numbers(call, sent, objects):
    """NumberReturned and TotalMatches; None leaves one out."""
    return len(sent), len(objects)


def document(objects):
    return f"<DIDL-Lite {NAMESPACES}>{''.join(objects)}</DIDL-Lite>"


def envelope(action, outputs):
    """`outputs`: names and texts, escaped already."""
    inside = "".join(f"<{name}>{text}</{name}>" for name, text in outputs)
    return (f'<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
            f's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:{action}Response xmlns:u="{DIRECTORY}">'
            f'{inside}</u:{action}Response></s:Body></s:Envelope>').encode()


def answer(status, body):
    """The bytes of a response, and seconds to wait between them."""
    head = (f"HTTP/1.1 {status} X\r\nContent-Type: text/xml; charset=\"utf-8\"\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n")
    yield head.encode() + body


def description(server):
    return (f'<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor>'
            f'</specVersion><device><deviceType>{SERVER}</deviceType><friendlyName>{server.name}</friendlyName>'
            f'<manufacturer>Odd</manufacturer><modelName>Odd</modelName><UDN>uuid:{server.udn}</UDN><serviceList>'
            f'{service()}</serviceList></device></root>').encode()


def service(control="/control", kind=DIRECTORY):
    return (f'<service><serviceType>{kind}</serviceType><serviceId>urn:upnp-org:serviceId:ContentDirectory</serviceId>'
            f'<SCPDURL>/scpd.xml</SCPDURL><controlURL>{control}</controlURL><eventSubURL>/events</eventSubURL></service>')


def fault(error):
    return (f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode>'
            f'<faultstring>UPnPError</faultstring><detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0">'
            f'<errorCode>{error.code}</errorCode><errorDescription>{error.text}</errorDescription></UPnPError></detail></s:Fault>'
            f'</s:Body></s:Envelope>').encode()


def called(head, body):
    """The action that a request calls, and its arguments."""
    action = re.search(r'(?i)soapaction: *"[^#"]*#(\w+)"', head)[1]
    return action, {name: html.unescape(text) for name, text in re.findall(r"<(\w+)>([^<]*)</\1>", body)}


class OddServer:
    def __init__(self, street, name, tree=TREE, search="", sort="", announced=True, path="/description.xml", port=0, udn=None,
                 address=None, max_age=1800, boot=None, targets=(SERVER,), **odd):
        """`odd`: other functions for those of this module; `described` for answers to GET. `search` and `sort`: what it says it
        can; a search finds nothing but Mango, whatever is asked for. `targets`: the types that it is found by."""
        self.street, self.name, self.tree, self.search, self.sort = street, name, tree, search, sort
        self.udn = udn or str(uuids.uuid5(uuids.NAMESPACE_URL, name))
        self.max_age, self.boot, self.announced, self.targets = max_age, boot, announced, list(targets)
        self.odd = {"page": page, "numbers": numbers, "document": document, "envelope": envelope, "answer": answer,
                    "description": description, "described": answer, **odd}
        self.requests = Feed()
        self.address = address or street.new_address()
        self._listener = street.host.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((self.address, port))
        self._listener.listen(64)
        self.port = self._listener.getsockname()[1]
        self.base = f"http://{self.address}:{self.port}"
        self.location = self.base + path
        self._ended = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()
        street.servers.append(self)
        if announced:
            street.announce(self)

    def close(self, says_goodbye=True):
        if self.announced and says_goodbye:
            self.street.announce(self, "ssdp:byebye")
        self.street.servers.remove(self)
        self._ended.set()
        # A thread that accepts isn't woken by a mere close.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def calls(self, action="Browse"):
        return [call for call in self.requests.items if isinstance(call, Call) and call.action == action]

    def _accept(self):
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client:
            try:
                client.settimeout(30)
                head, body = self._receive(client)
                for piece in self._answer(head, body):
                    if isinstance(piece, bytes):
                        client.sendall(piece)
                    elif self._ended.wait(piece):
                        return
                # Otherwise what isn't read here would reset what is read there.
                client.shutdown(socket.SHUT_WR)
                client.recv(65536)
            except OSError:
                pass

    @staticmethod
    def _receive(client):
        data = b""
        while b"\r\n\r\n" not in data:
            more = client.recv(65536)
            if not more:
                raise ConnectionError
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        while length and len(body) < int(length[1]):
            body += client.recv(65536)
        return head.decode("latin-1"), body.decode()

    def _answer(self, head, body):
        method, target = head.split(" ")[:2]
        if method != "POST":
            self.requests.append(target)
            if target == self.location.removeprefix(self.base):
                return self.odd["described"](200, self.odd["description"](self))
            return answer(404, b"")
        call = Call(*called(head, body))
        self.requests.append(call)
        try:
            return self.odd["answer"](200, self.odd["envelope"](call.action, self._outputs(call)))
        except Fault as error:
            return self.odd["answer"](error.status, fault(error))

    def _outputs(self, call):
        match call.action:
            case "GetSearchCapabilities": return [("SearchCaps", self.search)]
            case "GetSortCapabilities": return [("SortCaps", self.sort)]
            case "GetSystemUpdateID": return [("Id", "0")]
            case "Browse" if call.arguments["BrowseFlag"] == "BrowseMetadata": objects = self._object(call)
            case "Browse": objects = self.tree.get(call.arguments["ObjectID"])
            case "Search" if self.search: objects = [track("f4", "Mango")]
            case _: raise Fault(401, "Invalid Action")
        if objects is None:
            raise Fault(701, "No such object")
        sent = self.odd["page"](call, objects)
        returned, total = self.odd["numbers"](call, sent, objects)
        outputs = [("Result", html.escape(self.odd["document"](sent), quote=False)), ("NumberReturned", returned),
                   ("TotalMatches", total), ("UpdateID", 0)]
        return [(name, text) for name, text in outputs if text is not None]

    def _object(self, call):
        ident = call.arguments["ObjectID"]
        everything = itertools.chain.from_iterable(self.tree.values())
        return [found] if (found := next((one for one in everything if f' id="{ident}"' in one), None)) else None


class Street:
    """The host where the servers are, and what is said by SSDP there."""

    def __init__(self, host, link):
        self.host, self.link = host, link
        self.servers = []
        self._last = 20
        self._socket = host.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 2)
        self._socket.bind(("", ssdp.PORT))
        self.join(link)
        self._reader = Reader(self._socket.fileno(), self._hear, self._socket.close)

    def join(self, link):
        """Hears what comes by that cable; what is announced goes out by the last one."""
        self.link = link
        # The number of the interface, since it has the same name on no other host.
        index = json.loads(self.host.sh("ip", "-j", "link", "show", "dev", link.interface))[0]["ifindex"]
        request = struct.pack("4s4si", socket.inet_aton(ssdp.GROUP), b"\0\0\0\0", index)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, request)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, request)

    def new_address(self):
        self._last += 1
        address = f"{self.link.speaker.rsplit('.', 1)[0]}.{self._last}"
        self.link.add_address(address)
        return address

    def server(self, name, **odd):
        return OddServer(self, name, **odd)

    def announce(self, server, kind="ssdp:alive"):
        for target in self._targets(server):
            self._send(server, (ssdp.GROUP, ssdp.PORT), "NOTIFY * HTTP/1.1", NT=target, NTS=kind, HOST=f"{ssdp.GROUP}:{ssdp.PORT}",
                       USN=self._usn(server, target))

    @staticmethod
    def _targets(server):
        return ["upnp:rootdevice", f"uuid:{server.udn}", *server.targets]

    @staticmethod
    def _usn(server, target):
        return target if target.startswith("uuid:") else f"uuid:{server.udn}::{target}"

    def _send(self, server, to, first, **fields):
        fields |= {"LOCATION": server.location, "CACHE-CONTROL": f"max-age={server.max_age}", "SERVER": "Odd/1 UPnP/1.0 Odd/1"}
        if server.boot is not None:
            fields["BOOTID.UPNP.ORG"] = str(server.boot)
        lines = [first, *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        try:
            self._socket.sendto("\r\n".join(lines).encode(), to)
        except OSError:
            pass  # the cable is pulled

    def _hear(self):
        try:
            data, source = self._socket.recvfrom(65536, socket.MSG_DONTWAIT)
        except OSError:
            return True  # damaged, or the word that an answer reached nobody
        message = ssdp.parse(data, source)
        if message.start.startswith("M-SEARCH"):
            for server in list(self.servers):
                targets = self._targets(server) if server.announced else []
                for target in targets if message["ST"] == "ssdp:all" else [message["ST"]] * (message["ST"] in targets):
                    self._send(server, source, "HTTP/1.1 200 OK", ST=target, EXT="", USN=self._usn(server, target))
        return True

    def close(self):
        for server in list(self.servers):
            server.close()
        self._reader.close()
