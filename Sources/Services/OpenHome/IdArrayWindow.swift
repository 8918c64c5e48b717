import Player

/// What subscribers are told of an id array, and when: a change at once, further ones together at the end of a
/// window. A burst of a thousand inserts so becomes a few events, and while the window lasts nothing is encoded.
///
/// Pure, on whatever clock it is given.
struct IdArrayWindow: Sendable {
  /// Playlist, "IdArray": changes within this time are one event.
  static let length = Duration.milliseconds(300)

  private struct Told: Sendable {
    var token: UInt32
    var text: String
    var at: PlayerInstant
  }

  private var told: Told?

  /// The text to tell at `now` of the list whose change count is `token`; `encode` is called only when it is told.
  mutating func text(token: UInt32, now: PlayerInstant, encode: () -> String) -> String {
    if let told, told.token == token || now.duration(since: told.at) < Self.length { return told.text }
    let text = encode()
    told = Told(token: token, text: text, at: now)
    return text
  }

  /// The time until ``text(token:now:encode:)`` gives something new; nil when it has told everything.
  func nextChange(token: UInt32, now: PlayerInstant) -> Duration? {
    guard let told, told.token != token else { return nil }
    return max(.zero, Self.length - now.duration(since: told.at))
  }
}
