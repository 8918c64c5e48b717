import ControlPoint
import JSON

/// The songs from phones that a Vireo keeps.
package struct UploadedSongs: Sendable, Hashable {
  package struct Song: Sendable, Hashable {
    package var key: String
    package var name: String
    package var type: String
    package var bytes: Int
    /// Seconds since it came.
    package var age: Int
    /// Whether it is in the queue.
    package var isNeeded: Bool
  }

  static let limits = JSONLimits(bytes: 512 * 1024, depth: 4, values: 20_000)

  package var songs: [Song] = []
  package var total = 0

  /// Reads the answer of `/api/v1/uploads/songs`; nil if it isn't one.
  package init?(reading text: [UInt8]) {
    guard let json = try? JSONValue(reading: text, limits: Self.limits),
      case .array(let values)? = json["songs"]
    else { return nil }
    total = json.count("total")
    songs = values.compactMap { song in
      guard case .string(let key)? = song["key"], case .string(let name)? = song["name"] else { return nil }
      var type = ""
      if case .string(let text)? = song["type"] { type = text }
      return Song(
        key: key, name: name, type: type, bytes: song.count("bytes"), age: song.count("age"),
        isNeeded: song["isNeeded"] == .boolean(true))
    }
  }
}

/// What a Vireo says of a song that it has taken, or why it hasn't.
package enum UploadAnswer: Sendable, Hashable {
  /// Its key, and whether it is `kept`, `queued` or `waiting`; what went wrong with the queue, if anything.
  case taken(key: String, state: String, detail: String?)
  case refused(String)

  package init(status: Int, body: [UInt8]) {
    let json = try? JSONValue(reading: body, limits: UploadedSongs.limits)
    func text(_ name: String) -> String? { if case .string(let text)? = json?[name] { text } else { nil } }
    if status == 200, let key = text("key"), let state = text("state") {
      self = .taken(key: key, state: state, detail: text("detail"))
    } else if status == 404 {
      self = .refused("it is no Vireo that takes songs")
    } else {
      self = .refused(text("detail") ?? "it answers \(status)")
    }
  }
}

extension JSONValue {
  /// A number that isn't below zero; 0 for anything else.
  fileprivate func count(_ name: String) -> Int {
    guard case .number(let number)? = self[name], number >= 0, number < 1e15 else { return 0 }
    return Int(number)
  }
}

extension RemoteRenderer {
  private static let uploadsTime = Duration.seconds(5)
  private static let shown = 200

  /// Where songs are sent to.
  ///
  /// - Parameter query: behind the question mark, encoded.
  package func uploadAddress(_ query: String) throws(RendererFailure) -> ServiceAddress {
    try uploads("?\(query)")
  }

  /// The songs that a Vireo keeps, the last that came first.
  ///
  /// - Throws: `impossible` from anything else, or from a Vireo that is too old.
  package func uploadedSongs() async throws(RendererFailure) -> UploadedSongs {
    var all: UploadedSongs?
    repeat {
      let start = all?.songs.count ?? 0
      let body = try await uploads(ExchangeRequest("GET"), "/songs?start=\(start)&count=\(Self.shown)")
      guard let part = UploadedSongs(reading: body) else { throw .call(.malformed) }
      if all == nil { all = part } else { all?.songs += part.songs }
      if part.songs.count < Self.shown { break }
    } while (all?.songs.count ?? 0) < (all?.total ?? 0)
    return all ?? UploadedSongs()
  }

  /// Deletes a song.
  package func removeUpload(_ key: String) async throws(RendererFailure) {
    _ = try await uploads(ExchangeRequest("DELETE"), "/\(key)")
  }

  /// Deletes all songs that aren't in the queue.
  package func removeUnusedUploads() async throws(RendererFailure) {
    _ = try await uploads(ExchangeRequest("DELETE"), "")
  }

  private func uploads(_ path: String) throws(RendererFailure) -> ServiceAddress {
    guard let location = location(.product) ?? location(.avTransport) else { throw .lacks(.product) }
    var address = location.control
    address.target = "/api/v1/uploads\(path)"
    return address
  }

  private func uploads(_ request: ExchangeRequest, _ path: String) async throws(RendererFailure) -> [UInt8] {
    let address = try uploads(path)
    let response = try await attempt { () async throws(ActionFailure) in
      try await controlPoint.exchange.exchange(
        request, to: address, deadline: Self.uploadsTime, limit: UploadedSongs.limits.bytes)
    }
    let body = Array(response.body.readableBytesView)
    guard ![200, 204].contains(response.status) else { return body }
    guard case .refused(let reason) = UploadAnswer(status: response.status, body: body) else {
      throw .call(.status(response.status))
    }
    throw .impossible(reason)
  }
}

extension UploadedSongs {
  fileprivate init() {}
}
