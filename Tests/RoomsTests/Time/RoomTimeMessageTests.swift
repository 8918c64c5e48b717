import SeededRandom
import Testing

@testable import Rooms

/// Questions and answers about the room time, byte by byte.
@Suite struct RoomTimeMessageTests {
  private static let request = RoomTimeRequest(
    nonce: 0x0102_0304_0506_0708,
    report: RoomReport(
      state: .playing, loss: 12, error: -3, p95: 250, rateCorrection: -45000, halfWidth: 310, lost: 7,
      repaired: 9, buffered: 180_000))
  private static let requestBytes: [UInt8] =
    [0x56, 0x52, 0x6d, 0x31, 1, 1, 0, 64, 1, 2, 3, 4, 5, 6, 7, 8]
    + [2, 0, 0, 12, 0xff, 0xff, 0xff, 0xfd, 0, 0, 0, 250, 0xff, 0xff, 0x50, 0x38, 0, 0, 1, 0x36]
    + [0, 0, 0, 7, 0, 0, 0, 9, 0, 2, 0xbf, 0x20] + [UInt8](repeating: 0, count: 12 + 4)

  private static let reply = RoomTimeReply(
    nonce: 0x0102_0304_0506_0708, t2: 0x10, t3: 0x0100_0000_0000_0020,
    anchor: RoomAnchor(
      epoch: 5, frame: 0xffff_fffe, heard: 0x30, rate: -1, isMeasured: true, isPaused: true, httpPort: 8080))
  private static let replyBytes: [UInt8] =
    [0x56, 0x52, 0x6d, 0x31, 1, 2, 0, 64, 1, 2, 3, 4, 5, 6, 7, 8]
    + [0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xfe]
    + [0, 0, 0, 0, 0, 0, 0, 0x30, 0xff, 0xff, 0xff, 0xff, 0x1f, 0x90, 0, 3] + [UInt8](repeating: 0, count: 8)

  @Test func whatIsAsked() {
    #expect(Self.request.bytes == Self.requestBytes)
    #expect(RoomTimeRequest(Self.requestBytes[...]) == Self.request)
  }

  @Test func whatIsAnswered() {
    #expect(Self.reply.bytes == Self.replyBytes)
    #expect(RoomTimeReply(Self.replyBytes[...]) == Self.reply)
  }

  @Test func anAnswerThatKnowsNothing() {
    let reply = RoomTimeReply(nonce: 1, t2: 2, t3: 3, anchor: RoomAnchor())
    #expect(reply.bytes.count == 64 && RoomTimeReply(reply.bytes[...]) == reply)
    #expect(RoomTimeReply(reply.bytes[...])?.anchor.heard == nil)
  }

  @Test func whatIsWrongIsDropped() {
    for (place, value) in [
      (0, 0x57), (3, 0x32), (4, 0), (4, 2), (5, 0), (5, 2), (6, 1), (7, 63), (7, 65), (16, 4),
    ] as [(Int, UInt8)] {
      var bytes = Self.requestBytes
      bytes[place] = value
      #expect(RoomTimeRequest(bytes[...]) == nil, "\(place)")
    }
    // Times below 0: of t2, t3 and when it is heard.
    for place in [0, 4, 5, 7, 16, 24, 40] {
      var bytes = Self.replyBytes
      bytes[place] = 0x80
      #expect(RoomTimeReply(bytes[...]) == nil, "\(place)")
    }
    #expect(RoomTimeRequest(Self.requestBytes.dropLast()) == nil)
    #expect(RoomTimeRequest((Self.requestBytes + [0])[...]) == nil)
    #expect(RoomTimeRequest(Self.replyBytes[...]) == nil && RoomTimeReply(Self.requestBytes[...]) == nil)
    #expect(RoomTimeRequest([]) == nil && RoomTimeReply([]) == nil)
  }

  /// Anything may come: it is dropped, or read as what would be written the same.
  @Test func garbageIsHarmless() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      var bytes = Bool.random(using: &random) ? Self.requestBytes : Self.replyBytes
      for _ in 0..<3 {
        bytes[Int.random(in: 4..<64, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let request = RoomTimeRequest(bytes[...]) {
        #expect(RoomTimeRequest(request.bytes[...]) == request)
      }
      if let reply = RoomTimeReply(bytes[...]) { #expect(RoomTimeReply(reply.bytes[...]) == reply) }
    }
  }

  @Test func framesFollowTheAnchor() {
    var anchor = RoomAnchor(heard: 1_000_000_000_000)
    #expect(anchor.heard(samples: 44100, sampleRate: 44100) == 1_001_000_000_000)
    #expect(anchor.heard(samples: -22050, sampleRate: 44100) == 999_500_000_000)
    // A device that is faster by 100 millionths: an hour takes 360 ms less.
    anchor.rate = 100_000
    let hour = anchor.heard(samples: 3600 * 48000, sampleRate: 48000) ?? 0
    #expect(abs(hour - (4_600_000_000_000 - 359_964_004)) <= 1)
    for rate in [Int32.min, -1_000_000_000, .max] {
      anchor.rate = rate
      #expect(anchor.heard(samples: .max, sampleRate: 1) != nil, "no number does harm")
    }
    #expect(anchor.heard(samples: 1, sampleRate: 0) == nil)
    anchor.heard = nil
    #expect(anchor.heard(samples: 1, sampleRate: 48000) == nil)
  }
}
