/// What guests may do in a party. A party keeps the rules that it has begun with.
public struct PartyRules: Sendable, Hashable {
  /// How many songs may be requested at once, by a guest and from an address.
  public var requests = 10
  /// How long it takes until one more may be requested.
  public var every = Duration.seconds(120)
  /// Whether guests vote for what others have requested.
  public var hasVotes = true

  /// How long a party lasts unless its host says otherwise.
  public static let usualLength = Duration.seconds(8 * 3600)
  /// The longest party.
  public static let longest = Duration.seconds(24 * 3600)
  /// The most requests that wait at once, those in the queue included.
  public static let mostWaiting = 100
  /// The most guests.
  public static let mostGuests = 64
  /// How long a song that was played can't be requested again.
  public static let rest = Duration.seconds(3600)
  /// Unicode scalars of a guest's name.
  public static let longestName = 40
  /// Bytes of addresses and metadata that wait for the host, all requests together.
  public static let mostBytes = 256 * 1024

  public init() {}

  /// Requests of songs.
  var songs: Allowance { Allowance(most: requests, every: every) }
  /// Requests that are to be played next.
  static let next = Allowance(most: 1, every: .seconds(1200))
  static let votes = Allowance(most: 30, every: .seconds(2))
  /// New guests, and wrong codes, from an address.
  static let entries = Allowance(most: 10, every: .seconds(30))
}

/// Whether the host decides about requests.
public enum PartyMode: String, Sendable, Hashable, CaseIterable {
  /// Each waits until the host accepts it.
  case ask
  /// Each joins the queue at once.
  case add
}
