import CGStreamer

/// A source of sound that takes its turn at the device: a decoded track (``TrackFeed``).
///
/// It has a thread of its own, waits with ``Timeline/waitForTurn(_:_:isWanted:)`` and pushes ``PCMBlock``s. What
/// comes from a network receiver or a line input is another one: its blocks say when they are due.
protocol PCMSource: AnyObject, Sendable {
  /// By this number ``Timeline/grant(_:)`` gives it the turn.
  var serial: Int { get }
  /// Whether its samples are louder or quieter than they came.
  var changesLoudness: Bool { get }
  /// Releases its thread for good.
  func cancel()
  /// The device is lost: the next samples are the first that another one gets.
  func loseDevice()
  /// Hands on what has been collected, if it is its turn: nothing more will come.
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
  /// Their factor besides the volume.
  var factor: Double
}
