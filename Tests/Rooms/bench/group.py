"""A host that plays, members that listen, and what came of it."""

import multiprocessing
import os
import time
from dataclasses import dataclass, field

import numpy as np
from kit import sound
from kit.waiting import until

from . import figures, noise
from .correlate import all_offsets
from .trail import Source, follow_all


@dataclass
class Track:
    uri: str
    #: The left channel, on the scale of 1.
    samples: np.ndarray
    rate: int


class Group:
    """Room 0 is the host, the others are members. `play` and what comes behind it note when things were done, by
    CLOCK_MONOTONIC."""

    def __init__(self, place, host, members, media, noises):
        self.place, self.host, self.members = place, host, members
        self._media, self._noises = media, noises
        self.tracks, self.uri, self.metadata = [], None, None
        self._before, self._after = {}, {}
        self.began = self.ended = None

    @property
    def rooms(self):
        return [self.host, *self.members]

    def add_track(self, seconds, seed, rate=44100):
        """Noise on the media server, as FLAC."""
        samples, _ = self._noises(seconds, rate, seed)
        uri = self._media.add(f"/{rate}-{seed}.flac", sound.flac(samples, rate), "audio/flac")
        self.tracks.append(Track(uri, noise.left(samples), rate))
        return uri

    def ready(self):
        for room in self.rooms:
            room.ready()
        self.uri, self.metadata = self.host.sender()
        return self

    def join(self, *members):
        for member in members:
            member.join(self.uri, self.metadata)

    def joined(self, *members):
        """Waits until they are listening, and have learnt what there is to know beforehand."""
        for member in members:
            member.wait_receiver("Waiting", 10)
        time.sleep(1)

    def load(self):
        """The tracks become the host's playlist."""
        self.host.speaker.fresh()
        self.host.speaker.append(*[track.uri for track in self.tracks])

    def play(self):
        self._note(self._before)
        self.began = time.monotonic()
        self.host.speaker.playlist("Play")
        until(lambda: self.host.speaker.state_of() == "Playing", 10, "the host to play")

    def wait_end(self, seconds):
        until(lambda: self.host.speaker.state_of() == "Stopped", seconds + 20, "the end of the music")
        self._note(self._after)
        self.ended = time.monotonic()
        time.sleep(0.5)  # what was sent is heard

    def stop(self):
        self._note(self._after)
        self.ended = time.monotonic()
        self.host.speaker.playlist("Stop")
        time.sleep(0.5)

    def _note(self, target):
        for room in self.rooms:
            if room.is_running():
                target[room.number] = room.usage() | self.place.packets(room.number)
        target["at"] = time.monotonic()

    def cost(self, room):
        """What a room has cost while music played: share of a processor, memory, packets."""
        before, after = self._before.get(room.number), self._after.get(room.number)
        if not before or not after or after["cpu"] < before["cpu"]:
            return {}
        seconds = self._after["at"] - self._before["at"]
        return {"cpu_percent": round(100 * (after["cpu"] - before["cpu"]) / seconds, 2), "rss_kb": after["rss"],
                "dirty_kb": after["dirty"], "dirty_before_kb": before["dirty"],
                "had_per_s": round((after["had"] - before["had"]) / seconds),
                "sent_per_s": round((after["sent"] - before["sent"]) / seconds),
                "sent_kbit_per_s": round((after["sent_bytes"] - before["sent_bytes"]) * 8 / seconds / 1000)}

    def source(self, rate=44100):
        return Source(*[track.samples for track in self.tracks if track.rate == rate])


@dataclass
class Outcome:
    """A member against the host."""

    room: object
    offsets: object
    trail: object
    row: dict = field(default_factory=dict)


def measure(group, scenario, without=(), only=None, source=None, **more):
    """Compares each member with the host and tells the figures. `without`: spans (begin, end) that don't count, or a
    function of the member that gives them."""
    host = group.host.history()
    source = source or group.source()
    own = follow_all(host, source)
    own = own.between(own.begin, own.end - 0.1)
    cost = group.cost(group.host)
    figures.tell({"scenario": scenario, "room": "host", "rooms": len(group.rooms), "seconds": round(own.end - own.begin),
                  "holes": len(own.holes), "missing": own.missing,
                  "doubled": own.doubled, "late_blocks_ms": round(host.latest * 1000, 1), **cost})
    members = group.members if only is None else only
    results = []
    for member, found, trail, heard in zip(members, *_compared(host, own, members, source)):
        spans = without(member) if callable(without) else without
        counted, kept = found.without(spans), trail.between(own.begin, own.end).without(spans)
        first = found.known[0] if len(found.known) else float("nan")
        results.append(Outcome(member, found, trail, figures.tell(figures.row(
            scenario, member.number, counted, kept, first_us=round(float(first) * 1e6, 1),
            began_late_ms=round((trail.begin - own.begin) * 1000) if trail.is_alike.any() else None,
            late_blocks_ms=round(heard * 1000, 1), **group.cost(member), **more))))
    if group.place.relay:
        counts = group.place.relay.counts()
        total = {way: {name: sum(each[way][name] for each in counts.values()) if name != "late_us" else
                       max(each[way][name] for each in counts.values()) for name in counts[next(iter(counts))][way]}
                 for way in ("to_room", "from_room")}
        figures.tell({"scenario": scenario, "room": "relay", **{f"{way} {name}": value for way, ones in total.items()
                                                               for name, value in ones.items()}})
    return own, results


def _compared(host, own, members, source):
    """Offsets, trail and lateness of each member, computed on all processors: it takes a while."""
    def compare(number):
        history = members[number].history()
        trail = follow_all(history, source)
        found = all_offsets(host, history, max(host.begin, own.begin), own.end).filled(own, trail)
        return found, trail, history.latest
    if len(members) * (own.end - own.begin) < 200:
        return zip(*[compare(number) for number in range(len(members))])
    global _job
    _job = compare  # inherited by the processes, which begin here
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        return zip(*pool.map(_do_job, range(len(members)), chunksize=1))


def _do_job(number):
    return _job(number)


def strict():
    """Whether what is aimed at is demanded, or only what must be."""
    return os.environ.get("ROOMS_STRICT") == "1"
