"""Descriptions, SOAP calls and LastChange, read with as little help from any library as can be."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from urllib.parse import urljoin
from xml.sax.saxutils import escape

from . import http

DEVICE_NS = "{urn:schemas-upnp-org:device-1-0}"
SCPD_NS = "{urn:schemas-upnp-org:service-1-0}"
AVT = "urn:schemas-upnp-org:service:AVTransport:1"
RC = "urn:schemas-upnp-org:service:RenderingControl:1"
CM = "urn:schemas-upnp-org:service:ConnectionManager:1"


class Fault(Exception):
    """The device answered with a UPnP error."""

    def __init__(self, code, description, response):
        super().__init__(f"{code} {description}")
        self.code = code
        self.description = description
        self.response = response


@dataclass
class Service:
    type: str
    id: str
    scpd: str
    control: str
    event: str


class Device:
    """A described device; calls its actions over plain SOAP."""

    def __init__(self, location, timeout=15):
        self.location = location
        self.response = http.get(location, timeout=timeout)
        if self.response.status != 200:
            raise AssertionError(f"{location} answered {self.response.status}")
        self.root = ET.fromstring(self.response.body)
        self.services = {}
        for element in self.root.iter(f"{DEVICE_NS}service"):
            field = {child.tag.removeprefix(DEVICE_NS): (child.text or "").strip() for child in element}
            self.services[field["serviceType"]] = Service(
                field["serviceType"], field["serviceId"], urljoin(location, field["SCPDURL"]),
                urljoin(location, field["controlURL"]), urljoin(location, field["eventSubURL"]))

    def text(self, name):
        element = self.root.find(f"{DEVICE_NS}device/{DEVICE_NS}{name}")
        return None if element is None else (element.text or "")

    @property
    def name(self):
        return self.text("friendlyName")

    @property
    def udn(self):
        return self.text("UDN")

    def call(self, service, action, timeout=15, **arguments):
        """Out arguments by name; raises `Fault` when the device refuses. The service may be AVT, RC or CM."""
        response = soap(self.services[service].control, service, action, arguments, timeout=timeout)
        return outcome(response, action)

    def avt(self, action, **arguments):
        return self.call(AVT, action, InstanceID=arguments.pop("InstanceID", 0), **arguments)

    def rc(self, action, **arguments):
        return self.call(RC, action, InstanceID=arguments.pop("InstanceID", 0), **arguments)

    def fault(self, service, action, **arguments):
        """The error code with which the device refuses, or the out arguments when it doesn't."""
        try:
            return self.call(service, action, **arguments)
        except Fault as fault:
            return fault.code

    def state(self):
        return self.avt("GetTransportInfo")["CurrentTransportState"]

    def set_uri(self, uri, metadata=""):
        return self.avt("SetAVTransportURI", CurrentURI=uri, CurrentURIMetaData=metadata)

    def set_next(self, uri, metadata=""):
        return self.avt("SetNextAVTransportURI", NextURI=uri, NextURIMetaData=metadata)

    def play(self):
        return self.avt("Play", Speed="1")

    def stop(self):
        return self.avt("Stop")

    def seek(self, target, unit="REL_TIME"):
        return self.avt("Seek", Unit=unit, Target=target)

    def volume(self):
        return int(self.rc("GetVolume", Channel="Master")["CurrentVolume"])

    def set_volume(self, value):
        return self.rc("SetVolume", Channel="Master", DesiredVolume=value)


def envelope(service, action, arguments):
    inside = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in arguments.items())
    return (
        '<?xml version="1.0" encoding="utf-8"?>\r\n'
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
        's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
        f'<s:Body><u:{action} xmlns:u="{service}">{inside}</u:{action}></s:Body></s:Envelope>').encode()


def soap(url, service, action, arguments=(), body=None, headers=None, timeout=15, method="POST", host=None):
    """The HTTP answer to a call, whatever it is."""
    fields = {"Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{service}#{action}"'}
    fields.update(headers or {})
    fields = {name: value for name, value in fields.items() if value is not None}
    return http.request(
        method, url, fields, envelope(service, action, dict(arguments)) if body is None else body, timeout, host)


def local(tag):
    return tag.rsplit("}", 1)[-1]


def outcome(response, action):
    root = ET.fromstring(response.body)
    for element in root.iter():
        if local(element.tag) == "UPnPError":
            field = {local(child.tag): child.text or "" for child in element}
            raise Fault(int(field["errorCode"]), field.get("errorDescription", ""), response)
        if local(element.tag) == f"{action}Response":
            return {child.tag: child.text or "" for child in element}
    raise AssertionError(f"neither an answer nor a fault: {response.status} {response.body[:400]!r}")


def last_change(text):
    """Values by variable name; those with a channel other than Master are named `Name/CHANNEL`."""
    values = {}
    for instance in ET.fromstring(text):
        for element in instance:
            channel = element.get("channel", "Master")
            name = local(element.tag)
            values[name if channel == "Master" else f"{name}/{channel}"] = element.get("val")
    return values


def didl(title, uri, mime="audio/wav", duration=None, artist="An artist", album="An album"):
    """Metadata as a control point sends it."""
    length = f' duration="{duration}"' if duration else ""
    return (
        '<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">'
        f'<item id="1" parentID="0" restricted="1"><dc:title>{escape(title)}</dc:title>'
        f"<upnp:artist>{escape(artist)}</upnp:artist><upnp:album>{escape(album)}</upnp:album>"
        "<upnp:class>object.item.audioItem.musicTrack</upnp:class>"
        f'<res protocolInfo="http-get:*:{mime}:*"{length}>{escape(uri)}</res></item></DIDL-Lite>')
