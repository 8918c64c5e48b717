"""Two root devices on one server, each found by whatever control points search for; and what they describe."""

import subprocess
import time
import xml.etree.ElementTree as ET

import pytest
from kit import http, openhome, ssdp
from kit.openhome import SOURCE, VERSIONS, kind, udn
from kit.subject import chosen
from kit.upnp import DEVICE_NS, SCPD_NS, Device


@pytest.fixture
def search(oh_link):
    with ssdp.Search(oh_link) as search:
        yield search


def expected(uuid):
    """(NT, USN) of the OpenHome device with its services."""
    name = f"uuid:{udn(uuid)}"
    types = [SOURCE, *(kind(service) for service in VERSIONS)]
    return {("upnp:rootdevice", f"{name}::upnp:rootdevice"), (name, name)} | {(t, f"{name}::{t}") for t in types}


def expected_beside(uuid):
    name = f"uuid:{uuid}"
    types = [ssdp.RENDERER, ssdp.AVTRANSPORT, ssdp.RENDERINGCONTROL, ssdp.CONNECTIONMANAGER]
    return {("upnp:rootdevice", f"{name}::upnp:rootdevice"), (name, name)} | {(t, f"{name}::{t}") for t in types}


def test_search_for_all_lists_both_devices_whole(oh_renderer, search):
    search.send(ssdp.search_request("ssdp:all"))
    wanted = expected(oh_renderer.uuid) | expected_beside(oh_renderer.uuid)
    for nt, usn in wanted:
        search.messages.wait(lambda m: (m["ST"], m["USN"]) == (nt, usn), 6, f"answer with {nt} {usn}")
    found = {(m["ST"], m["USN"]) for m in search.messages.items if m.is_response}
    assert found == wanted


def test_both_are_root_devices(oh_renderer, search):
    search.send(ssdp.search_request("upnp:rootdevice"))
    first = search.wait(oh_renderer.uuid, target="upnp:rootdevice")
    second = search.wait(udn(oh_renderer.uuid), target="upnp:rootdevice")
    assert first["LOCATION"] != second["LOCATION"]
    assert first["LOCATION"].split("/")[2] == second["LOCATION"].split("/")[2], "on one server"
    assert Device(first["LOCATION"]).udn == f"uuid:{oh_renderer.uuid}"
    assert Device(second["LOCATION"]).udn == f"uuid:{udn(oh_renderer.uuid)}"


LOWER = [(name, version) for name, highest in VERSIONS.items() for version in range(1, highest + 1)]


@pytest.mark.parametrize("name, version", LOWER, ids=lambda value: str(value))
def test_every_lower_version_is_found(oh_renderer, search, name, version):
    target = kind(name, version)
    search.send(ssdp.search_request(target))
    answer = search.wait(udn(oh_renderer.uuid), target=target)
    assert answer["USN"] == f"uuid:{udn(oh_renderer.uuid)}::{target}"
    assert answer["LOCATION"] == oh_renderer.shared_location


def test_silence_about_higher_versions_and_other_services(oh_renderer, search):
    for target in (kind("Product", 5), kind("Playlist", 2), kind("Receiver", 2), kind("Pins", 2), kind("Credentials", 1), kind("Sender", 3),
                   SOURCE[:-1] + "2", "urn:linn-co-uk:device:Source:1", kind("Product", 1).replace("av-", "")):
        search.send(ssdp.search_request(target))
    search.send(ssdp.search_request(SOURCE))
    search.wait(udn(oh_renderer.uuid), target=SOURCE)
    time.sleep(1.2)  # the longest that an answer to a search with MX 1 may take
    others = {m["ST"] for m in search.messages.items if m.is_response} - {SOURCE}
    assert not others


def test_announcements_of_both_and_their_farewell(own_host, launch):
    link = own_host.link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(own_host)
        wanted = expected(subject.uuid) | expected_beside(subject.uuid)
        for nt, usn in wanted:
            listener.messages.wait(lambda m: m.is_alive and (m["NT"], m["USN"]) == (nt, usn), 10, f"alive of {nt}")
        mine = [m for m in listener.messages.items if m.is_alive]
        assert {(m["NT"], m["USN"]) for m in mine} == wanted
        mark = listener.messages.mark()
        assert subject.terminate() == 0
        for nt, usn in wanted:
            listener.messages.wait(
                lambda m: m.is_byebye and (m["NT"], m["USN"]) == (nt, usn), 5, f"byebye of {nt}", mark)


