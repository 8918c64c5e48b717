"""Control points that can't be installed here, replayed: what they send, as they write it, and what they make of what comes back.

How each writes was read in its source (the names stand at its dialect); nothing of their code is here. A sequence is a list of
steps, which `Client.run` takes one by one.
"""

import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urljoin
from xml.sax.saxutils import escape

from . import http, ssdp
from .gena import Receiver
from .upnp import DEVICE_NS, SCPD_NS, Fault, Service, local, outcome
from .waiting import PATIENCE, until


@dataclass(frozen=True)
class Dialect:
    """How a control point writes. Heads are told line by line."""

    #: What it searches for, and the lines of the search.
    target: str
    search: str
    get: str
    post: str
    #: Around the arguments, each of which is written as `argument` says.
    body: str
    argument: str
    subscribe: str
    renew: str
    unsubscribe: str
    #: Where it takes events; most tell them apart by SID alone.
    callback: str = "/"
    #: Whether its connections are kept for the next request.
    keeps: bool = True
    #: The version that it asks for, whatever the description says; None: the version that is described.
    version: int = None
    #: How many subscribe at the same time.
    threads: int = 1


ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' \
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
MEDIA_RENDERER = "urn:schemas-upnp-org:device:MediaRenderer:1"

#: 4thline's Cling 2.1 over Java's own HTTP client (transport/impl, model/message). BubbleUPnP and many Android apps are made
#: with it.
_CLING_FIELDS = """User-agent: Linux/5.10 UPnP/1.0 Cling/2.0
Host: {host}
Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2
Connection: keep-alive"""
CLING = Dialect(
    target="ssdp:all",
    search="""M-SEARCH * HTTP/1.1
Man: "ssdp:discover"
Mx: 3
St: {target}
Host: 239.255.255.250:1900""",
    get="GET {path} HTTP/1.1\n" + _CLING_FIELDS,
    post="""POST {path} HTTP/1.1
Content-type: text/xml;charset="utf-8"
Soapaction: "{service}#{action}"
Content-Length: {length}
""" + _CLING_FIELDS,
    body='<?xml version="1.0" encoding="utf-8" standalone="yes"?>'
         '<s:Envelope s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" '
         'xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
         '<u:{action} xmlns:u="{service}">{arguments}</u:{action}></s:Body></s:Envelope>',
    argument="<{name}>{value}</{name}>",
    subscribe="""SUBSCRIBE {path} HTTP/1.1
Callback: <{callback}>
Nt: upnp:event
Timeout: Second-600
""" + _CLING_FIELDS,
    renew="SUBSCRIBE {path} HTTP/1.1\nSid: {sid}\nTimeout: Second-600\n" + _CLING_FIELDS,
    unsubscribe="UNSUBSCRIBE {path} HTTP/1.1\nSid: {sid}\n" + _CLING_FIELDS,
    callback="/dev/{udn}/svc/{domain}/{name}/event/cb")

#: libupnpp over libnpupnp, which uses curl (npupnp: gena_ctrlpt.cpp, soap_ctrlpt.cpp; libupnpp: control/). upplay is made of it.
NPUPNP = Dialect(
    target="upnp:rootdevice",
    search="""M-SEARCH * HTTP/1.1
HOST: 239.255.255.250:1900
MAN: "ssdp:discover"
MX: 2
ST: {target}
USER-AGENT: Linux UPnP/1.0 libupnpp/0.21.0""",
    get="GET {path} HTTP/1.1\nHost: {host}\nAccept: */*",
    post="""POST {path} HTTP/1.1
Host: {host}
Content-Type: text/xml; charset="utf-8"
SOAPACTION: "{service}#{action}"
USER-AGENT: Linux/5.10, UPnP/1.0, Portable SDK for UPnP devices/4.1.1
Content-Length: {length}""",
    body='<?xml version="1.0" encoding="utf-8"?>\r\n' + ENVELOPE + "\r\n"
         '<s:Body><u:{action} xmlns:u="{service}">\n{arguments}</u:{action}>\n</s:Body>\r\n</s:Envelope>\r\n',
    argument="<{name}>{value}</{name}>\n",
    subscribe="""SUBSCRIBE {path} HTTP/1.1
Host: {host}
Accept: */*
CALLBACK: <{callback}>
NT: upnp:event
TIMEOUT: Second-1800""",
    renew="SUBSCRIBE {path} HTTP/1.1\nHost: {host}\nAccept: */*\nSID: {sid}\nTIMEOUT: Second-1800",
    unsubscribe="""UNSUBSCRIBE {path} HTTP/1.1
Host: {host}
Accept: */*
SID: {sid}
USER-AGENT: Linux/5.10, UPnP/1.0, Portable SDK for UPnP devices/4.1.1""",
    keeps=False)

