"""Control points of the Sonos class that can't be installed here: what each of them sends, byte by byte, and how it reads answers.

How each writes and reads was read in its source in late 2026; the name of the source stands at each. Nothing of their code is
here. A reader is as strict as the program is: where the program would throw, or show nothing, the reader raises.
"""

import html
import re
import xml.etree.ElementTree as ET
from urllib.parse import quote, unquote
from xml.parsers import expat
from xml.sax.saxutils import escape

from . import http, ssdp
from .gena import Receiver
from .upnp import local
from .waiting import PATIENCE, until
from .zone import ZONE, ask

BROADCAST = "255.255.255.255"
UPNP = "urn:schemas-upnp-org:service:{}:1"
DEVICE = "{urn:schemas-upnp-org:device-1-0}"
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
DIDL = "{urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/}"
R = "{urn:schemas-rinconnetworks-com:metadata-1-0/}"
DC = "{http://purl.org/dc/elements/1.1/}"
PARTS = {
    **dict.fromkeys(("AVTransport", "RenderingControl", "GroupRenderingControl", "Queue"), "/MediaRenderer"),
    "ContentDirectory": "/MediaServer"}
ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' \
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'


class Refused(Exception):
    """The zone has refused, in a way that the program understands; with the code, if the program gets at it."""

    def __init__(self, code=None):
        super().__init__(code)
        self.code = code


# How programs read XML.

class Node:
    """An element with the names as they are written, prefixes too."""

    def __init__(self, name, attributes):
        self.name = name
        self.attributes = attributes
        self.children = []
        self.text = ""

    def child(self, name):
        """Its only element of that name."""
        found = [child for child in self.children if child.name == name]
        assert len(found) == 1, f"{len(found)} × <{name}> in <{self.name}>: {[child.name for child in self.children]}"
        return found[0]


def literal(text):
    """The root element, of a reader that knows nothing of namespaces."""
    parser, stack, roots = expat.ParserCreate(), [], []

    def start(name, attributes):
        node = Node(name, attributes)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)

    def data(characters):
        stack[-1].text += characters
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = data
    parser.Parse(text, True)
    return roots[0]


def merged(node, key=lambda name: name, value=lambda text: text):
    """An element as Node's xml2js gives it, with attributes among the elements and lists only where there are several."""
    result = {key(name): value(text) for name, text in node.attributes.items()}
    for child in node.children:
        name, inside = key(child.name), merged(child, key, value)
        if name not in result:
            result[name] = inside
        elif isinstance(result[name], list):
            result[name].append(inside)
        else:
            result[name] = [result[name], inside]
    if not result:
        return value(node.text)
    if node.text.strip():
        result["_"] = value(node.text)
    return result


def flow(node):
    """An element as Node's xml-flow gives it: names in small letters; attributes apart unless there is nothing else."""
    attributes = {name.lower(): text for name, text in node.attributes.items()}
    if not node.children and not node.text.strip():
        return attributes or ""
    result = {"$attrs": attributes} if attributes else {}
    for child in node.children:
        name, inside = child.name.lower(), flow(child)
        if name not in result:
            result[name] = inside
        elif isinstance(result[name], list):
            result[name].append(inside)
        else:
            result[name] = [result[name], inside]
    if node.text.strip():
        if not result:
            return node.text
        result["$text"] = node.text
    return result


def listed(value):
    return value if isinstance(value, list) else [value]


#: What a program calls, by the letters of `Controller.calls`.
CALLS = {
    "T": "Play Pause Stop Next Previous Seek", "I": "GetTransportInfo", "M": "GetPositionInfo",
    "M+": "GetMediaInfo GetTransportSettings GetCrossfadeMode GetCurrentTransportActions",
    "P": "SetPlayMode SetCrossfadeMode", "S": "ConfigureSleepTimer", "S+": "GetRemainingSleepTimerDuration",
    "V": "SetVolume SetMute", "V+": "GetVolume GetMute", "R": "SetRelativeVolume",
    "E": "GetBass SetBass GetTreble SetTreble GetLoudness SetLoudness", "EQ": "SetEQ",
    "G": "SnapshotGroupVolume GetGroupVolume SetGroupVolume SetRelativeGroupVolume GetGroupMute", "Gm": "SetGroupMute",
    "B": "Browse", "Q": "AddURIToQueue RemoveAllTracksFromQueue", "Q1": "RemoveTrackFromQueue",
    "Qn": "RemoveTrackRangeFromQueue", "Qo": "ReorderTracksInQueue", "Qm": "AddMultipleURIsToQueue", "Qs": "SaveQueue",
    "SQ": "CreateSavedQueue AddURIToSavedQueue ReorderTracksInSavedQueue", "U": "SetAVTransportURI",
    "0": "R:0/0", "F": "FV:2", "c": "CreateObject", "d": "DestroyObject", "K": "BecomeCoordinatorOfStandaloneGroup",
    "X": "DelegateGroupCoordinationTo", "Z": "GetZoneGroupState", "H": "GetHouseholdID", "i": "GetZoneInfo",
    "A": "GetZoneAttributes", "a": "SetZoneAttributes", "L": "ListAvailableServices", "D": "GetLEDState SetLEDState",
    "l": "ListAlarms", "g": "GetZoneGroupAttributes", "s": "GetString"}


