"""What the configuration says of the OpenHome device: at the start, when standby is left, and when it is read again."""

import os
import signal
import xml.etree.ElementTree as ET

import pytest
from kit import openhome
from kit.gena import Subscription
from kit.media_server import MediaServer
from kit.openhome import entries, ids
from kit.subject import chosen
from kit.upnp import RC
from kit.waiting import until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="options of vireod")

DC = "{http://purl.org/dc/elements/1.1/}"
RES = "{urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/}res"


@pytest.fixture
def media(cable):
    server = MediaServer(cable.phone)
    yield server
    server.close()


def reload(subject, **settings):
    """Changes the configuration and has it read again; None takes a key out."""
    for section, values in settings.items():
        subject.settings.setdefault(section.replace("_", "-"), {}).update(values)
    subject.write_configuration()
    mark = subject.log.mark()
    subject.signal(signal.SIGHUP)
    subject.log.wait(lambda line: "configuration read again" in line, 8, "the reload", mark)


# --- source and volume at the start --------------------------------------------------------------------------------

@pytest.mark.parametrize("setting, source", [("playlist", "Playlist"), ("radio", "Radio"), ("upnp-av", "UPnP AV")])
def test_the_startup_source_is_active_at_the_start_and_after_standby(own_host, cable, launch, setting, source):
    other = "Radio" if source == "Playlist" else "Playlist"
    subject = launch(own_host, settings={"openhome": {"startup-source": setting}})
    speaker = openhome.Speaker.of(subject, cable)
    assert speaker.source() == source, "at the first start"
    speaker.product("SetSourceBySystemName", Value=other)
    speaker.product("SetStandby", Value=1)
    assert speaker.source() == other
    speaker.product("SetStandby", Value=0)
    assert speaker.source() == source, "when standby is left"
    speaker.product("SetSourceBySystemName", Value=other)
    subject.terminate()
    speaker = speaker.again(subject.start())
    assert speaker.source() == source, "whatever was used last"
    # An action on another source leaves standby for that source.
    speaker.product("SetStandby", Value=1)
    speaker.product("SetSourceBySystemName", Value=other)
    assert (speaker.product("Standby")["Value"], speaker.source()) == ("0", other)


def test_without_a_startup_source_it_is_the_last_one(own_host, cable, launch):
    subject = launch(own_host)
    speaker = openhome.Speaker.of(subject, cable)
    speaker.product("SetSourceBySystemName", Value="Radio")
    speaker.product("SetStandby", Value=1)
    speaker.product("SetStandby", Value=0)
    assert speaker.source() == "Radio"
    subject.terminate()
    speaker = speaker.again(subject.start())
    assert speaker.source() == "Radio"
    reload(subject, openhome={"startup-source": "playlist"})
    assert speaker.source() == "Radio", "a reload doesn't switch"
    speaker.product("SetStandby", Value=1)
    speaker.product("SetStandby", Value=0)
    assert speaker.source() == "Playlist", "but counts from the next time on"


def test_the_startup_volume_holds_at_each_start_and_after_standby(own_host, cable, launch):
    subject = launch(own_host, settings={"volume": {"startup": 23, "initial": 70}})
    speaker = openhome.Speaker.of(subject, cable)
    assert speaker.volume_of()["Value"] == "23", "at the first start"
    speaker.volume_of("SetVolume", Value=60)
    subject.terminate()
    speaker = speaker.again(subject.start())
    assert speaker.volume_of()["Value"] == "23", "at the next one"
    with openhome.Watch(speaker, cable.phone, ("Volume", "Product")) as watch, \
            Subscription(subject.device(cable).services[RC].event, cable.phone) as other:
        other.initial()
        for wake in (lambda: speaker.product("SetStandby", Value=0), lambda: speaker.playlist("Play")):
            beside = other.events.mark()
            speaker.volume_of("SetVolume", Value=60)
            other.wait_change("Volume", 60, 8, beside)
            speaker.product("SetStandby", Value=1)
            assert speaker.volume_of()["Value"] == "60", "nothing changes on the way to sleep"
            mark, beside = watch.events.mark(), other.events.mark()
            wake()
            watch.wait("Volume", "Volume", 23, 8, mark)
            other.wait_change("Volume", 23, 8, beside)


