"""What strangers, attackers and whoever installs it meet at a zone's port: 1400, which can't be another one."""

import json
import socket
import sqlite3
import time
import urllib.parse
import xml.etree.ElementTree as ET

import pytest
from kit import http as plain, netns, openhome, ssdp
from kit.waiting import until
from kit.zone import ZONE, ask, search

SETTINGS = {"sonos": {"enabled": True}}
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c489".replace(" ", "")) + bytes(40)


def base(link):
    return f"http://{link.speaker}:1400"


def shown(link, seconds=1.0):
    return [answer for answer in ask(link, search(), seconds=seconds) if ":1400/" in (answer["LOCATION"] or "")]


def soap(link, path, action, arguments, type="text/xml", headers=(), **options):
    urn = f"urn:schemas-upnp-org:service:{path.split('/')[-2]}:1"
    body = (f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:{action} xmlns:u="{urn}">'
            f"{arguments}</u:{action}></s:Body></s:Envelope>").encode()
    return plain.request("POST", base(link) + path, {"Content-Type": type, "SOAPACTION": f'"{urn}#{action}"', **dict(headers)},
                         body, **options)


VOLUME = "<InstanceID>0</InstanceID><Channel>Master</Channel>"


# Its port

def listeners(host, port=1400):
    lines = host.sh("ss", "-Hltn", f"sport = :{port}").split("\n")
    return sorted(line.split()[3] for line in lines if line.strip())


def test_it_listens_at_its_own_addresses_only(zone, zone_link):
    assert listeners(zone_link.host) == [f"{zone_link.speaker}:1400"]


def test_it_follows_its_addresses(launch, make_host):
    link = make_host().link()
    launch(link.host, settings=SETTINGS)
    until(lambda: listeners(link.host) == [f"{link.speaker}:1400"], 20, "it listens")
    other = link.speaker.rsplit(".", 1)[0] + ".3"
    link.add_address(other)
    until(lambda: len(listeners(link.host)) == 2, 20, "it listens at the new address, too")
    link.remove_address(other)
    until(lambda: listeners(link.host) == [f"{link.speaker}:1400"], 20, "it has let go of what isn't its own")


def test_a_taken_port_keeps_it_from_nothing_else(launch, make_host):
    link = make_host().link()
    taken = link.host.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        taken.bind((link.speaker, 1400))
        taken.listen()
        subject = launch(link.host, settings=SETTINGS)
        subject.device(link)
        line = until(lambda: next((line for line in subject.log.items if "1400" in line), None), 10, "it says so")
        assert "[sonos] enabled" in line and link.speaker in line and "[network] port" not in line
        time.sleep(4)  # By now it would have shown itself.
        assert not shown(link)
        assert len([line for line in subject.log.items if "1400" in line]) == 1
    finally:
        taken.close()
    until(lambda: shown(link), 70, "it takes the port once that is free")
    assert plain.get(base(link) + "/status/info").status == 200
    assert any("is served on TCP port 1400" in line for line in subject.log.items)


def test_two_on_one_machine(launch, make_host):
    link = make_host().link()
    launch(link.host, "first", settings=SETTINGS)
    until(lambda: shown(link), 20, "the first shows itself")
    second = launch(link.host, "second", settings=SETTINGS)
    second.device(link)
    until(lambda: any("[sonos] enabled" in line for line in second.log.items), 10, "the second says that it can't")
    assert second.is_running() and len(shown(link)) == 1


def test_a_zone_that_comes_and_goes_takes_nothing_else_along(launch, make_host):
    """The renderer isn't withdrawn when the zone shows itself some seconds later."""
    link = make_host().link()
    with ssdp.Listener(link.phone_interface) as listener:
        subject = launch(link.host, settings=SETTINGS)
        subject.device(link)
        until(lambda: shown(link), 20, "it shows itself")
        time.sleep(1)
        heard = listener.messages.items
    first = next(place for place, message in enumerate(heard) if message.is_alive)
    assert not [str(message) for message in heard[first:] if message.is_byebye]


# Searches

GROUP = "HOST: 239.255.255.250:1900"


