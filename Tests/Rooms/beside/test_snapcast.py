"""Vireo and Snapcast side by side: the same rooms, network and sound card, measured by the same correlator.

Both play through PulseAudio, whose clock all rooms share. The room of the host has no relay.
"""

import os
import shutil
import time
from pathlib import Path

import pytest
from bench import figures, noise
from bench.correlate import all_offsets
from bench.group import Group
from bench.loudspeakers import Loudspeakers
from bench.snapcast import Snapcast
from bench.trail import Source, follow_all
from conftest import MEMBERS, SECONDS, SEED

#: Seconds after the beginning of the sound that aren't counted.
SETTLING = 2
WAYS = {
    "clean": ({}, {}),
    "5 ms exponential, 1 % loss": ({"fixed": 0.3, "exponential": 5, "loss": 0.01},) * 2,
    "2 ms there, 20 ms back": ({"fixed": 0.3, "exponential": 2}, {"fixed": 0.3, "exponential": 20}),
}


@pytest.fixture
def loudspeakers(tmp_path, request):
    made = []

    def make(rooms):
        made.append(Loudspeakers(rooms, tmp_path / "pulse"))
        return made[-1]
    yield make
    for each in made:
        each.close()
        if os.environ.get("ROOMS_KEEP"):
            folder = Path(os.environ["ROOMS_KEEP"]) / request.node.name
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(each.recording, folder)


def tell(system, way, loudspeakers, samples, cost):
    """The figures of each member against the host's room."""
    source = Source(noise.left(samples))
    histories = [loudspeakers.heard(number) for number in range(loudspeakers.rooms)]
    trails = [follow_all(history, source) for history in histories]
    begin, end = trails[0].begin + SETTLING, trails[0].end
    rows = []
    for number in range(1, loudspeakers.rooms):
        found = all_offsets(histories[0], histories[number], begin, end).filled(trails[0], trails[number])
        rows.append(figures.tell(figures.row(
            f"{system}, {way}", number, found, trails[number].between(begin, end),
            began_late_ms=round((trails[number].begin - trails[0].begin) * 1000), **cost(number))))
    figures.tell({"scenario": f"{system}, {way}", "room": "host", "rooms": loudspeakers.rooms, "seconds": round(end - begin), "holes": len(trails[0].holes), "missing": trails[0].missing,
                  "doubled": trails[0].doubled, **cost(0)})
    return rows


def usage(before, after, seconds):
    return {"cpu_percent": round(100 * (after["cpu"] - before["cpu"]) / seconds, 2), "rss_kb": after["rss"],
            "dirty_kb": after["dirty"]}


def measured(process):
    memory = process.memory()
    return {"cpu": process.processor_seconds(), "rss": memory["Rss"], "dirty": memory["Private_Dirty"]}


@pytest.mark.timeout(900 + 12 * SECONDS)
@pytest.mark.parametrize("way", WAYS)
def test_snapcast(house, loudspeakers, noises, tmp_path, way):
    if not shutil.which("snapserver") or not shutil.which("snapclient"):
        pytest.skip("Snapcast isn't installed: apt-get install snapserver snapclient")
    place = house(MEMBERS + 1, relayed=range(1, MEMBERS + 1), seed=SEED)
    place.relay.change(*WAYS[way])
    speakers = loudspeakers(MEMBERS + 1)
    samples, wav = noises(SECONDS)
    snapcast = Snapcast(place, speakers, tmp_path / "snapcast")
    try:
        time.sleep(5)  # they find each other and measure their clocks
        before = {process: measured(process) for process in snapcast.processes}
        begin = time.monotonic()
        snapcast.play(wav).join(SECONDS + 30)
        time.sleep(2.5)
        seconds = time.monotonic() - begin
        after = {process: measured(process) for process in snapcast.processes}
        speakers.stop()
        clients = {process.number: process for process in snapcast.clients}
        server = snapcast.server
        cost = {number: usage(before[each], after[each], seconds) for number, each in clients.items()}
        own = usage(before[server], after[server], seconds)
        cost[0] = {f"server {name}": value for name, value in own.items()} | cost[0]
    finally:
        snapcast.close()
    rows = tell("Snapcast", way, speakers, samples, cost.get)
    assert all(row["windows"] > 0 for row in rows)


@pytest.mark.timeout(900 + 12 * SECONDS)
@pytest.mark.parametrize("way", WAYS)
def test_vireo_on_the_same_sound_card(house, rooms, media, loudspeakers, noises, way):
    place = house(MEMBERS + 1, relayed=range(1, MEMBERS + 1), seed=SEED)
    place.relay.change(*WAYS[way])
    speakers = loudspeakers(MEMBERS + 1)
    all_rooms = [rooms(place, number, settings={"audio": {"output": f"pulse:room{number}"}},
                       environment={"PULSE_SERVER": speakers.server, "PULSE_COOKIE": speakers.environment["PULSE_COOKIE"]})
                 for number in range(MEMBERS + 1)]
    group = Group(place, all_rooms[0], all_rooms[1:], media(place), noises)
    group.add_track(SECONDS, SEED)
    group.ready().load()
    group.join(*group.members)
    group.joined(*group.members)
    time.sleep(3)
    group.play()
    group.wait_end(SECONDS)
    time.sleep(1)
    speakers.stop()
    samples, _ = noises(SECONDS)
    rows = tell("Vireo through PulseAudio", way, speakers, samples, lambda number: group.cost(all_rooms[number]))
    assert all(row["windows"] > 0 for row in rows)
