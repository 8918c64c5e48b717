"""Random actions of several control points while music plays: what subscribers know is what getters answer, nobody misses
an event, and no event tells what was known already."""

import os
import random
import xml.etree.ElementTree as ET

import pytest
from kit import http, openhome, sound
from kit.openhome import VERSIONS
from kit.upnp import SCPD_NS, didl
from kit.waiting import Timeout, until

STEPS = 400
#: Moves by itself while something plays.
MOVING = {("Time", "Seconds")}


def getters(speaker):
    """For each service its actions without arguments, with the evented variable that each result stands for."""
    found = {}
    for name in VERSIONS:
        scpd = ET.fromstring(http.get(speaker.services[speaker.types[name]].scpd).body)
        evented = {variable.findtext(f"{SCPD_NS}name") for variable in scpd.iter(f"{SCPD_NS}stateVariable")
                   if variable.get("sendEvents") == "yes"}
        for action in scpd.iter(f"{SCPD_NS}action"):
            arguments = list(action.iter(f"{SCPD_NS}argument"))
            if any(argument.findtext(f"{SCPD_NS}direction") == "in" for argument in arguments):
                continue
            shown = {argument.findtext(f"{SCPD_NS}name"): argument.findtext(f"{SCPD_NS}relatedStateVariable")
                     for argument in arguments}
            shown = {result: variable for result, variable in shown.items() if variable in evented}
            if shown:
                found[name, action.findtext(f"{SCPD_NS}name")] = shown
    return found


def answers(speaker, asked):
    """The evented variables as the getters have them now, by service and name."""
    values = {}
    for (service, action), shown in asked.items():
        answer = speaker.action(service, action)
        for result, variable in shown.items():
            values[service, variable] = answer[result]
    return values


def differences(speaker, asked, watches, moving):
    """What a subscriber knows otherwise than the getters say."""
    wanted = answers(speaker, asked)
    found = []
    for watch in watches:
        states = {service: watch.state(service) for service in VERSIONS}
        found += [f"{watch.name} {service}.{variable}: told {states[service].get(variable)!r}, asked {value!r}"
                  for (service, variable), value in wanted.items()
                  if not (moving and (service, variable) in MOVING) and states[service].get(variable) != value]
    return found


