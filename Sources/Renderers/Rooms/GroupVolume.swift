/// The volume of rooms that play together: each room keeps its own, and all are moved by the same steps.
package enum GroupVolume {
  package enum Change: Sendable, Hashable {
    /// By so many steps, louder or (below 0) softer.
    case by(Int)
    /// So that ``level(of:host:)`` becomes this.
    case to(Int)
  }

  /// A room, what its volume is and what it is to be.
  package struct Level: Sendable, Hashable {
    package var udn: String
    package var before: Int
    package var volume: Int

    package init(udn: String, before: Int, volume: Int) {
      (self.udn, self.before, self.volume) = (udn, before, volume)
    }
  }

  /// More steps than any room has.
  private static let most = 100_000

  /// The volume of the group: that of the room that plays, or of the loudest if that one isn't known. Nil if no room has one.
  ///
  /// - Parameter host: the UDN of the room that plays.
  package static func level(of rooms: [Room], host: String?) -> Int? {
    let playing = rooms.first { $0.udn == host }?.volume
    return (playing ?? rooms.compactMap(\.volume).max()).map(bounded)
  }

  /// True if all rooms are muted; nil if none says.
  package static func isMuted(_ rooms: [Room]) -> Bool? {
    let muted = rooms.compactMap(\.isMuted)
    return muted.isEmpty ? nil : muted.allSatisfy(\.self)
  }

  /// What the volumes become: differences are kept, but none goes below 0 or above its room's limit. Rooms without a volume
  /// are left out.
  ///
  /// A slider plans all its moves from the rooms as they were when it was taken, so that differences come back that the end of
  /// the scale has made smaller.
  package static func plan(_ change: Change, rooms: [Room], host: String?) -> [Level] {
    let step =
      switch change {
      case .by(let step): max(-most, min(most, step))
      case .to(let volume): bounded(volume) - (level(of: rooms, host: host) ?? 0)
      }
    return rooms.compactMap { room in
      guard let volume = room.volume.map(bounded) else { return nil }
      // A room that is above its limit isn't made softer by making the group louder.
      let loudest = max(volume, room.volumeLimit.map(bounded) ?? most)
      return Level(udn: room.udn, before: volume, volume: max(0, min(volume + step, loudest)))
    }
  }

  private static func bounded(_ volume: Int) -> Int { max(0, min(most, volume)) }
}
