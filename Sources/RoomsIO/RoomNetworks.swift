import Rooms
import Threads

/// What is known of other rooms as long as the daemon runs: the networks on which they are heard, and how their clocks go.
public final class RoomNetworks: Sendable {
  private struct State: Sendable {
    var links: [IPv4Link]?
    /// How much faster than ours the clocks of senders go, by their addresses.
    var rates: [UInt32: Double] = [:]
  }

  private static let mostRates = 32
  private let state = SharedState(State())

  public init() {}

  /// Those that were set, else all of this host.
  public var current: [IPv4Link] { state.withLock { $0.links } ?? HostLinks.current }

  /// Other rooms are heard on these from now on.
  public func set(_ networks: [IPv4Link]) { state.withLock { $0.links = networks } }

  /// How much faster than ours the clock of a sender went last, as a fraction; nil if that isn't known.
  func rate(of sender: UInt32) -> Double? { state.withLock { $0.rates[sender] } }

  func remember(rate: Double, of sender: UInt32) {
    state.withLock { state in
      if state.rates.count >= Self.mostRates { state.rates = [:] }
      state.rates[sender] = rate
    }
  }
}
