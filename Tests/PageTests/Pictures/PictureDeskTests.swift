import NIOCore
import Testing

@testable import HTTP
@testable import Page

/// How many pictures are fetched at once, and for whom.
@Suite struct PictureDeskTests {
  private var desk = PictureDesk()
  private let now = NIODeadline.uptimeNanoseconds(1_000_000_000)

  private mutating func ask(_ key: String, _ host: String, _ reader: Int) -> PictureDesk.Asked {
    desk.ask(key, host: host, reader: .number(reader), now: now)
  }

  @Test mutating func onePictureIsFetchedOnceForAll() {
    #expect(ask("a", "h", 1) == .start)
    #expect(ask("a", "h", 2) == .wait)
    #expect(desk.finished("a", bytes: 1000, now: now) == [.number(1), .number(2)])
    #expect(desk.isEmpty)
    #expect(ask("a", "h", 3) == .start)
  }

  @Test mutating func twoOfAHostAndFourInAll() {
    #expect(ask("a", "h", 1) == .start)
    #expect(ask("b", "h", 2) == .start)
    #expect(ask("c", "h", 3) == .wait)
    #expect(ask("d", "i", 4) == .start)
    #expect(ask("e", "j", 5) == .start)
    #expect(ask("f", "k", 6) == .wait)
    _ = desk.finished("d", bytes: 1000, now: now)
    // c came first, but its host is busy.
    #expect(desk.next() == ["f"])
    _ = desk.finished("a", bytes: 1000, now: now)
    #expect(desk.next() == ["c"])
    #expect(desk.next().isEmpty)
  }

  @Test mutating func whatFailedIsNotTriedForAMinute() {
    #expect(ask("a", "h", 1) == .start)
    #expect(desk.finished("a", bytes: nil, now: now) == [.number(1)])
    #expect(ask("a", "h", 2) == .refuse)
    #expect(desk.ask("a", host: "h", reader: .number(3), now: now + .seconds(61)) == .start)
  }

  @Test mutating func failuresAreBounded() {
    for number in 0..<PictureDesk.mostFailures * 3 {
      #expect(ask("\(number)", "h", 1) == .start)
      _ = desk.finished("\(number)", bytes: nil, now: now)
    }
  }

  @Test mutating func whoLeavesFreesThePlace() {
    #expect(ask("a", "h", 1) == .start)
    #expect(ask("a", "h", 2) == .wait)
    #expect(ask("b", "h", 3) == .start)
    #expect(ask("c", "h", 4) == .wait)
    #expect(desk.left(.number(1)) == nil)
    #expect(desk.left(.number(2)) == "a")
    #expect(desk.next() == ["c"])
    #expect(desk.left(.number(9)) == nil)
    #expect(ask("d", "h", 5) == .wait)
    // It hadn't begun.
    #expect(desk.left(.number(5)) == nil)
    #expect(desk.finished("d", bytes: 1000, now: now).isEmpty)
  }

  @Test mutating func onlySoManyMayWait() {
    for number in 0..<PictureDesk.mostWaiting { _ = ask("\(number % 7)", "h", number) }
    #expect(ask("x", "h", 1000) == .busy)
    #expect(ask("1", "h", 1001) == .busy)
  }

  // MARK: - Memory

  private mutating func begin(_ number: Int) -> PictureDesk.Asked { ask("\(number)", "h\(number)", number) }

  @Test mutating func onlyOneLargePictureIsFetchedAtOnce() {
    #expect(begin(1) == .start)
    #expect(desk.limit(of: "1") == PictureDesk.usualBytes)
    desk.exceeded("1")
    #expect(desk.next() == ["1"])
    #expect(desk.limit(of: "1") == Picture.largest)
    #expect(begin(2) == .start)
    desk.exceeded("2")
    #expect(desk.next().isEmpty)
    // Others go on meanwhile.
    #expect(begin(3) == .start)
    #expect(begin(4) == .start)
    #expect(begin(5) == .start)
    #expect(desk.finished("1", bytes: nil, now: now) == [.number(1)])
    #expect(desk.next() == ["2"])
  }

  /// A phone that takes nothing keeps its picture here.
  @Test mutating func whatNobodyHasTakenCounts() {
    #expect(begin(1) == .start)
    desk.exceeded("1")
    #expect(desk.next() == ["1"])
    _ = desk.finished("1", bytes: Picture.largest, now: now)
    #expect(begin(2) == .start)
    desk.exceeded("2")
    #expect(desk.next().isEmpty)
    for number in 3...5 {
      #expect(begin(number) == .start)
      _ = desk.finished("\(number)", bytes: PictureDesk.usualBytes, now: now)
    }
    #expect(begin(6) == .start)
    #expect(begin(7) == .wait)
    desk.taken(Picture.largest)
    #expect(desk.next() == ["2"])
    for _ in 3...5 { desk.taken(PictureDesk.usualBytes) }
    #expect(desk.next() == ["7"])
  }
}
