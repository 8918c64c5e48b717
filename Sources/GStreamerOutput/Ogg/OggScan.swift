/// Examines the data at the place where an ``PlaceSearch`` reads, until it is clear what to do. Pure.
struct OggScan {
  typealias Outcome = PlaceScan.Outcome

  /// So many bytes contain the page that is looked for, or are garbage.
  private static let mostBytes = 8 * OggPage.mostBytes

  private let serial: UInt32
  private var seek: PlaceSearch
  private(set) var pages = OggPages()
  /// The page after which decoding may start.
  private var first: OggPage?
  /// File offset of the first byte.
  private var offset = 0

  init(_ seek: PlaceSearch, of serial: UInt32) {
    self.seek = seek
    self.serial = serial
  }

  /// Whether it reads at the beginning, where nothing has to be found.
  var isAtBeginning: Bool { seek.isAtBeginning }

  /// The next bytes are at `offset` in the file.
  mutating func begin(at offset: Int) {
    self.offset = min(max(0, offset), PlaceSearch.longestFile)
    forget()
  }

  private mutating func forget() {
    pages = OggPages()
    first = nil
  }

  mutating func take(_ more: [UInt8]) -> Outcome {
    pages.add(more)
    while let page = pages.next() {
      guard page.serial == serial, let granule = page.granule else { continue }
      guard let first else {
        if !seek.isNear(granule),
          case .read(let place) = seek.found(
            pageAt: offset + page.range.lowerBound, endingAt: granule, beforeLast: false)
        {
          return leave(for: place)
        }
        first = page
        continue
      }
      if case .read(let place) = seek.found(
        pageAt: offset + first.range.lowerBound, endingAt: first.granule ?? 0, beforeLast: page.isLast)
      {
        return leave(for: place)
      }
      let bytes = pages.bytes
      return .start((first.unfinishedPacket(of: bytes) ?? []) + bytes[first.range.upperBound...])
    }
    return pages.isExhausted || pages.bytes.count > Self.mostBytes ? end() : .needsMore
  }

  /// Nothing useful follows.
  mutating func end() -> Outcome {
    guard case .read(let place) = seek.nothingFound() else { return .needsMore }
    return leave(for: place)
  }

  private mutating func leave(for place: Int) -> Outcome {
    forget()
    return .read(at: place)
  }
}
