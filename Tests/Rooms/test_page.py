"""What the page of rooms says while they play together: reports with names, the next titles, states."""

from kit.page_api import PageAPI
from kit.waiting import until


def room_of(api, name):
    return next((room for room in api.get("/rooms")["rooms"] if room["name"] == name), None)


def test_the_page_tells_how_well_rooms_keep_step(house, rooms, noises, media):
    place = house(3)
    _, wav = noises(25)
    address = media(place).add("/noise.wav", wav.read_bytes(), "audio/wav")
    host, member, other = (PageAPI(rooms(place, number).location(place.ports[number])) for number in range(3))
    udns = {name: until(lambda: (room_of(host, name) or {}).get("state") and room_of(host, name)["udn"], 15, name)
            for name in ("Room 0", "Room 1", "Room 2")}
    # The page of any of them puts others together.
    for name in ("Room 1", "Room 2"):
        other.post(f"/rooms/{udns[name]}/join", {"host": udns["Room 0"]})
    items = [{"uri": f"{address}?{number}", "title": f"Noise {number}", "artist": "Nobody"} for number in range(3)]
    host.post("/play", {"items": items, "how": "replace"})
    until(lambda: all(room_of(host, f"Room {number}")["state"] == "playing" for number in range(3)), 10, "all play")

    def listeners():
        reports = host.get("/rooms/reports")
        assert reports["sending"] and "listening" not in reports
        return {one["name"]: one for one in reports["listeners"] if "name" in one and one["state"] == "playing"}
    found = until(lambda: len(listeners()) == 2 and all(one["p95"] for one in listeners().values()) and listeners(), 15, "both report")
    # A room is found by its OpenHome device, and known by its renderer's UDN as soon as that is found too.
    until(lambda: {one["udn"] for one in listeners().values()} == {room_of(host, name)["udn"] for name in ("Room 1", "Room 2")},
          15, "the reports of the rooms in the list")
    for one in found.values():
        assert one["seen"] <= 2 and one["loss"] == 0 and 0 < one["buffer"] < 1_000_000 and abs(one["offset"]) < 20_000, one
    own = member.get("/rooms/reports")
    assert own["listening"]["state"] == "playing" and not own["sending"] and own["listeners"] == []
    # Who the host is, a room learns by itself.
    until(lambda: (room_of(member, "Room 1") or {}).get("host") == (room_of(member, "Room 0") or {}).get("udn", "none"), 15,
          "the host's name")
    shown = room_of(member, "Room 1")
    assert shown["isSelf"] and shown["title"] == "Noise 0", shown
    host.post(f"/rooms/{udns['Room 2']}/leave")
    until(lambda: [one["name"] for one in host.get("/rooms/reports")["listeners"]] == ["Room 1"], 15, "one has left")
