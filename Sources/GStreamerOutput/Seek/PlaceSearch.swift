/// Looks for the place in an Ogg or FLAC file from which to decode, so that the wanted sample comes out right. Pure.
///
/// Each guess is a request to the server. The page found there says at which sample the next one begins; a frame of
/// FLAC says at which it begins itself. One that begins a little before the wanted sample is good, since the samples in
/// between are decoded and dropped. So a bad guess costs time, but never moves the position.
struct PlaceSearch: Hashable {
  /// A file offset, and the granule position at the end of the page there.
  struct Mark: Hashable {
    var offset: Int
    var granule: Int64
  }

  /// What to do with a page.
  enum Verdict: Hashable {
    /// Decode what follows it.
    case start
    /// Look elsewhere.
    case read(at: Int)
  }

  /// The latest sample from which to decode.
  let wanted: Int64
  /// Steps per second.
  private let rate: Int
  /// Where the sound begins; from there on nothing needs to be found.
  let beginning: Int
  private var low: Mark
  private var high: Mark
  private var requests = 0
  private var slack = 24 << 10
  private var mostSlack = 4 << 20
  /// Every other guess is the middle. Silence takes so few bytes in FLAC that a straight line leads astray for long.
  private var halves = false
  /// File offset at which it reads now.
  private(set) var place = 0
  /// There is no better place.
  private var isFinal = false

  /// No more requests than this are sent; then the best place so far is taken.
  static let mostRequests = 12

  /// No file is longer (in bytes), so sums of offsets can't overflow.
  static let longestFile = 1 << 48

  /// - Parameters:
  ///   - target: granule position of the first sample to be heard.
  ///   - start: granule position at the beginning of the sound.
  ///   - end: the end of the file, and the granule position there.
  init(layout: OggLayout, target: Int64, start: Int64, end: Mark) {
    rate = layout.clock.rate
    // Lossy decoders need up to 80 ms (Opus) before their output is right.
    wanted = max(start, target - Int64(rate / 4))
    beginning = layout.soundStart
    low = Mark(offset: layout.soundStart, granule: start)
    high = Mark(offset: min(end.offset, Self.longestFile), granule: end.granule)
    place = guess()
  }

  /// - Parameters:
  ///   - target: the first sample to be heard.
  ///   - length: of the file, in bytes.
  init(layout: FlacLayout, target: Int64, length: Int) {
    rate = layout.rate
    wanted = min(max(0, target), layout.samples)
    beginning = layout.soundStart
    low = Mark(offset: layout.soundStart, granule: 0)
    high = Mark(offset: min(length, Self.longestFile), granule: layout.samples)
    mostSlack = max(slack, 3 * layout.mostFrameBytes)
    halves = true
    place = guess()
  }

  /// Whether it reads at the beginning, where nothing has to be found.
  var isAtBeginning: Bool { place == beginning }

  /// Whether a page that ends at `granule` is a good one to start after.
  func isNear(_ granule: Int64) -> Bool {
    granule <= wanted && (isFinal || wanted - granule <= Int64(rate))
  }

  /// The first page at ``place`` begins at `offset` and ends at `granule`.
  ///
  /// - Parameter beforeLast: whether the next page is the stream's last, whose samples can't be counted from its end.
  mutating func found(pageAt offset: Int, endingAt granule: Int64, beforeLast: Bool) -> Verdict {
    if granule > wanted || beforeLast { return nothingFound(endingAt: granule) }
    // A file whose pages are out of order must not be searched for ever.
    if offset >= low.offset { low = Mark(offset: offset, granule: max(granule, low.granule)) }
    if isNear(granule) { return .start }
    place = guess()
    // The place that was found is the best there is.
    if place <= offset { isFinal = true }
    return isFinal ? .start : .read(at: place)
  }

  /// No page at ``place`` is early enough.
  mutating func nothingFound(endingAt granule: Int64? = nil) -> Verdict {
    if isFinal {
      // It was good a moment ago. Whatever the server sends, the beginning of the sound is right.
      low = Mark(offset: beginning, granule: low.granule)
      requests = Self.mostRequests
    }
    high.offset = min(high.offset, place)
    if let granule, granule > wanted { high.granule = min(high.granule, granule) }
    slack = min(slack * 2, mostSlack)
    place = guess()
    return .read(at: place)
  }

  private mutating func guess() -> Int {
    requests += 1
    let span = Double(high.offset - low.offset)
    let share = Double(wanted - low.granule) / Double(max(1, high.granule - low.granule))
    let isHalf = halves && requests > 2 && requests % 2 == 1
    let straight = low.offset + Int(span * (isHalf ? 0.5 : min(max(share, 0), 1)))
    let place = min(straight, high.offset) - slack
    isFinal = requests > Self.mostRequests || place < low.offset + 4096
    return isFinal ? low.offset : place
  }
}
