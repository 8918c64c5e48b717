/// Examines the data where a file is sought in. Pure.
enum PlaceScan {
  enum Outcome: Hashable {
    case needsMore
    /// These bytes go to the demuxer or parser first, and then everything that follows.
    case start([UInt8])
    /// The source must read elsewhere.
    case read(at: Int)
  }

  case ogg(OggScan)
  case flac(FlacScan)

  /// Whether it reads at the beginning, where nothing has to be found.
  var isAtBeginning: Bool {
    switch self {
    case .ogg(let scan): scan.isAtBeginning
    case .flac(let scan): scan.isAtBeginning
    }
  }

  /// The file offset that what comes next is said to have; nil for the true one.
  ///
  /// A parser would guess the time from the offset, and cut there. FLAC's frames tell their time themselves.
  var reportedOffset: Int? {
    switch self {
    case .ogg: nil
    case .flac(let scan): scan.layout.fileStart
    }
  }

  /// The next bytes are at `offset` in the file.
  mutating func begin(at offset: Int) {
    switch self {
    case .ogg(var scan):
      scan.begin(at: offset)
      self = .ogg(scan)
    case .flac(var scan):
      scan.begin(at: offset)
      self = .flac(scan)
    }
  }

  mutating func take(_ more: [UInt8]) -> Outcome {
    switch self {
    case .ogg(var scan):
      defer { self = .ogg(scan) }
      return scan.take(more)
    case .flac(var scan):
      defer { self = .flac(scan) }
      return scan.take(more)
    }
  }

  /// Nothing useful follows.
  mutating func end() -> Outcome {
    switch self {
    case .ogg(var scan):
      defer { self = .ogg(scan) }
      return scan.end()
    case .flac(var scan):
      defer { self = .flac(scan) }
      return scan.finish()
    }
  }
}
