import SeededRandom
import Testing

@testable import Rooms

/// A member asks for the room time.
@Suite struct RoomTimeAskerTests {
  private static let millisecond: Int64 = 1_000_000
  private static let second = 1000 * millisecond

  /// An asker, and a host that answers after a while, or doesn't.
  struct Rig {
    var asker = RoomTimeAsker(rate: nil, random: SeededRandom(seed: 1))
    var now: Int64 = 100 * second
    /// When requests were sent.
    var sent: [Int64] = []
    var answers = true
    /// From the request to its answer.
    var delay: Int64 = 3 * millisecond
    /// Room time less local time.
    var offset: Int64 = 9_000_000 * second
    var frame: UInt32 = 0
    private var waiting: [(arrival: Int64, reply: [UInt8])] = []

    mutating func start() { asker.start(at: now) }

    /// The request that is due now, or `later`.
    mutating func ask(later: Int64 = 0) throws -> [UInt8] {
      now += later
      let request = asker.timePassed(at: now)
      return try #require(request)
    }

    mutating func reply(to request: [UInt8], sent: Int64) -> [UInt8] {
      let nonce = RoomTimeRequest(request[...])?.nonce ?? 0
      let t2 = sent + delay / 2 + offset
      frame += 1
      let anchor = RoomAnchor(epoch: 1, frame: frame, heard: t2 + 150 * millisecond)
      return RoomTimeReply(nonce: nonce, t2: t2, t3: t2, anchor: anchor).bytes
    }

    /// Runs until `end`, in steps of a millisecond.
    mutating func run(for time: Int64) {
      let end = now + time
      while now < end {
        now += millisecond
        for next in waiting where next.arrival <= now {
          asker.receive(next.reply[...], arrival: next.arrival, at: now)
        }
        waiting.removeAll { $0.arrival <= now }
        guard let due = asker.deadline, due <= now, let request = asker.timePassed(at: now) else { continue }
        sent.append(now)
        if answers { waiting.append((now + delay, reply(to: request, sent: now))) }
      }
    }

    var gaps: [Int64] { zip(sent, sent.dropFirst()).map { ($1 - $0) / millisecond } }
  }

  @Test func itAsksFastAndThenTenTimesASecond() {
    var rig = Rig()
    #expect(rig.asker.deadline == nil && rig.asker.timePassed(at: rig.now) == nil)
    rig.start()
    #expect(rig.asker.deadline == rig.now && rig.asker.verdict == .undecided)
    rig.run(for: 5 * Self.second)
    #expect(rig.asker.verdict == .speaks)
    #expect(rig.gaps.prefix(16).dropFirst().allSatisfy { $0 == 20 }, "\(rig.gaps)")
    #expect(rig.gaps.dropFirst(16).allSatisfy { $0 == 100 } && rig.gaps.count > 50)
    #expect(rig.asker.clock.isSettled)
    #expect(abs(rig.asker.clock.room(local: rig.now) - rig.now - rig.offset) < 100_000)
    #expect((rig.frame - 1...rig.frame).contains(rig.asker.anchor?.frame ?? 0))
  }

  @Test func whileNothingIsPlayedItAsksOnceASecond() {
    var rig = Rig()
    rig.asker.report.state = .ready
    rig.start()
    rig.run(for: 40 * Self.second)
    rig.sent = []
    rig.run(for: 10 * Self.second)
    #expect((9...11).contains(rig.sent.count))
    rig.sent = []
    rig.asker.soundBegins(at: rig.now)
    rig.run(for: Self.second)
    #expect(rig.sent.count > 20, "fast at first, and then ten times a second")
  }

  @Test func whatItSaysOfItself() throws {
    var rig = Rig()
    rig.start()
    rig.run(for: Self.second)
    rig.asker.report.state = .playing
    rig.asker.report.lost = 5
    let bytes = try rig.ask(later: Self.second)
    let report = try #require(RoomTimeRequest(bytes[...])).report
    #expect(report.state == .playing && report.lost == 5)
    #expect((1400...1600).contains(report.halfWidth), "half of 3 ms")
  }

  @Test func aHostThatDoesNotAnswerIsForeign() {
    var rig = Rig()
    rig.answers = false
    rig.start()
    rig.run(for: 250 * Self.millisecond)
    #expect(rig.asker.verdict == .undecided)
    rig.run(for: 100 * Self.millisecond)
    #expect(rig.asker.verdict == .foreign && rig.gaps == [100, 100])
    rig.run(for: 60 * Self.second)
    #expect(rig.sent.count == 6, "one more try")
    #expect((10_000...10_200).contains(rig.gaps[2]))
    #expect(rig.asker.deadline == nil && rig.asker.verdict == .foreign)
  }

