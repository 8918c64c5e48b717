import JSON
import Listening
import Renderers

@testable import vireoctl

extension FuzzTarget {
  /// What servers of reports answer, what is kept of a report, and what a Vireo says of its reports; texts of strangers up to what
  /// servers are told.
  static let reports = FuzzTarget(
    name: "reports", maximumLength: 8192,
    words: [
      "{", "}", "[", "]", ":", ",", "\"error\":", "9", "14", "\"session\":", "\"key\":\"a\"",
      "\"token\":\"b\"",
      "\"i\":\"00ff\"", "\"t\":\"T\"", "\"a\":", "\"d\":1000", "\"ma\":[", "\"servers\":[", "\"sent\":[",
      "\"enabled\":true", "\"pause\":{", "\"seconds\":", "1e308", "-1", "\\u0000", "\\ud800", "\u{301}",
      "b1a9c0e9-d987-4042-ae91-78d6a3267d69",
    ]
  ) { bytes in
    for status in [200, 403, 429, 500] {
      let answer = ReportAnswer(
        status: status, fields: ["retry-after": String(decoding: bytes.prefix(20), as: UTF8.self)],
        body: bytes)
      for verdict in [ListenBrainz.verdict(answer), LastFM.verdict(answer), Webhook.verdict(answer)] {
        if case .limited(let time?) = verdict {
          try promise(time >= .zero && time <= .seconds(3600), "waits for \(time)")
        }
      }
      switch LastFM.login(answer) {
      case .token(let word), .session(key: let word, user: _):
        try promise(
          !word.isEmpty && word.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a word that isn't one")
      case .notYet, .refused: break
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let record = ReportRecord(.ended, body: text) { try report(record) }
    let track = ReportedTrack(
      title: text, artist: String(text.prefix(300)), album: String(text.suffix(3000)), station: text,
      ids: MusicIDs(recording: String(text.prefix(36)), artists: [text], isrc: String(text.suffix(12))))
    try report(
      ReportRecord(.heard, id: "a", of: Listen(source: .radio, track: track, began: UpTime(.zero))))
    if let pause = ReportPause(text) {
      try promise(ReportPause(pause.text) == pause, "a pause is written as something else")
    }
    guard let shown = ListeningReports(reading: bytes) else { return }
    try promise(shown.servers.count <= 64 && shown.sent.count <= 64, "more than is read")
    _ = ReportsView.report(shown).lines(.plain) + ReportsView.notes(shown)
  }

  /// What a report becomes is JSON, and small enough.
  private static func report(_ record: ReportRecord) throws {
    let dated = DatedReport(record, date: 1_800_000_000_000)
    let sender = ReportSender(version: "1")
    for line in [record.track.title, record.track.artist, record.track.album, record.track.station] {
      try promise(line.map { (1...1000).contains($0.utf8.count) } ?? true, "a text out of range")
    }
    let listen = ListenBrainz.request([dated], url: "https://a", token: "t", sender: sender).body
    try promise(listen.count < 10_240, "\(listen.count) bytes of a listen")
    let event = Webhook.request(dated, url: "https://a", token: nil, attributes: [], sender: sender).body
    for body in [listen, event, Array(record.body.utf8)] {
      try promise((try? JSONValue(reading: body)) != nil, "no JSON: \(String(decoding: body, as: UTF8.self))")
    }
    let form = LastFM.request([dated], account: LastFM.Account(key: "k", secret: "s", session: "z")).body
    try promise(form.allSatisfy { (0x21...0x7e).contains($0) }, "a form that isn't one")
    // JSON breaks up marks that are heaped on one letter; what is read once stays as it is.
    guard let again = ReportRecord(record.kind, body: record.body) else {
      throw BrokenPromise(description: "it can't be read again")
    }
    try promise(ReportRecord(record.kind, body: again.body) == again, "it is read as something else")
  }
}
