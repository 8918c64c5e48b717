"""The bench itself, on real rooms: what is put in by hand must be found before its other figures are believed."""

import os
import socket
import struct
import time

import numpy as np
import pytest
from bench import noise
from bench.correlate import offsets
from bench.recording import Recording
from bench.room import ScriptedHost
from bench.trail import Source, follow
from conftest import SEED
from kit.waiting import until

RATE = 44100


def exchange(house, count=400, gap=0.002, port=5004, to=None):
    """Numbered datagrams from the bridge to room 0; when each came, by number, in seconds after it was sent."""
    inside = house.hosts[0].socket(socket.AF_INET, socket.SOCK_DGRAM)
    inside.bind(("", port))
    inside.settimeout(0.3)
    if to:
        inside.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                          socket.inet_aton(to) + socket.inet_aton(house.ports[0].speaker))
    outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    outside.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(house.address))
    came, sent = [], {}

    def take():
        try:
            while True:
                data = inside.recv(100)
                came.append((struct.unpack("i", data)[0], time.monotonic()))
        except OSError:
            pass
    inside.setblocking(False)
    begin = time.monotonic()
    for number in range(count):
        while time.monotonic() < begin + number * gap:
            take()
        sent[number] = time.monotonic()
        outside.sendto(struct.pack("i", number), (to or house.ports[0].speaker, port))
    while time.monotonic() < begin + count * gap + 0.5:
        take()
    inside.close()
    outside.close()
    return [(number, at - sent[number]) for number, at in came]


def test_the_relay_does_what_it_is_told(house):
    place = house(1, relayed=[0], seed=5)
    relay = place.relay
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))  # what is measured is the relay
    except OSError:
        pass
    exchange(place, 20)  # the addresses are known then
    plain = exchange(place)
    assert [number for number, _ in plain] == list(range(400))
    assert np.median([late for _, late in plain]) < 0.001
    relay.change(to_room={"fixed": 7})
    late = [late for _, late in exchange(place)]
    assert abs(np.median(late) - 0.007) < 0.0005
    relay.change(to_room={"fixed": 1, "exponential": 5})
    came = exchange(place)
    late = np.array([late for _, late in came]) - 0.001
    assert len(came) == 400 and 0.004 < late.mean() < 0.0065 and 0.0035 < late.std() < 0.0075
    assert [number for number, _ in came] != list(range(400))
    relay.change(to_room={"exponential": 5, "in_order": True})
    assert [number for number, _ in exchange(place)] == list(range(400))
    relay.change(to_room={"loss": 0.2, "doubled": 0.1})
    came = [number for number, _ in exchange(place)]
    assert 290 < len(set(came)) < 350 and 15 < len(came) - len(set(came)) < 55
    relay.change(to_room={"cut": True})
    assert exchange(place, 50) == []
    relay.change(from_room={"cut": True})
    assert len(exchange(place, 50)) == 50
    counts = relay.counts()[0]
    assert counts["to_room"]["lost"] > 100 and counts["to_room"]["doubled"] > 10


def test_the_relay_passes_multicast_and_is_the_same_for_a_seed(house):
    runs = []
    for _ in range(2):
        place = house(1, relayed=[0], seed=5)
        place.hosts[0].sh("ip", "route", "add", "default", "via", place.address)
        exchange(place, 20)
        place.relay.change(to_room={"loss": 0.3})
        runs.append([number for number, _ in exchange(place, 100, to="239.253.1.2")])
        place.close()
    assert len(runs[0]) > 40
    assert len(runs[1]) > 40


def alone(room, uri):
    """Plays as a room does that nobody listens to."""
    room.speaker.fresh()
    room.speaker.append(uri)
    room.speaker.playlist("Play")


def test_a_drift_of_20_ppm_is_found_between_real_devices(house, rooms, media, noises):
    """Each plays by itself, and nobody corrects anything."""
    place = house(2)
    samples, wav = noises(14)
    uri = media(place).add("/noise.wav", wav.read_bytes(), "audio/wav")
    pair = [rooms(place, number, ppm=ppm).ready() for number, ppm in enumerate((0, 20))]
    for room in pair:
        alone(room, uri)
    for room in pair:
        until(lambda: room.speaker.state_of() == "Stopped", 30, "the end")
    first, second = (room.heard() for room in pair)
    assert np.array_equal(first.samples[:len(samples)], noise.left(samples))
    assert len(first.runs) == len(second.runs) == 1
    found = offsets(first, second, most=1)
    assert found.unknown == 0 and abs(found.drift + 20) < 0.1
    # The recordings are the noise itself, so when their first frames are heard says how far apart they are.
    apart = second.time_of(0, second.runs[0]) - first.time_of(0, first.runs[0])
    expected = apart - (found.times - first.begin) * 20e-6
    assert np.abs(found.values - expected).max() < 2e-6
    for recording in (first, second):
        trail = follow(recording, Source(noise.left(samples)))
        assert trail.is_alike[3:-3].all() and not trail.jumps and not trail.holes


def altered(recording, at, count):
    """The recording without `count` frames from `at` on (negative: with so many of them twice), its times as they were."""
    samples = np.concatenate([recording.samples[:at], recording.samples[at + count:]])
    return Recording(samples, recording.rate, recording.frames, recording.times)


def test_a_shift_of_100_us_and_single_frames_are_found_in_real_rooms(house, rooms, noises):
    """Two members of a foreign sender, of which the network is slower for one: with such a sender that delay stays. Then
    frames are taken out of the recording of a member whose converter is at work."""
    place = house(2, relayed=[0, 1], seed=SEED)
    samples, wav = noises(14)
    host = ScriptedHost(place, wav, zone="shifted", latency_ms=320)
    members = [rooms(place, number, ppm=40) for number in range(2)]
    for member in members:
        member.ready().join(host.uri)
    host.wait_listeners(2)
    shifts = []
    for extra in (0, 0.1, 0.3):
        place.relay.change(to_room={"fixed": 1}, rooms=[0])
        place.relay.change(to_room={"fixed": 1 + extra}, rooms=[1])
        began = host.play()["began"]
        for member in members:
            member.wait_receiver("Waiting", 10)
        heard = [member.heard() for member in members]
        found = offsets(*heard, began + 4, began + 14)
        assert found.unknown == 0
        shifts.append(float(np.median(found.known)) * 1e6)
    print(f"\nshifts of 0, 100 and 300 µs: {', '.join(f'{shift:.1f}' for shift in shifts)}", end="")
    assert abs(shifts[1] - shifts[0] - 100) < 40 and abs(shifts[2] - shifts[0] - 300) < 40
    for member in members:
        member.leave_group()
    source = Source(noise.left(samples))
    recording = members[0].heard()
    at = int(recording.find(began + 8)[1])
    for count in (1, -1):
        trail = follow(altered(recording, at, count), source).between(began + 2, began + 13)
        assert (trail.missing, trail.doubled) == ((1, 0) if count > 0 else (0, 1))
        assert len(trail.jumps) == 1 and abs(trail.jumps[0].at - began - 8) < 0.05
    clean = follow(recording, source).between(began + 2, began + 13)
    assert not clean.jumps and not clean.holes