@pytest.mark.parametrize("to", [ssdp.GROUP, "255.255.255.255"])
@pytest.mark.parametrize("text", {
    "soco": f'M-SEARCH * HTTP/1.1\n{GROUP}\nMAN: "ssdp:discover"\nMX: 1\nST: {ZONE}\n',
    "jishi": f"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:reservedSSDPport\r\nMAN: ssdp:discover\r\nMX: 1\r\nST: {ZONE}",
    "node-sonos": f"M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMAN: ssdp:discover\r\nMX: 1\r\nST: {ZONE}\r\n",
    "svrooij": f'M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {ZONE}',
    "node-red": f'M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMAN: "ssdp:discover"\r\nMX: 3\r\nST: {ZONE}',
    "noson": f'M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMAN: "ssdp:discover"\r\nMX: 5\r\nST: {ZONE}\r\n\r\n',
    "phonos": f'M-SEARCH * HTTP/1.1\r\nHOST:239.255.255.250:1900\r\nMAN:"ssdp:discover"\r\nMX:1\r\nST:{ZONE}\r\n\r\n',
    "no-man": f"M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMX: 1\r\nST: {ZONE}\r\n\r\n",
}.values(), ids=["soco", "jishi", "node-sonos", "svrooij", "node-red", "noson", "phonos", "no-man"])
def test_each_client_s_search_is_answered_soon(zone, zone_link, text, to):
    answers = ask(zone_link, text, to, seconds=1.2)
    assert [answer.source[0] for answer in answers] == [zone_link.speaker]
    assert answers[0].after < 0.7 and answers[0]["ST"] == ZONE
    assert len(answers[0].raw) <= 1024


def test_a_search_without_man_is_for_the_zone_only(zone, zone_link):
    text = f"M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMX: 1\r\nST: %s\r\n\r\n"
    found = ask(zone_link, text % "ssdp:all", seconds=2)
    assert len(found) == 3 and all(":1400/" in answer["LOCATION"] for answer in found)
    assert not ask(zone_link, text % "urn:schemas-upnp-org:device:MediaRenderer:1", seconds=2)


def test_a_flood_of_searches_is_answered_a_little(launch, make_host):
    link = make_host().link()
    subject = launch(link.host, settings=SETTINGS)
    until(lambda: shown(link), 20, "it shows itself")
    text = f"M-SEARCH * HTTP/1.1\n{GROUP}\nMX: 1\nST: {ZONE}".encode()
    before = len(subject.log.items)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
        phone.bind((link.phone, 0))
        phone.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        for _ in range(5000):
            phone.sendto(text, (link.speaker, 1900))
        phone.settimeout(1.5)
        count = 0
        try:
            while True:
                phone.recv(2048)
                count += 1
        except TimeoutError:
            pass
    assert 0 < count < 1000
    assert len(subject.log.items) - before < 5


def test_a_flood_of_foreign_zones_is_heard_once(launch, make_host):
    """They hide the zone, which the log says once; each of them costs no more than being read."""
    link = make_host().link()
    subject = launch(link.host, settings=SETTINGS)
    until(lambda: shown(link), 20, "it shows itself")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
        phone.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(link.phone))
        used = subject.processor_seconds()
        for number in range(5000):
            phone.sendto((f"NOTIFY * HTTP/1.1\r\n{GROUP}\r\nNT: {ZONE}\r\nNTS: ssdp:alive\r\nUSN: uuid:RINCON_{number:012X}01400::{ZONE}\r\n"
                          f"LOCATION: http://{link.phone}:1400/xml/device_description.xml\r\nX-RINCON-HOUSEHOLD: Sonos_{number}\x1b[2J\r\n\r\n"
                          ).encode(), (ssdp.GROUP, 1900))
            if number % 50 == 0:
                time.sleep(0.002)
        until(lambda: any("another maker" in line for line in subject.log.items), 10, "it says why it hides")
        until(lambda: not shown(link, 0.5), 10, "it is hidden")
    lines = [line for line in subject.log.items if "another maker" in line]
    assert len(lines) == 1 and "\x1b" not in lines[0]
    assert subject.processor_seconds() - used < 20
    subject.device(link)


def test_when_off_no_socket_is_there_for_it(launch, make_host):
    link = make_host().link()
    subject = launch(link.host)
    subject.device(link)
    off = len([line for line in link.host.sh("ss", "-Hlun", "sport = :1900").split("\n") if line.strip()])
    assert not listeners(link.host) and off <= 2
    assert not ask(link, f"M-SEARCH * HTTP/1.1\r\n{GROUP}\r\nMX: 1\r\nST: ssdp:all\r\n\r\n", seconds=2)


# Who may ask

