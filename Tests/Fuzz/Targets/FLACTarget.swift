@testable import GStreamerOutput

extension FuzzTarget {
  /// A FLAC file from a server, sought in as it is.
  static let flac = FuzzTarget(
    name: "flac", maximumLength: 2048,
    words: [
      "fLaC", "fLaC\0\0\0\u{22}", "ID3\u{4}\0\0\0\0\0\u{1}", "\u{10}\0\u{10}\0", "\u{1}\0\u{1}\0",
    ]
  ) { bytes in
    let findings = [bytes.count, 1, 7, 100].map { piece -> FlacHead.Finding in
      var head = FlacHead()
      for part in pieces(of: bytes, piece) { head.read(part) }
      return head.finding
    }
    try promise(findings.allSatisfy { $0 == findings[0] }, "something else in other pieces: \(findings)")
    guard case .layout(let layout) = findings[0], layout.fits(into: bytes.count) else { return }
    try promise(layout.mostFrameBytes <= FlacLayout.longestFrame, "\(layout.mostFrameBytes) bytes in a frame")
    for target in [0, layout.samples / 2, layout.samples] { try seek(to: target, in: bytes, layout) }
  }

  private static func pieces(of bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: max(1, size)).map {
      Array(bytes[$0..<min(bytes.count, $0 + max(1, size))])
    }
  }

  private static func seek(to sample: Int64, in bytes: [UInt8], _ layout: FlacLayout) throws {
    let search = PlaceSearch(layout: layout, target: sample, length: bytes.count)
    var (place, scan) = (search.place, FlacScan(search, in: layout))
    var requests = 0
    while !scan.isAtBeginning {
      requests += 1
      try promise(requests <= PlaceSearch.mostRequests + 2, "\(requests) requests")
      try promise((layout.soundStart...bytes.count).contains(place), "reads at \(place)")
      scan.begin(at: place)
      var outcome = PlaceScan.Outcome.needsMore
      for part in pieces(of: Array(bytes[place...]), 100) where outcome == .needsMore {
        outcome = scan.take(part)
      }
      if outcome == .needsMore { outcome = scan.finish() }
      switch outcome {
      case .start(let rest):
        try promise(bytes.suffix(bytes.count - place).count >= rest.count, "more than there is")
        return
      case .read(let other): place = other
      case .needsMore: return
      }
    }
  }
}
