import NIOCore

/// Decides whether this zone may show itself: not beside zones of another household, since most controllers take the first
/// household that answers for the only one, and ours would hide the real one.
///
/// A machine without a clock and without sockets: it is told the time and what was heard.
struct HouseholdWatch: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// Asks whether there are others, and shows nothing yet.
    case looking(searchesLeft: Int, wake: NIODeadline)
    case shown
    /// Others are there; each message of theirs puts the end off.
    case hidden(until: NIODeadline)
  }

  enum Action: Sendable, Equatable {
    case search
    case show
    /// Withdraws this zone, or doesn't show it at all: there is a zone of that household.
    case hide(household: String)
  }

  private static let searches = 3
  private static let searchPause = TimeAmount.milliseconds(700)
  /// Zones announce themselves at least every half hour, and may be missed twice.
  private static let memory = TimeAmount.minutes(75)

  private let own: String
  private(set) var phase: Phase

  /// - Parameter own: the household of this zone.
  init(own: String, now: NIODeadline) {
    self.own = own
    phase = .looking(searchesLeft: Self.searches, wake: now)
  }

  /// When ``woken(now:)`` is to be called; nil for never.
  var wake: NIODeadline? {
    switch phase {
    case .looking(_, let wake): wake
    case .shown: nil
    case .hidden(let until): until
    }
  }

  mutating func woken(now: NIODeadline) -> Action? {
    guard let wake, wake <= now else { return nil }
    switch phase {
    case .looking(let left, _) where left > 0:
      phase = .looking(searchesLeft: left - 1, wake: now + Self.searchPause)
      return .search
    case .looking, .shown:
      phase = .shown
      return .show
    case .hidden:
      // It asks before it shows itself: the others may only have been unheard.
      phase = .looking(searchesLeft: Self.searches, wake: now)
      return nil
    }
  }

  /// A zone of `household` was heard.
  mutating func heard(_ household: String, now: NIODeadline) -> Action? {
    guard household != own else { return nil }
    defer { phase = .hidden(until: now + Self.memory) }
    if case .hidden = phase { return nil }
    return .hide(household: household)
  }

  /// This host has come to another network, whose zones it doesn't know.
  mutating func networkChanged(now: NIODeadline) {
    guard phase != .shown else { return }
    phase = .looking(searchesLeft: Self.searches, wake: now)
  }
}
