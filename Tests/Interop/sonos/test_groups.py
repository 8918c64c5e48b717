"""Several speakers with zones: one household, one list of groups, and groups that SoCo makes and ends."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import soco
from kit import media_server, sound
from kit.openhome import Speaker
from kit.subject import switches
from kit.waiting import until
from kit.zone import ZONE, search
from kit.zones import Zone, groups

sys.path.append(str(Path(__file__).resolve().parents[2] / "Rooms"))

from bench.house import House  # noqa: E402

NAMES = ("Kitchen & Co", "Bath", "Hall")


@pytest.fixture
def house(tmp_path):
    made = []

    def make(rooms):
        made.append(House(rooms))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def start(launch):
    """Starts the speaker of a room, and returns it with its zone."""
    def begin(house, number, folder=None, **settings):
        subject = launch(house.hosts[number], folder or f"zone-{number}", friendly_name=NAMES[number], settings={
            "device": {"room": NAMES[number]}, "sonos": {"enabled": True}, "audio": {"release-after": "1h"},
            "volume": {"initial": 20}, **settings})
        return subject, Zone(house.ports[number].speaker)

    return begin


@pytest.fixture
def zones(house, start):
    """Three zones of one household."""
    place = house(3)
    started = [start(place, number) for number in range(3)]
    all_zones = [zone for _, zone in started]
    wait_groups(all_zones, [[name] for name in NAMES], 30)
    for zone, (subject, _) in zip(all_zones, started):
        zone.subject = subject
    all_zones[0].house = place
    return all_zones


@pytest.fixture
def media(zones):
    server = media_server.MediaServer(zones[0].house.address)
    yield server
    server.close()


def wait_groups(zones, wanted, seconds=8):
    """Waits until all of them tell the same, and that these are the groups."""
    wanted = sorted(map(sorted, wanted))

    def told():
        documents = [zone.document for zone in zones]
        # The same document in each of them, to the last byte.
        return len(set(documents)) == 1 and sorted(map(sorted, (groups(documents[0]) or {}).values())) == wanted

    def show():
        return [groups(zone.document) for zone in zones]
    try:
        until(told, seconds, "the groups")
    except AssertionError as error:
        raise AssertionError(f"{wanted} wanted; they say {show()}") from error


def controllers(zones):
    """The zones as SoCo sees them, which forgets what it has read."""
    players = [soco.SoCo(zone.address) for zone in zones]
    for player in players:
        player.zone_group_state.clear_cache()
        # Otherwise it takes the zone for the one that an earlier test had at this address.
        player.zone_group_state.poll(player)
    return players


def fill(zone, media, count=3, seconds=120):
    player = soco.SoCo(zone.address)
    from soco.data_structures import DidlMusicTrack, DidlResource
    data = sound.wav(sound.noise(seconds, rate=8000, channels=1), rate=8000)
    for number in range(1, count + 1):
        address = media.add(f"/{number}.wav", data, "audio/wav")
        player.add_to_queue(DidlMusicTrack(
            title=f"Title {number} & <more>", parent_id="-1", item_id="-1", creator="Artist",
            resources=[DidlResource(uri=address, protocol_info="http-get:*:audio/wav:*", duration="0:02:00")]))
    return player


def test_three_zones_are_one_household(zones, start):
    assert len({zone.household for zone in zones}) == 1
    place = zones[0].house
    found = soco.discover(timeout=3, interface_addr=place.address)
    assert {player.player_name for player in found} == set(NAMES)
    # It outlives each of them, and the one whose name it was.
    household = zones[0].household
    for zone in zones:
        zone.subject.terminate()
        zone.subject.start()
    # None shows itself within eleven seconds of its end.
    wait_groups(zones, [[name] for name in NAMES], 40)
    assert {zone.household for zone in zones} == {household}
    zones[1].subject.terminate()
    wait_groups([zones[0], zones[2]], [[NAMES[0]], [NAMES[2]]])


def test_join_and_unjoin(zones, media):
    kitchen, bath, hall = controllers(zones)
    fill(zones[0], media)
    kitchen.play_from_queue(0)
    subscriptions = [player.zoneGroupTopology.subscribe() for player in (kitchen, bath, hall)]
    transport = bath.avTransport.subscribe()
    try:
        for subscription in (*subscriptions, transport):
            subscription.events.get(timeout=3)
        start = time.monotonic()
        bath.join(kitchen)
        for subscription in subscriptions:
            event = until(lambda s=subscription: next(
                (e for e in _events(s) if _joined(e.variables["zone_group_state"], kitchen, bath)), None), 5, "an event of each zone")
            assert event
        assert time.monotonic() - start < 4
        event = until(lambda: next((e for e in _events(transport) if e.variables["av_transport_uri"].startswith("x-rincon:")), None),
                      4, "the joiner's own event")
        assert event.variables["av_transport_uri"] == f"x-rincon:{kitchen.uid}"
    finally:
        for subscription in (*subscriptions, transport):
            subscription.unsubscribe()
    wait_groups(zones, [[NAMES[0], NAMES[1]], [NAMES[2]]])
    assert groups(zones[2].document)[kitchen.uid][0] == NAMES[0], "the coordinator first"
    assert zones[1].transport() == "PLAYING"
    assert zones[1].call("AVTransport", "GetPositionInfo")["TrackURI"] == f"x-rincon:{kitchen.uid}"
    assert zones[1].fault("AVTransport", "Pause") == 800
    assert zones[1].fault("AVTransport", "Seek", Unit="REL_TIME", Target="0:00:10") == 701
    assert zones[1].fault("AVTransport", "SetPlayMode", NewPlayMode="SHUFFLE") == 712
    assert zones[1].fault("GroupRenderingControl", "GetGroupVolume") == 701
    bath.volume = 33
    assert zones[1].volume() == 33
    # A member stands for its group.
    hall.join(bath)
    wait_groups(zones, [NAMES])
    for player in (bath, hall):
        player.unjoin()
    wait_groups(zones, [[name] for name in NAMES])
    assert zones[0].transport() == "PLAYING" and zones[1].transport() == "STOPPED"
    assert zones[1].call("AVTransport", "GetMediaInfo")["CurrentURI"] == f"x-rincon-queue:{bath.uid}#0"
    bath.unjoin()
    for uid in (bath.uid, "RINCON_AAAAAAAAAAAA01400"):
        assert zones[1].fault("AVTransport", "SetAVTransportURI", CurrentURI=f"x-rincon:{uid}", CurrentURIMetaData="") == 701


def _events(subscription):
    while not subscription.events.empty():
        yield subscription.events.get()


def _joined(document, host, member):
    found = groups(document)
    return len(found) == 2 and len(found.get(host.uid, [])) == 2 and member.uid not in found


def test_the_whole_house(zones, media):
    players = controllers(zones)
    fill(zones[0], media)
    players[0].play_from_queue(1)
    players[0].partymode()
    wait_groups(zones, [NAMES])
    ids = {groups(zone.document).keys() and zone.call("ZoneGroupTopology", "GetZoneGroupAttributes")["CurrentZoneGroupID"]
           for zone in zones}
    assert len(ids) == 1 and ids.pop().startswith(players[0].uid + ":")
    for zone, volume in zip(zones, (10, 20, 30)):
        zone.call("RenderingControl", "SetVolume", Channel="Master", DesiredVolume=volume)
    group = players[0].group
    until(lambda: group.volume == 20, 4, "the group's volume")
    group.volume = 40
    assert [zone.volume() for zone in zones] == [20, 40, 60] and group.volume == 40
    assert group.set_relative_volume(-20) == 20 and [zone.volume() for zone in zones] == [10, 20, 30]
    group.mute = True
    assert group.mute and all(zone.call("RenderingControl", "GetMute", Channel="Master")["CurrentMute"] == "1" for zone in zones)
    group.mute = False
    assert not any(int(zone.call("RenderingControl", "GetMute", Channel="Master")["CurrentMute"]) for zone in zones)


def test_a_coordinator_leaves_and_the_others_play_on(zones, media):
    players = controllers(zones)
    fill(zones[0], media)
    players[0].play_mode = "REPEAT_ALL"
    players[0].play_from_queue(1)
    players[0].seek("0:00:40")
    players[0].partymode()
    wait_groups(zones, [NAMES])
    titles = zones[0].titles()
    left = zones[0].call("AVTransport", "BecomeCoordinatorOfStandaloneGroup")
    new = next(zone for zone in zones[1:] if zone.uid == left["DelegatedGroupCoordinatorID"])
    wait_groups(zones, [[NAMES[0]], NAMES[1:]])
    assert next(iter(groups(zones[0].document)[new.uid])) == NAMES[zones.index(new)]
    assert new.titles() == titles and zones[0].titles() == titles
    place = new.call("AVTransport", "GetPositionInfo")
    assert place["Track"] == "2" and place["RelTime"] >= "0:00:40", place
    assert new.call("AVTransport", "GetTransportSettings")["PlayMode"] == "REPEAT_ALL"
    until(lambda: new.transport() == "PLAYING", 5, "it plays on")
    assert zones[0].transport() == "STOPPED"
    other = next(zone for zone in zones[1:] if zone is not new)
    assert other.call("AVTransport", "GetPositionInfo")["TrackURI"] == f"x-rincon:{new.uid}"
    # And so it goes on, this time within the group.
    new.call("AVTransport", "DelegateGroupCoordinationTo", NewCoordinator=other.uid, RejoinGroup=1)
    wait_groups(zones, [[NAMES[0]], NAMES[1:]])
    assert list(groups(zones[0].document)) == sorted((zones[0].uid, other.uid))
    until(lambda: other.transport() == "PLAYING", 5, "the other plays on")
    assert new.call("AVTransport", "GetPositionInfo")["TrackURI"] == f"x-rincon:{other.uid}"


def test_a_coordinator_joins_another_group(zones, media):
    players = controllers(zones)
    fill(zones[0], media)
    players[0].play_from_queue(2)
    players[1].join(players[0])
    wait_groups(zones, [[NAMES[0], NAMES[1]], [NAMES[2]]])
    players[0].join(players[2])
    wait_groups(zones, [[NAMES[0], NAMES[2]], [NAMES[1]]])
    until(lambda: zones[1].transport() == "PLAYING", 5, "the one that was left plays on")
    assert zones[1].call("AVTransport", "GetPositionInfo")["Track"] == "3" and zones[1].titles() == zones[0].titles()


@pytest.mark.slow
def test_nothing_runs_while_nothing_happens(zones):
    def woken():
        before = [switches(zone.subject.pid) for zone in zones]
        time.sleep(5)
        return [sum(count - old.get(thread, count) for thread, count in switches(zone.subject.pid).items())
                for zone, old in zip(zones, before)]
    # The announcements of the start take a few seconds. After them, one may come, or the renewal of a subscription.
    until(lambda: max(woken()) <= 1, 40, "they rest")


def test_what_is_asked_of_a_group_at_once(zones, media):
    """A controller goes on as soon as a zone has answered: the others know by then who has come and gone."""
    kitchen, bath, hall = controllers(zones)
    fill(zones[0], media)
    kitchen.play_from_queue(1)
    until(lambda: zones[0].transport() == "PLAYING", 5, "it plays")
    # So soco-cli hands what plays to another room.
    bath.join(kitchen)
    kitchen.unjoin()
    wait_groups(zones, [[name] for name in NAMES])
    until(lambda: zones[1].transport() == "PLAYING", 5, "the other one plays on")
    assert zones[0].transport() == "STOPPED" and zones[1].titles() == zones[0].titles()
    # And so it takes all groups apart: what played plays on in one room.
    for player in (kitchen, hall):
        player.join(bath)
    wait_groups(zones, [NAMES])
    for player in (kitchen, hall, bath):
        player.unjoin()
    wait_groups(zones, [[name] for name in NAMES])
    assert [zone.transport() for zone in zones] == ["STOPPED", "PLAYING", "STOPPED"]
    # A room that another one takes over isn't handed anything by the group that it was in.
    hall.join(bath)
    wait_groups(zones, [[NAMES[0]], NAMES[1:]])
    for player in (hall, bath):
        player.join(kitchen)
    wait_groups(zones, [NAMES])
    assert zones[2].call("AVTransport", "GetPositionInfo")["TrackURI"] == f"x-rincon:{kitchen.uid}"


@pytest.mark.slow
def test_who_gets_another_address_stays_in_its_group(zones, media):
    place = zones[0].house
    players = controllers(zones)
    fill(zones[0], media)
    players[0].play_from_queue(0)
    players[0].partymode()
    wait_groups(zones, [NAMES])
    for number, zone in enumerate(zones):
        old, new = zone.address, f"10.88.0.{101 + number}"
        place.hosts[number].sh("ip", "addr", "del", f"{old}/24", "dev", "room")
        place.hosts[number].sh("ip", "addr", "add", f"{new}/24", "dev", "room")
        zone.address = new
        wait_groups(zones, [NAMES], 20)
        until(lambda new=new, old=old: all(new in (z.document or "") and f"{old}:" not in z.document for z in zones), 20,
              "everybody knows where it is")
        for other in zones:
            until(lambda other=other: other.transport() == "PLAYING", 10, "it is heard")
    players = [soco.SoCo(zone.address) for zone in zones]
    players[1].zone_group_state.clear_cache()
    players[1].unjoin()
    wait_groups(zones, [[NAMES[0], NAMES[2]], [NAMES[1]]])


def test_rooms_that_are_put_together_elsewhere_are_groups_too(zones):
    place = zones[0].house
    speakers = [Speaker.of(zone.subject, place.ports[number]) for number, zone in enumerate(zones)]
    metadata = speakers[2].action("Sender", "Metadata")["Value"]
    start = metadata.index("ohz://")
    speakers[0].action("Receiver", "SetSender", Uri=metadata[start:metadata.index("<", start)], Metadata=metadata)
    speakers[0].action("Receiver", "Play")
    wait_groups(zones, [[NAMES[0], NAMES[2]], [NAMES[1]]])
    speakers[0].action("Receiver", "Stop")
    wait_groups(zones, [[name] for name in NAMES])


@pytest.mark.slow
def test_who_is_killed_is_missed(zones, media):
    players = controllers(zones)
    fill(zones[0], media)
    players[0].play_from_queue(0)
    players[0].partymode()
    wait_groups(zones, [NAMES])
    until(lambda: zones[0].transport() == "PLAYING", 5, "it plays")
    time.sleep(1.5)
    # A member.
    zones[1].subject.kill()
    wait_groups([zones[0], zones[2]], [[NAMES[0], NAMES[2]]], 40)
    zones[1].subject.start()
    wait_groups(zones, [NAMES], 40)  # It listened, so it listens again.
    # The coordinator.
    zones[0].subject.kill()
    wait_groups(zones[1:], [[NAMES[1]], [NAMES[2]]], 40)
    for zone in zones[1:]:
        zone.call("AVTransport", "BecomeCoordinatorOfStandaloneGroup")
        assert zone.transport() == "STOPPED"


def test_who_comes_later_belongs_to_the_household_that_is_there(house, start):
    place = house(3)
    _, first = start(place, 0)
    until(lambda: first.document, 20, "the first")
    _, second = start(place, 1)
    wait_groups([first, second], [[NAMES[0]], [NAMES[1]]], 25)
    household = first.household
    assert second.household == household
    subject, third = start(place, 2)
    wait_groups([first, second, third], [[name] for name in NAMES], 25)
    assert {zone.household for zone in (first, second, third)} == {household}
    # It is remembered by one that is alone later.
    subject.terminate()
    place.hosts[2].sh("ip", "link", "set", "room", "down")
    subject.start()
    place.hosts[2].sh("ip", "link", "set", "room", "up")
    until(lambda: third.document and third.household == household, 20, "the same household")


def test_a_configured_household_is_everybodys(house, start):
    place = house(2)
    household = "Sonos_zzzzzzzzzzzzzzzzzzzzzzzzzz"
    _, first = start(place, 0)
    until(lambda: first.document, 20, "the first")
    _, second = start(place, 1, sonos={"enabled": True, "household": household})
    wait_groups([first, second], [[NAMES[0]], [NAMES[1]]], 30)
    assert first.household == second.household == household
    answers = ssdp_answers(place)
    assert {answer["X-RINCON-HOUSEHOLD"] for answer in answers} == {household}


def ssdp_answers(place):
    from kit.zone import ask

    class Phone:
        phone = place.address
    found = {}
    for answer in ask(Phone, search(), seconds=2):
        found[answer["LOCATION"]] = answer
    return list(found.values())


def _foreign(place, household):
    """A zone of another maker on the third machine, which announces itself and has a description of its own."""
    address = place.ports[2].speaker
    return subprocess.Popen(place.hosts[2].wrap(sys.executable, "-c", f"""
