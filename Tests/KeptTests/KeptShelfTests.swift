import SeededRandom
import Testing

@testable import Kept

/// A shelf as whoever keeps lists has it: with all tracks.
private struct Keeper {
  var shelf: KeptShelf
  var lists: [UInt32: KeptList] = [:]
  var tracks: [UInt32: KeptTrack] = [:]

  init(_ limits: KeptLimits = KeptLimits()) { shelf = KeptShelf(limits: limits) }

  @discardableResult
  mutating func perform(
    _ command: KeptCommand, version: UInt32? = nil, at time: Int64 = 0
  ) throws(KeptRefusal) -> KeptChange {
    let list = command.list.flatMap { lists[$0] }
    let change = try shelf.change(KeptEdit(command, version: version), of: list, at: time)
    for id in change.deleted { tracks[id] = nil }
    for entry in change.written { tracks[entry.id] = entry.track }
    lists[change.id] = change.list
    shelf = shelf.taking(change)
    return change
  }

  func contents(_ id: UInt32) -> [KeptTrack]? { lists[id]?.ids.compactMap { tracks[$0] } }
}

@Suite struct KeptShelfTests {
  private func refusal(_ body: () throws(KeptRefusal) -> Void) -> KeptRefusal? {
    do throws(KeptRefusal) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("Evening", "Evening"), ("  Evening\t\n", "Evening"), ("Ä \u{1F3B5}", "Ä \u{1F3B5}"),
    (String(repeating: "x", count: 100), String(repeating: "x", count: 100)),
  ]) func names(given: String, kept: String) throws { #expect(try KeptName.checked(given) == kept) }

  @Test(arguments: ["", "  \u{2003}", String(repeating: "x", count: 101), "a\nb", "a\u{202E}b", "a\u{0}b"])
  func namesThatAreNone(name: String) {
    #expect(refusal { () throws(KeptRefusal) in _ = try KeptName.checked(name) } == .badName)
  }

  /// What a damaged state or a request says may be any number.
  @Test func extremeNumbersDoNoHarm() throws {
    let head = KeptHead(
      id: 7, name: "a", count: .max, milliseconds: .max, bytes: .max, changed: .min, version: .max)
    var other = head
    (other.id, other.name) = (.max, "b")
    var keeper = Keeper()
    keeper.shelf = KeptShelf([head, other], lastList: 0, lastTrack: .max - 1)
    keeper.lists[7] = KeptList(head, places: [.init(id: 5, bytes: .max, milliseconds: .max)])
    #expect(refusal { () throws(KeptRefusal) in try keeper.perform(.create("c", [])) } == .tooManyLists)
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.add(7, [.numbered(1)], after: nil)) } == .noRoom
    )
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.move(7, [.max], after: 0)) } == .noTrack)
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.move(7, [5], after: .max)) } == .noTrack)
    #expect(refusal { () throws(KeptRefusal) in try keeper.perform(.remove(7, [.max, 0])) } == .noTrack)
    try keeper.perform(.delete(7))
    #expect(keeper.shelf.heads.map(\.id) == [.max])
  }

  @Test func aNameIsGivenOnce() throws {
    var keeper = Keeper()
    let first = try keeper.perform(.create("Evening", [])).id
    let second = try keeper.perform(.create("Morning", [])).id
    #expect(refusal { () throws(KeptRefusal) in try keeper.perform(.create(" evening ", [])) } == .nameTaken)
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.rename(second, "EVENING")) } == .nameTaken)
    try keeper.perform(.rename(first, "EVENING"))
    #expect(keeper.shelf.heads.map(\.name) == ["EVENING", "Morning"])
    try keeper.perform(.delete(first))
    // A new one gets the name, and never the id.
    #expect(try keeper.perform(.create("Evening", [])).id > second)
  }

  @Test func limits() throws {
    var limits = KeptLimits()
    (limits.lists, limits.tracks, limits.listBytes, limits.bytes) = (2, 3, 400, 500)
    var keeper = Keeper(limits)
    let track = KeptTrack.numbered(1)
    let id = try keeper.perform(.create("a", [track, track])).id
    let change = try keeper.perform(.add(id, [track, track], after: nil))
    #expect((change.added, change.left) == (1, 1))
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.add(id, [track], after: 0)) } == .listFull)
    try keeper.perform(.create("b", []))
    #expect(refusal { () throws(KeptRefusal) in try keeper.perform(.create("c", [])) } == .tooManyLists)
    // One of 400 bytes is too much for the list, one of 300 for all of them.
    try keeper.perform(.replace(id, [.numbered(3, bytes: 300)]))
    #expect(
      refusal { () throws(KeptRefusal) in
        try keeper.perform(.add(id, [.numbered(5, bytes: 100)], after: nil))
      } == .listFull)
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.add(2, [.numbered(5, bytes: 300)], after: nil))
      }
        == .noRoom)
    #expect(keeper.contents(id)?.count == 1 && keeper.contents(2)?.isEmpty == true)
  }

  @Test func whoHasSeenAnotherVersionIsRefused() throws {
    var keeper = Keeper()
    let id = try keeper.perform(.create("a", [.numbered(1), .numbered(2)])).id
    try keeper.perform(.move(id, [2], after: 0), version: 1)
    #expect(
      refusal { () throws(KeptRefusal) in try keeper.perform(.remove(id, [1]), version: 1) } == .changed)
    try keeper.perform(.remove(id, [1]), version: 2, at: 77)
    #expect(keeper.shelf.heads[0].version == 3 && keeper.shelf.heads[0].changed == 77)
  }

  @Test func whatIsFoundAgainKeepsItsPlace() throws {
    var keeper = Keeper()
    let id = try keeper.perform(.create("a", [.numbered(1), .numbered(2), .numbered(3)])).id
    try keeper.perform(.remove(id, [1]))
    let found = KeptTrack.numbered(9, bytes: 5)
    let change = try keeper.perform(
      .correct(id, [KeptEntry(id: 1, track: found), KeptEntry(id: 3, track: found)]))
    #expect(change.written.map(\.id) == [3])
    #expect(keeper.contents(id) == [.numbered(2), found])
    #expect(keeper.shelf.heads[0].bytes == KeptTrack.numbered(2).bytes + found.bytes)
  }

  @Test func ordersThatMakeNoSense() {
    let place = KeptList.Place(id: 3, bytes: 5, milliseconds: 7)
    let list = KeptList(
      KeptHead(id: 1, name: "a", count: 9, changed: 0, version: 1),
      places: [place, KeptList.Place(id: 0, bytes: 1, milliseconds: 1), place])
    #expect(list.ids == [3] && list.head.count == 1 && list.head.bytes == 5 && list.head.milliseconds == 7)
  }

  /// Any commands, also those that can't be carried out, against arrays of tracks.
  @Test(arguments: 0..<60) func anyCommandsEndAsAModel(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var limits = KeptLimits()
    (limits.lists, limits.tracks, limits.listBytes, limits.bytes) = (4, 12, 2000, 3000)
    var keeper = Keeper(limits)
    var model: [UInt32: (name: String, tracks: [(id: UInt32, track: KeptTrack)])] = [:]
    var number = 0
    func size(_ tracks: [(id: UInt32, track: KeptTrack)]) -> Int { tracks.reduce(0) { $0 + $1.track.bytes } }
    for step in 0..<200 {
      let id = UInt32.random(in: 1...6, using: &random)
      let ids = (model[id]?.tracks ?? []).map(\.id)
      let some = Array(ids.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
      let new = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        number += 1
        return KeptTrack.numbered(number, bytes: Int.random(in: 0...250, using: &random))
      }
      let after: UInt32? =
        [nil, 0, ids.randomElement(using: &random), 9999].randomElement(using: &random) ?? nil
      let name = ["a", "B", "b", "c", "d", " "].randomElement(using: &random) ?? "a"
      let command: KeptCommand =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .create(name, new)
        case 1: .rename(id, name)
        case 2: .delete(id)
        case 3, 4: .add(id, new, after: after)
        case 5: .move(id, some, after: after ?? 0)
        case 6: .remove(id, some)
        default: .replace(id, new)
        }
      let before = keeper.shelf
      let change: KeptChange
      do throws(KeptRefusal) {
        change = try keeper.perform(command, at: Int64(step))
      } catch {
        #expect(keeper.shelf == before)
        continue
      }
      let written = change.written.map { (id: $0.id, track: $0.track) }
      switch command {
      case .create(let name, _): model[change.id] = (name, written)
      case .rename(let id, let name): model[id]?.name = name
      case .delete(let id): model[id] = nil
      case .add(let id, _, let after):
        let index =
          after.map { after in (model[id]?.tracks.firstIndex { $0.id == after }).map { $0 + 1 } ?? 0 }
          ?? model[id]?.tracks.count ?? 0
        model[id]?.tracks.insert(contentsOf: written, at: index)
      case .move(let id, let moved, let after):
        guard var tracks = model[id]?.tracks else { break }
        let taken = moved.compactMap { id in tracks.first { $0.id == id } }
        tracks.removeAll { moved.contains($0.id) }
        let index = tracks.firstIndex { $0.id == after }.map { $0 + 1 } ?? 0
        tracks.insert(contentsOf: taken, at: index)
        model[id]?.tracks = tracks
      case .remove(let id, let removed): model[id]?.tracks.removeAll { removed.contains($0.id) }
      case .replace(let id, _): model[id]?.tracks = written
      case .correct: break
      }
      #expect(change.left == 0 || change.added + change.left == new.count)
      #expect(keeper.shelf.heads.map(\.id) == model.keys.sorted())
      for head in keeper.shelf.heads {
        let expected = try #require(model[head.id])
        #expect(keeper.contents(head.id) == expected.tracks.map(\.track))
        #expect(head.name == expected.name && head.count == expected.tracks.count)
        #expect(head.bytes == size(expected.tracks) && head.bytes <= limits.listBytes)
        #expect(head.count <= limits.tracks)
      }
      #expect(model.count <= limits.lists && keeper.shelf.heads.reduce(0) { $0 + $1.bytes } <= limits.bytes)
      // Nothing is left of what no list has.
      #expect(keeper.tracks.count == model.values.reduce(0) { $0 + $1.tracks.count })
    }
  }
}
