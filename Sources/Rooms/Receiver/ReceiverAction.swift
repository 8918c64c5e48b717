/// What a ``ReceiverMachine`` wants done.
public enum ReceiverAction: Equatable, Sendable {
  /// Listen to what is said about zones.
  case openZones
  /// Listen to this stream with a new socket. Any other is closed first.
  case openStream(StreamAddress)
  case closeStream
  /// Send to the group of the zones.
  case sendToZones([UInt8])
  /// Send to the sender of the stream, or to its group.
  case sendToStream([UInt8])
  /// Pass what came on to these receivers.
  case forward([UInt8], [IPv4Endpoint])
  /// Sound that hasn't come before, perhaps out of order. `arrival` is the time of this host's monotonic clock, in
  /// nanoseconds, at which it came.
  case audio(AudioMessage, arrival: Int64)
  /// What follows has nothing to do with what came before: its numbers and its clock begin anew.
  case beginAnew
  /// The sender says that silence follows, or has fallen silent.
  case halted
  /// These frames won't come any more.
  case lost(Int)
  /// Nobody has answered for some seconds. It goes on asking.
  case unanswered
  case track(uri: String, metadata: String)
  case metatext(String)
}

/// Where a stream is heard.
public enum StreamAddress: Hashable, Sendable {
  case multicast(IPv4Endpoint)
  /// The sender's control socket. The sound may come from another port, or from another receiver.
  case unicast(IPv4Endpoint)

  public var endpoint: IPv4Endpoint {
    switch self {
    case .multicast(let endpoint), .unicast(let endpoint): endpoint
    }
  }
}
