"""Events of the OpenHome services: on change and only on change, moderated where a burst would flood, for a crowd."""

import statistics
import time

import pytest
from kit import http, openhome
from kit.gena import Receiver
from kit.openhome import VERSIONS, ids
from kit.upnp import envelope
from kit.waiting import PATIENCE, until


class Inserter:
    """Inserts over one kept connection, as a phone does; quick enough to be a burst."""

    def __init__(self, speaker):
        self.kind = speaker.types["Playlist"]
        address, port, self.target, self.netloc = http.split(speaker.services[self.kind].control)
        self.connection = http.Connection(address, port)

    def insert(self, after, uri, metadata="<DIDL-Lite/>"):
        body = envelope(self.kind, "Insert", {"AfterId": after, "Uri": uri, "Metadata": metadata})
        self.connection.send(http.build("POST", self.target, {
            "Host": self.netloc, "Content-Type": 'text/xml; charset="utf-8"',
            "SOAPACTION": f'"{self.kind}#Insert"'}, body))
        response = self.connection.receive()
        assert response.status == 200, response.body
        return int(response.body.split(b"<NewId>")[1].split(b"<")[0])

    def close(self):
        self.connection.close()


def test_a_change_is_told_once_and_to_each_service_that_shows_it(speaker, watch):
    steps = [
        (lambda: speaker.volume_of("SetVolume", Value=31), "Volume", {"Volume": "31"}),
        (lambda: speaker.volume_of("SetMute", Value=1), "Volume", {"Mute": "1"}),
        (lambda: speaker.volume_of("SetMute", Value=0), "Volume", {"Mute": "0"}),
        (lambda: speaker.volume_of("SetBalance", Value=3), "Volume", {"Balance": "3"}),
        (lambda: speaker.playlist("SetRepeat", Value=1), "Playlist", {"Repeat": "1"}),
        (lambda: speaker.playlist("SetShuffle", Value=1), "Playlist", {"Shuffle": "1"}),
        (lambda: speaker.product("SetSourceIndex", Value=1), "Product", {"SourceIndex": "1"}),
        (lambda: speaker.product("SetStandby", Value=1), "Product", {"Standby": "1"}),
        (lambda: speaker.product("SetStandby", Value=0), "Product", {"Standby": "0"}),
    ]
    for step, service, wanted in steps:
        mark = watch.events.mark()
        step()
        (name, value), = wanted.items()
        event = watch.wait(service, name, value, 5, mark)
        assert event.properties == wanted
        step()  # the same again is no change
    time.sleep(0.5)  # the interval in which nothing more must come
    for name in ("Repeat", "Shuffle"):
        assert watch.values("Transport", name)[-1] == "1"
        assert watch.values("Playlist", name).count("1") == 1
    assert watch.values("Product", "SourceIndex") == ["0", "1"]
    assert watch.values("Product", "Standby") == ["0", "1", "0"]
    watch.assert_sequence()


def test_a_burst_of_inserts_is_few_events(speaker, watch):
    inserter = Inserter(speaker)
    mark, begun = watch.events.mark(), time.monotonic()
    last = 0
    for n in range(200):
        last = inserter.insert(last, f"http://10.77.1.2/{n}")
    seconds = time.monotonic() - begun
    inserter.close()
    wanted = speaker.playlist("IdArray")["Array"]
    watch.wait("Playlist", "IdArray", wanted, 5, mark)
    told = watch.values("Playlist", "IdArray", mark)
    assert len(told) <= 3 + seconds / 0.25, f"{len(told)} events in {seconds:.2f} s"
    watch.assert_sequence()


