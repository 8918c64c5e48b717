@testable import GStreamerOutput

extension FuzzTarget {
  /// An Ogg file from a server, as it is and with right checksums; the same bytes as a list of HLS variants.
  static let ogg = FuzzTarget(
    name: "ogg", maximumLength: 2048,
    words: [
      "OggS", "OggS\0\u{2}", "OggS\0\u{4}", "OpusHead", "\u{1}vorbis", "\u{7f}FLAC", "Speex   ",
      "\0\0\0\0\0\0\0\0",
      "#EXTM3U\n", "#EXT-X-STREAM-INF:\na\n",
    ]
  ) { bytes in
    try read(bytes)
    try read(mended(bytes))
    let variants = MasterPlaylist(bytes).variants
    try promise(variants.count <= MasterPlaylist.mostVariants, "\(variants.count) variants")
    try promise(Set(variants).count == variants.count, "a variant twice: \(variants)")
  }

  private static func firstPage(in bytes: [UInt8], from start: Int) -> OggPage? {
    var pages = OggPages(bytes, from: start)
    return pages.next()
  }

  private static func read(_ bytes: [UInt8]) throws {
    var at = 0
    while let page = firstPage(in: bytes, from: at) {
      try promise(
        page.range.lowerBound >= at && page.range.upperBound <= bytes.count, "\(page) from \(at) on")
      try promise(page.bodyStart <= page.range.upperBound, "no room for the head: \(page)")
      if let rest = page.unfinishedPacket(of: bytes) {
        try promise(
          firstPage(in: rest, from: 0)?.range == 0..<rest.count, "what was made of \(page) is no page")
      }
      at = page.range.upperBound
    }
    let findings = [bytes.count, 1, 7, 100].map { piece -> OggHead.Finding in
      var head = OggHead()
      for start in stride(from: 0, to: bytes.count, by: max(1, piece)) {
        head.read(Array(bytes[start..<min(bytes.count, start + max(1, piece))]))
      }
      return head.finding
    }
    try promise(findings.allSatisfy { $0 == findings[0] }, "something else in other pieces: \(findings)")
    guard case .layout(let layout) = findings[0] else { return }
    try promise(layout.soundStart <= bytes.count, "sound behind the end: \(layout)")
    guard case .end(let end) = OggTail.end(in: bytes, layout) else { return }
    try promise(end >= 0, "ends at \(end)")
    let time = layout.clock.time(end)
    try promise(
      layout.clock.granule(time) <= max(end, Int64(layout.clock.lead)), "a time behind the end: \(time)")
    if end > 0, layout.soundStart < bytes.count { try seek(to: end / 2, of: end, in: bytes, layout) }
  }

  private static func seek(to target: Int64, of end: Int64, in bytes: [UInt8], _ layout: OggLayout) throws {
    var seek = PlaceSearch(
      layout: layout, target: target, start: 0, end: PlaceSearch.Mark(offset: bytes.count, granule: end))
    var requests = 0
    while !seek.isAtBeginning {
      requests += 1
      try promise(requests <= PlaceSearch.mostRequests + 1, "\(requests) requests")
      try promise((layout.soundStart...bytes.count).contains(seek.place), "reads at \(seek.place)")
      guard let page = firstPage(in: bytes, from: seek.place), let granule = page.granule else {
        _ = seek.nothingFound()
        continue
      }
      if seek.found(pageAt: page.range.lowerBound, endingAt: granule, beforeLast: page.isLast) == .start {
        return
      }
    }
  }

  /// `bytes` with the checksum of every page right: a changed one would end there.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var at = 0
    while at + 4 <= bytes.count {
      guard OggPage.isCapturePattern(bytes, at), let page = OggPage(head: bytes, at: at),
        page.range.upperBound <= bytes.count
      else {
        at += 1
        continue
      }
      let sum = OggPage.checksum(bytes[page.range])
      for index in 0..<4 { bytes[at + 22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
      at = page.range.upperBound
    }
    return bytes
  }
}
