"""Control by the client that Home Assistant uses for OpenHome, while its other client watches the other device."""

import asyncio
import inspect
import statistics
import time

import aiohttp
import pytest
from async_upnp_client.aiohttp import AiohttpNotifyServer, AiohttpRequester
from async_upnp_client.client_factory import UpnpFactory
from async_upnp_client.profiles.dlna import DmrDevice, TransportState
from kit import compare, openhome, sound
from kit.gena import Subscription
from kit.subject import wait_recording
from kit.upnp import RC
from kit.waiting import PATIENCE, Stopwatch, until
from openhomedevice.device import Device
from openhomedevice.exceptions import OpenhomeDeviceError

#: Seconds within which both devices are to tell the same; what was measured is printed (pytest -s). Half of all changes
#: must keep to it; a machine that is busy with something else may delay some, but not the usual one.
AGREEMENT = 0.3


class Told:
    """What a client's callback was given, merged, and a way to wait for it."""

    def __init__(self):
        self.values = {}
        self.history = []
        self.changed = asyncio.Condition()

    def __call__(self, changes):
        self.values.update(changes)
        self.history.append((time.monotonic(), dict(changes)))
        asyncio.ensure_future(self._notify())

    async def _notify(self):
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition, what, timeout=8):
        async with self.changed:
            try:
                await asyncio.wait_for(self.changed.wait_for(condition), timeout * PATIENCE)
            except TimeoutError:
                raise AssertionError(f"not within {timeout} s: {what}; told: {self.values}") from None

    async def until_state(self, state, timeout=8):
        await self.until(lambda: self.values.get("transport_state") == state, state, timeout)


@pytest.fixture
async def session():
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def openhome_client(speaker, oh_link, session):
    """openhomedevice, subscribed through a notify server on the cable."""
    requester = AiohttpRequester(timeout=15)
    server = AiohttpNotifyServer(requester, source=(oh_link.phone, 0))
    await server.async_start_server()
    device = Device(speaker.location, session, server.event_handler)
    await device.init()
    device.told = Told()
    await device.subscribe(device.told)
    await device.told.until(lambda: {"volume", "transport_state", "source"} <= set(device.told.values), "the state")
    yield device
    await device.unsubscribe()
    await server.async_stop_server()


@pytest.fixture
async def av_client(renderer_beside, oh_link):
    """async-upnp-client on the MediaRenderer beside it."""
    requester = AiohttpRequester(timeout=15)
    server = AiohttpNotifyServer(requester, source=(oh_link.phone, 0))
    await server.async_start_server()
    built = await UpnpFactory(requester).async_create_device(renderer_beside.location)
    dmr = DmrDevice(built, server.event_handler)
    dmr.told = Told()
    dmr.on_event = lambda service, variables: dmr.told({v.name: v.value for v in variables})
    await dmr.async_subscribe_services(auto_resubscribe=False)
    await dmr.told.until(lambda: dmr.volume_level is not None and dmr.transport_state is not None, "the initial events")
    yield dmr
    await dmr.async_unsubscribe_services()
    await server.async_stop_server()


@pytest.fixture
def album(speaker, oh_media):
    """Three tracks of six seconds in the playlist."""
    tracks = openhome.tracks(oh_media, 3, 6)
    for track, number in zip(tracks, speaker.append(*(track.uri for track in tracks))):
        track.id = number
    return tracks


async def test_who_it_is(openhome_client, oh_renderer):
    device = openhome_client
    assert device.uuid() == f"uuid:{openhome.udn(oh_renderer.uuid)}"
    assert await device.room() == "Kitchen & Bath"
    assert await device.name()
    assert device.friendly_name() and device.manufacturer() and device.model_name()
    assert device.told.values["room"] == "Kitchen & Bath" and device.told.values["name"] == await device.name()


async def test_a_client_of_its_own_session(speaker):
    """As scripts use it: no session, no notify server."""
    device = Device(speaker.location)
    await device.init()
    assert await device.transport_state() == "Stopped"
    assert await device.volume() == 100


