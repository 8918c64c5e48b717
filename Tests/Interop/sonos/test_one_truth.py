"""An AV, an OpenHome and a Sonos-class controller at the same time: what one of them does, all of them know, by events and by
getters, and 300 milliseconds pass at most between the first that knows and the last (times INTEROP_PATIENCE)."""

import itertools
import os
import random

import pytest
import soco
from kit import media_server, netns, openhome, sound
from kit.truth import MODES, Truth
from kit.upnp import Device, Fault, didl
from kit.waiting import until
from kit.zone import ask, search
from soco.exceptions import SoCoUPnPException

LIMIT = 80


@pytest.fixture(scope="module")
def table():
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="module")
def songs(table, tmp_path_factory):
    """Addresses of tracks of five minutes, as many as are asked for, and of a station."""
    server = media_server.MediaServer(table.phone)
    data = sound.wav(sound.noise(300, rate=8000, channels=1), rate=8000)
    station = server.add("/live", sound.mp3(sound.noise(4, seed=8), folder=tmp_path_factory.mktemp("station")), "audio/mpeg",
                         mode="icy", rate=24000)

    class Songs:
        live = station

        def __iter__(self):
            return (server.add(f"/{number}.wav", data, "audio/wav") for number in itertools.count(1))
    yield Songs()
    server.close()


@pytest.fixture(scope="module")
def speaker_of_all(table, launch_for_all):
    subject = launch_for_all(table, "truth", settings={
        "sonos": {"enabled": True}, "volume": {"limit": LIMIT, "initial": 30}, "audio": {"output": "null"}})
    until(lambda: ask(table, search(), seconds=1), 20, "the zone answers")
    return subject


@pytest.fixture
def three(speaker_of_all, table):
    """The controllers, and what they know."""
    device = Device(speaker_of_all.location(table))
    speaker = openhome.Speaker.of(speaker_of_all, table)
    speaker.fresh()
    speaker.volume_of("SetVolume", Value=30)
    truth = Truth(device, speaker, table)
    yield device, speaker, soco.SoCo(table.speaker), truth
    truth.close()
    print(f"the slowest took {truth.slowest * 1000:.0f} ms")


