"""Random calls of every action that the devices describe, with arguments that are right, nearly right and wrong."""

import base64
import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from xml.sax.saxutils import escape

from kit import http
from kit.upnp import SCPD_NS, didl, envelope

#: Those that throw away what the others have built up, or end the sound, come seldom.
RARE = {"DeleteAll": 0.03, "SetStandby": 0.15, "Stop": 0.4, "SetAVTransportURI": 2, "Insert": 8, "Play": 3,
        "SetChannel": 1.5, "SetId": 1.5, "SelectPreset": 0.3}
WRONG = ["", "-1", "1", "x", "4294967296", "99999999999999999999", "1.5", "NaN", "true", "%00", "<a/>", "&", "\u00e9\u4e16\U0001f426",
         "'; DROP TABLE", "../../etc/passwd", " 1 ", "A" * 5000, "0x10", "+1", "-0", "\t"]


@dataclass
class Argument:
    name: str
    type: str
    allowed: list
    low: int
    high: int


@dataclass
class Action:
    service: str
    url: str
    name: str
    arguments: list

    @property
    def is_getter(self):
        return not self.arguments and self.name not in MOVES or self.name.startswith("Get")

    @property
    def weight(self):
        return RARE.get(self.name, 0.4 if self.is_getter else 1)


MOVES = {"Play", "Pause", "Stop", "Next", "Previous", "SkipNext", "SkipPrevious", "DeleteAll", "VolumeInc", "VolumeDec",
         "VolumeIncNoUnmute", "VolumeDecNoUnmute", "BalanceInc", "BalanceDec", "FadeInc", "FadeDec", "RefreshPresets"}


@dataclass
class Call:
    action: Action
    path: str
    body: bytes
    #: Codes of which the answer must be one; None when anything proper will do.
    wanted: tuple = None


def actions_of(device):
    found = []
    for service in device.services.values():
        root = ET.fromstring(http.get(service.scpd).body)
        variables = {}
        for variable in root.iter(f"{SCPD_NS}stateVariable"):
            bounds = variable.find(f"{SCPD_NS}allowedValueRange")
            low, high = (0, 100) if bounds is None else (
                int(bounds.findtext(f"{SCPD_NS}minimum")), int(bounds.findtext(f"{SCPD_NS}maximum")))
            variables[variable.findtext(f"{SCPD_NS}name")] = (
                variable.findtext(f"{SCPD_NS}dataType"), [v.text for v in variable.iter(f"{SCPD_NS}allowedValue")],
                low, high)
        path = http.split(service.control)[2]
        for action in root.iter(f"{SCPD_NS}action"):
            arguments = [
                Argument(a.findtext(f"{SCPD_NS}name"), *variables[a.findtext(f"{SCPD_NS}relatedStateVariable")])
                for a in action.iter(f"{SCPD_NS}argument") if a.findtext(f"{SCPD_NS}direction") == "in"]
            found.append(Action(service.type, path, action.findtext(f"{SCPD_NS}name"), arguments))
    return found


