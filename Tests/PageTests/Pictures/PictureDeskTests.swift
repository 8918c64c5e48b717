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
    #expect(desk.finished("a", hasFailed: false, now: now) == [.number(1), .number(2)])
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
    _ = desk.finished("d", hasFailed: false, now: now)
    // c came first, but its host is busy.
    #expect(desk.next() == ["f"])
    _ = desk.finished("a", hasFailed: false, now: now)
    #expect(desk.next() == ["c"])
    #expect(desk.next().isEmpty)
  }

  @Test mutating func whatFailedIsNotTriedForAMinute() {
    #expect(ask("a", "h", 1) == .start)
    #expect(desk.finished("a", hasFailed: true, now: now) == [.number(1)])
    #expect(ask("a", "h", 2) == .refuse)
    #expect(desk.ask("a", host: "h", reader: .number(3), now: now + .seconds(61)) == .start)
  }

  @Test mutating func failuresAreBounded() {
    for number in 0..<PictureDesk.mostFailures * 3 {
      #expect(ask("\(number)", "h", 1) == .start)
      _ = desk.finished("\(number)", hasFailed: true, now: now)
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
    #expect(desk.finished("d", hasFailed: false, now: now).isEmpty)
  }

  @Test mutating func onlySoManyMayWait() {
    for number in 0..<PictureDesk.mostWaiting { _ = ask("\(number % 7)", "h", number) }
    #expect(ask("x", "h", 1000) == .busy)
    #expect(ask("1", "h", 1001) == .busy)
  }
}
