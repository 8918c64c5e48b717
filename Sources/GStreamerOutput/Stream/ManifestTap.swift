import CGStreamer
import Player
import Synchronization
import Text
import Threads

/// Keeps what an HLS demuxer is given: the list at the track's address.
final class ManifestTap: Sendable {
  /// A longer list isn't a list of variants.
  static let longest = 64 << 10

  private let state = Mutex<[UInt8]>([])
  private let hasSeenList = Mutex(false)

  /// The track's address leads to a list of parts (HLS, DASH): its length isn't the stream's.
  var isList: Bool { hasSeenList.withLock { $0 } }

  var bytes: [UInt8] { state.withLock { $0 } }

  /// Watches `element` if it is such a demuxer.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    if Self.readsLists(element) { hasSeenList.withLock { $0 = true } }
    guard ["hlsdemux", "hlsdemux2"].contains(String(cString: vireo_factory_name(element))),
      let pad = gst_element_get_static_pad(element, "sink")
    else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      { _, info, context in
        guard let info, let context, let buffer = vireo_probe_buffer(info) else { return GST_PAD_PROBE_OK }
        CallbackContext.object(context, as: ManifestTap.self).take(buffer)
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(self),
      { CallbackContext.release($0) })
  }

  /// Whether `element` is a demuxer that is given a list, and reads the parts itself.
  static func readsLists(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
    String(cString: vireo_element_class(element)).includes("Adaptive")
  }

  func take(_ buffer: UnsafeMutablePointer<GstBuffer>) {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    defer { gst_buffer_unmap(buffer, &map) }
    let bytes = UnsafeBufferPointer(start: map.data, count: Int(map.size))
    state.withLock { $0.append(contentsOf: bytes.prefix(Self.longest - $0.count)) }
  }
}
