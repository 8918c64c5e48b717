"""GUPnP, on which dLeyna, Rygel and `gupnp-av-cp` are built, as a control point on the network interface that is named;
with Debian's own Python."""

import sys
import time

import gi

gi.require_version("GUPnP", "1.6")
gi.require_version("GSSDP", "1.6")
from answering import answer  # noqa: E402
from gi.repository import GLib, GObject, GSSDP, GUPnP  # noqa: E402

TYPE = "urn:schemas-upnp-org:device:MediaRenderer:1"
SERVICES = {name: f"urn:schemas-upnp-org:service:{name}:1" for name in ("AVTransport", "RenderingControl")}


class ControlPoint:
    def __init__(self, interface):
        self.context = GUPnP.Context.new_full(interface, None, 0, GSSDP.UDAVersion.VERSION_1_0)
        self.point = GUPnP.ControlPoint.new(self.context, TYPE)
        self.devices = {}
        self.services = {}
        self.point.connect("device-proxy-available", lambda _, device: self.devices.update({device.get_udn(): device}))
        self.point.set_active(True)

    def find(self, udn, seconds=10):
        loop = GLib.MainContext.default()
        # So that an iteration ends even where nobody answers.
        timer = GLib.timeout_add(100, lambda: True)
        deadline = time.monotonic() + seconds
        while udn not in self.devices and time.monotonic() < deadline:
            loop.iteration(True)
        GLib.source_remove(timer)
        device = self.devices[udn]
        self.services = {name: device.get_service(kind) for name, kind in SERVICES.items()}
        return device.get_friendly_name()

    def call(self, service, name, result=None, **arguments):
        action = GUPnP.ServiceProxyAction.new_from_list(name, ["InstanceID", *arguments], [0, *arguments.values()])
        done = self.services[service].call_action(action, None)
        _, values = done.get_result_list([result] if result else [], [GObject.TYPE_STRING] if result else [])
        return values[0] if result else ""

    def volume(self, value):
        self.call("RenderingControl", "SetVolume", Channel="Master", DesiredVolume=int(value))
        return self.call("RenderingControl", "GetVolume", result="CurrentVolume", Channel="Master")


me = ControlPoint(sys.argv[1])
answer({
    "find": me.find,
    "cast": lambda url: me.call("AVTransport", "SetAVTransportURI", CurrentURI=url, CurrentURIMetaData=""),
    "play": lambda: me.call("AVTransport", "Play", Speed="1"),
    "stop": lambda: me.call("AVTransport", "Stop"),
    "seek": lambda target: me.call("AVTransport", "Seek", Unit="REL_TIME", Target=target),
    "state": lambda: me.call("AVTransport", "GetTransportInfo", result="CurrentTransportState"),
    "volume": me.volume,
})