  @Test func aHostThatAnswersTheSecondTrySpeaks() {
    var rig = Rig()
    rig.answers = false
    rig.start()
    rig.run(for: 5 * Self.second)
    rig.answers = true
    rig.run(for: 10 * Self.second)
    #expect(rig.asker.verdict == .speaks && rig.asker.clock.isSettled)
  }

  @Test func aClosedPortIsForeignAtOnce() {
    var rig = Rig()
    rig.answers = false
    rig.start()
    rig.run(for: 2 * Self.millisecond)
    rig.asker.refused(at: rig.now)
    #expect(rig.asker.verdict == .foreign)
    #expect(rig.asker.deadline == rig.now + 10 * Self.second)
    rig.asker.refused(at: rig.now)
    #expect(rig.asker.deadline == rig.now + 10 * Self.second, "it is said once for each request")
    rig.run(for: 10 * Self.second + 5 * Self.millisecond)
    rig.asker.refused(at: rig.now)
    #expect(rig.asker.deadline == nil && rig.sent.count == 2)
  }

  @Test func aHostThatFallsSilentIsAskedOn() {
    var rig = Rig()
    rig.start()
    rig.run(for: 5 * Self.second)
    rig.answers = false
    rig.run(for: 10 * Self.second)
    #expect(rig.gaps.suffix(50).allSatisfy { $0 == 100 })
    rig.asker.refused(at: rig.now)
    let before = rig.sent.count
    rig.run(for: 60 * Self.second)
    #expect((55...61).contains(rig.sent.count - before), "less and less")
    #expect(rig.asker.verdict == .speaks)
    // The host has begun again, with another constant.
    rig.offset += 12345 * Self.second
    rig.answers = true
    rig.run(for: 2 * Self.second)
    #expect(abs(rig.asker.clock.room(local: rig.now) - rig.now - rig.offset) < 2 * Self.millisecond)
    #expect(rig.asker.clock.isSettled)
  }

  @Test func onlyAnswersToOwnQuestionsCount() throws {
    var rig = Rig()
    rig.start()
    let request = try rig.ask()
    let reply = rig.reply(to: request, sent: rig.now)
    var forged = reply
    forged[15] ^= 1
    rig.asker.receive(forged[...], arrival: rig.now + 1000, at: rig.now + 1000)
    rig.asker.receive(request[...], arrival: rig.now + 1000, at: rig.now + 1000)
    rig.asker.receive([], arrival: rig.now + 1000, at: rig.now + 1000)
    #expect(rig.asker.verdict == .undecided && rig.asker.anchor == nil && !rig.asker.clock.isKnown)
    rig.asker.receive(reply[...], arrival: rig.now + 3_000_000, at: rig.now + 3_000_000)
    #expect(rig.asker.verdict == .speaks && rig.asker.anchor?.frame == 1)
    // The same once more, with another frame.
    var again = reply
    again[39] = 77
    rig.asker.receive(again[...], arrival: rig.now + 4_000_000, at: rig.now + 4_000_000)
    #expect(rig.asker.anchor?.frame == 1)
  }

  @Test func oldQuestionsAreForgotten() throws {
    var rig = Rig()
    rig.start()
    rig.run(for: Self.second)
    var requests: [[UInt8]] = []
    for _ in 0..<17 {
      rig.now = try #require(rig.asker.deadline)
      requests.append(try rig.ask())
    }
    let known = rig.asker.anchor
    let first = rig.reply(to: requests[0], sent: rig.now)
    rig.asker.receive(first[...], arrival: rig.now, at: rig.now)
    #expect(rig.asker.anchor == known, "the 17th question took its place")
    let late = rig.now + 3 * Self.second
    let last = rig.reply(to: requests[16], sent: rig.now)
    rig.asker.receive(last[...], arrival: late, at: late)
    #expect(rig.asker.anchor == known, "too late")
  }

  @Test func anAnswerThatWasOvertakenChangesNoAnchor() throws {
    var rig = Rig()
    rig.start()
    rig.run(for: Self.second)
    var replies: [[UInt8]] = []
    for _ in 0..<2 {
      rig.now = try #require(rig.asker.deadline)
      let request = try rig.ask()
      replies.append(rig.reply(to: request, sent: rig.now))
    }
    for reply in replies.reversed() {
      rig.asker.receive(reply[...], arrival: rig.now + Self.millisecond, at: rig.now + Self.millisecond)
    }
    #expect(rig.asker.anchor?.frame == rig.frame)
  }

  /// A stamp of the kernel may come from a clock that is being set.
  @Test func stampsThatCantBeAreNotUsed() throws {
    var rig = Rig()
    rig.start()
    let request = try rig.ask()
    let reply = rig.reply(to: request, sent: rig.now)
    rig.asker.receive(reply[...], arrival: rig.now - 1, at: rig.now + Self.millisecond)
    #expect(!rig.asker.clock.isKnown)
  }
}