import http.server, socket, threading, time
class Description(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'<root xmlns="urn:schemas-upnp-org:device-1-0"><device><deviceType>{ZONE}</deviceType><friendlyName>x</friendlyName><manufacturer>Somebody</manufacturer><modelName>x</modelName><UDN>uuid:RINCON_0000000000FF01400</UDN></device></root>'
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("{address}", 1400), Description)
threading.Thread(target=server.serve_forever, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("{address}", 0))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("{address}"))
while True:
    s.sendto(("NOTIFY * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900\\r\\nNT: {ZONE}\\r\\nNTS: ssdp:alive\\r\\n"
              "LOCATION: http://{address}:1400/xml/device_description.xml\\r\\nSERVER: Linux UPnP/1.0 Sonos/85.0-64200 (ZPS18)\\r\\n"
              "USN: uuid:RINCON_0000000000FF01400::{ZONE}\\r\\nX-RINCON-HOUSEHOLD: {household}\\r\\n\\r\\n").encode(), ("239.255.255.250", 1900))
    time.sleep(1)
"""))


def test_two_hide_beside_another_makers_household(house, start):
    place = house(3)
    subjects, both = zip(*(start(place, number) for number in range(2)))
    wait_groups(both, [[NAMES[0]], [NAMES[1]]], 30)
    foreign = _foreign(place, "Sonos_somebodyelseshouseholdabc")
    try:
        for subject in subjects:
            until(lambda subject=subject: any("Sonos_somebodyelse" in line for line in subject.log.items), 10, "it says why it hides")
        until(lambda: not [a for a in ssdp_answers(place) if place.ports[2].speaker not in a["LOCATION"]], 10, "nobody answers")
    finally:
        foreign.kill()
        foreign.wait()


def test_a_flood_of_zones_causes_few_questions(house, start):
    place = house(3)
    _, zone = start(place, 0)
    until(lambda: zone.document, 20, "it shows itself")
    address = place.ports[2].speaker
    script = f"""
