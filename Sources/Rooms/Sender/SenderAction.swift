/// What a ``SenderMachine`` wants done.
public enum SenderAction: Equatable, Sendable {
  /// Send this datagram to each of these, from the control socket or another one.
  case send([UInt8], to: [IPv4Endpoint])
  /// Somebody listens: sound is wanted, and its frames are counted from 0.
  case becameActive
  /// Nobody listens any more: sound isn't wanted.
  case becameIdle
  /// Another sender uses our group: nothing is sent until then (nanoseconds of the monotonic clock), or later if it goes on.
  case blocked(until: Int64)
  /// The group is free again.
  case unblocked
}