#: OpenHome's ohNet (ControlPoint/Upnp/ProtocolUpnp.cpp, XmlFetcher.cpp, Ssdp.cpp), under Kazoo, Linn's apps and ohTopology:
#: actions by HTTP/1.0, everything else by HTTP/1.1, each on a connection of its own.
OHNET = Dialect(
    target="urn:av-openhome-org:service:Product:1",
    search="""M-SEARCH * HTTP/1.1
HOST: 239.255.255.250:1900
MAN: "ssdp:discover"
MX: 3
ST: {target}""",
    get="GET {path} HTTP/1.1\nHOST: {address}\nCONTENT-LENGTH: 0\nCONNECTION: close",
    post="""POST {path} HTTP/1.0
HOST: {host}
CONTENT-LENGTH: {length}
CONTENT-TYPE: text/xml; charset="utf-8"
SOAPACTION: "{service}#{action}\"""",
    body='<?xml version="1.0"?>\r\n' + ENVELOPE + "\r\n<s:Body>\r\n"
         '<u:{action} xmlns:u="{service}">\r\n{arguments}</u:{action}>\r\n</s:Body>\r\n</s:Envelope>\r\n',
    argument="<{name}>{value}</{name}>\r\n",
    subscribe="SUBSCRIBE {path} HTTP/1.1\nHOST: {host}\nCALLBACK: <{callback}>\nNT: upnp:event\nTIMEOUT: Second-1800",
    renew="SUBSCRIBE {path} HTTP/1.1\nHOST: {host}\nSID: {sid}\nTIMEOUT: Second-1800",
    unsubscribe="UNSUBSCRIBE {path} HTTP/1.1\nHOST: {host}\nSID: {sid}",
    callback="/{number}/", keeps=False, version=1, threads=4)

#: GUPnP, recorded by Tests/Interop/record. dLeyna-renderer is made of it.
_GUPNP_FIELDS = """User-Agent:  GUPnP/1.6.3 DLNADOC/1.50
Connection: Keep-Alive
Host: {host}"""
GUPNP = Dialect(
    target=MEDIA_RENDERER,
    search="""M-SEARCH * HTTP/1.1
Host: 239.255.255.250:1900
Man: "ssdp:discover"
ST: {target}
MX: 3
User-Agent: dleyna GSSDP/1.6.2""",
    get="GET {path} HTTP/1.1\nAccept-Encoding: gzip, deflate\n" + _GUPNP_FIELDS,
    post="""POST {path} HTTP/1.1
Accept-Encoding: gzip
Content-Type: text/xml; charset="utf-8"
Content-Length: {length}
""" + _GUPNP_FIELDS + '\nSOAPAction: "{service}#{action}"',
    body='<?xml version="1.0"?>' + ENVELOPE + '<s:Body><u:{action} xmlns:u="{service}">{arguments}</u:{action}></s:Body>'
         "</s:Envelope>",
    argument="<{name}>{value}</{name}>",
    subscribe="""SUBSCRIBE {path} HTTP/1.1
Accept-Encoding: gzip, deflate
""" + _GUPNP_FIELDS + "\nCallback: <{callback}>\nNT: upnp:event\nTimeout: Second-1800",
    renew="SUBSCRIBE {path} HTTP/1.1\nAccept-Encoding: gzip, deflate\n" + _GUPNP_FIELDS + "\nSID: {sid}\nTimeout: Second-1800",
    unsubscribe="UNSUBSCRIBE {path} HTTP/1.1\nAccept-Encoding: gzip, deflate\n" + _GUPNP_FIELDS + "\nSID: {sid}",
    callback="/ServiceProxy{number}")

#: Node's upnp-device-client 1.0, under upnp-mediarenderer-client. It has no search of its own: node-ssdp's is used beside it.
NODE = Dialect(
    target=MEDIA_RENDERER,
    search="""M-SEARCH * HTTP/1.1
HOST: 239.255.255.250:1900
ST: {target}
MAN: "ssdp:discover"
MX: 3""",
    get="GET {path} HTTP/1.1\nHost: {host}\nConnection: close",
    post="""POST {path} HTTP/1.1
Content-Type: text/xml; charset="utf-8"
Content-Length: {length}
Connection: close
SOAPACTION: "{service}#{action}"
Host: {host}""",
    body="<?xml version='1.0' encoding='utf-8'?>\n" + ENVELOPE
         + '<s:Body><u:{action} xmlns:u="{service}">{arguments}</u:{action}></s:Body></s:Envelope>',
    argument="<{name}>{value}</{name}>",
    subscribe="""SUBSCRIBE {path} HTTP/1.1
HOST: {host}
USER-AGENT: linux/5.10 UPnP/1.1 upnp-device-client/1.0.2
CALLBACK: <{callback}>
NT: upnp:event
TIMEOUT: Second-300
Connection: close
Content-Length: 0""",
    renew="SUBSCRIBE {path} HTTP/1.1\nHOST: {host}\nSID: {sid}\nTIMEOUT: Second-300\nConnection: close",
    unsubscribe="UNSUBSCRIBE {path} HTTP/1.1\nHOST: {host}\nSID: {sid}\nConnection: close",
    keeps=False)


