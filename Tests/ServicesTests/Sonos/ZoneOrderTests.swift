import Testing

@testable import Services

@Suite struct ZoneOrderTests {
  /// Every move there is in short queues, against what the words of the action say.
  @Test func movesAsTheActionSays() {
    for length in 1...6 {
      let ids = (1...UInt32(length)).map { $0 * 10 }
      for start in -1...(length + 2) {
        for count in -1...(length + 2) {
          for target in -1...(length + 3) {
            let move = ZoneOrder.move(ids, from: start, count: count, before: target)
            let isPossible =
              start >= 1 && count >= 1 && start + count - 1 <= length && (1...length + 1).contains(target)
            #expect((move != nil) == isPossible, "\(length) \(start) \(count) \(target)")
            guard let move else { continue }
            #expect(applied(move, to: ids) == model(ids, start, count, target), "\(start) \(count) \(target)")
          }
        }
      }
    }
  }

  private func model(_ ids: [UInt32], _ start: Int, _ count: Int, _ target: Int) -> [UInt32] {
    var marked = ids.map { Optional($0) }
    let moved = Array(marked[(start - 1)..<(start - 1 + count)])
    for place in (start - 1)..<(start - 1 + count) { marked[place] = nil }
    marked.insert(contentsOf: moved, at: target - 1)
    return marked.compactMap { $0 }
  }

  private func applied(_ move: ZoneOrder.Move, to ids: [UInt32]) -> [UInt32] {
    var rest = ids.filter { !move.moved.contains($0) }
    let index = move.after == 0 ? 0 : rest.firstIndex(of: move.after).map { $0 + 1 } ?? 0
    if !move.moved.isEmpty { rest.insert(contentsOf: move.moved, at: index) }
    return rest
  }

  @Test(arguments: [
    (4, "3,2,1,0", "0,1,2,3", [3, 2, 1, 0]), (3, "0,2", ",0", [2, 1]), (3, "0,1,2", "", []),
    (3, "1", "", [0, 2]), (3, "2", "0", [2, 0, 1]), (3, "0", "2", [1, 2, 0]),
    (5, "4,0", "0,4", [4, 1, 2, 3, 0]),
    (2, " 0 , 1 ", " 1 , 0 ", [1, 0]),
  ])
  func reorders(_ count: Int, _ tracks: String, _ positions: String, _ order: [Int]) {
    #expect(ZoneOrder.reordered(count: count, tracks: tracks, positions: positions) == order)
  }

  @Test(arguments: [
    (3, "3", "0"), (3, "0,0", "0,1"), (3, "0,1", "0,0"), (3, "0", "0,1"), (3, "0", "3"), (3, "x", "0"),
    (3, "-1", "0"), (3, "0,", "0,1"), (0, "0", "0"), (3, "0,1", ",2"), (3, "99999999999999999999", "0"),
  ])
  func refuses(_ count: Int, _ tracks: String, _ positions: String) {
    #expect(ZoneOrder.reordered(count: count, tracks: tracks, positions: positions) == nil)
  }

  /// Random orders and deletions keep every other track in its order.
  @Test func anyPermutationIsPossible() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let count = Int.random(in: 1...12, using: &random)
      let order = (0..<count).shuffled(using: &random)
      let tracks = order.map(String.init).joined(separator: ",")
      let positions = (0..<count).map(String.init).joined(separator: ",")
      #expect(ZoneOrder.reordered(count: count, tracks: tracks, positions: positions) == order)
      let deleted = Set(order.prefix(Int.random(in: 0...count, using: &random)))
      let expected = (0..<count).filter { !deleted.contains($0) }
      guard !deleted.isEmpty else { continue }
      let list = deleted.map(String.init).joined(separator: ",")
      #expect(ZoneOrder.reordered(count: count, tracks: list, positions: "") == expected)
    }
  }
}
