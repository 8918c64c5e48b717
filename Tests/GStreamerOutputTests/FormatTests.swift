import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

/// What can be told of a stream before it is decoded: its address, its length, its variants.
@Suite struct FormatTests {
  // MARK: Addresses

  @Test(arguments: [
    ("http://s/a b.mp3", "http://s/a%20b.mp3"), ("http://s/a%20b%2f.mp3", "http://s/a%20b%2f.mp3"),
    ("http://s/ä?x=\"é\"#ü", "http://s/%C3%A4?x=%22%C3%A9%22#%C3%BC"), ("http://s/100%", "http://s/100%25"),
    ("http://s/5%zz%4", "http://s/5%25zz%254"), ("http://s/%25", "http://s/%25"),
    ("http://s/<>\\^`{|}", "http://s/%3C%3E%5C%5E%60%7B%7C%7D"),
    ("http://[fe80::1]/[a]", "http://[fe80::1]/[a]"),
    ("http://übel.example/ü", "http://übel.example/%C3%BC"), ("http://s?a b", "http://s?a%20b"),
    ("http://s/a+b&c=d;e,f:g@h!$'()*~", "http://s/a+b&c=d;e,f:g@h!$'()*~"), ("http://s", "http://s"),
  ])
  func escapesWhatCanMeanOnlyOneThing(_ address: String, _ escaped: String) {
    #expect(AddressEscaping.escaped(address) == escaped)
    #expect(AddressEscaping.escaped(escaped) == escaped, "once is enough")
  }

  @Test(arguments: ["http://s/a\nb", "http://s/\u{7F}", "http://a b/c", "http://s/\u{0}", "http://s/\t"])
  func refusesWhatItCantMend(_ address: String) {
    #expect(AddressEscaping.escaped(address) == nil)
    #expect(throws: PlaybackFailure.self) { try TrackSource.location(of: address, directories: []) }
  }

  // MARK: Fragmented MP4

  private func box(_ kind: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = parts.flatMap(\.self)
    return words(UInt32(body.count + 8)) + Array(kind.utf8) + body
  }

  private func words(_ numbers: UInt32...) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  }

  /// A header of version 0 whose clock ticks a thousand times a second.
  private var header: [UInt8] { box("mvhd", words(0, 0, 0, 1000, 2500), .init(repeating: 0, count: 80)) }

  /// An index of fragments of so many bytes, three seconds each.
  private func index(_ sizes: UInt32...) -> [UInt8] {
    box(
      "sidx", words(0, 1, 48000, 0, 0, UInt32(sizes.count)),
      sizes.flatMap { words($0, 144_000, 0x9000_0000) })
  }

  private func read(_ bytes: [UInt8], piece: Int) -> FragmentedMovie {
    var movie = FragmentedMovie()
    for start in stride(from: 0, to: bytes.count, by: piece) {
      bytes[start..<min(bytes.count, start + piece)].withUnsafeBytes { movie.take($0, at: UInt(start)) }
    }
    return movie
  }

  @Test(arguments: [1, 7, 16, 100_000])
  func aFragmentedFileSaysItsLength(piece: Int) {
    let type = box("ftyp", words(0, 0))
    let track = box("trak", .init(repeating: 7, count: 300))
    let fragment = box("moof", .init(repeating: 0, count: 40)) + box("mdat", .init(repeating: 1, count: 900))
    let plain = type + box("moov", header, track) + fragment
    #expect(!read(plain, piece: piece).isFragmented)
    #expect(read(plain, piece: piece).isComplete)

    let bare = type + box("moov", header, track, box("mvex", box("trex", words(0, 1, 1))))
    let unknown = read(bare + fragment, piece: piece)
    #expect(unknown.isFragmented && unknown.isComplete)
    #expect(unknown.duration(length: 2000) == nil)

    let told = type + box("moov", header, track, box("mvex", box("mehd", words(0, 61_500))))
    #expect(read(told + fragment, piece: piece).duration(length: nil) == 61_500_000_000)

    let size = UInt32(fragment.count)
    let indexed = bare + index(size, size) + fragment + fragment
    #expect(read(indexed, piece: piece).duration(length: UInt(indexed.count)) == 6_000_000_000)
    #expect(read(indexed, piece: piece).duration(length: nil) == 6_000_000_000)
    // One of several indexes, each for its own fragment.
    let chained = bare + index(size) + fragment + index(size) + fragment
    #expect(read(chained, piece: piece).duration(length: UInt(chained.count)) == nil)
    #expect(read(chained, piece: piece).duration(length: nil) == nil)
  }

  @Test func sizesThatNoFileHasAreHarmless() {
    let huge = words(1) + Array("free".utf8) + words(0xffff_ffff, 0xffff_fff0) + words(0, 0, 0, 0)
    #expect(read(huge + huge, piece: 8).isComplete)
    #expect(read(words(4) + Array("moov".utf8) + words(0, 0), piece: 5).isComplete)
    let empty = words(8) + Array("sidx".utf8) + words(8) + Array("mvhd".utf8) + words(8) + Array("mehd".utf8)
    #expect(read(empty + box("moof", words(0, 0)), piece: 3).duration(length: nil) == nil)
    let overlong = box("moov", header, box("mvex", box("mehd", words(0x0100_0000, .max, .max))))
    #expect(read(overlong + box("moof", words(0, 0)), piece: 9).duration(length: nil) == nil)
    let many = box("sidx", words(0, 1, 0, 0, 0, 0xffff)) + box("moof", words(0, 0))
    #expect(read(many, piece: 11).duration(length: 10) == nil)
  }

  // MARK: Variants

  @Test func variantsInTheirOrder() {
    let list = """
      #EXTM3U\r
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="audio.m3u8"\r
      #EXT-X-STREAM-INF:BANDWIDTH=1\r
      high/list.m3u8\r
      #EXT-X-STREAM-INF:BANDWIDTH=2
      # a comment
      http://other/low.m3u8?x
      #EXT-X-STREAM-INF:BANDWIDTH=3
      high/list.m3u8
      stray.m3u8
      """
    #expect(MasterPlaylist(Array(list.utf8)).variants == ["high/list.m3u8", "http://other/low.m3u8?x"])
    #expect(MasterPlaylist(Array("#EXTM3U\n#EXTINF:2,\npart.ts\n".utf8)).variants == [])
    #expect(MasterPlaylist([]).variants == [])
    let many = (0..<99).map { "#EXT-X-STREAM-INF:X\n\($0)\n" }.joined()
    #expect(MasterPlaylist(Array(many.utf8)).variants.count == MasterPlaylist.mostVariants)
  }

  @Test func noMoreOfAListIsKept() throws {
    GStreamerLibrary.prepare()
    let tap = ManifestTap()
    for _ in 0..<3 {
      let size = gsize(ManifestTap.longest / 2 + 1)
      let buffer = try #require(gst_buffer_new_allocate(nil, size, nil))
      gst_buffer_memset(buffer, 0, 35, size)
      tap.take(buffer)
      gst_buffer_unref(buffer)
    }
    #expect(tap.bytes.count == ManifestTap.longest)
  }
}
