"""The OpenHome device over plain SOAP and GENA: what it serves, its id arrays, and a subscriber to all of it."""

import base64
import json
import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from . import gena, ssdp
from .upnp import Device, didl
from .waiting import until

SOURCE = "urn:av-openhome-org:device:Source:1"
VERSIONS = {"Product": 4, "Playlist": 1, "Info": 1, "Time": 1, "Volume": 4, "Radio": 2, "Receiver": 1, "Sender": 2,
            "Transport": 1, "Pins": 1}


def kind(name, version=None):
    """The type of an OpenHome service, by default in the version that is to be served."""
    return f"urn:av-openhome-org:service:{name}:{version or VERSIONS[name]}"


def udn(uuid):
    """The UDN, without `uuid:`, of the OpenHome device beside the MediaRenderer `uuid`."""
    return f"{uuid[:-4]}{int(uuid[-4:], 16) ^ 0x6f68:04x}"


def ids(text):
    """What an IdArray holds: big-endian 32-bit numbers in base64."""
    data = base64.b64decode(text, validate=True)
    assert len(data) % 4 == 0, f"{len(data)} bytes aren't whole numbers"
    return list(struct.unpack(f">{len(data) // 4}I", data))


def entries(text, root="TrackList"):
    """The entries of a TrackList or ChannelList, each a dictionary by element name."""
    tree = ET.fromstring(text)
    assert tree.tag == root, f"<{tree.tag}> where <{root}> should be"
    assert all(entry.tag == "Entry" for entry in tree)
    return [{field.tag: field.text or "" for field in entry} for entry in tree]


class Speaker(Device):
    """The OpenHome root device. Services by their short names; `speaker.playlist("Insert", …)` and so on."""

    def __init__(self, location, timeout=15):
        super().__init__(location, timeout)
        self.types = {name.split(":")[3]: name for name in self.services}

    @classmethod
    def of(cls, subject, link, timeout=15):
        """Found by a search for Product, as control points do."""
        return cls(ssdp.find(link, udn(subject.uuid), timeout, target=kind("Product", 1)))

    def again(self, subject, timeout=15):
        """The same device once `subject`, which has been started anew, answers where it did."""
        def answers():
            assert subject.is_running(), "it ended at the start"
            try:
                return type(self)(self.location)
            except (OSError, AssertionError):
                return None
        return until(answers, timeout, f"an answer at {self.location}")

    def event_url(self, name):
        return self.services[self.types[name]].event

    def action(self, service, name, **arguments):
        return self.call(self.types[service], name, **arguments)

    def refusal(self, service, name, **arguments):
        """The error code, or the out arguments when it isn't refused."""
        return self.fault(self.types[service], name, **arguments)

    def product(self, name, **arguments):
        return self.action("Product", name, **arguments)

    def playlist(self, name, **arguments):
        return self.action("Playlist", name, **arguments)

    def radio(self, name, **arguments):
        return self.action("Radio", name, **arguments)

    def volume_of(self, name="Volume", **arguments):
        return self.action("Volume", name, **arguments)

    def transport(self, name, **arguments):
        return self.action("Transport", name, **arguments)

    def pins(self, name, **arguments):
        return self.action("Pins", name, **arguments)

    def pin_ids(self):
        return json.loads(self.pins("GetIdArray")["IdArray"])

    def set_pin(self, index, uri, title="A pin", art="", shuffle=0):
        """Puts an address of a pin into a slot; the new id."""
        mode, rest = uri.split("://", 1)
        self.pins("SetDevice", Index=index, Mode=mode, Type=rest.split("?")[0], Uri=uri, Title=title, Description="",
                  ArtworkUri=art, Shuffle=shuffle)
        return self.pin_ids()[index]

    def clear_pins(self):
        for number in self.pin_ids():
            self.pins("Clear", Id=number)

    def state_of(self, service="Playlist"):
        return self.action(service, "TransportState")["State" if service == "Transport" else "Value"]

    def source(self):
        index = self.product("SourceIndex")["Value"]
        return self.product("Source", Index=index)["SystemName"]

    def ids(self, service="Playlist"):
        return ids(self.action(service, "IdArray")["Array"])

    def read_list(self, text):
        return entries(self.playlist("ReadList", IdList=text)["TrackList"])

    def insert(self, uri, after=0, metadata=None):
        """The id of the new track."""
        metadata = didl(uri.rsplit("/", 1)[-1], uri) if metadata is None else metadata
        return int(self.playlist("Insert", AfterId=after, Uri=uri, Metadata=metadata)["NewId"])

    def append(self, *uris):
        """Inserts behind the last track; the new ids."""
        last = (self.ids() or [0])[-1]
        made = []
        for uri in uris:
            last = self.insert(uri, last)
            made.append(last)
        return made

    def append_one(self, uri, metadata):
        """Inserts behind the last track; its id."""
        return self.insert(uri, (self.ids() or [0])[-1], metadata)

    def fresh(self):
        """Awake, on an empty playlist, in order, at full volume."""
        self.product("SetSourceBySystemName", Value="Playlist")
        self.playlist("Stop")
        self.playlist("DeleteAll")
        self.playlist("SetRepeat", Value=0)
        self.playlist("SetShuffle", Value=0)
        self.volume_of("SetVolume", Value=100)
        self.volume_of("SetBalance", Value=0)