def test_time_ticks_only_while_it_plays(speaker, oh_media, oh_link):
    track = openhome.tracks(oh_media, 1, 8)[0]
    speaker.append(track.uri)
    with openhome.Watch(speaker, oh_link.phone, ("Time", "Playlist")) as watch:
        speaker.playlist("Play")
        watch.wait("Time", "Seconds", lambda text: int(text) >= 5, 10)
        seconds = [int(n) for n in watch.values("Time", "Seconds")]
        # One may be late or left out where the machine is busy, not all.
        assert seconds == sorted(seconds) and len({1, 2, 3, 4, 5} & set(seconds)) >= 4
        at = [e.at for e in watch.of("Time") if "Seconds" in e.properties][-5:]
        assert 0.8 < statistics.median(later - earlier for earlier, later in zip(at, at[1:])) < 1.25
        mark = watch.events.mark()
        speaker.playlist("Pause")
        watch.wait("Playlist", "TransportState", "Paused", 5, mark)
        # The second that the pause itself has ended at is told by a message of its own.
        stands = speaker.action("Time", "Time")["Seconds"]
        until(lambda: watch.state("Time")["Seconds"] == stands, 5, f"{stands} seconds")
        mark = watch.events.mark()
        time.sleep(1.6)  # the interval in which nothing must come
        assert len(watch.of("Time", mark)) == 0
        speaker.playlist("Stop")
        watch.wait("Time", "Seconds", 0, 5, mark)
        watch.assert_sequence()


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_fifty_control_points_while_a_thousand_tracks_are_inserted(launch, own_host):
    """All services each: 500 subscriptions. Nobody misses the final state, SEQ is right, the memory comes back."""
    link = own_host.link()
    subject = launch(own_host)
    speaker = openhome.Speaker.of(subject, link)

    def thousand():
        inserter, last = Inserter(speaker), 0
        begun = time.monotonic()
        for n in range(1000):
            last = inserter.insert(last, f"http://10.77.1.2/{n:04}.flac", "<DIDL-Lite>" + "x" * 600 + "</DIDL-Lite>")
        inserter.close()
        return time.monotonic() - begun
    # Once without anybody, so that what stays in use from the first time on isn't counted.
    alone = thousand()
    speaker.playlist("DeleteAll")
    time.sleep(2)  # memory that is given back late
    before, descriptors = subject.memory(), subject.descriptors()

    receiver = Receiver(link.phone, backlog=1024)
    watches = [openhome.Watch(speaker, link.phone, tuple(VERSIONS), receiver, f"cp{n}") for n in range(50)]
    try:
        crowded = thousand()
        wanted = speaker.playlist("IdArray")["Array"]
        assert len(ids(wanted)) == 1000
        sids = {watch.sids["Playlist"]: watch for watch in watches}
        final = {}

        def all_know():
            for event in receiver.events.items[all_know.seen:]:
                all_know.seen += 1
                if event.sid in sids and "IdArray" in event.properties:
                    final[event.sid] = event.properties["IdArray"]
            return len(final) == 50 and all(array == wanted for array in final.values())
        all_know.seen = 0
        until(all_know, 20, "all 50 know the final list", step=0.1)
        peak = subject.memory()
        speaker.volume_of("SetVolume", Value=17)
        receiver.events.wait_count(
            50, lambda e: e.path.endswith("/Volume") and e.properties.get("Volume") == "17", 10, "the last volume")
        by_sid = {}
        for event in list(receiver.events.items):
            by_sid.setdefault(event.sid, []).append(event.seq)
        assert len(by_sid) == 500
        for sid, numbers in by_sid.items():
            assert numbers == list(range(len(numbers))), f"SEQ of {sid}: {numbers}"
    finally:
        for watch in watches:
            watch.close()
        receiver.close()
    speaker.playlist("DeleteAll")
    grown = until(lambda: _grown(subject, before), 15, "the memory is given back", step=0.5)
    # Connections to subscribers are kept for a few seconds.
    until(lambda: subject.descriptors() <= descriptors + 4, 10, "the connections are closed")
    print(f"1,000 inserts: {alone:.2f} s alone, {crowded:.2f} s with 500 subscriptions, {len(by_sid)} SIDs, "
          f"{sum(map(len, by_sid.values()))} events; private dirty {before['Private_Dirty']} kB before, "
          f"{peak['Private_Dirty']} kB at the peak, {grown[0]:+} kB afterwards")


def _grown(subject, before, bound=6144):
    difference = subject.memory()["Private_Dirty"] - before["Private_Dirty"]
    return (difference,) if difference < bound else None
