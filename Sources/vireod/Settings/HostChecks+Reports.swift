import Glibc
import Listening

/// Checks what reports of what was heard need on this host.
extension HostChecks {
  static func reportProblems(_ loaded: SettingsLoader.Loaded) -> [SettingsProblem] {
    let reports = loaded.settings.reports
    guard reports.enabled else { return [] }
    let sinks = reports.sinks
    guard !sinks.isEmpty else {
      return [
        problem(
          loaded, "reports.enabled",
          "is true, but no server is configured; set reports.listenbrainz.token-file, reports.webhook.url or reports.lastfm.api-key"
        )
      ]
    }
    var problems: [SettingsProblem] = []
    for (key, file, isNeeded) in secrets(reports, sinks) {
      if file.isEmpty {
        if isNeeded {
          problems.append(
            problem(loaded, key, "isn't set, so nothing can be reported there; see man vireo.toml"))
        }
      } else if let wrong = secret(file) {
        problems.append(problem(loaded, key, wrong))
      }
    }
    return problems
  }

  /// The files of the servers that are configured.
  private static func secrets(
    _ reports: Settings.Reports, _ sinks: [ReportSink]
  ) -> [(key: String, file: String, isNeeded: Bool)] {
    sinks.flatMap { sink -> [(key: String, file: String, isNeeded: Bool)] in
      switch sink {
      case .listenBrainz: [("reports.listenbrainz.token-file", reports.listenBrainz.tokenFile, true)]
      case .webhook: [("reports.webhook.token-file", reports.webhook.tokenFile, false)]
      case .lastFM:
        [
          ("reports.lastfm.secret-file", reports.lastFM.secretFile, true),
          ("reports.lastfm.session-file", reports.lastFM.sessionFile, true),
        ]
      }
    }
  }

  private static func secret(_ name: String) -> String? {
    // Only the service itself sees what systemd hands over.
    guard let path = SecretFile.path(name) else { return nil }
    if case .failure(let failure) = SecretFile.read(name) {
      return failure.code == ENOENT ? missing(path) : "\(path) can't be used: \(failure.reason)"
    }
    return SecretFile.isOpenToAll(path)
      ? "\(path) can be read by everybody on this machine; chmod 600 \(path) keeps it secret" : nil
  }
}
