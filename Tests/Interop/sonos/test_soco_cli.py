"""soco-cli's own commands, `sonos` and `sonos-discover`, in processes of their own: what they print, how they end, what they do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kit import sound
from kit.waiting import until

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("soco-cli")


def run(program, *words, home):
    """Its status, the lines that it has printed, and its complaint. There are no names here: it asks for its own in vain."""
    environment = {**os.environ, "HOME": str(home), "RES_OPTIONS": "timeout:1 attempts:1"}
    ended = subprocess.run([PROGRAMS / program, *words], capture_output=True, text=True, timeout=60, env=environment, check=False)
    return ended.returncode, [line.strip() for line in ended.stdout.splitlines() if line.strip()], ended.stderr.strip()


@pytest.fixture
def sonos(zone_link, home):
    """Runs commands, one after the other in one process, each as a list of words or a text without spaces in its words."""
    def sonos(*commands):
        words = [[zone_link.speaker, *(each.split(" ") if isinstance(each, str) else each)] for each in commands]
        return run("sonos", *[word for each in words for word in [":", *each]][1:], home=home)
    return sonos


def state(room):
    return room.state_of("Transport")


def titles(lines):
    return [re.search(r"Title: (.*?) &", line)[1] for line in lines]


def test_volume(sonos, room):
    assert sonos("volume 30", "volume", "relative_volume -5", "vol", "mute on", "mute", "mute off", "mute", "group_volume 22",
                 "gv", "group_relative_volume 3", "group_volume", "group_mute on", "group_mute", "group_mute off") \
        == (0, ["30", "25", "on", "off", "22", "25", "on"], "")
    assert (room.volume_of("Volume")["Value"], room.volume_of("Mute")["Value"]) == ("25", "0")
    status, [seconds], _ = sonos("ramp_to_volume 27")
    assert status == 0 and int(seconds) == 1
    until(lambda: room.volume_of("Volume")["Value"] == "27", 10, "it has become louder by and by")
    status, _, complaint = sonos("volume 101")
    assert status == 1 and "0 to 100" in complaint


def test_tone_and_switches(sonos, player, room):
    assert sonos("bass 3", "bass", "treble -4", "treble", "balance 10", "balance", "balance 0", "loudness off", "loudness",
                 "status_light off", "light", "buttons off", "buttons", "cross_fade on", "cross_fade") \
        == (0, ["3", "-4", "10", "off", "off", "off", "on"], "")
    assert (player.bass, player.treble, player.loudness, player.cross_fade) == (3, -4, False, True)
    assert not player.status_light and not player.buttons_enabled
    assert sonos("bass 0", "treble 0", "loudness on", "status_light on", "buttons on", "cross_fade off")[0] == 0
    assert player.balance == (100, 100)
    # A soundbar's switches, which there aren't.
    assert sonos("night_mode", "dialog_mode", "sub_enabled")[0] == 0
    assert sonos("night_mode on")[0] == 1


def test_transport(sonos, room):
    assert sonos("state", "play", "seek 0:02:00", "next", "queue_position", "previous", "queue_position", "seek_forward 30",
                 "seek_back 10", "pause", "state") == (0, ["STOPPED", "2", "1", "PAUSED_PLAYBACK"], "")
    assert 19 <= int(room.action("Time", "Time")["Seconds"]) <= 23
    status, lines, _ = sonos("track")
    assert status == 0 and lines[0] == "Playback is paused:"
    shown = dict(line.split(":", 1) for line in lines[1:])
    assert {name: text.strip() for name, text in shown.items() if name != "Elapsed"} == {
        "Artist": "An artist", "Album": "An album", "Title": "Song 1 & <more>", "Playlist Position": "1", "Duration": "0:05:00"}
    assert re.fullmatch(r"\s+0:00:[12]\d", shown["Elapsed"])
    assert sonos("pauseplay")[0] == 0
    until(lambda: state(room) == "Playing", 10, "it goes on")
    assert sonos("stop", "state") == (0, ["STOPPED"], "") and state(room) == "Stopped"
    assert sonos("play_from_queue 4")[0] == 0
    until(lambda: state(room) == "Playing" and int(room.playlist("Id")["Value"]) == room.ids()[3], 10, "the fourth plays")
    status, _, complaint = sonos("next")
    assert status == 1 and "UPnP Error 711" in complaint
    assert sonos("stop")[0] == 0
    status, _, complaint = sonos("pause")
    assert status == 1 and "UPnP Error 701" in complaint
    status, lines, _ = sonos("available_actions")
    assert status == 0 and all(f"'{word}'" in lines[0] for word in ("Play", "Pause", "Next", "Previous", "SeekTime"))


def test_modes(sonos, room):
    assert sonos("play_mode", "play_mode repeat_all", "repeat", "shuffle", "shuffle on", "play_mode", "shuffle off", "repeat one",
                 "mode", "repeat off", "mode", "play_mode shuffle_norepeat") \
        == (0, ["NORMAL", "all", "off", "SHUFFLE", "REPEAT_ONE", "NORMAL"], "")
    assert (room.playlist("Repeat")["Value"], room.playlist("Shuffle")["Value"]) == ("0", "1")
    assert sonos("mode normal")[0] == 0 and room.playlist("Shuffle")["Value"] == "0"


def test_sleep_timer(sonos, player):
    status, lines, _ = sonos("sleep_timer 1h", "sleep_timer", "sleep_timer off", "sleep_timer")
    assert status == 0 and lines[0].startswith("Sleep timer expires in 0:59:5") and lines[1].startswith("0 (No sleep timer")
    assert sonos("sleep 90s")[0] == 0 and 80 < player.get_sleep_timer() <= 90
    assert sonos("sleep off")[0] == 0 and player.get_sleep_timer() is None


def test_queue(sonos, room, songs):
    status, lines, _ = sonos("list_queue", "queue_length")
    assert status == 0 and titles(lines[:4]) == ["Song 1", "Song 2", "Song 3", "Song 4"] and lines[4] == "4"
    assert lines[0].endswith("Artist: An artist | Album: An album | Title: Song 1 & <more>")
    ids = room.ids()
    assert sonos(["add_uri_to_queue", songs[4]], ["add_uri_to_queue", songs[5], "first"], "ql") == (0, ["5", "1", "6"], "")
    assert [entry["Uri"] for entry in room.read_list(" ".join(map(str, room.ids())))] == [songs[5], *songs[:5]]
    assert sonos("remove_from_queue 1", "remove_last_track_from_queue", "ql") == (0, ["4"], "") and room.ids() == ids
    assert sonos("move_in_queue 4 1")[0] == 0 and room.ids() == [ids[3], *ids[:3]]
    assert sonos("remove_from_queue 2-3")[0] == 0 and room.ids() == [ids[3], ids[2]]
    status, _, complaint = sonos("remove_from_queue 9")
    assert status == 1 and complaint
    assert sonos("clear_queue", "ql", "list_queue") == (0, ["0"], "") and room.ids() == []
    assert sonos("clear_queue")[0] == 0


def test_playlists(sonos, room, player):
    assert sonos("save_queue Saved", "create_playlist Empty", "list_playlists") == (0, ["1: Empty", "2: Saved"], "")
    status, lines, _ = sonos("list_playlist_tracks Saved")
    assert status == 0 and titles(lines[2:]) == ["Song 1", "Song 2", "Song 3", "Song 4"]
    assert sonos("clear_queue", "add_playlist_to_queue Saved", "queue_length")[:2] == (0, ["1", "4"])
    lines = sonos("remove_from_playlist Saved 1", "lpt Saved")[1]
    assert lines[2].startswith("1: Artist: An artist | Album: An album | Title: Song 2")
    assert sonos("delete_playlist Saved", "delete_playlist Empty", "list_playlists") == (0, [], "")
    status, _, complaint = sonos("add_playlist_to_queue Saved")
    assert status == 1 and "not found" in complaint and len(room.ids()) == 4


def test_favourites(sonos, room, player, zone_station):
    assert sonos("save_queue Evening", ["add_playlist_to_favourites", "Evening", "For the evening"],
                 "play_from_queue 2", ["add_current_to_favourites", "The second"], "stop",
                 ["play_uri", "x-rincon-mp3radio" + zone_station.removeprefix("http"), "A station"],
                 ["add_current_to_favourites", "Radio & more"], "stop", "list_favourites") \
        == (0, ["1: For the evening", "2: Radio & more", "3: The second"], "")
    assert sonos("clear_queue", ["play_favourite", "Radio & more"])[0] == 0
    until(lambda: state(room) == "Playing", 10, "the station plays")
    assert room.source() == "Radio" and room.radio("Channel")["Uri"] == zone_station
    # A single track is played instead of the queue; a playlist in it.
    assert sonos(["play_favourite", "The second"])[0] == 0
    until(lambda: state(room) == "Playing", 10, "the track plays")
    assert room.source() != "Playlist" and room.ids() == []
    assert sonos("play_favourite_number 1")[0] == 0
    until(lambda: state(room) == "Playing", 10, "the playlist plays")
    assert room.source() == "Playlist" and len(room.ids()) == 4
    assert sonos(["add_favourite_to_queue", "The second"], "ql")[:2] == (0, ["5", "5"])
    assert sonos(["rename_favourite", "The second", "The other"], ["remove_favourite", "Radio & more"], "lf") \
        == (0, ["1: For the evening", "2: The other"], "")
    status, _, complaint = sonos(["play_favourite", "Nobody's"])
    assert status == 1 and "not found" in complaint


def test_stations(sonos, room, zone_station):
    assert sonos("favourite_radio_stations") == (0, ["1: A preset & more"], "")
    assert sonos(["play_favourite_radio_station", "A preset & more"])[0] == 0
    until(lambda: state(room) == "Playing", 10, "the preset plays")
    assert room.radio("Channel")["Uri"].endswith("/preset")

    def shown():
        status, lines, complaint = sonos("track", "get_channel")
        assert (status, complaint) == (0, "")
        return lines

    until(lambda: any(re.fullmatch(r"Artist: +An artist & more", line) for line in shown()), 10, "it shows the song", step=0.3)
    lines = shown()
    assert lines[0] == "Playback is in progress:" and lines[-1] == "A preset & more"
    assert any(re.fullmatch(r"Channel: +A preset & more", line) for line in lines)
    assert any(re.fullmatch(r"Title: +A song", line) for line in lines)
    assert sonos("stop", "state") == (0, ["STOPPED"], "")


def test_other_addresses(sonos, room, songs):
    assert sonos(["play_uri", songs[0], "Anything"])[0] == 0
    until(lambda: state(room) == "Playing", 10, "it plays")
    assert sonos("get_uri", "stop", "state") == (0, [songs[0], "STOPPED"], "")
    assert len(room.ids()) == 4
    status, _, complaint = sonos("play_uri x-sonos-spotify:spotify%3atrack%3a1")
    assert status == 1 and "Failed to play URI" in complaint
    status, _, complaint = sonos("add_uri_to_queue x-sonosapi-stream:s24939?sid=254&flags=8224&sn=0")
    assert status == 1 and "UPnP Error 714" in complaint


def test_a_file_of_this_computer(sonos, room, tmp_path):
    """It serves the file, plays it from the queue until it has ended, and takes it out again."""
    file = tmp_path / "A file & more.wav"
    file.write_bytes(sound.wav(sound.noise(1, rate=44100), rate=44100))
    ids = room.ids()
    assert sonos(["play_file", str(file)]) == (0, [], "")
    assert state(room) == "Stopped" and room.ids() == ids
    status, _, complaint = sonos(["play_file", str(tmp_path / "nothing.wav")])
    assert status == 1 and "not found" in complaint


def test_what_it_shows(sonos, room, player, zone_link):
    status, lines, _ = sonos("info")
    shown = dict(line.split(" = ", 1) for line in lines)
    assert status == 0 and shown["player_name"] == "Kitchen & Co" and shown["uid"] == player.uid
    assert shown["ip_address"] == zone_link.speaker and shown["model_name"] == "Vireo Player" and shown["volume"] == "20"
    assert shown["is_coordinator"] == "True" and shown["is_playing_line_in"] == "False" and shown["is_soundbar"] == "False"
    assert sonos("groups", "zones", "all_zones", "is_indexing") \
        == (0, ["Kitchen & Co:", '"Kitchen & Co"', '"Kitchen & Co"', "no"], "")
    status, lines, _ = sonos("sysinfo")
    assert status == 0 and any(zone_link.speaker in line and "Vireo Player" in line for line in lines)
    assert sonos("groupstatus")[0] == 0
    # Lists of what there isn't.
    assert sonos("alarms", "libraries", "list_albums", "list_artists", ["search_tracks", "Anything"])[0] == 0
    assert sonos("reindex")[0] == 0


@pytest.mark.parametrize("command", [
    "line_in on", "battery", "trueplay on", "fixed_volume on", "create_alarm 07:00,00:10,ONCE,ON,chime,NORMAL,10,OFF",
    "group Nobody"], ids=lambda command: command.split(" ")[0])
def test_what_there_is_not_is_told(sonos, room, command):
    ids = room.ids()
    status, _, complaint = sonos(command)
    assert status == 1 and complaint.startswith("Error:") and "Traceback" not in complaint
    assert room.ids() == ids and state(room) == "Stopped"


def test_line_in_is_off(sonos, room):
    assert sonos("line_in") == (0, ["off (STOPPED)"], "")


def test_it_is_found(sonos, room, player, zone_link, home):
    """By a search, and by the list that is made of it; a part of its name is enough."""
    status, lines, _ = run("sonos-discover", "--subnets", f"{zone_link.speaker}/32", home=home)
    assert status == 0 and any("Kitchen & Co" in line and zone_link.speaker in line for line in lines)
    assert run("sonos", "-l", "kitchen", "volume", home=home) == (0, ["20"], "")
    assert run("sonos", "kitchen", "volume", home=home) == (0, ["20"], "")
    assert sonos(["rename", "Bath & Bed"])[0] == 0
    try:
        assert run("sonos", "Bath & Bed", "volume", home=home) == (0, ["20"], "")
    finally:
        player.player_name = "Kitchen & Co"
