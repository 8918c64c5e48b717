import NIOCore
import Network

/// Where a server listens that doesn't listen at all addresses, but at each of its own. A pure value.
///
/// An address whose port is taken is tried again, less and less often.
struct AddressListeners: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    case open(IPAddress)
    case close(IPAddress)
    /// The port can't be opened there; told once, until it can.
    case tellFailure(IPAddress)
    /// The port could be opened there after all.
    case tellSuccess(IPAddress)
  }

  fileprivate enum Place: Sendable, Equatable {
    /// `pause` follows if it fails.
    case opening(pause: TimeAmount, isRetry: Bool)
    case open
    case waiting(until: NIODeadline, pause: TimeAmount)
  }

  static let firstPause = TimeAmount.seconds(5)
  static let longestPause = TimeAmount.seconds(60)

  private var places: [IPAddress: Place] = [:]

  /// False while the port is open at none of the addresses, although there are some.
  var isReachable: Bool { places.isEmpty || !places.values.allSatisfy(\.isWaiting) }

  /// When ``woken(now:)`` is to be called; nil for never.
  var wake: NIODeadline? {
    places.values.compactMap { if case .waiting(let until, _) = $0 { until } else { nil } }.min()
  }

  private var inOrder: [(key: IPAddress, value: Place)] { places.sorted { "\($0.key)" < "\($1.key)" } }

  /// Listens at exactly these addresses.
  mutating func set(_ addresses: Set<IPAddress>) -> [Action] {
    var actions: [Action] = []
    for (address, place) in inOrder where !addresses.contains(address) {
      places[address] = nil
      if place == .open { actions.append(.close(address)) }
    }
    for address in addresses.sorted(by: { "\($0)" < "\($1)" }) where places[address] == nil {
      places[address] = .opening(pause: Self.firstPause, isRetry: false)
      actions.append(.open(address))
    }
    return actions
  }

  mutating func opened(_ address: IPAddress) -> [Action] {
    // Gone meanwhile, or opened twice.
    guard case .opening(_, let isRetry) = places[address] else { return [.close(address)] }
    places[address] = .open
    return isRetry ? [.tellSuccess(address)] : []
  }

  mutating func failed(_ address: IPAddress, now: NIODeadline) -> [Action] {
    guard case .opening(let pause, let isRetry) = places[address] else { return [] }
    let next = min(.nanoseconds(pause.nanoseconds * 2), Self.longestPause)
    places[address] = .waiting(until: now + pause, pause: next)
    return isRetry ? [] : [.tellFailure(address)]
  }

  mutating func woken(now: NIODeadline) -> [Action] {
    var actions: [Action] = []
    for (address, place) in inOrder {
      guard case .waiting(let until, let pause) = place, until <= now else { continue }
      places[address] = .opening(pause: pause, isRetry: true)
      actions.append(.open(address))
    }
    return actions
  }
}

extension AddressListeners.Place {
  fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}

/// A port of an address of this host can't be opened, or could be after all.
public struct ListeningChange: Sendable, Hashable {
  /// One of this host's.
  public var address: IPAddress
  /// The TCP port.
  public var port: Int
  /// Why it can't be opened; nil when it is open now.
  public var failure: String?
}
