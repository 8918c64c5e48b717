"""A media server and a control point in one: `control_point.py http://HOST:PORT` casts a tone to the vireod there.

By SOAP to both devices, as phones do: UPnP AV's SetAVTransportURI and Play, then OpenHome's playlist. Ends when both
tracks have been played; whether they were heard is for the caller to say. Belongs into the network namespace of vireod.
"""

import http.server
import math
import re
import struct
import sys
import threading
import time
import urllib.request
import wave
import xml.sax.saxutils
from io import BytesIO

AV = "urn:schemas-upnp-org:service:{}:1"
OPENHOME = "urn:av-openhome-org:service:{}:1"


def tone(hertz, seconds=2):
    """A tone, as WAV."""
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((2, 2, 44100, 0, "NONE", ""))
        samples = (int(9000 * math.sin(2 * math.pi * hertz * frame / 44100)) for frame in range(44100 * seconds))
        writer.writeframes(b"".join(struct.pack("<hh", sample, sample) for sample in samples))
    return file.getvalue()


def strength(samples, hertz, rate=44100):
    """How strong a tone of `hertz` is in `samples` (Goertzel), 1 for a full-scale sine."""
    turn = 2 * math.cos(2 * math.pi * hertz / rate)
    first = second = 0.0
    for sample in samples:
        first, second = sample / 32768 + turn * first - second, first
    return 2 * math.sqrt(max(0, first * first + second * second - turn * first * second)) / max(1, len(samples))


class Media(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.sounds[self.path]
        self.send_response(200)
        self.send_header("Content-Type", "audio/wav")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def serve():
    """A media server with /440.wav and /1000.wav; returns its base URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Media)
    server.sounds = {f"/{hertz}.wav": tone(hertz) for hertz in (440, 1000)}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def get(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read().decode()


class Device:
    """One of vireod's two."""

    def __init__(self, host, udn, kind):
        self.base = f"{host}/{udn}"
        self.kind = kind

    def call(self, service, action, **arguments):
        kind = self.kind.format(service)
        fields = "".join(f"<{name}>{xml.sax.saxutils.escape(str(value))}</{name}>" for name, value in arguments.items())
        body = ('<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
                f'<u:{action} xmlns:u="{kind}">{fields}</u:{action}></s:Body></s:Envelope>')
        request = urllib.request.Request(f"{self.base}/{service}/control", body.encode(), {
            "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{kind}#{action}"'})
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read().decode()


def devices(host):
    """The UPnP AV device and the OpenHome device, as the status page names them."""
    found = dict(re.findall(r"(MediaRenderer|Source):\d.*?uuid:([^<]*)", get(f"{host}/status"), re.S))
    return Device(host, found["MediaRenderer"], AV), Device(host, found["Source"], OPENHOME)


def until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: waited {seconds} s for {what}")
        time.sleep(0.1)


def tracks(host):
    return int(re.search(r"^vireo_tracks_started_total (\d+)$", get(f"{host}/metrics"), re.M)[1])


def cast_by_upnp_av(host, media):
    device, _ = devices(host)
    heard = tracks(host)
    device.call("AVTransport", "SetAVTransportURI", InstanceID=0, CurrentURI=f"{media}/440.wav", CurrentURIMetaData="")
    device.call("AVTransport", "Play", InstanceID=0, Speed=1)
    until(lambda: tracks(host) > heard, "UPnP AV's track")
    until(lambda: "STOPPED" in device.call("AVTransport", "GetTransportInfo", InstanceID=0), "its end")


def cast_by_openhome(host, media):
    _, device = devices(host)
    heard = tracks(host)
    device.call("Playlist", "DeleteAll")
    device.call("Playlist", "Insert", AfterId=0, Uri=f"{media}/1000.wav", Metadata="")
    device.call("Playlist", "Play")
    until(lambda: tracks(host) > heard, "OpenHome's track")
    until(lambda: "Stopped" in device.call("Playlist", "TransportState"), "its end")


def cast(host):
    media = serve()
    cast_by_upnp_av(host, media)
    cast_by_openhome(host, media)


if __name__ == "__main__":
    cast(sys.argv[1])
