import Player

/// What has to be done to the player's queue.
public enum PartyEffect: Sendable, Hashable {
  /// Put the media there, and tell ``PartySession/inserted(_:as:)`` which track it is.
  case insert(request: Int, Media, PartyPlace)
  case move(track: UInt32, PartyPlace)
  case remove(track: UInt32)
}

/// A place in the queue.
public enum PartyPlace: Sendable, Hashable {
  /// Behind what plays.
  case next
  case behind(UInt32)
  case before(UInt32)
}

/// The player's queue as a party sees it.
public struct PartyQueue: Sendable, Hashable {
  /// The tracks, in the order of the list.
  public var tracks: [UInt32]
  /// The track that plays, or would play; 0 for none.
  public var current: UInt32
  /// Whether it is heard.
  public var isPlaying: Bool
  public var isShuffling: Bool

  public init(tracks: [UInt32], current: UInt32, isPlaying: Bool, isShuffling: Bool = false) {
    self.tracks = tracks
    self.current = current
    self.isPlaying = isPlaying
    self.isShuffling = isShuffling
  }
}

extension PartyPlace {
  /// The track behind which this place is; 0 for the front of the list.
  ///
  /// - Parameter moved: the track that goes there; nil for a new one.
  public func anchor(in queue: PartyQueue, for moved: UInt32? = nil) -> UInt32 {
    switch self {
    case .next: return queue.current
    case .behind(let track): return queue.tracks.contains(track) ? track : queue.current
    case .before(let track):
      let others = queue.tracks.filter { $0 != moved }
      guard let index = others.firstIndex(of: track) else { return queue.current }
      return index > 0 ? others[index - 1] : 0
    }
  }
}
