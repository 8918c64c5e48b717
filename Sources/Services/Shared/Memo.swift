import Synchronization

/// The last result of a computation, cached until its input changes.
///
/// Services are values that are asked for everything they show after every change. Results that are expensive
/// and rarely change are cached here.
final class Memo<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(key: Key, value: Value)?>(nil)

  /// The result of `make` for `key`; cached if the last call had an equal key.
  func value(for key: Key, make: (Key) -> Value) -> Value {
    if let last = last.withLock({ $0 }), last.key == key { return last.value }
    let value = make(key)
    last.withLock { $0 = (key, value) }
    return value
  }
}
