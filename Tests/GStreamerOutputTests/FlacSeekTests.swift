import Testing

@testable import GStreamerOutput

/// A file of FLAC whose frames hold noise instead of sound: only what a search reads is right.
struct FlacFile {
  var bytes: [UInt8] = []
  /// File offset and first sample of each frame.
  var frames: [(offset: Int, sample: Int64)] = []
  var samples: Int64 = 0
  private(set) var soundStart = 0

  /// - Parameter sizes: bytes of each frame besides header and checksum.
  init(sizes: [Int], blockSize: Int = 4096, countsSamples: Bool = false, tag: Int = 0) {
    var random = SystemRandomNumberGenerator()
    samples = Int64(sizes.count * blockSize)
    if tag > 0 {
      bytes += Array("ID3".utf8)
      bytes += [4, 0, 0, 0, 0, UInt8(tag >> 7), UInt8(tag & 127)]
      bytes += [UInt8](repeating: 0, count: tag)
    }
    let size = [UInt8(blockSize >> 8), UInt8(blockSize & 255)]
    let least: [UInt8] = countsSamples ? [0, 16] : size
    // 44.1 kHz, 2 channels, 16 bits.
    let rate: [UInt8] = [0x0a, 0xc4, 0x42, 0xf0]
    let total = samples
    let count: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: total >> Int64(24 - 8 * $0)) }
    bytes += Array("fLaC".utf8)
    bytes += [0, 0, 0, 34]
    bytes += least
    bytes += size
    bytes += [UInt8](repeating: 0, count: 6)
    bytes += rate
    bytes += count
    bytes += [UInt8](repeating: 0, count: 16)
    bytes += [0x81, 0, 0, 100]
    bytes += [UInt8](repeating: 0xff, count: 100)
    soundStart = bytes.count
    for (index, size) in sizes.enumerated() {
      let sample = Int64(index * blockSize)
      frames.append((bytes.count, sample))
      let number = Self.number(countsSamples ? sample : Int64(index))
      var frame: [UInt8] = [0xff, countsSamples ? 0xf9 : 0xf8, 0x79, 0x18] + number
      frame += [UInt8((blockSize - 1) >> 8), UInt8((blockSize - 1) & 255)]
      frame.append(Self.checksum(frame))
      frame += (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      let sum = frame.reduce(UInt16(0)) { FlacFrame.checksum($0, $1) }
      bytes += frame + [UInt8(sum >> 8), UInt8(sum & 255)]
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
  }

  private static func number(_ value: Int64) -> [UInt8] {
    if value < 0x80 { return [UInt8(value)] }
    var rest = 1
    while value >= Int64(1) << Int64(5 * rest + 6) { rest += 1 }
    let mark = UInt8(truncatingIfNeeded: 0xff << (7 - rest))
    var bytes: [UInt8] = [mark | UInt8(truncatingIfNeeded: value >> Int64(6 * rest))]
    for place in (0..<rest).reversed() {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: value >> Int64(6 * place)) & 0x3f)
    }
    return bytes
  }
}

@Suite struct FlacSeekTests {
  private func readLayout(of bytes: [UInt8], piece: Int = 1000) -> FlacLayout? {
    var head = FlacHead()
    for start in stride(from: 0, to: bytes.count, by: piece) {
      head.read(Array(bytes[start..<min(start + piece, bytes.count)]))
      if case .layout(let layout) = head.finding { return layout }
    }
    return nil
  }

  /// Where decoding starts, what is given to the parser first, and how many requests that took.
  private func search(_ bytes: [UInt8], _ layout: FlacLayout, for sample: Int64) -> (
    offset: Int, first: [UInt8], requests: Int
  )? {
    let search = PlaceSearch(layout: layout, target: sample, length: bytes.count)
    var scan = FlacScan(search, in: layout)
    var (place, requests) = (search.place, 1)
    while requests < 50 {
      scan.begin(at: place)
      guard !scan.isAtBeginning else { return (layout.soundStart, [], requests) }
      var at = place
      var outcome = PlaceScan.Outcome.needsMore
      while case .needsMore = outcome {
        let more = Array(bytes[min(at, bytes.count)..<min(at + 4096, bytes.count)])
        at += more.count
        outcome = more.isEmpty ? scan.finish() : scan.take(more)
      }
      switch outcome {
      case .needsMore: return nil
      case .start(let first): return (at - first.count, first, requests)
      case .read(let next): place = next
      }
      requests += 1
    }
    return nil
  }

