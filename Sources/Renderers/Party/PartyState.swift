import ControlPoint
import JSON
import Network

/// What a Vireo says of its party.
package struct PartyState: Sendable, Hashable {
  /// Whether the host is asked.
  package enum Mode: String, Sendable, Hashable, CaseIterable {
    case ask, add
  }

  /// A song that a guest wants to hear.
  package struct Request: Sendable, Hashable {
    package var id: Int
    /// `asked`, `queued` …
    package var state: String
    package var title: String
    package var artist: String?
    /// The guest's name, if he has one.
    package var name: String?
    package var votes: Int
    package var isNext: Bool
  }

  static let limits = JSONLimits(bytes: 512 * 1024, depth: 4, values: 4000)

  package var isRunning = false
  /// Nil for a mode that isn't known here.
  package var mode: Mode?
  package var code: String?
  /// Where guests request songs.
  package var address: String?
  /// How long it lasts.
  package var seconds: Int?
  package var guests = 0
  package var requests: [Request] = []

  /// Reads the answer of `/api/v1/party`; nil if it isn't one.
  ///
  /// - Parameter base: where the renderer was asked, if it doesn't say where it is: `http://HOST:PORT/`.
  package init?(reading text: [UInt8], base: String) {
    guard let json = try? JSONValue(reading: text, limits: Self.limits),
      case .boolean(let isRunning)? = json["isRunning"]
    else { return nil }
    self.isRunning = isRunning
    mode = json.text("mode").flatMap { Mode(rawValue: $0) }
    code = json.text("code")
    address = code.map { "\(json.text("address") ?? base)#/party/\($0)" }
    seconds = json.number("seconds")
    guests = json.number("guests") ?? 0
    requests = json.elements("requests").compactMap { request in
      guard let id = request.number("id"), let state = request.text("state") else { return nil }
      return Request(
        id: id, state: state, title: request.text("title") ?? "", artist: request.text("artist"),
        name: request.text("name"), votes: request.number("votes") ?? 0,
        isNext: request["next"] == .boolean(true))
    }
  }
}

extension RemoteRenderer {
  private static let partyTime = Duration.seconds(5)

  /// Asks a Vireo about its party.
  ///
  /// - Throws: `impossible` from anything else, or from a Vireo that is too old.
  package func party() async throws(RendererFailure) -> PartyState { try await state("GET", nil) }

  /// Starts a party.
  ///
  /// - Parameter hours: how long; nil: as the speaker's configuration says.
  package func startParty(
    _ mode: PartyState.Mode, hours: Double?
  ) async throws(RendererFailure) -> PartyState {
    let length = hours.map { ",\"hours\":\($0)" } ?? ""
    return try await state("POST", "{\"mode\":\"\(mode.rawValue)\"\(length)}")
  }

  package func stopParty() async throws(RendererFailure) { _ = try await ask("DELETE", "", nil) }

  /// Accepts or refuses a request.
  package func decide(_ request: Int, accepts: Bool) async throws(RendererFailure) {
    let decision = accepts ? "accept" : "refuse"
    _ = try await ask("PATCH", "/requests/\(request)", "{\"decision\":\"\(decision)\"}")
  }

  private func state(_ method: String, _ body: String?) async throws(RendererFailure) -> PartyState {
    let answer = try await ask(method, "", body)
    guard let place = location(.product) ?? location(.avTransport),
      let state = PartyState(
        reading: answer, base: "http://\(place.control.address.urlHost):\(place.control.port)/")
    else { throw .call(.malformed) }
    return state
  }

  private func ask(_ method: String, _ path: String, _ body: String?) async throws(RendererFailure) -> [UInt8]
  {
    let request = ExchangeRequest(method, json: body.map { Array($0.utf8) })
    let (status, answer) = try await api(
      request, at: "/party\(path)", within: Self.partyTime, limit: PartyState.limits.bytes)
    switch status {
    case 200, 204: return answer
    case 403, 404, 409, 422:
      let problem = try? JSONValue(reading: answer, limits: PartyState.limits)
      throw .impossible(problem?.text("detail") ?? "it is no Vireo that has parties")
    default: throw .call(.status(status))
    }
  }
}