async def test_play_pause_stop(openhome_client, album):
    device, told = openhome_client, openhome_client.told
    await device.play()
    await told.until_state("Playing")
    assert await device.transport_state() == "Playing"
    assert await device.can_pause() is True
    await device.pause()
    await told.until_state("Paused")
    assert await device.transport_state() == "Paused"
    await device.play()
    await told.until_state("Playing")
    await device.stop()
    await told.until_state("Stopped")
    assert await device.transport_state() == "Stopped"


async def test_skip(openhome_client, speaker, album):
    device, told = openhome_client, openhome_client.told

    def current():
        return int(speaker.playlist("Id")["Value"])
    await device.play()
    await told.until_state("Playing")
    assert await device.can_skip_next() is True and await device.can_skip_previous() in (True, False)
    await device.skip(1)
    await told.until(lambda: told.values["track_info"].get("uri") == album[1].uri, "the second track")
    await device.skip(1)
    assert await asyncio.to_thread(current) == album[2].id
    await device.skip(-2)
    assert await asyncio.to_thread(current) == album[0].id
    await device.skip(2)
    await told.until(lambda: told.values["track_info"].get("uri") == album[2].uri, "the third track")
    await told.until_state("Playing")


async def test_track_info(openhome_client, speaker, oh_media):
    device, told = openhome_client, openhome_client.told
    uri = oh_media.add("/info.wav", sound.wav(sound.noise(4)), "audio/wav")
    await asyncio.to_thread(speaker.insert, uri)
    await device.play()
    await told.until(lambda: told.values.get("track_info", {}).get("title") == "info.wav", "the title")
    info = await device.track_info()
    assert (info["title"], info["uri"], info["albumTitle"]) == ("info.wav", uri, "An album")
    assert "An artist" in info["artist"]


async def test_volume_and_mute(openhome_client, speaker):
    device, told = openhome_client, openhome_client.told
    assert device.volume_enabled
    await device.set_volume(40)
    assert await device.volume() == 40
    await device.increase_volume()
    assert await device.volume() == 41
    await device.decrease_volume()
    await device.decrease_volume()
    assert await device.volume() == 39
    await told.until(lambda: told.values["volume"] == 39, "volume 39")
    await device.set_mute(True)
    assert await device.is_muted() is True
    await told.until(lambda: told.values["is_muted"] is True, "muted")
    assert await device.volume() == 39, "mute and volume are independent"
    await device.increase_volume()
    assert await device.is_muted() is False, "a step unmutes"
    await told.until(lambda: told.values["is_muted"] is False, "unmuted")
    speaker.volume_of("SetMute", Value=1)
    speaker.volume_of("SetVolumeNoUnmute", Value=20)
    assert await device.is_muted() is True and await device.volume() == 20
    await device.set_mute(False)


async def test_sources(openhome_client):
    device, told = openhome_client, openhome_client.told
    sources = await device.sources()
    assert [(s["type"], s["name"]) for s in sources][:2] == [("Playlist", "Playlist"), ("Radio", "Radio")]
    assert sources == told.values["sources"]
    radio = next(s["index"] for s in sources if s["type"] == "Radio")
    await device.set_source(radio)
    assert await device.source() == {"type": "Radio", "name": "Radio"}
    await told.until(lambda: told.values["source"]["type"] == "Radio", "the source")
    await device.set_source(0)
    await told.until(lambda: told.values["source"]["type"] == "Playlist", "the source")
    with pytest.raises(OpenhomeDeviceError):
        await device.set_source(99)


async def test_switching_away_stops(openhome_client, speaker, album):
    device, told = openhome_client, openhome_client.told
    await device.play()
    await told.until_state("Playing")
    await device.set_source(1)
    await told.until_state("Stopped")
    assert await asyncio.to_thread(speaker.state_of, "Playlist") == "Stopped"
    await device.set_source(0)
    assert await asyncio.to_thread(speaker.ids) == [track.id for track in album]


