"""The switches of [compatibility], each in a running daemon: who needs it is cured, and nothing else changes."""

import signal
import time
import xml.etree.ElementTree as ET

import pytest
from kit import http, openhome, sound, ssdp
from kit.media_server import MediaServer
from kit.openhome import VERSIONS, kind
from kit.subject import chosen
from kit.upnp import RC, didl, soap
from kit.waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="options of vireod")

DC = "{http://purl.org/dc/elements/1.1/}"
UPNP = "{urn:schemas-upnp-org:metadata-1-0/upnp/}"
AV = (ssdp.RENDERER, ssdp.AVTRANSPORT, ssdp.RENDERINGCONTROL, ssdp.CONNECTIONMANAGER)


def answers(link, *targets):
    """(ST, USN) of everything that answers searches for `targets`."""
    last = kind("Time")
    with ssdp.Search(link) as search:
        for target in (*targets, last):
            search.send(ssdp.search_request(target))
        search.messages.wait(lambda m: m.is_response and m["ST"] == last, 8, "an answer to the last")
        time.sleep(1.2 * PATIENCE)  # the longest that an answer to a search with MX 1 may take, on a busy machine
        return {(m["ST"], m["USN"]) for m in search.messages.items if m.is_response}


# --- old Kinsky ----------------------------------------------------------------------------------------------------

def test_old_kinsky_finds_openhome_alone(own_host, cable, launch):
    """UPnP AV beside OpenHome confuses it: with the switch nothing of UPnP AV is announced, found, described, served or
    listed as a source."""
    with ssdp.Listener(cable.phone_interface) as listener:
        subject = launch(own_host, settings={"compatibility": {"hide-upnp-av": True}})
        speaker = openhome.Speaker.of(subject, cable)
        for name in VERSIONS:
            listener.messages.wait(lambda m, n=name: m.is_alive and m["NT"] == kind(n), 10, f"alive of {name}")
        announced = {m["USN"] for m in listener.messages.items if m.is_alive}
    ours = f"uuid:{openhome.udn(subject.uuid)}"
    assert {usn.split("::")[0] for usn in announced} == {ours}
    found = answers(cable, "ssdp:all", *AV)
    assert found and {usn.split("::")[0] for _, usn in found} == {ours}
    assert not {st for st, _ in found} & set(AV)
    device = speaker.location.replace(openhome.udn(subject.uuid), subject.uuid)
    assert device != speaker.location and http.get(device).status == 404
    types = [source.findtext("Type") for source in ET.fromstring(speaker.product("SourceXml")["Value"])]
    assert types == ["Playlist", "Radio", "Receiver"] and speaker.product("SourceCount")["Value"] == "3"
    assert openhome.json_list(speaker.transport("Modes")["Modes"]) == ["playlist", "radio", "receiver"]
    assert speaker.refusal("Product", "SetSourceBySystemName", Value="UPnP AV") == 801
    # What remains works.
    media = MediaServer(cable.phone)
    try:
        speaker.append(media.add("/a.wav", sound.wav(sound.noise(3)), "audio/wav"))
        speaker.playlist("Play")
        until(lambda: speaker.state_of() == "Playing", 8, "playing")
    finally:
        media.close()


def test_the_switch_for_kinsky_hides_nothing_where_openhome_is_off(own_host, cable, launch):
    subject = launch(own_host, settings={"compatibility": {"hide-upnp-av": True}, "openhome": {"enabled": False}})
    assert RC in subject.device(cable).services


def test_without_the_switch_for_kinsky_both_are_there(own_host, cable, launch):
    subject = launch(own_host)
    assert RC in subject.device(cable).services
    assert "UpnpAv" in openhome.Speaker.of(subject, cable).product("SourceXml")["Value"]


def test_the_switch_comes_over_a_speaker_that_upnp_av_used(own_host, cable, launch):
    """The source that was used last is gone: another one is active, and the playlist is still there."""
    subject = launch(own_host)
    speaker = openhome.Speaker.of(subject, cable)
    track = speaker.insert("http://10.77.1.2/kept.flac")
    speaker.product("SetSourceBySystemName", Value="UPnP AV")
    subject.terminate()
    subject.settings["compatibility"] = {"hide-upnp-av": True}
    speaker = speaker.again(subject.start())
    assert speaker.source() == "Playlist" and speaker.ids() == [track]


# --- one version of Lumin ------------------------------------------------------------------------------------------

