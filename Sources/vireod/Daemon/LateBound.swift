import Synchronization

/// A value that is needed to make the things it is itself made of; set once.
final class LateBound<Value: Sendable>: Sendable {
  private let storage = Mutex<Value?>(nil)

  var value: Value? { storage.withLock { $0 } }

  func bind(_ value: Value) {
    storage.withLock { $0 = $0 ?? value }
  }
}
