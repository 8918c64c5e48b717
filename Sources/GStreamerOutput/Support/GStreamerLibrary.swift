import CGStreamer
import Glibc

/// GStreamer as a whole.
enum GStreamerLibrary {
  /// Loads it once; later calls cost nothing.
  static func prepare() {
    _ = prepared
  }

  private static let prepared: Bool = {
    // GIO's proxy lookup would start dconf and ask the session bus, of which a daemon has none.
    setenv("GSETTINGS_BACKEND", "memory", 0)
    // Nor would any of its other ways to find a proxy do here, and they cost time for each connection. The one of the
    // environment (http_proxy) is used as ever: souphttpsrc reads that itself.
    setenv("GIO_USE_PROXY_RESOLVER", "dummy", 0)
    // What plugins there are is found out by a helper of GStreamer's (gst-plugin-scanner), in a process of its own: it
    // loads every one of them, and a daemon that did so would keep them all for as long as it runs.
    gst_registry_fork_set_enabled(1)
    guard gst_init_check(nil, nil, nil) != 0 else { return false }
    prefer("mpg123audiodec")
    return true
  }()

  /// Takes `name` before other decoders of the same kind: mpg123 is lighter than all of libav.
  private static func prefer(_ name: String) {
    guard let registry = gst_registry_get(),
      let feature = gst_registry_lookup_feature(registry, name)
    else { return }
    gst_plugin_feature_set_rank(feature, guint(GST_RANK_PRIMARY.rawValue) + 1)
    gst_object_unref(UnsafeMutableRawPointer(feature))
  }
}