class Controller:
    """One program. What differs from program to program is in the classes below."""

    #: Its searches, and where they go.
    search = ""
    to = (ssdp.GROUP,)
    #: Heads, line by line, and the body.
    post = ""
    body = ENVELOPE + '<s:Body><u:{action} xmlns:u="{urn}">{arguments}</u:{action}></s:Body></s:Envelope>'
    subscribe_head = ""
    renew_head = ""
    unsubscribe_head = ""
    callback = "/"
    #: The services whose events it wants.
    subscribes = ()
    #: What sets its requests apart.
    urns = {}
    #: Letters of `CALLS`.
    calls = ""
    #: Arguments that it sends beside those of an action, that it leaves out, that it calls otherwise, and that it sends last.
    surplus = {}
    lacking = {}
    renamed = {}
    last = ()

    def __init__(self, link):
        self.link = link
        self.receiver = Receiver(link.phone)
        self.sids = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.receiver.close()

    # Finding

    def find(self):
        """The zone's address, by each of its searches."""
        found = set()
        for group in self.to:
            def search(group=group):
                return [zone for answer in ask(self.link, self.search, group, seconds=2, enough=1)
                        if (zone := self.answered(answer.raw, answer.source[0])) is not None]
            found.update(until(search, 10, f"found by its search to {group}"))
        assert len(found) == 1
        self.zone = found.pop()
        return self.zone

    def answered(self, raw, source):
        """The address of the zone in an answer to a search; None for an answer that it leaves alone."""
        raise NotImplementedError

    def described(self):
        """What it takes from the description; those that don't read it take nothing."""

    # Requests

    def _send(self, head, url, body=b"", **fields):
        address, port, path, host = http.split(url)
        lines = [line.format(path=path, host=host, address=address, length=len(body), **fields)
                 for line in head.strip().split("\n")]
        with http.Connection(address, port, 10 * PATIENCE) as connection:
            connection.send(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
            return connection.receive()

    def url(self, service, kind):
        return f"http://{self.link.speaker}:1400{PARTS.get(service, '')}/{service}/{kind}"

    def urn(self, service):
        return self.urns.get(service, UPNP.format(service))

    def get(self, path):
        response = http.get(f"http://{self.link.speaker}:1400{path}")
        assert response.status == 200, f"{path}: {response.status}"
        return response

    def arguments(self, values):
        return "".join(f"<{name}>{self.written(name, value)}</{name}>" for name, value in values.items())

    def written(self, name, value):
        return escape(str(value), {'"': "&quot;"})

    @classmethod
    def does(cls, action):
        return action in " ".join(CALLS[letter] for letter in cls.calls.split()).split()

    def value(self, action, result, name):
        """One value of an answer, by its official name."""
        return result[name]

    def call(self, service, action, **values):
        urn = self.urn(service)
        values = {**values, **self.surplus.get(action, {})}
        late = {name: values.pop(name) for name in self.last if name in values}
        values = {self.renamed.get(name, name): value for name, value in {**values, **late}.items()
                  if name not in self.lacking.get(action, ())}
        body = self.body.format(action=action, urn=urn, arguments=self.arguments(values)).encode()
        response = self._send(self.post, self.url(service, "Control"), body, action=action, urn=urn)
        assert response["content-type"].startswith("text/xml"), response.head
        return self.read(service, action, response)

    def read(self, service, action, response):
        """What it makes of an answer; raises `Refused` where it sees that the zone has refused."""
        raise NotImplementedError

    def refused(self, service, action, **values):
        """The code with which a call is refused."""
        try:
            result = self.call(service, action, **values)
        except Refused as refusal:
            return refusal.code
        raise AssertionError(f"{action} was done: {result}")

    # Events

    def subscribe(self):
        """All services that it wants; each has to tell its state."""
        for service in self.subscribes:
            response = self._send(
                self.subscribe_head, self.url(service, "Event"),
                callback=self.receiver.url(self.callback.format(service=service, part=PARTS.get(service, ""))))
            assert response.status == 200, f"SUBSCRIBE to {service}: {response.status}"
            self.sids[service] = self.subscribed(response)
        return {service: self.event(service) for service in self.subscribes}

    def subscribed(self, response):
        """The SID, out of the answer."""
        assert int(response["timeout"].removeprefix("Second-")) > 0
        return response["sid"]

    def event(self, service, since=0, condition=lambda told: True):
        """What it makes of the first event from `since` on for which that holds."""
        def wanted(event):
            return event.sid == self.sids[service] and condition(self.told(service, event))
        return self.told(service, self.receiver.events.wait(wanted, 6, f"an event of {service}", since))

    def told(self, service, event):
        """What it makes of an event."""
        raise NotImplementedError

    def end(self):
        """Renews and ends its subscriptions, as it does."""
        for service, sid in self.sids.items():
            response = self._send(self.renew_head, self.url(service, "Event"), sid=sid)
            assert response.status == 200 and self.subscribed(response) == sid
        for service, sid in self.sids.items():
            assert self._send(self.unsubscribe_head, self.url(service, "Event"), sid=sid).status == 200


def raw_head(event):
    return event.raw.split(b"\r\n\r\n", 1)[0].decode()


def raw_body(event):
    return event.raw.split(b"\r\n\r\n", 1)[1].decode()


def properties(event):
    """By name; each `property` has one element."""
    found = {}
    for prop in ET.fromstring(raw_body(event)):
        assert prop.tag == "{urn:schemas-upnp-org:event-1-0}property"
        found[local(prop[0].tag)] = prop[0].text or ""
    return found


def lines_of(raw):
    """The fields of an answer to a search by the letters of their names, as programs split it."""
    return dict(re.findall(r"(?m)^([^:\r\n]+): ([^\r\n]+)", raw.decode()))


# JavaScript

_NODE = "Host: {host}\nConnection: close"
#: `request` and Node's own client: a SUBSCRIBE has no body.
_NODE_EMPTY = _NODE + "\nContent-Length: 0"


class Jishi(Controller):
    """node-sonos-discovery, under node-sonos-http-api (lib/sonos-ssdp.js, helpers/soap.js, models/Player.js)."""

    calls = "L T M P S V EQ Gm B Q Q1 Qn Qo Qs U F K"
    surplus = {"SetGroupMute": {"Channel": "Master"}}
    lacking = {"RemoveTrackFromQueue": ("UpdateID",)}

    search = f"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:reservedSSDPport\r\nMAN: ssdp:discover\r\nMX: 1\r\nST: {ZONE}"
    to = (ssdp.GROUP, BROADCAST)
    post = """POST {path} HTTP/1.1
CONTENT-TYPE: text/xml; charset="utf-8"
SOAPACTION: "{urn}#{action}"
CONTENT-LENGTH: {length}
""" + _NODE
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\nTIMEOUT: Second-600\nCALLBACK: <{callback}>\nNT: upnp:event\n" + _NODE_EMPTY
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nTIMEOUT: Second-600\nSID: {sid}\n" + _NODE_EMPTY
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nSID: {sid}\n" + _NODE_EMPTY
    subscribes = ("ZoneGroupTopology", "AVTransport", "RenderingControl", "GroupRenderingControl", "ContentDirectory")

    def answered(self, raw, source):
        if ZONE not in raw.decode("ascii"):
            return None
        fields = lines_of(raw)
        assert fields["X-RINCON-HOUSEHOLD"].startswith("Sonos_")
        assert fields["LOCATION"].startswith(f"http://{source}:1400/")
        return source

    def arguments(self, values):
        """It leaves empty ones without an end tag of their own where its template does."""
        return super().arguments(values).replace("<Filter></Filter>", "<Filter />") \
            .replace("<SortCriteria></SortCriteria>", "<SortCriteria />")

    def read(self, service, action, response):
        if not 200 <= response.status <= 299:
            raise Refused
        body = literal(response.body).child("s:Body")
        assert len(body.children) == 1
        return flow(body.children[0])

    def value(self, action, result, name):
        return result[name.lower()]

    def told(self, service, event):
        self.uid = re.fullmatch(r"uuid:(.+)_sub.*", event.sid)[1]
        values = {child.children[0].name.lower(): child.children[0] for child in literal(raw_body(event)).children}
        if service == "ZoneGroupTopology":
            groups = []
            for group in literal(values["zonegroupstate"].text).child("ZoneGroups").children:
                read = flow(group)
                assert {member["uuid"] for member in listed(read["zonegroupmember"])} >= {read["$attrs"]["coordinator"]}
                groups.append(read)
            return groups
        if service == "ContentDirectory":
            return values["containerupdateids"].text
        if service == "GroupRenderingControl":
            return {name: node.text for name, node in values.items()}
        change = flow(literal(values["lastchange"].text).child("InstanceID"))
        if "mute" in change:
            assert [mute for mute in change["mute"] if mute["channel"] == "Master"]
            assert [volume for volume in change["volume"] if volume["channel"] == "Master"]
        if "transportstate" in change:
            int(change["currenttrack"]["val"])
            assert change["currentcrossfademode"]["val"] in "01" and change["currentplaymode"]["val"]
            change["track"] = self.track(change["currenttrackmetadata"]["val"])
            change["next"] = self.track(change["r:nexttrackmetadata"]["val"])
            if change["avtransporturimetadata"]["val"]:
                station = flow(literal(change["avtransporturimetadata"]["val"]).child("item"))
                change["station"] = station["dc:title"]
                assert isinstance(change["track"]["upnp:albumarturi"], str)
        return change

    @staticmethod
    def track(metadata):
        if not metadata:
            return {}
        item = flow(literal(metadata).child("item"))
        assert item["res"]["$text"]
        return item

    def browse(self, object_id):
        """All of it, part by part."""
        items, start = [], 0
        while True:
            answer = self.call("ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag="BrowseDirectChildren", Filter="",
                               StartingIndex=start, RequestedCount=0, SortCriteria="")
            number, total = int(answer["numberreturned"]), int(answer["totalmatches"])
            for node in literal(answer["result"]).children:
                item = flow(node)
                items.append({"uri": item["res"]["$text"] if "$text" in item["res"] else "", "title": item["dc:title"],
                              "metadata": item.get("r:resmd")})
            start += number
            if start >= total:
                return items
            assert number > 0, "it would ask for ever"


class NodeSonos(Controller):
    """bencevans' node-sonos (lib/deviceDiscovery.js, lib/sonos.js, lib/services/Service.js, lib/events)."""

    calls = "i A a D T I M M+ P S V V+ R B Q Qn Qo SQ U 0 F c d K l"
    surplus = {**dict.fromkeys(("Pause", "Stop", "Next", "Previous"), {"Speed": 1}),
               "GetPositionInfo": {"Channel": "Master"}}
    lacking = {"SetZoneAttributes": ("DesiredTargetRoomName",)}

    search = f"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: ssdp:discover\r\nMX: 1\r\nST: {ZONE}"
    to = (ssdp.GROUP, BROADCAST)
    post = """POST {path} HTTP/1.1
SOAPAction: "{urn}#{action}"
Content-type: text/xml; charset=utf8
host: {host}
content-length: {length}
Connection: close"""
    body = '<?xml version="1.0" encoding="utf-8"?>' + ENVELOPE \
        + '  <s:Body><u:{action} xmlns:u="{urn}">{arguments}</u:{action}></s:Body></s:Envelope>'
    subscribe_head = """SUBSCRIBE {path} HTTP/1.1
callback: <{callback}>
NT: upnp:event
Timeout: Second-1800
""" + _NODE_EMPTY
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nSID: {sid}\nTimeout: Second-1800\n" + _NODE_EMPTY
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nsid: {sid}\n" + _NODE_EMPTY
    callback = "/notify"
    subscribes = ("AlarmClock", "ZoneGroupTopology", "AVTransport", "RenderingControl", "GroupRenderingControl",
                  "ContentDirectory", "Queue")

    def answered(self, raw, source):
        text = raw.decode()
        if not re.search(r".+Sonos.+", text):
            return None
        assert re.search(r"SERVER.*\((.*)\)", text)[1]
        return source

    def read(self, service, action, response):
        body = merged(literal(response.body))["s:Body"]
        if "s:Fault" in body:
            raise Refused(int(body["s:Fault"]["detail"]["UPnPError"]["errorCode"]))
        result = body[f"u:{action}Response"]
        assert result["xmlns:u"] == self.urn(service), "what it takes for success"
        return result

    def quoted(self, service, action, **values):
        """Two of its calls stand between quotation marks inside the body."""
        urn = self.urn(service)
        body = ENVELOPE + f'<s:Body>"<u:{action} xmlns:u="{urn}">{self.arguments(values)}</u:{action}>"</s:Body></s:Envelope>'
        response = self._send(self.post, self.url(service, "Control"), body.encode(), action=action, urn=urn)
        return self.read(service, action, response)

    def told(self, service, event):
        found = merged(literal(raw_body(event)))
        found = found["e:property"] if "e:propertyset" not in found else found["e:propertyset"]["e:property"]
        if service in ("AVTransport", "RenderingControl", "Queue"):
            change = merged(literal(found["LastChange"]))
            if service == "Queue":
                return change
            change = change["InstanceID"]
            if service == "RenderingControl":
                int(change["Volume"][0]["val"])
                assert change["Mute"][0]["val"] in "01"
                return change
            values = {name: inside["val"] for name, inside in change.items() if name != "val"}
            if values["CurrentTrackMetaData"]:
                values["track"] = merged(literal(values["CurrentTrackMetaData"]))["item"]
                assert values["track"]["id"] and values["CurrentTrackDuration"]
            if values["r:NextTrackMetaData"]:
                assert merged(literal(values["r:NextTrackMetaData"]))["item"]["dc:title"]
            return values
        # Two or more, or it wouldn't be a list.
        assert isinstance(found, list)
        values = {name: text for element in found for name, text in element.items()}
        if service == "ZoneGroupTopology":
            values["ZoneGroupState"] = merged(literal(values["ZoneGroupState"]))
            assert merged(literal(values["AvailableSoftwareUpdate"]))
        return values

    def browse(self, object_id, kind="item", **values):
        answer = self.call("ContentDirectory", "Browse", **{
            "ObjectID": object_id, "BrowseFlag": "BrowseDirectChildren", "Filter": "*", "StartingIndex": 0,
            "RequestedCount": 100, "SortCriteria": "", **values})
        inside = merged(literal(answer["Result"]))
        items = [] if kind not in inside else listed(inside[kind])
        assert len(items) == int(answer["NumberReturned"])
        for item in items:
            assert "_" in item["res"] or "protocolInfo" in item["res"]
        return items


class Svrooij(Controller):
    """@svrooij/sonos (src/sonos-device-discovery.ts, services/base-service.ts, helpers, sonos-event-listener.ts)."""

    calls = "Z A T I M M+ P S V V+ R B Q U F K l s"

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {ZONE}'
    to = (ssdp.GROUP, BROADCAST)
    _FIELDS = "Accept: */*\nUser-Agent: node-fetch/1.0 (+https://github.com/bitinn/node-fetch)\n" \
        "Accept-Encoding: gzip,deflate\nConnection: close\nHost: {host}"
    post = """POST {path} HTTP/1.1
SOAPAction: "{urn}#{action}"
Content-Type: text/xml; charset=utf8
Content-Length: {length}
""" + _FIELDS
    body = ENVELOPE + '\r\n<s:Body><u:{action} xmlns:u="{urn}">{arguments}</u:{action}></s:Body>\r\n</s:Envelope>'
    subscribe_head = """SUBSCRIBE {path} HTTP/1.1
callback: <{callback}>
NT: upnp:event
Timeout: Second-3600
""" + _FIELDS
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nSID: {sid}\nTimeout: Second-3600\n" + _FIELDS
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nSID: {sid}\n" + _FIELDS
    callback = "/sonos/RINCON/{service}"
    subscribes = ("ZoneGroupTopology", "AVTransport", "RenderingControl")

    def answered(self, raw, source):
        text = raw.decode()
        model = re.search(r"SERVER.{0,200}\((.{2,50})\)", text) if re.search(r".Sonos.+", text) else None
        return source if model else None

    def written(self, name, value):
        """Addresses go out with their ampersands, and with other colons than the first one as %3a."""
        text = "" if value is None else str(value)
        if isinstance(value, bool):
            return "1" if value else "0"
        if "MetaData" in name:
            return escape(text, {'"': "&quot;", "'": "&apos;"})
        if not name.endswith("URI"):
            return text
        if text.startswith("http"):
            return quote(text, safe=";,/?:@&=+$-_.!~*'()#")
        if text.startswith("x-rincon-mp3radio"):
            return text
        scheme, _, rest = text.partition(":")
        return f"{scheme}:" + escape(rest, {'"': "&quot;", "'": "&apos;"}).replace(":", "%3a") if text else ""

    def read(self, service, action, response):
        text = response.body.decode()
        body = literal(response.body).child("s:Body")
        if response.status != 200:
            fault = body.child("s:Fault")
            assert fault.child("faultcode").text and fault.child("faultstring").text
            raise Refused(int(fault.child("detail").child("UPnPError").child("errorCode").text))
        values = {child.name: child.text for child in body.child(f"u:{action}Response").children}
        for name in values:
            if "MetaData" in name and values[name]:
                assert re.search(f"<{name}>&lt;", text), "text that doesn't begin like this isn't read as metadata"
                values[name] = self.track(values[name])
            elif "URI" in name:
                values[name] = html.unescape(unquote(values[name], errors="strict"))
        return values

    def track(self, metadata):
        item = merged(literal(metadata))["item"]
        track = {"title": item.get("dc:title"), "artist": item.get("dc:creator"), "class": item["upnp:class"]}
        content = item.get("r:streamContent")
        if content and track["artist"] is None:
            words = content.split("-")
            track["artist"] = words[0].strip()
            if len(words) == 2:
                track["title"] = words[1].strip()
        if "res" in item:
            track["uri"], track["duration"] = item["res"]["_"], item["res"].get("duration")
        return track

    def told(self, service, event):
        assert re.search(r"(?m)^SID: ", raw_head(event)), "it looks for these letters"
        found = merged(literal(raw_body(event)))["e:property"]
        if service == "ZoneGroupTopology":
            values = {name: text for element in found for name, text in element.items()}
            return self.groups(values["ZoneGroupState"])
        change = merged(literal(found["LastChange"]))["InstanceID"]
        if service == "RenderingControl":
            return {"Volume": {each["channel"]: int(each["val"]) for each in change["Volume"]},
                    "Mute": {each["channel"]: each["val"] == "1" for each in change["Mute"]}}
        values = {name.rsplit(":", 1)[-1]: inside["val"] for name, inside in change.items() if name != "val"}
        for name in ("CurrentTrackMetaData", "NextTrackMetaData", "EnqueuedTransportURIMetaData", "AVTransportURIMetaData"):
            if values[name]:
                values[name] = self.track(values[name])
        return values

    def groups(self, state):
        root = literal(state)
        assert root.name == "ZoneGroupState", "it takes nothing else"
        groups = []
        for group in root.child("ZoneGroups").children:
            members = {member.attributes["UUID"]: member.attributes for member in group.children}
            coordinator = members[group.attributes["Coordinator"]]
            for member in members.values():
                assert re.fullmatch(r"http://[\d.]+:1400/.*", member["Location"])
                assert not member.get("ChannelMapSet") and not member.get("HTSatChanMapSet")
                int(member["TVConfigurationError"])
            groups.append((group.attributes["ID"], coordinator["ZoneName"], members))
        return groups

    def browse(self, object_id):
        answer = self.call("ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag="BrowseDirectChildren", Filter="*",
                           StartingIndex=0, RequestedCount=0, SortCriteria="")
        return [merged(child) for child in literal(answer["Result"]).children]


class NodeRed(Svrooij):
    """node-red-contrib-sonos-plus (src/Discovery-base-hk.js, Extensions.js, Commands.js): @svrooij/sonos, and calls of its own."""

    calls = "Z T I M M+ P S V V+ R E G Gm B Q Qn Qs U 0 F d K X D l"

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 3\r\nST: {ZONE}'
    to = (ssdp.GROUP,)
    own_post = """POST {path} HTTP/1.1
Accept: application/json, text/plain, */*
SOAPAction: "{urn}#{action}"
Content-Type: text/xml; charset=utf8
User-Agent: axios/1.7.2
Content-Length: {length}
Accept-Encoding: gzip, compress, deflate, br
Host: {host}
Connection: close"""

    def answered(self, raw, source):
        return source if "Sonos" in raw.decode() else None

    def own(self, service, action, **values):
        """What comes back stays as it is written: it decodes what it wants to."""
        urn = self.urn(service)
        inside = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
        body = ENVELOPE + f'<s:Body><u:{action} xmlns:u="{urn}">{inside}</u:{action}></s:Body></s:Envelope>'
        response = self._send(self.own_post, self.url(service, "Control"), body.encode(), action=action, urn=urn)
        text = response.body.decode()
        if response.status != 200:
            raise Refused(int(re.search(r"<errorCode>(\d+)</errorCode>", text)[1]))
        head = re.search(f'<u:{action}Response xmlns:u="{re.escape(urn)}"', text)
        assert head, "it compares this"
        return dict(re.findall(r"<(\w+)>([^<]*)</\1>", text[head.end():]))


class HomebridgeZP(Controller):
    """hb-zp-tools under homebridge-zp (lib/ZpClient.js, ZpListener.js, ZpXmlParser.js), over hb-lib-tools."""

    calls = "Z H A i g T I P S S+ V V+ R E G Gm D Q U F K X l"

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 5\r\nST: {ZONE}\r\n'
    _FIELDS = "Host: {host}\nConnection: keep-alive"
    post = """POST {path} HTTP/1.1
SOAPaction: "{urn}#{action}"
content-type: text/xml; charset=utf-8
Content-Length: {length}
""" + _FIELDS
    # The timeout is what comes of adding a number to a text.
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\nTIMEOUT: Second-180030\nCALLBACK: <{callback}>\nNT: upnp:event\n" + _FIELDS
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nTIMEOUT: Second-180030\nSID: {sid}\n" + _FIELDS
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nSID: {sid}\n" + _FIELDS
    callback = "/notify/RINCON{part}/{service}/Event"
    subscribes = ("ZoneGroupTopology", "AlarmClock", "MusicServices", "DeviceProperties", "SystemProperties", "GroupManagement",
                  "AVTransport", "RenderingControl", "GroupRenderingControl", "ContentDirectory")
    _WORDS = ("DIDL-Lite", "EQ", "HT", "IP", "IR", "LED", "LF", "MAC", "RF", "SCPD", "SSID", "SSL", "SW", "TOS", "TV", "UDN",
              "URI", "URL", "UUID", "ID")

    def answered(self, raw, source):
        fields = [line.split(": ") for line in raw.decode().strip().split("\r\n")]
        message = {pair[0].lower(): pair[1] for pair in fields if len(pair) == 2}
        if fields[0] != ["HTTP/1.1 200 OK"] or message["st"] != ZONE:
            return None
        assert int(message["x-rincon-bootseq"]) >= 1 and message["x-rincon-household"]
        assert message["usn"].split(":")[1].startswith("RINCON_")
        return re.match(r"http://([\d.]+):1400/", message["location"])[1]

    def _key(self, name):
        words = name.split(":")
        if len(words) == 2 and words[0] not in ("xmlns", "e", "s"):
            name = words[1]
        for word in self._WORDS:
            place = name.rfind(word)
            if place >= 0:
                name = name[:place] + (word.capitalize() if place else word.lower()) + name[place + len(word):]
        return name[:1].lower() + name[1:]

    def _value(self, text):
        return int(text) if re.fullmatch(r"[0-9]+", text) else text

    def parsed(self, text):
        """XML in texts too, as long as it stands in one line."""
        return self._inside(merged(literal(text), self._key, self._value))

    def _inside(self, value):
        if isinstance(value, str) and re.fullmatch(r"<.*>", value):
            return self.parsed(value)
        if isinstance(value, list):
            return [self._inside(each) for each in value]
        if isinstance(value, dict):
            return {name: self._inside(each) for name, each in value.items() if not name.startswith("xmlns")}
        return value

    def described(self):
        response = self.get("/xml/device_description.xml")
        assert response["content-type"].startswith("text/xml")
        device = self.parsed(response.body.decode())["device"]
        names = {service["serviceId"].split(":")[3] for service in listed(device["serviceList"]["service"])}
        assert "AudioIn" not in names and "HTControl" not in names
        return {"id": device["udn"].split(":")[1], "room": device["roomName"], "memory": device["memory"],
                "os": "S1" if int(device["displayVersion"].split(".")[0]) <= 11 else "S2"}

    def read(self, service, action, response):
        if response.status != 200:
            raise Refused
        return self.parsed(response.body.decode())["s:Body"][self._key(f"u:{action}Response")]

    def value(self, action, result, name):
        return result[self._key(name)]

    def written(self, name, value):
        """It writes values as they are: what has to be escaped has been by those who call it."""
        return str(value)

    def told(self, service, event):
        assert event.path == self.callback.format(service=service, part=PARTS.get(service, ""))
        values = {}
        for each in listed(self.parsed(raw_body(event))["e:property"]):
            values.update(each)
        if service == "ZoneGroupTopology":
            group = values["zoneGroupState"]["zoneGroups"]["zoneGroup"]
            member = group["zoneGroupMember"]
            assert isinstance(member["bootSeq"], int) and member["location"].split("/")[2].endswith(":1400")
            assert "channelMapSet" not in member and "htSatChanMapSet" not in member and "invisible" not in member
            assert values["museHouseholdId"].split(".")[0].startswith("Sonos_")
            return {"id": member["uuid"], "zone": member["zoneName"], "group": group["coordinator"]}
        if "lastChange" in values:
            return values["lastChange"]["instanceId"]
        return values

    def browse(self, object_id="FV:2"):
        """By title: address and metadata, both escaped for the next call."""
        answer = self.call("ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag="BrowseDirectChildren",
                           Filter="dc:title,res,dc:creator,upnp:artist,upnp:album,upnp:albumArtURI", StartingIndex=0,
                           RequestedCount=0, SortCriteria="")["result"]
        found = {}
        for kind in ("item", "container"):
            for each in listed(answer.get(kind, [])):
                found[each["title"]] = {"uri": escape(each["res"]["_"]) if "_" in each["res"] else None}
                if "resMD" in each:
                    found[each["title"]]["meta"] = self._metadata(each["resMD"]["item"])
        return found

    @staticmethod
    def _metadata(item):
        text = (
            '<DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"'
            ' xmlns:r="urn:schemas-rinconnetworks-com:metadata-1-0/" xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/">'
            f'<item id="{item["id"]}" parentID="{item["parentId"]}" restricted="{item["restricted"]}">'
            f'<dc:title>{item["title"]}</dc:title><upnp:class>{item["class"]}</upnp:class>'
            f'<desc id="cdudn" nameSpace="urn:schemas-rinconnetworks-com:metadata-1-0/">{item["desc"]["_"]}</desc>'
            "</item></DIDL-Lite>")
        return escape(text, {'"': "&quot;", "'": "&#39;"})


# C++, C#, Go and Rust

class Noson(Controller):
    """noson (src/sonossystem.cpp, service.cpp, private/wsrequest.cpp, private/didlparser.cpp)."""

    calls = "H i L g l T I M P S V V+ E B Q Q1 Qn Qo Qm Qs SQ U 0 F c d K"
    surplus = dict.fromkeys(("Pause", "Stop", "Next", "Previous"), {"Speed": 1})
    renamed = {"ContainerMetaData": "ContainerMetadata"}
    last = ("UpdateID",)

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {ZONE}\r\n\r\n'
    to = (BROADCAST, ssdp.GROUP)
    _FIELDS = "Host: {host}\nUser-Agent: libnoson/2.12\nConnection: close\nAccept-Charset: utf-8"
    post = "POST {path} HTTP/1.1\n" + _FIELDS + """
Content-Type: text/xml; charset=utf-8
Content-Length: {length}
Accept-Encoding: gzip, deflate
SOAPAction: "{urn}#{action}\""""
    body = '<?xml version="1.0" encoding="utf-8"?>' + Controller.body
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + """
Accept-Encoding: gzip, deflate
Callback: <{callback}>
NT: upnp:event
TIMEOUT: Second-300"""
    renew_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nAccept-Encoding: gzip, deflate\nSID: {sid}\nTIMEOUT: Second-300"
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nAccept-Encoding: gzip, deflate\nSID: {sid}"
    callback = ""
    subscribes = ("ZoneGroupTopology", "AlarmClock", "ContentDirectory", "AVTransport", "RenderingControl")

    def answered(self, raw, source):
        fields = {name.upper(): text for name, text in lines_of(raw).items()}
        model = re.search(r"Sonos/.*?\((.*?)\)", fields.get("SERVER", ""))
        if not model or model[1].startswith(("WD", "CR", "BR", "ANVI")):
            return None
        return re.match(r"http://([\d.]+):(\d+)/", fields["LOCATION"])[1]

    def read(self, service, action, response):
        root = literal(response.body)
        assert root.name.split(":")[-1] == "Envelope" and root.children[0].name.split(":")[-1] == "Body"
        first = root.children[0].children[0]
        if first.name.split(":")[-1] == "Fault":
            assert first.child("faultstring").text == "UPnPError"
            raise Refused(int(first.child("detail").children[0].child("errorCode").text))
        assert first.name == f"u:{action}Response"
        return {child.name: child.text for child in first.children if child.text}

    def told(self, service, event):
        head = raw_head(event)
        assert re.search(r"(?mi)^CONTENT-TYPE: text/xml", head) and re.search(r"(?mi)^NT: upnp:event", head)
        values = properties(event)
        if "LastChange" in values:
            return {(local(each.tag), each.get("channel")): each.get("val") for each in ET.fromstring(values["LastChange"])[0]}
        if service == "ContentDirectory":
            root, number = values["ContainerUpdateIDs"].split(",")[:2]
            return {**values, "container": root, "number": int(number)}
        return values

    def browse(self, object_id, start=0, count=100):
        answer = self.call("ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag="BrowseDirectChildren", Filter="*",
                           StartingIndex=start, RequestedCount=count, SortCriteria="")
        int(answer["UpdateID"]), int(answer["TotalMatches"])
        root = literal(answer["Result"])
        assert root.name == "DIDL-Lite"
        items = []
        for each in root.children:
            assert each.attributes["id"] and each.attributes["parentID"] and each.attributes["restricted"] in ("true", "false")
            items.append({"id": each.attributes["id"], **{child.name: child.text for child in each.children}})
        assert len(items) == int(answer["NumberReturned"])
        return items


class OpenPhonos(Controller):
    """openphonos, as phonos is (src/UPnP/Finder.cs, Device.cs, Service.cs, Listener.cs; src/Sonos/Player.cs)."""

    calls = "Z i g T I M P V V+ G Gm B Q Qm Qs U F c K"

    search = f'M-SEARCH * HTTP/1.1\r\nHOST:239.255.255.250:1900\r\nMAN:"ssdp:discover"\r\nMX:3\r\nST:{ZONE}\r\n\r\n'
    to = (ssdp.GROUP, BROADCAST)
    post = """POST {path} HTTP/1.1
Host: {host}
user-agent: Linux UPnP/1.0 Sonos/29.3-87071 (OpenPhonos)
Content-Type: text/xml; charset=utf-8
SOAPACTION: "{urn}#{action}"
Content-Length: {length}"""
    body = '<?xml version="1.0" encoding="utf-8"?>' + Controller.body
    _FIELDS = "Host: {host}\nCache-Control: no-cache\nConnection: close\nuseragent: OpenPhonos"
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\nNT: upnp:event\nCALLBACK: <{callback}>\nTIMEOUT: Second-240\n" + _FIELDS
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nSID: {sid}\nTIMEOUT: Second-240\n" + _FIELDS
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nSID: {sid}\n" + _FIELDS
    callback = "/notify/1"
    subscribes = ("ZoneGroupTopology", "RenderingControl", "DeviceProperties", "GroupRenderingControl", "ContentDirectory",
                  "AVTransport")

    def answered(self, raw, source):
        first, *rest = raw.decode().splitlines()
        fields = {}
        for line in rest:
            if line:
                assert line.find(":") >= 1, "it drops the whole answer"
                name, _, text = line.partition(":")
                fields[name.strip().lower()] = text.strip()
        if first != "HTTP/1.1 200 OK" or fields["st"] != ZONE:
            return None
        assert fields["x-rincon-household"]
        return re.match(r"http://([\d.]+):1400/", fields["location"])[1]

    def described(self):
        """Services are looked for below devices, by both of their types; requests go where it finds them."""
        root = ET.fromstring(self.get("/xml/device_description.xml").body)
        assert root.tag == f"{DEVICE}root"

        def service(device, name):
            inside = next(each for each in root.iter(f"{DEVICE}device")
                          if each.findtext(f"{DEVICE}deviceType") == f"urn:schemas-upnp-org:device:{device}:1")
            found = next(each for each in inside.iter(f"{DEVICE}service")
                         if each.findtext(f"{DEVICE}serviceId") == f"urn:upnp-org:serviceId:{name}")
            assert found.findtext(f"{DEVICE}controlURL") == f"{PARTS.get(name, '')}/{name}/Control"
            assert found.findtext(f"{DEVICE}eventSubURL") == f"{PARTS.get(name, '')}/{name}/Event"
            self.urns[name] = found.findtext(f"{DEVICE}serviceType")
        self.urns = {}
        for name in ("DeviceProperties", "ZoneGroupTopology", "SystemProperties", "MusicServices", "AlarmClock"):
            service("ZonePlayer", name)
        for name in ("AVTransport", "RenderingControl", "GroupRenderingControl"):
            service("MediaRenderer", name)
        service("MediaServer", "ContentDirectory")

        def text(name):
            return next(root.iter(f"{DEVICE}{name}")).text
        assert not int(text("feature3"), 16) & 0x80 and next(root.iter(f"{DEVICE}icon")).findtext(f"{DEVICE}url")
        return {name: text(name) for name in (
            "roomName", "UDN", "modelName", "modelNumber", "friendlyName", "serialNum", "softwareVersion", "hardwareVersion",
            "seriesid", "displayName", "memory", "flash", "swGen", "minCompatibleVersion")}

    OUT = {
        "GetPositionInfo": "Track TrackDuration TrackMetaData TrackURI RelTime AbsTime RelCount AbsCount",
        "GetTransportInfo": "CurrentTransportState CurrentTransportStatus CurrentSpeed",
        "GetMediaInfo": "NrTracks MediaDuration CurrentURI CurrentURIMetaData NextURI NextURIMetaData PlayMedium RecordMedium "
                        "WriteStatus",
        "AddURIToQueue": "FirstTrackNumberEnqueued NumTracksAdded NewQueueLength",
        "AddMultipleURIsToQueue": "FirstTrackNumberEnqueued NumTracksAdded NewQueueLength NewUpdateID",
        "SaveQueue": "AssignedObjectID", "GetVolume": "CurrentVolume", "GetMute": "CurrentMute",
        "GetGroupVolume": "CurrentVolume", "GetGroupMute": "CurrentMute", "SetRelativeGroupVolume": "NewVolume",
        "CreateObject": "ObjectID Result", "BecomeCoordinatorOfStandaloneGroup": "DelegatedGroupCoordinatorID NewGroupID",
        "GetZoneInfo": "SerialNumber SoftwareVersion DisplaySoftwareVersion HardwareVersion IPAddress MACAddress CopyrightInfo "
                       "ExtraInfo HTAudioIn Flags",
        "GetZoneGroupAttributes": "CurrentZoneGroupName CurrentZoneGroupID CurrentZonePlayerUUIDsInGroup CurrentMuseHouseholdId",
        "GetZoneGroupState": "ZoneGroupState"}

    def value(self, action, result, name):
        names = self.OUT[action].split()
        assert len(result) >= len(names)
        return result[names.index(name)]

    def read(self, service, action, response):
        """By place: the texts of the answer, in their order."""
        root = ET.fromstring(response.body)
        error = root.find(".//{urn:schemas-upnp-org:control-1-0}UPnPError")
        if error is not None:
            raise Refused(int(error.findtext("{urn:schemas-upnp-org:control-1-0}errorCode")))
        answer = next(root.iter(f"{{{self.urn(service)}}}{action}Response"))
        return [each.text or "" for each in list(answer.iter())[1:]]

    def told(self, service, event):
        assert b"CONTENT-LENGTH:" in event.raw and len(event.raw) < 65536
        values = properties(event)
        if service == "RenderingControl":
            change = ET.fromstring(values["LastChange"])
            name = "{urn:schemas-upnp-org:metadata-1-0/RCS/}"
            return {key: next(each.get("val") for each in change.iter(name + key) if each.get("channel", "Master") == "Master")
                    for key in ("Volume", "Mute", "OutputFixed")}
        if service == "ContentDirectory":
            numbers = values["ContainerUpdateIDs"]
            assert numbers.startswith("Q:0,")
            return {"queue": int(numbers.split(",")[1])}
        return values

    def browse(self, object_id, flag="BrowseDirectChildren", start=0, count=0):
        """What it keeps of each object."""
        result, number, total, update = self.call(
            "ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag=flag, Filter="*", StartingIndex=start,
            RequestedCount=count, SortCriteria="")
        items = [{"res": each.findtext(f"{DIDL}res"), "title": each.findtext(f"{DC}title"), "about": each.findtext(f"{R}resMD")}
                 for each in ET.fromstring(result)]
        assert len(items) == int(number) and int(total) >= len(items) and int(update) >= 0
        return items


class SonosCLI(Controller):
    """steipete's sonoscli (internal/sonos/ssdp.go, soap.go, topology.go, didl.go, event_parse.go, play_uri.go)."""

    calls = "Z H L s T I M P V V+ G Gm B Q Q1 U F K"
    surplus = dict.fromkeys(("Pause", "Stop", "Next", "Previous"), {"Speed": 1})

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {ZONE}\r\n\r\n'
    post = """POST {path} HTTP/1.1
Host: {host}
User-Agent: Go-http-client/1.1
Content-Length: {length}
Content-Type: text/xml; charset="utf-8"
Soapaction: "{urn}#{action}"
Accept-Encoding: gzip"""
    body = '<?xml version="1.0"?>' + Controller.body
    _FIELDS = "Host: {host}\nUser-Agent: Go-http-client/1.1"
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nCallback: <{callback}>\nNt: upnp:event\nTimeout: Second-600"
    renew_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nSid: {sid}\nTimeout: Second-600"
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nSid: {sid}"
    subscribes = ("AVTransport", "RenderingControl")

    def answered(self, raw, source):
        first, *rest = raw.decode().split("\r\n")
        fields = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in rest if ":" in line}
        return re.match(r"http://([\d.]+):", fields["location"])[1] if first.startswith("HTTP/") else None

    def described(self):
        root = ET.fromstring(self.get("/xml/device_description.xml").body)
        device = root.find(f"{DEVICE}device")
        return {"room": device.findtext(f"{DEVICE}roomName"), "uid": device.findtext(f"{DEVICE}UDN").removeprefix("uuid:")}

    def arguments(self, values):
        """In the order of the alphabet."""
        return super().arguments(dict(sorted(values.items())))

    def written(self, name, value):
        """By encoding/xml, which writes quotation marks by their numbers."""
        return escape(str(value), {'"': "&#34;", "'": "&#39;", "\n": "&#xA;", "\t": "&#x9;"})

    def read(self, service, action, response):
        root = ET.fromstring(response.body)
        if response.status == 500:
            raise Refused(int(next(each.text for each in root.iter() if local(each.tag) == "errorCode")))
        assert response.status == 200
        return {local(each.tag): each.text or "" for each in root.find(f"{SOAP}Body")[0]}

    def told(self, service, event):
        """It decodes twice, so that metadata breaks what follows it: what it needs has to come first."""
        text = html.unescape(properties(event)["LastChange"])
        values = {}

        def start(name, attributes):
            if "val" in attributes and name != "InstanceID":
                channel = attributes.get("channel")
                values[name.split(":")[-1] + (f"/{channel}" if channel else "")] = attributes["val"]
        parser = expat.ParserCreate()
        parser.StartElementHandler = start
        try:
            parser.Parse(text, True)
        except expat.ExpatError:
            pass
        return values

    def topology(self):
        state = self.call("ZoneGroupTopology", "GetZoneGroupState")["ZoneGroupState"]
        return [member.attrib for member in ET.fromstring(state).iterfind("ZoneGroups/ZoneGroup/ZoneGroupMember")]

    def browse(self, object_id, start=0, count=100):
        answer = self.call("ContentDirectory", "Browse", ObjectID=object_id, BrowseFlag="BrowseDirectChildren", Filter="*",
                           StartingIndex=start, RequestedCount=count, SortCriteria="")
        int(answer["UpdateID"])
        items = []
        for each in ET.fromstring(answer["Result"]):
            values = {}
            for field in each:
                if (field.text or "").strip():
                    values.setdefault(local(field.tag).lower(), field.text)
            items.append({"id": each.get("id"), **values})
        assert len(items) == int(answer["NumberReturned"]) <= int(answer["TotalMatches"])
        return items


