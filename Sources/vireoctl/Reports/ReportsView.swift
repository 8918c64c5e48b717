import Renderers

/// What people and programs are shown of a Vireo's reports.
enum ReportsView {
  static func report(_ reports: ListeningReports) -> Report {
    var table = Table(["SERVER", "STATE", "WAITING", "DROPPED", "WHY"], rightAligned: [2, 3])
    for server in reports.servers {
      let detail = [server.detail, server.next.map { "again in \(time($0))" }].compactMap(\.self)
      table.add([
        server.name, server.state?.rawValue ?? "?", "\(server.waiting)", "\(server.lost + server.refused)",
        detail.joined(separator: "; "),
      ])
    }
    return Report(
      json: json(reports), body: .table(table),
      whenEmpty: "nothing is reported: see [reports] in the configuration")
  }

  /// What is said besides, on a terminal.
  static func notes(_ reports: ListeningReports) -> [String] {
    var notes: [String] = []
    switch reports.pause {
    case nil: break
    case .time(let seconds?): notes.append("paused for another \(time(seconds))")
    case .time(nil): notes.append("paused")
    case .album(let album): notes.append("paused while \"\(album)\" plays")
    }
    if reports.isEnabled, !reports.isClockSet {
      notes.append("the speaker's clock isn't set, so reports wait until it is")
    }
    if let last = reports.sent.first {
      let what = [last.artist, last.title].compactMap(\.self).joined(separator: " – ")
      notes.append(
        "last sent \(time(last.age)) ago, to \(last.server): \(last.event)\(what.isEmpty ? "" : ", \(what)")")
    }
    return notes
  }

  /// `40 s`, `5 min`, `3 h`
  static func time(_ seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    default: "\(seconds / 3600) h"
    }
  }

  private static func json(_ reports: ListeningReports) -> JSON {
    let pause: JSON? =
      switch reports.pause {
      case nil: nil
      case .time(let seconds): .members(["seconds": .number(seconds)])
      case .album(let album): .members(["album": .string(album)])
      }
    return .members([
      "enabled": .bool(reports.isEnabled), "clock": .bool(reports.isClockSet), "pause": pause,
      "servers": .array(
        reports.servers.map { server in
          .members([
            "name": .string(server.name), "address": .string(server.address),
            "state": .string(server.state?.rawValue), "detail": .string(server.detail),
            "next": .number(server.next), "waiting": .number(server.waiting), "lost": .number(server.lost),
            "refused": .number(server.refused),
          ])
        }),
      "sent": .array(
        reports.sent.map { sent in
          .members([
            "server": .string(sent.server), "event": .string(sent.event), "title": .string(sent.title),
            "artist": .string(sent.artist), "age": .number(sent.age),
          ])
        }),
    ])
  }
}
