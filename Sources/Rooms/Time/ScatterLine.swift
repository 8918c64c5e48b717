/// A line through points that scatter to both sides: least squares, in which no point pulls harder than one 2.5 standard
/// deviations away. `x` and `y` in nanoseconds.
struct ScatterLine {
  typealias Point = LowerHull.Point

  /// The height at `x` = 0.
  private(set) var height: Double
  private(set) var slope: Double

  /// - Parameters:
  ///   - points: at least one.
  ///   - prior: what is known of the slope.
  ///   - leastScatter: the points are never taken to be better than that.
  init(_ points: [Point], prior: SlopePrior, leastScatter: Double) {
    let count = Double(max(points.count, 1))
    let centre = points.reduce(0) { $0 + $1.x } / count
    let square = points.reduce(0) { $0 + ($1.x - centre) * ($1.x - centre) }
    // First with the slope as known, through the middle of the points.
    var slope = prior.slope
    var middle = Self.median(points.map { $0.y - slope * ($0.x - centre) })
    for _ in 0..<3 {
      let rests = points.map { $0.y - middle - slope * ($0.x - centre) }
      let scatter = max(1.48 * Self.median(rests.map(abs)), leastScatter)
      let limit = 2.5 * scatter
      var (sum, moment) = (0.0, 0.0)
      for (point, rest) in zip(points, rests) {
        let limited = min(max(rest, -limit), limit)
        sum += limited
        moment += limited * (point.x - centre)
      }
      middle += sum / count
      let trust = scatter * scatter / (prior.spread * prior.spread)
      slope += (moment + trust * (prior.slope - slope)) / (square + trust)
    }
    self.slope = slope
    height = middle - slope * centre
  }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }
}
