import JSON
import Network
import Renderers
import Testing

@testable import ControlPoint
@testable import Page
@testable import Player

/// Rooms as pages are shown them.
@Suite struct RoomListTests {
  @Test func aGroupIsTheRoomsThatListenToOne() {
    let list = API.Room.list([.room("a", isSelf: true), .room("b", listensTo: "a"), .room("c")])
    #expect(list.map(\.udn) == ["a", "b", "c"])
    #expect(list.map(\.host) == [nil, "a", nil])
    #expect(list[1].hostName == "Room a")
    #expect(list[1].state == .playing)
    #expect(list[0].isSelf && !list[1].isSelf)
  }

  /// Its name is what pages know it by, whatever the room calls itself.
  @Test func aRoomIsCalledAsAmongTheRenderers() {
    var host = RoomPlace.room("a")
    (host.udn, host.name) = ("half", "Kitchen")
    let list = API.Room.list([host, .room("b", listensTo: "a")])
    #expect(list[0].udn == "half" && list[1].host == "half" && list[1].hostName == "Kitchen")
  }

  @Test func whoListensToAListenerBelongsToTheOneThatPlays() {
    let list = API.Room.list([.room("a"), .room("b", listensTo: "a"), .room("c", listensTo: "b")])
    #expect(list.map(\.host) == [nil, "a", "a"])
  }

  @Test func whatIsNoRoomHasAName() {
    var place = RoomPlace.room("b", listensTo: "zone")
    let list = API.Room.list([place])
    #expect(list[0].host == nil && list[0].hostName == "ohz://239.255.255.250:51972/zone")
    place.room?.receiverMetadata =
      #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/"><item><dc:title>A computer</dc:title></item></DIDL-Lite>"#
    #expect(API.Room.list([place])[0].hostName == "A computer")
  }

  @Test func whoHasLeftIsInNoGroup() {
    var host = RoomPlace.room("a")
    host.isThere = false
    let list = API.Room.list([host, .room("b", listensTo: "a")])
    #expect(list[0].state == nil && list[0].volume == nil && !list[0].isThere)
    #expect(list[1].host == nil && list[1].hostName != nil)
    var member = RoomPlace.room("b", listensTo: "a")
    member.isThere = false
    #expect(API.Room.list([.room("a"), member])[1].host == nil)
  }

