"""How a zone is found, and what it says about itself: by SoCo, and in the very bytes of others."""

import http.client
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET

import pytest
import soco
import soco.services
from kit import ssdp
from kit.waiting import until
from kit.zone import ZONE, ask, search

NAMESPACE = "{urn:schemas-upnp-org:device-1-0}"


def fetch(link, path):
    with urllib.request.urlopen(f"http://{link.speaker}:1400{path}", timeout=5) as answer:
        return answer.read().decode()


def call(link, path, action, arguments="", urn="urn:schemas-upnp-org:service:DeviceProperties:1"):
    body = (f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:{action} xmlns:u="{urn}">'
            f"{arguments}</u:{action}></s:Body></s:Envelope>")
    connection = http.client.HTTPConnection(link.speaker, 1400, timeout=5)
    connection.request("POST", path, body, {"Content-Type": 'text/xml; charset="utf8"', "SOAPACTION": f"{urn}#{action}"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_soco_finds_it(zone, zone_link, player):
    found = soco.discover(timeout=3, interface_addr=zone_link.phone)
    assert [zone.ip_address for zone in found] == [zone_link.speaker]
    assert player.player_name == "Kitchen & Co"
    assert player.uid.startswith("RINCON_") and player.uid.endswith("01400")
    assert player.is_coordinator and player.is_visible and not player.is_bridge
    assert player.group.coordinator is player and player.all_zones == {player}
    info = player.get_speaker_info()
    # What controllers make of the serial number and the hardware address has to be the UID.
    assert "RINCON_" + info["mac_address"].replace("-", "") + "01400" == player.uid
    assert all(info[name] for name in ("model_name", "model_number", "software_version", "display_version"))
    assert player.household_id.startswith("Sonos_") and len(player.household_id) == 32


@pytest.mark.parametrize("to", [ssdp.GROUP, "255.255.255.255"])
@pytest.mark.parametrize("text", [
    search(),
    f'M-SEARCH * HTTP/1.1\nHOST:239.255.255.250:1900\nMAN:"ssdp:discover"\nMX:5\nST:{ZONE}',
    f"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:reservedSSDPport\r\nMAN: ssdp:discover\r\nMX: 1\r\nST: {ZONE}",
])
def test_odd_searches_are_answered_soon(zone, zone_link, text, to):
    answers = ask(zone_link, text, to, seconds=2)
    assert answers and answers[0].after < 0.7
    answer = answers[0]
    assert answer.source[0] == zone_link.speaker
    assert answer.start == "HTTP/1.1 200 OK" and len(answer.raw) <= 1024 and answer.raw.endswith(b"\r\n\r\n")
    assert all(":" in line for line in answer.raw.decode().split("\r\n")[1:-2])
    assert b"\r\nLOCATION: http://" in answer.raw and b"\r\nX-RINCON-HOUSEHOLD: Sonos_" in answer.raw
    assert answer["LOCATION"] == f"http://{zone_link.speaker}:1400/xml/device_description.xml"
    assert "Sonos/" in answer["SERVER"] and "(" in answer["SERVER"]
    assert int(answer["X-RINCON-BOOTSEQ"]) >= 1


def test_its_embedded_devices_are_silent(zone, zone_link):
    targets = {answer["ST"] for answer in ask(zone_link, search("ssdp:all"), seconds=2) if ":1400/" in answer["LOCATION"]}
    assert len(targets) == 3 and ZONE in targets and "upnp:rootdevice" in targets


def test_its_description_has_all_services(zone, zone_link):
    root = ET.fromstring(fetch(zone_link, "/xml/device_description.xml"))
    device = root.find(f"{NAMESPACE}device")
    assert device.findtext(f"{NAMESPACE}roomName") == "Kitchen & Co"
    assert "sonos" not in device.findtext(f"{NAMESPACE}manufacturer").lower()
    assert len(device.findall(f"{NAMESPACE}iconList/{NAMESPACE}icon")) == 1
    controls = {element.text for element in root.iter(f"{NAMESPACE}controlURL")}
    assert {f"/{name}/Control" for name in (
        "AlarmClock", "MusicServices", "DeviceProperties", "SystemProperties", "ZoneGroupTopology", "GroupManagement",
        "QPlay")} <= controls
    assert {f"/MediaRenderer/{name}/Control" for name in (
        "AVTransport", "RenderingControl", "GroupRenderingControl", "ConnectionManager", "Queue")} <= controls
    assert {f"/MediaServer/{name}/Control" for name in ("ContentDirectory", "ConnectionManager")} <= controls
    for path in {element.text for element in root.iter(f"{NAMESPACE}SCPDURL")}:
        ET.fromstring(fetch(zone_link, path))


def test_calls_are_taken_as_they_come(zone, zone_link):
    status, text = call(zone_link, "/QPlay/Control", "QPlayAuth", "<Seed>1</Seed>", "urn:schemas-upnp-org:service:QPlay:1")
    assert status == 500 and "<errorCode>800</errorCode>" in text
    status, text = call(zone_link, "/DeviceProperties/Control", "GetAutoplayRoomUUID", "<Source>TV</Source>")
    assert status == 500 and "<errorCode>800</errorCode>" in text
    status, text = call(zone_link, "/DeviceProperties/Control", "GetHouseholdID", urn="urn:other:service:DeviceProperties:1")
    assert status == 200 and 'xmlns:u="urn:other:service:DeviceProperties:1"' in text


def test_other_documents(zone, zone_link, player):
    assert player.household_id in fetch(zone_link, "/status/info")
    assert player.uid in fetch(zone_link, "/status/topology")
    assert "<Accounts" in fetch(zone_link, "/status/accounts")
    with pytest.raises(urllib.error.HTTPError):
        fetch(zone_link, "/status/batterystatus")


def test_what_is_set_is_read_back(zone, zone_link, player):
    player.status_light = False
    assert not player.status_light
    player.status_light = True
    player.buttons_enabled = False
    assert not player.buttons_enabled
    player.buttons_enabled = True
    subscription = player.zoneGroupTopology.subscribe()
    try:
        subscription.events.get(timeout=3)
        player.player_name = "Bath & Bed"
        event = subscription.events.get(timeout=5)
        assert 'ZoneName="Bath &amp; Bed"' in event.variables["zone_group_state"]
    finally:
        subscription.unsubscribe()
        player.player_name = "Kitchen & Co"
    assert subscription.sid.startswith(f"uuid:{player.uid}_sub")


@pytest.mark.parametrize("service", [
    "AlarmClock", "AVTransport", "ContentDirectory", "DeviceProperties", "RenderingControl", "ZoneGroupTopology",
    "GroupRenderingControl", "GroupManagement", "Queue", "MusicServices", "SystemProperties"])
def test_every_service_tells_its_state(zone, player, service):
    subscription = getattr(soco.services, service)(player).subscribe()
    try:
        assert subscription.events.get(timeout=3).variables
    finally:
        subscription.unsubscribe()


def test_when_off_nothing_of_it_is_there(launch, make_host):
    link = make_host().link()
    subject = launch(link.host)
    subject.device(link)
    assert not [answer for answer in ask(link, search(), seconds=2)]
    with pytest.raises(OSError):
        http.client.HTTPConnection(link.speaker, 1400, timeout=2).connect()


def _play_a_foreign_zone(link):
    """Another household's zone on the phone's machine: all that it does is to answer and to announce."""
    return subprocess.Popen(["python3", "-c", f"""
import socket, struct, threading, time
HEAD = "LOCATION: http://{link.phone}:1400/xml/device_description.xml\\r\\nSERVER: Linux UPnP/1.0 Sonos/85.0-64200 (ZPS18)\\r\\n"
TAIL = "USN: uuid:RINCON_0000000000FF01400::{ZONE}\\r\\nX-RINCON-HOUSEHOLD: Sonos_somebodyelseshouseholdabc\\r\\n\\r\\n"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", 1900))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.255.255.250") + socket.inet_aton("{link.phone}"))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("{link.phone}"))
def announce():
    while True:
        s.sendto(("NOTIFY * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900\\r\\nNT: {ZONE}\\r\\nNTS: ssdp:alive\\r\\n" + HEAD + TAIL).encode(),
                 ("239.255.255.250", 1900))
        time.sleep(1)
threading.Thread(target=announce, daemon=True).start()
while True:
    data, source = s.recvfrom(2048)
    if b"M-SEARCH" in data:
        s.sendto(("HTTP/1.1 200 OK\\r\\nST: {ZONE}\\r\\n" + HEAD + TAIL).encode(), source)
"""])


def test_it_hides_beside_another_household(launch, make_host):
    link = make_host().link()

    def own():
        return [answer for answer in ask(link, search(), seconds=1.5) if link.speaker in (answer["LOCATION"] or "")]

    subject = launch(link.host, settings={"sonos": {"enabled": True}})
    until(own, 20, "it shows itself while it is alone")
    foreign = _play_a_foreign_zone(link)
    try:
        until(lambda: any("Sonos_somebodyelse" in line for line in subject.log.items), 10, "it says why it hides")
        assert not own()
    finally:
        foreign.kill()
        foreign.wait()


def test_it_never_shows_itself_where_others_are(launch, make_host):
    link = make_host().link()
    foreign = _play_a_foreign_zone(link)
    try:
        with ssdp.Listener(link.phone_interface) as listener:
            subject = launch(link.host, settings={"sonos": {"enabled": True}})
            until(lambda: any("Sonos_somebodyelse" in line for line in subject.log.items), 20, "it says why it hides")
            subject.device(link)
            assert not [m for m in listener.messages.items if m.is_alive and f"{link.speaker}:1400" in (m["LOCATION"] or "")]
        beside = launch(make_host().link().host, "beside", settings={"sonos": {"enabled": True, "beside-others": True}})
        assert beside.is_running()
    finally:
        foreign.kill()
        foreign.wait()