class Catalogue:
    def __init__(self, devices, addresses, stations):
        self.actions = [action for device in devices for action in actions_of(device)]
        self.weights = [action.weight for action in self.actions]
        self.getters = [action for action in self.actions if action.is_getter]
        self.addresses = addresses
        self.stations = stations
        #: Ids of tracks and presets that were seen lately; some are there no more.
        self.ids = {"Playlist": [0], "Radio": [0]}

    def random(self, dice):
        action = dice.choices(self.actions, self.weights)[0]
        arguments = [(a.name, self._value(a, action, dice)) for a in action.arguments]
        turn = dice.random()
        if turn < 0.85 or not arguments:
            return self._call(action, arguments)
        which = dice.randrange(len(arguments))
        name, value = arguments[which]
        if turn < 0.94:
            arguments[which] = (name, dice.choice(WRONG))
            is_instance = name == "InstanceID" and arguments[which][1] == "1"
            return self._call(action, arguments, (718, 702) if is_instance else None)
        if turn < 0.96:
            del arguments[which]
            return self._call(action, arguments, (402,))
        if turn < 0.98:
            arguments.insert(which, ("Nonsense", "1"))
            return self._call(action, arguments)
        return self._call(Action(action.service, action.url, action.name + "X", []), arguments, (401,))

    def getter(self, dice):
        action = dice.choice(self.getters)
        return self._call(action, [(a.name, self._value(a, action, dice)) for a in action.arguments])

    def session(self, dice):
        """What somebody does who wants to hear something: an album, a station, or a song and the next one."""
        def call(service, name, *values):
            action = next(a for a in self.actions if f":{service}:" in a.service and a.name == name)
            return self._call(action, [(a.name, value) for a, value in zip(action.arguments, values)])
        songs = dice.choices(self.addresses, k=6)
        awake = [call("Product", "SetStandby", "0"), call("Volume", "SetMute", "0")]
        if (turn := dice.random()) < 0.4:
            return awake + [call("Playlist", "DeleteAll")] + [
                call("Playlist", "Insert", "0", song, didl("A song", song)) for song in songs] + [call("Playlist", "Play")]
        if turn < 0.7:
            return awake + [call("Radio", "SetChannel", dice.choice(self.stations), ""), call("Radio", "Play")]
        return awake + [call("AVTransport", "SetAVTransportURI", "0", songs[0], ""), call("AVTransport", "Play", "0", "1"),
                        call("AVTransport", "SetNextAVTransportURI", "0", songs[1], "")]

    def _call(self, action, arguments, wanted=None):
        # A name may come twice, so no dictionary.
        body = envelope(action.service, action.name, {})
        inside = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in arguments)
        body = body.replace(b"></u:", b">" + inside.encode() + b"</u:", 1)
        return Call(action, action.url, body, wanted)

    def _value(self, argument, action, dice):
        name = argument.name
        if name.endswith("Metadata") or name.endswith("MetaData"):
            return dice.choice(["", didl(f"Song {dice.randrange(1000)} & more", dice.choice(self.addresses)),
                                didl("Long " * 200, dice.choice(self.addresses)), "<DIDL-Lite>", "no XML"])
        if name.endswith("URI") or name == "Uri":
            return dice.choice(self.addresses)
        short = action.service.split(":")[3]
        if short in self.ids and (name in ("Id", "AfterId") or action.name in ("SeekId", "DeleteId", "SetId", "Read")):
            return str(dice.choice(self.ids[short]))
        if name == "IdList":
            return dice.choice([" ", ", "]).join(str(i) for i in dice.choices(self.ids.get(short), k=dice.randrange(9)))
        if name == "Target":
            return dice.choice(["0:00:00", "0:00:01", "00:00:00.5", "1", "2", "99:00:00", "x"])
        if name == "Channel" and not argument.allowed:
            return dice.choice(["Left", "Right", "Front"])
        if argument.allowed:
            return dice.choice(argument.allowed)
        if argument.type == "boolean":
            return dice.choice("01")
        if argument.type in ("ui4", "ui2"):
            return str(dice.randint(argument.low, argument.high))
        if argument.type in ("i4", "i2"):
            return str(dice.choice([-1, 0, 1, dice.randint(-20, 20), dice.randint(-30000, 30000)]))
        return dice.choice(["Playlist", "Radio", "UPnP AV", "Master", "Play", "Pause", "1", ""])

    def learn(self, call, body):
        """Keeps ids out of an answer, so that later calls can name them."""
        short = call.action.service.split(":")[3]
        if call.action.name == "IdArray":
            text = body.partition(b"<Array>")[2].partition(b"</Array>")[0]
            numbers = [n for (n,) in struct.iter_unpack(">I", base64.b64decode(text))]
            self.ids[short] = [0] + numbers[-60:]
        elif call.action.name == "Insert":
            number = body.partition(b"<NewId>")[2].partition(b"</NewId>")[0]
            if number:
                self.ids[short] = self.ids[short][-60:] + [int(number)]
