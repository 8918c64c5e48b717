/// Examines the data at the place where a ``PlaceSearch`` reads a FLAC file, until it is clear what to do. Pure.
///
/// Every frame says where in the recording it begins. So wherever the search lands, the position is exact.
struct FlacScan {
  let layout: FlacLayout
  private var search: PlaceSearch
  private var bytes: [UInt8] = []
  /// File offset of the first byte.
  private var offset = 0
  /// Where in ``bytes`` a frame may begin, and what it says.
  private var start = 0
  private var frame: FlacFrame?
  /// Where in ``bytes`` its end is looked for, and the checksum of what is before.
  private var end = 0
  private var checksum: UInt16 = 0
  /// Bytes that checksums were made of at this place.
  private var summed = 0

  /// So many bytes contain a whole frame, or are garbage.
  private var mostBytes: Int { 4 * layout.mostFrameBytes + 65536 }

  init(_ search: PlaceSearch, in layout: FlacLayout) {
    self.search = search
    self.layout = layout
  }

  /// Whether it reads at the beginning, where nothing has to be found.
  var isAtBeginning: Bool { search.isAtBeginning }

  /// The next bytes are at `offset` in the file.
  mutating func begin(at offset: Int) {
    self.offset = min(max(0, offset), PlaceSearch.longestFile)
    forget()
  }

  private mutating func forget() {
    bytes = []
    start = 0
    frame = nil
    summed = 0
  }

  mutating func take(_ more: [UInt8]) -> PlaceScan.Outcome {
    bytes += more
    guard let found = wholeFrame() else { return isGarbage ? finish() : .needsMore }
    switch search.found(pageAt: offset + start, endingAt: found.sample, beforeLast: false) {
    case .start: return .start(Array(bytes[start...]))
    case .read(let place): return leave(for: place)
    }
  }

  /// Also true of a file that is made to look like the beginning of a frame everywhere.
  private var isGarbage: Bool { bytes.count > mostBytes || summed > 4 * mostBytes }

  /// Nothing useful follows.
  mutating func finish() -> PlaceScan.Outcome {
    guard case .read(let place) = search.nothingFound() else { return .needsMore }
    return leave(for: place)
  }

  private mutating func leave(for place: Int) -> PlaceScan.Outcome {
    forget()
    return .read(at: place)
  }

  /// The first frame, at ``start``, that the next one follows; nil if it isn't there yet.
  private mutating func wholeFrame() -> FlacFrame? {
    while start + FlacFrame.mostHeaderBytes <= bytes.count, !isGarbage {
      if frame == nil {
        frame = FlacFrame(bytes, at: start, blockSize: layout.blockSize)
        (end, checksum) = (start, 0)
      }
      guard let found = frame else {
        start += 1
        continue
      }
      while end + FlacFrame.mostHeaderBytes <= bytes.count, end - start <= layout.mostFrameBytes {
        if checksum == 0, end > start,
          FlacFrame(bytes, at: end, blockSize: layout.blockSize)?.sample == found.end
        {
          return found
        }
        checksum = FlacFrame.checksum(checksum, bytes[end])
        end += 1
        summed += 1
      }
      guard end - start > layout.mostFrameBytes else { return nil }
      frame = nil
      start += 1
    }
    return nil
  }
}
