import CGStreamer
import Threads

/// Answers decodebin's signals on its streaming threads: links the first audio stream, leaves the others.
// Safe to share: immutable; linking pads is thread-safe in GStreamer.
final class TrackLinker: @unchecked Sendable {
  private let target: UnsafeMutablePointer<GstPad>
  let trim: TrackTrim
  private let tellSoundless: @Sendable () -> Void

  /// Takes over the reference to `target`.
  init(
    target: UnsafeMutablePointer<GstPad>, trim: TrackTrim, tellSoundless: @escaping @Sendable () -> Void
  ) {
    self.target = target
    self.trim = trim
    self.tellSoundless = tellSoundless
  }

  deinit { gst_object_unref(target) }

  func link(_ pad: UnsafeMutablePointer<GstPad>) {
    guard gst_pad_is_linked(target) == 0, let caps = gst_pad_query_caps(pad, nil) else { return }
    defer { gst_caps_unref(caps) }
    guard mediaType(caps)?.hasPrefix("audio/x-raw") == true else { return }
    gst_pad_link(pad, target)
  }

  /// All streams have been shown. Without sound among them nobody would take anything, and nobody would say so.
  fileprivate func finish() {
    if gst_pad_is_linked(target) == 0 { tellSoundless() }
  }
}

private func mediaType(_ caps: UnsafeMutablePointer<GstCaps>) -> String? {
  guard gst_caps_is_any(caps) == 0, gst_caps_is_empty(caps) == 0,
    let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure)
  else { return nil }
  return String(cString: name)
}

let decoderChildAdded:
  @convention(c) (
    UnsafeMutablePointer<GstBin>?, UnsafeMutablePointer<GstElement>?, gpointer?
  ) -> Void = { _, element, context in
    guard let element, let context else { return }
    HandOver.borrow(context, as: TrackLinker.self).trim.watch(element)
  }

let decoderPadAdded:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
  ) -> Void = { _, pad, context in
    guard let pad, let context else { return }
    HandOver.borrow(context, as: TrackLinker.self).link(pad)
  }

let decoderNoMorePads: @convention(c) (UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = { _, context in
  guard let context else { return }
  HandOver.borrow(context, as: TrackLinker.self).finish()
}

/// Answers of `autoplug-select`: try this factory, or show the stream undecoded.
private let autoplugTry: CInt = 0
private let autoplugExpose: CInt = 1

/// Pictures and films are left undecoded.
let decoderSelect:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
    OpaquePointer?, gpointer?
  ) -> CInt = { _, _, caps, factory, _ in
    guard let caps, let factory, let type = mediaType(caps) else { return autoplugTry }
    guard type.hasPrefix("video/") || type.hasPrefix("image/") || type.hasPrefix("subpicture/") else {
      return autoplugTry
    }
    // Containers are "video/quicktime" and the like; only their decoders and parsers are left out.
    let kind = gst_element_factory_get_metadata(factory, "klass").map { String(cString: $0) } ?? ""
    return kind.contains("Demux") ? autoplugTry : autoplugExpose
  }
