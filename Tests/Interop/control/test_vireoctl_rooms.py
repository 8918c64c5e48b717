"""`vireoctl rooms`: groups of rooms that are scripted, and of our own daemons."""

import asyncio
import json

import aiohttp
import pytest
from kit import media_server, odd_server, openhome, sound, vireoctl
from kit.rooms import Room
from kit.vireoctl import INTERRUPTED, NO_DEVICE, REFUSED, USAGE, Vireoctl
from kit.waiting import until
from openhomedevice.device import Device

pytestmark = pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")

JOINED = [("Receiver", "SetSender"), ("Receiver", "Play")]
LEFT = [("Receiver", "Stop"), ("Product", "SetSourceIndex")]


@pytest.fixture
def house(own_host):
    """Rooms by their names, on a network of their own."""
    link = own_host.link()
    street = odd_server.Street(own_host, link)
    rooms = {name: Room(street, name) for name in ("Living Room", "Kitchen", "Bath", "Office")}
    rooms["Living Room"].transport = "Playing"
    rooms["Street"] = street
    yield rooms
    street.close()


@pytest.fixture
def ctl(house, tmp_path):
    return Vireoctl(tmp_path, "--interface", house["Street"].link.phone_interface)


def told(house):
    """What the rooms were told to do since this was asked last."""
    result = {}
    for name, room in house.items():
        if name != "Street" and room.told:
            result[name], room.told = room.told, []
    return result


def test_rooms_are_listed(house, ctl):
    assert ctl("rooms").splitlines() == [
        "Bath\tstopped\t40\t\t", "Kitchen\tstopped\t40\t\t", "Living Room\tplaying\t40\t\t", "Office\tstopped\t40\t\t"]
    listed = ctl.json("rooms", "list")
    assert listed["groups"] == []
    living = next(room for room in listed["rooms"] if room["name"] == "Living Room")
    assert living["sender"] == house["Living Room"].zone_uri
    assert (living["canSend"], living["canReceive"], living["senderStatus"], living["state"], living["listens"]) == (
        True, True, "Ready", "Playing", False)
    assert told(house) == {}


def test_join_and_leave(house, ctl):
    living, kitchen, bath = house["Living Room"], house["Kitchen"], house["Bath"]
    bath.standby, bath.chooses = True, False
    # By room, by the beginning of a name, by UDN, by address, twice.
    ctl("rooms", "join", "living", "Kitchen", bath.udn, kitchen.address)
    assert told(house) == {
        "Kitchen": JOINED,
        "Bath": [JOINED[0], ("Product", "SetStandby"), ("Product", "SetSourceIndex"), JOINED[1]]}
    for member in (kitchen, bath):
        assert member.listens_to == living.zone_uri and member.metadata == living.sender
    assert ctl("rooms").splitlines() == [
        "Living Room\tplaying\t40\t\t", "  Bath\twaiting\t40\t\tLiving Room", "  Kitchen\twaiting\t40\t\tLiving Room",
        "Office\tstopped\t40\t\t"]
    assert ctl.json("rooms")["groups"] == [{"name": "Living Room", "host": living.udn, "members": [bath.udn, kitchen.udn]}]
    # Who is there stays as it is; a member leads to the one that plays.
    assert ctl.json("rooms", "join", "Kitchen", "Office", "Bath") == {"host": "Kitchen", "members": ["Office", "Bath"]}
    assert told(house) == {"Office": JOINED}
    assert house["Office"].listens_to == living.zone_uri
    # Playing is last.
    ctl("rooms", "leave", "Office")
    ctl("rooms", "join", "--play", "Living Room", "Office")
    assert told(house) == {"Office": LEFT + JOINED, "Living Room": [("Transport", "Play")]}
    done = ctl.run("rooms", "leave", "Living Room")
    assert done.returncode == REFUSED and "Bath, Kitchen, Office listen to it" in done.stderr, done.stderr
    ctl("rooms", "leave", "Bath", "Kitchen", "Office")
    assert told(house) == {name: LEFT for name in ("Bath", "Kitchen", "Office")}
    assert kitchen.source == 0 and ctl.json("rooms")["groups"] == []
    assert "listens to nobody" in ctl.run("rooms", "leave", "Kitchen").stderr
    assert told(house) == {}


