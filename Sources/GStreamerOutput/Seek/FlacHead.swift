import CGStreamer

/// What the beginning of a FLAC file tells.
struct FlacLayout: Hashable {
  /// Samples per second.
  var rate: Int
  /// Samples of the recording; more than 0.
  var samples: Int64
  /// Samples of each frame but the last; 0 if they differ.
  var blockSize: Int
  /// No frame is longer than this many bytes: an encoder stores what doesn't get smaller as it is.
  var mostFrameBytes: Int
  /// File offset of FLAC's mark: a tag of ID3 may come before.
  var fileStart: Int
  /// File offset of the first frame.
  var soundStart: Int

  /// Longer frames aren't searched for: a whole one is kept and summed at each guess.
  static let longestFrame = 256 << 10

  /// Whether a file of `length` bytes can begin like this.
  func fits(into length: Int) -> Bool { length > soundStart && length < PlaceSearch.longestFile }

  /// The sample to be heard at `time`, in nanoseconds.
  func sample(_ time: guint64) -> Int64 { Int64(Trimmer.frames(time, rate)) }
}

/// Finds a ``FlacLayout`` in the first bytes of a file as they come. Keeps a few of them.
struct FlacHead {
  enum Finding: Hashable {
    /// More bytes are needed.
    case unknown
    /// It isn't FLAC, or doesn't tell how long it is.
    case none
    case layout(FlacLayout)
  }

  private enum Part { case mark, blocks }

  private(set) var finding = Finding.unknown
  private var part = Part.mark
  private var layout: FlacLayout?
  private var head = HeadBytes()

  mutating func read(_ more: [UInt8]) {
    guard finding == .unknown else { return }
    head.append(more)
    while finding == .unknown, step() {}
  }

  /// Parses one part. False if more bytes are needed.
  private mutating func step() -> Bool {
    switch part {
    case .mark: readMark()
    case .blocks: readBlock()
    }
  }

  private mutating func readMark() -> Bool {
    let bytes = head.bytes
    guard bytes.count >= 10 else { return false }
    if bytes.starts(with: Array("ID3".utf8)) {
      let size = bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
      head.skip(10 + size + (bytes[5] & 0x10 != 0 ? 10 : 0))
    } else if bytes.starts(with: Array("fLaC".utf8)) {
      layout = FlacLayout(
        rate: 0, samples: 0, blockSize: 0, mostFrameBytes: 0, fileStart: head.offset, soundStart: 0)
      part = .blocks
      head.skip(4)
    } else {
      finding = .none
    }
    return true
  }

  private mutating func readBlock() -> Bool {
    let bytes = head.bytes
    guard bytes.count >= 4, var layout else { return false }
    let (isLast, kind) = (bytes[0] & 0x80 != 0, bytes[0] & 0x7f)
    let end = 4 + bytes[1..<4].reduce(0) { $0 << 8 | Int($1) }
    if layout.rate == 0 {
      // The first block says how the sound is stored.
      guard kind == 0, end >= 38 else {
        finding = .none
        return true
      }
      guard bytes.count >= 38 else { return false }
      let (least, most) = (Int(bytes[4]) << 8 | Int(bytes[5]), Int(bytes[6]) << 8 | Int(bytes[7]))
      layout.blockSize = least == most ? least : 0
      let channels = Int(bytes[16] >> 1 & 7) + 1
      let bits = (Int(bytes[16] & 1) << 4 | Int(bytes[17]) >> 4) + 1
      // The difference of two channels needs one bit more. A channel needs a few bytes besides.
      layout.mostFrameBytes = most * channels * (bits + 1) / 8 + 1024
      layout.rate = Int(bytes[14]) << 12 | Int(bytes[15]) << 4 | Int(bytes[16]) >> 4
      layout.samples = Int64(bytes[17] & 15) << 32 | bytes[18..<22].reduce(0) { $0 << 8 | Int64($1) }
      guard (1000...1_000_000).contains(layout.rate), layout.samples > 0,
        layout.mostFrameBytes <= FlacLayout.longestFrame
      else {
        finding = .none
        return true
      }
    }
    layout.soundStart = head.offset + end
    self.layout = layout
    if isLast { finding = .layout(layout) } else { head.skip(end) }
    return true
  }
}