def test_without_a_startup_volume_it_is_the_last_one(own_host, cable, launch):
    subject = launch(own_host, settings={"volume": {"initial": 41}})
    speaker = openhome.Speaker.of(subject, cable)
    assert speaker.volume_of()["Value"] == "41"
    speaker.volume_of("SetVolume", Value=17)
    speaker.product("SetStandby", Value=1)
    speaker.product("SetStandby", Value=0)
    assert speaker.volume_of()["Value"] == "17"
    subject.terminate()
    assert speaker.again(subject.start()).volume_of()["Value"] == "17"


def test_the_volume_limit_is_evented_and_lowers_the_volume(own_host, cable, launch):
    subject = launch(own_host, settings={"volume": {"limit": 80, "initial": 75}})
    speaker = openhome.Speaker.of(subject, cable)
    with openhome.Watch(speaker, cable.phone, ("Volume",)) as watch:
        assert watch.state("Volume")["VolumeLimit"] == "80" and watch.state("Volume")["VolumeMax"] == "100"
        speaker.volume_of("SetVolume", Value=95)
        assert speaker.volume_of()["Value"] == "80", "taken, and limited"
        assert speaker.refusal("Volume", "SetVolume", Value=90) == {}, "also at the limit"
        mark = watch.events.mark()
        reload(subject, volume={"limit": 30})
        event = watch.wait("Volume", "VolumeLimit", 30, 8, mark)
        assert event.properties == {"VolumeLimit": "30", "Volume": "30"}, "in one event, and nothing else"
        reload(subject, volume={"limit": 100})
        watch.wait("Volume", "VolumeLimit", 100, 8, mark)
        assert speaker.volume_of()["Value"] == "30", "a higher limit makes nothing louder"
    subject.settings["volume"].update({"limit": 20, "startup": 90})
    subject.terminate()
    assert speaker.again(subject.start()).volume_of()["Value"] == "20", "the start-up volume is limited too"


# --- names ---------------------------------------------------------------------------------------------------------

def test_a_source_is_renamed_by_sighup(own_host, cable, launch):
    subject = launch(own_host)
    speaker = openhome.Speaker.of(subject, cable)
    changes = int(speaker.product("SourceXmlChangeCount")["Value"])
    assert changes >= 1, "the start counts"
    with openhome.Watch(speaker, cable.phone) as watch:
        mark = watch.events.mark()
        reload(subject, openhome={"radio-name": "Wireless & <more>"})
        event = watch.wait("Product", "SourceXml", lambda text: "Wireless" in text, 8, mark)
        assert set(event.properties) == {"SourceXml"}, "nothing else has changed"
        names = [source.findtext("Name") for source in ET.fromstring(event.properties["SourceXml"])]
        assert names == ["Playlist", "Wireless & <more>", "UPnP AV", "Songcast"]
        assert speaker.product("SourceXml")["Value"] == event.properties["SourceXml"]
        assert speaker.product("SourceXmlChangeCount")["Value"] == str(changes + 1)
        speaker.product("SetSourceIndexByName", Value="Wireless & <more>")
        assert speaker.source() == "Radio", "the system name stays"
        assert speaker.refusal("Product", "SetSourceIndexByName", Value="Radio") == 801
        mark = watch.events.mark()
        reload(subject, openhome={"product": "Another product"})
        watch.wait("Product", "ProductName", "Another product", 8, mark)
        assert not watch.values("Product", "SourceXml", mark)
        assert speaker.product("SourceXmlChangeCount")["Value"] == str(changes + 1), "no source has changed"
        assert not watch.of("Playlist", mark) and not watch.of("Volume", mark)
        watch.assert_sequence()


