import Glibc

/// Checks what songs from phones need on this host.
extension HostChecks {
  static func uploadProblems(_ loaded: SettingsLoader.Loaded) -> [SettingsProblem] {
    let settings = loaded.settings
    guard settings.uploads.enabled else { return [] }
    if !settings.page.enabled || settings.page.access != .control {
      return [
        problem(
          loaded, "uploads.enabled",
          "is true, but pages may not control the speaker, so no songs are taken; set page.access to \"control\""
        )
      ]
    }
    let directory = settings.uploads.directory
    guard !directory.isEmpty, access(directory, F_OK) == 0, access(directory, W_OK | X_OK) != 0 else {
      return []
    }
    return [
      problem(
        loaded, "uploads.directory",
        "\(directory) can't be written to: \(String(cString: strerror(errno))). With systemd, ReadWritePaths= has to name it"
      )
    ]
  }
}
