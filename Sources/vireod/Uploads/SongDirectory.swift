/// Chooses the directory of songs from phones.
enum SongDirectory {
  /// `[uploads] directory`, else a directory below systemd's `CacheDirectory=`, else below the XDG base directory; nil without
  /// a home directory.
  static func choose(configured: String, environment: (String) -> String?) -> String? {
    if !configured.isEmpty { return configured }
    // systemd.exec(5): several directories are separated by colons.
    if let given = environment("CACHE_DIRECTORY")?.split(separator: ":").first { return "\(given)/uploads" }
    if let xdg = environment("XDG_CACHE_HOME"), xdg.hasPrefix("/") { return xdg + "/vireo/uploads" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.cache/vireo/uploads" }
    return nil
  }
}
