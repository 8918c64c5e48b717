import CGStreamer

/// A source of sound that takes its turn at the device: a decoded track (``TrackFeed``).
///
/// It has a thread of its own, waits with ``Timeline/waitForTurn(_:_:isWanted:)`` and pushes ``PCMBlock``s. What another
/// room sends comes through one too (``RoomPlayer``). A line input would be another source.
protocol PCMSource: AnyObject, Sendable {
  /// The number by which ``Timeline/grant(_:)`` selects it.
  var serial: Int { get }
  /// Whether its samples are louder or quieter than they came.
  var changesLoudness: Bool { get }
  /// Ends it: its thread doesn't wait any more, and pushes nothing.
  func cancel()
  /// The device is lost: the next samples will be the first for another one.
  func loseDevice()
  /// Pushes what has been collected, if it is its turn; called when no more will come.
  func flush()
}

/// Samples on their way from a source to the device.
struct PCMBlock: Sendable {
  /// Whoever holds the block owns the reference.
  var buffer: GstPointer<GstBuffer>
  var format: StreamFormat
  var frames: Int
  /// The frame of the session at which the first one is heard; nil: right after what was pushed before.
  var due: Int?
  /// The factor that is applied to them in addition to the volume.
  var factor: Double
  /// Position of the first frame in the track, in nanoseconds.
  var media: guint64 = 0
}

extension PCMBlock {
  /// Silence of this length; nil without memory. The caller owns its buffer.
  static func silence(nanoseconds: Int64, format: StreamFormat) -> PCMBlock? {
    let frames = Int(nanoseconds) / 1000 * format.rate / 1_000_000
    let bytes = gsize(frames * format.bytesPerFrame)
    guard frames > 0, let buffer = gst_buffer_new_allocate(nil, bytes, nil) else { return nil }
    // The middle of unsigned samples isn't zero.
    gst_buffer_memset(buffer, 0, format.sample == SampleEncoding.u8.rawValue ? 0x80 : 0, bytes)
    return PCMBlock(buffer: GstPointer(buffer), format: format, frames: frames, due: nil, factor: 1)
  }
}