def test_what_cannot_be_is_refused_before_anything_is_changed(house, ctl):
    deaf = Room(house["Street"], "Attic", lacks=("Receiver",))
    mute = Room(house["Street"], "Cellar", lacks=("Sender",))
    plain = Room(house["Street"], "Shed", lacks=("Sender", "Receiver"))
    house["Bath"].status = "Disabled"
    for words, text, status in (
            (["Kitchen", "Office", "Kitchen"], "can't listen to itself", REFUSED),
            (["Kitchen", "Office", "Attic"], "Attic can't play what other rooms send", REFUSED),
            (["Cellar", "Office"], "Cellar can't send", REFUSED),
            (["Bath", "Office"], "switched off", REFUSED),
            (["Kitchen", "Office", "Shed"], "neither", REFUSED),
            (["Kitchen", "Office", "Nowhere"], "no renderer", NO_DEVICE),
            (["Kitchen"], "Missing expected argument", USAGE)):
        done = ctl.run("rooms", "join", *words)
        assert done.returncode == status and text in done.stderr, (words, done.stderr)
    ctl("rooms", "join", "Kitchen", "Office", "Cellar")
    assert told(house) == {"Office": JOINED} and mute.told == JOINED
    done = ctl.run("rooms", "join", "Office", "Kitchen")
    assert done.returncode == REFUSED and "Office listens to Kitchen" in done.stderr
    assert told(house) == {} and deaf.told == plain.told == []
    assert "Shed" not in ctl("rooms")


def test_two_rooms_of_one_name(house, ctl):
    Room(house["Street"], "Kitchen", udn="9d5e7d8e-0000-4000-8000-000000000002")
    for words in (["join", "Living Room", "Kitchen"], ["leave", "Kitchen"], ["volume", "Kitchen", "+1"], ["watch", "Kitchen"]):
        done = ctl.run("rooms", *words)
        assert done.returncode == NO_DEVICE and "may be any of these" in done.stderr, (words, done.stderr)
        assert house["Kitchen"].udn in done.stderr
    assert told(house) == {}


def test_one_that_does_not_answer(house, ctl):
    """The others are told nevertheless."""
    ctl("rooms")
    house["Office"].close(says_goodbye=False)
    done = ctl.run("--timeout", 2, "rooms", "join", "Living Room", "Kitchen", house.pop("Office").udn)
    assert done.returncode == NO_DEVICE, done.stderr
    assert told(house) == {}
    bath = house["Bath"]
    act, bath._act = bath._act, lambda service, action, arguments: (
        bath._refuse() if action == "SetSender" else act(service, action, arguments))
    bath._refuse = lambda: (_ for _ in ()).throw(odd_server.Fault(800, "no"))
    done = ctl.run("rooms", "join", "Living Room", "Bath", "Kitchen")
    assert done.returncode == REFUSED and "Bath refused: 800 no" in done.stderr
    assert told(house) == {"Kitchen": JOINED}


def test_volume_of_a_group(house, ctl):
    living, kitchen, bath = house["Living Room"], house["Kitchen"], house["Bath"]
    ctl("rooms", "join", "Living Room", "Kitchen", "Bath")
    kitchen.volume, bath.volume, bath.limit = 10, 20, 25
    told(house)
    assert ctl("rooms", "volume", "Living Room").splitlines() == ["Living Room\t40\t", "Bath\t20\t", "Kitchen\t10\t"]
    ctl("rooms", "volume", "Living Room", "+5")
    assert (living.volume, kitchen.volume, bath.volume) == (45, 15, 25)
    # Any room of the group will do; one that is where it is to be is told nothing.
    told(house)
    changed = ctl.json("rooms", "volume", "Kitchen", "50")
    assert (changed["volume"], [room["volume"] for room in changed["rooms"]]) == (50, [50, 25, 20])
    assert set(told(house)) == {"Living Room", "Kitchen"}
    ctl("rooms", "volume", "Bath", "-100")
    assert (living.volume, kitchen.volume, bath.volume, house["Office"].volume) == (0, 0, 0, 40)
    ctl("rooms", "volume", "Living Room", "mute")
    assert living.mute and kitchen.mute and bath.mute and not house["Office"].mute
    assert ctl.json("rooms", "volume", "Bath")["mute"] is True
    ctl("rooms", "volume", "Living Room", "unmute")
    assert not living.mute and not kitchen.mute
    # A room by itself.
    ctl("rooms", "volume", "Office", "+1")
    assert house["Office"].volume == 41
    for words in (["Office", "101"], ["Office", "loud"], []):
        assert ctl.run("rooms", "volume", *words).returncode == USAGE, words


