import Synchronization

/// A value that is set once, after the objects that refer to it have been created.
final class SetOnce<Value: Sendable>: Sendable {
  private let storage = Mutex<Value?>(nil)

  var value: Value? { storage.withLock { $0 } }

  func bind(_ value: Value) {
    storage.withLock { $0 = $0 ?? value }
  }
}
