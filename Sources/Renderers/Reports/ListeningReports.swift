import ControlPoint
import JSON

/// What a Vireo says of its reports of what was heard.
package struct ListeningReports: Sendable, Hashable {
  package enum State: String, Sendable, Hashable {
    case ready, sending, waiting, stopped
  }

  /// A server that is told what was heard.
  package struct Server: Sendable, Hashable {
    package var name: String
    package var address: String
    /// Nil for a state that isn't known here.
    package var state: State?
    /// Why it waits or has stopped.
    package var detail: String?
    /// In how many seconds it is tried again.
    package var next: Int?
    package var waiting: Int
    package var lost: Int
    package var refused: Int
  }

  package enum Pause: Sendable, Hashable {
    /// For so many seconds; nil if that isn't known.
    case time(Int?)
    case album(String)
  }

  /// A report that was sent.
  package struct Sent: Sendable, Hashable {
    package var server: String
    package var event: String
    package var title: String?
    package var artist: String?
    package var age: Int
  }

  /// For how long nothing is to be reported.
  package enum PauseLength: String, Sendable, Hashable, CaseIterable {
    case hour, today, album
  }

  private static let most = 64
  static let limits = JSONLimits(bytes: 256 * 1024, depth: 4, values: 2000)

  package var isEnabled = false
  package var isClockSet = true
  package var pause: Pause?
  package var servers: [Server] = []
  package var sent: [Sent] = []

  /// Reads the answer of `/api/v1/reports`; nil if it isn't one.
  package init?(reading text: [UInt8]) {
    guard let json = try? JSONValue(reading: text, limits: Self.limits),
      case .boolean(let isEnabled)? = json["enabled"]
    else { return nil }
    self.isEnabled = isEnabled
    isClockSet = json["clock"] != .boolean(false)
    if let pause = json["pause"], case .object = pause {
      self.pause = pause.text("album").map { .album($0) } ?? .time(pause.number("seconds"))
    }
    servers = json.elements("servers").prefix(Self.most).compactMap { server in
      server.text("name").map { name in
        Server(
          name: name, address: server.text("address") ?? "",
          state: server.text("state").flatMap { State(rawValue: $0) }, detail: server.text("detail"),
          next: server.number("next"), waiting: server.number("waiting") ?? 0,
          lost: server.number("lost") ?? 0, refused: server.number("refused") ?? 0)
      }
    }
    sent = json.elements("sent").prefix(Self.most).map { sent in
      Sent(
        server: sent.text("server") ?? "", event: sent.text("event") ?? "", title: sent.text("title"),
        artist: sent.text("artist"), age: sent.number("age") ?? 0)
    }
  }
}

extension RemoteRenderer {
  private static let reportsTime = Duration.seconds(5)

  /// Asks a Vireo about its reports of what was heard.
  ///
  /// - Throws: `impossible` from anything else, or from a Vireo that is too old.
  package func listeningReports() async throws(RendererFailure) -> ListeningReports {
    try await reports(ExchangeRequest("GET"), at: "")
  }

  /// Has a Vireo report nothing for a while.
  package func pauseReports(
    for length: ListeningReports.PauseLength
  ) async throws(RendererFailure) -> ListeningReports {
    try await reports(
      ExchangeRequest("POST", json: Array("{\"for\":\"\(length.rawValue)\"}".utf8)), at: "/pause")
  }

  /// Has a Vireo report again.
  package func resumeReports() async throws(RendererFailure) -> ListeningReports {
    try await reports(ExchangeRequest("POST", json: nil), at: "/resume")
  }

  private func reports(
    _ request: ExchangeRequest, at path: String
  ) async throws(RendererFailure) -> ListeningReports {
    let (status, body) = try await api(
      request, at: "/reports\(path)", within: Self.reportsTime, limit: ListeningReports.limits.bytes)
    switch status {
    case 200:
      guard let reports = ListeningReports(reading: body) else { throw .call(.malformed) }
      return reports
    case 404: throw .impossible("it is no Vireo that reports what was heard")
    case 409:
      let detail = (try? JSONValue(reading: body, limits: ListeningReports.limits))?.text("detail")
      throw .impossible(detail ?? "that isn't possible now")
    default: throw .call(.status(status))
    }
  }
}