FIGURES = {"state": "playing", "offset": -35, "p95": 120, "rate": 1200, "loss": 0, "buffer": 280000, "lost": 0, "repaired": 3,
           "seen": 0.4}


def test_watch(house, ctl):
    living, kitchen, bath = house["Living Room"], house["Kitchen"], house["Bath"]
    ctl("rooms", "join", "Living Room", "Kitchen", "Bath")
    living.reports = {"sending": True, "listening": None, "listeners": [
        {"address": kitchen.address, **FIGURES}, {"address": "192.0.2.7", "state": "joining"}]}
    bath.reports = {"sending": False, "listeners": [], "listening": {**FIGURES, "offset": 12}}
    lines = ctl("rooms", "watch", "--count", "2").splitlines()
    assert lines == [
        "Living Room\tBath\tplaying\t12\t120\t0\t280000\t0\t3", "Living Room\tKitchen\tplaying\t-35\t120\t0\t280000\t0\t3",
        "Living Room\t192.0.2.7\tjoining\t\t\t\t\t\t"] * 2
    with ctl.watch("--json", "rooms", "watch", "Living Room") as watching:
        for name, offset in (("Bath", 12), ("Kitchen", -35)):
            line = json.loads(watching.lines.wait(lambda line: name in line, 10, name))  # noqa: B023
            assert (line["host"], line["room"], line["offset"], line["state"]) == ("Living Room", name, offset, "playing")
        # Who leaves is shown no more, and who joins is.
        ctl("rooms", "leave", "Kitchen")
        living.reports["listeners"] = []
        ctl("rooms", "join", "Bath", "Office")
        watching.lines.wait(lambda line: "Office" in line, 15, "the new member")
        mark = len(watching.lines.items)
        watching.lines.wait(lambda line: "Bath" in line, 5, "another round", mark)
        assert not any("Kitchen" in line for line in watching.lines.items[mark:])
        assert watching.interrupt() == INTERRUPTED


def test_nothing_to_watch(house, ctl):
    done = ctl.run("rooms", "watch", "--count", 1)
    assert (done.returncode, done.stdout) == (0, "") and "no room listens" in done.stderr
    assert ctl.run("rooms", "watch", "--count", 0).returncode == USAGE


def test_a_sender_that_is_no_room(house, ctl):
    """A program on a computer, or a room that isn't found: its listeners are shown, and others may join them."""
    kitchen = house["Kitchen"]
    kitchen.source, kitchen.transport, kitchen.uri = 2, "Playing", "ohz://239.255.255.250:51972/far"
    kitchen.metadata = house["Bath"].sender.replace("Bath", "Studio").replace(house["Bath"].zone_uri, kitchen.uri)
    assert ctl("rooms").splitlines()[:2] == ["Studio (not found)\t\t\t\t", "  Kitchen\tplaying\t40\t\tStudio (not found)"]
    assert ctl.json("rooms")["groups"] == [
        {"name": "Studio (not found)", "sender": kitchen.uri, "members": [kitchen.udn]}]
    ctl("rooms", "join", "Kitchen", "Office")
    assert (house["Office"].uri, house["Office"].metadata) == (kitchen.uri, kitchen.metadata)
    kitchen.volume = 30
    ctl("rooms", "volume", "Office", "45")
    assert (house["Office"].volume, kitchen.volume) == (45, 35)


