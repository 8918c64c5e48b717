import JSON
import Text

/// What a server of the owner's is sent: one event a call, as JSON.
public enum Webhook {
  /// - Parameters:
  ///   - token: sent as `Authorization: Bearer`; nil for none.
  ///   - attributes: the owner's own, in this order.
  public static func request(
    _ report: DatedReport, url: String, token: String?, attributes: [(name: String, value: String)],
    sender: ReportSender
  ) -> ReportRequest {
    var fields = [ReportRequest.json]
    if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
    return ReportRequest(
      url: url, fields: fields, body: Event(report: report, attributes: attributes, sender: sender).json)
  }

  /// Takes 2xx; 410 is for good, everything else may pass.
  public static func verdict(_ answer: ReportAnswer) -> ReportVerdict {
    answer.status == 410 ? .refused(.gone) : answer.verdict
  }

  /// What is heard in one line: `playlist/Artist/Title`, `radio/Station`.
  public static func stream(_ record: ReportRecord) -> String? {
    guard let source = record.source else { return nil }
    let track = record.track
    let names = record.isStation ? [track.station ?? track.title] : [track.artist, track.title]
    let parts = names.compactMap(\.self).map { name in
      name.withEach("%", replacedBy: "%25").withEach("/", replacedBy: "%2F")
    }
    return ([source.rawValue] + parts).joined(separator: "/")
  }

  private struct Event: JSONWritable {
    let report: DatedReport
    let attributes: [(name: String, value: String)]
    let sender: ReportSender

    func write(to json: inout JSONWriter) {
      let record = report.record
      json.beginObject()
      json.member("id", record.id)
      json.member("event", record.kind)
      json.member("stream", optional: Webhook.stream(record))
      if record.source != nil {
        json.member("title", optional: record.track.title)
        json.member("artist", optional: record.track.artist)
        json.member("album", optional: record.track.album)
        json.member("station", optional: record.track.station)
        json.member("position", record.position.reportedSeconds)
        json.member("duration", optional: record.track.duration?.reportedSeconds)
        json.member("heard", record.heard.reportedSeconds)
        json.member("state", record.phase)
      }
      json.member("player", Player(version: sender.version))
      if !sender.site.isEmpty { json.member("site", sender.site) }
      json.member("at", optional: report.date.map { Double($0) / 1000 })
      if !attributes.isEmpty { json.member("attributes", Attributes(all: attributes)) }
      json.endObject()
    }
  }

  private struct Player: JSONWritable {
    let version: String

    func write(to json: inout JSONWriter) {
      json.beginObject()
      json.member("name", ReportSender.application)
      json.member("version", version)
      json.endObject()
    }
  }

  private struct Attributes: JSONWritable {
    let all: [(name: String, value: String)]

    func write(to json: inout JSONWriter) {
      json.beginObject()
      for (name, value) in all { json.member(named: name, value) }
      json.endObject()
    }
  }
}