import http.server, socket, threading, time
count = 0
class Description(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global count
        count += 1
        self.send_error(500)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("{address}", 1400), Description)
threading.Thread(target=server.serve_forever, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("{address}", 0))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("{address}"))
for number in range(2000):
    uid = f"RINCON_{{number:012X}}01400"
    s.sendto((f"NOTIFY * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900\\r\\nNT: {ZONE}\\r\\nNTS: ssdp:alive\\r\\n"
              "LOCATION: http://{address}:1400/xml/device_description.xml\\r\\n"
              f"USN: uuid:{{uid}}::{ZONE}\\r\\nX-RINCON-HOUSEHOLD: {zone.household}\\r\\n\\r\\n").encode(), ("239.255.255.250", 1900))
    time.sleep(0.001)
time.sleep(6)
print(count)
"""
    done = subprocess.run(place.hosts[2].wrap(sys.executable, "-c", script), capture_output=True, text=True, timeout=60, check=True)
    # Sixteen at once and one more every other second, each of which is tried twice.
    assert 1 <= int(done.stdout) <= 2 * (16 + 6), done.stdout
    assert groups(zone.document) == {zone.uid: [NAMES[0]]}


def test_without_rooms_there_are_no_groups(house, start):
    place = house(2)
    _, first = start(place, 0)
    _, second = start(place, 1, rooms={"enabled": False})
    wait_groups([first, second], [[NAMES[0]], [NAMES[1]]], 30)
    for zone, other in ((first, second), (second, first)):
        assert zone.fault("AVTransport", "SetAVTransportURI", CurrentURI=f"x-rincon:{other.uid}", CurrentURIMetaData="") == 701
