import ControlPoint
import JSON

/// Tracks that are to be kept.
package enum VireoTracks: Sendable, Hashable {
  /// No tracks: an empty playlist.
  case none
  /// Those of the queue.
  case queue
  case items([Item])
  /// The text of a playlist file; a long one comes in parts.
  case text(String)

  package enum Item: Sendable, Hashable {
    /// A track by its address.
    case address(String)
    /// A track, an album or a folder of a media server.
    case object(String, server: String)
  }

  /// How many items a request may have.
  package static let most = 1000
  /// How long a text in a request may be, in bytes: as JSON it is longer.
  package static let longestText = 96 * 1024

  fileprivate var members: [JSONMember] {
    switch self {
    case .none: []
    case .queue: [JSONMember("from", .string("queue"))]
    case .text(let text): [JSONMember("text", .string(text))]
    case .items(let items): [JSONMember("items", .array(items.map(\.json)))]
    }
  }
}

extension VireoTracks.Item {
  fileprivate var json: JSONValue {
    switch self {
    case .address(let uri): .object([JSONMember("uri", .string(uri))])
    case .object(let id, let server):
      .object([JSONMember("server", .string(server)), JSONMember("object", .string(id))])
    }
  }
}

/// The stored playlists of a Vireo. All of this throws `impossible` from anything else, from a Vireo that is too old, and in its
/// own words when it refuses.
extension RemoteRenderer {
  /// A long list is written to a card, and media servers may be asked before it plays.
  private static let playlistTime = Duration.seconds(30)
  private static let longestFile = 32 << 20

  package func playlists() async throws(RendererFailure) -> [VireoPlaylist] {
    let body = try await playlists("GET", "", nil)
    guard let lists = VireoPlaylist.list(reading: body) else { throw .call(.malformed) }
    return lists
  }

  /// At most 100 tracks, from the place `start` on, and how many there are in all.
  package func playlistTracks(
    _ id: Int, from start: Int
  ) async throws(RendererFailure) -> (tracks: [VireoPlaylistTrack], total: Int) {
    let body = try await playlists("GET", "/\(id)/tracks?start=\(start)&count=100", nil)
    guard let page = VireoPlaylistTrack.page(reading: body) else { throw .call(.malformed) }
    return page
  }

  package func createPlaylist(
    _ name: String, _ tracks: VireoTracks
  ) async throws(RendererFailure) -> VireoTaken {
    try await taken("", [JSONMember("name", .string(name))] + tracks.members)
  }

  /// Adds tracks at the end, or puts them in place of all that it has.
  package func addToPlaylist(
    _ id: Int, _ tracks: VireoTracks, replacing: Bool = false
  ) async throws(RendererFailure) -> VireoTaken {
    try await taken(
      "/\(id)/tracks", tracks.members + (replacing ? [JSONMember("replace", .boolean(true))] : []))
  }

  package func renamePlaylist(_ id: Int, _ name: String) async throws(RendererFailure) {
    _ = try await playlists("PATCH", "/\(id)", [JSONMember("name", .string(name))])
  }

  package func deletePlaylist(_ id: Int) async throws(RendererFailure) {
    _ = try await playlists("DELETE", "/\(id)", nil)
  }

  /// Gives tracks the places behind another one; 0 for the front.
  ///
  /// - Parameter version: of the playlist that the caller has seen.
  package func movePlaylistTracks(
    _ id: Int, _ ids: [Int], after: Int, version: String
  ) async throws(RendererFailure) {
    _ = try await playlists(
      "POST", "/\(id)/move",
      [
        JSONMember("ids", .array(ids.map { .number(Double($0)) })),
        JSONMember("after", .number(Double(after))),
      ],
      version: version)
  }

  package func removePlaylistTracks(
    _ id: Int, _ ids: [Int], version: String
  ) async throws(RendererFailure) {
    _ = try await playlists(
      "POST", "/\(id)/remove", [JSONMember("ids", .array(ids.map { .number(Double($0)) }))], version: version)
  }

  /// - Parameters:
  ///   - start: the place of the track to begin with, from 0.
  ///   - shuffles: whether the queue plays in any order from now on; nil: as before.
  package func playPlaylist(
    _ id: Int, _ place: PlayPlace, from start: Int?, shuffles: Bool?
  ) async throws(RendererFailure) -> VireoTaken {
    var members = [JSONMember("how", .string(place.rawValue))]
    if let start { members.append(JSONMember("start", .number(Double(start)))) }
    if let shuffles { members.append(JSONMember("shuffle", .boolean(shuffles))) }
    return try await taken("/\(id)/play", members)
  }

  /// The playlist as a file.
  ///
  /// - Parameter format: `m3u8` or `xspf`.
  package func exportPlaylist(_ id: Int, format: String) async throws(RendererFailure) -> String {
    String(
      decoding: try await playlists("GET", "/\(id)/export?format=\(format)", nil, limit: Self.longestFile),
      as: UTF8.self)
  }

  // MARK: Parts

  private func taken(_ path: String, _ members: [JSONMember]) async throws(RendererFailure) -> VireoTaken {
    guard let taken = VireoTaken(reading: try await playlists("POST", path, members)) else {
      throw .call(.malformed)
    }
    return taken
  }

  private func playlists(
    _ method: String, _ path: String, _ members: [JSONMember]?, version: String? = nil,
    limit: Int = VireoPlaylist.limits.bytes
  ) async throws(RendererFailure) -> [UInt8] {
    // It goes into a header field.
    let version = version.flatMap { $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? $0 : nil }
    let json = members.map { JSONValue.object($0).json }
    let request = ExchangeRequest(method, json: json, version: version)
    let (status, body) = try await api(
      request, at: "/playlists\(path)", within: Self.playlistTime, limit: limit)
    if (200..<300).contains(status) { return body }
    let problem = try? JSONValue(reading: body, limits: VireoPlaylist.limits)
    guard let detail = problem?.text("detail") else {
      // Others answer with whatever they have for what they don't know.
      throw .impossible("it is no Vireo that has playlists")
    }
    throw .impossible(detail)
  }
}