def test_each_acts_in_turn_and_all_know(three, songs):
    device, speaker, zone, truth = three
    tracks = list(itertools.islice(songs, 6))
    truth.wait(state="STOPPED", queue=[], volume=30, mute=False, repeats=False, shuffle=False)
    # The queue: edited by two, shown by two, and what plays by all.
    speaker.append(*tracks[:2])
    zone.add_uri_to_queue(tracks[2])
    truth.wait(queue=tracks[:3], state="STOPPED")
    zone.play_from_queue(1)
    truth.wait(state="PLAYING", uri=tracks[1], current=2)
    device.avt("Pause")
    truth.wait(state="PAUSED_PLAYBACK", uri=tracks[1])
    speaker.playlist("Play")
    truth.wait(state="PLAYING", uri=tracks[1])
    device.avt("Next")
    truth.wait(state="PLAYING", uri=tracks[2], current=3)
    with pytest.raises(SoCoUPnPException, match="711"):
        zone.next()
    speaker.insert(tracks[3], 0)
    truth.wait(queue=[tracks[3], *tracks[:3]], current=4, uri=tracks[2], state="PLAYING")
    # A place that the zone has read is the place when its call arrives.
    zone.avTransport.ReorderTracksInQueue([
        ("InstanceID", 0), ("StartingIndex", 4), ("NumberOfTracks", 1), ("InsertBefore", 1), ("UpdateID", 0)])
    truth.wait(queue=[tracks[2], tracks[3], *tracks[:2]], current=1, uri=tracks[2], state="PLAYING")
    zone.remove_from_queue(0)
    truth.wait(queue=[tracks[3], *tracks[:2]], current=1, uri=tracks[3], state="PLAYING")
    speaker.playlist("DeleteId", Value=speaker.ids()[2])
    truth.wait(queue=[tracks[3], tracks[0]], current=1, uri=tracks[3], state="PLAYING")
    # The volume, with its limit.
    device.set_volume(41)
    truth.wait(volume=41)
    speaker.volume_of("SetVolume", Value=42)
    truth.wait(volume=42)
    zone.volume = 43
    truth.wait(volume=43)
    zone.mute = True
    truth.wait(mute=True, volume=43)
    zone.volume = 100
    truth.wait(mute=True, volume=LIMIT)
    speaker.volume_of("VolumeInc")
    truth.wait(mute=False, volume=LIMIT)
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    truth.wait(mute=True)
    speaker.volume_of("SetMute", Value=0)
    assert zone.set_relative_volume(-50) == LIMIT - 50
    truth.wait(mute=False, volume=LIMIT - 50)
    # Play modes.
    for mode, (repeats, shuffle) in MODES.items():
        zone.play_mode = mode
        truth.wait(repeats=repeats != "none", shuffle=shuffle)
    speaker.playlist("SetShuffle", Value=0)
    truth.wait(repeats=True, shuffle=False)
    assert zone.play_mode == "REPEAT_ONE"
    speaker.playlist("SetRepeat", Value=0)
    truth.wait(repeats=False, shuffle=False)
    assert zone.play_mode == "NORMAL"
    # Other sources. The queue stays.
    device.set_uri(tracks[4], didl("A cast", tracks[4]))
    device.play()
    truth.wait(state="PLAYING", uri=tracks[4], queue=[tracks[3], tracks[0]])
    zone.pause()
    truth.wait(state="PAUSED_PLAYBACK", uri=tracks[4])
    speaker.transport("Play")
    truth.wait(state="PLAYING", uri=tracks[4])
    zone.play_uri(tracks[5], title="An announcement")
    truth.wait(state="PLAYING", uri=tracks[5])
    device.stop()
    truth.wait(state="STOPPED", uri=tracks[5], queue=[tracks[3], tracks[0]])
    zone.play_uri(songs.live, title="A station", force_radio=True)
    truth.wait(state="PLAYING", uri=songs.live, queue=[tracks[3], tracks[0]])
    assert speaker.source() == "Radio"
    speaker.radio("Stop")
    truth.wait(state="STOPPED", uri=songs.live)
    zone.play_from_queue(1)
    truth.wait(state="PLAYING", uri=tracks[0], current=2)
    speaker.product("SetStandby", Value=1)
    truth.wait(state="STOPPED", uri=tracks[0], current=2, queue=[tracks[3], tracks[0]])
    zone.play()
    truth.wait(state="PLAYING", uri=tracks[0], current=2)
    assert speaker.product("Standby")["Value"] in ("0", "false")
    zone.clear_queue()
    truth.wait(state="STOPPED", queue=[], current=0, uri="")


def test_the_last_of_many_changes_is_told(three):
    """Events are held back so that there are no more than five in a second; the last value comes all the same."""
    device, speaker, zone, truth = three
    for last in (11, 57, 23):
        for number in range(40):
            device.set_volume(number)
        speaker.volume_of("SetVolume", Value=last + 1)
        zone.volume = last
        truth.wait(volume=last)


