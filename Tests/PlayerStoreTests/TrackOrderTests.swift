import SeededRandom
import Testing

@testable import PlayerStore

@Suite struct TrackOrderTests {
  /// The tables `track` and `fold`, in memory.
  private struct Table {
    var rows: [UInt32: (after: UInt32, isDeleted: Bool)] = [:]
    var fold: (last: UInt32, ids: [UInt32]) = (0, [])
    var written = 0

    mutating func write(
      _ difference: TrackOrder.Difference, from order: TrackOrder, to ids: [UInt32], _ last: UInt32
    ) {
      if difference.clears { rows = [:] }
      for id in difference.deleted { rows[id] = nil }
      for id in difference.emptied { rows[id]?.isDeleted = true }
      if difference.folds {
        rows = rows.filter { !$0.value.isDeleted }
        fold = (last, ids)
      }
      for insertion in difference.inserted { rows[insertion.id] = (insertion.after, false) }
      written += difference.inserted.count
    }

    func read() throws -> TrackOrder {
      var replay = try TrackReplay(fold: fold)
      for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
        try replay.add(id: id, after: row.after, isDeleted: row.isDeleted)
      }
      return replay.order()
    }
  }

  /// Whatever is done to the list, the rows written for it give it back; 10,000 steps, saved now and then.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 1, 2])
  func theRowsGiveTheListBack(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var table = Table()
    var order = TrackOrder()
    var ids: [UInt32] = []
    var last: UInt32 = 0
    var inserts = 0
    for step in 1...10_000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0 where ids.count > 200: ids = []
      case 0..<30 where !ids.isEmpty: ids.remove(at: Int.random(in: 0..<ids.count, using: &random))
      case 30..<32: ids.shuffle(using: &random)
      case 32..<70:
        last += 1
        inserts += 1
        ids.insert(last, at: Int.random(in: 0...ids.count, using: &random))
      default:
        last += 1
        inserts += 1
        ids.append(last)
      }
      guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
      let difference = order.difference(to: ids, lastID: last)
      table.write(difference, from: order, to: ids, last)
      order.take(difference, to: ids, lastID: last)
      let read = try table.read()
      try #require(read == order, "seed \(seed), step \(step)")
      try #require(order.ids == ids && order.lastID == last, "seed \(seed), step \(step)")
      try #require(order.replayed <= TrackOrder.maximumReplay)
      try #require(order.difference(to: ids, lastID: last).isEmpty, "seed \(seed), step \(step)")
    }
    #expect(table.written <= inserts)
  }

  @Test func anInsertIsOneRowWhereverItGoes() {
    var order = TrackOrder()
    let ids = (1...1000).map { UInt32($0) }
    order.take(order.difference(to: ids, lastID: 1000), to: ids, lastID: 1000)
    for index in [0, 1, 500, 1000] {
      var wanted = ids
      wanted.insert(1001, at: index)
      let difference = order.difference(to: wanted, lastID: 1001)
      #expect(difference.inserted == [.init(id: 1001, after: index == 0 ? 0 : ids[index - 1])])
      #expect(
        !difference.clears && !difference.folds && difference.deleted.isEmpty && difference.emptied.isEmpty)
    }
  }

  @Test func anotherListIsWrittenAnew() {
    var order = TrackOrder()
    order.take(order.difference(to: [1, 2], lastID: 2), to: [1, 2], lastID: 2)
    let difference = order.difference(to: [4, 3], lastID: 4)
    #expect(difference.clears && difference.folds && difference.deleted.isEmpty && difference.emptied.isEmpty)
    #expect(order.difference(to: [], lastID: 2).clears)
  }

  /// The id of a track that came and went between two saves must not come again.
  @Test func aCounterAheadOfTheTracksIsKept() throws {
    var table = Table()
    let order = TrackOrder()
    let difference = order.difference(to: [1, 2], lastID: 9)
    table.write(difference, from: order, to: [1, 2], 9)
    #expect(try table.read().lastID == 9)
  }

  @Test func damageIsNoticed() {
    #expect(throws: SQLiteError.self) { try TrackReplay(fold: (3, [1, 1])) }
    #expect(throws: SQLiteError.self) { try TrackReplay(fold: (3, [4])) }
    #expect(throws: SQLiteError.self) { try TrackReplay(fold: (3, [0])) }
    #expect(throws: SQLiteError.self) {
      var replay = try TrackReplay(fold: (3, [1]))
      try replay.add(id: 2, after: 1, isDeleted: false)
    }
    #expect(throws: SQLiteError.self) {
      var replay = try TrackReplay(fold: (3, [1]))
      try replay.add(id: 5, after: 2, isDeleted: false)
    }
  }

  @Test func anEndlessListIsDamage() {
    #expect(throws: SQLiteError.self) {
      var replay = try TrackReplay(fold: (0, []))
      for id in 1...UInt32(70_000) { try replay.add(id: id, after: id - 1, isDeleted: id.isMultiple(of: 2)) }
    }
  }

  @Test func idsAreReadBack() {
    let ids: [UInt32] = [0, 1, 0x0102_0304, .max]
    #expect(TrackIDCoding.decode(TrackIDCoding.encode(ids)) == ids)
    #expect(TrackIDCoding.encode([0x0102_0304]) == [4, 3, 2, 1])
    #expect(TrackIDCoding.decode([1, 2, 3]) == nil)
  }
}