class Watch:
    """A control point that is subscribed to all services and knows the state as the events tell it."""

    def __init__(self, speaker, address, services=tuple(VERSIONS), receiver=None, name="watch"):
        self.speaker = speaker
        self.owned = receiver is None
        self.receiver = receiver or gena.Receiver(address)
        self.name = name
        self.sids = {}
        for service in services:
            url = speaker.event_url(service)
            response = gena.subscribe(url, self.receiver.url(f"/{name}/{service}"))
            assert response.status == 200, f"SUBSCRIBE to {service} answered {response.status}"
            self.sids[service] = response["SID"]
        for service in services:
            self.events.wait(lambda e: e.sid == self.sids[service] and e.seq == 0, 8, f"initial event of {service}")

    @property
    def events(self):
        return self.receiver.events

    def of(self, service, since=0):
        """The events of a service in the order of their coming."""
        return [event for event in self.events.since(since) if event.sid == self.sids[service]]

    def state(self, service):
        merged = {}
        for event in self.of(service):
            merged.update(event.properties)
        return merged

    def values(self, service, name, since=0):
        """What a property was said to be, event by event."""
        return [e.properties[name] for e in self.of(service, since) if name in e.properties]

    def wait(self, service, name, value, timeout=8, since=0):
        """The event that gives the property this value (or satisfies it, when it is a function)."""
        wanted = value if callable(value) else lambda text: text == str(value)
        return self.events.wait(
            lambda e: e.sid == self.sids[service] and name in e.properties and wanted(e.properties[name]),
            timeout, f"{service} with {name} = {value}", since)

    def assert_sequence(self):
        """No event lost and none doubled: SEQ counts from 0."""
        for service in self.sids:
            numbers = [event.seq for event in self.of(service)]
            assert numbers == list(range(len(numbers))), f"{self.name}: SEQ of {service} is {numbers}"

    def close(self):
        for service, sid in self.sids.items():
            try:
                gena.unsubscribe(self.speaker.event_url(service), sid)
            except (OSError, ConnectionError):
                pass
        if self.owned:
            self.receiver.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@dataclass
class Track:
    """Noise of its own, as a file on a media server."""
    uri: str
    samples: object
    title: str
    id: int = 0


def tracks(media, count, seconds=1.5, kind="wav", seed=100, rate=44100, bits=16):
    """Tracks that can be told from each other by every two samples."""
    from . import sound
    made = []
    for index in range(count):
        samples = sound.noise(seconds, rate, bits, seed=seed + index)
        data = sound.wav(samples, rate, bits) if kind == "wav" else sound.flac(samples, rate, bits)
        uri = media.add(f"/track-{seed + index}.{kind}", data, f"audio/{kind}")
        made.append(Track(uri, sound.scale(samples, bits), f"Track {index + 1}"))
    return made


def json_list(text):
    value = json.loads(text)
    assert isinstance(value, list)
    return value