class Model:
    """What a player is that somebody sees who waits a moment after each action: no track ends by itself."""

    def __init__(self, tracks):
        self.tracks = tracks
        self.queue = []
        #: From 1; 0 for an empty queue, None while only dice know.
        self.current = 0
        self.state = "STOPPED"
        #: A track beside the queue; None while the queue is the source.
        self.single = None
        #: It is over when it stops, and some time later the queue has its turn again.
        self.is_cast = False
        self.volume, self.mute = 30, False
        self.repeat, self.shuffle = "none", False

    def wanted(self):
        wanted = {"state": self.state, "queue": self.queue, "volume": self.volume, "mute": self.mute,
                  "repeats": self.repeat != "none", "shuffle": self.shuffle}
        if self.single:
            return {**wanted, "uri": self.single}
        if self.current is None:
            return wanted
        return {**wanted, "current": self.current, "uri": self.queue[self.current - 1] if self.queue else ""}

    def insert(self, uri, place):
        """Before that place, from 1."""
        self.queue = self.queue[:place - 1] + [uri] + self.queue[place - 1:]
        if self.current and place <= self.current:
            self.current += 1
        self.current = self.current or 1

    def remove(self, place):
        self.queue = self.queue[:place - 1] + self.queue[place:]
        if place < self.current:
            self.current -= 1
        elif place == self.current:
            goes_on = self.state == "PLAYING" and (self.current <= len(self.queue) or self.repeat != "none") and self.queue
            if not self.single and not goes_on:
                self.state = "STOPPED"
            if self.current > len(self.queue):
                self.current = 1 if self.queue else 0

    def move(self, start, before):
        if before in (start, start + 1):
            return
        playing = self.queue[self.current - 1]
        rest = self.queue[:start - 1] + self.queue[start:]
        target = before - 1 if before < start else before - 2
        self.queue = rest[:target] + [self.queue[start - 1]] + rest[target:]
        self.current = self.queue.index(playing) + 1

    def neighbour(self, step):
        """The place of the next track, or the previous one; 0 for none."""
        place = self.current + step
        if 1 <= place <= len(self.queue):
            return place
        return 0 if self.repeat == "none" else (1 if step > 0 else len(self.queue))


