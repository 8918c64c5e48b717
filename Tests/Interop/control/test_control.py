"""Control by Home Assistant's client, and the odd shapes of requests that others send."""

import asyncio
from datetime import timedelta

import pytest
from async_upnp_client.profiles.dlna import PlayMode, TransportState
from kit import dmr, http, sound
from kit.upnp import AVT, CM, RC, didl, envelope, outcome, soap
from kit.waiting import PATIENCE, until


@pytest.fixture
async def player(device, link):
    async with dmr.connect(device, link.phone) as player:
        yield player


@pytest.fixture
def track(media):
    """(URL, title) of ten seconds of noise."""
    return media.add("/track.wav", sound.wav(sound.noise(10)), "audio/wav")


async def test_play_pause_resume_stop(player, track):
    dmr = player.dmr
    await dmr.async_set_transport_uri(track, "A title", meta_data=didl("A title & more", track))
    await player.until_state(TransportState.STOPPED)
    await dmr.async_wait_for_can_play()
    await dmr.async_play()
    await player.until_state(TransportState.PLAYING)
    assert dmr.can_pause and dmr.can_stop
    await dmr.async_pause()
    await player.until_state(TransportState.PAUSED_PLAYBACK)
    await dmr.async_play()
    await player.until_state(TransportState.PLAYING)
    await dmr.async_stop()
    await player.until_state(TransportState.STOPPED)


async def test_media_information(player, track):
    dmr = player.dmr
    await dmr.async_set_transport_uri(track, "x", meta_data=didl("Tom & Jerry <3", track, duration="0:00:10"))
    await dmr.async_play()
    # The client knows of no position before it has heard of the playing.
    await player.until_state(TransportState.PLAYING)
    await player.until(lambda: dmr.media_title == "Tom & Jerry <3", "the title")
    assert dmr.media_artist == "An artist"
    assert dmr.media_album_name == "An album"
    assert dmr.current_track_uri == track
    await player.until(lambda: dmr.media_duration == 10, "the duration")
    await dmr.async_update()
    assert 0 <= dmr.media_position <= 10


async def test_metadata_that_the_client_makes_itself(player, track):
    """It doesn't escape an ampersand in the URL; the renderer plays all the same."""
    dmr = player.dmr
    url = track + "?a=1&b=2"
    metadata = await dmr.construct_play_media_metadata(url, "Rock & Roll")
    await dmr.async_set_transport_uri(url, "Rock & Roll", meta_data=metadata)
    await dmr.async_play()
    await player.until_state(TransportState.PLAYING)


async def test_volume_and_mute(player):
    dmr = player.dmr
    assert dmr.has_volume_level and dmr.has_volume_mute
    await dmr.async_set_volume_level(0.37)
    await player.until(lambda: round(dmr.volume_level, 4) == 0.37, "volume 0.37")
    await dmr.async_mute_volume(True)
    await player.until(lambda: dmr.is_volume_muted, "muted")
    assert round(dmr.volume_level, 4) == 0.37, "mute and volume are independent"
    await dmr.async_mute_volume(False)
    await player.until(lambda: dmr.is_volume_muted is False, "unmuted")


async def test_seek(player, track):
    dmr = player.dmr
    await dmr.async_set_transport_uri(track, "x", meta_data=didl("x", track))
    await dmr.async_play()
    await player.until_state(TransportState.PLAYING)
    assert dmr.can_seek_rel_time
    await dmr.async_seek_rel_time(timedelta(seconds=7))

    async def arrived():
        await dmr.async_update()
        return dmr.transport_state == TransportState.PLAYING and dmr.media_position >= 7
    for _ in range(100):
        if await arrived():
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError(f"position {dmr.media_position} after a seek to 7")
    assert dmr.media_position <= 9


async def test_next_transport_uri_follows(player, media):
    dmr = player.dmr
    first = media.add("/first.wav", sound.wav(sound.noise(2, seed=1)), "audio/wav")
    second = media.add("/second.wav", sound.wav(sound.noise(4, seed=2)), "audio/wav")
    assert dmr.has_next_transport_uri
    await dmr.async_set_transport_uri(first, "first", meta_data=didl("first", first))
    await dmr.async_set_next_transport_uri(second, "second", meta_data=didl("second", second))
    await dmr.async_play()
    await player.until(lambda: dmr.media_title == "first", "the first title")
    await player.until(lambda: dmr.media_title == "second", "the second title", timeout=12)
    assert dmr.transport_state == TransportState.PLAYING
    assert dmr.current_track_uri == second
    await player.until_state(TransportState.STOPPED, timeout=15)


