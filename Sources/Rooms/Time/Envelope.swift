/// The corners of the line that is stretched below a number of points.
struct LowerHull {
  struct Point {
    var x: Double
    var y: Double
  }

  private(set) var corners: [Point] = []

  /// - Parameter points: in the order of their `x`.
  init(_ points: some Sequence<Point>) {
    for point in points {
      while corners.count >= 2, Self.isAbove(corners[corners.count - 1], corners[corners.count - 2], point) {
        corners.removeLast()
      }
      corners.append(point)
    }
  }

  /// Whether `middle` lies above the line between its neighbours, or on it.
  private static func isAbove(_ middle: Point, _ left: Point, _ right: Point) -> Bool {
    (right.x - left.x) * (middle.y - left.y) >= (right.y - left.y) * (middle.x - left.x)
  }

  /// The highest line of this slope that no point lies below: where it touches one, and its height at `x` = 0.
  func touch(slope: Double) -> (x: Double, height: Double) {
    var best = (x: 0.0, height: Double.infinity)
    for corner in corners where corner.y - slope * corner.x < best.height {
      best = (corner.x, corner.y - slope * corner.x)
    }
    return best
  }
}

/// Measurements that are only ever too large: what counts of them is the line below. `x` is a time in nanoseconds, `y` what
/// was measured, in nanoseconds.
struct Envelope {
  private let hull: LowerHull
  /// The mean of `x`.
  let centre: Double
  /// How densely the points lie just above the line: the mean distance from one to the next, in nanoseconds. The line may
  /// be off by as much.
  let spacing: Double

  /// From so many of the lowest points the spacing is taken.
  private static let counted = 8
  /// A point that lies so many spacings and so many nanoseconds below all others was measured wrong.
  private static let farBelow = (spacings: 10.0, nanoseconds: 20_000.0)

  /// - Parameters:
  ///   - points: in the order of their `x`.
  ///   - slope: about the slope of the line.
  ///   - isPart: whether others count beside it: few points may lie closer by chance than they should, and then must not
  ///     outweigh all.
  init(_ points: [LowerHull.Point], near slope: Double, isPart: Bool = false) {
    centre = points.reduce(0) { $0 + $1.x } / Double(max(points.count, 1))
    let heights = points.map { $0.y - slope * $0.x }
    let lowest = Self.lowest(min(Self.counted, heights.count / 3) + 1, of: heights)
    let count = lowest.count - 1
    // Of few points nothing is known.
    var spacing = count >= 2 ? max((lowest[count] - lowest[1]) / Double(count - 1), 1000) : 1_000_000
    if isPart, count < Self.counted {
      let mean = heights.reduce(0, +) / Double(max(heights.count, 1))
      spacing = max(spacing, (mean - lowest[0]) / Double(max(heights.count, 1)))
    }
    self.spacing = spacing
    let gap = Self.farBelow.spacings * spacing + Self.farBelow.nanoseconds
    if count >= 2, lowest[1] - lowest[0] > gap, let wrong = heights.firstIndex(of: lowest[0]) {
      var others = points
      others.remove(at: wrong)
      hull = LowerHull(others)
    } else {
      hull = LowerHull(points)
    }
  }

  /// The `count` lowest of `heights`, the lowest first.
  private static func lowest(_ count: Int, of heights: [Double]) -> [Double] {
    var lowest: [Double] = []
    for height in heights where lowest.count < count || height < lowest[lowest.count - 1] {
      if lowest.count == count { lowest.removeLast() }
      lowest.insert(height, at: lowest.firstIndex { $0 > height } ?? lowest.count)
    }
    return lowest
  }

  /// The height at `x` = 0 of the highest line of this slope below the points; infinite if there are none.
  func height(slope: Double) -> Double { hull.touch(slope: slope).height }

  /// Where that line touches the points.
  func touch(slope: Double) -> Double { hull.touch(slope: slope).x }

  /// How much the points speak for a larger slope than this one (below 0: for a smaller one): the derivative of the
  /// logarithm of their likelihood. It falls with the slope.
  func pull(slope: Double) -> Double { (centre - touch(slope: slope)) / spacing }
}