@dataclass(frozen=True)
class Call:
    """An action. What is `expected` of the answer may be values or conditions on them; `keep` names answers for later steps."""
    service: str
    action: str
    arguments: dict
    expected: dict
    keep: dict


def call(service, action, *, expected=None, keep=None, **arguments):
    """Arguments in the order in which they are sent; a function is given the client, and what it returns is sent."""
    return Call(service, action, arguments, expected or {}, keep or {})


@dataclass(frozen=True)
class Refused(Call):
    """An action that is tried and may fail, as long as it is refused in a way that the client understands."""


def refused(service, action, **arguments):
    return Refused(service, action, arguments, {}, {})


@dataclass(frozen=True)
class Polled(Call):
    """An action that is called again and again until the answer is as expected."""


def polled(service, action, expected, **arguments):
    return Polled(service, action, arguments, expected, {})


@dataclass(frozen=True)
class Told:
    """Waits until the client, by the events that it got, shows these values."""
    service: str
    values: dict


def told(service, **values):
    return Told(service, values)


def agrees(value, wanted):
    return value is not None and (wanted(value) if callable(wanted) else value == str(wanted))


class Client:
    """One control point: its search, its connections, its subscriptions, and what it shows."""

    def __init__(self, dialect, link, patience=10, behaviour="answer"):
        """`patience`: seconds in which what it waits for must come. `behaviour`: how it takes events, see `Receiver`."""
        self.dialect = dialect
        self.link = link
        self.patience = patience
        self.receiver = Receiver(link.phone, behaviour)
        self.kept = {}
        self.sids = {}
        self.connections = {}
        self.outs = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.end()
        finally:
            self.receiver.close()
            for connection in self.connections.values():
                connection.close()

    # Finding and reading

    def find(self, uuid):
        """Takes the description from where its own search leads it. Only an answer that strict clients accept counts."""
        head = self._head(self.dialect.search, target=self.dialect.target)
        with ssdp.Search(self.link) as search:
            def answer():
                search.send(head)
                try:
                    return search.messages.wait(lambda m: self._is_answer(m, uuid), 4 / PATIENCE, "an answer")
                except AssertionError:
                    return None
            location = until(answer, 15, f"found by a search for {self.dialect.target}")["LOCATION"]
        self.udn = uuid
        self.location = location
        self.description = ET.fromstring(self.get(location))
        self.services = {}
        for element in self.description.iter(f"{DEVICE_NS}service"):
            field = {local(child.tag): child.text for child in element}
            self.services[field["serviceType"].split(":")[3]] = Service(
                field["serviceType"], field["serviceId"],
                *(urljoin(location, field[name]) for name in ("SCPDURL", "controlURL", "eventSubURL")))
        return self

    def _is_answer(self, message, uuid):
        target = {"ssdp:all": "upnp:rootdevice"}.get(self.dialect.target, self.dialect.target)
        return message.is_response and message["ST"] == target and message["USN"] == f"uuid:{uuid}::{target}" \
            and "max-age" in message["CACHE-CONTROL"] and message["EXT"] == "" and message["SERVER"] is not None

    @property
    def name(self):
        return self.description.findtext(f"{DEVICE_NS}device/{DEVICE_NS}friendlyName")

    def icons(self):
        """The pictures that it may draw."""
        return [self.get(urljoin(self.location, url.text)) for url in self.description.iter(f"{DEVICE_NS}url")]

    def version(self, name):
        """The version in which a service is described; 0: it isn't there."""
        return int(self.services[name].type.split(":")[4]) if name in self.services else 0

    def read(self, name):
        """The description of a service, and from it what each action gives back, in order."""
        root = ET.fromstring(self.get(self.services[name].scpd))
        self.outs[name] = {
            action.findtext(f"{SCPD_NS}name"): [
                argument.findtext(f"{SCPD_NS}name") for argument in action.iter(f"{SCPD_NS}argument")
                if argument.findtext(f"{SCPD_NS}direction") == "out"]
            for action in root.iter(f"{SCPD_NS}action")}
        return root

    # Requests

    def _head(self, lines, **fields):
        return ("\r\n".join(line.format(**fields) for line in lines.split("\n")) + "\r\n\r\n").encode()

    def request(self, lines, url, body=b"", **fields):
        address, port, path, host = http.split(url)
        head = self._head(lines, path=path, host=host, address=address, length=len(body), **fields)
        method = lines.split(" ")[0]
        kept = self.connections.pop(host, None)
        if kept:
            try:
                return self._exchange(kept, host, head + body, method)
            except OSError:
                pass  # closed meanwhile, as any client has to expect
        return self._exchange(http.Connection(address, port), host, head + body, method)

    def _exchange(self, connection, host, data, method):
        try:
            connection.send(data)
            response = connection.receive(method)
        except OSError:
            connection.close()
            raise
        if self.dialect.keeps and (response["connection"] or "").lower() != "close":
            self.connections[host] = connection
        else:
            connection.close()
        return response

    def get(self, url):
        response = self.request(self.dialect.get, url)
        assert response.status == 200, f"{url}: {response.status}"
        return response.body

    def call(self, name, action, **arguments):
        service = self.services[name]
        kind = service.type
        if self.dialect.version:
            kind = f"{kind.rsplit(':', 1)[0]}:{self.dialect.version}"
        values = {key: value(self) if callable(value) else value for key, value in arguments.items()}
        inside = "".join(self.dialect.argument.format(name=key, value=escape(str(value))) for key, value in values.items())
        body = self.dialect.body.format(action=action, service=kind, arguments=inside).encode()
        response = self.request(self.dialect.post, service.control, body, service=kind, action=action)
        # libupnpp takes nothing else for an answer; ohNet reads up to Content-Length.
        assert response.status in (200, 500) and response["content-type"].startswith("text/xml"), response
        assert int(response["content-length"]) == len(response.body)
        result = outcome(response, action)
        if name in self.outs:  # Cling: "Invalid number of input or output arguments"
            assert list(result) == self.outs[name][action], f"{action} gave {list(result)}"
        return result

    # Events

    def subscribe(self, *names):
        """In this order, or several at the same time; each with its initial event."""
        with ThreadPoolExecutor(self.dialect.threads) as pool:
            self.sids.update(zip(names, pool.map(self._subscribe, names, range(len(self.sids) + 1, 100))))
        for name in names:
            self.receiver.events.wait(lambda e, n=name: e.sid == self.sids[n] and e.seq == 0, self.patience, f"{name}'s first")
        return self

    def _subscribe(self, name, number):
        service = self.services[name]
        path = self.dialect.callback.format(udn=self.udn, domain=service.id.split(":")[1], name=name, number=number)
        response = self.request(self.dialect.subscribe, service.event, callback=self.receiver.url(path))
        assert response.status == 200, f"SUBSCRIBE to {name}: {response.status}"
        assert response["sid"].startswith("uuid:") and int(response["timeout"].removeprefix("Second-")) >= 300
        return response["sid"]

    def events(self, name):
        """What has come of a service so far, in the order of its coming."""
        return [event for event in list(self.receiver.events.items) if event.sid == self.sids[name]]

    def shown(self, name):
        """What it was told of a service, the latest of each variable."""
        values = {}
        for event in self.events(name):
            assert event.method == "NOTIFY" and event.headers["nt"] == "upnp:event"
            assert event.headers["nts"] == "upnp:propchange" and event.headers["content-type"].startswith("text/xml")
            values.update(event.changes or event.properties)
        return values

    def end(self):
        """Renews each subscription as it does, then ends them. ohNet would have begun anew had an event been missing."""
        for name, sid in self.sids.items():
            response = self.request(self.dialect.renew, self.services[name].event, sid=sid)
            assert (response.status, response["sid"]) == (200, sid) and response["timeout"].startswith("Second-")
        for name, sid in self.sids.items():
            numbers = [event.seq for event in self.events(name)]
            assert numbers == list(range(len(numbers))) or self.receiver.behaviour != "answer", f"{name}: {numbers}"
            assert self.request(self.dialect.unsubscribe, self.services[name].event, sid=sid).status == 200

    # Sequences

    def run(self, *steps):
        for step in steps:
            match step:
                case Told():
                    self._wait(step)
                case Refused():
                    self._refused(step)
                case Polled():
                    until(lambda s=step: self._agree(self.call(s.service, s.action, **s.arguments), s), self.patience,
                          f"{step.action}: {step.expected}")
                case Call():
                    result = self.call(step.service, step.action, **step.arguments)
                    assert self._agree(result, step), f"{step.action} gave {result}"
                    self.kept.update({name: result[key] for key, name in step.keep.items()})

    def _wait(self, step):
        def agree():
            shown = self.shown(step.service)
            return all(agrees(shown.get(name), wanted) for name, wanted in step.values.items())
        try:
            until(agree, self.patience, f"{step.service} tells {step.values}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows {self.shown(step.service)}") from None

    def _refused(self, step):
        try:
            self.call(step.service, step.action, **step.arguments)
        except Fault:
            return
        raise AssertionError(f"{step.action} was done")

    @staticmethod
    def _agree(result, step):
        return all(agrees(result.get(name), wanted) for name, wanted in step.expected.items())
