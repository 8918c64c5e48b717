import Synchronization

/// Hands objects to the callbacks of C libraries, which call back on threads of their own.
///
/// The library's locks see to it that a callback finds the object as it was when it was given. ThreadSanitizer can't see
/// those, and the Swift compiler knows nothing of them; so giving releases and borrowing acquires what was written.
package enum HandOver {
  /// Any counter would do: what matters is the order that it makes between a gift and all borrowing after it.
  private static let gifts = Atomic<Int>(0)

  /// For the library's pointer to user data. `object` lives until ``end(_:)``.
  package static func give(_ object: AnyObject) -> UnsafeMutableRawPointer {
    let context = Unmanaged.passRetained(object).toOpaque()
    gifts.wrappingAdd(1, ordering: .releasing)
    return context
  }

  /// The object behind `context`, in a callback. It must be of the type that was given.
  package static func borrow<Object: AnyObject>(
    _ context: UnsafeMutableRawPointer, as type: Object.Type = Object.self
  ) -> Object {
    _ = gifts.load(ordering: .acquiring)
    return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
  }

  /// For the library's notice that it doesn't need its user data any more.
  package static func end(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    gifts.wrappingAdd(1, ordering: .acquiringAndReleasing)
    Unmanaged<AnyObject>.fromOpaque(context).release()
  }
}
