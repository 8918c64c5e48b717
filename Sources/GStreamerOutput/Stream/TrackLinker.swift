import CGStreamer
import Player
import Text
import Threads

/// Handles decodebin's signals on its streaming threads: links the first audio stream, leaves the others.
final class TrackLinker: Sendable {
  /// What is found out about a stream.
  enum Finding {
    /// There is no audio in it.
    case soundless
    /// It is a list of addresses where none is allowed.
    case list
  }

  private let pad: GstPointer<GstPad>
  fileprivate let listeners: TrackListeners
  private let mayLeadElsewhere: Bool
  private let tell: @Sendable (Finding) -> Void

  /// Takes over the reference to `target`.
  ///
  /// - Parameter mayLeadElsewhere: whether the stream may be a list of addresses that the demuxer opens.
  init(
    target: UnsafeMutablePointer<GstPad>, listeners: TrackListeners, mayLeadElsewhere: Bool,
    tell: @escaping @Sendable (Finding) -> Void
  ) {
    pad = GstPointer(target)
    self.listeners = listeners
    self.mayLeadElsewhere = mayLeadElsewhere
    self.tell = tell
  }

  deinit { gst_object_unref(target) }

  private var target: UnsafeMutablePointer<GstPad> { pad.object }

  func link(_ pad: UnsafeMutablePointer<GstPad>) {
    guard gst_pad_is_linked(target) == 0, isAudio(pad) else {
      listeners.trim.noteOtherStream()
      return
    }
    gst_pad_link(pad, target)
  }

  private func isAudio(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
    guard let caps = gst_pad_query_caps(pad, nil) else { return false }
    defer { gst_caps_unref(caps) }
    return mediaType(caps)?.hasPrefix("audio/x-raw") == true
  }

  /// All streams are known. Without audio among them nothing is linked, and no element would report that.
  fileprivate func finish() {
    if gst_pad_is_linked(target) == 0 { tell(.soundless) }
  }

  /// Whether a demuxer that opens further addresses may be plugged; reports it if not.
  fileprivate func allowsLists() -> Bool {
    if !mayLeadElsewhere { tell(.list) }
    return mayLeadElsewhere
  }
}

let decoderChildAdded:
  @convention(c) (
    UnsafeMutablePointer<GstBin>?, UnsafeMutablePointer<GstElement>?, gpointer?
  ) -> Void = { _, element, context in
    guard let element, let context else { return }
    CallbackContext.object(context, as: TrackLinker.self).listeners.watch(element)
  }

let decoderPadAdded:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
  ) -> Void = { _, pad, context in
    guard let pad, let context else { return }
    CallbackContext.object(context, as: TrackLinker.self).link(pad)
  }

let decoderNoMorePads: @convention(c) (UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = { _, context in
  guard let context else { return }
  CallbackContext.object(context, as: TrackLinker.self).finish()
}

/// Results of `autoplug-select`: try this factory, expose the stream undecoded, or skip the factory.
private let autoplugTry: CInt = 0
private let autoplugExpose: CInt = 1
private let autoplugSkip: CInt = 2

/// Handler of `autoplug-select`: pictures and videos stay undecoded, and a local file leads nowhere else.
let decoderSelect:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
    OpaquePointer?, gpointer?
  ) -> CInt = { _, _, caps, factory, context in
    guard let caps, let factory, let context, let type = mediaType(caps) else { return autoplugTry }
    let kind = gst_element_factory_get_metadata(factory, "klass").map { String(cString: $0) } ?? ""
    if kind.includes("Adaptive") {
      return CallbackContext.object(context, as: TrackLinker.self).allowsLists() ? autoplugTry : autoplugSkip
    }
    guard type.hasPrefix("video/") || type.hasPrefix("image/") || type.hasPrefix("subpicture/") else {
      return autoplugTry
    }
    // Containers are "video/quicktime" and the like, so demuxers are still tried.
    return kind.includes("Demux") ? autoplugTry : autoplugExpose
  }