async def test_standby(openhome_client, speaker, album, oh_renderer):
    device, told = openhome_client, openhome_client.told
    assert await device.is_in_standby() is False
    await device.play()
    await told.until_state("Playing")
    await device.set_standby(True)
    await told.until(lambda: told.values["is_in_standby"] is True, "standby")
    await told.until_state("Stopped")
    recording = await asyncio.to_thread(wait_recording, oh_renderer)
    assert recording.complete, "the sound device was released"
    assert await device.is_in_standby() is True
    await device.play()
    await told.until(lambda: told.values["is_in_standby"] is False, "awake by Play")
    await told.until_state("Playing")
    await device.set_standby(True)
    await device.set_standby(False)
    assert await device.is_in_standby() is False


async def test_play_media_is_a_station(openhome_client, speaker, oh_media):
    device, told = openhome_client, openhome_client.told
    uri = oh_media.add("/cast.wav", sound.wav(sound.noise(5)), "audio/wav")
    await device.play_media({"uri": uri, "title": "Cast by name", "albumArtwork": "http://10.77.1.2/a.png"})
    await told.until_state("Playing")
    await told.until(lambda: told.values.get("track_info", {}).get("title") == "Cast by name", "the title")
    assert (await device.source())["type"] == "Radio"
    assert (await device.track_info())["uri"] == uri
    assert await asyncio.to_thread(speaker.radio, "Channel") and speaker.radio("Channel")["Uri"] == uri
    await device.stop()
    await told.until_state("Stopped")


async def test_what_isnt_there_answers_sensibly(openhome_client):
    device = openhome_client
    assert await device.pins() == [] and device.pins_enabled is True
    with pytest.raises(OpenhomeDeviceError, match="805"):
        await device.invoke_pin(1)
    assert await device.software_status() is None
    assert await device.check_latest_firmware() is None and await device.update_firmware() is None


async def test_a_room_that_others_can_listen_to(openhome_client, oh_renderer):
    device = openhome_client
    assert device.songcast_sender_enabled
    sender = await device.songcast_sender()
    assert sender["uri"] == f"ohz://239.255.255.250:51972/{openhome.udn(oh_renderer.uuid)}"
    assert "Kitchen &amp; Bath" in sender["metadata"]
    assert await device.songcast_sender_status() in ("Enabled", "Disabled")
    assert await device.songcast_sender_audio() is False


async def test_a_room_joins_and_leaves(openhome_client):
    device, sender = openhome_client, {"uri": "ohm://239.253.1.1:51972", "metadata": "<DIDL-Lite/>"}
    assert device.songcast_receiver_enabled
    assert await device.songcast_receiver_sender() is None
    assert await device.songcast_receiver_transport_state() == "Stopped"
    await device.songcast_receiver_join(sender)
    assert await device.songcast_receiver_sender() == sender
    assert (await device.source())["type"] == "Receiver"
    assert await device.songcast_receiver_transport_state() == "Waiting"
    await device.songcast_receiver_leave()
    assert await device.songcast_receiver_sender() is None
    assert await device.songcast_receiver_transport_state() == "Stopped"


async def test_renew_and_subscribe_anew(openhome_client, album):
    device, told = openhome_client, openhome_client.told
    assert device.is_subscribed and device.events_enabled
    assert (await device.renew()).total_seconds() >= 60
    again = Told()
    await device.subscribe(again)
    await again.until(lambda: again.values.get("transport_state") == "Stopped", "the whole state again")
    await device.play()
    await again.until_state("Playing")
    await device.unsubscribe()
    assert not device.is_subscribed
    with pytest.raises(OpenhomeDeviceError):
        await device.renew()
    assert told.values is not again.values


# --- every method, whatever the package has ------------------------------------------------------------------------

