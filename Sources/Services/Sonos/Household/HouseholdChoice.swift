/// Which household a zone belongs to: the one that most counts among those of the zones that are verified as ones of this
/// program. All of them choose by the same rule, so they come to one.
public struct HouseholdChoice: Sendable, Hashable {
  /// So often can others move a zone to another household within an hour.
  public static let mostMoves = 8
  /// The time within which moves are counted, in seconds.
  private static let period = 3600

  /// The name of the household that is chosen now.
  public private(set) var household: String
  /// How firmly.
  public private(set) var standing: ZoneFacts.Standing
  /// When it has moved, in seconds.
  private var moves: [Int] = []

  public init(_ household: String, _ standing: ZoneFacts.Standing) {
    self.household = household
    self.standing = standing
  }

  /// Chooses among its own and those of others; returns whether anything has changed.
  ///
  /// - Parameters:
  ///   - others: what is known of verified zones.
  ///   - now: any clock that only goes forward, in seconds.
  public mutating func choose(
    among others: [(household: String, standing: ZoneFacts.Standing)], now: Int
  ) -> Bool {
    guard standing != .configured else { return false }
    let best = others.map { ($0.standing, $0.household) }.min { $0 < $1 }
    if let best, best < (standing, household), best.1 != household {
      moves.removeAll { $0 + Self.period <= now }
      guard moves.count < Self.mostMoves else { return false }
      moves.append(now)
      (household, standing) = (best.1, .settled)
      return true
    }
    guard standing == .fresh, others.contains(where: { $0.household == household }) else { return false }
    standing = .settled
    return true
  }
}
