"""What three controllers know of one player, each through its own services: what they were told by events, and what they are
answered when they ask. Each view is a dictionary by the same names; what a device doesn't have isn't in it."""

import time
import xml.etree.ElementTree as ET

from . import gena, openhome
from .upnp import AVT, RC, Device, last_change
from .waiting import PATIENCE, Timeout, until

CD = "urn:schemas-upnp-org:service:ContentDirectory:1"
RADIO = "x-rincon-mp3radio://"
DIDL = "{urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/}"
STATES = {"Stopped": "STOPPED", "Buffering": "TRANSITIONING", "Playing": "PLAYING", "Paused": "PAUSED_PLAYBACK",
          "NO_MEDIA_PRESENT": "STOPPED"}
#: Play modes of the zone: repeating, shuffled.
MODES = {"NORMAL": ("none", False), "REPEAT_ALL": ("all", False), "REPEAT_ONE": ("one", False),
         "SHUFFLE_NOREPEAT": ("none", True), "SHUFFLE": ("all", True), "SHUFFLE_REPEAT_ONE": ("one", True)}
#: How soon all three know what one of them knows, in seconds.
WITHIN = 0.3


class _Told:
    """The last value of each variable of some services, as events bring them."""

    def __init__(self, urls, address):
        self.receiver = gena.Receiver(address)
        self.urls = urls
        self.sids = [gena.subscribe(url, self.receiver.url())["SID"] for url in urls]
        self.values = {}
        self._read = 0
        for sid in self.sids:
            self.receiver.events.wait(lambda event, sid=sid: event.sid == sid and event.seq == 0, 8, "an initial event")

    def now(self):
        for event in self.receiver.events.since(self._read):
            self._read += 1
            for name, value in event.properties.items():
                if name == "LastChange":
                    self.values.update(last_change(value))
                else:
                    # TransportState is a variable of several services of OpenHome, and so on.
                    self.values[f"{self.sids.index(event.sid)} {name}"] = value
        return self.values

    def close(self):
        for url, sid in zip(self.urls, self.sids):
            try:
                gena.unsubscribe(url, sid)
            except OSError:
                pass
        self.receiver.close()


class RendererView:
    """A control point of UPnP AV. While nothing plays it may see nothing, or a cast of its own that waits."""

    def __init__(self, device, address):
        self.device = device
        self._told = _Told([device.services[AVT].event, device.services[RC].event], address)
        self.close = self._told.close

    @staticmethod
    def _seen(state, uri, volume, mute):
        state = STATES.get(state, state)
        seen = {"state": state, "volume": int(volume), "mute": mute == "1"}
        return seen if state == "STOPPED" else {**seen, "uri": uri}

    def told(self):
        told = self._told.now()
        return self._seen(told["TransportState"], told["CurrentTrackURI"], told["Volume"], told["Mute"])

    def asked(self):
        return self._seen(self.device.state(), self.device.avt("GetPositionInfo")["TrackURI"], self.device.volume(),
                          self.device.rc("GetMute", Channel="Master")["CurrentMute"])


class OpenHomeView:
    """A control point of OpenHome."""

    SERVICES = ("Transport", "Info", "Volume", "Playlist", "Product")

    def __init__(self, speaker, address):
        self.speaker = speaker
        self._told = _Told([speaker.event_url(name) for name in self.SERVICES], address)
        self.close = self._told.close
        self._uris = {}

    def _queue(self, ids):
        unknown = [number for number in ids if number not in self._uris]
        for start in range(0, len(unknown), 100):
            for entry in self.speaker.read_list(" ".join(map(str, unknown[start:start + 100]))):
                self._uris[int(entry["Id"])] = entry["Uri"]
        return [self._uris.get(number) for number in ids]

    def _seen(self, state, uri, volume, mute, ids, current, repeat, shuffle, source):
        seen = {"state": STATES[state], "uri": uri, "volume": int(volume), "mute": mute in ("1", "true"),
                "queue": self._queue(ids), "repeats": repeat in ("1", "true"), "shuffle": shuffle in ("1", "true")}
        return {**seen, "current": ids.index(current) + 1 if current in ids else 0} if source == 0 else seen

    def told(self):
        told = self._told.now()

        def of(service, name):
            return told[f"{self.SERVICES.index(service)} {name}"]
        return self._seen(
            of("Transport", "TransportState"), of("Info", "Uri"), of("Volume", "Volume"), of("Volume", "Mute"),
            openhome.ids(of("Playlist", "IdArray")), int(of("Playlist", "Id")), of("Playlist", "Repeat"),
            of("Playlist", "Shuffle"), int(of("Product", "SourceIndex")))

    def asked(self):
        speaker = self.speaker
        return self._seen(
            speaker.state_of("Transport"), speaker.action("Info", "Track")["Uri"], speaker.volume_of("Volume")["Value"],
            speaker.volume_of("Mute")["Value"], speaker.ids(), int(speaker.playlist("Id")["Value"]),
            speaker.playlist("Repeat")["Value"], speaker.playlist("Shuffle")["Value"],
            int(speaker.product("SourceIndex")["Value"]))


