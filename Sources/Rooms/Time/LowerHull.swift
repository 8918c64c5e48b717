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
