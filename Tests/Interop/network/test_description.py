"""What is served by GET: description, service descriptions, icons."""

import re
import struct
import xml.etree.ElementTree as ET
from urllib.parse import urljoin

import pytest
from kit import http, ssdp
from kit.upnp import AVT, CM, DEVICE_NS, RC, SCPD_NS

AVT_REQUIRED = {
    "SetAVTransportURI", "GetMediaInfo", "GetTransportInfo", "GetPositionInfo", "GetDeviceCapabilities",
    "GetTransportSettings", "Stop", "Play", "Seek", "Next", "Previous"}
AVT_PROMISED = {"Pause", "SetNextAVTransportURI", "SetPlayMode", "GetCurrentTransportActions"}


def served(url):
    response = http.get(url)
    assert response.status == 200, f"{url}: {response.status}"
    return response


def scpd(device, service):
    return ET.fromstring(served(device.services[service].scpd).body)


def test_description_is_strict_xml_with_all_that_is_required(device, renderer):
    response = device.response
    assert response["content-type"].replace('"', "").lower() == "text/xml; charset=utf-8"
    assert int(response["content-length"]) == len(response.body)
    assert response.body.startswith(b"<?xml")
    assert device.root.tag == f"{DEVICE_NS}root"
    assert device.text("deviceType") == ssdp.RENDERER
    assert device.udn == f"uuid:{renderer.uuid}"
    assert device.name == renderer.friendly_name
    for name in ("manufacturer", "modelName"):
        assert device.text(name)
    assert device.root.find(f"{DEVICE_NS}URLBase") is None
    assert {AVT, RC, CM} <= set(device.services)
    ids = {service.type: service.id for service in device.services.values()}
    assert ids[AVT] == "urn:upnp-org:serviceId:AVTransport"
    assert ids[RC] == "urn:upnp-org:serviceId:RenderingControl"
    assert ids[CM] == "urn:upnp-org:serviceId:ConnectionManager"


def test_element_order_that_every_reader_accepts(device):
    order = ["deviceType", "friendlyName", "manufacturer", "manufacturerURL", "modelDescription", "modelName",
             "modelNumber", "modelURL", "serialNumber", "UDN", "UPC", "iconList", "serviceList", "deviceList",
             "presentationURL"]
    names = [child.tag.removeprefix(DEVICE_NS) for child in device.root.find(f"{DEVICE_NS}device")
             if child.tag.startswith(DEVICE_NS)]
    assert names == sorted(names, key=order.index)
    for service in device.root.iter(f"{DEVICE_NS}service"):
        assert [child.tag.removeprefix(DEVICE_NS) for child in service] == [
            "serviceType", "serviceId", "SCPDURL", "controlURL", "eventSubURL"]


def test_config_id_is_the_announced_one(device, renderer, link):
    with ssdp.Search(link) as search:
        search.send(ssdp.search_request(ssdp.RENDERER))
        announced = search.wait(renderer.uuid)["CONFIGID.UPNP.ORG"]
    assert device.root.get("configId") == announced
    for service in device.services.values():
        assert ET.fromstring(served(service.scpd).body).get("configId") in (None, announced)


