import Network
import Player
import Renderers
import Services

/// A renderer that can play together with others, as it is listed.
struct RoomPlace: Sendable {
  /// The UDN that it has among the renderers.
  var udn: String
  var name: String
  var isSelf: Bool
  var isThere: Bool
  var remote: RemoteRenderer
  /// What it said last; nil until it was asked.
  var room: Room?
  /// Why it doesn't answer.
  var problem: String?

  /// The key of its renderer; nil for this speaker.
  var key: String?
}

extension API.Room {
  /// All rooms as they are shown, with whom each one listens to.
  ///
  /// Only those that are there make groups: who has left may come back as something else.
  static func list(_ places: [RoomPlace]) -> [API.Room] {
    let rooms = places.filter(\.isThere).compactMap(\.room)
    let byUDN = Dictionary(
      places.compactMap { place in place.room.map { ($0.udn, place) } },
      uniquingKeysWith: { first, _ in first })
    var hosts: [String: RoomGroup.Host] = [:]
    for group in RoomGroups.of(rooms) {
      for member in group.members { hosts[member] = group.host }
    }
    return places.map { place in
      let host = place.room.flatMap { hosts[$0.udn] }
      let hostPlace = if case .room(let udn) = host { byUDN[udn] } else { RoomPlace?.none }
      var shown = API.Room(
        udn: place.udn, name: place.name, isSelf: place.isSelf, isThere: place.isThere,
        canSend: place.remote.services.contains(.sender),
        canReceive: place.remote.services.contains(.receiver),
        host: hostPlace?.udn,
        hostName: host == nil
          ? nil : hostPlace?.name ?? place.room?.receiverName ?? place.room?.receiverURI,
        problem: place.isThere ? place.problem : nil)
      if place.isThere, let room = place.room { shown.take(room) }
      return shown
    }
  }

  private mutating func take(_ room: Room) {
    state = State(room)
    volume = room.volume.map { min(max($0, 0), 100) }
    volumeLimit = room.volumeLimit.flatMap { (0..<100).contains($0) ? $0 : nil }
    muted = room.isMuted
    if state != .stopped { (title, artist) = (room.title, room.artist) }
  }
}

extension API.Room.State {
  fileprivate init(_ room: Room) {
    if room.isReceiverActive {
      switch room.receiverState {
      case .stopped: self = .stopped
      case .waiting: self = .waiting
      case .buffering: self = .buffering
      case .playing: self = .playing
      }
    } else {
      switch room.state {
      case .playing: self = .playing
      case .paused: self = .paused
      case .stopped: self = .stopped
      case .buffering: self = .buffering
      }
    }
  }
}

extension Room {
  /// Takes what this speaker does from itself: it knows that before anybody could ask it.
  mutating func take(_ state: PlayerState) {
    receiverURI = state.receiver.sender?.uri ?? ""
    receiverMetadata = state.receiver.sender?.metadata ?? ""
    isReceiverActive = state.activeSource == .receiver
    receiverState =
      switch state.phase(of: .receiver) {
      case .stopped, .paused: .stopped
      case .buffering: .waiting
      case .playing: .playing
      }
    self.state =
      switch state.phase {
      case .stopped: .stopped
      case .paused: .paused
      case .buffering: .buffering
      case .playing: .playing
      }
    (volume, volumeLimit) = (state.volume.step(of: .master), state.volume.limit)
    isMuted = state.volume.isMuted(.master)
    isStandby = state.isStandby
    let heading = TrackHeading(state)
    title = heading.title.isEmpty ? nil : heading.title
    artist = heading.artist.isEmpty ? nil : heading.artist
  }
}

extension PlayerStatus {
  /// What a room says of itself, as far as it is shown of a renderer.
  init(_ room: Room) {
    self.init(renderer: room.name, udn: room.udn)
    state = room.state
    (title, artist) = (room.title, room.artist)
    (volume, isMuted) = (room.volume, room.isMuted)
    isStandby = room.isStandby
  }
}