def test_room_and_product_are_renamed_by_sighup(own_host, cable, launch):
    subject = launch(own_host, settings={"device": {"room": "Hall"}, "openhome": {"product": "Box"}})
    speaker = openhome.Speaker.of(subject, cable)
    assert "Hall" in speaker.name and (speaker.product("Product")["Room"], speaker.product("Product")["Name"]) == (
        "Hall", "Box")
    with openhome.Watch(speaker, cable.phone, ("Product",)) as watch:
        mark = watch.events.mark()
        reload(subject, device={"room": "Attic"})
        watch.wait("Product", "ProductRoom", "Attic", 8, mark)
    assert "Attic" in openhome.Speaker(speaker.location).name


def test_tracks_max_by_sighup(own_host, cable, launch):
    subject = launch(own_host, settings={"playlist": {"tracks-max": 2}})
    speaker = openhome.Speaker.of(subject, cable)
    speaker.append("http://10.77.1.2/1", "http://10.77.1.2/2")
    full = {"AfterId": 0, "Uri": "http://10.77.1.2/3", "Metadata": ""}
    assert speaker.refusal("Playlist", "Insert", **full) == 801
    with openhome.Watch(speaker, cable.phone, ("Playlist",)) as watch:
        mark = watch.events.mark()
        reload(subject, playlist={"tracks-max": 3})
        watch.wait("Playlist", "TracksMax", 3, 8, mark)
    speaker.playlist("Insert", **full)
    assert speaker.refusal("Playlist", "Insert", **full) == 801 and len(speaker.ids()) == 3


# --- lists of stations ---------------------------------------------------------------------------------------------

def m3u(*names):
    return "#EXTM3U\n" + "".join(f"#EXTINF:-1,{name}\nhttp://10.77.1.2/{name}\n" for name in names)


def stations(speaker):
    """Names by id, in the order of the slots."""
    array = speaker.ids("Radio")
    found = entries(speaker.radio("ReadList", IdList=" ".join(map(str, array)))["ChannelList"], "ChannelList")
    return {int(entry["Id"]): ET.fromstring(entry["Metadata"]).findtext(f".//{DC}title") for entry in found}


def told(watch, speaker, wanted, mark):
    """An event has come with these stations, and the action agrees."""
    def matches(text):
        known = stations(speaker)
        return [known.get(number) for number in ids(text) if number] == wanted
    watch.wait("Radio", "IdArray", matches, 10, mark)
    assert list(stations(speaker).values()) == wanted


def test_a_list_in_a_file_is_followed_as_it_changes(own_host, cable, launch, tmp_path):
    path = tmp_path / "stations.m3u"
    path.write_text(m3u("one", "two"))
    subject = launch(own_host, settings={"radio": {"playlists": [str(path)]}})
    speaker = openhome.Speaker.of(subject, cable)
    before = stations(speaker)
    assert list(before.values()) == ["one", "two"]
    with openhome.Watch(speaker, cable.phone, ("Radio",)) as watch:
        mark = watch.events.mark()
        path.write_text(m3u("one", "three", "two"))
        told(watch, speaker, ["one", "three", "two"], mark)
        after = stations(speaker)
        assert {number for number, name in after.items() if name != "three"} == set(before), "what stays keeps its id"
        # As editors do it: another file in its place.
        mark = watch.events.mark()
        (tmp_path / "new").write_text(m3u("four"))
        os.rename(tmp_path / "new", path)
        told(watch, speaker, ["four"], mark)
        assert set(stations(speaker)).isdisjoint(after), "other contents, other ids"
        # Gone for a while: its stations stay.
        lines = subject.log.mark()
        path.unlink()
        reload(subject)
        subject.log.wait(lambda line: str(path) in line, 8, "a line about the file that is gone", lines)
        assert list(stations(speaker).values()) == ["four"]
        mark = watch.events.mark()
        path.write_text(m3u("five", "six"))
        told(watch, speaker, ["five", "six"], mark)
        watch.assert_sequence()


