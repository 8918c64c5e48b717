import JSON

/// A stored playlist of a Vireo, without its tracks.
package struct VireoPlaylist: Sendable, Hashable {
  package var id: Int
  package var name: String
  package var count: Int
  package var seconds: Int
  /// In seconds since 1970.
  package var changed: Int
  package var version: String

  /// Nil for what is none.
  init?(_ json: JSONValue) {
    guard let id = json.number("id"), let name = json.text("name") else { return nil }
    self.id = id
    self.name = name
    count = json.number("count") ?? 0
    seconds = json.number("seconds") ?? 0
    changed = json.number("changed") ?? 0
    version = json.text("version") ?? ""
  }

  /// The playlists in an answer of `/api/v1/playlists`; nil if it isn't one.
  package static func list(reading text: [UInt8]) -> [VireoPlaylist]? {
    guard let json = try? JSONValue(reading: text, limits: VireoPlaylist.limits),
      case .array(let lists)? = json["playlists"]
    else { return nil }
    return lists.prefix(most).compactMap(VireoPlaylist.init)
  }

  private static let most = 1000
  static let limits = JSONLimits(bytes: 1 << 20, depth: 5, values: 40_000)
}

/// A track of a playlist.
package struct VireoPlaylistTrack: Sendable, Hashable {
  package var id: Int
  package var title: String
  package var artist: String?
  package var album: String?
  package var seconds: Int?
  /// Without its secrets.
  package var uri: String?

  init?(_ json: JSONValue) {
    guard let id = json.number("id") else { return nil }
    self.id = id
    title = json.text("title") ?? ""
    artist = json.text("artist")
    album = json.text("album")
    seconds = json.number("seconds")
    uri = json.text("uri")
  }

  /// The tracks in an answer of `/api/v1/playlists/ID/tracks`, and how many there are in all; nil if it isn't one.
  package static func page(reading text: [UInt8]) -> (tracks: [VireoPlaylistTrack], total: Int)? {
    guard let json = try? JSONValue(reading: text, limits: VireoPlaylist.limits),
      case .array(let tracks)? = json["tracks"], let total = json.number("total")
    else { return nil }
    return (tracks.prefix(100).compactMap(VireoPlaylistTrack.init), total)
  }
}

/// What has become of tracks that were to be played, or kept.
package struct VireoTaken: Sendable, Hashable {
  package var added: Int
  package var left: Int
  /// What was left out and why.
  package var detail: String?
  /// The playlist as it is now; nil for the queue.
  package var playlist: VireoPlaylist?

  package init?(reading text: [UInt8]) {
    guard let json = try? JSONValue(reading: text, limits: VireoPlaylist.limits),
      let added = json.number("added")
    else { return nil }
    self.added = added
    left = json.number("left") ?? 0
    detail = json.text("detail")
    playlist = json["playlist"].flatMap(VireoPlaylist.init)
  }
}
