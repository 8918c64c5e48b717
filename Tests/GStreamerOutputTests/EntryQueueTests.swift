import CGStreamer
import Testing

@testable import GStreamerOutput

/// What passes the device's entry, and when.
@Suite struct EntryQueueTests {
  private let format: StreamFormat

  init() throws {
    GStreamerLibrary.prepare()
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=1000,channels=2"))
    defer { gst_caps_unref(caps) }
    format = try #require(StreamFormat(caps: caps))
  }

  private func block(_ frames: Int) throws -> PCMBlock {
    let buffer = try #require(gst_buffer_new_allocate(nil, gsize(frames * format.bytesPerFrame), nil))
    return PCMBlock(buffer: GstPointer(buffer), format: format, frames: frames, due: nil, factor: 1)
  }

  private func queue(_ frames: Int) throws -> EntryQueue {
    var queue = EntryQueue(chain: SoundChain())
    queue.begin(1)
    queue.put(try block(frames), from: 0)
    return queue
  }

  /// What comes next, in words. A piece stays out unless `passes`.
  private func next(_ queue: inout EntryQueue, passes: Bool = true) -> String {
    switch queue.next() {
    case nil: return "nothing"
    case .end: return "end"
    case .silenced: return "silenced"
    case .pass(var piece):
      piece.play()
      if passes { _ = queue.take(back: piece, isMade: true) }
      return "\(piece.start)+\(piece.frames)"
    }
  }

  private func give(_ piece: EntryQueue.Piece, back queue: inout EntryQueue, isMade: Bool = true) -> Bool {
    queue.take(back: piece, isMade: isMade)
  }

  @Test func onePieceForEachRequest() throws {
    var queue = try queue(100)
    queue.put(try block(50), from: 120)
    #expect(next(&queue) == "nothing")
    queue.need()
    #expect(next(&queue) == "0+100")
    #expect(next(&queue) == "nothing")
    queue.need()
    #expect(next(&queue) == "120+50")
    queue.end()
    #expect(next(&queue) == "end")
    #expect(next(&queue) == "nothing")
  }

