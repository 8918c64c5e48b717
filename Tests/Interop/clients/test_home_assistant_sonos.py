"""Home Assistant as it is installed by its users, with its integration for zones of the Sonos class."""

import asyncio
from urllib.parse import quote

import pytest
import soco
from home_assistant import eventually, running
from kit import media_server, netns, openhome, sound
from kit.upnp import Device, didl
from kit.waiting import until
from kit.zone import ask, search

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cable():
    """The only network that the phone has: Home Assistant searches there."""
    host = netns.Host()
    link = host.link()
    netns.sh("ip", "route", "replace", "default", "dev", link.phone_interface)
    yield link
    netns.sh("ip", "route", "del", "default", "dev", link.phone_interface, check=False)
    host.close()


@pytest.fixture(scope="module")
def vireo(cable, launch_for_all):
    subject = launch_for_all(cable, "home-assistant-zone", settings={
        "device": {"room": "Kitchen & Co"}, "sonos": {"enabled": True}, "audio": {"output": "null"}, "volume": {"initial": 30}})
    until(lambda: ask(cable, search(), seconds=1), 20, "the zone answers")
    return subject


@pytest.fixture(scope="module")
def zone(vireo, cable):
    """What the tests know of the zone, besides Home Assistant."""
    return soco.SoCo(cable.speaker)


@pytest.fixture
def speaker(vireo, cable):
    return openhome.Speaker.of(vireo, cable)


@pytest.fixture(scope="module")
def songs(cable):
    server = media_server.MediaServer(cable.phone)
    data = sound.wav(sound.noise(300, rate=8000, channels=1), rate=8000)
    yield [server.add(f"/{number}.wav", data, "audio/wav") for number in range(1, 8)]
    server.close()


@pytest.fixture(scope="module")
async def home(vireo, tmp_path_factory):
    async with running(tmp_path_factory) as home:
        yield home


@pytest.fixture(scope="module")
async def player(home):
    """The media player: Home Assistant has discovered the zone, and its person has confirmed that."""
    return await home.add("sonos")


@pytest.fixture
async def queue(home, player, speaker, songs):
    """Three tracks in the queue, stopped at the first, which Home Assistant knows."""
    def fill():
        speaker.fresh()
        last = 0
        for number, uri in enumerate(songs[:3], 1):
            last = speaker.insert(uri, last, didl(f"Title {number} & <more>", uri, duration="0:05:00"))
    await asyncio.to_thread(fill)
    await home.until_attribute(player, "queue_size", 3)
    await home.until_attribute(player, "media_title", "Title 1 & <more>")
    return songs


async def knows(condition, what):
    await asyncio.to_thread(until, condition, 10, what)


def is_in(zone, state):
    return lambda: zone.get_current_transport_info()["current_transport_state"] == state


def uri_of(zone):
    return zone.get_current_track_info()["uri"]


def length(zone):
    return zone.queue_size


async def test_its_entities_are_set_up(home, player, zone):
    state = await home.state(player)
    assert state["attributes"]["friendly_name"] == "Kitchen & Co"
    entities = {}

    # The player is the first of them.
    async def are_there():
        entities.update(await home.entities("sonos"))
        return {"balance", "bass", "treble", "cross_fade", "loudness", "buttons_enabled", "status_light"} <= set(entities)
    await eventually(are_there, 30, "its numbers and switches")
    # Nothing that this zone doesn't have: a battery, a microphone, a subwoofer, a television.
    assert not {"battery", "power", "microphone", "audio_delay", "sub_gain", "night_mode", "dialog_level"} & set(entities)
    for name in ("balance", "bass", "treble", "cross_fade", "loudness"):
        assert (await home.state(entities[name]["entity_id"]))["state"] not in ("unavailable", "unknown"), name
    again = await home.start_flow("sonos")
    assert (again["type"], again.get("reason")) == ("abort", "single_instance_allowed")


async def test_nothing_needs_repair(home, player):
    assert not [issue for issue in await home.issues() if issue[0] == "sonos"]
    assert not [line for line in home.program.log.items if "Creating subscriptions failed" in line
                or "attempting to poll directly" in line]


