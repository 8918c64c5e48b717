import CGStreamer
import RoomsIO
import Testing

@testable import GStreamerOutput

/// What other rooms are sent of the sound on its way to the device.
@Suite struct SenderQueueTests {
  /// 1000 frames a second: a message of 5 ms has five, a fade twenty.
  private let format: StreamFormat

  init() throws {
    GStreamerLibrary.prepare()
    format = try Self.format("S16LE", channels: 2)
  }

  private static func format(_ sample: String, channels: Int) throws -> StreamFormat {
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=\(sample),layout=interleaved,rate=1000,channels=\(channels)"))
    defer { gst_caps_unref(caps) }
    return try #require(StreamFormat(caps: caps))
  }

  /// Frames whose samples are their places, from `first` on.
  private func block(_ frames: Int, from first: Int = 0, factor: Double = 1, media: guint64 = 0) throws
    -> PCMBlock
  {
    let samples = (first..<first + frames).flatMap { [Int16($0), Int16(-$0)] }
    let buffer = try #require(gst_buffer_new_allocate(nil, gsize(samples.count * 2), nil))
    samples.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
    return PCMBlock(
      buffer: GstPointer(buffer), format: format, frames: frames, due: nil, factor: factor, media: media)
  }

  /// As ``SenderTap`` does it: the queue has a reference of its own.
  private func put(_ queue: inout SenderQueue, _ block: PCMBlock, from start: Int, play: UInt64? = 1) {
    queue.put(block, from: start, play: play)
    gst_buffer_unref(block.buffer.object)
  }

  private func queue(_ frames: Int) throws -> SenderQueue {
    var queue = SenderQueue()
    queue.setActive(true)
    queue.begin(1)
    put(&queue, try block(frames), from: 0)
    return queue
  }

  /// What is sent before `milliseconds`, in words.
  private func taken(_ queue: inout SenderQueue, before milliseconds: Int64 = .max / 1_000_000) -> [String] {
    var words: [String] = []
    while words.count < 1000 {
      switch queue.take(before: milliseconds * 1_000_000, session: queue.session) {
      case .sound(let block): words.append("\(block.running / 1_000_000)+\(block.samples)")
      case .halt: words.append("halt")
      case .later(let running): return words + ["later \(running / 1_000_000)"]
      case .nothing: return words
      }
    }
    return words
  }

  private func values(_ block: SenderBlock) -> [Int32] {
    let bytes = block.bitDepth / 8
    return stride(from: 0, to: block.sound.count, by: bytes).map { start in
      block.sound[start..<start + bytes].reduce(block.sound[start] >= 0x80 ? -1 : 0) { $0 << 8 | Int32($1) }
    }
  }

  @Test func whatIsHeardLaterIsSentLater() throws {
    var queue = try queue(12)
    #expect(taken(&queue, before: 4) == ["0+5", "later 5"])
    #expect(taken(&queue, before: 5) == ["5+5", "later 10"])
    // Less than a message waits for the rest.
    #expect(taken(&queue, before: 20) == [])
    put(&queue, try block(8, from: 12), from: 12)
    #expect(taken(&queue, before: 20) == ["10+5", "15+5"])
  }

  @Test func samplesAreBigEndianAndExact() throws {
    var queue = try queue(5)
    guard case .sound(let block) = queue.take(before: 0, session: queue.session) else {
      Issue.record("nothing")
      return
    }
    #expect(block.bitDepth == 16)
    #expect(block.channels == 2)
    #expect(block.rate == 1000)
    #expect(block.play == 1)
    let first: [UInt8] = [0, 0, 0, 0, 0, 1, 0xff, 0xff]
    #expect(block.sound.prefix(8).elementsEqual(first))
  }

  @Test func loudnessIsAppliedWithMoreDigits() throws {
    var queue = SenderQueue()
    queue.setActive(true)
    put(&queue, try block(5, from: 100, factor: 0.5), from: 0)
    guard case .sound(let block) = queue.take(before: 0, session: queue.session) else {
      Issue.record("nothing")
      return
    }
    #expect(block.bitDepth == 24)
    #expect(values(block).prefix(4) == [12800, -12800, 12928, -12928])
  }

  @Test func nothingIsKeptWhileNobodyListens() throws {
    var queue = SenderQueue()
    put(&queue, try block(10), from: 0)
    queue.setActive(true)
    #expect(taken(&queue) == [])
  }

  @Test func eachTrackBeginsAMessageOfItsOwn() throws {
    var queue = try queue(7)
    put(&queue, try block(8, media: 3_000_000), from: 7, play: 2)
    #expect(taken(&queue) == ["0+5", "5+2", "7+3", "10+5"])
  }

  @Test func thePositionInTheTrackIsTold() throws {
    var queue = SenderQueue()
    queue.setActive(true)
    put(&queue, try block(10, media: 2_000_000_000), from: 0)
    _ = queue.take(before: .max, session: queue.session)
    guard case .sound(let block) = queue.take(before: .max, session: queue.session) else {
      Issue.record("nothing")
      return
    }
    #expect(block.media == 2_005_000_000 as UInt64)
  }

  @Test func theEndIsSentAndThenAHalt() throws {
    var queue = try queue(7)
    queue.end()
    #expect(taken(&queue) == ["0+5", "5+2", "halt"])
    #expect(taken(&queue) == [])
  }

