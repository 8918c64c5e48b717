import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

/// Pictures inside files, as tags have them.
@Suite struct PictureTagTests {
  /// A picture in a list of tags. `kind` is a number of GStreamer's enumeration of pictures; any enumeration serves here.
  private struct Tag {
    var name = "image"
    var bytes: [UInt8]
    var isFrontCover = false
  }

  private func read(_ tags: [Tag], by reader: PictureTag = PictureTag()) throws -> EmbeddedPicture? {
    GStreamerLibrary.prepare()
    let list = try #require(gst_tag_list_new_empty())
    defer { gst_tag_list_unref(list) }
    for tag in tags {
      let buffer = try #require(gst_buffer_new_memdup(tag.bytes, gsize(tag.bytes.count)))
      defer { gst_buffer_unref(buffer) }
      let kind = tag.isFrontCover ? "default" : "bytes"
      let sample = try #require(
        gst_sample_new(
          buffer, nil, nil, gst_structure_from_string("info, image-type=(GstFormat)\(kind)", nil)))
      defer { gst_sample_unref(sample) }
      var value = GValue()
      g_value_init(&value, gst_sample_get_type())
      defer { g_value_unset(&value) }
      g_value_set_boxed(&value, UnsafeRawPointer(sample))
      gst_tag_list_add_value(list, GST_TAG_MERGE_APPEND, tag.name, &value)
    }
    return reader.picture(in: list)
  }

  @Test func theFrontCoverComesFirst() throws {
    #expect(try read([]) == nil)
    #expect(try read([Tag(bytes: [1])])?.bytes == [1])
    #expect(try read([Tag(bytes: [1]), Tag(bytes: [2])])?.bytes == [1])
    #expect(
      try read([Tag(bytes: [1]), Tag(bytes: [2], isFrontCover: true), Tag(bytes: [3])])?.bytes == [2])
    #expect(try read([Tag(name: "preview-image", bytes: [1]), Tag(bytes: [2])])?.bytes == [2])
    #expect(try read([Tag(name: "preview-image", bytes: [1])])?.bytes == [1])
  }

  @Test func whatIsTooLargeIsNotCopied() throws {
    let largest = EmbeddedPicture.largest
    #expect(try read([Tag(bytes: [UInt8](repeating: 1, count: largest))])?.bytes.count == largest)
    #expect(try read([Tag(bytes: [UInt8](repeating: 1, count: largest + 1))]) == nil)
  }

  /// A parser repeats all tags whenever the bit rate changes.
  @Test func theSamePictureStaysTheSame() throws {
    let reader = PictureTag()
    let first = try #require(try read([Tag(bytes: [1, 2])], by: reader))
    #expect(try read([Tag(bytes: [1, 2])], by: reader) == first)
    #expect(try read([Tag(bytes: [1, 3])], by: reader) != first)
  }

  @Test func tagsBearItOnlyWhereSomebodyAsks() throws {
    GStreamerLibrary.prepare()
    let list = try #require(gst_tag_list_new_from_string("taglist, title=(string)A"))
    defer { gst_tag_list_unref(list) }
    #expect(TagUpdate(list, pictures: nil).picture == nil)
    var information = TrackInformation()
    let picture = EmbeddedPicture([1])
    let isNew = [TagUpdate(picture: picture), TagUpdate(picture: picture), TagUpdate()]
      .map { information.merge($0) }
    #expect(isNew == [true, false, false])
    #expect(information.tags.picture == picture)
  }
}
