import Player

/// Limits the events of an id array: the first change is sent at once, further ones together at the end of a
/// window. So a burst of a thousand inserts becomes a few events, and nothing is encoded during the window.
///
/// Pure: every call passes the current instant.
struct IdArrayWindow: Sendable {
  /// Changes within this time are one event (Playlist, "IdArray").
  static let length = Duration.milliseconds(300)

  private struct Sent: Sendable {
    var token: UInt32
    var text: String
    var at: PlayerInstant
  }

  private var told: Sent?

  /// The encoding to send at `now` for the list whose change count is `token`. `encode` is called only when a
  /// new one is due.
  mutating func text(token: UInt32, now: PlayerInstant, encode: () -> String) -> String {
    if let told, told.token == token || now.duration(since: told.at) < Self.length { return told.text }
    let text = encode()
    told = Sent(token: token, text: text, at: now)
    return text
  }

  /// The time until ``text(token:now:encode:)`` returns something new; nil when there is nothing to send.
  func nextChange(token: UInt32, now: PlayerInstant) -> Duration? {
    guard let told, told.token != token else { return nil }
    return max(.zero, Self.length - now.duration(since: told.at))
  }
}
