import Player
import Synchronization

/// A zone in its household: who it is, where it is, and what controllers have set in it.
public final class ZoneHome: Sendable {
  /// What depends on the host.
  public struct Surroundings: Sendable {
    /// The IPv4 address where this zone is reached; nil without a network.
    public var address: @Sendable () -> String?
    /// The time, in seconds since 1970, and by how many seconds the local time is ahead of it.
    public var clock: @Sendable () -> (seconds: Int, offset: Int)
    /// Stores the notes.
    public var keep: @Sendable (_ notes: String) -> Void
    /// Called when something has changed that events tell; with true when the description has changed, too.
    public var changed: @Sendable (_ isRenamed: Bool) -> Void

    public init(
      address: @escaping @Sendable () -> String?,
      clock: @escaping @Sendable () -> (seconds: Int, offset: Int),
      keep: @escaping @Sendable (_ notes: String) -> Void,
      changed: @escaping @Sendable (_ isRenamed: Bool) -> Void
    ) {
      self.address = address
      self.clock = clock
      self.keep = keep
      self.changed = changed
    }
  }

  struct Values: Sendable {
    var room: String
    var notes: ZoneNotes
    /// Rises with each change of the strings.
    var stringsVersion: UInt32 = 1
    var choice: HouseholdChoice
    /// What the other zones of this program tell, by their UIDs.
    var neighbours: [String: ZoneFacts] = [:]
    /// How often this zone has begun to listen to somebody else, or stopped.
    var turn: UInt32 = 0
    /// Whether this zone hands over its group to another one now.
    var handsOver = false
    /// By what others listen to this zone.
    var sender: @Sendable () -> ZoneSender = { .none }
  }

  /// Who this zone is to controllers.
  public let identity: ZoneIdentity
  let player: PlayerCore
  let surroundings: Surroundings
  let values: Mutex<Values>

  /// Makes the home of this zone.
  ///
  /// - Parameters:
  ///   - room: the room that is configured.
  ///   - notes: what controllers have set, as it was given to ``Surroundings/keep``.
  public init(
    identity: ZoneIdentity, player: PlayerCore, room: String, notes: String?, surroundings: Surroundings
  ) {
    self.identity = identity
    self.player = player
    self.surroundings = surroundings
    var notes = ZoneNotes(stored: notes ?? "")
    notes.configure(room: room)
    let choice =
      if identity.hasConfiguredHousehold {
        HouseholdChoice(identity.household, .configured)
      } else if let household = notes.household {
        HouseholdChoice(household, .settled)
      } else {
        HouseholdChoice(identity.household, .fresh)
      }
    values = Mutex(Values(room: room, notes: notes, choice: choice))
  }

  /// The name of the room: the one that a controller has set, else the configured one.
  public var room: String { values.withLock { $0.notes.name ?? $0.room } }

  var configuredRoom: String { values.withLock { $0.room } }

  /// The name that a controller has given the room, instead of the configured one.
  public var givenRoom: String? { values.withLock { $0.notes.name } }

  /// Replaces the configured room. Another one than before counts more than a name that a controller has given.
  public func setRoom(_ room: String) {
    values.withLock {
      $0.room = room
      $0.notes.configure(room: room)
    }
  }

  var notes: ZoneNotes { values.withLock { $0.notes } }
  var stringsVersion: UInt32 { values.withLock { $0.stringsVersion } }

  /// Where the zone is reached; this machine itself without a network.
  var address: String { surroundings.address() ?? "127.0.0.1" }

  /// Changes the notes, stores them and tells subscribers.
  ///
  /// - Returns: false when `change` says that nothing was changed.
  func change(_ change: (inout ZoneNotes) -> Bool) -> Bool {
    let (isDone, old, new) = values.withLock { values in
      let old = values.notes
      let isDone = change(&values.notes)
      if values.notes.strings != old.strings { values.stringsVersion &+= 1 }
      return (isDone, old, values.notes)
    }
    if new != old {
      surroundings.keep(new.stored)
      surroundings.changed(new.name != old.name)
    }
    return isDone
  }

  /// When this zone last said that it goes.
  public var goodbye: ZoneGoodbye? { values.withLock { $0.notes.goodbye } }

  /// The zone has said that it goes.
  public func noteGoodbye(_ goodbye: ZoneGoodbye) {
    let notes = values.withLock { values in
      values.notes.goodbye = goodbye
      return values.notes
    }
    surroundings.keep(notes.stored)
  }

  var isIdle: Bool { player.currentState.transport == .stopped }
}
