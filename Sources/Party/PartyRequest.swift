import Player

/// A song that a guest wants to hear.
public struct PartyRequest: Sendable, Hashable {
  public enum State: Sendable, Hashable {
    /// It waits for the host.
    case asked(Media)
    /// It is a track of the queue that is still to come.
    case queued(track: UInt32)
    /// It is the current track.
    case playing(track: UInt32)
    case played
    case refused
    /// Somebody has removed it from the queue, or skipped it.
    case removed
  }

  /// From 1 on, in the order of arrival; never given twice in a party.
  public let id: Int
  /// Who wants it.
  public let guest: Int
  public let song: PartySong
  /// It comes ahead of those that don't say so.
  public let wantsNext: Bool
  public internal(set) var state: State
  /// The ids of those who voted for it.
  public internal(set) var voters: Set<Int> = []
  /// The addresses that these votes came from, by the ids of the voters. Forgotten at a restart.
  var votedFrom: [Int: String] = [:]
  /// The order in which requests came to the queue; 0 before that.
  var turn = 0

  init(id: Int, guest: Int, song: PartySong, wantsNext: Bool, state: State) {
    self.id = id
    self.guest = guest
    self.song = song
    self.wantsNext = wantsNext
    self.state = state
  }

  /// The track of the queue that hasn't been heard yet; nil when it isn't one.
  // Not inlined: the optimizer of Swift 6.3 stops with a fault of its own where it is (CopyPropagation).
  @inline(never)
  public var queuedTrack: UInt32? { if case .queued(let track) = state { track } else { nil } }

  /// Its track of the queue, whether it plays or is still to come.
  var track: UInt32? {
    switch state {
    case .queued(let track), .playing(let track): track
    case .asked, .played, .refused, .removed: nil
    }
  }

  /// The media that waits for the host.
  var askedMedia: Media? { if case .asked(let media) = state { media } else { nil } }

  /// It is still to come.
  public var isWaiting: Bool { queuedTrack != nil || askedMedia != nil }

  /// It is over.
  var isOver: Bool {
    switch state {
    case .asked, .queued, .playing: false
    case .played, .refused, .removed: true
    }
  }

  /// Whether it plays before `other`.
  func comes(before other: PartyRequest) -> Bool {
    if wantsNext != other.wantsNext { return wantsNext }
    if !wantsNext, voters.count != other.voters.count { return voters.count > other.voters.count }
    return (turn, id) < (other.turn, other.id)
  }
}

/// Somebody who requests songs.
public struct PartyGuest: Sendable, Hashable {
  /// From 1 on; never given twice in a party.
  public let id: Int
  /// What he proves himself by.
  public let token: String
  public let name: String?
  var songs = AllowanceUse()
  var next = AllowanceUse()
  var votes = AllowanceUse()
  /// When he did something last.
  var seen: Duration
}