class Recorded(Device):
    """Writes down which of its public methods were used."""

    def __init__(self, *arguments):
        self.used = set()
        super().__init__(*arguments)

    def __getattribute__(self, name):
        if not name.startswith("_") and name != "used":
            object.__getattribute__(self, "used").add(name)
        return object.__getattribute__(self, name)


#: What each public method does or answers, on a device that plays a track of its playlist. Those without a value are
#: shown in `test_every_method` itself. A method that a later version of the package brings fails there until it is here.
ANSWERS = {
    "can_pause": True, "can_skip_next": True, "can_skip_previous": True, "transport_state": "Playing",
    "is_in_standby": False, "is_muted": False, "volume": 100, "source": {"type": "Playlist", "name": "Playlist"},
    "room": "Kitchen & Bath", "name": "Vireo", "pins": [], "software_status": None, "check_latest_firmware": None,
    "update_firmware": None, "songcast_sender_audio": False,
    "songcast_receiver_sender": None, "songcast_receiver_transport_state": "Stopped", "songcast_receiver_leave": None,
}
PROPERTIES = {
    "events_enabled": True, "is_subscribed": False, "volume_enabled": True, "pins_enabled": True,
    "songcast_sender_enabled": True, "songcast_receiver_enabled": True,
}


def public_names():
    return {name for name, _ in inspect.getmembers(Device) if not name.startswith("_")}


async def test_every_method(speaker, oh_link, oh_media, session):
    """Enumerated from the package: each public method and property is used, and does what its name says."""
    device = Recorded(speaker.location, session)
    await device.init()
    device.setup_services()
    uri = oh_media.add("/every.wav", sound.wav(sound.noise(20)), "audio/wav")
    await asyncio.to_thread(speaker.append, uri, uri)

    async def becomes(state, what):
        async with asyncio.timeout(8 * PATIENCE):
            while await device.transport_state() != state:
                await asyncio.sleep(0.05)  # asks again; nothing can call back
        assert await device.transport_state() == state, what
    await device.play()
    await becomes("Playing", "play")
    for name, wanted in PROPERTIES.items():
        assert getattr(device, name) is wanted, name
    for name, wanted in ANSWERS.items():
        assert await getattr(device, name)() == wanted, name
    assert (await device.songcast_sender())["uri"].startswith("ohz://")
    assert await device.songcast_sender_status() in ("Enabled", "Disabled")
    assert device.uuid().startswith("uuid:") and device.manufacturer() and device.model_name() == "Vireo"
    assert "Kitchen & Bath" in device.friendly_name()
    with pytest.raises(OpenhomeDeviceError, match="805"):
        await device.invoke_pin(1)
    assert await device.songcast_receiver_join(None) is None
    assert [s["type"] for s in await device.sources()] == ["Playlist", "Radio", "Receiver"], "the visible ones"
    assert (await device.track_info())["uri"] == uri
    await device.skip(1)
    assert (await asyncio.to_thread(speaker.playlist, "Id"))["Value"] == str((await asyncio.to_thread(speaker.ids))[1])
    await device.pause()
    await becomes("Paused", "pause")
    await device.stop()
    await becomes("Stopped", "stop")
    await device.set_volume(50)
    await device.increase_volume()
    await device.decrease_volume()
    await device.decrease_volume()
    await device.set_mute(True)
    assert (await device.volume(), await device.is_muted()) == (49, True)
    await device.set_mute(False)
    await device.set_source(1)
    assert (await device.source())["type"] == "Radio"
    await device.play_media({"uri": uri, "title": "Cast"})
    await becomes("Playing", "play_media")
    assert (await device.track_info())["title"] == "Cast"
    # With a notify server of the package's own, as Home Assistant doesn't but scripts do.
    told = Told()
    lease = await device.subscribe(told)
    assert device.is_subscribed and lease.total_seconds() >= 60
    await told.until(lambda: told.values.get("transport_state") == "Playing", "the state of the whole device")
    assert (await device.renew()).total_seconds() >= 60
    await device.set_standby(True)
    await told.until(lambda: told.values.get("is_in_standby") is True, "standby")
    assert await device.is_in_standby() is True
    await device.set_standby(False)
    await device.unsubscribe()
    assert not device.is_subscribed
    assert public_names() <= device.used, f"never tried: {sorted(public_names() - device.used)}"


