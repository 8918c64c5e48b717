"""upnpclient as a control point."""

import upnpclient
from answering import answer

renderer = None


def find(udn):
    global renderer
    renderer = next(device for device in upnpclient.discover(timeout=3) if device.udn == udn)
    return renderer.friendly_name


def volume(value):
    renderer.RenderingControl.SetVolume(InstanceID=0, Channel="Master", DesiredVolume=int(value))
    return renderer.RenderingControl.GetVolume(InstanceID=0, Channel="Master")["CurrentVolume"]


def avtransport(name, **arguments):
    return renderer.AVTransport[name](InstanceID=0, **arguments)


answer({
    "find": find,
    "cast": lambda url: avtransport("SetAVTransportURI", CurrentURI=url, CurrentURIMetaData="") and None,
    "play": lambda: avtransport("Play", Speed="1") and None,
    "stop": lambda: avtransport("Stop") and None,
    "seek": lambda target: avtransport("Seek", Unit="REL_TIME", Target=target) and None,
    "state": lambda: avtransport("GetTransportInfo")["CurrentTransportState"],
    "volume": volume,
})
