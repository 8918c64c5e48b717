import Synchronization

/// Passes objects to the callbacks of C libraries, which run on the library's own threads.
///
/// The library's locks already order a callback after its registration. Neither ThreadSanitizer nor the Swift compiler
/// can see those locks, so ``give(_:)`` releases and ``borrow(_:as:)`` acquires.
package enum CallbackContext {
  /// The value is never used: the counter only orders a gift before every borrow that follows.
  private static let gifts = Atomic<Int>(0)

  /// Returns the user data pointer for the library, which keeps `object` alive until ``end(_:)``.
  package static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
    let context = Unmanaged.passRetained(object).toOpaque()
    gifts.wrappingAdd(1, ordering: .releasing)
    return context
  }

  /// Returns the object behind `context`, in a callback; `type` must be the type that was given.
  package static func object<Object: AnyObject>(
    _ context: UnsafeMutableRawPointer, as type: Object.Type = Object.self
  ) -> Object {
    _ = gifts.load(ordering: .acquiring)
    return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
  }

  /// Releases the object, when the library no longer needs its user data.
  package static func release(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    gifts.wrappingAdd(1, ordering: .acquiringAndReleasing)
    Unmanaged<AnyObject>.fromOpaque(context).release()
  }
}
