import Player
import Synchronization

/// Caches the encoded id array of one list: the current one for the action, and the one last sent to
/// subscribers.
final class IdArrayCache: Sendable {
  private let window = Mutex(IdArrayWindow())
  private let present = Memo<UInt32, String>()

  /// The current encoding of the list whose change count is `token`.
  func text(token: UInt32, encode: () -> String) -> String {
    present.value(for: token) { _ in encode() }
  }

  /// The encoding to send to subscribers now.
  func told(token: UInt32, now: PlayerInstant, encode: () -> String) -> String {
    window.withLock { $0.text(token: token, now: now) { text(token: token, encode: encode) } }
  }

  func nextChange(token: UInt32, now: PlayerInstant) -> Duration? {
    window.withLock { $0.nextChange(token: token, now: now) }
  }
}
