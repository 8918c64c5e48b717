import CGStreamer
import Player

/// Reads the picture in the tags of one track.
///
/// Its parser repeats all tags whenever one changes: what has been read already isn't copied again.
final class PictureTag {
  private static let names = ["image", "preview-image"]

  private var last: EmbeddedPicture?

  /// The front cover in `list`, else its first picture; nil if there is none, or if it is too large.
  func picture(in list: UnsafePointer<GstTagList>) -> EmbeddedPicture? {
    for name in Self.names {
      var found: OpaquePointer?
      for index in 0..<gst_tag_list_get_tag_size(list, name) {
        var sample: OpaquePointer?
        guard gst_tag_list_get_sample_index(list, name, index, &sample) != 0, let sample else { continue }
        let isCover = Self.isFrontCover(sample)
        if isCover || found == nil {
          found.map(gst_sample_unref)
          found = sample
        } else {
          gst_sample_unref(sample)
        }
        if isCover { break }
      }
      guard let found else { continue }
      defer { gst_sample_unref(found) }
      return read(found)
    }
    return nil
  }

  private func read(_ sample: OpaquePointer) -> EmbeddedPicture? {
    guard let buffer = gst_sample_get_buffer(sample),
      (1...EmbeddedPicture.largest).contains(Int(clamping: gst_buffer_get_size(buffer)))
    else { return nil }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
    defer { gst_buffer_unmap(buffer, &map) }
    let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
    if let last, last.bytes.count == bytes.count, last.bytes.elementsEqual(bytes) { return last }
    let picture = EmbeddedPicture([UInt8](bytes))
    last = picture
    return picture
  }

  private static func isFrontCover(_ sample: OpaquePointer) -> Bool {
    guard let info = gst_sample_get_info(sample) else { return false }
    var kind: gint = 0
    // GstTagImageType: 1 is the front cover. Its type belongs to a library that needn't be loaded for this.
    let type = gst_structure_get_field_type(info, "image-type")
    return type != 0 && gst_structure_get_enum(info, "image-type", type, &kind) != 0 && kind == 1
  }
}