async def test_plays_pauses_seeks_and_skips(home, player, zone, queue):
    await home.call(player, "media_play")
    await home.until(player, "playing")
    await knows(is_in(zone, "PLAYING"), "it plays")
    await home.call(player, "media_pause")
    await home.until(player, "paused")
    await knows(is_in(zone, "PAUSED_PLAYBACK"), "it is paused")
    await home.call(player, "media_play")
    await home.until(player, "playing")
    await home.call(player, "media_next_track")
    await home.until_attribute(player, "media_title", "Title 2 & <more>")
    assert (await home.state(player))["attributes"]["queue_position"] == 2
    await knows(lambda: uri_of(zone) == queue[1], "the second plays")
    await home.call(player, "media_seek", seek_position=60)
    await knows(lambda: "0:01:00" <= zone.get_current_track_info()["position"] < "0:01:30", "the place that was sought")
    await home.call(player, "media_previous_track")
    await home.until_attribute(player, "media_title", "Title 1 & <more>")
    # At the end there is nothing to skip to, which it doesn't mind.
    await home.call(player, "media_previous_track")
    await home.call(player, "media_stop")
    # It takes what stands at a title for paused.
    await home.until(player, "paused")
    await knows(is_in(zone, "STOPPED"), "it is stopped")


async def test_volume_mute_and_tone(home, player, zone):
    await home.call(player, "volume_set", volume_level=0.37)
    await home.until_attribute(player, "volume_level", 0.37)
    assert zone.volume == 37
    await home.call(player, "volume_up")
    await home.until_attribute(player, "volume_level", 0.39)
    await home.call(player, "volume_mute", is_volume_muted=True)
    await home.until_attribute(player, "is_volume_muted", True)
    assert zone.mute and zone.volume == 39
    await home.call(player, "volume_mute", is_volume_muted=False)
    await home.until_attribute(player, "is_volume_muted", False)
    entities = {name: entity["entity_id"] for name, entity in (await home.entities("sonos")).items()}
    await home.call(entities["bass"], "set_value", domain="number", value=-4)
    await home.until(entities["bass"], "-4")
    await home.call(entities["treble"], "set_value", domain="number", value=3)
    await home.until(entities["treble"], "3")
    await home.call(entities["balance"], "set_value", domain="number", value=-50)
    await home.until(entities["balance"], "-50")
    assert (zone.bass, zone.treble, zone.balance) == (-4, 3, (100, 50))
    for name, value in (("bass", 0), ("treble", 0), ("balance", 0)):
        await home.call(entities[name], "set_value", domain="number", value=value)
    for name in ("cross_fade", "loudness"):
        before = (await home.state(entities[name]))["state"]
        other = "off" if before == "on" else "on"
        await home.call(entities[name], f"turn_{other}", domain="switch")
        await home.until(entities[name], other)
        assert getattr(zone, name) == (other == "on")
        await home.call(entities[name], f"turn_{before}", domain="switch")
        await home.until(entities[name], before)


async def test_casts_and_enqueues(home, player, zone, queue):
    async def cast(uri, **how):
        await home.call(player, "play_media", media_content_type="music", media_content_id=uri, **how)
    await home.call(player, "media_play")
    await home.until(player, "playing")
    await cast(queue[3], enqueue="add")
    await knows(lambda: length(zone) == 4, "it is at the end of the queue")
    await home.until_attribute(player, "queue_size", 4)
    await cast(queue[4], enqueue="next")
    await knows(lambda: length(zone) == 5, "it is in the queue")
    assert [item.resources[0].uri for item in zone.get_queue()] == [queue[0], queue[4], *queue[1:4]]
    assert uri_of(zone) == queue[0]
    await cast(queue[5], enqueue="play")
    await home.until_attribute(player, "media_content_id", queue[5])
    assert [item.resources[0].uri for item in zone.get_queue()] == [queue[0], queue[5], queue[4], *queue[1:4]]
    await cast(queue[6], enqueue="replace")
    await home.until_attribute(player, "media_content_id", queue[6])
    await home.until(player, "playing")
    assert length(zone) == 6
    await home.call(player, "play_queue", domain="sonos", queue_position=2)
    await home.until_attribute(player, "media_content_id", queue[4])
    await home.call(player, "remove_from_queue", domain="sonos", queue_position=0)
    await knows(lambda: length(zone) == 5, "one track is gone")
    await home.until_attribute(player, "queue_position", 2)
    await home.call(player, "clear_playlist")
    await knows(lambda: length(zone) == 0, "the queue is empty")
    await home.until(player, "idle")


async def test_repeats_and_shuffles(home, player, zone, queue):
    for repeat, shuffle, mode in (("all", False, "REPEAT_ALL"), ("one", False, "REPEAT_ONE"), ("one", True, "SHUFFLE_REPEAT_ONE"),
                                  ("all", True, "SHUFFLE"), ("off", True, "SHUFFLE_NOREPEAT"), ("off", False, "NORMAL")):
        await home.call(player, "repeat_set", repeat=repeat)
        await home.until_attribute(player, "repeat", repeat)
        await home.call(player, "shuffle_set", shuffle=shuffle)
        await home.until_attribute(player, "shuffle", shuffle)
        assert zone.play_mode == mode


