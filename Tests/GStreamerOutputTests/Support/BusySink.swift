import CGStreamer

@testable import GStreamerOutput

/// A sound device that another program uses: a sink that reports this whenever it is opened.
enum BusySink {
  private static let name = "vireobusysink"

  private static let isRegistered: Bool = {
    GStreamerLibrary.prepare()
    let type = g_type_register_static_simple(
      gst_element_get_type(), "VireoBusySink", guint(MemoryLayout<GstElementClass>.size),
      { table, _ in
        guard let table = table?.assumingMemoryBound(to: GstElementClass.self) else { return }
        gst_element_class_set_static_metadata(table, "Busy", "Sink/Audio", "Is in use", "Vireo")
        table.pointee.change_state = { element, transition in
          guard transition == GST_STATE_CHANGE_NULL_TO_READY else { return GST_STATE_CHANGE_SUCCESS }
          gst_element_message_full(
            element, GST_MESSAGE_ERROR, gst_resource_error_quark(), gint(GST_RESOURCE_ERROR_BUSY.rawValue),
            g_strdup("The device is being used by another application."), nil, "BusySink.swift", "open", 0)
          return GST_STATE_CHANGE_FAILURE
        }
      },
      guint(MemoryLayout<GstElement>.size), { _, _ in }, GTypeFlags(rawValue: 0))
    return gst_element_register(nil, name, guint(GST_RANK_NONE.rawValue), type) != 0
  }()

  /// Adds the sink in front of all others that `auto` tries, or removes it.
  static func offer(_ isThere: Bool) {
    guard isRegistered, let feature = gst_registry_lookup_feature(gst_registry_get(), name) else { return }
    gst_plugin_feature_set_rank(feature, isThere ? guint(GST_RANK_PRIMARY.rawValue) + 1000 : 0)
    gst_object_unref(UnsafeMutableRawPointer(feature))
  }
}
