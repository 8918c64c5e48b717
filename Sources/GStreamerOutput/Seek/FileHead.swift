/// What the beginning of a file tells about where its sound is.
enum FileLayout: Hashable {
  case ogg(OggLayout)
  case flac(FlacLayout)
}

/// Finds a ``FileLayout`` in the first bytes of a stream as they come.
struct FileHead {
  enum Finding: Hashable {
    /// More bytes are needed.
    case unknown
    /// It is of no kind that Vireo seeks in itself.
    case none
    case layout(FileLayout)
  }

  private var ogg = OggHead()
  private var flac = FlacHead()

  var isOgg: Bool { ogg.isOgg }

  var finding: Finding {
    if case .layout(let layout) = ogg.finding { return .layout(.ogg(layout)) }
    if case .layout(let layout) = flac.finding { return .layout(.flac(layout)) }
    return ogg.finding == .unknown || flac.finding == .unknown ? .unknown : .none
  }

  mutating func read(_ more: [UInt8]) {
    ogg.read(more)
    flac.read(more)
  }
}