def test_icons_have_the_sizes_that_they_claim(device):
    sizes = set()
    for icon in device.root.iter(f"{DEVICE_NS}icon"):
        field = {child.tag.removeprefix(DEVICE_NS): child.text for child in icon}
        response = served(urljoin(device.location, field["url"]))
        assert response["content-type"] == field["mimetype"] == "image/png"
        assert response.body[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", response.body[16:24])
        assert (width, height) == (int(field["width"]), int(field["height"]))
        sizes.add(width)
    assert {48, 120, 256} <= sizes


def test_presentation_page_answers(device):
    url = device.text("presentationURL")
    assert url
    response = served(urljoin(device.location, url))
    assert "html" in response["content-type"]
    assert b"Interop speaker" in response.body


@pytest.mark.parametrize("service", [AVT, RC, CM])
def test_service_descriptions_are_consistent(device, service):
    root = scpd(device, service)
    assert root.tag == f"{SCPD_NS}scpd"
    variables = {}
    for variable in root.iter(f"{SCPD_NS}stateVariable"):
        name = variable.findtext(f"{SCPD_NS}name")
        assert variable.get("sendEvents") in ("yes", "no"), name
        assert name not in variables
        variables[name] = variable
    actions = set()
    for action in root.iter(f"{SCPD_NS}action"):
        name = action.findtext(f"{SCPD_NS}name")
        actions.add(name)
        directions = [a.findtext(f"{SCPD_NS}direction") for a in action.iter(f"{SCPD_NS}argument")]
        assert directions == sorted(directions), f"{name}: in before out"
        assert (action.find(f"{SCPD_NS}argumentList") is not None) == bool(directions), name
        for argument in action.iter(f"{SCPD_NS}argument"):
            assert argument.findtext(f"{SCPD_NS}relatedStateVariable") in variables, name
    if service == AVT:
        assert AVT_REQUIRED | AVT_PROMISED <= actions
        modes = {v.text for v in variables["CurrentPlayMode"].iter(f"{SCPD_NS}allowedValue")}
        assert {"NORMAL", "REPEAT_ONE"} <= modes
        seek = {v.text for v in variables["A_ARG_TYPE_SeekMode"].iter(f"{SCPD_NS}allowedValue")}
        assert {"REL_TIME", "ABS_TIME", "TRACK_NR"} <= seek
        assert [n for n, v in variables.items() if v.get("sendEvents") == "yes"] == ["LastChange"]
    if service == RC:
        span = variables["Volume"].find(f"{SCPD_NS}allowedValueRange")
        assert (span.findtext(f"{SCPD_NS}minimum"), span.findtext(f"{SCPD_NS}maximum")) == ("0", "100")
        assert {"GetVolumeDB", "SetVolumeDB", "GetVolumeDBRange", "SelectPreset", "ListPresets"} <= actions


def test_every_action_that_is_described_is_there(device):
    """A described action may refuse its arguments, but is never unknown (401) or unimplemented (501, 602)."""
    for service in (AVT, RC, CM):
        for action in scpd(device, service).iter(f"{SCPD_NS}action"):
            code = device.fault(service, action.findtext(f"{SCPD_NS}name"))
            assert code not in (401, 501, 602), action.findtext(f"{SCPD_NS}name")


def test_head_tells_what_get_would(device):
    for url in (device.location, device.services[AVT].scpd):
        head, get = http.request("HEAD", url), http.get(url)
        assert head.status == 200 and head.body == b""
        assert head["content-length"] == get["content-length"] == str(len(get.body))
        assert head["content-type"] == get["content-type"]


def test_etag_spares_the_second_transfer(device):
    first = http.get(device.location)
    assert first["etag"]
    again = http.get(device.location, headers={"If-None-Match": first["etag"]})
    assert again.status == 304 and again.body == b""
    assert http.get(device.location, headers={"If-None-Match": '"something else"'}).status == 200


def test_accept_language_gets_content_language(device):
    assert http.get(device.location, headers={"Accept-Language": "de, en;q=0.5"})["content-language"]


def test_what_is_not_there_is_404_and_other_methods_405(device):
    base = re.match(r"http://[^/]+", device.location)[0]
    for path in ("/nothing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//", "/%00"):
        assert http.get(base + path).status in (400, 404), path
    for method in ("PUT", "DELETE", "OPTIONS", "POST", "SUBSCRIBE"):
        assert http.request(method, device.location).status in (404, 405, 501, 411), method


def test_http_1_1_without_host_is_400(device):
    assert http.get(device.location, host="").status == 400


def test_http_1_0_is_served_and_closed(device):
    address, port, target, _ = http.split(device.location)
    with http.Connection(address, port) as connection:
        connection.send(f"GET {target} HTTP/1.0\r\n\r\n".encode())
        response = connection.receive()
        assert response.status == 200 and response.body
        connection.socket.settimeout(5)
        assert connection.socket.recv(1) == b"", "an HTTP/1.0 connection isn't kept"


def test_keep_alive_and_pipelining(device):
    address, port, target, netloc = http.split(device.location)
    one = http.build("GET", target, {"Host": netloc})
    with http.Connection(address, port) as connection:
        connection.send(one)
        assert connection.receive().status == 200
        connection.send(one * 5)
        assert [connection.receive().status for _ in range(5)] == [200] * 5


async def test_async_upnp_client_in_strict_mode(device):
    from async_upnp_client.aiohttp import AiohttpRequester
    from async_upnp_client.client_factory import UpnpFactory
    built = await UpnpFactory(AiohttpRequester(timeout=15), non_strict=False).async_create_device(device.location)
    assert built.device_type == ssdp.RENDERER
    assert set(built.services) >= {AVT, RC, CM}
    assert len(built.icons) >= 3
    outcome = await built.service(AVT).action("GetMediaInfo").async_call(InstanceID=0)
    assert "CurrentURI" in outcome
