import CLinux
import Glibc

/// Which decoders this host has, so that what they can do is looked for only when they have changed.
///
/// GStreamer is more than half of the memory of an idle daemon, so it isn't loaded before somebody casts; but
/// control points ask for the formats at once.
enum FormatCache {
  /// Changes when plugins are installed or removed, with GStreamer, and with Vireo; nil when that can't be told,
  /// and then nothing should be remembered.
  static let key: String? = {
    guard let symbol = dlsym(nil, "gst_init_check"), let name = clinux_library_path(symbol) else {
      return nil
    }
    let folder = String(cString: name).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    // Where Debian and its kin have the plugins: beside the library.
    guard let plugins = stamp(folder.joined(separator: "/") + "/gstreamer-1.0") else { return nil }
    let further = ["GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH_1_0"]
    // Directories of one's own are not followed: without a stamp there is nothing to trust.
    return further.allSatisfy { getenv($0) == nil } ? "\(Version.number) \(plugins)" : nil
  }()

  private static func stamp(_ directory: String) -> String? {
    var status = stat()
    guard stat(directory, &status) == 0 else { return nil }
    return "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }
}