def test_either_device_can_be_switched_off(make_host, launch):
    one, two = make_host(), make_host()
    cable, other = one.link(), two.link()
    without = launch(one, folder="without", settings={"openhome": {"enabled": False}})
    alone = launch(two, folder="alone", settings={"upnp-av": {"enabled": False}})
    assert without.device(cable).volume() == 100
    with ssdp.Search(cable) as search:
        search.send(ssdp.search_request("ssdp:all"))
        for nt, _ in expected_beside(without.uuid):
            search.wait(without.uuid, target=nt)
        assert {(m["ST"], m["USN"]) for m in search.messages.items if m.is_response} == expected_beside(without.uuid)
    speaker = openhome.Speaker.of(alone, other)
    assert "UpnpAv" not in speaker.product("SourceXml")["Value"]
    assert speaker.product("SourceCount")["Value"] == "3"
    with ssdp.Search(other) as search:
        search.send(ssdp.search_request("ssdp:all"))
        for nt, usn in expected(alone.uuid):
            search.messages.wait(lambda m: (m["ST"], m["USN"]) == (nt, usn), 6, nt)
        assert {(m["ST"], m["USN"]) for m in search.messages.items if m.is_response} == expected(alone.uuid)


def test_lumin_finds_product_1(own_host, launch):
    """The switch for the version of that app which finds no newer Product."""
    link = own_host.link()
    subject = launch(own_host, settings={"compatibility": {"product-version": 1}})
    speaker = openhome.Speaker.of(subject, link)
    assert kind("Product", 1) in speaker.services and kind("Product", 4) not in speaker.services


# --- the description ----------------------------------------------------------------------------------------------

def test_description(speaker, oh_renderer):
    device = speaker.root.find(f"{DEVICE_NS}device")
    assert device.findtext(f"{DEVICE_NS}deviceType") == SOURCE
    assert not list(speaker.root.iter(f"{DEVICE_NS}deviceList")), "devices in devices confuse control points"
    assert set(speaker.services) == {kind(name) for name in VERSIONS}
    for name in VERSIONS:
        assert speaker.services[kind(name)].id == f"urn:av-openhome-org:serviceId:{name}"
    assert "Kitchen & Bath" in speaker.name
    urls = [url for service in speaker.services.values() for url in (service.scpd, service.control, service.event)]
    assert len(set(urls)) == len(urls)


@pytest.mark.parametrize("name", VERSIONS)
def test_scpd_and_initial_event_agree(speaker, oh_link, name):
    response = http.get(speaker.services[kind(name)].scpd)
    assert response.status == 200
    scpd = ET.fromstring(response.body)
    variables = {variable.findtext(f"{SCPD_NS}name"): variable.get("sendEvents")
                 for variable in scpd.iter(f"{SCPD_NS}stateVariable")}
    evented = {variable for variable, sent in variables.items() if sent == "yes"}
    for argument in scpd.iter(f"{SCPD_NS}argument"):
        assert argument.findtext(f"{SCPD_NS}relatedStateVariable") in variables
    with openhome.Watch(speaker, oh_link.phone, (name,)) as watch:
        assert set(watch.of(name)[0].properties) == evented


EVENTED = {
    "Product": {"ManufacturerName", "ManufacturerInfo", "ManufacturerUrl", "ManufacturerImageUri", "ModelName",
                "ModelInfo", "ModelUrl", "ModelImageUri", "ProductRoom", "ProductName", "ProductInfo", "ProductUrl",
                "ProductImageUri", "ProductImageHiresUri", "Standby", "StandbyTransitioning", "SourceIndex",
                "SourceCount", "SourceXml", "Attributes"},
    "Playlist": {"TransportState", "Repeat", "Shuffle", "Id", "IdArray", "TracksMax", "ProtocolInfo"},
    "Info": {"TrackCount", "DetailsCount", "MetatextCount", "Uri", "Metadata", "Duration", "BitRate", "BitDepth",
             "SampleRate", "Lossless", "CodecName", "Metatext"},
    "Time": {"TrackCount", "Duration", "Seconds"},
    "Volume": {"Volume", "Mute", "Balance", "Fade", "VolumeLimit", "VolumeMax", "VolumeUnity", "VolumeSteps",
               "VolumeMilliDbPerStep", "BalanceMax", "FadeMax", "UnityGain", "VolumeOffsets", "VolumeOffsetMax",
               "Trim"},
    "Radio": {"Uri", "Metadata", "TransportState", "Id", "IdArray", "ChannelsMax", "ProtocolInfo"},
    "Receiver": {"Uri", "Metadata", "TransportState", "ProtocolInfo"},
    "Sender": {"PresentationUrl", "Metadata", "Audio", "Status", "Status2", "Enabled", "Attributes"},
    "Transport": {"Modes", "CanSkipNext", "CanSkipPrevious", "CanRepeat", "CanShuffle", "StreamId", "CanSeek",
                  "CanPause", "TransportState", "Repeat", "Shuffle"},
}


