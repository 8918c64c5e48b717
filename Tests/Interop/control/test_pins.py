"""Favourites (OpenHome Pins:1) by what Home Assistant uses, by plain SOAP, and by the command line."""

import json
import time
from urllib.parse import quote

import aiohttp
import pytest
from kit import openhome, sound, vireoctl
from kit.vireoctl import NO_INPUT, REFUSED, USAGE, Vireoctl
from kit.waiting import until
from openhomedevice.device import Device

KINDS = ["transport", "url", "radio", "playlist", "server"]


@pytest.fixture
def pinned(speaker):
    speaker.clear_pins()
    yield speaker
    speaker.clear_pins()


@pytest.fixture
def station(oh_media, tmp_path):
    return oh_media.add("/pinned", sound.mp3(sound.noise(4, seed=9), folder=tmp_path), "audio/mpeg", mode="icy", rate=24000,
                        metaint=16000, titles=("A - Song",), station="Pinned")


def stream(address):
    return f"url://stream?path={quote(address, safe='')}&version=1"


async def test_home_assistant_reads_and_invokes_them(pinned, station):
    pinned.set_pin(2, stream(station), "Bird & Co", art="http://192.0.2.1/b.png")
    pinned.set_pin(11, "transport://source?id=Radio&version=1", "The radio")
    async with aiohttp.ClientSession() as session:
        device = Device(pinned.location, session)
        await device.init()
        assert device.pins_enabled
        pins = await device.pins()
        assert [(pin["index"], pin["title"], pin["artworkUri"]) for pin in pins] == [
            (3, "Bird & Co", "http://192.0.2.1/b.png"), (12, "The radio", "")]
        await device.invoke_pin(3)
        for _ in range(80):
            if await device.transport_state() == "Playing":
                break
            time.sleep(0.1)
        assert (await device.source())["type"] == "Radio"
        assert await device.transport_state() == "Playing"


def test_what_it_says_of_itself(pinned):
    assert pinned.pins("GetDeviceMax")["DeviceMax"] == "12"
    assert pinned.pins("GetAccountMax")["AccountMax"] == "0"
    assert json.loads(pinned.pins("GetModes")["Modes"]) == KINDS
    assert pinned.pins("GetCloudConnected")["CloudConnected"] in ("0", "false")
    assert "Pins" in pinned.product("Attributes")["Value"].split()
    assert pinned.pin_ids() == [0] * 12


def test_changes_are_told_merged(pinned, oh_link):
    watch = openhome.Watch(pinned, oh_link.phone, ("Pins",), name="pins")
    try:
        for index in range(12):
            pinned.set_pin(index, f"radio://preset?id={index + 1}&version=1")
        ids = pinned.pin_ids()
        event = watch.events.wait(lambda e: json.loads(e.properties.get("IdArray", "[]")) == ids, 5, "all of them")
        assert event.seq <= 12
        assert len(set(ids)) == 12
    finally:
        watch.close()


@pytest.mark.parametrize("index, mode, uri, code", [
    (12, "url", stream("http://192.0.2.1/"), 801), (0, "qobuz", "qobuz://album?id=1&version=1", 803), (0, "url", "", 806),
    (0, "url", "url://stream?path=a", 806), (0, "url", "url://stream?path=a&version=2", 806),
    (0, "url", stream("http://192.0.2.1/" + "a" * 600), 806)])
def test_what_is_refused(pinned, index, mode, uri, code):
    more = {"Mode": mode, "Type": "x", "Uri": uri, "Title": "", "Description": "", "ArtworkUri": "", "Shuffle": 0}
    assert pinned.refusal("Pins", "SetDevice", Index=index, **more) == code
    assert pinned.refusal("Pins", "SetAccount", Index=0, **more) == 801
    assert pinned.pin_ids() == [0] * 12


def test_nothing_to_play_is_said_at_once_where_it_is_known(pinned):
    for uri, code in (("playlist://stored?id=1&version=1", 805), ("radio://preset?id=99&version=1", 805),
                      ("transport://source?id=Tape&version=1", 805), ("url://stream?path=gopher%3A%2F%2Fa&version=1", 805),
                      ("url://other?path=a&version=1", 806)):
        mode = uri.split(":")[0]
        assert pinned.refusal("Pins", "InvokeUri", Mode=mode, Type="x", Uri=uri, Shuffle=0) == code, uri
    assert pinned.refusal("Pins", "InvokeIndex", Index=0) == 805
    assert pinned.refusal("Pins", "InvokeId", Id=7) == 802


def test_presets_and_sources(pinned):
    number = pinned.ids("Radio")[0]
    pinned.pins("InvokeUri", Mode="radio", Type="preset", Uri=f"radio://preset?id={number}&version=1", Shuffle=0)
    assert (pinned.source(), pinned.radio("Id")["Value"]) == ("Radio", str(number))
    pinned.pins("InvokeId", Id=pinned.set_pin(0, "transport://source?id=Playlist&version=1"))
    assert pinned.source() == "Playlist"


@pytest.mark.skipif(vireoctl.program() is None, reason="vireoctl isn't built")
def test_the_command_line(pinned, station, tmp_path):
    ctl = Vireoctl(tmp_path, "-r", pinned.location)
    assert ctl.json("pins") == []
    ctl("pins", "set", 2, station, "--title", "Bird", "--art", "http://192.0.2.1/b.png")
    ctl("pins", "set", 5, "http://192.0.2.1/other", "--shuffle")
    listed = ctl.json("pins")
    assert [(pin["number"], pin["title"], pin["mode"], pin["shuffle"]) for pin in listed] == [
        (2, "Bird", "url", False), (5, "http://192.0.2.1/other", "url", True)]
    assert listed[0]["art"] == "http://192.0.2.1/b.png" and station in ctl("pins")
    ctl("pins", "play", "bird")
    until(lambda: ctl("status") == "Playing", 10, "the station")
    assert ctl.json("status")["uri"] == station
    ctl("pins", "swap", 2, 12)
    assert [pin["number"] for pin in ctl.json("pins")] == [5, 12]
    # The beginning of a title isn't enough to remove one; it is said what may be meant.
    nearly = ctl.run("pins", "clear", "b")
    assert nearly.returncode == NO_INPUT and "12  Bird" in nearly.stderr
    assert [pin["number"] for pin in ctl.json("pins")] == [5, 12]
    ctl("pins", "clear", "bird")
    assert [pin["number"] for pin in ctl.json("pins")] == [5]
    ctl("pins", "play", "--id", ctl.json("pins")[0]["id"])
    ctl("pins", "clear", "--id", 4294967295, status=NO_INPUT)
    ctl("pins", "clear", status=USAGE)
    for words, status in ((["clear", "9"], NO_INPUT), (["play", "Bird"], NO_INPUT), (["set", "13", station], NO_INPUT),
                          (["swap", "0", "1"], NO_INPUT), (["set", "1", "/etc/hostname"], USAGE)):
        ctl("pins", *words, status=status)
    ctl("pins", "set", 1, "http://192.0.2.1/" + "a" * 600, status=USAGE)
    pinned.set_pin(0, "playlist://stored?id=1&version=1", "Evening")
    refused = ctl.run("pins", "play", "Evening")
    assert refused.returncode == REFUSED and "805" in refused.stderr
