import JSON

/// ListenBrainz's API, which others speak as well (ListenBrainz, "Core API", `POST /1/submit-listens`).
public enum ListenBrainz {
  public static let address = "https://api.listenbrainz.org"
  /// No listen is older than ListenBrainz's predecessor.
  static let earliest = 1_033_430_400

  /// The call for `reports`, which have artist and title: what plays now, or listens that count.
  ///
  /// - Parameters:
  ///   - url: the base of the API, without `/1`.
  ///   - token: the user's.
  public static func request(
    _ reports: [DatedReport], url: String, token: String, sender: ReportSender
  ) -> ReportRequest {
    let isNow = reports.first?.record.kind == .now
    var json = JSONWriter()
    json.beginObject()
    json.member("listen_type", isNow ? "playing_now" : reports.count == 1 ? "single" : "import")
    json.member("payload", reports.map { Payload(report: $0, isNow: isNow, sender: sender) })
    json.endObject()
    var base = url[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    return ReportRequest(
      url: "\(base)/1/submit-listens",
      fields: [(name: "Authorization", value: "Token \(token)"), ReportRequest.json], body: json.bytes)
  }

  public static func verdict(_ answer: ReportAnswer) -> ReportVerdict {
    switch answer.status {
    case 400, 413: .malformed
    case 401, 403: .refused(.token)
    case 410: .refused(.gone)
    default: answer.verdict
    }
  }

  private struct Payload: JSONWritable {
    let report: DatedReport
    let isNow: Bool
    let sender: ReportSender

    func write(to json: inout JSONWriter) {
      json.beginObject()
      if !isNow { json.member("listened_at", max(report.seconds ?? 0, earliest)) }
      json.member("track_metadata", Metadata(track: report.record.track, sender: sender))
      json.endObject()
    }
  }

  private struct Metadata: JSONWritable {
    let track: ReportedTrack
    let sender: ReportSender

    func write(to json: inout JSONWriter) {
      json.beginObject()
      json.member("artist_name", track.artist ?? "")
      json.member("track_name", track.title ?? "")
      json.member("release_name", optional: track.album)
      json.member("additional_info", Information(track: track, sender: sender))
      json.endObject()
    }
  }

  private struct Information: JSONWritable {
    let track: ReportedTrack
    let sender: ReportSender

    func write(to json: inout JSONWriter) {
      json.beginObject()
      json.member("media_player", ReportSender.application)
      json.member("media_player_version", sender.version)
      json.member("submission_client", ReportSender.application)
      json.member("submission_client_version", sender.version)
      json.member("duration_ms", optional: track.duration.map { Int($0.milliseconds) })
      json.member("tracknumber", optional: track.number)
      json.member("isrc", optional: track.ids.isrc)
      json.member("recording_mbid", optional: track.ids.recording)
      json.member("release_mbid", optional: track.ids.release)
      json.member("track_mbid", optional: track.ids.track)
      if !track.ids.artists.isEmpty { json.member("artist_mbids", track.ids.artists) }
      json.endObject()
    }
  }
}
