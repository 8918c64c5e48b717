/// Finds the pages of an Ogg stream, one after the other, in bytes that come in pieces. Pure.
///
/// No byte is examined again when more have come. Each wrong checksum may cover 64 kB, and bytes can be crafted to look
/// like a page every few bytes, so it stops after some of them.
struct OggPages {
  /// No file has more wrong pages than this by chance.
  static let mostWrong = 64

  private(set) var bytes: [UInt8]
  /// How many bytes checksums were computed over so far.
  private(set) var summed = 0
  private var wrong = 0
  /// Where the search continues.
  private var at: Int

  init(_ bytes: [UInt8] = [], from start: Int = 0) {
    self.bytes = bytes
    at = start
  }

  /// Too much of it only looks like pages; no more are found.
  var isExhausted: Bool { wrong >= Self.mostWrong }

  mutating func add(_ more: [UInt8]) {
    bytes += more
  }

  /// The next complete page with the right checksum; nil if there is none, or more bytes are needed.
  mutating func next() -> OggPage? {
    while at + 4 <= bytes.count, !isExhausted {
      guard OggPage.isCapturePattern(bytes, at) else {
        at += 1
        continue
      }
      guard let page = OggPage(head: bytes, at: at), page.range.upperBound <= bytes.count else { return nil }
      summed += page.range.count
      if OggPage.isWhole(bytes[page.range]) {
        at = page.range.upperBound
        return page
      }
      wrong += 1
      at += 1
    }
    return nil
  }
}