async def test_what_others_do_is_shown(home, player, speaker, vireo, cable, zone, queue):
    def act():
        speaker.playlist("SeekIndex", Value=1)
        speaker.volume_of("SetVolume", Value=21)
        speaker.playlist("SetRepeat", Value=1)
    await asyncio.to_thread(act)
    await home.until(player, "playing")
    await home.until_attribute(player, "media_title", "Title 2 & <more>")
    await home.until_attribute(player, "volume_level", 0.21)
    await home.until_attribute(player, "repeat", "all")

    def cast():
        device = Device(vireo.location(cable))
        device.set_uri(queue[3], didl("From elsewhere", queue[3]))
        device.play()
        device.rc("SetMute", Channel="Master", DesiredMute=1)
    await asyncio.to_thread(cast)
    await home.until_attribute(player, "media_title", "From elsewhere")
    await home.until_attribute(player, "is_volume_muted", True)
    await asyncio.to_thread(speaker.product, "SetStandby", Value=1)
    await home.until(player, "paused")


async def test_an_announcement_gives_everything_back(home, player, zone, queue):
    await home.call(player, "play_queue", domain="sonos", queue_position=1)
    await home.until(player, "playing")
    await home.call(player, "media_seek", seek_position=90)
    await knows(lambda: zone.get_current_track_info()["position"] >= "0:01:30", "the place that was sought")
    await home.call(player, "volume_set", volume_level=0.25)
    await home.call(player, "snapshot", domain="sonos")
    await home.call(player, "play_media", media_content_type="music", media_content_id=queue[3])
    await home.call(player, "volume_set", volume_level=0.5)
    await home.until_attribute(player, "media_content_id", queue[3])
    await home.call(player, "restore", domain="sonos")
    await home.until_attribute(player, "media_title", "Title 2 & <more>")
    await home.until(player, "playing")
    await home.until_attribute(player, "volume_level", 0.25)
    assert "0:01:30" <= zone.get_current_track_info()["position"] < "0:02:30"
    assert length(zone) == 3


async def test_the_sleep_timer(home, player, zone):
    await home.call(player, "set_sleep_timer", domain="sonos", sleep_time=1200)
    assert 1180 < zone.get_sleep_timer() <= 1200
    await home.call(player, "clear_sleep_timer", domain="sonos")
    assert zone.get_sleep_timer() is None


async def test_favourites_and_stored_playlists(home, player, zone, speaker, queue):
    def make():
        speaker.clear_pins()
        speaker.set_pin(0, f"url://stream?path={quote(queue[3], safe='')}&version=1", "My station")
        for stored in zone.get_sonos_playlists():
            zone.remove_sonos_playlist(stored)
        zone.create_sonos_playlist_from_queue("My list")
    await asyncio.to_thread(make)

    async def favourite():
        # It says what it has only to those who browse; whether it has it, select_source shows.
        await home.call(player, "select_source", source="My station")
        return (await home.state(player))["attributes"].get("media_channel") == "My station"
    await eventually(favourite, 20, "the favourite plays", step=1)
    await home.until(player, "playing")
    assert zone.get_current_media_info()["channel"] == "My station"
    folder = (await home.browse(player))["Favorites"]
    [group] = (await home.browse(player, folder["media_content_type"], folder["media_content_id"])).values()
    shown = (await home.browse(player, group["media_content_type"], group["media_content_id"]))["My station"]
    await home.call(player, "media_stop")
    await home.call(player, "play_media", media_content_type=shown["media_content_type"],
                    media_content_id=shown["media_content_id"])
    await home.until(player, "playing")
    await home.call(player, "play_media", media_content_type="playlist", media_content_id="My list")
    await home.until_attribute(player, "media_title", "Title 1 & <more>")
    await home.until_attribute(player, "media_playlist", "My list")
    await home.until(player, "playing")
    await asyncio.to_thread(speaker.clear_pins)


@pytest.mark.parametrize("seconds", [11, 0])
async def test_it_is_gone_and_comes_back(home, player, vireo, zone, cable, seconds):
    """For ten seconds Home Assistant doesn't want to hear of what it has just lost; it needn't."""
    await asyncio.to_thread(vireo.terminate)
    await home.until(player, "unavailable")
    await asyncio.sleep(seconds)
    await asyncio.to_thread(vireo.start)
    await asyncio.to_thread(until, lambda: ask(cable, search(), seconds=1), 20, "the zone answers")

    async def is_back():
        return (await home.state(player))["state"] != "unavailable"
    await eventually(is_back, 60, "it is there again")
    # And is told of changes.
    zone.volume = 33 + seconds
    await home.until_attribute(player, "volume_level", (33 + seconds) / 100)
    assert not [issue for issue in await home.issues() if issue[0] == "sonos"]