async def test_play_modes(player):
    dmr = player.dmr
    assert {PlayMode.NORMAL, PlayMode.REPEAT_ONE} <= dmr.valid_play_modes
    for mode in sorted(dmr.valid_play_modes - {PlayMode.NORMAL}) + [PlayMode.NORMAL]:
        await dmr.async_set_play_mode(mode)
        await player.until(lambda: dmr.play_mode == mode, mode)


async def test_presets_and_protocols(player):
    dmr = player.dmr
    assert "FactoryDefaults" in dmr.preset_names
    await dmr.async_select_preset("FactoryDefaults")
    info = await dmr.async_get_protocol_info()
    sink = {entry.split(":")[2] for entry in info["sink"]}
    assert {"audio/flac", "audio/x-flac", "audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp4", "audio/x-m4a",
            "audio/aac", "audio/ogg", "audio/L16;rate=44100;channels=2"} <= sink
    assert not {mime for mime in sink if mime.startswith(("video/", "image/"))}


async def test_repeat_one_plays_it_again(player, media, renderer):
    """One second of sound, of which more than two are heard."""
    dmr = player.dmr
    short = media.add("/short.wav", sound.wav(sound.noise(1)), "audio/wav")
    await dmr.async_set_play_mode(PlayMode.REPEAT_ONE)
    try:
        await dmr.async_set_transport_uri(short, "x", meta_data=didl("x", short))
        await dmr.async_play()
        await player.until_state(TransportState.PLAYING)
        await asyncio.to_thread(
            until, lambda: renderer.recording.exists() and renderer.recording.stat().st_size > 2.2 * 44100 * 4, 10,
            "more than two seconds of sound")
        assert dmr.transport_state == TransportState.PLAYING
    finally:
        await dmr.async_set_play_mode(PlayMode.NORMAL)


def test_connection_manager(device):
    assert device.call(CM, "GetCurrentConnectionIDs") == {"ConnectionIDs": "0"}
    assert device.call(CM, "GetProtocolInfo")["Source"] == ""
    info = device.call(CM, "GetCurrentConnectionInfo", ConnectionID=0)
    assert (info["RcsID"], info["AVTransportID"], info["PeerConnectionID"]) == ("0", "0", "-1")
    assert info["Direction"] == "Input" and info["Status"] in ("OK", "Unknown")


def test_start_up_values(device, own_host, launch):
    from kit.upnp import Device
    link = own_host.link()
    fresh = Device(launch(own_host).location(link))
    info = fresh.avt("GetTransportInfo")
    assert info == {"CurrentTransportState": "NO_MEDIA_PRESENT", "CurrentTransportStatus": "OK", "CurrentSpeed": "1"}
    position = fresh.avt("GetPositionInfo")
    assert (position["Track"], position["RelTime"], position["TrackURI"]) == ("0", "0:00:00", "")
    assert position["RelCount"] == position["AbsCount"] == "2147483647"
    media = fresh.avt("GetMediaInfo")
    assert (media["NrTracks"], media["CurrentURI"], media["NextURI"]) == ("0", "", "")
    assert media["RecordMedium"] == media["WriteStatus"] == "NOT_IMPLEMENTED"
    assert fresh.avt("GetTransportSettings")["PlayMode"] == "NORMAL"


def test_metadata_comes_back_as_it_was_sent(device, media):
    url = media.add("/x.wav", sound.wav(sound.noise(1)), "audio/wav")
    for metadata in (didl("Ä ö 日本 & \"quotes\" <tags>", url), ".", "NOT_IMPLEMENTED", "<broken", " spaces \n kept ",
                     didl("x", url).replace("xmlns:dc", "xmlns:other")):
        device.set_uri(url, metadata)
        back = device.avt("GetMediaInfo")
        assert back["CurrentURIMetaData"] == metadata.replace("\r\n", "\n")
        assert back["CurrentURI"] == url
        assert device.avt("GetPositionInfo")["TrackMetaData"] == metadata


def test_empty_uri_clears(device, media):
    device.set_uri(media.add("/x.wav", sound.wav(sound.noise(1)), "audio/wav"))
    assert device.state() == "STOPPED"
    device.set_uri("")
    assert device.state() == "NO_MEDIA_PRESENT"


# --- shapes of requests -------------------------------------------------------------------------------------------

