import CGStreamer

/// All elements that may be plugged after a source, in decodebin's order: parsers before decoders, then by rank.
///
/// On its own, each decodebin searches the whole registry for them, once per track, which takes longer than making and
/// starting the elements that decode a track. The list doesn't change while the daemon runs.
final class DecoderList: Sendable {
  /// Made on first use and never freed; GStreamer must be loaded.
  static let shared = DecoderList()

  /// Made once and then only read.
  private let list: GstPointer<GList>?

  private init() {
    let found = gst_element_factory_list_get_elements(vireo_decodable_types(), GST_RANK_MARGINAL)
    let factories = g_list_sort(DecoderList.withoutUnsafe(found)) { left, right in
      let (isParser, isOtherParser) = (DecoderList.isParser(left), DecoderList.isParser(right))
      if isParser != isOtherParser { return isParser ? -1 : 1 }
      return gst_plugin_feature_rank_compare_func(left, right)
    }
    list = factories.map(GstPointer.init)
  }

  /// Leaves out what a stranger can crash the daemon with: `mssdemux` (Smooth Streaming) reads through a null pointer when a
  /// list names no quality level (GStreamer 1.22).
  private static func withoutUnsafe(_ list: UnsafeMutablePointer<GList>?) -> UnsafeMutablePointer<GList>? {
    var kept = list
    var next = list
    while let entry = next {
      next = entry.pointee.next
      guard let feature = entry.pointee.data,
        String(cString: vireo_feature_name(feature)).hasPrefix("mssdemux")
      else { continue }
      kept = g_list_delete_link(kept, entry)
      gst_object_unref(feature)
    }
    return kept
  }

  private static func isParser(_ factory: gconstpointer?) -> Bool {
    gst_element_factory_list_is_type(OpaquePointer(factory), vireo_parsers()) != 0
  }

  /// The elements that accept `caps`, in the form that decodebin wants: a GValueArray that the caller owns.
  func taking(_ caps: UnsafeMutablePointer<GstCaps>) -> gpointer? {
    let matching = gst_element_factory_list_filter(list?.object, caps, GST_PAD_SINK, gst_caps_is_fixed(caps))
    defer { gst_plugin_feature_list_free(matching) }
    return vireo_value_array(matching)
  }
}

/// Handler of decodebin's signal `autoplug-factories`.
let decoderFactories:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
    gpointer?
  ) -> gpointer? = { _, _, caps, _ in caps.flatMap { DecoderList.shared.taking($0) } }
