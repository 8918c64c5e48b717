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
}