class SonosSDK(Controller):
    """tatimblin's sonos-sdk and sonos-cli (soap-client, sonos-discovery, sonos-api)."""

    calls = "Z T I M M+ P S S+ V V+ R E G Gm Q Q1 Qn Qs U K X"

    search = f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 2\r\nST: {ZONE}\r\n' \
        "USER-AGENT: sonos-rs/1.0 UPnP/1.0\r\n\r\n"
    post = """POST {path} HTTP/1.1
Host: {host}
User-Agent: ureq/2.9.1
Accept: */*
Content-Type: text/xml; charset="utf-8"
SOAPACTION: "{urn}#{action}"
Content-Length: {length}"""
    body = ENVELOPE + """
                <s:Body>
                    <u:{action} xmlns:u="{urn}">
                        {arguments}
                    </u:{action}>
                </s:Body>
            </s:Envelope>"""
    _FIELDS = "User-Agent: ureq/2.9.1\nAccept: */*\nHOST: {host}"
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nCALLBACK: <{callback}>\nNT: upnp:event\nTIMEOUT: Second-1800"
    renew_head = "SUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nSID: {sid}\nTIMEOUT: Second-1800"
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\n" + _FIELDS + "\nSID: {sid}"
    subscribes = ("AVTransport", "RenderingControl", "GroupRenderingControl", "ZoneGroupTopology", "GroupManagement")

    def answered(self, raw, source):
        fields = {}
        for line in raw.decode().splitlines():
            name, _, text = line.partition(":")
            fields.setdefault(name.upper(), text.strip())
        if not {"LOCATION", "ST", "USN"} <= fields.keys():
            return None
        return fields["LOCATION"].split("//")[1].split(":")[0]

    def described(self):
        device = ET.fromstring(self.get("/xml/device_description.xml").body).find(f"{DEVICE}device")
        found = {name: device.findtext(f"{DEVICE}{name}")
                 for name in ("deviceType", "friendlyName", "manufacturer", "modelName", "UDN", "roomName")}
        assert all(found.values()) and "ZonePlayer" in found["deviceType"]
        return found

    def read(self, service, action, response):
        if response.status != 200:
            raise Refused
        body = next(each for each in ET.fromstring(response.body) if local(each.tag) == "Body")
        answer = next(each for each in body if local(each.tag) == f"{action}Response")
        return {each.tag: each.text or "" for each in answer}

    def told(self, service, event):
        values = properties(event)
        if "LastChange" in values:
            return {(local(each.tag), each.get("channel")): each.get("val") for each in ET.fromstring(values["LastChange"])[0]}
        if "ZoneGroupState" in values:
            for member in ET.fromstring(values["ZoneGroupState"]).iter("ZoneGroupMember"):
                assert all(member.get(name) for name in ("UUID", "Location", "ZoneName"))
        return values


