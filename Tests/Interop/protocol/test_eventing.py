"""GENA to the letter: subscriptions, the initial event, sequence, moderation, and subscribers that misbehave."""

import select
import socket
import time

import pytest
from kit import http, netns, sound
from kit.gena import Receiver, Subscription, renew, subscribe, unsubscribe
from kit.upnp import AVT, CM, RC, last_change
from kit.waiting import PATIENCE, SLOWNESS, Stopwatch

AVT_VARIABLES = {
    "TransportState", "TransportStatus", "PlaybackStorageMedium", "RecordStorageMedium",
    "PossiblePlaybackStorageMedia", "PossibleRecordStorageMedia", "CurrentPlayMode", "TransportPlaySpeed",
    "RecordMediumWriteStatus", "CurrentRecordQualityMode", "PossibleRecordQualityModes", "NumberOfTracks",
    "CurrentTrack", "CurrentTrackDuration", "CurrentMediaDuration", "CurrentTrackMetaData", "CurrentTrackURI",
    "AVTransportURI", "AVTransportURIMetaData", "NextAVTransportURI", "NextAVTransportURIMetaData",
    "CurrentTransportActions"}
NEVER = {"RelativeTimePosition", "AbsoluteTimePosition", "RelativeCounterPosition", "AbsoluteCounterPosition"}


@pytest.fixture
def receiver(link):
    with Receiver(link.phone) as receiver:
        yield receiver


def url_of(device, service=RC):
    return device.services[service].event


def test_subscribe_renew_unsubscribe(device, receiver):
    url = url_of(device)
    first = subscribe(url, receiver.url())
    assert first.status == 200
    assert first["sid"].startswith("uuid:") and first["server"]
    assert first["timeout"] == "Second-300"
    event = receiver.events.wait(lambda e: True, 5, "the initial event")
    assert (event.sid, event.seq) == (first["sid"], 0)
    again = renew(url, first["sid"], "Second-600")
    assert again.status == 200 and again["sid"] == first["sid"] and again["timeout"] == "Second-600"
    assert unsubscribe(url, first["sid"]).status == 200
    assert unsubscribe(url, first["sid"]).status == 412
    assert renew(url, first["sid"]).status == 412
    mark = receiver.events.mark()
    device.set_volume(11)
    with Subscription(url, receiver.address) as other:
        other.initial()
        device.set_volume(12)
        other.wait_change("Volume", 12)
    assert not receiver.events.since(mark), "nothing comes after the end of a subscription"


def test_sids_are_fresh(device, receiver):
    sids = [subscribe(url_of(device), receiver.url())["sid"] for _ in range(3)]
    assert len(set(sids)) == 3
    for sid in sids:
        unsubscribe(url_of(device), sid)


@pytest.mark.parametrize("asked, granted", [
    ("Second-1800", range(1800, 1801)), ("Second-infinite", range(60, 86401)), ("infinite", range(60, 86401)),
    ("Second-999999999999", range(60, 86401)), ("Second-0", range(1, 86401)), ("rubbish", range(60, 86401)),
    (None, range(60, 86401))])
def test_timeouts_are_bounded(device, receiver, asked, granted):
    response = subscribe(url_of(device), receiver.url(), timeout=asked)
    assert response.status == 200
    assert int(response["timeout"].removeprefix("Second-")) in granted
    unsubscribe(url_of(device), response["sid"])


@pytest.mark.parametrize("headers, wanted", [
    ({"SID": "uuid:1"}, 400),                                            # SID together with NT and CALLBACK
    ({"SID": "uuid:1", "CALLBACK": None}, 400),                          # SID with NT
    ({"SID": "uuid:1", "NT": None}, 400),                                # SID with CALLBACK
    ({"CALLBACK": None}, 412), ({"CALLBACK": None, "NT": None}, 412),
    ({"CALLBACK": ""}, 412), ({"CALLBACK": "<>"}, 412), ({"CALLBACK": "nothing"}, 412),
    ({"CALLBACK": "<ftp://10.0.0.1/>"}, 412), ({"CALLBACK": "<https://10.77.1.2/>"}, 412),
    ({"NT": "upnp:other"}, 412), ({"NT": None}, 412),
    ({"SID": "uuid:unknown", "CALLBACK": None, "NT": None}, 412),
    ({"SID": "", "CALLBACK": None, "NT": None}, 412)], ids=str)
def test_statuses_of_subscribe(device, receiver, headers, wanted):
    assert subscribe(url_of(device), receiver.url(), headers=headers).status == wanted


def test_statuses_of_unsubscribe(device, receiver):
    sid = subscribe(url_of(device), receiver.url())["sid"]
    assert unsubscribe(url_of(device), sid, {"NT": "upnp:event"}).status == 400
    assert unsubscribe(url_of(device), sid, {"CALLBACK": f"<{receiver.url()}>"}).status == 400
    assert unsubscribe(url_of(device), "uuid:unknown").status == 412
    assert unsubscribe(url_of(device, AVT), sid).status == 412, "a subscription belongs to its service"
    assert unsubscribe(url_of(device), sid).status == 200


