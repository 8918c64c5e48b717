import CGStreamer
import Synchronization
import Threads

/// The sources that the demuxer of a list (HLS, DASH) makes to read its parts.
///
/// The list was answered long ago. So only these tell whether the server still answers.
final class PartSources: Sendable {
  /// How many sources wait for the server's answer.
  private let waiting = Mutex(0)

  /// A part was requested, and nothing of it has come.
  var awaitsAnswer: Bool { waiting.withLock { $0 > 0 } }

  /// Watches the sources of `element` if it is such a demuxer.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    guard ManifestTap.readsLists(element) else { return }
    let added:
      @convention(c) (
        UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstElement>?,
        UnsafeMutablePointer<GstElement>?, gpointer?
      ) -> Void = { _, _, element, context in
        guard let element, let context, vireo_is_source(element) != 0, vireo_is_bin(element) == 0 else {
          return
        }
        CallbackContext.object(context, as: PartSources.self).attach(to: element)
      }
    _ = vireo_connect(
      element, "deep-element-added", unsafeBitCast(added, to: GCallback.self), CallbackContext.retain(self),
      { context, _ in CallbackContext.release(context) })
  }

  private func attach(to source: UnsafeMutablePointer<GstElement>) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad,
      GstPadProbeType(
        rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
      { _, info, context in
        guard let info, let context else { return GST_PAD_PROBE_OK }
        let request = CallbackContext.object(context, as: PartRequest.self)
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
          request.setWaiting(false)
        } else if let event = vireo_probe_event(info), event.pointee.type == GST_EVENT_STREAM_START {
          // This comes first, before the source asks the server. An end follows an error, too, so it says nothing.
          request.setWaiting(true)
        }
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(PartRequest(of: self)),
      { CallbackContext.release($0) })
  }

  fileprivate func count(_ change: Int) { waiting.withLock { $0 += change } }
}

/// The request that one of the sources makes, one after the other.
private final class PartRequest: Sendable {
  private let sources: PartSources
  private let isWaiting = Mutex(false)

  init(of sources: PartSources) {
    self.sources = sources
  }

  deinit { setWaiting(false) }

  func setWaiting(_ value: Bool) {
    let before = isWaiting.withLock { isWaiting in
      defer { isWaiting = value }
      return isWaiting
    }
    if before != value { sources.count(value ? 1 : -1) }
  }
}