def test_lists_are_read_again_on_sighup(own_host, cable, launch, media, tmp_path):
    """Both those that the configuration names now, and what is new behind a URL."""
    uri = media.add("/list.m3u", m3u("far").encode(), "audio/x-mpegurl")
    path = tmp_path / "near.m3u"
    path.write_text(m3u("near"))
    subject = launch(own_host, settings={"radio": {"playlists": [uri]}})
    speaker = openhome.Speaker.of(subject, cable)
    until(lambda: list(stations(speaker).values()) == ["far"], 15, "the list behind the URL")
    with openhome.Watch(speaker, cable.phone, ("Radio",)) as watch:
        mark = watch.events.mark()
        media.add("/list.m3u", m3u("far", "farther").encode(), "audio/x-mpegurl")
        reload(subject)
        told(watch, speaker, ["far", "farther"], mark)
        mark = watch.events.mark()
        reload(subject, radio={"playlists": [str(path), uri]})
        told(watch, speaker, ["near", "far", "farther"], mark)
        mark = watch.events.mark()
        media.add("/list.m3u", m3u("fresh").encode(), "audio/x-mpegurl")
        assert speaker.radio("RefreshPresets") == {}
        told(watch, speaker, ["near", "fresh"], mark)
        # A list that can't be had any more leaves what it gave.
        media.refuse("/list.m3u")
        lines = subject.log.mark()
        reload(subject)
        subject.log.wait(lambda line: "list.m3u" in line and "warning" in line, 10, "a warning", lines)
        assert list(stations(speaker).values()) == ["near", "fresh"]
        mark = watch.events.mark()
        reload(subject, radio={"playlists": []})
        told(watch, speaker, [], mark)
        watch.assert_sequence()


ODD = {
    "m3u": "#EXTM3U\n#EXTINF:-1,Empty\n\n#EXTINF:-1,Elsewhere\nmms://10.77.1.2/x\n#EXTINF:-1,\nrelative/live\n"
           "javascript:alert(1)\n   \nhttp://10.77.1.2/good\n#EXTINF:-1,Only a name\n",
    "pls": "[playlist]\nFile1=\nTitle1=Nothing\nFile2=http://10.77.1.2/pls\nTitle2=\nTitle3=Without file\n",
    "xspf": '<playlist xmlns="http://xspf.org/ns/0/"><trackList><track><title>None</title></track><track><location/>'
            "</track><track><location> http://10.77.1.2/xspf </location><title></title></track></trackList></playlist>",
    "asx": '<asx version="3.0"><entry><title>None</title></entry><entry><ref href=""/></entry>'
           '<entry><ref href="http://10.77.1.2/asx?a=1&amp;b=2"/></entry></asx>',
    "opml": '<opml><body><outline text="Folder"><outline type="audio" text="None" URL=""/>'
            '<outline type="audio" URL="http://10.77.1.2/opml"/></outline></body></opml>',
}


def test_every_preset_has_an_address(own_host, cable, launch, tmp_path):
    """Control points show nothing for a preset whose res is empty, whatever the lists hold."""
    paths = []
    for name, text in ODD.items():
        paths.append(tmp_path / f"odd.{name}")
        paths[-1].write_text(text)
    subject = launch(own_host, settings={"radio": {
        "playlists": [str(path) for path in paths],
        "preset": [{"url": "http://10.77.1.2/nameless"}, {"name": "Named", "url": "http://10.77.1.2/named"}]}})
    speaker = openhome.Speaker.of(subject, cable)
    array = [number for number in speaker.ids("Radio") if number]
    found = entries(speaker.radio("ReadList", IdList=" ".join(map(str, array)))["ChannelList"], "ChannelList")
    assert len(found) == len(array)
    addresses = [ET.fromstring(entry["Metadata"]).findtext(f".//{RES}") for entry in found]
    assert all(address and address.startswith(("http://10.77.1.2/", "file:///")) for address in addresses), addresses
    assert {f"http://10.77.1.2/{name}" for name in ("nameless", "named", "good", "pls", "xspf", "opml")} <= set(addresses)
    assert "http://10.77.1.2/asx?a=1&b=2" in addresses
    titles = [ET.fromstring(entry["Metadata"]).findtext(f".//{DC}title") for entry in found]
    assert all(titles), "and something to show"
    for number, address in zip(array, addresses):
        speaker.radio("SetId", Value=number, Uri="")
        assert speaker.radio("Channel")["Uri"] == address
