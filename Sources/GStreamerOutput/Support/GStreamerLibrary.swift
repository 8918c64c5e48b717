import CGStreamer
import CSourceGuard
import Glibc

/// Loads and configures GStreamer.
enum GStreamerLibrary {
  /// Loads GStreamer once; later calls cost nothing.
  static func prepare() {
    _ = prepared
  }

  private static let prepared: Bool = {
    // GIO's proxy lookup would start dconf and contact the session bus, which a daemon doesn't have.
    setenv("GSETTINGS_BACKEND", "memory", 0)
    // GIO's other proxy resolvers don't apply here either, and cost time for each connection. The proxy of the
    // environment (http_proxy) still works: souphttpsrc reads it itself.
    setenv("GIO_USE_PROXY_RESOLVER", "dummy", 0)
    // GStreamer's helper (gst-plugin-scanner) looks for plugins in its own process: it loads every one of them, and a
    // daemon that did so would keep them all for as long as it runs.
    gst_registry_fork_set_enabled(1)
    guard gst_init_check(nil, nil, nil) != 0, csourceguard_install() != 0 else { return false }
    prefer("mpg123audiodec")
    return true
  }()

  /// Ranks `name` above other decoders of the same kind: mpg123 is lighter than all of libav.
  private static func prefer(_ name: String) {
    guard let registry = gst_registry_get(),
      let feature = gst_registry_lookup_feature(registry, name)
    else { return }
    gst_plugin_feature_set_rank(feature, guint(GST_RANK_PRIMARY.rawValue) + 1)
    gst_object_unref(UnsafeMutableRawPointer(feature))
  }
}