def test_initial_events_are_complete(speaker, watch):
    for name, wanted in EVENTED.items():
        assert set(watch.of(name)[0].properties) == wanted, name


def test_product_pages_answer(speaker):
    product = speaker.product("Product")
    assert product["Room"] == "Kitchen & Bath"
    for place in ("ImageUri", "ImageHiresUri", "Url"):
        if product[place]:
            assert http.get(product[place]).status == 200, product[place]
    assert http.get(speaker.product("GetImageUri", Resolution="Low")["ImageUri"]).status == 200
    assert speaker.product("GetImageUri", Resolution="odd") == speaker.product("GetImageUri", Resolution="High")


def test_attributes_name_what_is_served(speaker):
    tokens = speaker.product("Attributes")["Value"].split()
    assert "Volume" in tokens
    assert {token for token in tokens if "=" not in token} <= set(VERSIONS)
    assert tokens[-2:] == ["Sender", "Receiver"]


def test_the_sender_is_as_control_points_read_it(speaker, watch, oh_renderer):
    told = watch.of("Sender")[0].properties
    for name, value in told.items():
        assert speaker.action("Sender", name) == {"Value": value}, name
    assert told["PresentationUrl"] == told["Attributes"] == ""
    assert told["Status"] in ("Enabled", "Disabled") and told["Enabled"] == str(int(told["Status"] == "Enabled"))
    assert told["Status2"] == ("Ready" if told["Status"] == "Enabled" else "Disabled") and told["Audio"] == "0"
    # Control points hand the whole document to a receiver; some take only one with exactly one item.
    assert len(told["Metadata"].encode()) <= 1000
    item, = ET.fromstring(told["Metadata"])
    name = {"didl": "urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/", "dc": "http://purl.org/dc/elements/1.1/",
            "upnp": "urn:schemas-upnp-org:metadata-1-0/upnp/"}
    assert item.findtext("dc:title", namespaces=name) == "Kitchen & Bath"
    assert item.findtext("upnp:class", namespaces=name) == "object.item.audioItem"
    resource, = item.findall("didl:res", name)
    assert resource.get("protocolInfo") == "ohz:*:*:u"
    assert resource.text == f"ohz://239.255.255.250:51972/{udn(oh_renderer.uuid)}"
    assert http.get(item.findtext("upnp:albumArtURI", namespaces=name)).status == 200


def test_source_xml_is_as_control_points_read_it(speaker):
    tree = ET.fromstring(speaker.product("SourceXml")["Value"])
    assert tree.tag == "SourceList"
    sources = [{field.tag: field.text for field in source} for source in tree]
    assert [list(source) for source in sources] == [["Name", "Type", "Visible", "SystemName"]] * 4
    assert [source["Type"] for source in sources] == ["Playlist", "Radio", "UpnpAv", "Receiver"]
    assert {source["Visible"] for source in sources} <= {"true", "false"}
    assert sources[0]["Visible"] == sources[1]["Visible"] == "true" and sources[2]["Visible"] == "false"
    for index, source in enumerate(sources):
        told = speaker.product("Source", Index=index)
        assert (told["Name"], told["Type"], told["SystemName"]) == (
            source["Name"], source["Type"], source["SystemName"])


@pytest.mark.skipif(chosen().name != "vireod", reason="options of vireod")
def test_descriptions_on_the_command_line(speaker, renderer_beside, oh_renderer):
    """Each alone is one document, the one that is served; together they stand one after the other."""
    configuration = oh_renderer.folder / "vireo.toml"

    def run(*options):
        return subprocess.run([oh_renderer.binary(), "--config", configuration, "--state-dir",
                               oh_renderer.folder / "elsewhere", *options], capture_output=True, timeout=60)
    texts = {}
    for name, device in (("openhome", speaker), ("upnp-av", renderer_beside)):
        done = run(f"--print-description={name}")
        assert done.returncode == 0, done.stderr
        root = ET.fromstring(done.stdout)
        assert root.findtext(f"{DEVICE_NS}device/{DEVICE_NS}UDN") == device.udn
        assert root.findtext(f"{DEVICE_NS}device/{DEVICE_NS}friendlyName") == device.name
        texts[name] = done.stdout.strip()
    both = run("--print-description").stdout
    assert [text.strip() for text in both.split(b"\n\n<?xml")][0] == texts["upnp-av"]
    assert both.strip().endswith(texts["openhome"])
    for wrong in ("--print-description=phonograph", "--print-description="):
        done = run(wrong)
        assert done.returncode == 64 and b"print-description" in done.stderr
