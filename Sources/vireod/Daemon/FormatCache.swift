import CLinux
import Glibc

/// Identifies the decoders of this host, so that their formats are determined again only when they have changed.
///
/// GStreamer takes more than half of an idle daemon's memory, so it isn't loaded before it is needed for playback; but
/// control points ask for the formats at once.
enum FormatCache {
  /// Identifies the decoders: changes when plugins are installed or removed, with GStreamer and with Vireo.
  ///
  /// Nil when that can't be determined; then the formats must not be saved.
  static let key: String? = {
    guard let symbol = dlsym(nil, "gst_init_check"), let name = clinux_library_path(symbol) else {
      return nil
    }
    let folder = String(cString: name).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    // Debian and its derivatives have the plugins beside the library.
    guard let plugins = stamp(folder.joined(separator: "/") + "/gstreamer-1.0") else { return nil }
    let further = ["GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH_1_0"]
    // Additional plugin directories aren't tracked, so with them there is no reliable key.
    return further.allSatisfy { getenv($0) == nil } ? "\(Version.number) \(plugins)" : nil
  }()

  private static func stamp(_ directory: String) -> String? {
    var status = stat()
    guard stat(directory, &status) == 0 else { return nil }
    return "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }
}
