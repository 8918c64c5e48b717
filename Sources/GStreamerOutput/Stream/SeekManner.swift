import CGStreamer
import Synchronization

/// Where the demuxer of a track lands when it seeks.
enum SeekManner: Hashable {
  /// At the position, or before it; then its segment says what to cut.
  case exact
  /// Somewhere near, perhaps behind it.
  case near
  /// Not known in advance.
  case unknown

  /// How much earlier than wanted a demuxer that lands near is told to begin. Longer than its packets are.
  static let margin: guint64 = 3_000_000_000

  /// - Parameters:
  ///   - demuxer: its name in GStreamer.
  ///   - isInList: whether what it reads are the parts of a list, which another element seeks in.
  init(demuxer: String, isInList: Bool) {
    switch demuxer {
    // Goes by the number of packets.
    case "asfdemux": self = .near
    // They guess from the bit rate so far.
    case "tsdemux" where !isInList, "mpegpsdemux": self = .unknown
    // Goes to the end, wherever it should go.
    case "auparse": self = .unknown
    default: self = .exact
    }
  }
}

extension Track {
  /// Whether it comes to `position` (nanoseconds) only when it is read anew: a demuxer that lands behind the position
  /// can't be told to begin before the beginning.
  func mustBeginAnew(for position: guint64) -> Bool {
    listeners.seeks.manner == .near && position < SeekManner.margin
  }
}

/// Finds out the ``SeekManner`` of a track.
final class SeekWatch: Sendable {
  private let state = Mutex(SeekManner.exact)

  var manner: SeekManner { state.withLock { $0 } }

  /// Looks at an element that was added.
  func watch(_ element: UnsafeMutablePointer<GstElement>, isInList: Bool) {
    let found = SeekManner(demuxer: String(cString: vireo_factory_name(element)), isInList: isInList)
    guard found != .exact else { return }
    state.withLock { $0 = found }
  }
}
