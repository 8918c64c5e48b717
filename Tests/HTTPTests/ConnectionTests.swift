import NIOCore
import Testing

@testable import HTTP

@Suite struct ConnectionTests {
  private static func get(_ path: String, _ fields: String = "", version: String = "1.1") -> String {
    ConnectionRig.get(path, fields, version: version)
  }

  // MARK: - Requests

  @Test func requestsAreAnsweredInTheirOrder() {
    let rig = ConnectionRig()
    rig.receive(Self.get("/1") + Self.get("/2"))
    rig.receive(Self.get("/3"))
    #expect(rig.news() == ["/1", "/2", "/3"].flatMap { ["respond \($0)", "send 200"] })
    #expect(rig.phase == .idle)
  }

  @Test func manyInARowWaitForTheirTurn() {
    let rig = ConnectionRig { $0.pipelineDepth = 2 }
    rig.receive((1...5).map { Self.get("/\($0)") }.joined())
    #expect(rig.sent == ["/1", "/2"])
    #expect(rig.phase == .waiting && rig.turns == 1)
    rig.turn()
    #expect(rig.sent == ["/1", "/2", "/3", "/4"])
    rig.turn()
    #expect(rig.sent.last == "/5" && rig.turns == 0)
  }

  @Test func whoComesWhenThereIsNoTimeWaitsAndIsAnsweredInItsTurn() {
    let rig = ConnectionRig()
    rig.hasTime = false
    rig.receive(Self.get("/1") + Self.get("/2"))
    #expect(rig.news() == ["wait for a turn"])
    rig.turn()
    #expect(rig.news() == ["respond /1", "send 200", "wait for a turn"], "one in each turn")
    // Its own time doesn't run meanwhile.
    rig.wait(.hours(1))
    #expect(rig.news().isEmpty)
    rig.turn()
    #expect(rig.sent == ["/1", "/2"])
  }

  @Test func aRefusedBodyIsNotReadAndAnExpectedOneIsAskedFor() {
    let head = "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
    let rig = ConnectionRig()
    rig.receive(head)
    #expect(rig.news() == ["check /x", "continue"])
    #expect(rig.phase == .receiving)
    rig.receive("body")
    #expect(rig.news() == ["respond /x", "send 200"])
    rig.refusal = HTTPResponse(.notFound)
    rig.receive(head)
    #expect(rig.news() == ["check /x", "send 404 and close"])
    rig.leave()
    #expect(rig.news() == ["close output"])
  }

