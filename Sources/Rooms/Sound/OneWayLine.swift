/// The time line of a sender that tells no time: when a sample was sent at the earliest, by this host's clock. Pure.
///
/// A message is only ever late, never early. So of the last half minute the earliest ones count: their lower envelope is the
/// line. The smallest delay of the network stays in it, and is the same for all receivers. Times are nanoseconds of this
/// host's monotonic clock.
public struct OneWayLine: Sendable {
  private struct Point {
    /// Nanoseconds by the sender's samples.
    var sent: Int64
    /// Local arrival less `sent`.
    var late: Int64
  }

  /// The earliest point of each of these spans is kept.
  private static let span: Int64 = 100_000_000
  private static let mostPoints = 300
  /// Before this, the rates count as equal: the envelope of a short time says more about delays than about clocks.
  private static let shortest: Int64 = 4_000_000_000
  private static let mostRate = 200e-6

  private var points: [Point] = []
  /// The line: local = sent + offset + rate × (sent − reference).
  private var reference: Int64 = 0
  private var offset: Int64 = 0
  /// How much slower the sender's clock is than ours, as a fraction.
  public private(set) var rate = 0.0

  public init() {}

  public var isKnown: Bool { !points.isEmpty }

  /// What was sent at `sent` (by the sender's samples) came at `arrival`.
  public mutating func add(sent: Int64, arrival: Int64) {
    let point = Point(sent: sent, late: arrival &- sent)
    if let last = points.last, sent &- last.sent < Self.span,
      points.count > 1 || sent / Self.span == last.sent / Self.span
    {
      guard point.late < last.late else { return }
      points[points.count - 1] = point
    } else {
      points.append(point)
      if points.count > Self.mostPoints { points.removeFirst() }
    }
    fit()
  }

  /// When what was sent at `sent` came, or would have come, without delay.
  public func local(sent: Int64) -> Int64 {
    sent &+ offset &+ Int64(Double(sent &- reference) * rate)
  }

  /// What was sent so that it comes at `local` without delay.
  public func sent(local: Int64) -> Int64 {
    let near = local &- offset
    return near &- Int64(Double(near &- reference) * rate / (1 + rate))
  }

  /// Finds the line below all points that lies highest at their middle.
  private mutating func fit() {
    guard let first = points.first, let last = points.last else { return }
    reference = first.sent / 2 &+ last.sent / 2
    guard last.sent &- first.sent >= Self.shortest else {
      rate = 0
      offset = points.lazy.map(\.late).min() ?? 0
      return
    }
    let hull = lowerHull()
    let middle = reference
    let right = hull.firstIndex { $0.sent >= middle } ?? hull.count - 1
    let left = max(0, right - 1)
    let span = Double(hull[right].sent &- hull[left].sent)
    let slope = span > 0 ? Double(hull[right].late &- hull[left].late) / span : 0
    rate = min(max(slope, -Self.mostRate), Self.mostRate)
    // A rate that had to be limited touches the points elsewhere.
    let limited = rate
    offset = points.map { $0.late &- Int64(Double($0.sent &- middle) * limited) }.min() ?? 0
  }

  private func lowerHull() -> [Point] {
    var hull: [Point] = []
    for point in points {
      while hull.count >= 2, isAbove(hull[hull.count - 1], from: hull[hull.count - 2], to: point) {
        hull.removeLast()
      }
      hull.append(point)
    }
    return hull
  }

  /// Whether `middle` lies above the line between its neighbours, or on it.
  private func isAbove(_ middle: Point, from left: Point, to right: Point) -> Bool {
    let whole = Double(right.sent &- left.sent)
    guard whole > 0 else { return true }
    let share = Double(middle.sent &- left.sent) / whole
    return Double(middle.late) >= Double(left.late) + share * Double(right.late &- left.late)
  }
}