class ZoneView:
    """A controller of the Sonos class."""

    def __init__(self, ip, address):
        self.device = Device(f"http://{ip}:1400/xml/device_description.xml")
        self._told = _Told([self.device.services[name].event for name in (AVT, RC, CD)], address)
        self.close = self._told.close
        self._browsed = (None, [])

    def browse(self):
        """(number of the change, addresses of the tracks)"""
        answer = self.device.call(CD, "Browse", ObjectID="Q:0", BrowseFlag="BrowseDirectChildren", Filter="*",
                                  StartingIndex=0, RequestedCount=0, SortCriteria="")
        queue = [res.text for res in ET.fromstring(answer["Result"]).iter(f"{DIDL}res")]
        assert int(answer["TotalMatches"]) == int(answer["NumberReturned"]) == len(queue)
        return answer["UpdateID"], queue

    @staticmethod
    def _seen(state, uri, volume, mute, queue, current, mode, chosen, count):
        repeats, shuffle = MODES[mode]
        # A station, whose scheme SoCo replaces by this one.
        if uri.startswith(RADIO):
            uri = uri.removeprefix(RADIO)
            uri = uri if "://" in uri else f"http://{uri}"
        seen = {"state": state, "uri": uri, "volume": int(volume), "mute": mute == "1", "queue": queue,
                "repeats": repeats != "none", "shuffle": shuffle}
        if chosen.startswith("x-rincon-queue:"):
            # Told apart from what is browsed, and the same.
            seen["queue"] = queue if int(count) == len(queue) else f"{count} tracks are told, and {len(queue)} are there"
            seen["current"] = int(current)
        return seen

    def told(self):
        told = self._told.now()
        number = told["2 ContainerUpdateIDs"].split(",")[1]
        if number != self._browsed[0]:
            self._browsed = self.browse()
        return self._seen(
            told["TransportState"], told["CurrentTrackURI"], told["Volume"], told["Mute"], self._browsed[1],
            told["CurrentTrack"], told["CurrentPlayMode"], told["AVTransportURI"], told["NumberOfTracks"])

    def asked(self):
        device = self.device
        place, media = device.avt("GetPositionInfo"), device.avt("GetMediaInfo")
        return self._seen(
            device.state(), place["TrackURI"], device.volume(), device.rc("GetMute", Channel="Master")["CurrentMute"],
            self.browse()[1], place["Track"], device.avt("GetTransportSettings")["PlayMode"], media["CurrentURI"],
            media["NrTracks"])


class Truth:
    """Three controllers at one player."""

    def __init__(self, device, speaker, link):
        self.views = {"renderer": RendererView(device, link.phone), "OpenHome": OpenHomeView(speaker, link.phone),
                      "zone": ZoneView(link.speaker, link.phone)}
        #: The longest time between the first who knew and the last.
        self.slowest = 0.0

    def close(self):
        for view in self.views.values():
            view.close()

    @staticmethod
    def _differs(seen, wanted):
        return {name: value for name, value in seen.items() if name in wanted and wanted[name] != value}

    def wait(self, timeout=8, **wanted):
        """Waits until all are told what is wanted, and the same of all else; what they are answered must be that, too.
        Returns what OpenHome was told."""
        deadline = time.monotonic() + timeout * PATIENCE
        first = None
        while True:
            told = {name: view.told() for name, view in self.views.items()}
            wrong = {name: self._differs(seen, {**told["OpenHome"], **wanted}) for name, seen in told.items()}
            now = time.monotonic()
            if first is None and not all(self._differs(seen, wanted) for seen in told.values()):
                first = now
            if not any(wrong.values()):
                break
            if now >= deadline:
                raise Timeout(f"not within {timeout} s: all are told {wanted}; wrong: {wrong}")
            time.sleep(0.005)  # as long as events take at least
        self.slowest = max(self.slowest, now - first)
        assert now - first < WITHIN * PATIENCE, f"{now - first:.3f} s passed until all were told {wanted}"
        for name, view in self.views.items():
            # What has been sought waits for data once more, and then it may be asked between two events.
            until(lambda view=view: view.asked() == view.told(), WITHIN, f"{name} is answered what it is told", step=0.05)
        return told["OpenHome"]