def test_host_names_of_strangers_are_refused(zone, zone_link):
    for name in ("evil.example", "evil.example:1400", "10.99.1.99", "@"):
        assert plain.get(base(zone_link) + "/status/info", host=name).status in (400, 403, 412), name
        answer = soap(zone_link, "/MediaRenderer/RenderingControl/Control", "SetVolume",
                      VOLUME + "<DesiredVolume>1</DesiredVolume>", host=name)
        assert answer.status in (400, 403, 412), name
        answer = plain.request("SUBSCRIBE", base(zone_link) + "/MediaRenderer/AVTransport/Event",
                               {"CALLBACK": f"<http://{zone_link.phone}:1/>", "NT": "upnp:event"}, host=name)
        assert answer.status in (400, 403, 412), name
    assert plain.get(base(zone_link) + "/status/info", host=zone_link.speaker).status == 200


def test_a_page_of_somebody_else_changes_nothing(zone, zone_link):
    """A browser sends these types without asking first."""
    for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"):
        answer = soap(zone_link, "/MediaRenderer/RenderingControl/Control", "SetVolume",
                      VOLUME + "<DesiredVolume>1</DesiredVolume>", type, {"Origin": "http://evil.example"})
        assert answer.status == 415, type
    answer = plain.request("OPTIONS", base(zone_link) + "/MediaRenderer/RenderingControl/Control", {"Origin": "http://evil.example"})
    assert answer.status == 405 and answer["access-control-allow-origin"] is None
    assert plain.get(base(zone_link) + "/status/info")["access-control-allow-origin"] is None


def test_subscribers_elsewhere_are_refused(zone, zone_link):
    answer = plain.request("SUBSCRIBE", base(zone_link) + "/ZoneGroupTopology/Event",
                           {"CALLBACK": "<http://192.0.2.99:80/>", "NT": "upnp:event"})
    assert answer.status in (400, 403, 412)


def test_strangers_from_elsewhere_are_not_served(make_host, launch):
    host = make_host()
    link = host.link()
    foreign = "10.99.8.9"
    netns.sh("ip", "addr", "add", f"{foreign}/32", "dev", "lo")
    host.sh("ip", "route", "add", foreign, "via", link.phone)
    try:
        subject = launch(host, settings=SETTINGS)
        until(lambda: shown(link), 20, "it shows itself")
        try:
            assert plain.get(base(link) + "/status/info", source=(foreign, 0), timeout=5).status == 403
        except (ConnectionError, OSError):
            pass
        assert plain.get(base(link) + "/status/info").status == 200
        subject.terminate()
        launch(host, "friend", settings={**SETTINGS, "network": {"allow": ["10.99.8.0/24"]}})
        until(lambda: shown(link), 20, "it shows itself")
        assert plain.get(base(link) + "/status/info", source=(foreign, 0)).status == 200
    finally:
        netns.sh("ip", "addr", "del", f"{foreign}/32", "dev", "lo", check=False)


# Documents

def test_every_document(zone, zone_link, player):
    def get(path):
        return plain.get(base(zone_link) + path)

    icon = get("/img/icon-S18.png")
    assert icon.status == 200 and icon["content-type"] == "image/png" and icon.body.startswith(b"\x89PNG")
    for path in ("/info", "/status/info"):
        info = json.loads(get(path).text)
        assert info["householdId"] == player.household_id and info["playerId"] == player.uid
        assert info["device"]["id"] == player.uid and info["device"]["name"] == "Kitchen & Co"
        assert isinstance(info["device"]["capabilities"], list) and info["groupId"].startswith(player.uid)
        assert "websocket" not in get(path).text
    part = ET.fromstring(get("/status/zp").text).find("ZPInfo")
    assert part.findtext("ZoneName") == "Kitchen & Co" and part.findtext("LocalUID") == player.uid
    assert part.findtext("SerialNumber") and part.findtext("SoftwareVersion")
    member = ET.fromstring(get("/status/topology").text).find("ZonePlayers/ZonePlayer")
    assert member.attrib["uuid"] == player.uid and member.attrib["coordinator"] == "true" and member.text == "Kitchen & Co"
    assert member.attrib["location"] == base(zone_link) + "/xml/device_description.xml"
    accounts = ET.fromstring(get("/status/accounts").text)
    assert accounts.find("Accounts").attrib["LastUpdateDevice"] == player.uid
    assert get("/support/review").status == 200
    assert get("/spotifyzc?action=getInfo").status == 200
    for path in ("/status/batterystatus", "/", "/status", "/api/v1", "/art/0", "/status/../../etc/passwd", "/getaa", "/getaa?u="):
        assert get(path).status in (400, 404), path
    assert plain.request("POST", base(zone_link) + "/info", {}, b"").status == 405


