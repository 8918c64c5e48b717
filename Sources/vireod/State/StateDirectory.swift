/// Chooses the directory of the saved state.
enum StateDirectory {
  /// `--state-dir`, else systemd's `StateDirectory=`, else the XDG base directory; nil without a home directory.
  static func choose(option: String?, environment: (String) -> String?) -> String? {
    if let option { return absolute(option, from: environment("PWD")) }
    // systemd.exec(5): several directories are separated by colons.
    if let given = environment("STATE_DIRECTORY")?.split(separator: ":").first { return String(given) }
    if let xdg = environment("XDG_STATE_HOME"), xdg.hasPrefix("/") { return xdg + "/vireo" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/vireo" }
    return nil
  }

  private static func absolute(_ path: String, from directory: String?) -> String {
    if path.hasPrefix("/") { return path }
    return "\(directory ?? ".")/\(path)"
  }
}
