import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

@Suite struct PureTests {
  @Test(arguments: [
    ("audio/L16;rate=44100;channels=2", 16, 44100, 2), ("audio/L24; channels=1; rate=96000", 24, 96000, 1),
    ("AUDIO/l16", 16, 44100, 2), ("audio/L16;rate=48000", 16, 48000, 1),
  ])
  func rawPCM(_ text: String, _ bits: Int, _ rate: Int, _ channels: Int) throws {
    let raw = try #require(RawPCM(contentType: text))
    #expect((raw.bits, raw.rate, raw.channels) == (bits, rate, channels))
  }

  @Test(arguments: ["audio/flac", "audio/L16;rate=0", "audio/L16;channels=99", "", "audio/L20"])
  func notRawPCM(_ text: String) {
    #expect(RawPCM(contentType: text) == nil)
  }

  @Test func trimsInFrames() {
    var trimmer = Trimmer()
    trimmer.skip = 1105
    trimmer.end = 4000
    trimmer.begin(Trimmer.Window())
    #expect(
      trimmer.place(frames: 1152, timestamp: 0, rate: 44100)
        == Trimmer.TrimmedBlock(drop: 1105, count: 47, position: 0))
    #expect(
      trimmer.place(frames: 1152, timestamp: nil, rate: 44100)
        == Trimmer.TrimmedBlock(drop: 0, count: 1152, position: 47))
    #expect(trimmer.place(frames: 1152, timestamp: nil, rate: 44100)?.count == 1152)
    #expect(trimmer.place(frames: 1152, timestamp: nil, rate: 44100)?.count == 544)
    #expect(trimmer.place(frames: 1152, timestamp: nil, rate: 44100) == nil)
  }

  /// A station plays files: the first one's tag says an end, and the stream goes on.
  @Test func anEndFarBehindUsIsNone() {
    var trimmer = Trimmer()
    trimmer.end = 2000
    trimmer.begin(Trimmer.Window())
    #expect(trimmer.place(frames: 1152, timestamp: 0, rate: 44100)?.count == 1152)
    #expect(trimmer.place(frames: 1152, timestamp: nil, rate: 44100)?.count == 848)
    var more = (0..<12).map { _ in trimmer.place(frames: 1152, timestamp: nil, rate: 44100) }
    #expect(more.removeFirst() == nil)
    #expect(more.last??.count == 1152)
  }

  @Test func windowRoundsToFrames() {
    var trimmer = Trimmer()
    // 1024 frames of 44100 Hz, cut off to nanoseconds as demuxers do.
    trimmer.begin(Trimmer.Window(start: 23_219_954, stop: nil, time: 0))
    #expect(trimmer.place(frames: 1024, timestamp: 0, rate: 44100) == nil)
    #expect(trimmer.place(frames: 1024, timestamp: 23_219_954, rate: 44100)?.position == 0)
  }

  @Test func streamThatBeginsLateStandsAtZero() {
    var trimmer = Trimmer()
    trimmer.begin(Trimmer.Window())
    #expect(trimmer.place(frames: 1000, timestamp: 1_000_000_000, rate: 44100)?.position == 0)
    #expect(trimmer.place(frames: 1000, timestamp: nil, rate: 44100)?.position == 1000)
    #expect(trimmer.ahead == 44100, "a seek has to go that much further")
    trimmer.begin(Trimmer.Window(start: 3_000_000_000, stop: nil, time: 3_000_000_000))
    #expect(trimmer.place(frames: 1000, timestamp: 3_000_000_000, rate: 44100)?.position == 88200)
  }

  /// A decoder of Windows Media Audio leaves out a frame when it begins amid a stream.
  @Test func timeStampsCountUntilTheWantedPart() {
    var trimmer = Trimmer()
    var window = Trimmer.Window(start: 1_000_000_000, stop: nil, time: 1_000_000_000)
    window.move(to: 2_000_000_000)
    window.isByClock = true
    trimmer.begin(window)
    #expect(trimmer.place(frames: 20500, timestamp: 1_000_000_000, rate: 44100) == nil)
    // One frame of 2048 is missing in what was counted.
    #expect(trimmer.place(frames: 21500, timestamp: 1_511_292_517, rate: 44100) == nil)
    let block = trimmer.place(frames: 2048, timestamp: 1_998_820_862, rate: 44100)
    #expect(block == Trimmer.TrimmedBlock(drop: 52, count: 1996, position: 88200))
    // From there on samples are counted, whatever the time stamps are.
    #expect(trimmer.place(frames: 2048, timestamp: 2_060_000_000, rate: 44100)?.position == 90196)
  }

  @Test func aPartOfAListIsSoughtByTheList() {
    #expect(SeekManner(demuxer: "tsdemux", isInList: true) == .exact)
    #expect(SeekManner(demuxer: "tsdemux", isInList: false) == .unknown)
    #expect(SeekManner(demuxer: "asfdemux", isInList: false) == .near)
    #expect(SeekManner(demuxer: "matroskademux", isInList: false) == .exact)
  }

  @Test func granuleEndsOnlyWhatItMeets() {
    var trimmer = Trimmer()
    trimmer.begin(Trimmer.Window())
    trimmer.granule = 1500
    #expect(trimmer.place(frames: 1000, timestamp: 0, rate: 44100)?.count == 1000)
    #expect(trimmer.place(frames: 1000, timestamp: nil, rate: 44100)?.count == 500)
    // A stream joined midway counts otherwise.
    #expect(trimmer.place(frames: 1000, timestamp: nil, rate: 44100)?.count == 1000)
  }

  /// Matroska passes on what the file says.
  @Test func timesThatNoClockHoldsTrimNothing() {
    var trimmer = Trimmer()
    trimmer.begin(Trimmer.Window(start: 0, stop: 1_000_000_000, time: 0))
    trimmer.took(packetAt: 0, lasting: 1_000_000)
    trimmer.took(packetAt: .max - 1, lasting: .max - 1)
    #expect(trimmer.packetEnd == 1_000_000)
    #expect(trimmer.place(frames: 1000, timestamp: 0, rate: 44100)?.count == 1000)
    for rate in [1, 44100, Int(Int32.max)] {
      for stamp in [0, .max - 1] as [guint64] {
        for time in [0, .max] as [guint64] {
          trimmer.begin(Trimmer.Window(start: stamp, stop: .max - 1, time: time))
          for _ in 0..<3 { _ = trimmer.place(frames: 1 << 31, timestamp: stamp, rate: rate) }
          trimmer.begin(Trimmer.Window(start: 0, stop: nil, time: time))
          #expect((trimmer.place(frames: 1 << 31, timestamp: stamp, rate: rate)?.position ?? 0) >= 0)
        }
      }
    }
  }

  @Test func xingHeaderOfLavc() throws {
    var bytes: [UInt8] = [0xff, 0xfb, 0xb0, 0x00] + [UInt8](repeating: 0, count: 32)
    bytes += Array("Info".utf8) + [0, 0, 0, 0x0f] + [0, 0, 0, 132] + [0, 1, 0x45, 0xb5]
    bytes += [UInt8](repeating: 7, count: 100) + [0, 0, 0, 50] + Array("Lavc59.37".utf8)
    bytes += [UInt8](repeating: 0, count: 12) + [0x24, 0x05, 0xcf] + [UInt8](repeating: 0, count: 40)
    let tag = try #require(XingHeader(firstBytes: bytes))
    #expect((tag.delay, tag.padding, tag.frames) == (576, 1487, 132))
    #expect(tag.end - tag.skip == 132 * 1152 - 576 - 1487)
    for length in 0..<bytes.count { _ = XingHeader(firstBytes: bytes.prefix(length)) }
    #expect(XingHeader(firstBytes: bytes.dropFirst(36)) == nil)
  }

  @Test func sinkNames() throws {
    #expect(
      try SinkChoice(name: "alsa:hw:0,1")
        == .element(factory: "alsasink", property: "device", device: "hw:0,1"))
    #expect(try SinkChoice(name: "file:/a.wav") == .file(path: "/a.wav"))
    #expect(try SinkChoice(name: "pipeline:queue ! fakesink") == .pipeline(description: "queue ! fakesink"))
    #expect(try SinkChoice(name: "null") == .null())
    for wrong in ["", "loud", "file:", "file:relative.wav", "pipeline:", "auto:x", "null:1"] {
      #expect(throws: PlaybackFailure.self) { try SinkChoice(name: wrong) }
    }
  }

  @Test func theDeviceIsFilledInLongStretches() throws {
    GStreamerLibrary.prepare()
    let caps = gst_caps_from_string("audio/x-raw,format=S16LE,rate=1000,channels=2,layout=interleaved")
    defer { gst_caps_unref(caps) }
    let format = try #require(StreamFormat(caps: caps))
    var fill = DeviceFill()
    #expect(!fill.isFull)
    _ = fill.put(frames: 499, format: format)
    #expect(!fill.isFull)
    _ = fill.put(frames: 1, format: format)
    #expect(fill.isFull)
    #expect(!fill.took(frames: 150).isDry)
    #expect(fill.isFull)
    #expect(!fill.took(frames: 1).isDry)
    #expect(!fill.isFull)
    _ = fill.put(frames: 400, format: format)
    #expect(fill.isFull)
    fill.reset(forgetFormat: false)
    #expect(!fill.isFull)
  }

  @Test func statusesBecomeKinds() {
    let statuses = [404, 410, 401, 403, 302, 408, 500, 502, 503, 504]
    #expect(
      statuses.map { ErrorReport.failure(uri: "u", status: $0).kind } == [
        .notFound, .notFound, .forbidden, .forbidden, .tooManyRedirects,
        // Somebody answered.
        .serverFault, .serverFault, .serverFault, .serverFault, .serverFault,
      ])
  }

  @Test func mailboxStaysShort() {
    let mailbox = Mailbox()
    for step in 0..<10_000 {
      mailbox.post(.request(.setGain(left: Double(step) / 10_000, right: 1)))
      mailbox.post(.request(.seek(PlayID(1), .seconds(step))))
      mailbox.post(.request(.setNext(nil)))
    }
    #expect(mailbox.wait(until: .now).count <= 3)
    for step in 0..<1000 {
      mailbox.post(.request(.pause(PlayID(1))))
      mailbox.post(.request(.seek(PlayID(1), .seconds(step))))
      mailbox.post(.request(.resume(PlayID(1))))
      mailbox.post(.request(.release))
      mailbox.post(.notice(.encoded(1, .pcm)))
      mailbox.post(.notice(.encoded(2, .pcm)))
      mailbox.post(.notice(.soundless(1)))
      mailbox.post(.notice(step % 2 == 0 ? .fed : .starved))
    }
    let left = mailbox.wait(until: .now)
    #expect(left.count == 7)
    let requests = left.compactMap { item -> OutputRequest? in
      if case .request(let request) = item { request } else { nil }
    }
    #expect(requests == [.seek(PlayID(1), .seconds(999)), .resume(PlayID(1)), .release])
  }
}

@Suite struct SkipPaceTests {
  private func isTooSlow(reached: guint64, wanted: guint64, after seconds: guint64) -> Bool {
    SkipPace.isTooSlow(
      reached: reached * 1_000_000_000, wanted: wanted * 1_000_000_000, passed: seconds * 1_000_000_000)
  }

  @Test func whatIsSoonThereIsWaitedFor() {
    #expect(!isTooSlow(reached: 300, wanted: 1000, after: 10), "23 s more")
    #expect(!isTooSlow(reached: 10, wanted: 40, after: 10), "playing speed, half a minute more")
    #expect(!isTooSlow(reached: 1, wanted: 2400, after: 9), "nobody knows yet")
    #expect(
      !isTooSlow(reached: 0, wanted: 2400, after: 60), "a server that sends nothing has a time of its own")
    #expect(!isTooSlow(reached: 50, wanted: 40, after: 10), "it is there")
  }

  @Test func playingSpeedIsTooSlowForMuch() {
    #expect(isTooSlow(reached: 10, wanted: 41, after: 10))
    #expect(isTooSlow(reached: 60, wanted: 2400, after: 10))
  }
}
