import Network
import Renderers

extension API.RoomReports {
  /// - Parameter rooms: all that are known, to name those that listen.
  init(_ view: RoomReportsView, rooms: [RoomPlace]) {
    let own = rooms.first(where: \.isSelf)?.room
    let groups = RoomGroups.of(rooms.filter(\.isThere).compactMap(\.room))
    let members = Set(groups.first { $0.hostRoom != nil && $0.hostRoom == own?.udn }?.members ?? [])
    self.init(
      sending: view.isSending,
      listeners: view.listeners.map { listener in
        let room = Self.room(at: listener.address, among: rooms, members: members)
        let figures = API.RoomFigures(listener.figures)
        return API.RoomListener(
          address: listener.address.description, udn: room?.udn, name: room?.name,
          state: API.RoomListener.State(listener.figures.state), offset: figures.offset, p95: figures.p95,
          rate: figures.rate, loss: figures.loss, buffer: figures.buffer, lost: figures.lost,
          repaired: figures.repaired, seen: figures.seen)
      },
      listening: view.listening.map { API.RoomFigures($0) })
  }

  /// The room of an address; one of the group, if others are on the same host. Nil if it could be several.
  private static func room(
    at address: IPAddress, among rooms: [RoomPlace], members: Set<String>
  ) -> RoomPlace? {
    let here = rooms.filter { place in
      !place.isSelf
        && place.remote.devices.contains { $0.locations.contains { $0.address.address == address } }
    }
    let listening = here.filter { $0.room.map { members.contains($0.udn) } ?? false }
    let found = listening.isEmpty ? here : listening
    return found.count == 1 ? found.first : nil
  }
}

extension API.RoomFigures {
  init(_ figures: RoomReportsView.Figures) {
    self.init(
      state: State(figures.state), offset: figures.offset, p95: figures.p95, rate: figures.rate,
      loss: figures.loss, buffer: figures.buffer, lost: figures.lost, repaired: figures.repaired,
      seen: figures.seen)
  }
}

extension API.RoomFigures.State {
  fileprivate init(_ state: RoomReportsView.State) {
    switch state {
    case .joining: self = .joining
    case .ready: self = .ready
    case .playing: self = .playing
    case .silent: self = .silent
    }
  }
}

extension API.RoomListener.State {
  fileprivate init(_ state: RoomReportsView.State) {
    switch state {
    case .joining: self = .joining
    case .ready: self = .ready
    case .playing: self = .playing
    case .silent: self = .silent
    }
  }
}
