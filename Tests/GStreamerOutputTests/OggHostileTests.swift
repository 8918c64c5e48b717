import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Ogg that is made to do harm, and servers that do.
@Suite struct OggHostileTests {
  private func layout(soundStart: Int = 100) throws -> OggLayout {
    let packet = Array("OpusHead".utf8) + [1, 2, 0xff, 0xff, 0x80, 0xbb, 0, 0]
    return OggLayout(
      serial: 7, clock: try #require(OggLayout.Clock(firstPacket: packet)), soundStart: soundStart)
  }

  @Test func numbersThatNoFileHasAreHarmless() throws {
    let layout = try layout()
    #expect(!layout.fits(into: .max))
    #expect(!layout.fits(into: 100))
    #expect(layout.fits(into: 101))
    for (target, end) in [(Int64.max, Int64(0)), (0, .max), (.max, .max)] {
      for offset in [Int.max, 0] {
        var seek = PlaceSearch(
          layout: layout, target: target, start: 0, end: PlaceSearch.Mark(offset: offset, granule: end))
        for _ in 0..<20 where !seek.isAtBeginning {
          _ = seek.found(pageAt: seek.place, endingAt: end, beforeLast: false)
          _ = seek.nothingFound()
        }
        #expect(seek.isAtBeginning)
      }
    }
    #expect(layout.clock.granule(.max) > 0)
    #expect(layout.clock.time(.max) > 0)
  }

  @Test(arguments: [0, 1, 999, 1_000_001, 0xffff_ffff])
  func aRateThatNoSoundHasIsNone(rate: UInt32) {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rate >> (8 * $0)) }
    let packet = [1] + Array("vorbis".utf8) + [0, 0, 0, 0, 2] + bytes
    #expect(OggLayout.Clock(firstPacket: packet) == nil)
  }

  /// At any place of the file: where the bytes stand, a server may claim as it likes.
  @Test func placesThatNoFileHasAreHarmless() throws {
    let page = OggTests().page(granule: .max, packets: [9])
    let seek = PlaceSearch(
      layout: try layout(), target: 48_000_000, start: 0,
      end: PlaceSearch.Mark(offset: 1 << 40, granule: .max))
    var scan = OggScan(seek, of: 7)
    scan.begin(at: .max)
    #expect(scan.take([UInt8](repeating: 0, count: 9) + page + page) != .needsMore)
  }

  /// Each of them would be a page of 9 kB, whose checksum is wrong.
  @Test func whatOnlyLooksLikePagesTakesLittleWork() throws {
    let garbage = (0..<4096).flatMap { _ in Array("OggS".utf8) }
    var pages = OggPages()
    for _ in 0..<32 {
      pages.add(garbage)
      while pages.next() != nil {}
    }
    #expect(pages.isExhausted)
    #expect(pages.summed <= OggPages.mostWrong * OggPage.mostBytes)
    let seek = PlaceSearch(
      layout: try layout(), target: 48_000_000, start: 0,
      end: PlaceSearch.Mark(offset: 1 << 30, granule: 96_000_000))
    var scan = OggScan(seek, of: 7)
    var outcome = OggScan.Outcome.needsMore
    for _ in 0..<32 where outcome == .needsMore { outcome = scan.take(garbage) }
    guard case .read = outcome else {
      Issue.record("it goes on with \(outcome)")
      return
    }
    #expect(OggTail.end(in: garbage + garbage, try layout()) == .unknowable)
  }

  /// Not even a mark of a page, or pages of another stream, for as long as somebody reads.
  @Test(arguments: [false, true]) func garbageIsLeftSoon(isOfPages: Bool) throws {
    let seek = PlaceSearch(
      layout: try layout(), target: 48_000_000, start: 0,
      end: PlaceSearch.Mark(offset: 1 << 30, granule: 96_000_000))
    let garbage =
      isOfPages
      ? OggTests().page(serial: 9, granule: 960, packets: [4000, 4000])
      : [UInt8](repeating: 0, count: 8000)
    var scan = OggScan(seek, of: 7)
    var requests = 0
    while !scan.isAtBeginning, requests < 100 {
      var read = 0
      var outcome = OggScan.Outcome.needsMore
      while outcome == .needsMore, read < 4 << 20 {
        outcome = scan.take(garbage)
        read += garbage.count
      }
      guard case .read(let place) = outcome else {
        Issue.record("after \(read) bytes: \(outcome)")
        return
      }
      #expect(read <= 640 << 10)
      #expect(scan.pages.bytes.isEmpty)
      requests += 1
      scan.begin(at: place)
    }
    #expect(requests <= PlaceSearch.mostRequests + 1)
  }

  @Test func aPositionBehindAllTimesIsLeftAlone() {
    var window = Trimmer.Window(start: .max - 5, stop: nil, time: 0)
    window.move(to: 10)
    #expect(window == Trimmer.Window(start: .max - 5, stop: nil, time: 0))
    window.move(to: 5)
    #expect(window == Trimmer.Window(start: .max, stop: nil, time: 5))
  }

  /// It never falls silent for long, and never comes to the end.
  @Test func aServerThatSendsTheEndInDropsIsGivenUp() throws {
    let names = try #require(Fixtures.pair("drops", "opus", first: 48000 * 20, second: 1000, rate: 48000))
    let bytes = Array(try Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    let server = MediaServer()
    server["/drops"] = .drippingParts(bytes)
    let recorder = Recorder("null", networkTimeout: .seconds(3))
    recorder.start(1, server.uri("/drops"))
    #expect(recorder.wait { $0 == .seekable(PlayID(1), true) } != nil)
    #expect(recorder.wait { $0.isPlaying } != nil)
    recorder.submit(.seek(PlayID(1), .seconds(15)))
    #expect(recorder.wait { $0 == .seekable(PlayID(1), false) } != nil)
    let told = recorder.events.firstIndex(of: .seekable(PlayID(1), false)) ?? 0
    let whereNow = recorder.wait(from: told) { $0.isPlaying }
    guard case .playing(_, let position) = whereNow else {
      Issue.record("the position isn't corrected")
      return
    }
    #expect(position < .seconds(15))
    recorder.submit(.stop)
    #expect(recorder.ping())
  }

  /// It needs longer for the end than it may keep silent.
  @Test func aSlowServerIsWaitedForWhileItSendsTheEnd() throws {
    let names = try #require(Fixtures.pair("slow", "opus", first: 48000 * 20, second: 1000, rate: 48000))
    let bytes = Array(try Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    let server = MediaServer()
    server["/slow"] = .slowParts(bytes, rate: 8 << 10)
    let recorder = Recorder("null", networkTimeout: .seconds(2))
    recorder.start(1, server.uri("/slow"))
    #expect(recorder.wait { $0 == .duration(PlayID(1), .seconds(20)) } != nil)
    #expect(!recorder.events.contains(.seekable(PlayID(1), false)))
    recorder.submit(.stop)
    #expect(recorder.ping())
  }

  /// A tag behind the sound, or a page that is longer than usual.
  @Test(arguments: [100, 30_000, 140_000])
  func moreOfTheEndIsReadOnlyIfTheUsualPartHoldsNoPage(trailing: Int) throws {
    let names = try #require(Fixtures.pair("tagged", "opus", first: 48000 * 20, second: 1000, rate: 48000))
    let bytes = Array(try Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    let server = MediaServer()
    server["/tagged"] = .file(bytes + [UInt8](repeating: 0, count: trailing), type: nil, ranges: true)
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/tagged"))
    #expect(recorder.wait { $0 == .seekable(PlayID(1), trailing < 130_000) } != nil)
    if trailing < 130_000 { #expect(recorder.wait { $0 == .duration(PlayID(1), .seconds(20)) } != nil) }
    recorder.submit(.stop)
    #expect(recorder.ping())
    #expect(server.requests.count { $0.contains("Range") } == (trailing < 20_000 ? 1 : 2))
  }

  /// As after an outage: it says how long it is, so it has an end, and is read up to where it was.
  @Test func aFileOfAServerWithoutPartsBeginsWhereItIsTo() throws {
    let names = try #require(Fixtures.pair("whole", "opus", first: 48000 * 20, second: 1000, rate: 48000))
    let server = MediaServer()
    let uri = server.add("/whole", fixture: names[0], ranges: false)
    let recorder = Recorder("null")
    recorder.submit(.start(PlayID(1), Media(uri: uri), position: .seconds(10), paused: false))
    let heard = recorder.wait { $0.isPlaying }
    guard case .playing(_, let position) = heard else {
      Issue.record("it doesn't play")
      return
    }
    #expect(position >= .seconds(10))
    recorder.submit(.stop)
    #expect(recorder.ping())
  }
}