class Actions:
    """What three controllers do to the player, and to its model. Each returns False when it can't be done now."""

    def __init__(self, device, speaker, zone, dice, model):
        self.device, self.speaker, self.zone, self.dice, self.model = device, speaker, zone, dice, model
        self.all = [getattr(self, name) for name in dir(self) if name.startswith(("zone_", "openhome_", "renderer_"))]

    def _seek_zone(self, unit, target):
        self.zone.avTransport.Seek([("InstanceID", 0), ("Unit", unit), ("Target", target)])

    def _place(self, more=0):
        return self.dice.randint(1, len(self.model.queue) + more)

    # The zone

    def zone_add(self):
        place = self.dice.choice([0, self._place(1)])
        uri = next(self.model.tracks)
        if len(self.model.queue) >= 12:
            return False
        assert self.zone.add_uri_to_queue(uri, position=place) == (place or len(self.model.queue) + 1)
        self.model.insert(uri, place or len(self.model.queue) + 1)

    def zone_remove(self):
        if not self.model.queue or self.model.shuffle:
            return False
        place = self._place()
        self.zone.remove_from_queue(place - 1)
        self.model.remove(place)

    def zone_move(self):
        if not self.model.queue:
            return False
        start, before = self._place(), self._place(1)
        self.zone.avTransport.ReorderTracksInQueue([
            ("InstanceID", 0), ("StartingIndex", start), ("NumberOfTracks", 1), ("InsertBefore", before), ("UpdateID", 0)])
        self.model.move(start, before)

    def zone_seek_track(self):
        if self.model.single or not self.model.queue:
            return False
        self.model.current = self._place()
        self._seek_zone("TRACK_NR", self.model.current)

    def zone_seek_time(self):
        if not self.model.single and not self.model.queue:
            return False
        self._seek_zone("REL_TIME", "0:00:10")

    def zone_play(self):
        if not self.model.single and not self.model.queue:
            with pytest.raises(SoCoUPnPException, match="701"):
                self.zone.play()
            return
        self.zone.play()
        if self.model.shuffle and self.model.state == "STOPPED" and not self.model.single:
            self.model.current = None
        self.model.state = "PLAYING"

    def zone_pause(self):
        if self.model.state == "STOPPED":
            with pytest.raises(SoCoUPnPException, match="701"):
                self.zone.pause()
            return
        self.zone.pause()
        self.model.state = "PAUSED_PLAYBACK"

    def _stopped(self):
        self.model.state = "STOPPED"
        if self.model.is_cast:
            self.zone_queue()

    def zone_stop(self):
        self.zone.stop()
        self._stopped()

    def _zone_skip(self, name, step):
        if self.model.single or not self.model.queue or self.model.shuffle:
            return False
        place = self.model.neighbour(step)
        if not place:
            with pytest.raises(SoCoUPnPException, match="711"):
                getattr(self.zone, name)()
            return
        getattr(self.zone, name)()
        self.model.current = place

    def zone_next(self):
        return self._zone_skip("next", 1)

    def zone_previous(self):
        return self._zone_skip("previous", -1)

    def zone_mode(self):
        mode = self.dice.choice(list(MODES) + ["NORMAL"] * 3)
        if self.model.single:
            with pytest.raises(SoCoUPnPException, match="712"):
                self.zone.play_mode = mode
            return
        self.zone.play_mode = mode
        self.model.repeat, self.model.shuffle = MODES[mode]

    def zone_queue(self):
        self.zone.avTransport.SetAVTransportURI([
            ("InstanceID", 0), ("CurrentURI", f"x-rincon-queue:{self.zone.uid}#0"), ("CurrentURIMetaData", "")])
        if self.model.single:
            self.model.single, self.model.state, self.model.is_cast = None, "STOPPED", False

    def zone_single(self):
        self.model.single, self.model.is_cast = next(self.model.tracks), False
        starts = self.dice.random() < 0.7
        self.zone.play_uri(self.model.single, title="A song", start=starts)
        self.model.state = "PLAYING" if starts else "STOPPED"

    def zone_volume(self):
        self.zone.volume = step = self.dice.randint(0, 100)
        self.model.volume = min(step, LIMIT)

    def zone_relative_volume(self):
        change = self.dice.randint(-30, 30)
        self.model.volume = min(max(self.model.volume + change, 0), LIMIT)
        assert self.zone.set_relative_volume(change) == self.model.volume

    def zone_mute(self):
        self.model.mute = self.zone.mute = self.dice.random() < 0.5

    # OpenHome

    def openhome_insert(self):
        if len(self.model.queue) >= 12:
            return False
        place, uri = self._place(1), next(self.model.tracks)
        self.speaker.insert(uri, ([0] + self.speaker.ids())[place - 1])
        self.model.insert(uri, place)

    def openhome_delete(self):
        if not self.model.queue or self.model.shuffle:
            return False
        place = self._place()
        self.speaker.playlist("DeleteId", Value=self.speaker.ids()[place - 1])
        self.model.remove(place)

    def openhome_seek(self):
        if not self.model.queue:
            return False
        self.model.current = self._place()
        if self.dice.random() < 0.5:
            self.speaker.playlist("SeekIndex", Value=self.model.current - 1)
        else:
            self.speaker.playlist("SeekId", Value=self.speaker.ids()[self.model.current - 1])
        self.model.single, self.model.state, self.model.is_cast = None, "PLAYING", False

    def openhome_play(self):
        self.speaker.playlist("Play")
        if self.model.single:
            self.model.single, self.model.state, self.model.is_cast = None, "STOPPED", False
        if self.model.queue:
            if self.model.shuffle and self.model.state == "STOPPED":
                self.model.current = None
            self.model.state = "PLAYING"

    def openhome_pause(self):
        self.speaker.transport("Pause")
        if self.model.state != "STOPPED":
            self.model.state = "PAUSED_PLAYBACK"

    def openhome_stop(self):
        if self.model.single:
            return False
        self.speaker.playlist("Stop")
        self.model.state = "STOPPED"

    def _openhome_skip(self, name, step):
        if self.model.single or self.model.shuffle or not self.model.queue:
            return False
        place = self.model.neighbour(step)
        self.speaker.playlist(name)
        self.model.current, self.model.state = place or 1, "PLAYING" if place else "STOPPED"

    def openhome_next(self):
        return self._openhome_skip("Next", 1)

    def openhome_previous(self):
        return self._openhome_skip("Previous", -1)

    def openhome_repeat(self):
        is_on = self.dice.random() < 0.5
        self.speaker.playlist("SetRepeat", Value=int(is_on))
        self.model.repeat = "none" if not is_on else "one" if self.model.repeat == "one" else "all"

    def openhome_shuffle(self):
        self.model.shuffle = self.dice.random() < 0.3
        self.speaker.transport("SetShuffle", Shuffle=int(self.model.shuffle))

    def openhome_volume(self):
        step = self.dice.randint(0, 100)
        self.speaker.volume_of("SetVolume", Value=step)
        self.model.volume, self.model.mute = min(step, LIMIT), False

    def openhome_mute(self):
        self.model.mute = self.dice.random() < 0.5
        self.speaker.volume_of("SetMute", Value=int(self.model.mute))

    # UPnP AV: what it sees is what it controls

    def renderer_pause(self):
        if self.model.state != "PLAYING":
            return False
        self.device.avt("Pause")
        self.model.state = "PAUSED_PLAYBACK"

    def renderer_play(self):
        if self.model.state != "PAUSED_PLAYBACK":
            return False
        self.device.play()
        self.model.state = "PLAYING"

    def renderer_stop(self):
        if self.model.state == "STOPPED":
            return False
        self.device.stop()
        self._stopped()

    def renderer_next(self):
        if self.model.state == "STOPPED" or self.model.single or self.model.shuffle:
            return False
        place = self.model.neighbour(1)
        if not place:
            with pytest.raises(Fault, match="711"):
                self.device.avt("Next")
            return
        self.device.avt("Next")
        self.model.current = place

    def renderer_cast(self):
        self.model.single, self.model.is_cast = next(self.model.tracks), True
        self.device.set_uri(self.model.single, didl("A cast", self.model.single))
        self.device.play()
        self.model.state = "PLAYING"
        if self.dice.random() < 0.5:
            self.renderer_stop()

    def renderer_volume(self):
        step = self.dice.randint(0, 100)
        self.device.set_volume(step)
        self.model.volume = min(step, LIMIT)

    def renderer_mute(self):
        self.model.mute = self.dice.random() < 0.5
        self.device.rc("SetMute", Channel="Master", DesiredMute=int(self.model.mute))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_random_actions_of_all_three(three, songs):
    """Some 300 actions, most of them followed by a look, some in bursts. The unit tests have 10,000 against a model that also
    knows the end of tracks and of casts, standby and stations."""
    device, speaker, zone, truth = three
    seed = int(os.environ.get("TRUTH_SEED") or random.randrange(1 << 32))
    print(f"TRUTH_SEED={seed}")
    dice = random.Random(seed)
    model = Model(iter(songs))
    actions = Actions(device, speaker, zone, dice, model)
    done = []
    while len(done) < 300:
        action = dice.choice(actions.all)
        if action() is False:
            continue
        done.append(action.__name__)
        # Where only dice know what is current, it is looked at before anything depends on it.
        if model.current is not None and dice.random() < 0.25:
            continue
        try:
            if model.current is None:
                # What was current before may still be told at first.
                until(lambda: truth.wait(**model.wanted())["uri"] in model.queue, 8, "a track of the queue is current")
            seen = truth.wait(**model.wanted())
        except AssertionError as error:
            raise AssertionError(f"TRUTH_SEED={seed}, after {len(done)}: {done[-10:]}: {error}") from error
        if model.current is None:
            model.current = model.queue.index(seen["uri"]) + 1
    truth.wait(**model.wanted())
    assert {name.split("_")[0] for name in done} == {"zone", "openhome", "renderer"}