async def test_the_list_of_methods_is_the_packages_own():
    """Nothing is looked for that isn't there any more."""
    assert set(ANSWERS) | set(PROPERTIES) <= public_names()
    assert len(public_names()) > 40, "the enumeration itself works"


# --- both devices at once -----------------------------------------------------------------------------------------

async def both(what, sent, *waits):
    """Waits for each, and says how long that took by the stopwatch `sent`."""
    await asyncio.gather(*waits)
    seconds = sent.seconds
    print(f"{what}: both know after {seconds * 1000:.0f} ms")
    return seconds


async def test_one_volume_for_both(openhome_client, av_client, oh_renderer):
    oh, av = openhome_client, av_client
    taken = []
    for value in (30, 55, 80, 20):
        await asyncio.sleep(0.25)  # so that no moderation of the change before is measured
        sent = Stopwatch(oh_renderer.pid)
        await oh.set_volume(value)
        taken.append(await both(
            f"SetVolume {value} by OpenHome", sent,
            oh.told.until(lambda: oh.told.values["volume"] == value, "OpenHome"),
            av.told.until(lambda: round(av.volume_level * 100) == value, "UPnP AV")))
        await asyncio.sleep(0.25)
        sent = Stopwatch(oh_renderer.pid)
        await av.async_set_volume_level((value + 5) / 100)
        taken.append(await both(
            f"SetVolume {value + 5} by UPnP AV", sent,
            oh.told.until(lambda: oh.told.values["volume"] == value + 5, "OpenHome"),
            av.told.until(lambda: round(av.volume_level * 100) == value + 5, "UPnP AV")))
    assert statistics.median(taken) < AGREEMENT and max(taken) < AGREEMENT * PATIENCE, taken
    await av.async_mute_volume(True)
    await oh.told.until(lambda: oh.told.values["is_muted"] is True, "muted by UPnP AV")
    await oh.set_mute(False)
    await av.told.until(lambda: av.is_volume_muted is False, "unmuted by OpenHome")


async def test_av_takes_the_speaker_and_leaves_the_playlist_alone(
        openhome_client, av_client, speaker, album, oh_media, oh_renderer):
    oh, av = openhome_client, av_client
    await oh.play()
    await oh.told.until_state("Playing")
    await av.told.until(lambda: av.transport_state == TransportState.PLAYING, "UPnP AV shows what plays")
    uri = oh_media.add("/av.wav", sound.wav(sound.noise(3, seed=77)), "audio/wav")
    taken = []
    for _ in range(3):
        await av.async_set_transport_uri(uri, "From a phone")
        await av.told.until(lambda: av.can_play, "prepared")
        assert (await oh.source())["type"] == "Playlist", "preparing takes nothing over"
        sent = Stopwatch(oh_renderer.pid)
        await av.async_play()
        taken.append(await both(
            "Play by UPnP AV", sent,
            oh.told.until(lambda: oh.told.values["source"]["type"] == "UpnpAv", "the source of OpenHome"),
            av.told.until(
                lambda: av.transport_state in (TransportState.PLAYING, TransportState.TRANSITIONING), "UPnP AV")))
        await av.told.until(lambda: av.transport_state == TransportState.PLAYING, "UPnP AV plays")
        await oh.told.until_state("Playing")
        assert (await oh.source())["type"] == "UpnpAv"
        assert await asyncio.to_thread(speaker.state_of, "Playlist") == "Stopped"
        assert await asyncio.to_thread(speaker.ids) == [track.id for track in album]
        sent = Stopwatch(oh_renderer.pid)
        await asyncio.to_thread(speaker.playlist, "Play")
        taken.append(await both(
            "Play by OpenHome", sent,
            oh.told.until(lambda: oh.told.values["source"]["type"] == "Playlist", "the source of OpenHome"),
            av.told.until(lambda: av.av_transport_uri != uri, "what UPnP AV shows")))
        await oh.told.until_state("Playing")
    assert statistics.median(taken) < AGREEMENT and max(taken) < AGREEMENT * PATIENCE, taken