class Phone:
    """Does whatever comes to its mind."""

    def __init__(self, generator, speaker, media):
        self.random = generator
        self.speaker = speaker
        self.uris = [media.add(f"/random-{n}.wav", sound.wav(sound.noise(1 + n, seed=n)), "audio/wav")
                     for n in range(4)]
        self.uris += [media.refuse("/random-gone.flac"),
                      media.add("/random-broken.flac", bytes(range(256)) * 300, "audio/flac")]

    def act(self):
        """The action and its arguments."""
        choose, speaker = self.random.choice, self.speaker
        known = speaker.ids() or [0]
        uri = choose(self.uris)
        action = choose([
            ("Playlist", "Insert", {"AfterId": choose([0, *known]), "Uri": uri, "Metadata": didl(uri[-8:], uri)}),
            ("Playlist", "Insert", {"AfterId": known[-1], "Uri": uri, "Metadata": ""}),
            ("Playlist", "Insert", {"AfterId": known[-1], "Uri": self.uris[1], "Metadata": ""}),
            ("Playlist", "DeleteId", {"Value": choose(known)}),
            ("Playlist", choose(["DeleteAll", "Stop", "Previous"]), {}),
            ("Playlist", choose(["Play", "Next", "Pause"]), {}),
            ("Playlist", "SeekId", {"Value": choose(known)}),
            ("Playlist", "SeekIndex", {"Value": self.random.randrange(6)}),
            ("Playlist", "SeekSecondAbsolute", {"Value": self.random.randrange(3)}),
            ("Playlist", "SeekSecondRelative", {"Value": self.random.randrange(-3, 3)}),
            ("Playlist", choose(["SetRepeat", "SetShuffle"]), {"Value": self.random.randrange(2)}),
            ("Product", "SetSourceIndex", {"Value": self.random.randrange(4)}),
            ("Product", "SetStandby", {"Value": self.random.randrange(2)}),
            ("Radio", "SetId", {"Value": choose(speaker.ids("Radio")[:3]), "Uri": ""}),
            ("Radio", "SetChannel", {"Uri": uri, "Metadata": didl(uri[-8:], uri)}),
            ("Radio", choose(["Play", "Pause", "Stop"]), {}),
            ("Transport", choose(["Play", "Pause", "Stop", "SkipNext", "SkipPrevious"]), {}),
            ("Transport", "SetRepeat", {"Repeat": self.random.randrange(2)}),
            ("Transport", "PlayAs", {"Mode": choose(["playlist", "radio", "upnpav"]),
                                     "Command": choose(["", "index=0", f"id={choose(known)}"])}),
            ("Volume", "SetVolume", {"Value": self.random.randrange(120)}),
            ("Volume", choose(["VolumeInc", "VolumeDec", "VolumeIncNoUnmute", "BalanceInc", "BalanceDec"]), {}),
            ("Volume", "SetMute", {"Value": self.random.randrange(2)}),
            ("Volume", "SetBalance", {"Value": self.random.randrange(-25, 25)}),
            ("Volume", "SetTrim", {"Channel": "Left", "TrimBinaryMilliDb": self.random.randrange(-2048, 2048)}),
        ])
        service, name, arguments = action
        return service, name, arguments, speaker.refusal(service, name, **arguments)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_events_are_the_truth_and_nothing_but_news(speaker, oh_link, oh_media):
    seed = int(os.environ.get("INTEROP_SEED", random.randrange(1 << 32)))
    print(f"seed {seed} (INTEROP_SEED repeats it)")
    generator = random.Random(seed)
    asked = getters(speaker)
    assert len(asked) > 30
    phone = Phone(generator, speaker, oh_media)
    receiver = openhome.gena.Receiver(oh_link.phone)
    watches = [openhome.Watch(speaker, oh_link.phone, tuple(VERSIONS), receiver, "early")]
    done = []
    try:
        for step in range(STEPS):
            done.append(phone.act())
            if step == STEPS // 2:
                watches.append(openhome.Watch(speaker, oh_link.phone, tuple(VERSIONS), receiver, "late"))
            if step % 25 == 24:
                settle(speaker, asked, watches, seed, done, moving=True)
        speaker.playlist("Stop")
        speaker.product("SetStandby", Value=1)
        settle(speaker, asked, watches, seed, done, moving=False)
        for watch in watches:
            watch.assert_sequence()
            assert_news_only(watch, seed)
        told = watches[0]
        for service, variable in (("Info", "TrackCount"), ("Info", "DetailsCount"), ("Playlist", "TransportState"),
                                  ("Playlist", "IdArray"), ("Product", "SourceIndex"), ("Radio", "Uri"),
                                  ("Transport", "StreamId"), ("Volume", "Volume"), ("Volume", "Balance")):
            assert len(told.values(service, variable)) > 3, f"seed {seed}: {service}.{variable} hardly ever changed"
    finally:
        for watch in watches:
            watch.close()
        receiver.close()
        speaker.volume_of("SetTrim", Channel="Left", TrimBinaryMilliDb=0)
        speaker.volume_of("SetMute", Value=0)


def settle(speaker, asked, watches, seed, done, moving):
    """Events come a moment after the answers; then they say the same."""
    left = []

    def agrees():
        left[:] = differences(speaker, asked, watches, moving)
        return not left
    try:
        until(agrees, 8, "events and getters agree", step=0.1)
    except Timeout:
        lately = "\n".join(map(str, done[-12:]))
        raise AssertionError(f"seed {seed}, step {len(done)}: {left}\nlast actions:\n{lately}") from None


def assert_news_only(watch, seed):
    """No property of an event has the value that was told before."""
    for service in VERSIONS:
        known = {}
        for event in watch.of(service):
            assert event.properties, f"seed {seed}: an empty event of {service}"
            for name, value in event.properties.items():
                assert known.get(name) != value, f"seed {seed}: {service}.{name} = {value!r} was told twice in a row"
                known[name] = value