class Sonor(Controller):
    """sonor over rupnp and ssdp-client (src/speaker.rs, track.rs, utils.rs; rupnp's src/service.rs)."""

    calls = "Z A T I M M+ P V V+ R E Gm Q Q1 U K"
    lacking = {"RemoveTrackFromQueue": ("UpdateID",)}

    search = f'M-SEARCH * HTTP/1.1\r\nHost:239.255.255.250:1900\r\nMan:"ssdp:discover"\r\nST: {ZONE}\r\nMX: 2\r\n\r\n'
    urns = {"Queue": "urn:schemas-sonos-com:service:Queue:1"}
    post = """POST {path} HTTP/1.1
content-type: text/xml; charset="utf-8"
soapaction: "{urn}#{action}"
host: {host}
content-length: {length}"""
    body = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
                s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
                <s:Body>
                    <u:{action} xmlns:u="{urn}">
                        {arguments}
                    </u:{action}>
                </s:Body>
            </s:Envelope>"""
    subscribe_head = "SUBSCRIBE {path} HTTP/1.1\ncallback: <{callback}>\nnt: upnp:event\ntimeout: Second-300\nhost: {host}"
    renew_head = "SUBSCRIBE {path} HTTP/1.1\nsid: {sid}\ntimeout: Second-300\nhost: {host}"
    unsubscribe_head = "UNSUBSCRIBE {path} HTTP/1.1\nsid: {sid}\nhost: {host}"
    callback = ""
    subscribes = ("AVTransport", "RenderingControl", "ZoneGroupTopology", "Queue")

    def answered(self, raw, source):
        assert len(raw) < 1024
        fields = {}
        for line in raw.decode().split("\r\n")[1:]:
            if line:
                name, text = line.split(":", 1)
                fields[name.lower()] = text.strip()
        return re.match(r"http://([\d.]+):", fields["location"])[1] if fields["st"] == ZONE and fields["usn"] else None

    def described(self):
        """It asks services by the types that they are described with."""
        root = ET.fromstring(self.get("/xml/device_description.xml").body)
        types = {each.text for each in root.iter(f"{DEVICE}serviceType")}
        assert self.urns["Queue"] in types and {UPNP.format(name) for name in PARTS if name != "Queue"} <= types

    def read(self, service, action, response):
        """Empty values aren't there."""
        if response.status != 200:
            raise Refused
        root = ET.fromstring(response.body)
        answer = next(each for each in root.iter() if local(each.tag) == "Body")[0]
        return {local(each.tag): each.text for each in answer if each.text}

    def told(self, service, event):
        """It reads lines, from one that begins so to one that ends so, and reads on until the line ends."""
        body = raw_body(event)
        assert body.startswith("<e:propertyset") and body.endswith("</e:propertyset>\n") and body.count("\n") == 1
        return properties(event)

    def topology(self):
        root = ET.fromstring(self.call("ZoneGroupTopology", "GetZoneGroupState")["ZoneGroupState"])
        return [(group.attrib["Coordinator"], [member.attrib for member in group if member.tag == "ZoneGroupMember"])
                for group in next(root.iter("ZoneGroups"))]

    @staticmethod
    def track(item):
        """Texts that are there mustn't be empty; times are whole numbers."""
        values = {local(each.tag): each.text for each in item}
        assert values["title"] and values["res"] and values.get("creator", "x") and values.get("album", "x")
        duration = item.find(f"{DIDL}res").get("duration")
        return {**values, "duration": duration and sum(int(n) * f for n, f in zip(duration.split(":"), (3600, 60, 1)))}

    def queue(self):
        answer = self.call("Queue", "Browse", QueueID=0, StartingIndex=0, RequestedCount=4294967295)
        return [self.track(item) for item in ET.fromstring(answer["Result"])]


ALL = (Jishi, NodeSonos, Svrooij, NodeRed, HomebridgeZP, Noson, OpenPhonos, SonosCLI, SonosSDK, Sonor)