async def test_transport_drives_what_av_started(openhome_client, av_client, oh_media):
    oh, av = openhome_client, av_client
    uri = oh_media.add("/av2.wav", sound.wav(sound.noise(6, seed=78)), "audio/wav")
    await av.async_set_transport_uri(uri, "From a phone")
    await av.async_play()
    await oh.told.until_state("Playing")
    await oh.pause()
    await av.told.until(lambda: av.transport_state == TransportState.PAUSED_PLAYBACK, "paused by OpenHome")
    await oh.told.until_state("Paused")
    await av.async_play()
    await oh.told.until_state("Playing")
    await oh.stop()
    await av.told.until(lambda: av.transport_state == TransportState.STOPPED, "stopped by OpenHome")
    await oh.told.until(lambda: oh.told.values["source"]["type"] == "Playlist", "the source returns", timeout=20)


async def test_openhome_plays_again_after_a_cast(openhome_client, av_client, oh_media):
    """Home Assistant's `openhome` plays only while the source is one of those that it knows."""
    oh, av = openhome_client, av_client
    uri = oh_media.add("/av3.wav", sound.wav(sound.noise(1, seed=79)), "audio/wav")
    await av.async_set_transport_uri(uri, "From a phone")
    await av.async_play()
    await oh.told.until(lambda: oh.told.values["source"]["type"] == "UpnpAv", "a cast shows")
    await oh.told.until(lambda: oh.told.values["source"]["type"] in ("Playlist", "Radio"), "its end", timeout=20)
    longer = oh_media.add("/announced.wav", sound.wav(sound.noise(8, seed=80)), "audio/wav")
    await oh.play_media({"title": "An announcement", "uri": longer})
    await oh.told.until_state("Playing")
    assert (await oh.source())["type"] == "Radio"
    await av.told.until(lambda: av.av_transport_uri == longer and av.transport_state == TransportState.PLAYING, "shown")


def test_the_limit_of_the_configuration_holds_on_both_devices(launch, own_host):
    link = own_host.link()
    subject = launch(own_host, settings={"volume": {"limit": 60, "initial": 30}})
    speaker, device = openhome.Speaker.of(subject, link), subject.device(link)
    assert speaker.volume_of("VolumeLimit")["Value"] == "60"
    speaker.volume_of("SetVolume", Value=90)
    assert speaker.volume_of()["Value"] == "60" and device.volume() == 60
    speaker.volume_of("VolumeInc")
    assert device.volume() == 60
    with openhome.Watch(speaker, link.phone) as watch, Subscription(device.services[RC].event, link.phone) as events:
        events.initial()
        device.set_volume(44)
        watch.wait("Volume", "Volume", 44)
        speaker.volume_of("SetVolume", Value=43)
        events.wait_change("Volume", 43)


def test_a_playlist_goes_on_without_its_control_point(speaker, oh_media, oh_renderer):
    """The phone that queued the album goes to sleep: nobody is subscribed, nobody calls, the music plays on."""
    tracks = openhome.tracks(oh_media, 2, 1.5)
    speaker.append(*(track.uri for track in tracks))
    speaker.playlist("Play")
    oh_media.requests.wait(lambda r: r.path == tracks[1].uri[len(oh_media.base):], 8, "the second track is fetched")
    recording = until(lambda: _finished(oh_renderer, 2.9), 10, "both tracks")
    assert [index for index, _, _ in compare.heard(recording.samples, [t.samples for t in tracks])] == [0, 1]


def _finished(renderer, seconds):
    recording = wait_recording(renderer)
    return recording if recording.seconds > seconds else None
