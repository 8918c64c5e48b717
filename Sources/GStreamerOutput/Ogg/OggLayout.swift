import CGStreamer

/// What the beginning of an Ogg file tells: which stream is heard, how it counts time, and where its sound begins.
struct OggLayout: Hashable {
  /// How the granule positions of a stream count time.
  struct Clock: Hashable {
    /// Steps per second.
    var rate: Int
    /// Steps before the sound that aren't heard (Opus: pre-skip).
    var lead = 0

    /// Reads the first packet of a stream; nil if it isn't audio, or of an unknown codec.
    init?(firstPacket bytes: [UInt8]) {
      if bytes.count >= 16, bytes.starts(with: [1] + Array("vorbis".utf8)) {
        rate = Int(OggPage.read(bytes, 12, 4))
      } else if bytes.count >= 12, bytes.starts(with: Array("OpusHead".utf8)) {
        rate = 48000
        lead = Int(OggPage.read(bytes, 10, 2))
      } else if bytes.count >= 31, bytes.starts(with: [0x7f] + Array("FLAC".utf8)) {
        // Mark, version and number of headers (9 bytes), "fLaC", head of STREAMINFO (4), block and frame sizes (10).
        rate = Int(bytes[27]) << 12 | Int(bytes[28]) << 4 | Int(bytes[29]) >> 4
      } else if bytes.count >= 40, bytes.starts(with: Array("Speex   ".utf8)) {
        rate = Int(OggPage.read(bytes, 36, 4))
      } else {
        return nil
      }
      guard (1000...1_000_000).contains(rate) else { return nil }
    }

    /// The decoder's time at `granule`, in nanoseconds.
    func time(_ granule: Int64) -> guint64 {
      gst_util_uint64_scale(guint64(max(0, granule - Int64(lead))), 1_000_000_000, guint64(rate))
    }

    /// The granule position at `time`, the decoder's time in nanoseconds.
    func granule(_ time: guint64) -> Int64 {
      Int64(clamping: gst_util_uint64_scale(time, guint64(rate), 1_000_000_000)) + Int64(lead)
    }
  }

  /// The stream that is heard.
  var serial: UInt32
  var clock: Clock
  /// File offset of the end of the headers.
  var soundStart: Int

  /// Whether a file of `length` bytes can begin like this.
  func fits(into length: Int) -> Bool { length > soundStart && length < PlaceSearch.longestFile }
}

/// Finds an ``OggLayout`` in the first bytes of a stream as they come. Keeps at most one page of them.
struct OggHead {
  enum Finding: Hashable {
    /// More bytes are needed.
    case unknown
    case notOgg
    /// Ogg, but without a stream whose positions can be calculated.
    case unknownKind
    case layout(OggLayout)
  }

  private(set) var finding = Finding.unknown
  private(set) var isOgg = false
  private var serial: UInt32?
  private var clock: OggLayout.Clock?
  private var soundStart = 0
  private var head = HeadBytes()

  mutating func read(_ more: [UInt8]) {
    guard finding == .unknown else { return }
    head.append(more)
    while finding == .unknown, step() {}
  }

  /// Parses one page. False if more bytes are needed.
  private mutating func step() -> Bool {
    let bytes = head.bytes
    guard bytes.count >= 4 else { return false }
    guard OggPage.isCapturePattern(bytes, 0) else {
      finding = isOgg ? .unknownKind : .notOgg
      return true
    }
    isOgg = true
    guard let page = OggPage(head: bytes, at: 0) else { return false }
    if page.isFirst {
      // The first page of a stream identifies its codec, and is short.
      guard page.range.upperBound <= bytes.count else { return false }
      if clock == nil,
        let known = OggLayout.Clock(firstPacket: Array(bytes[page.bodyStart..<page.range.upperBound]))
      {
        (serial, clock) = (page.serial, known)
      }
    } else {
      guard let serial, let clock else {
        finding = .unknownKind
        return true
      }
      if page.serial == serial, let granule = page.granule {
        if granule > 0 {
          finding = .layout(OggLayout(serial: serial, clock: clock, soundStart: soundStart))
          return true
        }
        soundStart = head.offset + page.range.upperBound
      }
    }
    head.skip(page.range.upperBound)
    return true
  }
}