  @Test func statesAreTold() {
    func state(_ change: (inout Room) -> Void) -> API.Room.State? {
      var place = RoomPlace.room("b", listensTo: "a")
      place.room.map {
        var room = $0
        change(&room)
        place.room = room
      }
      return API.Room.list([place])[0].state
    }
    #expect(state { $0.receiverState = .waiting } == .waiting)
    #expect(state { $0.receiverState = .buffering } == .buffering)
    #expect(state { $0.receiverState = .stopped } == .stopped)
    #expect(
      state {
        $0.isReceiverActive = false
        $0.state = .paused
      } == .paused)
    var place = RoomPlace.room("c")
    place.room = nil
    place.problem = "Room c can't be reached."
    let unknown = API.Room.list([place])[0]
    #expect(unknown.state == nil && unknown.problem == "Room c can't be reached." && unknown.canReceive)
  }

  @Test func volumesAreBounded() {
    var place = RoomPlace.room("a")
    place.room?.volume = 130
    place.room?.volumeLimit = 70
    #expect(API.Room.list([place])[0].volume == 100)
    #expect(API.Room.list([place])[0].volumeLimit == 70)
    place.room?.volumeLimit = 100
    #expect(API.Room.list([place])[0].volumeLimit == nil)
  }

  /// What others would have to ask for, this speaker knows.
  @Test func thisSpeakerKnowsWhatItDoes() async throws {
    let rig = try await APIRig()
    var room = Room(udn: "self", name: "Kitchen", address: .v4(0))
    room.take(await rig.state())
    #expect(!room.isListening && room.receiverURI.isEmpty)
    let uri = "ohz://239.255.255.250:51972/zone"
    try await rig.perform(
      .receiver(.setSender(Media(uri: uri, metadata: "<DIDL-Lite/>"))), .receiver(.play),
      .setVolume(.master, 12))
    room.take(await rig.state())
    #expect(room.isListening && room.receiverURI == uri && room.receiverState == .waiting)
    #expect(room.volume == 12 && room.isMuted == false)
    try await rig.perform(.receiver(.stop))
    room.take(await rig.state())
    #expect(!room.isListening && room.receiverURI == uri)
  }

  @Test func reportsAreNamedByTheirAddresses() throws {
    let figures = RoomReportsView.Figures(
      state: .playing, offset: -84, p95: 190, rate: -1200, loss: 3, buffer: 120_000, lost: 4, repaired: 5,
      seen: 1)
    var view = RoomReportsView()
    view.isSending = true
    view.listeners = ["192.0.2.8", "192.0.2.9", "192.0.2.77"].compactMap { text in
      IPAddress(text).map { .init($0, figures) }
    }
    view.listening = .init(state: .silent)
    // Two rooms are at 192.0.2.8, and one of them listens to this speaker.
    let rooms: [RoomPlace] = [
      .room("a", isSelf: true), .room("b", listensTo: "a", host: "192.0.2.8"), .room("c", host: "192.0.2.8"),
      .room("d", host: "192.0.2.9"),
    ]
    let shown = API.RoomReports(view, rooms: rooms)
    #expect(shown.listeners.map(\.udn) == ["b", "d", nil])
    #expect(shown.listeners[0].name == "Room b")
    #expect(shown.listening?.state == .silent)
    let text = String(decoding: shown.listeners[2].json, as: UTF8.self)
    #expect(
      text
        == #"{"address":"192.0.2.77","state":"playing","offset":-84,"p95":190,"rate":-1200,"loss":3,"buffer":120000,"lost":4,"repaired":5,"seen":1}"#
    )
    // Both do: it could be either.
    let both = API.RoomReports(
      view, rooms: Array(rooms.prefix(2)) + [.room("c", listensTo: "a", host: "192.0.2.8")])
    #expect(both.listeners.map(\.udn) == [nil, nil, nil])
    let nothing = API.RoomReports(NoRoomReports().roomReports(), rooms: rooms)
    #expect(String(decoding: nothing.json, as: UTF8.self) == #"{"sending":false,"listeners":[]}"#)
  }
}

extension RoomPlace {
  /// A room at 192.0.2.8, or at `host`, that plays, or listens to another one.
  static func room(
    _ udn: String, isSelf: Bool = false, listensTo sender: String? = nil, host: String = "192.0.2.8"
  ) -> RoomPlace {
    func zone(_ udn: String) -> String { "ohz://239.255.255.250:51972/\(udn)" }
    var room = Room(udn: udn, name: "Own name of \(udn)", address: .v4(0))
    (room.canSend, room.canReceive, room.senderURI) = (true, true, zone(udn))
    room.state = .playing
    (room.volume, room.isMuted) = (30, false)
    if let sender {
      (room.isReceiverActive, room.receiverState, room.receiverURI) = (true, .playing, zone(sender))
    }
    let device = Devices.room(udn, "Room \(udn)", host: host)
    return RoomPlace(
      udn: udn, name: "Room \(udn)", isSelf: isSelf, isThere: true,
      remote: RemoteRenderer([device], through: ControlPoint()), room: room, key: isSelf ? nil : udn)
  }
}

extension Devices {
  static func room(_ udn: String, _ name: String, host: String = "192.0.2.8") -> FoundDevice {
    device(
      udn, name, type: "Source",
      services: ["Product", "Playlist", "Volume", "Sender", "Receiver"].map {
        "urn:av-openhome-org:service:\($0)"
      }, host: host, port: 49494)
  }
}