  @Test func whatIsHeldIsReportedAndTooMuchIsRefused() {
    let rig = ConnectionRig()
    rig.receive("GET")
    rig.receive(" /1 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(rig.news() == ["unfinished 3", "respond /1", "send 200", "unfinished 0"])
    rig.mostUnfinished = 10
    rig.receive("GET /long/path")
    #expect(rig.news() == ["unfinished 14", "refuse 503"])
  }

  @Test func garbageEndsTheConnection() {
    let rig = ConnectionRig()
    rig.receive("garbage\r\n\r\n" + Self.get("/1"))
    #expect(rig.news() == ["refuse 400"])
    rig.leave()
    rig.receive(Self.get("/2"))
    #expect(rig.news() == ["close output"])
    rig.wait(Connection.drainTime)
    #expect(rig.news() == ["close"])
  }

  @Test func littleIsReadBehindTheLastResponse() {
    let rig = ConnectionRig()
    rig.receive(Self.get("/1", "Connection: close\r\n"))
    let piece = String(repeating: "x", count: Connection.drainedBytes / 2)
    rig.receive(piece)
    rig.leave()
    rig.receive(piece)
    #expect(rig.news() == ["respond /1", "send 200 and close", "close output"])
    rig.receive("x")
    #expect(rig.news() == ["close"])
  }

  // MARK: - Deadlines

  @Test func timeForAHeadIsNotProlonged() {
    let rig = ConnectionRig { $0.headSeconds = 10 }
    for _ in 0..<9 {
      rig.wait(.seconds(1))
      rig.receive("x")
    }
    #expect(!rig.news().contains("refuse 408"))
    rig.wait(.seconds(1))
    #expect(rig.news() == ["refuse 408"])
  }

  @Test func whoSaysNothingIsClosedWithoutAWord() {
    let rig = ConnectionRig { $0.headSeconds = 10 }
    rig.wait(.seconds(10))
    #expect(rig.news() == ["close"])
  }

  @Test func timeForABodyIsNotProlonged() {
    let rig = ConnectionRig { $0.bodySeconds = 3 }
    rig.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
    for _ in 0..<2 {
      rig.wait(.seconds(1))
      rig.receive("x")
    }
    #expect(!rig.news().contains("refuse 408"))
    rig.wait(.seconds(1))
    #expect(rig.news() == ["refuse 408"])
  }

  @Test func anIdleConnectionEndsCountedFromItsLastRequest() {
    let rig = ConnectionRig { $0.keepAliveSeconds = 5 }
    rig.receive(Self.get("/1"))
    rig.wait(.seconds(4))
    rig.receive(Self.get("/2"))
    rig.wait(.seconds(4))
    #expect(rig.news().last == "send 200")
    rig.wait(.seconds(1))
    #expect(rig.news() == ["close"])
  }

  // MARK: - Responses that aren't taken

  @Test func nothingIsReadWhileResponsesPileUp() {
    let rig = ConnectionRig()
    rig.fills = true
    rig.receive(Self.get("/1") + Self.get("/2"))
    #expect(rig.sent == ["/1"] && rig.phase == .answering)
    let reads = rig.connection.wantsToRead()
    #expect(!reads)
    rig.fills = false
    rig.setWritable(true)
    #expect(rig.sent == ["/1", "/2"] && rig.log.last == "read")
  }

  @Test func whoTakesNothingIsClosed() {
    let rig = ConnectionRig { $0.responseSeconds = 7 }
    rig.fills = true
    rig.receive(Self.get("/1"))
    rig.wait(.seconds(6))
    #expect(rig.news() == ["respond /1", "send 200"])
    rig.wait(.seconds(1))
    #expect(rig.news() == ["close timeout"])
  }

  @Test func theLastResponseHasItsTimeToo() {
    let rig = ConnectionRig { $0.responseSeconds = 7 }
    rig.receive(Self.get("/1", "Connection: close\r\n"))
    rig.wait(.seconds(7))
    #expect(rig.news().last == "close timeout")
  }

  // MARK: - Responses in steps

  @Test func aLongResponseIsBuiltInSteps() {
    let rig = ConnectionRig { $0.keepAliveSeconds = 5 }
    rig.answer = { _ in
      var response = ConnectionRig.response("long")
      response.rest = Steps(steps: 3)
      return .complete(response)
    }
    rig.receive(Self.get("/1"))
    #expect(rig.news() == ["respond /1", "build"])
    rig.wait(.hours(1))
    for _ in 0..<2 { rig.build() }
    #expect(rig.news().isEmpty && rig.phase == .answering)
    rig.build()
    #expect(rig.sent == ["long+++"] && rig.phase == .idle)
    rig.wait(.seconds(4))
    #expect(!rig.isClosed, "the peer's time starts when it is sent")
  }

  @Test func aResponseThatIsBuiltWhenTheConnectionClosesIsHandedBack() {
    let rig = ConnectionRig()
    rig.answer = { _ in
      var response = ConnectionRig.response("long")
      response.rest = Steps(steps: 3)
      return .complete(response)
    }
    rig.receive(Self.get("/1"))
    #expect(rig.connection.closed()?.status == .ok)
    #expect(rig.connection.closed() == nil)
  }

  @Test func aLargeResponseTakesATurnWhenMoreIsAsked() {
    let large = String(repeating: "x", count: Connection.largeBody + 1)
    let rig = ConnectionRig()
    rig.answer = { _ in .complete(ConnectionRig.response(large)) }
    rig.receive(Self.get("/1"))
    #expect(rig.news() == ["respond /1", "send 200"])
    rig.receive(Self.get("/2") + Self.get("/3"))
    #expect(rig.news() == ["respond /2", "build"])
  }

  // MARK: - Answers that come later

  @Test func nothingIsReadBeforeALaterAnswer() {
    let rig = ConnectionRig()
    rig.answer = { $0.head.path == "/1" ? .later : .complete(ConnectionRig.response($0.head.path)) }
    rig.receive(Self.get("/1") + Self.get("/2"))
    #expect(rig.news() == ["respond /1"] && rig.isAwaited)
    let reads = rig.connection.wantsToRead()
    #expect(!reads)
    rig.complete("late")
    #expect(rig.sent == ["late", "/2"])
    #expect(rig.log.last == "read")
    rig.complete("twice")
    #expect(rig.sent == ["late", "/2"])
  }

  @Test func anAnswerMayComeWhileItIsAskedFor() {
    let rig = ConnectionRig()
    rig.answer = { _ in
      rig.complete("early")
      rig.complete("twice")
      return .later
    }
    rig.receive(Self.get("/1") + Self.get("/2"))
    #expect(rig.sent == ["early", "early"] && rig.phase == .idle)
    rig.complete("late")
    #expect(rig.sent == ["early", "early"])
  }

  @Test func theFirstAnswerCounts() {
    let rig = ConnectionRig()
    rig.answer = { _ in
      rig.complete("early")
      return .complete(ConnectionRig.response("second"))
    }
    rig.receive(Self.get("/1"))
    #expect(rig.sent == ["early"])
  }

  @Test func anAnswerThatNeverComesIsGivenUp() {
    let rig = ConnectionRig { $0.answerSeconds = 4 }
    rig.answer = { _ in .later }
    rig.receive(Self.get("/1"))
    rig.wait(.seconds(4))
    #expect(rig.news() == ["respond /1", "give up"] && rig.sent == ["503"])
    rig.complete("late")
    #expect(rig.sent == ["503"])
  }

  // MARK: - Streaming

  private func streaming(
    _ request: String, _ change: (inout HTTPLimits) -> Void = { _ in }
  ) -> ConnectionRig {
    let rig = ConnectionRig(change)
    rig.answer = { _ in .streaming(HTTPResponse(.ok)) }
    rig.receive(request)
    return rig
  }

  @Test func aStreamHasNoTimeButItsReaderHas() {
    let rig = streaming(Self.get("/1")) { $0.streamSeconds = 5 }
    #expect(rig.news() == ["respond /1", "send 200 and close"] && rig.phase == .streaming)
    rig.wait(.hours(24))
    #expect(rig.news().isEmpty)
    #expect(rig.stream(10))
    rig.wait(.seconds(4))
    #expect(rig.stream(10))
    rig.connection.taken(10, now: rig.now)
    rig.wait(.seconds(4))
    #expect(rig.news().isEmpty, "taking some of it buys time")
    #expect(rig.stream(10))
    rig.wait(.seconds(1))
    #expect(rig.news() == ["close timeout"], "a further piece doesn't")
    #expect(rig.abandoned == 1 && !rig.stream(1))
    let silent = streaming(Self.get("/1")) { $0.streamSeconds = 5 }
    #expect(silent.stream(10))
    silent.wait(.seconds(5))
    #expect(silent.news().last == "close timeout", "nor does whoever takes nothing at all")
  }

  @Test func whatAReaderMayOweIsBounded() {
    let rig = streaming(Self.get("/1")) { $0.streamBytes = 100 }
    _ = rig.news()
    #expect(rig.stream(100))
    rig.connection.taken(1, now: rig.now)
    #expect(rig.stream(1))
    #expect(!rig.stream(1))
    #expect(rig.news() == ["close unsentResponseBytes"] && rig.abandoned == 1)
  }

  @Test func oneLongPieceGoesToWhoHasTakenEverything() {
    let rig = streaming(Self.get("/1")) { $0.streamBytes = 100 }
    _ = rig.news()
    #expect(rig.stream(1000))
    rig.connection.taken(1000, now: rig.now)
    #expect(rig.stream(1000))
    #expect(!rig.stream(1))
    #expect(rig.news() == ["close unsentResponseBytes"])
  }

  @Test func aStreamEndsWithItsConnection() {
    let rig = streaming(Self.get("/1"))
    rig.endStream()
    rig.leave()
    #expect(rig.news() == ["respond /1", "send 200 and close", "end of chunks", "close output"])
    let old = streaming(Self.get("/1", "Connection: keep-alive\r\n", version: "1.0"))
    old.endStream()
    #expect(old.news().last == "end")
  }

  @Test func aHeadRequestGetsNoStream() {
    let rig = streaming("HEAD /1 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(rig.isLastWritten && rig.phase != .streaming)
    #expect(!rig.stream(1))
  }

  @Test func aReaderThatGoesEndsItsStream() {
    let rig = streaming(Self.get("/1"))
    rig.closeInput()
    #expect(rig.news().last == "close" && rig.abandoned == 1)
  }

  // MARK: - The end of the peer's side

  @Test func whoHasAskedAndClosedIsStillAnswered() {
    let rig = ConnectionRig()
    rig.hasTime = false
    rig.receive(Self.get("/1"))
    rig.closeInput()
    #expect(rig.news() == ["wait for a turn"])
    rig.turn()
    #expect(rig.news() == ["respond /1", "send 200", "close behind"])
    let last = ConnectionRig()
    last.receive(Self.get("/1", "Connection: close\r\n"))
    last.closeInput()
    last.leave()
    #expect(last.news() == ["respond /1", "send 200 and close", "close"])
  }
}
