"""Rooms that a controller of the Sonos class has put together play in step like any others."""

import pytest
import soco
from bench.group import Group, measure
from conftest import MEMBERS, SECONDS, SEED
from kit.waiting import until
from kit.zones import Zone, groups
from test_rooms import CLEAN, assert_untouched, check

pytestmark = pytest.mark.timeout(900 + 12 * SECONDS)


def test_grouped_by_soco(house, rooms, media, noises):
    place = house(MEMBERS + 1, seed=SEED)
    made = [rooms(place, number, settings={"sonos": {"enabled": True}}) for number in range(MEMBERS + 1)]
    group = Group(place, made[0], made[1:], media(place), noises)
    group.add_track(SECONDS, SEED)
    group.ready().load()
    zones = [Zone(port.speaker) for port in place.ports]

    def sizes():
        documents = {zone.document for zone in zones}
        return len(documents) == 1 and sorted(len(names) for names in (groups(documents.pop()) or {}).values())
    until(lambda: sizes() == [1] * len(zones), 30, "each knows all zones")
    players = [soco.SoCo(zone.address) for zone in zones]
    players[1].join(players[0])
    players[0].zone_group_state.clear_cache()
    players[0].partymode()
    group.joined(*group.members)
    until(lambda: sizes() == [len(zones)], 5, "one group")
    group.play()
    group.wait_end(SECONDS)
    own, results = measure(group, "grouped by SoCo, clean", aim=CLEAN[0])
    assert_untouched(group, own)
    check(results, CLEAN)
    for player in players[1:]:
        player.unjoin()
    until(lambda: sizes() == [1] * len(zones), 5, "each by itself")
