"""Zones of the Sonos class as a test asks and tells them, without a library that remembers anything."""

import http.client
import re
import xml.etree.ElementTree as ET
from html import escape, unescape

PORT = 1400
PATHS = {"AVTransport": "/MediaRenderer", "RenderingControl": "/MediaRenderer", "GroupRenderingControl": "/MediaRenderer",
         "ContentDirectory": "/MediaServer"}


class Fault(Exception):
    def __init__(self, code):
        super().__init__(f"UPnP error {code}")
        self.code = code


class Zone:
    """The zone at an address."""

    def __init__(self, address):
        self.address = address

    def call(self, service, action, timeout=25, **arguments):
        if service in ("AVTransport", "RenderingControl", "GroupRenderingControl"):
            arguments = {"InstanceID": 0, **arguments}
        urn = f"urn:schemas-upnp-org:service:{service}:1"
        inner = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in arguments.items())
        body = (f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:{action} xmlns:u="{urn}">'
                f"{inner}</u:{action}></s:Body></s:Envelope>")
        connection = http.client.HTTPConnection(self.address, PORT, timeout=timeout)
        try:
            connection.request("POST", f"{PATHS.get(service, '')}/{service}/Control", body.encode(),
                               {"Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{urn}#{action}"'})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            code = re.search(r"<errorCode>(\d+)</errorCode>", text)
            raise Fault(int(code.group(1)) if code else answer.status)
        return {element.tag: element.text or "" for element in ET.fromstring(text).find(".//{%s}%sResponse" % (urn, action))}

    def fault(self, service, action, **arguments):
        """The number of the fault; None if there is none."""
        try:
            self.call(service, action, **arguments)
        except Fault as fault:
            return fault.code
        return None

    @property
    def document(self):
        """What it says of all groups; None while it doesn't answer."""
        try:
            return self.call("ZoneGroupTopology", "GetZoneGroupState", timeout=3)["ZoneGroupState"]
        except (OSError, http.client.HTTPException, Fault):
            return None

    @property
    def uid(self):
        return self.call("DeviceProperties", "GetZoneInfo")["MACAddress"].replace(":", "").join(("RINCON_", "01400"))

    @property
    def household(self):
        return self.call("DeviceProperties", "GetHouseholdID")["CurrentHouseholdID"]

    def transport(self):
        return self.call("AVTransport", "GetTransportInfo")["CurrentTransportState"]

    def volume(self):
        return int(self.call("RenderingControl", "GetVolume", Channel="Master")["CurrentVolume"])

    def titles(self):
        result = self.call("ContentDirectory", "Browse", ObjectID="Q:0", BrowseFlag="BrowseDirectChildren", Filter="",
                           StartingIndex=0, RequestedCount=0, SortCriteria="")["Result"]
        return [unescape(title) for title in re.findall(r"<dc:title>(.*?)</dc:title>", result)]


def groups(document):
    """By coordinator: the names of the members, the coordinator first."""
    if document is None:
        return None
    return {group.get("Coordinator"): [member.get("ZoneName") for member in group]
            for group in ET.fromstring(document).find("ZoneGroups")}
