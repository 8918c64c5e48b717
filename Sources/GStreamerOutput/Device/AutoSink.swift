import CGStreamer

/// Finds the sound device for `auto`: the first sink, in GStreamer's rank order, that opens.
///
/// `autoaudiosink` does the same, but if nothing opens it only warns and discards the sound.
enum AutoSink {
  typealias Element = UnsafeMutablePointer<GstElement>

  /// - Returns: an open sink (state READY), whose floating reference the caller owns.
  /// - Throws: ``SinkProblem/unusable(_:_:)``; its fault is `unusable` if a device exists but is in use, else `absent`.
  static func find() throws(SinkProblem) -> Element {
    var reasons: [String] = []
    var isInUse = false
    for name in candidates() {
      guard let sink = gst_element_factory_make(name, nil) else { continue }
      let bus = gst_bus_new()
      gst_element_set_bus(sink, bus)
      defer { gst_object_unref(bus) }
      let isOpen = gst_element_set_state(sink, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS
      gst_element_set_bus(sink, nil)
      if isOpen { return sink }
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
