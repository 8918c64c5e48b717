/// What may be kept at most.
public struct KeptLimits: Sendable, Hashable {
  public var lists = 200
  /// Of one list.
  public var tracks = 5000
  /// Addresses and metadata of one list, in bytes.
  public var listBytes = 16 << 20
  /// Addresses and metadata of all lists, in bytes.
  public var bytes = 48 << 20

  public init() {}
}

/// Why something can't be done with stored playlists.
public enum KeptRefusal: Error, Sendable, Hashable {
  /// There is no such list.
  case noList
  /// There is no such track in the list.
  case noTrack
  /// A track is named twice, or is to come behind itself.
  case namedTwice
  /// The name is empty, too long, or has characters that can't be seen.
  case badName
  /// Another list has that name.
  case nameTaken
  /// There are as many lists as there may be.
  case tooManyLists
  /// The list is as long as it may be.
  case listFull
  /// All lists together are as large as they may be.
  case noRoom
  /// The list has changed since its caller has seen it.
  case changed
}
