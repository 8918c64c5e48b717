"""Rooms that are scripted: OpenHome devices with a Sender and a Receiver (Songcast), as far as control points see them."""

import html
import json

from . import odd_server
from .odd_server import Call, Fault, OddServer, answer, fault

SOURCES = ("Playlist", "Radio", "Receiver")
SERVICES = {"Product": 1, "Sender": 2, "Receiver": 1, "Volume": 4, "Info": 1, "Transport": 1}


def service_type(name):
    return f"urn:av-openhome-org:service:{name}:{SERVICES[name]}"


class Room(OddServer):
    """What it was told to do is in `told`. `lacks`: services that it hasn't."""

    def __init__(self, street, name, lacks=(), chooses=True, **options):
        """`chooses`: it goes to its receiver by itself when that gets a sender, as most do."""
        self.services = [each for each in SERVICES if each not in lacks]
        self.chooses = chooses
        self.source, self.uri, self.metadata, self.transport, self.standby = 0, "", "", "Stopped", False
        self.volume, self.limit, self.mute, self.status = 40, 100, False, "Ready"
        self.reports = None
        self.told = []
        super().__init__(street, name, targets=["urn:av-openhome-org:device:Source:1",
                                                *map(service_type, self.services)], **options)

    @property
    def zone_uri(self):
        return f"ohz://239.255.255.250:51972/{self.udn}"

    @property
    def sender(self):
        return ('<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
                'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="0" parentID="-1" restricted="1">'
                f'<dc:title>{html.escape(self.name)}</dc:title><res protocolInfo="ohz:*:*:u">{self.zone_uri}</res>'
                '<upnp:class>object.item.audioItem</upnp:class></item></DIDL-Lite>')

    @property
    def listens_to(self):
        """The address that its receiver is set to; None if it doesn't listen."""
        return self.uri if self.source == 2 and self.transport != "Stopped" else None

    def _description(self):
        services = "".join(
            f"<service><serviceType>{service_type(name)}</serviceType><serviceId>urn:av-openhome-org:serviceId:{name}</serviceId>"
            f"<SCPDURL>/{name}.xml</SCPDURL><controlURL>/{name}/control</controlURL><eventSubURL>/{name}/event</eventSubURL>"
            "</service>" for name in self.services)
        return ('<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>1</minor>'
                '</specVersion><device><deviceType>urn:av-openhome-org:device:Source:1</deviceType>'
                f'<friendlyName>{html.escape(self.name)}:Scripted</friendlyName><manufacturer>Odd</manufacturer>'
                f'<modelName>Scripted</modelName><UDN>uuid:{self.udn}</UDN><serviceList>{services}</serviceList></device></root>')

    def _answer(self, head, body):
        method, target = head.split(" ")[:2]
        if method != "POST":
            self.requests.append(target)
            if target == self.location.removeprefix(self.base):
                return answer(200, self._description().encode())
            if target == "/api/v1/rooms/reports" and self.reports is not None:
                return answer(200, json.dumps(self.reports).encode())
            return answer(404, b"")
        service = target.split("/")[1]
        action, arguments = odd_server.called(head, body)
        self.requests.append(Call(action, arguments))
        try:
            outputs = "".join(f"<{name}>{html.escape(str(text))}</{name}>" for name, text in self._act(service, action, arguments))
        except Fault as error:
            return answer(error.status, fault(error))
        return answer(200, (
            '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
            f'<u:{action}Response xmlns:u="{service_type(service)}">{outputs}</u:{action}Response></s:Body></s:Envelope>').encode())

    def _act(self, service, action, arguments):
        match service, action:
            case "Product", "Product":
                return [("Room", self.name), ("Name", "Scripted"), ("Info", ""), ("Url", ""), ("ImageUri", "")]
            case "Product", "SourceXml":
                inside = "".join(f"<Source><Name>{each}</Name><Type>{each}</Type><Visible>true</Visible></Source>"
                                 for each in SOURCES)
                return [("Value", f"<SourceList>{inside}</SourceList>")]
            case "Product", "SourceIndex": return [("Value", self.source)]
            case "Product", "Standby": return [("Value", int(self.standby))]
            case "Sender", "Metadata": return [("Value", self.sender)]
            case "Sender", "Status2": return [("Value", self.status)]
            case "Receiver", "Sender": return [("Uri", self.uri), ("Metadata", self.metadata)]
            case "Receiver", "TransportState": return [("Value", self.transport)]
            case "Volume", "Volume": return [("Value", self.volume)]
            case "Volume", "VolumeLimit": return [("Value", self.limit)]
            case "Volume", "Mute": return [("Value", int(self.mute))]
            case "Info", "Track": return [("Uri", ""), ("Metadata", "")]
            case "Info", "Metatext": return [("Value", "")]
            case "Transport", "TransportState": return [("State", self.transport)]
        self.told.append((service, action))
        match service, action:
            case "Product", "SetSourceIndex": self.source = int(arguments["Value"])
            case "Product", "SetStandby": self.standby = arguments["Value"] not in ("0", "false")
            case "Receiver", "SetSender":
                self.uri, self.metadata = arguments["Uri"], arguments["Metadata"]
                if self.chooses:
                    self.source = 2
            case "Receiver", "Play": self.transport = "Waiting"
            case ("Receiver" | "Transport"), "Stop": self.transport = "Stopped"
            case "Transport", "Play": self.transport = "Playing"
            case "Volume", "SetVolume": self.volume = int(arguments["Value"])
            case "Volume", "SetMute": self.mute = arguments["Value"] not in ("0", "false")
            case _: raise Fault(401, "Invalid Action")
        return []
