import CGStreamer

/// All that may be plugged behind a source, in decodebin's order: parsers before decoders, then by rank.
///
/// By itself each decodebin goes through the whole registry for it, once for each track: that takes longer than making and
/// starting what decodes a track. While the daemon runs it doesn't change.
// Safe to share: the list is made once and then only read; GStreamer's factories may be used from any thread.
final class DecoderList: @unchecked Sendable {
  /// Made when it is first asked for, and kept for good; GStreamer must be loaded.
  static let shared = DecoderList()

  private let factories: UnsafeMutablePointer<GList>?

  private init() {
    let found = gst_element_factory_list_get_elements(vireo_decodables(), GST_RANK_MARGINAL)
    factories = g_list_sort(found) { left, right in
      let (isParser, isOtherParser) = (DecoderList.isParser(left), DecoderList.isParser(right))
      if isParser != isOtherParser { return isParser ? -1 : 1 }
      return gst_plugin_feature_rank_compare_func(left, right)
    }
  }

  private static func isParser(_ factory: gconstpointer?) -> Bool {
    gst_element_factory_list_is_type(OpaquePointer(factory), vireo_parsers()) != 0
  }

  /// What takes `caps`, as decodebin wants to be told: a GValueArray that the caller owns.
  func taking(_ caps: UnsafeMutablePointer<GstCaps>) -> gpointer? {
    let matching = gst_element_factory_list_filter(factories, caps, GST_PAD_SINK, gst_caps_is_fixed(caps))
    defer { gst_plugin_feature_list_free(matching) }
    return vireo_value_array(matching)
  }
}

/// decodebin's `autoplug-factories`.
let decoderFactories:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
    gpointer?
  ) -> gpointer? = { _, _, caps, _ in caps.flatMap { DecoderList.shared.taking($0) } }
