/// What can be done with stored playlists.
public enum KeptCommand: Sendable, Hashable {
  /// A new list with these tracks.
  case create(String, [KeptTrack])
  case rename(UInt32, String)
  case delete(UInt32)
  /// Puts tracks behind the one with the id `after`; 0 for the front, nil for the end.
  case add(UInt32, [KeptTrack], after: UInt32?)
  /// Other tracks instead of all that the list has.
  case replace(UInt32, [KeptTrack])
  /// Gives tracks the places behind the one with the id `after`, 0 for the front.
  case move(UInt32, [UInt32], after: UInt32)
  case remove(UInt32, [UInt32])
  /// Tracks were found at other addresses: they keep their ids and places.
  case correct(UInt32, [KeptEntry])

  /// The list that is meant; nil for a new one.
  public var list: UInt32? {
    switch self {
    case .create: nil
    case .rename(let id, _), .delete(let id), .add(let id, _, _), .replace(let id, _), .move(let id, _, _),
      .remove(let id, _), .correct(let id, _):
      id
    }
  }
}

/// A command, and what its caller knows.
public struct KeptEdit: Sendable, Hashable {
  public var command: KeptCommand
  /// The version of the list that the caller has seen; nil when that doesn't matter.
  public var version: UInt32?

  public init(_ command: KeptCommand, version: UInt32? = nil) {
    self.command = command
    self.version = version
  }
}

/// What a command changes: for whoever keeps the lists.
public struct KeptChange: Sendable, Hashable {
  /// The list that is changed.
  public var id: UInt32
  /// The list as it is from now on; nil when it is deleted.
  public var list: KeptList?
  /// New tracks, and those with other contents.
  public var written: [KeptEntry] = []
  /// The ids of tracks that are no longer needed.
  public var deleted: [UInt32] = []
  /// How many tracks were added.
  public var added = 0
  /// How many tracks were left out, since there was no room for them.
  public var left = 0
}

/// What has become of a command.
public struct KeptOutcome: Sendable, Hashable {
  /// All lists from now on.
  public var heads: [KeptHead]
  /// The list that was changed.
  public var id: UInt32
  /// How many tracks were added.
  public var added: Int
  /// How many tracks were left out, since there was no room for them.
  public var left: Int
  /// Rises with each command that was carried out: of two outcomes it says which lists are the later ones.
  public var number = 0

  public init(heads: [KeptHead], id: UInt32, added: Int, left: Int) {
    self.heads = heads
    self.id = id
    self.added = added
    self.left = left
  }
}