  @Test("Every sample is found from a frame a little before it, with few requests", arguments: [false, true])
  func everySampleIsFound(countsSamples: Bool) throws {
    // First silence, which takes nearly nothing; then noise.
    let sizes = (0..<600).map { $0 < 300 ? 6 : 8000 + $0 * 7 }
    let file = FlacFile(sizes: sizes, countsSamples: countsSamples, tag: 300)
    let layout = try #require(readLayout(of: file.bytes))
    #expect(layout.samples == file.samples)
    #expect(layout.soundStart == file.soundStart)
    #expect(layout.fileStart == 310)
    for target in stride(from: 0, through: file.samples, by: 71_993) {
      let found = try #require(search(file.bytes, layout, for: target))
      let frame = try #require(file.frames.first { $0.offset == found.offset })
      #expect(frame.sample <= target)
      // The silence is so short that it is read from its beginning.
      let isSilent = target <= 300 * 4096 + Int64(layout.rate)
      #expect(target - frame.sample <= Int64(layout.rate) || isSilent && found.offset == layout.soundStart)
      #expect(found.requests <= PlaceSearch.mostRequests + 1)
    }
    let end = try #require(search(file.bytes, layout, for: file.samples))
    #expect(end.offset > file.bytes.count - 400_000)
  }

  @Test("A file of one frame is read from its beginning")
  func oneFrameIsReadFromItsBeginning() throws {
    let file = FlacFile(sizes: [5000])
    let layout = try #require(readLayout(of: file.bytes))
    #expect(try #require(search(file.bytes, layout, for: 4000)).offset == file.soundStart)
  }

  @Test("Bytes that look like the start of a frame, but don't end like one, are passed over")
  func whatOnlyLooksLikeAFrameIsPassedOver() throws {
    let file = FlacFile(sizes: [Int](repeating: 9000, count: 400))
    let layout = try #require(readLayout(of: file.bytes))
    for target in stride(from: Int64(1_000_000), to: 1_300_000, by: 30_000) {
      // A copy of the header of an early frame, or of just the right one.
      for copied in [7, Int(target / 4096) - 2] {
        var bytes = file.bytes
        let header = Array(bytes[file.frames[copied].offset..<file.frames[copied].offset + 16])
        // In the middle of every other frame, which is broken by it.
        for frame in file.frames where frame.sample / 4096 % 2 == 1 {
          bytes.replaceSubrange(frame.offset + 4000..<frame.offset + 4016, with: header)
        }
        let found = try #require(search(bytes, layout, for: target))
        let frame = try #require(file.frames.first { $0.offset == found.offset })
        #expect(frame.sample <= target && frame.sample > target - 100_000)
      }
    }
  }

  @Test("A file full of starts of frames takes little time and few requests")
  func aFileFullOfStartsTakesLittleWork() throws {
    let file = FlacFile(sizes: [Int](repeating: 9000, count: 40))
    let layout = try #require(readLayout(of: file.bytes))
    let header = Array(file.bytes[file.soundStart..<file.soundStart + 8])
    var bytes = Array(file.bytes[..<file.soundStart])
    for _ in 0..<100_000 { bytes += header }
    let clock = ContinuousClock()
    let time = try clock.measure {
      let found = try #require(search(bytes, layout, for: 100_000))
      #expect(found.requests <= PlaceSearch.mostRequests + 1)
      #expect(found.offset == file.soundStart)
    }
    #expect(time < .seconds(20))
  }

  @Test("What isn't FLAC, or doesn't say how long it is, is left alone")
  func whatTellsNoLengthIsLeftAlone() {
    #expect(readLayout(of: [UInt8](repeating: 7, count: 100)) == nil)
    var file = FlacFile(sizes: [100, 100])
    // The number of samples is 0: unknown.
    for place in 21..<26 { file.bytes[place] = place == 21 ? 0xf0 : 0 }
    #expect(readLayout(of: file.bytes) == nil)
  }
}
