import Player

/// What the player and the log have been told of the sound device, so that each change is told once. Pure.
struct DeviceReporter {
  /// A line of the log.
  enum Line: Equatable {
    case stillAway(String)
    case away(String)
    case silent(String)
    case isBack(String)
    /// The volume alone changes a path often, which isn't worth a line at level info.
    case path(String, isMinor: Bool)
  }

  private(set) var last = DeviceReport.closed
  /// The warning that nothing is heard has been logged; reset when a device is there.
  private var hasToldSilence = false
  /// The configured output.
  private let output: String

  init(output: String) { self.output = output }

  /// The lines that `report` is worth; nil if it is nothing new.
  ///
  /// - Parameter reason: GStreamer's reason, for the log.
  mutating func tell(_ report: DeviceReport, _ reason: String) -> [Line]? {
    let before = last
    guard report != before else { return nil }
    last = report
    switch report {
    case .closed: return []
    case .away(let text):
      if case .away = before {
        return [.stillAway("The sound device \(output) still can't be used: \(reason).")]
      }
      return [.away(text)]
    case .silent(let text):
      defer { hasToldSilence = true }
      return hasToldSilence ? [] : [.silent("\(text)\(reason.isEmpty ? "" : " (\(reason))")")]
    case .open(let name, let path):
      hasToldSilence = false
      let line = Line.path("The sound device \(name): \(path.text).", isMinor: isMinor(path, name, before))
      switch before {
      case .away, .silent: return [.isBack("The sound device \(name) is there."), line]
      case .closed, .open: return [line]
      }
    }
  }

  private func isMinor(_ path: SoundPath, _ name: String, _ before: DeviceReport) -> Bool {
    guard case .open(name, let old) = before else { return false }
    return old.decoded == path.decoded && old.delivered == path.delivered
  }
}
