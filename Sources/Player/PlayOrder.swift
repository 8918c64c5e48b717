/// The play order of a list, and the current place in it.
///
/// A *place* counts in play order, an *index* in the order of the list.
struct PlayOrder: Sendable, Hashable {
  /// A permutation of 0..<count.
  private(set) var indices: [Int]
  /// 0..<count; 0 for an empty list.
  private(set) var place = 0

  /// The order of the list, at its first track.
  init(count: Int) {
    indices = Array(0..<count)
  }

  var count: Int { indices.count }
  /// Index of the current track; nil for an empty list.
  var index: Int? { indices.indices.contains(place) ? indices[place] : nil }

  func index(at place: Int) -> Int? { indices.indices.contains(place) ? indices[place] : nil }

  mutating func move(toPlace place: Int) {
    guard indices.indices.contains(place) else { return }
    self.place = place
  }

  mutating func move(toIndex index: Int) {
    guard let place = indices.firstIndex(of: index) else { return }
    self.place = place
  }

  /// Returns to the order of the list; the current track stays current.
  mutating func straighten() {
    let current = index ?? 0
    indices = Array(0..<count)
    place = current
  }

  /// A new random order. With `keepingCurrent` the current track stays current and all others follow it.
  mutating func shuffle(keepingCurrent: Bool, using random: inout SplitMix64) {
    let current = index
    indices.shuffle(using: &random)
    if keepingCurrent, let current, let found = indices.firstIndex(of: current) {
      indices.swapAt(0, found)
    }
    place = 0
  }
}
