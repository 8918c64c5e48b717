import Synchronization

/// The last result of a computation, kept for as long as what it was made of stays the same.
///
/// Services are values that are asked for everything they show whenever anything has changed; what is dear to make
/// and rarely changes is kept here.
final class Memo<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(key: Key, value: Value)?>(nil)

  /// What `make` gives for `key`, from the last call if that was for an equal one.
  func value(for key: Key, make: (Key) -> Value) -> Value {
    if let last = last.withLock({ $0 }), last.key == key { return last.value }
    let value = make(key)
    last.withLock { $0 = (key, value) }
    return value
  }
}
