"""What Home Assistant's `sonos` reads of a zone before it shows anything, call by call: one fault, or one thing missing, and it
shows nothing. `clients/test_home_assistant_sonos.py` has Home Assistant itself, in the long run."""

import time

import pytest
import soco
import soco.alarms
from kit import ssdp
from kit.waiting import PATIENCE, until
from kit.zone import ZONE, ask, search

#: One failure of these, and the player is offline.
SERVICES = ("alarmClock", "avTransport", "contentDirectory", "deviceProperties", "renderingControl", "zoneGroupTopology")
#: What it takes from events without asking whether it is there.
TAKEN = {
    "avTransport": {"transport_state", "current_play_mode", "current_track_uri", "current_track_meta_data", "enqueued_transport_uri",
                    "enqueued_transport_uri_meta_data", "av_transport_uri"},
    "contentDirectory": {"container_update_i_ds", "favorites_update_id"},
    "renderingControl": {"volume", "mute", "loudness", "bass", "treble"},
    "zoneGroupTopology": {"zone_group_state", "zone_player_uui_ds_in_group"},
    "deviceProperties": {"zone_name"},
    "alarmClock": {"alarm_list_version"},
}
#: Home cinema, and what else this zone hasn't.
ABSENT = ("audio_delay", "sub_gain", "sub_crossover", "sub_enabled", "surround_enabled", "surround_level", "music_surround_level",
          "surround_mode", "night_mode", "dialog_level", "soundbar_audio_input_format", "mic_enabled")


def test_its_first_subscription_is_told_soon(player):
    """Within two seconds; else it asks for a repair, and polls."""
    subscription = player.zoneGroupTopology.subscribe()
    try:
        event = subscription.events.get(timeout=2)
        assert player.uid in event.variables["zone_group_state"]
    finally:
        subscription.unsubscribe()


def test_its_six_subscriptions_bring_all_that_it_takes(player):
    subscriptions = {name: getattr(player, name).subscribe(requested_timeout=1200) for name in SERVICES}
    try:
        for name, subscription in subscriptions.items():
            variables = subscription.events.get(timeout=3 * PATIENCE).variables
            assert TAKEN[name] <= set(variables), name
            assert subscription.timeout <= 1200
            if name == "renderingControl":
                assert {"Master", "LF", "RF"} <= set(variables["volume"]) and max(
                    int(variables["volume"][side]) for side in ("LF", "RF")) > 0
                assert variables["mute"]["Master"] in ("0", "1") and variables["loudness"]["Master"] in ("0", "1")
            if name == "contentDirectory":
                assert "FV:2," in variables["container_update_i_ds"]
                int(variables["favorites_update_id"].split(",")[-1])
            if name == "deviceProperties":
                assert not variables.get("more_info") and "mic_enabled" not in variables
            if name == "zoneGroupTopology":
                assert variables["zone_player_uui_ds_in_group"].split(",")[0] == player.uid
            subscription.renew()
    finally:
        for subscription in subscriptions.values():
            subscription.unsubscribe()


def test_what_its_entities_are_made_of_can_be_read(player):
    info = player.get_speaker_info(True, timeout=7)
    assert all(info[name] for name in ("hardware_version", "software_version", "mac_address", "model_name", "model_number", "uid",
                                       "display_version", "zone_name"))
    assert info["model_name"].split()[-1].upper() not in (
        "CONNECT", "CONNECT:AMP", "PORT", "PLAY:5", "ARC", "BEAM", "PLAYBAR", "PLAYBASE", "AMP")
    assert player.boot_seqnum >= 1
    assert player.play_mode in ("NORMAL", "REPEAT_ALL", "REPEAT_ONE", "SHUFFLE", "SHUFFLE_NOREPEAT", "SHUFFLE_REPEAT_ONE")
    for name in ("volume", "mute", "bass", "treble", "loudness", "balance", "cross_fade", "buttons_enabled", "status_light"):
        assert getattr(player, name) is not None, name
    for name in ABSENT:
        assert getattr(player, name) is None, name
    assert player.get_current_transport_info()["current_transport_state"]
    assert "uri" in player.get_current_track_info()
    assert not soco.alarms.get_alarms(player)
    assert player.music_library.get_sonos_favorites().update_id > 0
    assert player.music_library.get_music_library_information("tracks", max_items=1).total_matches == 0


def test_its_ping_is_answered_at_once(player):
    begun = time.monotonic()
    player.renderingControl.GetVolume([("InstanceID", 0), ("Channel", "Master")], timeout=1)
    assert time.monotonic() - begun < 1


@pytest.mark.slow
def test_it_learns_that_a_zone_goes_and_comes_back(launch, make_host):
    """It takes the first byebye of a device for its end, looks only at what that one names, and knows a zone that comes back by
    the ST of its announcement and by a greater number of starts."""
    link = make_host().link()
    subject = launch(link.host, settings={"sonos": {"enabled": True}})

    def answer():
        return ask(link, search(), seconds=1)
    first = until(answer, 20, "the zone answers")[0]
    uid = first["USN"].split("::")[0]
    with ssdp.Listener(link.phone_interface) as listener:
        subject.terminate()
        gone = listener.messages.wait(lambda m: m.is_byebye and m.of(uid), 5, "a byebye of the zone")
        assert gone["NT"] == ZONE
        mark = listener.messages.mark()
        subject.start()
        back = listener.messages.wait(
            lambda m: m.is_alive and m.of(uid) and m["NT"] == ZONE, 20, "the zone announces itself", since=mark)
    assert back["ST"] == ZONE and back["LOCATION"] == first["LOCATION"]
    assert int(back["X-RINCON-BOOTSEQ"]) > int(first["X-RINCON-BOOTSEQ"])
