import CGStreamer
import Synchronization

/// The buffer between a track's source and its decoder (queue2).
final class ReadAhead: Sendable {
  private let element: GstPointer<GstElement>
  private let bitRate = Mutex(usualBitRate)

  /// CD audio, until the bit rate is known.
  static let usualBitRate = 1_411_200

  init(_ queue: UnsafeMutablePointer<GstElement>) {
    element = GstPointer(queue)
    gst_object_ref(queue)
  }

  deinit { gst_object_unref(queue) }

  private var queue: UnsafeMutablePointer<GstElement> { element.object }

  /// Makes it as large as `duration` needs at `bitRate` (bits per second, above 0).
  func hold(_ duration: Duration, at bitRate: Int) {
    self.bitRate.withLock { $0 = bitRate }
    vireo_set_int(queue, "max-size-bytes", TrackPipelineBuilder.bytes(bitRate: bitRate, seconds: duration))
  }

  /// The most bytes that it holds.
  var limit: Int { Int(vireo_get_uint(queue, "max-size-bytes")) }

  /// What it holds now.
  var duration: Duration {
    let bits = Double(vireo_get_uint(queue, "current-level-bytes")) * 8
    return .seconds(bits / Double(bitRate.withLock { $0 }))
  }
}
