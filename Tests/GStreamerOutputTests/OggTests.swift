import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Pages of Ogg, where its sound begins, and the search for a position in it.
@Suite struct OggTests {
  /// A page with a right checksum: made by the code that rewrites pages, from one that ends with an unfinished packet.
  func page(
    serial: UInt8 = 7, granule: Int64, flags: UInt8 = 0, packets: [Int], unfinished: Int = 0, fill: UInt8 = 1
  ) -> [UInt8] {
    let pieces =
      packets.flatMap { Array(repeating: UInt8(255), count: $0 / 255) + [UInt8($0 % 255)] }
      + Array(repeating: 255, count: unfinished)
    var page =
      Array("OggS".utf8) + [0, flags] + (0..<8).map { UInt8(truncatingIfNeeded: granule >> (8 * $0)) }
    page += [serial, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0] + [UInt8(pieces.count)] + pieces
    page += [UInt8](repeating: fill, count: pieces.reduce(0) { $0 + Int($1) })
    let sum = crc(page)
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    return page
  }

  /// CRC-32 of Ogg, bit by bit.
  private func crc(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
        sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1
      }
    }
  }

  private func first(in bytes: [UInt8], from start: Int = 0) -> OggPage? {
    var pages = OggPages(bytes, from: start)
    return pages.next()
  }

  @Test func aPageIsFoundBehindWhatLooksLikeOne() throws {
    let real = page(granule: 48_000, packets: [700, 20])
    let bytes = Array("OggSOggS".utf8) + [UInt8](repeating: 0, count: 40) + real + [1, 2, 3]
    let found = try #require(first(in: bytes))
    #expect(found.range == 48..<48 + real.count)
    #expect(found.granule == 48_000)
    #expect(found.serial == 7)
    #expect(first(in: bytes, from: found.range.upperBound) == nil)
    #expect(first(in: Array(bytes.dropLast(4))) == nil, "not whole yet")
    var damaged = bytes
    damaged[100] ^= 1
    #expect(first(in: damaged) == nil)
  }

  @Test func noPageIsReadTwice() {
    let bytes = (1...20).flatMap { page(granule: Int64($0), packets: [3000]) }
    var (pages, found) = (OggPages(), [OggPage]())
    for start in stride(from: 0, to: bytes.count, by: 1000) {
      pages.add(Array(bytes[start..<min(start + 1000, bytes.count)]))
      while let page = pages.next() { found.append(page) }
    }
    #expect(found.map(\.granule) == (1...20).map { $0 })
    #expect(pages.summed == bytes.count)
  }

  @Test func whatIsUnfinishedOnAPageBecomesAPage() throws {
    let bytes = page(granule: 960, packets: [100], unfinished: 2, fill: 9)
    let rest = try #require(first(in: bytes)?.unfinishedPacket(of: bytes))
    let found = try #require(first(in: rest))
    #expect(found.granule == nil)
    #expect(found.pieces == [255, 255])
    #expect(rest.count == 27 + 2 + 510)
    let whole = page(granule: 960, packets: [100])
    #expect(first(in: whole)?.unfinishedPacket(of: whole) == nil)
  }

  private func opusHead() -> [UInt8] {
    // The packet is put into a page as it is.
    let packet = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]
    var bytes = page(granule: 0, flags: 2, packets: [packet.count])
    bytes.replaceSubrange(bytes.count - packet.count..<bytes.count, with: packet)
    return bytes
  }

  @Test(arguments: [1, 7, 100_000])
  func theSoundBeginsBehindTheHeaders(step: Int) {
    let headers = opusHead() + page(granule: 0, packets: [60_000])
    let bytes = headers + page(granule: 48_000, packets: [100])
    var head = OggHead()
    var at = 0
    while at < bytes.count {
      head.read(Array(bytes[at..<min(at + step, bytes.count)]))
      at += step
    }
    guard case .layout(let layout) = head.finding else {
      Issue.record("\(head.finding)")
      return
    }
    #expect(layout.soundStart == headers.count)
    #expect(layout.clock.lead == 312)
    #expect(layout.clock.time(48_312) == 1_000_000_000)
    #expect(layout.clock.granule(1_000_000_000) == 48_312)
  }

  @Test func whatIsNotOggIsToldByItsFirstBytes() {
    var head = OggHead()
    head.read(Array("fLa".utf8))
    #expect(head.finding == .unknown)
    head.read(Array("C".utf8))
    #expect(head.finding == .notOgg)
    var other = OggHead()
    other.read(page(granule: 0, flags: 2, packets: [30]) + page(granule: 0, packets: [30]))
    #expect(other.finding == .unknownKind)
    #expect(other.isOgg)
  }

  @Test func theEndIsCountedByTheLastPageOfTheSameStream() {
    var head = OggHead()
    head.read(opusHead() + page(granule: 960, packets: [9]))
    guard case .layout(let layout) = head.finding else {
      Issue.record("\(head.finding)")
      return
    }
    let pages = page(granule: 4000, packets: [100]) + page(granule: 5000, flags: 4, packets: [100])
    #expect(OggTail.end(in: [1, 2, 3] + pages, layout) == .end(5000))
    #expect(
      OggTail.end(in: pages + page(serial: 9, granule: 0, flags: 2, packets: [9]), layout) == .unknowable)
    #expect(OggTail.end(in: page(serial: 9, granule: 77, packets: [9]), layout) == .nothing)
    #expect(OggTail.end(in: [], layout) == .nothing)
  }

  /// A file whose pages all last a second, `sizes` of them in bytes: where a search in it begins to decode.
  private func search(_ sizes: [Int], for second: Int, lastIsShort: Bool = true) -> (
    start: Int, requests: Int
  ) {
    var head = OggHead()
    head.read(opusHead() + page(granule: 960, packets: [9]))
    guard case .layout(let layout) = head.finding else { return (-1, 0) }
    let starts = sizes.reduce(into: [layout.soundStart]) { $0.append(($0.last ?? 0) + $1) }
    let end = PlaceSearch.Mark(offset: starts.last ?? 0, granule: Int64(sizes.count * 48_000))
    var seek = PlaceSearch(layout: layout, target: Int64(second * 48_000), start: 0, end: end)
    for requests in 1...100 {
      if seek.isAtBeginning { return (0, requests) }
      guard let page = starts.firstIndex(where: { $0 >= seek.place }), page + 1 < sizes.count else {
        _ = seek.nothingFound()
        continue
      }
      let verdict = seek.found(
        pageAt: starts[page], endingAt: Int64((page + 1) * 48_000), beforeLast: page + 2 == sizes.count)
      if verdict == .start { return (page + 1, requests) }
    }
    return (-1, 100)
  }

  @Test(arguments: [1, 2, 3, 30, 55, 58, 59])
  func aPlaceIsFoundShortlyBefore(second: Int) {
    let quiet = (0..<60).map { $0 < 30 ? 2000 : 60_000 }
    for sizes in [
      Array(repeating: 4000, count: 60), Array(repeating: 65_000, count: 60), quiet, quiet.reversed(),
    ] {
      let (start, requests) = search(sizes, for: second)
      #expect(start >= 0 && start < max(1, second))
      #expect(start < 59, "the last page can't be counted from its end")
      #expect(requests <= 8)
      // 64 kB of a stream of 16 kbit/s are half a minute, which costs nothing to decode.
      if sizes.min() == 65_000 { #expect(second - start <= 4) }
    }
  }

  /// Pages that say anything: no endless search, and none for what doesn't lie in the file.
  @Test func aFileThatLiesIsNotSearchedForEver() {
    var head = OggHead()
    head.read(opusHead() + page(granule: 960, packets: [9]))
    guard case .layout(let layout) = head.finding else {
      Issue.record("\(head.finding)")
      return
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let length = Int.random(in: layout.soundStart + 1...1 << 40, using: &random)
      let end = PlaceSearch.Mark(offset: length, granule: .random(in: 0 ... .max / 2, using: &random))
      var seek = PlaceSearch(
        layout: layout, target: .random(in: 0 ... .max / 2, using: &random), start: 0, end: end)
      var requests = 0
      while !seek.isAtBeginning, requests < 100 {
        #expect((layout.soundStart...length).contains(seek.place))
        requests += 1
        let verdict =
          Bool.random()
          ? seek.nothingFound()
          : seek.found(
            pageAt: seek.place + Int.random(in: 0...9999), endingAt: .random(in: 0 ... .max / 2),
            beforeLast: .random())
        if verdict == .start { break }
      }
      // The last one goes to the best place so far.
      #expect(requests <= PlaceSearch.mostRequests + 1)
    }
  }

  /// The request for where a seek leads hangs; the control thread must not.
  @Test func aSeekThatHangsHoldsUpNobody() throws {
    try Fixtures.need("opusenc")
    let names = try #require(Fixtures.pair("hang", "opus", first: 48000 * 20, second: 1000, rate: 48000))
    let bytes = Array(try Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    let server = MediaServer()
    server["/hang"] = .silentParts(bytes, answered: 1)
    let recorder = Recorder("null", networkTimeout: .seconds(8))
    recorder.start(1, server.uri("/hang"))
    #expect(recorder.wait { $0 == .seekable(PlayID(1), true) } != nil)
    #expect(recorder.wait { $0 == .duration(PlayID(1), .seconds(20)) } != nil)
    #expect(recorder.wait { $0.isPlaying } != nil)
    recorder.submit(.seek(PlayID(1), .seconds(15)))
    var parts: Int { server.requests.count { $0.contains("Range") } }
    for _ in 0..<400 where parts < 2 { usleep(50_000) }
    #expect(parts >= 2, "the seek asks for a part")
    let before = ContinuousClock.now
    for _ in 0..<3 {
      #expect(recorder.ping())
      recorder.submit(.setGain(left: 0.5, right: 0.5), .seek(PlayID(1), .seconds(12)))
    }
    #expect(recorder.ping())
    recorder.submit(.stop)
    #expect(recorder.ping())
    #expect(ContinuousClock.now - before < .seconds(6), "long before the time-out")
  }
}