  @Test func aSessionThatEndsIsHaltedOnce() throws {
    var queue = try queue(20)
    #expect(taken(&queue, before: 4) == ["0+5", "later 5"])
    queue.begin(2)
    #expect(taken(&queue) == ["halt"])
    put(&queue, try block(5), from: 0)
    #expect(taken(&queue) == ["0+5"])
  }

  @Test func aPauseFadesOutBehindWhatWasSent() throws {
    var queue = try queue(100)
    #expect(taken(&queue, before: 9) == ["0+5", "5+5", "later 10"])
    #expect(queue.fadeOut(after: 0) == 10)
    // Asked again, it doesn't begin anew.
    #expect(queue.fadeOut(after: 0) == 10)
    #expect(taken(&queue) == ["10+5", "15+5", "20+5", "25+5", "halt"])
    #expect(taken(&queue) == [])
  }

  @Test func whatTheDeviceHasIsHeardEverywhere() throws {
    var queue = try queue(100)
    #expect(taken(&queue, before: 9) == ["0+5", "5+5", "later 10"])
    #expect(queue.fadeOut(after: 40) == 40)
    #expect(taken(&queue).count == 11)
  }

  @Test func whatFadesGetsQuieter() throws {
    var queue = SenderQueue()
    queue.setActive(true)
    put(&queue, try block(100, from: 1000), from: 0)
    _ = queue.take(before: 0, session: queue.session)
    _ = queue.fadeOut(after: 0)
    var last = Int32.max
    while case .sound(let block) = queue.take(before: .max, session: queue.session) {
      let all = values(block)
      for at in stride(from: 0, to: all.count, by: 2) {
        #expect(all[at] < last)
        last = all[at]
      }
    }
    #expect(last < 110)
  }

  @Test func afterAPauseSilenceComesFirst() throws {
    var queue = try queue(100)
    _ = taken(&queue, before: 9)
    _ = queue.fadeOut(after: 0)
    _ = taken(&queue)
    // The device stopped behind the fade, and gets 50 frames of silence there.
    let pause = try #require(PCMBlock.silence(nanoseconds: 50_000_000, format: format))
    queue.insert(pause, at: 30)
    gst_buffer_unref(pause.buffer.object)
    #expect(taken(&queue, before: 30) == ["30+5", "later 35"])
    let words = taken(&queue)
    #expect(words.last == "145+5")
    #expect(words.count == 23)
  }

  @Test func silenceThatIsHeardSoonIsLeftOut() throws {
    var queue = SenderQueue()
    queue.setActive(true)
    put(&queue, try #require(PCMBlock.silence(nanoseconds: 50_000_000, format: format)), from: 0, play: nil)
    put(&queue, try block(10), from: 50)
    #expect(taken(&queue, before: 30) == ["30+5", "later 35"])
  }

  @Test func onlyWhatFadesIsChanged() throws {
    var queue = try queue(100)
    _ = queue.take(before: 0, session: 1)
    #expect(queue.fadeOut(after: 20) == 20)
    var place = 5
    while case .sound(let block) = queue.take(before: .max, session: 1), place < 20 {
      for (index, value) in values(block).enumerated() {
        let frame = Int32(place + index / 2)
        #expect(value == (index % 2 == 0 ? frame : -frame))
      }
      place += block.samples
    }
    #expect(place == 20)
  }

  @Test func silenceBelongsToTheSoundBehindIt() throws {
    var queue = SenderQueue()
    queue.setActive(true)
    let pause = try #require(PCMBlock.silence(nanoseconds: 10_000_000, format: format))
    put(&queue, pause, from: 0, play: nil)
    put(&queue, try block(10, media: 7_000_000_000), from: 10, play: 5)
    for running: Int64 in [1, 6_000_000] {
      guard case .sound(let block) = queue.take(before: running, session: 0) else {
        Issue.record("nothing")
        return
      }
      #expect(block.play == 5)
      #expect(block.media == 7_000_000_000 as UInt64)
    }
  }

  @Test func anotherSessionGetsNothingButAHalt() throws {
    var queue = try queue(20)
    _ = queue.take(before: 0, session: 1)
    queue.begin(2)
    put(&queue, try block(20), from: 0)
    guard case .halt = queue.take(before: .max, session: 1) else {
      Issue.record("no halt")
      return
    }
    guard case .nothing = queue.take(before: .max, session: 1) else {
      Issue.record("something")
      return
    }
  }

  @Test func moreThanTwoChannelsAreMixed() throws {
    let layout = ChannelLayout(channels: 6, mask: 0x3f)
    var samples: [Double] = [1, 0, 0, 0, 0, 0]
    samples.withUnsafeMutableBufferPointer { values in
      let mix = StereoMix(layout)
      #expect(mix.value(values, frame: 0, channel: 0) > 0.2)
      #expect(mix.value(values, frame: 0, channel: 1) == 0)
    }
    samples = [1, 1, 1, 1, 1, 1]
    samples.withUnsafeMutableBufferPointer { values in
      let mix = StereoMix(layout)
      #expect(abs(mix.value(values, frame: 0, channel: 0) - 1) < 1e-9)
    }
  }
}
