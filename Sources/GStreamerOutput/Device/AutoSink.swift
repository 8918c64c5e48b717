import CGStreamer

/// Finds the sound device for `auto`: the first sink, in GStreamer's rank order, that opens and takes sound.
///
/// `autoaudiosink` does the same, but if nothing opens it only warns and discards the sound.
enum AutoSink {
  typealias Element = UnsafeMutablePointer<GstElement>

  /// - Returns: an open sink (state READY), whose floating reference the caller owns.
  /// - Throws: ``SinkProblem/unusable(_:_:)``; its fault is `unusable` if a device exists but is in use, else `absent`.
  static func find() throws(SinkProblem) -> Element {
    var reasons: [String] = []
    var isInUse = false
    var hasEmptyServer = false
    for name in candidates() {
      guard let sink = gst_element_factory_make(name, nil) else { continue }
      let bus = gst_bus_new()
      gst_element_set_bus(sink, bus)
      defer { gst_object_unref(bus) }
      let isOpen = gst_element_set_state(sink, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS
      let takesSound = isOpen && takesSound(sink)
      // What comes after an empty server may be another way to it, as ALSA's plugin for PulseAudio is.
      let isUsable = takesSound && (!hasEmptyServer || passesTrial(sink))
      gst_element_set_bus(sink, nil)
      if isUsable { return sink }
      if isOpen, !takesSound {
        hasEmptyServer = true
        reasons.append("\(name): it has no device.")
      }
      while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) {
        let report = ErrorReport(message)
        gst_message_unref(message)
        if report.isDeviceInUse { isInUse = true }
        reasons.append("\(name): \(report.text.withoutPeriod)")
      }
      gst_element_set_state(sink, GST_STATE_NULL)
      gst_object_unref(sink)
    }
    let reason = reasons.isEmpty ? "no plugin for sound devices is installed" : reasons.joined(separator: " ")
    throw .unusable(isInUse ? .unusable : .absent, reason)
  }

  /// Whether an open sink takes any format. PulseAudio's takes none while its server has no device.
  private static func takesSound(_ sink: Element) -> Bool {
    guard let pad = gst_element_get_static_pad(sink, "sink") else { return false }
    defer { gst_object_unref(pad) }
    guard let caps = gst_pad_query_caps(pad, nil) else { return false }
    defer { gst_caps_unref(caps) }
    return gst_caps_is_empty(caps) == 0
  }

  /// Whether an open sink accepts a format that it says it takes. It stays open.
  private static func passesTrial(_ sink: Element) -> Bool {
    guard let pad = gst_element_get_static_pad(sink, "sink") else { return false }
    defer { gst_object_unref(pad) }
    let filter = gst_caps_from_string(
      "audio/x-raw,layout=interleaved,format=\(SampleEncoding.names),rate=[1,max],channels=[1,max]")
    defer { gst_caps_unref(filter) }
    guard var caps = gst_pad_query_caps(pad, filter) else { return false }
    defer { gst_caps_unref(caps) }
    guard gst_caps_is_empty(caps) == 0 else { return false }
    caps = gst_caps_truncate(caps)
    // Left alone, GStreamer would choose the lowest of each.
    let structure = gst_caps_get_structure(caps, 0)
    gst_structure_fixate_field_nearest_int(structure, "rate", 44100)
    gst_structure_fixate_field_nearest_int(structure, "channels", 2)
    caps = gst_caps_fixate(caps)
    guard gst_element_set_state(sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE else { return false }
    gst_pad_send_event(pad, gst_event_new_stream_start("trial"))
    let isTaken = gst_pad_send_event(pad, gst_event_new_caps(caps)) != 0
    return gst_element_set_state(sink, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE && isTaken
  }

  /// Whether some device can be opened now.
  static var findsDevice: Bool {
    guard let sink = try? find() else { return false }
    gst_element_set_state(sink, GST_STATE_NULL)
    gst_object_unref(sink)
    return true
  }

  /// Names of all audio sinks, best first. PipeWire's sink has no rank, so the search misses it; it is added last.
  private static func candidates() -> [String] {
    let list = gst_element_factory_list_get_elements(vireo_audio_sinks(), GST_RANK_MARGINAL)
    defer { gst_plugin_feature_list_free(list) }
    var names: [String] = []
    var item = list
    while let entry = item {
      if let feature = entry.pointee.data { names.append(String(cString: vireo_feature_name(feature))) }
      item = entry.pointee.next
    }
    return names.contains("pipewiresink") ? names : names + ["pipewiresink"]
  }
}
