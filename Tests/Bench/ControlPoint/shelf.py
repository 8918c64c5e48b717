"""A MiniDLNA with 1,000 and 10,000 tracks, each lot in a folder, on a host of its own."""

import socket
import struct
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from kit import http, media_libraries, netns, upnp

COUNTS = (1000, 10_000)
DC = "{http://purl.org/dc/elements/1.1/}"
DIRECTORY = "urn:schemas-upnp-org:service:ContentDirectory:1"


def tagged(flac, tags):
    """The bytes of a FLAC file with other tags, and without padding."""
    blocks, place, last = [], 4, False
    while not last:
        last, kind = flac[place] >> 7, flac[place] & 0x7F
        end = place + 4 + int.from_bytes(flac[place + 1:place + 4], "big")
        if kind == 0:  # STREAMINFO
            blocks.append((0, flac[place + 4:end]))
        place = end
    texts = [f"{name}={value}".encode() for name, value in tags.items()]
    blocks.append((4, struct.pack("<II", 0, len(texts)) + b"".join(struct.pack("<I", len(text)) + text for text in texts)))
    head = b"".join(bytes([kind | (0x80 if kind == 4 else 0)]) + len(data).to_bytes(3, "big") + data for kind, data in blocks)
    return b"fLaC" + head + flac[place:]


def fill(folder):
    """Albums of ten tracks, with the tags that music has."""
    piece = folder / "piece.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo:d=1", piece], check=True, timeout=60)
    piece = piece.read_bytes()
    for count in COUNTS:
        place = folder / "music" / str(count)
        place.mkdir(parents=True)
        for number in range(count):
            album = number // 10
            tags = {"TITLE": f"The Song That Is Number {number:05}", "ARTIST": f"Band of the Valley {album // 3:04}",
                    "ALBUM": f"Collected Works, Volume {album:04}", "TRACKNUMBER": number % 10 + 1, "GENRE": "Folk", "DATE": 1970 + album % 50}
            (place / f"{number:05}.flac").write_bytes(tagged(piece, tags))
    return folder / "music"


class Shelf:
    """`folders`: the id of the folder with so many tracks. `location`, `udn`: of the server. `phone`: our address."""

    def __init__(self, folder):
        self.host = netns.Host()
        link = self.host.link()
        netns.sh("ip", "route", "replace", "239.0.0.0/8", "dev", link.phone_interface)
        self.phone = link.phone
        self.server = media_libraries.MiniDLNA(self.host, link, folder / "server", fill(folder))
        self.location = self.server.location
        self.device = upnp.Device(self.location)
        self.udn = self.device.udn
        # The folders as they are on the disk are below "Browse Folders", whose id is MiniDLNA's own.
        self.folders = {count: self._folder(str(count), count) for count in COUNTS}

    def _browse(self, id, start, count):
        return self.device.call(DIRECTORY, "Browse", **arguments(id, start, count))

    def _folder(self, title, count):
        """The id of a folder, once everything is scanned."""
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            for container in ET.fromstring(self._browse("64", 0, 100)["Result"]):
                id = container.attrib["id"]
                if container.findtext(f"{DC}title") == title and int(self._browse(id, 0, 1)["TotalMatches"]) == count:
                    return id
            time.sleep(1)
        raise RuntimeError(f"MiniDLNA doesn't show {count} tracks")

    def bare(self, count, page):
        """ms for the same pages on plain sockets, and the server's own processor time in it.

        Each on a connection of its own, since MiniDLNA closes it. Nothing is done with what comes.
        """
        address, port, target, netloc = http.split(self.device.services[DIRECTORY].control)
        headers = {"Host": netloc, "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{DIRECTORY}#Browse"',
                   "Connection": "close"}
        requests = [http.build("POST", target, headers, upnp.envelope(DIRECTORY, "Browse", arguments(self.folders[count], start, page)))
                    for start in range(0, count, page)]
        buffer = bytearray(1 << 20)
        used, begun, first = self.processor_seconds(), time.monotonic(), None
        for request in requests:
            with socket.create_connection((address, port), timeout=60) as connection:
                connection.sendall(request)
                while connection.recv_into(buffer):
                    pass
            first = first or (time.monotonic() - begun) * 1000
        return {"first": first, "all": (time.monotonic() - begun) * 1000, "server": (self.processor_seconds() - used) * 1000}

    def processor_seconds(self):
        """In nanoseconds from the kernel's scheduler, since its ticks are hundredths of a second."""
        tasks = Path(f"/proc/{self.server.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def close(self):
        self.server.close()
        self.host.close()


def arguments(id, start, count):
    return {"ObjectID": id, "BrowseFlag": "BrowseDirectChildren", "Filter": "*", "StartingIndex": start,
            "RequestedCount": count, "SortCriteria": ""}