def test_covers_of_what_is_in_the_queue_and_of_nothing_else(zone, zone_link, zone_media, player):
    from soco.data_structures import DidlMusicTrack, DidlResource
    cover = zone_media.add("/art/cover.png", PNG, "image/png")
    secret = zone_media.add("/art/secret.png", PNG, "image/png")
    track = zone_media.base + "/with cover & more.wav?x=1"

    def getaa(uri):
        return plain.get(base(zone_link) + "/getaa?s=1&u=" + urllib.parse.quote(uri, safe="") + "&v=3")

    assert getaa(track).status == 404
    place = player.add_to_queue(DidlMusicTrack(
        title="With a cover", parent_id="-1", item_id="-1", album_art_uri=cover,
        resources=[DidlResource(uri=track, protocol_info="http-get:*:audio/wav:*")]))
    try:
        answer = getaa(track)
        assert answer.status == 200 and answer["content-type"] == "image/png" and answer.body == PNG
        assert "max-age" in answer["cache-control"]
        for uri in (secret, cover, "http://127.0.0.1:1/", "file:///etc/passwd", "x-rincon-queue:x#0", "%", ""):
            assert getaa(uri).status == 404, uri
        assert not [request.path for request in zone_media.requests.items if "secret" in request.path]
    finally:
        player.remove_from_queue(place - 1)



# Its name

def test_a_renamed_room_has_that_name_everywhere(launch, make_host):
    """Also after a restart, until the configuration names another one."""
    link = make_host().link()
    subject = launch(link.host, friendly_name="", settings={**SETTINGS, "device": {"room": "Kitchen"}})
    until(lambda: shown(link), 20, "it shows itself")

    def names():
        device = subject.device(link)
        room = openhome.Speaker.of(subject, link).product("Product")["Room"]
        page = json.loads(plain.get(f"http://{link.speaker}:{plain.split(device.location)[1]}/api/v1/player").text)
        return room, device.name, page["name"], json.loads(plain.get(base(link) + "/info").text)["device"]["name"]

    assert names() == ("Kitchen",) * 4
    path = "/DeviceProperties/Control"
    assert soap(link, path, "SetZoneAttributes", "<DesiredZoneName>Bath &amp; Bed</DesiredZoneName>").status == 200
    until(lambda: names() == ("Bath & Bed",) * 4, 10, "all have the new name")
    assert soap(link, path, "SetZoneAttributes", f"<DesiredZoneName>{'x' * 64}</DesiredZoneName>").status == 500
    subject.terminate()
    subject.start()
    until(lambda: shown(link), 20, "it shows itself")
    assert names() == ("Bath & Bed",) * 4
    subject.terminate()
    subject.settings["device"]["room"] = "Attic"
    subject.start()
    until(lambda: shown(link), 20, "it shows itself")
    assert names() == ("Attic",) * 4


def test_damaged_notes_keep_it_from_nothing(launch, make_host):
    """What the zone keeps is text in the state; whatever stands there, it starts."""
    link = make_host().link()
    subject = launch(link.host, settings=SETTINGS)
    until(lambda: shown(link), 20, "it shows itself")
    assert soap(link, "/SystemProperties/Control", "SetString",
                "<VariableName>a</VariableName><StringValue>1</StringValue>").status == 200
    for text in ("name " + "x" * 100_000 + "\n" + "string " * 5000, "\n" * 5000 + "dark\nnonsense %ff %\nname %00%0a\nicon <a>&"):
        subject.terminate()
        with sqlite3.connect(next(subject.folder.rglob("state.db"))) as state:
            assert state.execute("UPDATE setting SET value = ? WHERE name = 'zone'", (text,)).rowcount == 1
        state.close()
        subject.start()
        until(lambda: shown(link), 20, "it shows itself")
        for path in ("/info", "/status/zp", "/xml/device_description.xml"):
            assert plain.get(base(link) + path).status == 200
        ET.fromstring(plain.get(base(link) + "/status/zp").text)
        assert soap(link, "/DeviceProperties/Control", "SetLEDState", "<DesiredLEDState>Off</DesiredLEDState>").status == 200
        assert soap(link, "/DeviceProperties/Control", "SetLEDState", "<DesiredLEDState>On</DesiredLEDState>").status == 200
