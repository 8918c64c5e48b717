import CGStreamer
import Synchronization

/// All elements that may be plugged after a source, in decodebin's order: parsers before decoders, then by rank.
///
/// On its own, each decodebin searches the whole registry for them, once per track, which takes longer than making and
/// starting the elements that decode a track. The list doesn't change while the daemon runs.
final class DecoderList: Sendable {
  /// Some of the elements, in the same order; nil if there are none.
  private typealias Part = GstPointer<GList>?

  /// Made on first use and never freed; GStreamer must be loaded.
  static let shared = DecoderList()

  /// Made once and then only read.
  private let list: Part
  /// Those that accept some form of a media type, by its name. Never freed.
  ///
  /// To ask all (nearly 600 with Debian's plugins) takes 0.2 ms when none of them is in the processor's cache, several
  /// times a track.
  private let byType = Mutex<[String: Part]>([:])
  /// Streams name few types, but a stranger's may name any.
  private static let mostTypes = 64

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
    let matching = gst_element_factory_list_filter(
      part(for: caps)?.object, caps, GST_PAD_SINK, gst_caps_is_fixed(caps))
    defer { gst_plugin_feature_list_free(matching) }
    return vireo_value_array(matching)
  }

  /// The elements among which those that accept `caps` are.
  private func part(for caps: UnsafeMutablePointer<GstCaps>) -> Part {
    guard gst_caps_get_size(caps) == 1, let type = mediaType(caps) else { return list }
    return byType.withLock { byType in
      if let known = byType[type] { return known }
      guard byType.count < Self.mostTypes, let wanted = gst_caps_new_empty_simple(type) else { return list }
      defer { gst_caps_unref(wanted) }
      // Wherever the samples lie.
      gst_caps_set_features_simple(wanted, gst_caps_features_new_any())
      let part = gst_element_factory_list_filter(list?.object, wanted, GST_PAD_SINK, 0).map(GstPointer.init)
      byType.updateValue(part, forKey: type)
      return part
    }
  }
}

/// Handler of decodebin's signal `autoplug-factories`.
let decoderFactories:
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
    gpointer?
  ) -> gpointer? = { _, _, caps, _ in caps.flatMap { DecoderList.shared.taking($0) } }
