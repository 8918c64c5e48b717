/// Finds suggestions for "did you mean …?".
enum Suggestion {
  /// The candidate nearest to `word`; nil when none is near enough to be a typing error.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let word = word.lowercased()
    let best = candidates.map { ($0, distance(word, $0.lowercased())) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = best, distance <= max(1, min(word.count, candidate.count) / 3) else {
      return nil
    }
    return candidate
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that turn `left` into `right` (optimal
  /// string alignment).
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8.prefix(64))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let change = last[column] + (left[row] == right[column] ? 0 : 1)
        var least = min(change, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
