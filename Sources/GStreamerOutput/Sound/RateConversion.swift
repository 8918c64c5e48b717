import CGStreamer

/// Converts to another sample rate with a given quality. Sound that keeps its rate passes and costs nothing.
///
/// GStreamer's resampler computes its tables anew for each stream, even if there is nothing to convert. Tables of good
/// quality take half a millisecond, for which the first sample of each track would wait.
enum RateConversion {
  /// Quality of tables that aren't used.
  private static let leastGrade: Int32 = 0

  /// Call it once, before `resampler` (audioresample) runs.
  static func attach(_ quality: ResamplerQuality, to resampler: UnsafeMutablePointer<GstElement>) {
    vireo_set_int(resampler, "quality", quality.grade)
    guard let pad = gst_element_get_static_pad(resampler, "sink") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      { pad, info, context in
        guard let pad, let info, let event = vireo_probe_event(info), event.pointee.type == GST_EVENT_CAPS
        else { return GST_PAD_PROBE_OK }
        RateConversion.expect(event, at: pad, grade: Int32(Int(bitPattern: context)))
        return GST_PAD_PROBE_OK
      },
      UnsafeMutableRawPointer(bitPattern: Int(quality.grade)), nil)
  }

  private static func set(_ grade: Int32, _ resampler: UnsafeMutablePointer<GstElement>) {
    if vireo_get_int(resampler, "quality") != grade { vireo_set_int(resampler, "quality", grade) }
  }

  /// Streaming thread: the next samples have the format in `event`.
  private static func expect(
    _ event: UnsafeMutablePointer<GstEvent>, at pad: UnsafeMutablePointer<GstPad>, grade: Int32
  ) {
    guard let resampler = gst_pad_get_parent_element(pad) else { return }
    defer { gst_object_unref(resampler) }
    var caps: UnsafeMutablePointer<GstCaps>?
    gst_event_parse_caps(event, &caps)
    set(caps.map { keepsRate($0, resampler) } == true ? leastGrade : grade, resampler)
  }

  /// Whether the elements after `resampler` accept the rate of `caps`: then it doesn't convert.
  private static func keepsRate(
    _ caps: UnsafeMutablePointer<GstCaps>, _ resampler: UnsafeMutablePointer<GstElement>
  ) -> Bool {
    var rate: gint = 0
    guard let structure = gst_caps_get_structure(caps, 0),
      gst_structure_get_int(structure, "rate", &rate) != 0,
      let wanted = gst_caps_from_string("audio/x-raw,rate=\(rate)")
    else { return false }
    defer { gst_caps_unref(wanted) }
    guard let source = gst_element_get_static_pad(resampler, "src") else { return false }
    defer { gst_object_unref(source) }
    guard let taken = gst_pad_peer_query_caps(source, wanted) else { return false }
    defer { gst_caps_unref(taken) }
    return gst_caps_is_empty(taken) == 0
  }
}