def test_version_1_is_version_1_of_everything(own_host, cable, launch):
    """Lumin finds no renderer that announces Product:2 or later; OpenHome's topology library of 2016, in old versions of
    Kazoo, uses no service that isn't exactly version 1. Every action stays, whatever is announced."""
    with ssdp.Listener(cable.phone_interface) as listener:
        subject = launch(own_host, settings={"compatibility": {"product-version": 1}})
        speaker = openhome.Speaker.of(subject, cable)
        listener.messages.wait(lambda m: m.is_alive and m["NT"] == kind("Product", 1), 10, "alive of Product:1")
        listener.messages.wait(lambda m: m.is_alive and m["NT"] == kind("Volume", 1), 10, "alive of Volume")
        told = {m["NT"] for m in listener.messages.items if m.is_alive}
    ones = {kind(name, 1) for name in VERSIONS}
    newer = {kind(name, version) for name in VERSIONS for version in (2, 3, 4)}
    assert not told & newer
    found = {st for st, _ in answers(cable, "ssdp:all", *newer)}
    assert not found & newer
    assert set(speaker.services) == ones
    for name, absent in (("Product", "StandbyTransitioning"), ("Product", "ImageHiresUri"), ("Volume", "UnityGain"),
                         ("Volume", "SetVolumeNoUnmute"), ("Radio", "RefreshPresets"), ("Sender", "Status2"),
                         ("Sender", "Enabled")):
        assert f"<name>{absent}</name>" not in http.get(speaker.services[kind(name, 1)].scpd).body.decode()
    with openhome.Watch(speaker, cable.phone, ("Product", "Volume")) as watch:
        assert not {"StandbyTransitioning", "ProductImageHiresUri"} & set(watch.state("Product"))
        assert not {"UnityGain", "VolumeOffsets", "VolumeOffsetMax", "Trim"} & set(watch.state("Volume"))
        assert "Volume" in watch.state("Volume") and "Attributes" in watch.state("Product")
    control = speaker.services[kind("Product", 1)].control
    assert soap(control, kind("Product", 1), "SourceXml").status == 200
    # An action of version 2.
    speaker.product("SetSourceBySystemName", Value="Radio")
    assert speaker.source() == "Radio"
    assert set(speaker.product("Product")) == {"Room", "Name", "Info", "Url", "ImageUri"}


@pytest.mark.parametrize("version", [2, 3])
def test_versions_between_are_announced_as_configured(own_host, cable, launch, version):
    subject = launch(own_host, settings={"compatibility": {"product-version": version}})
    speaker = openhome.Speaker.of(subject, cable)
    assert kind("Product", version) in speaker.services
    found = {st for st, _ in answers(cable, *(kind("Product", n) for n in (1, 2, 3, 4)))}
    assert {st for st in found if "Product" in st} == {kind("Product", n) for n in range(1, version + 1)}


# --- players that ignore Metatext ----------------------------------------------------------------------------------

def item(text):
    return ET.fromstring(text)[0]


def test_players_that_ignore_metatext_see_the_song(own_host, cable, launch, tmp_path):
    """Info's Metadata becomes the song, with the station behind it; the station itself stays what it was. Switched while
    the station plays."""
    subject = launch(own_host, settings={"compatibility": {"current-song-in-metadata": True}})
    speaker = openhome.Speaker.of(subject, cable)
    media = MediaServer(cable.phone)
    try:
        uri = media.add("/live", sound.mp3(sound.tone(12, 1000), folder=tmp_path), "audio/mpeg", mode="icy",
                        rate=24_000, metaint=8192, station="Icy name",
                        titles=("An Artist - First",) * 4 + ("Second alone",))
        sent = didl("The station", uri, "audio/mpeg")
        with openhome.Watch(speaker, cable.phone, ("Info", "Radio")) as watch:
            speaker.radio("SetChannel", Uri=uri, Metadata=sent)
            watch.wait("Info", "Metadata", sent, 8)
            mark = watch.events.mark()
            speaker.radio("Play")
            first = watch.wait("Info", "Metadata", lambda text: ">First<" in text, 15, mark).properties
            shown = item(first["Metadata"])
            assert shown.findtext(f"{DC}title") == "First" and shown.findtext(f"{UPNP}artist") == "An Artist"
            assert shown.findtext(f"{UPNP}album") == "An album" or shown.findtext(f"{UPNP}album") == "The station"
            assert shown[-1].text == uri, "what can be played stays"
            second = watch.wait("Info", "Metadata", lambda text: ">Second alone<" in text, 15, mark).properties
            assert item(second["Metadata"]).findtext(f"{UPNP}artist") == "Icy name"
            assert ">Second alone<" in speaker.action("Info", "Track")["Metadata"]
            assert ">Second alone<" in watch.state("Info")["Metatext"], "Metatext says so all the same"
            assert speaker.radio("Channel") == {"Uri": uri, "Metadata": sent}
            assert watch.state("Radio")["Metadata"] == sent, "Radio shows the station"
            # Off again, by a reload: the station comes back.
            subject.settings["compatibility"]["current-song-in-metadata"] = False
            subject.write_configuration()
            mark = watch.events.mark()
            subject.signal(signal.SIGHUP)
            watch.wait("Info", "Metadata", sent, 8, mark)
            assert speaker.action("Info", "Track")["Metadata"] == sent
    finally:
        media.close()


def test_without_the_switch_metadata_stays_the_stations(speaker, watch, oh_media, tmp_path):
    uri = oh_media.add("/plain-live", sound.mp3(sound.tone(12, 1000), folder=tmp_path), "audio/mpeg", mode="icy",
                       rate=24_000, metaint=8192, titles=("Artist - Song",))
    sent = didl("The station", uri, "audio/mpeg")
    speaker.radio("SetChannel", Uri=uri, Metadata=sent)
    mark = watch.events.mark()
    speaker.radio("Play")
    watch.wait("Info", "Metatext", lambda text: ">Song<" in text, 15, mark)
    assert speaker.action("Info", "Track")["Metadata"] == sent == watch.state("Info")["Metadata"]
