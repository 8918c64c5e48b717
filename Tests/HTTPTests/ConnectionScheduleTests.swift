import NIOCore
import SeededRandom
import Testing

@testable import HTTP

/// A connection under random schedules: whatever happens in whatever order, its promises hold.
@Suite struct ConnectionScheduleTests {
  /// Requests of all kinds; the path says how each is answered.
  private static func requests(_ count: Int, using random: inout SeededRandom) -> (
    text: String, expected: [String]
  ) {
    var text = ""
    var expected: [String] = []
    for number in 0..<count {
      let kind = ["now", "later", "steps", "large"].randomElement(using: &random) ?? "now"
      let body = String(repeating: "b", count: .random(in: 0...40, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: text += ConnectionRig.get("/\(kind)/\(number)")
      case 1:
        text +=
          "POST /\(kind)/\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      default:
        let chunks = body.isEmpty ? "" : "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
        text +=
          "POST /\(kind)/\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
      }
      expected.append("/\(kind)/\(number)")
    }
    return (text, expected)
  }

  private static func answer(_ request: HTTPRequest) -> Answer {
    var response = ConnectionRig.response(request.head.path)
    switch request.head.path.split(separator: "/").first {
    case "later": return .later
    case "steps": response.rest = Steps(steps: 3)
    case "large": response.body.writeRepeatingByte(0x20, count: Connection.largeBody)
    default: break
    }
    return .complete(response)
  }

  /// What was answered, without what building and padding have added.
  private static func paths(_ sent: [String]) -> [String] {
    sent.map { String($0.prefix { $0 != "+" && $0 != " " }) }
  }

  /// Time stands still: every request is answered once, in its order, however the bytes are cut and whoever has to wait.
  @Test(arguments: 0..<300) func nothingIsLostOrOutOfOrder(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (text, expected) = Self.requests(20, using: &random)
    var rest = Array(text.utf8)[...]
    let rig = ConnectionRig { $0.pipelineDepth = .random(in: 1...8, using: &random) }
    rig.answer = Self.answer
    var steps = 0
    while rig.sent.count < expected.count {
      steps += 1
      try #require(steps < 20_000, "seed \(seed) stands still at \(rig.connection.state)")
      rig.hasTime = Bool.random(using: &random)
      rig.fills = Int.random(in: 0..<4, using: &random) == 0
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where rig.connection.wantsToRead():
        let piece = rest.prefix(.random(in: 1...200, using: &random))
        rest = rest.dropFirst(piece.count)
        rig.receive(String(decoding: piece, as: UTF8.self))
      case 1: rig.turn()
      case 2: rig.build()
      case 3:
        if case .pending = rig.connection.state { rig.complete(expected[rig.sent.count]) }
      default: rig.setWritable(Bool.random(using: &random))
      }
      check(rig, seed: seed)
    }
    #expect(Self.paths(rig.sent) == expected, "seed \(seed)")
    #expect(rig.abandoned == 0)
  }

  /// Peers that vanish, stop reading, send rubbish, and time that passes: everybody is told, and the end is the end.
  @Test(arguments: 0..<300) func whateverHappensItEnds(seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 1_000_000)
    let (text, _) = Self.requests(8, using: &random)
    var bytes = Array(text.utf8)
    if Bool.random(using: &random) {
      bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
    }
    var rest = bytes[...]
    let rig = ConnectionRig()
    rig.answer = { request in
      request.head.path.hasPrefix("/large") ? .streaming(HTTPResponse(.ok)) : Self.answer(request)
    }
    for _ in 0..<300 where !rig.isClosed {
      rig.hasTime = Bool.random(using: &random)
      rig.fills = Bool.random(using: &random)
      rig.mostUnfinished = Int.random(in: 0..<20, using: &random) == 0 ? 0 : .max
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        let piece = rest.prefix(.random(in: 1...100, using: &random))
        rest = rest.dropFirst(piece.count)
        rig.run(rig.connection.received(ByteBuffer(bytes: piece)))
      case 4: rig.turn()
      case 5: rig.build()
      case 6: rig.complete("answer")
      case 7: rig.setWritable(Bool.random(using: &random))
      case 8: rig.leave()
      case 9: _ = rig.stream(.random(in: 0...100_000, using: &random))
      case 10: if Int.random(in: 0..<8, using: &random) == 0 { rig.closeInput() }
      default: rig.wait(.milliseconds(.random(in: 0...9000, using: &random)))
      }
      check(rig, seed: seed)
    }
    // Time alone ends every connection, except one whose response is being built, or whose stream rests.
    for _ in 0..<20 where !rig.isClosed {
      rig.build()
      rig.turn()
      rig.endStream()
      rig.wait(.minutes(2))
    }
    let isWaiting = if case .ending = rig.connection.state { rig.log.contains("close behind") } else { false }
    #expect(rig.isClosed || isWaiting, "seed \(seed): \(rig.connection.state)")
    let (sent, log) = (rig.sent, rig.log)
    rig.disconnect()
    rig.receive(text)
    rig.turn()
    rig.build()
    rig.complete("late")
    #expect(!rig.stream(1))
    rig.endStream()
    rig.leave()
    rig.wait(.hours(1))
    #expect(rig.sent == sent && rig.log == log, "seed \(seed): something happened behind the end")
  }

  /// What holds between any two inputs.
  private func check(_ rig: ConnectionRig, seed: UInt64) {
    let deadline = rig.connection.deadline
    switch rig.connection.state {
    case .checking, .responding, .answeredEarly: Issue.record("seed \(seed): left between two actions")
    case .reading, .taking, .pending, .blocked, .ending, .draining:
      #expect(deadline != nil, "seed \(seed): may last forever: \(rig.connection.state)")
    case .waiting: #expect(rig.turns > 0, "seed \(seed): nobody calls its turn")
    case .building: #expect(rig.builds > 0, "seed \(seed): nobody builds")
    case .streaming(let unsent, _):
      #expect(unsent >= 0 && unsent <= rig.connection.limits.streamBytes, "seed \(seed)")
      #expect((deadline != nil) == (unsent > 0), "seed \(seed)")
    case .closed: #expect(deadline == nil, "seed \(seed)")
    }
  }
}
