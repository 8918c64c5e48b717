"""Rooms that hear a sender that isn't a Vireo: each by what it makes of the stream alone, measured against each other, and
against when the sender meant it to be heard."""

import numpy as np
import pytest
from bench import figures, noise
from bench.correlate import offsets
from bench.room import ScriptedHost
from bench.trail import Source, follow
from conftest import MEMBERS, SECONDS, SEED

LATENCY_MS = 320
#: Seconds after the start that a room has to settle in.
SETTLING = 5


@pytest.mark.timeout(600 + 4 * SECONDS)
@pytest.mark.parametrize("name, way, ppms", [
    ("clean", {}, (0,)), ("jitter 5 ms, loss 1 %", {"fixed": 0.3, "exponential": 5, "loss": 0.01}, (0,)),
    ("devices ±50 ppm", {}, (50, -50)),
], ids=["clean", "jitter", "ppm"])
def test_rooms_hear_a_foreign_sender(house, rooms, noises, name, way, ppms):
    count = max(2, MEMBERS)
    place = house(count, relayed=range(count) if way else (), seed=SEED)
    samples, wav = noises(SECONDS)
    host = ScriptedHost(place, wav, zone="foreign", latency_ms=LATENCY_MS)
    members = [rooms(place, number, ppm=ppms[number % len(ppms)]) for number in range(count)]
    for member in members:
        member.ready().join(host.uri)
    host.wait_listeners(count)
    if way:
        place.relay.both(**way)
    before = [member.usage() for member in members]
    told = host.play()
    for member in members:
        member.wait_receiver("Waiting", 10)
    after = [member.usage() for member in members]
    if way:
        place.relay.both()
        print(f"\nrelay: {place.relay.counts()}")
    for member in members:
        member.leave_group()
    host.close()
    source = Source(noise.left(samples))
    heard = [member.heard() for member in members]
    begin, end = told["began"] + SETTLING, told["began"] + SECONDS
    for number, recording in enumerate(heard):
        trail = follow(recording, source).between(begin, end)
        due = told["began"] + LATENCY_MS / 1000 + trail.places / 44100
        late = (trail.times - due)[trail.is_alike]
        found = offsets(heard[0], recording, begin, end)
        cpu = (after[number]["cpu"] - before[number]["cpu"]) / SECONDS
        row = figures.tell(figures.row(
            f"foreign sender, {name}", number, found, trail, late_us=round(float(np.median(late)) * 1e6),
            late_p95_us=round(float(np.quantile(np.abs(late), 0.95)) * 1e6), cpu_percent=round(cpu * 100, 2),
            rss=after[number]["rss"], dirty=after[number]["dirty"], idle_dirty=before[number]["dirty"],
            underrun_ms=round(recording.late.max() * 1000, 1), resent=told["resent"]))
        assert found.unknown < 0.05 and row["p95"] < 10_000
