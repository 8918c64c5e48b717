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
      case .array? = json["songs"]
    else { return nil }
    total = json.number("total") ?? 0
    songs = json.elements("songs").compactMap { song in
      guard let key = song.text("key"), let name = song.text("name") else { return nil }
      return Song(
        key: key, name: name, type: song.text("type") ?? "", bytes: song.number("bytes") ?? 0,
        age: song.number("age") ?? 0, isNeeded: song["isNeeded"] == .boolean(true))
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
    func text(_ name: String) -> String? { json?.text(name) }
    if status == 200, let key = text("key"), let state = text("state") {
      self = .taken(key: key, state: state, detail: text("detail"))
    } else if status == 404 {
      self = .refused("it is no Vireo that takes songs")
    } else {
      self = .refused(text("detail") ?? "it answers \(status)")
    }
  }
}

extension RemoteRenderer {
  private static let uploadsTime = Duration.seconds(5)
  private static let shown = 200

  /// Where songs are sent to.
  ///
  /// - Parameter query: behind the question mark, encoded.
  package func uploadAddress(_ query: String) throws(RendererFailure) -> ServiceAddress {
    try apiAddress("/uploads?\(query)")
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

  private func uploads(_ request: ExchangeRequest, _ path: String) async throws(RendererFailure) -> [UInt8] {
    let (status, body) = try await api(
      request, at: "/uploads\(path)", within: Self.uploadsTime, limit: UploadedSongs.limits.bytes)
    guard ![200, 204].contains(status) else { return body }
    guard case .refused(let reason) = UploadAnswer(status: status, body: body) else {
      throw .call(.status(status))
    }
    throw .impossible(reason)
  }
}

extension UploadedSongs {
  fileprivate init() {}
}
