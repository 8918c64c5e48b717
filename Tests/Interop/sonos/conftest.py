"""A speaker with a zone for controllers of the Sonos class, on a machine of its own: they know no port but 1400."""

import pytest
from kit import media_server, netns, openhome, sound, upnp
from kit.waiting import until
from kit.zone import ask, search

SETTINGS = {"device": {"room": "Kitchen & Co"}, "sonos": {"enabled": True}, "playlist": {"tracks-max": 1200}}


@pytest.fixture(scope="session")
def zone_link():
    host = netns.Host()
    yield host.link()
    host.close()


@pytest.fixture(scope="session")
def zone_media(zone_link):
    server = media_server.MediaServer(zone_link.phone)
    yield server
    server.close()


@pytest.fixture(scope="session")
def zone_network(zone_link):
    """The phone's own network, where SoCo searches."""
    netns.sh("ip", "route", "replace", "default", "dev", zone_link.phone_interface)
    yield
    # Other tests may have given the phone another one meanwhile.
    netns.sh("ip", "route", "del", "default", "dev", zone_link.phone_interface, check=False)


@pytest.fixture(scope="session")
def zone(zone_link, zone_network, zone_media, launch_for_all):
    """The speaker, which shows its zone."""
    stations = {"radio": {"preset": [{"name": "A preset & more", "url": f"{zone_media.base}/preset"}]}}
    subject = launch_for_all(zone_link, "zone", settings={**SETTINGS, **stations})
    until(lambda: ask(zone_link, search(), seconds=1), 20, "the zone answers")
    return subject


@pytest.fixture(scope="session")
def player(zone, zone_link):
    import soco
    return soco.SoCo(zone_link.speaker)


@pytest.fixture(scope="session")
def playing(player, zone_media):
    """The player with five tracks in its queue, playing the first."""
    from soco.data_structures import DidlMusicTrack, DidlResource
    player.volume, player.mute = 20, False
    data = sound.wav(sound.noise(300, rate=8000, channels=1), rate=8000)
    for number in range(1, 6):
        address = zone_media.add(f"/{number}.wav", data, "audio/wav")
        player.add_to_queue(DidlMusicTrack(
            title=f"Title {number} & <more>", parent_id="-1", item_id="-1", creator="Artist", album="Album",
            album_art_uri=f"{zone_media.base}/cover.png?a=1&b={number}",
            resources=[DidlResource(uri=address, protocol_info="http-get:*:audio/wav:*", duration="0:05:00")]))
    player.play_from_queue(0)
    until(lambda: player.get_current_transport_info()["current_transport_state"] == "PLAYING", 10, "it plays")
    return player


@pytest.fixture(scope="session")
def zone_speaker(zone, zone_link):
    """The OpenHome device of the same player: what controllers do is looked at there."""
    return openhome.Speaker.of(zone, zone_link)


@pytest.fixture(scope="session")
def songs(zone_media):
    """Addresses of five minutes of noise each."""
    data = sound.wav(sound.noise(300, rate=8000, channels=1), rate=8000)
    return [zone_media.add(f"/song-{number}.wav", data, "audio/wav") + f"?a=1&b={number}" for number in range(1, 7)]


@pytest.fixture(scope="session")
def zone_station(zone_media, tmp_path_factory):
    """The address of a station that tells a song."""
    tone = sound.mp3(sound.tone(4, 500), folder=tmp_path_factory.mktemp("station"))
    for path in ("/preset", "/station"):
        zone_media.add(path, tone, "audio/mpeg", mode="icy", rate=24_000, titles=("An artist & more - A song",))
    return zone_media.base + "/station"


@pytest.fixture
def room(player, zone_speaker, songs):
    """The OpenHome device with four songs in its playlist, stopped; nothing else is set, kept or pinned."""
    zone_speaker.fresh()
    zone_speaker.volume_of("SetVolume", Value=20)
    zone_speaker.volume_of("SetMute", Value=0)
    zone_speaker.clear_pins()
    player.cross_fade, player.bass, player.treble, player.loudness, player.status_light = False, 0, 0, True, True
    player.set_sleep_timer(None)
    for playlist in player.get_sonos_playlists():
        player.remove_sonos_playlist(playlist)
    for number, address in enumerate(songs[:4], 1):
        zone_speaker.append_one(address, upnp.didl(f"Song {number} & <more>", address, duration="0:05:00"))
    yield zone_speaker
    zone_speaker.product("SetSourceBySystemName", Value="Playlist")
    zone_speaker.playlist("Stop")
