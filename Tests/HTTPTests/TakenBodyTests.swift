import NIOCore
import SeededRandom
import Testing

@testable import HTTP

/// Bodies that are passed on in pieces.
@Suite struct TakenBodyTests {
  private static func head(_ length: Int, _ fields: String = "", path: String = "/file") -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(fields)\r\n"
  }

  private static func rig(_ change: (inout HTTPLimits) -> Void = { _ in }) -> ConnectionRig {
    let rig = ConnectionRig {
      $0.bodyBytes = 50
      change(&$0)
    }
    rig.taken = ["/file"]
    rig.answer = { _ in .later }
    return rig
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func asManyPiecesComeAsAreWanted() {
    let rig = Self.rig()
    rig.receive(Self.head(100) + Self.text(30))
    #expect(rig.news() == ["check /file", "unfinished 0"], "nothing before it is wanted")
    let mayRead = rig.connection.wantsToRead()
    #expect(!mayRead)
    rig.want(2)
    #expect(rig.news() == ["piece 30", "read"])
    rig.receive(Self.text(30))
    #expect(rig.news() == ["piece 30"])
    rig.receive(Self.text(30))
    #expect(rig.news() == [], "no more are wanted")
    let mayReadMore = rig.connection.mayRead()
    #expect(!mayReadMore)
    rig.want(1)
    #expect(rig.news() == ["piece 30"])
    rig.want(1)
    rig.receive(Self.text(10) + ConnectionRig.get("/next"))
    #expect(rig.news() == ["piece 10, the last"])
    #expect(rig.isAwaited)
    rig.complete("done")
    #expect(rig.sent == ["done"])
    // The connection goes on with the next request.
    #expect(rig.news() == ["send 200", "respond /next"])
  }

  @Test func whoWaitsForConsentGetsItWhenTheBodyIsWanted() {
    let rig = Self.rig()
    rig.receive(Self.head(100, "Expect: 100-continue\r\n"))
    #expect(rig.news() == ["check /file", "unfinished 0"])
    rig.want(4)
    rig.want(1)
    #expect(rig.news() == ["continue"], "once")
  }

  @Test func whoMayNotSendIsToldBeforeAByteIsTaken() {
    let rig = Self.rig()
    rig.receive(Self.head(100, "Expect: 100-continue\r\n"))
    rig.complete("too large")
    #expect(rig.news() == ["check /file", "unfinished 0", "send 200 and close"])
    #expect(rig.pieces.isEmpty)
    rig.receive(Self.text(100))
    #expect(rig.pieces.isEmpty)
  }

  @Test func aLongBodyThatNobodyTakesIsStillTooLarge() {
    let rig = Self.rig()
    rig.receive(Self.head(51, "Expect: 100-continue\r\n", path: "/other") + Self.text(51))
    #expect(rig.news() == ["check /other", "refuse 413"])
  }

  @Test func aBodyWithoutALengthIsNotTaken() {
    let rig = Self.rig()
    rig.receive("POST /file HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
    #expect(rig.news() == ["check /file", "give up"])
    #expect(rig.sent == ["411"])
  }

  // MARK: - Time

  @Test func whoSendsOnHasAllTheTime() {
    let rig = Self.rig {
      $0.bodySeconds = 20
      $0.bodyProgress = 10
    }
    rig.receive(Self.head(1000))
    rig.want(1000)
    for _ in 1...50 {
      rig.wait(.seconds(19))
      rig.receive(Self.text(10))
    }
    #expect(rig.pieces.count == 50 && !rig.isClosed)
    rig.wait(.seconds(20))
    #expect(rig.sent == ["408"])
    #expect(rig.abandoned == 1)
  }

  /// One byte now and then would hold a place for good.
  @Test func aTrickleIsCut() {
    let rig = Self.rig {
      $0.bodySeconds = 20
      $0.bodyProgress = 10
    }
    rig.receive(Self.head(1000))
    rig.want(1000)
    for _ in 1...5 {
      rig.wait(.seconds(4))
      rig.receive("x")
    }
    #expect(rig.sent == ["408"])
  }

  @Test func nobodyIsCutForAnotherSlowness() {
    let rig = Self.rig { $0.bodySeconds = 20 }
    rig.receive(Self.head(100))
    rig.wait(.seconds(3600))
    #expect(rig.sent.isEmpty, "the disk is slow, not the peer")
    rig.want(1)
    rig.receive(Self.text(100))
    #expect(rig.pieces.joined().utf8.count == 100)
  }

  // MARK: - The end

  @Test func whoLeavesInTheMiddleIsGivenUp() {
    let rig = Self.rig()
    rig.receive(Self.head(100) + Self.text(10))
    rig.want(1)
    rig.closeInput()
    #expect(rig.abandoned == 1 && rig.isClosed)
    let other = Self.rig()
    other.receive(Self.head(100))
    other.disconnect()
    #expect(other.abandoned == 1)
  }

  @Test func whoHasSentAllMayCloseBehindIt() {
    let rig = Self.rig()
    rig.receive(Self.head(60) + Self.text(60))
    rig.closeInput()
    #expect(!rig.isClosed)
    rig.want(1)
    #expect(rig.news().suffix(1) == ["piece 60, the last"])
    rig.complete("done")
    #expect(rig.sent == ["done"])
  }

  @Test func aRefusalInTheMiddleEndsTheConnection() {
    let rig = Self.rig()
    rig.receive(Self.head(100) + Self.text(10))
    rig.want(1)
    rig.complete("no audio")
    #expect(rig.news().suffix(1) == ["send 200 and close"])
    rig.receive(Self.text(20))
    #expect(rig.pieces.count == 1)
    rig.leave()
    #expect(rig.news() == ["close output"])
  }

  /// However the bytes are cut and whenever pieces are wanted, every body comes whole and in its order.
  @Test(arguments: 0..<200) func nothingIsLost(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rig = Self.rig()
    var (text, expected) = ("", "")
    let bodies = (0..<5).map { _ in Int.random(in: 51...400, using: &random) }
    for (number, length) in bodies.enumerated() {
      let body = String(repeating: Character(Unicode.Scalar(UInt8(97 + number))), count: length)
      text += Self.head(length) + body
      expected += body
    }
    var rest = Array(text.utf8)[...]
    var steps = 0
    while rig.sent.count < bodies.count {
      steps += 1
      try #require(steps < 20_000, "seed \(seed) stands still")
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        guard rig.connection.mayRead() else { continue }
        let count = min(rest.count, .random(in: 1...60, using: &random))
        rig.receive(String(decoding: rest.prefix(count), as: UTF8.self))
        rest = rest.dropFirst(count)
      case 1: rig.want(.random(in: 1...3, using: &random))
      // Whoever answers before all has come ends the connection.
      default: if case .pending = rig.connection.state { rig.complete("ok") }
      }
      try #require(!rig.isClosed && rig.sent.allSatisfy { $0 == "ok" }, "seed \(seed)")
    }
    #expect(rig.pieces.joined() == expected, "seed \(seed)")
  }

  // MARK: - Streams of a known length

  @Test func aStreamMaySayHowLongItIs() {
    let rig = ConnectionRig { $0.streamSeconds = 20 }
    rig.answer = { _ in
      var response = ConnectionRig.response("")
      response.length = 5
      response.readerSeconds = 600
      return .streaming(response)
    }
    rig.receive(ConnectionRig.get("/song"))
    #expect(rig.stream(5))
    rig.wait(.seconds(599))
    #expect(!rig.isClosed, "a reader that has paused")
    rig.endStream()
    #expect(rig.news().suffix(1) == ["end"])
    var response = ConnectionRig.response("")
    response.framing = .declared(5)
    let text = response.serialized(allocator: ByteBufferAllocator(), form: ResponseForm(), stamp: []).first
    #expect(String(buffer: text).contains("CONTENT-LENGTH: 5\r\n"))
  }
}