GET_VOLUME = (
    '<?xml version="1.0"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" '
    'SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><SOAP-ENV:Body>'
    f'<m:GetVolume xmlns:m="{RC}"><InstanceID xmlns:dt="urn:schemas-microsoft-com:datatypes" dt:dt="ui4">0</InstanceID>'
    '<Channel xmlns:dt="urn:schemas-microsoft-com:datatypes" dt:dt="string">Master</Channel>'
    "</m:GetVolume></SOAP-ENV:Body></SOAP-ENV:Envelope>")
DEFAULT_NAMESPACE = (
    '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><!-- a comment -->'
    f'<GetVolume xmlns="{RC}"><InstanceID><![CDATA[0]]></InstanceID><Channel>Master</Channel></GetVolume>'
    "</Body></Envelope>")
PLAIN = envelope(RC, "GetVolume", {"InstanceID": 0, "Channel": "Master"})

SHAPES = {
    "as Windows Media Player": (GET_VOLUME.encode(), {}),
    "default namespaces, comment, CDATA": (DEFAULT_NAMESPACE.encode(), {}),
    "byte order mark": (b"\xef\xbb\xbf" + PLAIN, {}),
    "surplus argument": (PLAIN.replace(b"<Channel>", b"<Extra>1</Extra><Channel>"), {}),
    "arguments in another order": (envelope(RC, "GetVolume", {"Channel": "Master", "InstanceID": 0}), {}),
    "SOAPACTION without quotes": (PLAIN, {"SOAPACTION": f"{RC}#GetVolume"}),
    "SOAPACTION with half a quote": (PLAIN, {"SOAPACTION": f'"{RC}#GetVolume'}),
    "text/xml without charset": (PLAIN, {"Content-Type": "text/xml"}),
    "charset without quotes": (PLAIN, {"Content-Type": "text/xml; charset=utf-8"}),
    "spaces around numbers": (PLAIN.replace(b">0<", b"> 0\n<"), {}),
    "header before the body": (PLAIN.replace(b"<s:Body>", b"<s:Header><x>1</x></s:Header><s:Body>"), {}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_requests(device, shape):
    body, headers = SHAPES[shape]
    response = soap(device.services[RC].control, RC, "GetVolume", body=body, headers=headers)
    assert response.status == 200
    assert outcome(response, "GetVolume") == {"CurrentVolume": "100"}


def test_answer_names_what_was_asked(device):
    response = soap(device.services[RC].control, RC, "GetVolume", {"InstanceID": 0, "Channel": "Master"})
    assert response["content-type"].replace('"', "").lower() == "text/xml; charset=utf-8"
    assert "ext" in response.headers and response["server"]
    assert f'xmlns:u="{RC}"'.encode() in response.body and b"u:GetVolumeResponse" in response.body


def test_chunked_request(device):
    address, port, target, netloc = http.split(device.services[RC].control)
    head = http.build("POST", target, {
        "Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{RC}#GetVolume"', "Transfer-Encoding": "chunked"})
    with http.Connection(address, port) as connection:
        connection.send(head)
        for start in range(0, len(PLAIN), 100):
            piece = PLAIN[start:start + 100]
            connection.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        connection.send(b"0\r\n\r\n")
        assert outcome(connection.receive(), "GetVolume") == {"CurrentVolume": "100"}


def test_expect_100_continue(device):
    address, port, target, netloc = http.split(device.services[RC].control)
    head = http.build("POST", target, {
        "Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{RC}#GetVolume"', "Expect": "100-continue",
        "Content-Length": len(PLAIN)})
    with http.Connection(address, port) as connection:
        connection.send(head)
        assert connection.receive().status == 100, "the client waits for leave to send the body"
        connection.send(PLAIN)
        assert outcome(connection.receive(), "GetVolume") == {"CurrentVolume": "100"}


def test_m_post_is_refused_with_405(device):
    """Control points send it only when POST was answered with 405."""
    response = soap(
        device.services[RC].control, RC, "GetVolume", body=PLAIN, method="M-POST",
        headers={"SOAPACTION": None, "MAN": '"http://schemas.xmlsoap.org/soap/envelope/"; ns=01',
                 "01-SOAPACTION": f'"{RC}#GetVolume"'})
    assert response.status == 405


def test_keep_alive_and_pipelined_calls(device):
    address, port, target, netloc = http.split(device.services[AVT].control)
    body = envelope(AVT, "GetTransportInfo", {"InstanceID": 0})
    one = http.build("POST", target, {
        "Host": netloc, "Content-Type": "text/xml", "SOAPACTION": f'"{AVT}#GetTransportInfo"'}, body)
    with http.Connection(address, port) as connection:
        connection.send(one * 8)
        for _ in range(8):
            assert "CurrentTransportState" in outcome(connection.receive(), "GetTransportInfo")