def test_unknown_event_path(device, receiver):
    assert subscribe(url_of(device) + "x", receiver.url()).status in (404, 412)


def test_initial_event_of_avtransport_is_complete(device, link):
    with Subscription(url_of(device, AVT), link.phone) as subscription:
        event = subscription.initial()
        assert set(event.properties) == {"LastChange"}
        assert 'xmlns="urn:schemas-upnp-org:metadata-1-0/AVT/"' in event.properties["LastChange"]
        assert AVT_VARIABLES <= set(event.changes)
        assert not NEVER & set(event.changes)


def test_initial_event_of_rendering_control_is_complete(device, link):
    with Subscription(url_of(device, RC), link.phone) as subscription:
        event = subscription.initial()
        text = event.properties["LastChange"]
        assert 'xmlns="urn:schemas-upnp-org:metadata-1-0/RCS/"' in text
        assert {"Volume", "Mute", "VolumeDB", "PresetNameList"} <= set(event.changes)
        assert 'channel="Master"' in text
        assert (event.changes["Volume"], event.changes["Mute"]) == ("100", "0")


def test_initial_event_of_connection_manager_is_complete(device, link):
    with Subscription(url_of(device, CM), link.phone) as subscription:
        event = subscription.initial()
        assert set(event.properties) == {"SourceProtocolInfo", "SinkProtocolInfo", "CurrentConnectionIDs"}
        assert "http-get:*:audio/flac:*" in event.properties["SinkProtocolInfo"]


def test_shape_of_notify(device, link):
    with Subscription(url_of(device), link.phone) as subscription:
        event = subscription.initial()
        assert event.method == "NOTIFY" and event.path == "/event"
        assert event.headers["host"] == f"{link.phone}:{subscription.receiver.port}"
        assert event.headers["nt"] == "upnp:event" and event.headers["nts"] == "upnp:propchange"
        assert event.headers["content-type"].replace('"', "").lower() == "text/xml; charset=utf-8"


def test_initial_event_comes_after_the_answer(device, link):
    """A client that gets the event before it knows the SID drops it and then waits for ever."""
    address, port, target, netloc = http.split(url_of(device))
    for _ in range(20):
        with Receiver(link.phone) as receiver, http.Connection(address, port) as connection:
            connection.send(http.build("SUBSCRIBE", target, {
                "Host": netloc, "CALLBACK": f"<{receiver.url()}>", "NT": "upnp:event", "TIMEOUT": "Second-300"}))
            receiver.events.wait(lambda e: True, 5, "the initial event")
            assert select.select([connection.socket], [], [], 0)[0], "the answer is here before the event"
            unsubscribe(url_of(device), connection.receive()["sid"])


def test_sequence_numbers_count(device, volume_events):
    for value in (10, 20, 30):
        device.set_volume(value)
        volume_events.wait_change("Volume", value)
    mine = [e.seq for e in volume_events.events.items if e.sid == volume_events.sid]
    assert mine == list(range(len(mine)))


def test_lone_change_leaves_at_once(device, renderer, volume_events):
    """Moderation would delay each by 0.2 s."""
    taken = []
    for value in (42, 43, 44, 45, 46):
        time.sleep(0.3)  # let the moderation window after the event before pass
        mark, watch = volume_events.events.mark(), Stopwatch(renderer.pid)
        device.set_volume(value)
        volume_events.wait_change("Volume", value, since=mark)
        taken.append(watch.seconds)
    assert max(taken) < 0.15 * SLOWNESS, taken


def test_forty_quick_changes_are_few_events(device, volume_events):
    """One at once, then one every 0.2 s. A busy machine brings one of them late, and then all have had longer."""
    for final in (40, 41, 42):
        mark = volume_events.events.mark()
        started = time.monotonic()
        for value in range(final - 39, final + 1):
            device.set_volume(value)
        last = volume_events.wait_change("Volume", final, since=mark)
        seen = [e for e in volume_events.events.since(mark) if "Volume" in e.changes]
        assert seen[-1] is last
        assert len(seen) <= 1 + (last.at - started) / 0.2, [e.at - started for e in seen]


def test_one_change_one_event_and_nothing_else(device, volume_events):
    mark = volume_events.events.mark()
    device.set_volume(33)
    volume_events.wait_change("Volume", 33, since=mark)
    device.set_volume(33)
    device.rc("SetMute", Channel="Master", DesiredMute=1)
    volume_events.wait_change("Mute", 1, since=mark)
    assert [e.changes.get("Volume") for e in volume_events.events.since(mark)].count("33") <= 2


