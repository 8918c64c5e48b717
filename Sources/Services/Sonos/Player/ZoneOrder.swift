import Text

/// How controllers of the Sonos class move tracks. Values all of it.
enum ZoneOrder {
  /// What moving tracks of the queue means: `moved` get the places behind `after`, 0 for the front.
  struct Move: Equatable {
    var moved: [UInt32]
    var after: UInt32
  }

  /// Moves `count` tracks from place `start` before place `target`, which is `ids.count + 1` for the end.
  ///
  /// Places count from 1, as they are before the move.
  ///
  /// - Returns: a move of no tracks when nothing changes; nil for places that there aren't.
  static func move(_ ids: [UInt32], from start: Int, count: Int, before target: Int) -> Move? {
    guard start >= 1, count >= 1, count <= ids.count, start <= ids.count - count + 1,
      (1...ids.count + 1).contains(target)
    else { return nil }
    guard !(start...start + count).contains(target) else { return Move(moved: [], after: 0) }
    return Move(
      moved: Array(ids[(start - 1)..<(start - 1 + count)]), after: target == 1 ? 0 : ids[target - 2])
  }

  /// The most numbers in a list; more than any playlist has tracks.
  private static let mostNumbers = 8192

  /// The order of a stored playlist after ReorderTracksInSavedQueue, as places from 0 in the old one.
  ///
  /// Each track of `tracks` goes to the place in `positions` that stands at the same point; without one it is deleted. The other
  /// tracks keep their order, and fill the places in between.
  ///
  /// - Returns: nil for lists that don't fit each other or the playlist.
  static func reordered(count: Int, tracks: String, positions: String) -> [Int]? {
    guard let named = numbers(tracks), !named.contains(nil) else { return nil }
    let moved = named.compactMap(\.self)
    let goals: [Int?]
    if positions.trimmingASCIISpace.isEmpty {
      goals = Array(repeating: nil, count: moved.count)
    } else {
      guard let read = numbers(positions) else { return nil }
      goals = read
    }
    let (indices, places) = (Set(moved), goals.compactMap(\.self))
    guard moved.count == goals.count, indices.count == moved.count, Set(places).count == places.count,
      moved.allSatisfy((0..<count).contains)
    else { return nil }
    let length = count - (moved.count - places.count)
    guard places.allSatisfy((0..<length).contains) else { return nil }
    let fixed = Dictionary(
      uniqueKeysWithValues: zip(moved, goals).compactMap { track, goal in goal.map { ($0, track) } })
    var rest = (0..<count).filter { !indices.contains($0) }[...]
    return (0..<length).compactMap { fixed[$0] ?? rest.popFirst() }
  }

  /// Numbers with commas between them; nil for an empty place. Nil for anything else.
  private static func numbers(_ text: String) -> [Int?]? {
    let fields = text.split(separator: ",", maxSplits: mostNumbers, omittingEmptySubsequences: false)
    guard fields.count <= mostNumbers else { return nil }
    var numbers: [Int?] = []
    for field in fields.map(\.trimmingASCIISpace) {
      guard field.isEmpty || (Int(field) ?? -1) >= 0 else { return nil }
      numbers.append(Int(field))
    }
    return numbers
  }
}