@pytest.fixture
def pair(row, launch):
    """Two of our own in one network, found: the cables of the first and the second, and their OpenHome devices."""
    subjects = [launch(link.host, name, friendly_name=name) for name, link in zip(("Parlour", "Studio"), row, strict=True)]
    return [openhome.Speaker.of(subject, link) for subject, link in zip(subjects, row, strict=True)]


@pytest.fixture
def own_ctl(row, tmp_path):
    return Vireoctl(tmp_path, "--interface", row[0].phone_interface)


def receiver(speaker):
    return speaker.action("Receiver", "TransportState")["Value"]


def test_our_own_rooms(pair, row, own_ctl):
    parlour, studio = pair
    ctl = own_ctl
    assert {room["name"]: (room["canSend"], room["canReceive"], room["senderStatus"], room["listens"])
            for room in ctl.json("rooms")["rooms"]} == {name: (True, True, "Ready", False) for name in ("Parlour", "Studio")}
    media = media_server.MediaServer(row[0].phone)
    url = media.add("/rooms.flac", sound.flac(sound.noise(60), tags=[("TITLE", "Noise")]), "audio/flac")
    ctl("rooms", "join", "Parlour", "Studio")
    until(lambda: receiver(studio) == "Waiting", 5, "it waits for the host")
    ctl("-r", "Parlour", "play", url)
    until(lambda: receiver(studio) == "Playing", 10, "the host is heard")
    listed = until(lambda: (found := ctl.json("rooms"))["groups"] and found, 5, "the group")
    host, member = (next(room for room in listed["rooms"] if room["name"] == name) for name in ("Parlour", "Studio"))
    assert listed["groups"] == [{"name": "Parlour", "host": host["udn"], "members": [member["udn"]]}]
    assert (host["senderStatus"], host["state"], member["receiver"], member["senderStatus"]) == (
        "Sending", "Playing", host["sender"], "Inactive")
    ctl("rooms", "volume", "Studio", "50")
    ctl("-r", "Studio", "volume", 30)
    ctl("rooms", "volume", "Parlour", "-10")
    assert (parlour.action("Volume", "Volume")["Value"], studio.action("Volume", "Volume")["Value"]) == ("40", "20")
    line = until(lambda: (line := json.loads(ctl("--json", "rooms", "watch", "--count", "1"))).get("state") == "playing" and line,
                 10, "what the member reports")
    assert (line["host"], line["room"], line["udn"]) == ("Parlour", "Studio", member["udn"])
    assert abs(line["offset"]) < 100_000 and 0 <= line["loss"] <= 1000 and 0 <= line["buffer"] < 1_000_000
    ctl("rooms", "leave", "Studio")
    assert receiver(studio) == "Stopped" and ctl.json("rooms")["groups"] == []
    assert studio.product("SourceIndex")["Value"] == "0"
    until(lambda: parlour.action("Sender", "Status2")["Value"] == "Ready", 5, "nobody listens")
    assert ctl("-r", "Parlour", "status") == "Playing"
    media.close()


async def test_the_client_of_home_assistant_groups_them(pair, own_ctl):
    """openhomedevice, of whose groups vireoctl knows."""
    async with aiohttp.ClientSession() as session:
        parlour, studio = [Device(speaker.location, session) for speaker in pair]
        for device in (parlour, studio):
            await device.init()
            assert device.songcast_sender_enabled and device.songcast_receiver_enabled
        sender = await parlour.songcast_sender()
        assert await parlour.songcast_sender_status() == "Enabled"
        await studio.songcast_receiver_join(sender)
        assert await studio.songcast_receiver_sender() == sender
        assert await studio.songcast_receiver_transport_state() == "Waiting"
        assert (await studio.source())["type"] == "Receiver"
        groups = (await asyncio.to_thread(own_ctl.json, "rooms"))["groups"]
        assert [(group["name"], len(group["members"])) for group in groups] == [("Parlour", 1)]
        # It is in the group already.
        await asyncio.to_thread(own_ctl, "rooms", "join", "Parlour", "Studio")
        assert await studio.songcast_receiver_sender() == sender
        await studio.songcast_receiver_leave()
        assert await studio.songcast_receiver_sender() is None
        assert (await asyncio.to_thread(own_ctl.json, "rooms"))["groups"] == []