  /// The samples keep their order, and the end comes behind all of them.
  @Test func whileOnePieceIsProcessedNothingElsePasses() throws {
    var queue = try queue(100)
    queue.put(try block(50), from: 100)
    queue.need()
    guard case .pass(var first) = queue.next() else { return #expect(Bool(false)) }
    queue.need()
    queue.end()
    queue.close()
    #expect(next(&queue) == "nothing")
    #expect(queue.silence == nil)
    first.play()
    #expect(give(first, back: &queue))
    queue.open()
    #expect(next(&queue) == "nothing", "it has what it asked for")
    queue.need()
    #expect(next(&queue) == "100+50")
    #expect(next(&queue) == "end")
  }

  @Test func whatIsClearedMeanwhileDoesNotPass() throws {
    var queue = try queue(100)
    queue.need()
    guard case .pass(var piece) = queue.next() else { return #expect(Bool(false)) }
    queue.clear()
    queue.begin(2)
    queue.put(try block(30), from: 0)
    #expect(next(&queue) == "nothing")
    piece.play()
    #expect(!give(piece, back: &queue))
    // The device still waits.
    guard case .pass(let later) = queue.next() else { return #expect(Bool(false)) }
    #expect((later.session, later.frames) == (2, 30))
    gst_buffer_unref(later.buffer.object)
  }

  @Test func aPieceThatCouldNotBeMadeIsLeftOut() throws {
    var queue = try queue(100)
    queue.put(try block(30), from: 100)
    queue.need()
    guard case .pass(var piece) = queue.next() else { return #expect(Bool(false)) }
    piece.play()
    #expect(!give(piece, back: &queue, isMade: false))
    #expect(next(&queue) == "100+30")
  }

  @Test func aClosedGateLetsOnlyTheFadePass() throws {
    var queue = try queue(100)
    queue.put(try block(100), from: 100)
    queue.need()
    #expect(next(&queue) == "0+100")
    queue.close()
    #expect(next(&queue) == "nothing")
    queue.need()
    // 20 ms at a rate of 1000.
    #expect(next(&queue) == "100+20")
    #expect(next(&queue) == "nothing", "the device hasn't got it all yet")
    #expect(queue.silence == nil)
    queue.need()
    #expect(next(&queue) == "silenced")
    #expect(next(&queue) == "nothing", "it is told once")
    #expect(queue.silence == format.nanoseconds(frames: 120))
    queue.open()
    guard case .pass(var piece) = queue.next() else { return #expect(Bool(false)) }
    #expect((piece.start, piece.frames) == (120, 80))
    #expect(piece.chain.gain.ramp.current == .init(0, 0), "it rises from silence")
    #expect(piece.chain.gain.ramp.target == .init(1, 1))
    piece.play()
    #expect(give(piece, back: &queue))
  }

  @Test func withNothingToFadeTheGateIsShutAtOnce() throws {
    var unheard = try queue(100)
    unheard.close()
    #expect(next(&unheard) == "nothing")
    unheard.need()
    #expect(next(&unheard) == "silenced")
    unheard.gain = .init(0.5, 0.5)
    unheard.open()
    guard case .pass(var piece) = unheard.next() else { return #expect(Bool(false)) }
    #expect(!piece.chain.gain.ramp.isUnderWay, "the first samples have their volume")
    piece.play()
    #expect(give(piece, back: &unheard))
    // It is silent already.
    unheard.gain = .init(0, 0)
    unheard.put(try block(100), from: 100)
    unheard.need()
    guard case .pass(var fading) = unheard.next() else { return #expect(Bool(false)) }
    fading.play()
    #expect(give(fading, back: &unheard))
    unheard.close()
    unheard.need()
    #expect(next(&unheard) == "silenced")
  }

  @Test func aTrackThatEndsWhileItFadesIsSilentThen() throws {
    var queue = try queue(100)
    queue.need()
    #expect(next(&queue) == "0+100")
    queue.close()
    queue.put(try block(5), from: 100)
    queue.end()
    queue.need()
    #expect(next(&queue) == "100+5")
    #expect(next(&queue) == "nothing")
    queue.need()
    #expect(next(&queue) == "silenced")
    queue.open()
    #expect(next(&queue) == "end")
  }

  /// Whatever comes in whatever order: frames pass once and in order, within what was put, and an end comes once.
  @Test(arguments: 0..<200)
  func anySchedule(_ seed: UInt64) throws {
    var random = seed &* 6_364_136_223_846_793_005 &+ 1
    func roll(_ sides: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % sides
    }
    var queue = EntryQueue(chain: SoundChain())
    queue.begin(1)
    var (put, passed, ends, session) = (0, 0, 0, 1)
    var isShut = false
    var out: EntryQueue.Piece?
    for _ in 0..<300 {
      switch roll(12) {
      case 0, 1, 2, 3:
        let frames = 1 + roll(60)
        queue.put(try block(frames), from: put)
        put += frames
      case 4, 5, 6: queue.need()
      case 7:
        queue.close()
        isShut = true
      case 8, 9:
        queue.open()
        isShut = false
      case 10: queue.gain = .init(Double(roll(3)) / 2, 1)
      default:
        guard roll(4) == 0 else { continue }
        session += 1
        queue.begin(session)
        (put, passed, isShut) = (0, 0, false)
      }
      if var piece = out, roll(2) == 0 {
        piece.play()
        let isWanted = queue.take(back: piece, isMade: true)
        #expect(isWanted == (piece.session == session))
        out = nil
      }
      guard let step = queue.next() else { continue }
      switch step {
      case .silenced: #expect(isShut && queue.silence != nil)
      case .end: ends += 1
      case .pass(let piece):
        #expect(out == nil && piece.session == session)
        #expect(piece.start == passed && piece.frames > 0)
        passed += piece.frames
        #expect(passed <= put)
        out = piece
      }
    }
    if let out { gst_buffer_unref(out.buffer.object) }
    #expect(ends == 0)
    queue.clear()
  }
}

extension EntryQueue.Piece {
  /// As if its samples had been processed.
  fileprivate mutating func play() {
    for _ in 0..<min(frames, chain.gain.ramp.remaining) { _ = chain.gain.ramp.next() }
    gst_buffer_unref(buffer.object)
  }
}
