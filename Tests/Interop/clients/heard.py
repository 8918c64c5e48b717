"""Whether what a program has cast is heard, and goes on being heard."""

from kit.waiting import Timeout, until

#: How often each is tried: what goes wrong may do so one time in six.
ROUNDS = 10


def is_silent(device, uri):
    """True when this file, by whichever server, isn't heard for a second although it was cast to the UPnP AV device."""
    def is_heard():
        position = device.avt("GetPositionInfo")
        is_it = _name(position["TrackURI"]) == _name(uri)
        return is_it and position["RelTime"] >= "0:00:01" and device.state() == "PLAYING"
    return _never(is_heard, uri)


def is_silent_station(speaker, uri):
    """The same of the OpenHome device, which casts come to as stations."""
    def is_heard():
        is_it = _name(speaker.action("Radio", "Channel")["Uri"]) == _name(uri)
        seconds = int(speaker.action("Time", "Time")["Seconds"])
        return is_it and seconds >= 1 and speaker.action("Radio", "TransportState")["Value"] == "Playing"
    return _never(is_heard, uri)


def _name(uri):
    return uri.rsplit("/", 1)[-1]


def _never(is_heard, uri):
    try:
        until(is_heard, 6, f"{uri} is heard")
    except Timeout:
        return True
    return False


def told(silent):
    return f"silence in {len(silent)} of {ROUNDS} rounds: {silent}"