def test_metadata_survives_the_double_escaping(device, events, media):
    from kit.upnp import didl
    url = media.add("/x.wav", sound.wav(sound.noise(1)), "audio/wav")
    metadata = didl("Tom & Jerry <\"'> é 日本", url)
    mark = events.events.mark()
    device.set_uri(url, metadata)
    events.wait_change("AVTransportURIMetaData", metadata, since=mark)


def test_the_second_callback_is_tried(device, link, receiver):
    with socket.socket() as unused:
        unused.bind((link.phone, 0))
        dead = f"<http://{link.phone}:{unused.getsockname()[1]}/dead>"
        response = subscribe(url_of(device), f"{dead}<{receiver.url('/second')}>")
        assert response.status == 200
        assert receiver.events.wait(lambda e: True, 10, "the initial event").path == "/second"
        unsubscribe(url_of(device), response["sid"])


def test_silent_and_vanished_subscribers_delay_nobody(device, link):
    silent = [Receiver(link.phone, behaviour="silent") for _ in range(20)]
    refused = []
    try:
        for receiver in silent:
            assert subscribe(url_of(device), receiver.url()).status == 200
        for _ in range(5):  # subscribers whose port has closed meanwhile
            with Receiver(link.phone) as gone:
                refused.append(subscribe(url_of(device), gone.url())["sid"])
        with Subscription(url_of(device), link.phone) as good:
            good.initial()
            for value in (21, 22, 23):
                mark = good.events.mark()
                sent = time.monotonic()
                device.set_volume(value)
                assert good.wait_change("Volume", value, since=mark).at - sent < 1.0 * PATIENCE
    finally:
        for receiver in silent:
            receiver.close()


def test_a_slow_subscriber_gets_the_latest_state_in_order(device, link):
    with Subscription(url_of(device), link.phone, behaviour="slow", delay=30) as slow:
        slow.initial()
        with Subscription(url_of(device), link.phone) as quick:
            quick.initial()
            for value in (51, 52, 53, 54):
                device.set_volume(value)
                quick.wait_change("Volume", value)
        slow.receiver.behaviour = "answer"
        slow.receiver.release()
        slow.wait_change("Volume", 54, timeout=8)
        mine = [e.seq for e in slow.events.items if e.sid == slow.sid]
        assert mine == sorted(set(mine))


def test_412_ends_the_subscription(device, link):
    with Receiver(link.phone, behaviour="412 Precondition Failed") as receiver:
        response = subscribe(url_of(device), receiver.url())
        receiver.events.wait(lambda e: True, 5, "the initial event")
        deadline = time.monotonic() + 5 * PATIENCE
        while renew(url_of(device), response["sid"]).status != 412:
            assert time.monotonic() < deadline, "the subscription is still there"


@pytest.mark.parametrize("callback", [
    "http://8.8.8.8:80/", "http://10.99.99.99/x", "http://127.0.0.1:9/", "http://[::1]:9/", "http://0.0.0.0/",
    "http://239.255.255.250:1900/", "http://255.255.255.255/", "http://localhost/", "http://example.com/",
    "http://10.77.1.2@10.99.99.99/", "http://169.254.169.254/latest/", "http://[fe80::1]/",
    "http://[::ffff:10.99.99.99]/", "http://0x0a4d0102/", "http://10.77.1.255:80/"])
def test_call_stranger(device, callback):
    assert subscribe(url_of(device), callback).status == 412


def test_events_never_reach_a_foreign_subnet(device, link, renderer):
    """The foreign address is even reachable: only the rule keeps the renderer from calling it."""
    foreign = "10.99.7.7"
    netns.sh("ip", "addr", "add", f"{foreign}/32", "dev", "lo")
    renderer.host.sh("ip", "route", "add", foreign, "via", link.phone)
    try:
        with Receiver(foreign) as receiver:
            assert subscribe(url_of(device), receiver.url()).status == 412
            with Subscription(url_of(device), link.phone) as good:
                assert subscribe(url_of(device), f"<{receiver.url()}><{good.receiver.url()}>").status in (200, 412)
                good.initial()
                device.set_volume(61)
                good.wait_change("Volume", 61)
            assert len(receiver.connections) == 0
    finally:
        renderer.host.sh("ip", "route", "del", foreign, check=False)
        netns.sh("ip", "addr", "del", f"{foreign}/32", "dev", "lo", check=False)


def test_subscriptions_are_limited(own_host, launch):
    link = own_host.link()
    subject = launch(own_host, settings={"limits": {"subscriptions": 8}})
    device = subject.device(link)
    with Receiver(link.phone) as receiver:
        statuses = [subscribe(url_of(device), receiver.url()).status for _ in range(12)]
    assert statuses[:8] == [200] * 8
    assert set(statuses[8:]) == {503}
    assert device.volume() == 100


def test_last_change_is_readable_by_the_strict(device, events):
    assert last_change(events.events.items[0].properties["LastChange"])
