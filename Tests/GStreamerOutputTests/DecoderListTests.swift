import CGStreamer
import Testing

@testable import GStreamerOutput

/// The list that stands in for decodebin's own.
@Suite struct DecoderListTests {
  /// Names of the factories in a GValueArray, which is freed.
  private func names(_ array: gpointer?) -> [String] {
    guard let array else { return [] }
    defer { g_boxed_free(g_type_from_name("GValueArray"), array) }
    let values = array.assumingMemoryBound(to: GValueArray.self).pointee
    return (0..<Int(values.n_values)).compactMap { index in
      guard let feature = g_value_get_object(values.values + index) else { return nil }
      return gst_object_get_name(feature.assumingMemoryBound(to: GstObject.self)).map { name in
        defer { g_free(name) }
        return String(cString: name)
      }
    }
  }

  /// What decodebin answers its own question with.
  private func asked(_ decoder: UnsafeMutablePointer<GstElement>, _ caps: UnsafeMutablePointer<GstCaps>)
    -> [String]
  {
    var parameters = [GValue](repeating: GValue(), count: 3)
    g_value_init(&parameters[0], gst_element_get_type())
    g_value_set_object(&parameters[0], decoder)
    g_value_init(&parameters[1], gst_pad_get_type())
    g_value_init(&parameters[2], gst_caps_get_type())
    g_value_set_boxed(&parameters[2], caps)
    var answer = GValue()
    g_value_init(&answer, g_type_from_name("GValueArray"))
    let signal = g_signal_lookup("autoplug-factories", g_type_from_name("GstDecodeBin"))
    g_signal_emitv(&parameters, signal, 0, &answer)
    for index in parameters.indices { g_value_unset(&parameters[index]) }
    return names(g_value_get_boxed(&answer))
  }

  @Test(
    arguments: [
      "audio/x-flac", "audio/x-flac, framed=(boolean)true", "audio/mpeg, mpegversion=(int)1, layer=(int)3",
      "audio/x-wav", "application/ogg", "video/quicktime", "audio/x-opus, channel-mapping-family=(int)0",
      "audio/x-flac; audio/mpeg, mpegversion=(int)1", "video/x-h264(memory:DMABuf)", "image/jpeg",
      "image/png", "text/plain",
    ])
  func isWhatDecodebinWouldTry(description: String) throws {
    GStreamerLibrary.prepare()
    let decoder = try #require(gst_element_factory_make("decodebin", nil))
    defer { gst_object_unref(decoder) }
    let caps = try #require(gst_caps_from_string(description))
    defer { gst_caps_unref(caps) }
    let ours = names(DecoderList.shared.taking(caps))
    #expect(ours == asked(decoder, caps))
    #expect(ours == names(DecoderList.shared.taking(caps)), "also when it is asked again")
    #expect(ours.isEmpty == ["text/plain", "video/x-h264(memory:DMABuf)"].contains(description))
  }

  @Test func whatStrangersCanCrashIsLeftOut() throws {
    GStreamerLibrary.prepare()
    let factory = try #require(gst_element_factory_find("mssdemux"), "nothing to leave out here")
    gst_object_unref(UnsafeMutableRawPointer(factory))
    let caps = try #require(gst_caps_from_string("application/vnd.ms-sstr+xml"))
    defer { gst_caps_unref(caps) }
    #expect(names(DecoderList.shared.taking(caps)).isEmpty)
  }
}
