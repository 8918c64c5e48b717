"""A speaker with a zone for controllers of the Sonos class, on a machine of its own: they know no port but 1400."""

import pytest
from kit import media_server, netns, sound
from kit.waiting import until
from kit.zone import ask, search

SETTINGS = {"device": {"room": "Kitchen & Co"}, "sonos": {"enabled": True}}


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
    netns.sh("ip", "route", "del", "default", "dev", zone_link.phone_interface)


@pytest.fixture(scope="session")
def zone(zone_link, zone_network, launch_for_all):
    """The speaker, which shows its zone."""
    subject = launch_for_all(zone_link, "zone", settings=SETTINGS)
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
