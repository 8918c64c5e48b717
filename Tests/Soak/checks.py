"""What must be true when all is quiet: both devices answer, and say the same."""

import time

from kit import openhome
from kit.gena import Subscription
from kit.openhome import ids
from kit.upnp import AVT, RC, Fault
from kit.waiting import Timeout, until


def settle(subject, device, speaker):
    """Awake, stopped, empty, in order, at full volume: the state in which levels are compared."""
    speaker.product("SetStandby", Value=0)
    speaker.fresh()
    try:
        device.stop()
    except Fault:
        pass
    device.avt("SetPlayMode", NewPlayMode="NORMAL")
    device.set_uri("")
    device.rc("SetMute", Channel="Master", DesiredMute=0)
    device.set_volume(100)
    speaker.product("SetSourceBySystemName", Value="Playlist")


def check_state(device, speaker):
    """What the two devices say of one player, compared; a list of what doesn't fit."""
    problems = []

    def same(what, one, other):
        if one != other:
            problems.append(f"{what}: {one!r} and {other!r}")

    for volume in (0, 37, 100):
        device.set_volume(volume)
        same("volume", speaker.volume_of("Volume")["Value"], str(volume))
    speaker.volume_of("SetVolume", Value=41)
    same("volume", device.volume(), 41)
    for mute in ("1", "0"):
        speaker.volume_of("SetMute", Value=mute)
        same("mute", device.rc("GetMute", Channel="Master")["CurrentMute"], mute)
    made = speaker.append(*(f"http://{device.location.split('/')[2]}/{n}" for n in range(30)))
    same("ids", speaker.ids(), made)
    same("ReadList", [int(e["Id"]) for e in speaker.read_list(" ".join(map(str, made)))], made)
    for gone in made[::2]:
        speaker.playlist("DeleteId", Value=gone)
    same("ids after deletions", speaker.ids(), made[1::2])
    speaker.playlist("DeleteAll")
    same("ids after all", speaker.ids(), [])
    same("state", speaker.state_of(), "Stopped")
    same("sources", len(ids(speaker.radio("IdArray")["Array"])) > 0, True)
    return problems


def play_reference(device, speaker, music):
    """Something whole is played on either device, to its end."""
    problems = []
    try:
        with Subscription(device.services[AVT].event, device_phone(music)) as events:
            events.initial()
            device.set_uri(music.reference)
            device.play()
            playing = events.wait_change("TransportState", "PLAYING", 10)
            events.wait_change("TransportState", "STOPPED", 10, since=events.events.items.index(playing))
    except (Timeout, Fault) as error:
        problems.append(f"MediaRenderer doesn't play: {error}")
    try:
        speaker.append(music.reference, music.reference)
        with openhome.Watch(speaker, device_phone(music), services=("Playlist",)) as watch:
            speaker.playlist("Play")
            playing = watch.wait("Playlist", "TransportState", "Playing", 10)
            watch.wait("Playlist", "TransportState", "Stopped", 10, since=watch.events.items.index(playing))
        speaker.playlist("DeleteAll")
    except (Timeout, Fault) as error:
        problems.append(f"OpenHome doesn't play: {error}")
    return problems


def taste(device, speaker, music):
    """Everything that there is to play once, for a moment: libraries that are loaded now aren't a leak later."""
    for address in dict.fromkeys(music.addresses):
        for cast in (lambda: (device.set_uri(address), device.play()),
                     lambda: (speaker.radio("SetChannel", Uri=address, Metadata=""), speaker.radio("Play"))):
            try:
                cast()
            except Fault:
                continue  # an address that is refused
            time.sleep(0.15)  # long enough to be read, not to be heard


def device_phone(music):
    return music.server.base.split("//")[1].rsplit(":", 1)[0]


def stays_over_a_restart(subject, world, music):
    """The state after SIGTERM and a new start; a list of what was lost."""
    device, speaker = world.found(subject.uuid)
    made = speaker.append(*[music.reference] * 5)
    device.set_volume(23)
    speaker.playlist("SetRepeat", Value=1)
    status = subject.terminate()
    problems = [] if status == 0 else [f"SIGTERM: status {status}"]
    subject.start()
    device, speaker = world.found(subject.uuid)
    now = (speaker.ids(), device.volume(), speaker.playlist("Repeat")["Value"])
    if now != (made, 23, "1"):
        problems.append(f"{(made, 23, '1')} became {now}")
    return problems
