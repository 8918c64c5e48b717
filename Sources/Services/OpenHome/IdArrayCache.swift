import Player
import Synchronization

/// The texts of one list's id array: the present one for the action, and the one that subscribers are told.
final class IdArrayCache: Sendable {
  private let window = Mutex(IdArrayWindow())
  private let present = Memo<UInt32, String>()

  /// The text of `ids`, whose change count is `token`.
  func text(token: UInt32, encode: () -> String) -> String {
    present.value(for: token) { _ in encode() }
  }

  /// The text that subscribers are told now.
  func told(token: UInt32, now: PlayerInstant, encode: () -> String) -> String {
    window.withLock { $0.text(token: token, now: now) { text(token: token, encode: encode) } }
  }

  func nextChange(token: UInt32, now: PlayerInstant) -> Duration? {
    window.withLock { $0.nextChange(token: token, now: now) }
  }
}
