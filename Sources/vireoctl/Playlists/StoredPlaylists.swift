import Renderers

/// The stored playlists of a renderer, if it is a Vireo.
struct StoredPlaylists: Sendable {
  let renderer: Renderer

  init(_ session: Session) async throws { renderer = try await DeviceFinder(session).renderer() }

  func all() async throws -> [VireoPlaylist] {
    try await renderer.control { remote throws(RendererFailure) in try await remote.playlists() }
  }

  /// The playlist that a user names: its name, or its number in the list from 1, or the beginning of its name if that is unique.
  func list(_ text: String) async throws -> VireoPlaylist {
    try Self.list(text, among: try await all(), of: renderer.name)
  }

  /// The playlist of exactly that name; nil when there is none.
  func named(_ name: String) async throws -> VireoPlaylist? {
    try await all().first { $0.name.lowercased() == name.lowercased() }
  }

  static func list(_ text: String, among lists: [VireoPlaylist], of name: String) throws -> VireoPlaylist {
    if let list = exactly(text, among: lists) { return list }
    let found = ServerPath.children(text, among: lists, title: \.name)
    guard let first = found.first else { throw missing(text, among: lists, of: name) }
    guard found.count == 1 else {
      throw Failure(
        .noInput, "\"\(text)\" may be any of these playlists", hints: found.prefix(20).map(\.name))
    }
    return first
  }

  /// The playlist of that name, else the one with that number; never one whose name only begins so.
  static func exactly(_ text: String, among lists: [VireoPlaylist]) -> VireoPlaylist? {
    if let named = lists.first(where: { $0.name.lowercased() == text.lowercased() }) { return named }
    return Int(text).flatMap { lists[number: $0] }
  }

  /// That there is no such playlist, with those that may be meant: the ones whose names begin so, else all.
  static func missing(_ text: String, among lists: [VireoPlaylist], of name: String) -> Failure {
    let near = ServerPath.beginning(text, among: lists, title: \.name)
    return Failure(
      .noInput, "\(name) has no playlist \"\(text)\"",
      hints: (near.isEmpty ? lists : near).prefix(20).map(\.name))
  }

  /// A playlist that is longer is read up to here, whatever a device says of its length.
  static let mostTracks = 10_000

  /// All tracks of a playlist.
  func tracks(of list: VireoPlaylist) async throws -> [VireoPlaylistTrack] {
    var tracks: [VireoPlaylistTrack] = []
    var total = 1
    while tracks.count < min(total, Self.mostTracks) {
      let start = tracks.count
      let page = try await renderer.control { remote throws(RendererFailure) in
        try await remote.playlistTracks(list.id, from: start)
      }
      total = page.total
      guard !page.tracks.isEmpty else { break }
      tracks += page.tracks
    }
    return tracks
  }

  /// The track that a user names: its number from 1, or its title, or the beginning of it if that is unique.
  static func track(
    _ text: String, among tracks: [VireoPlaylistTrack], of list: VireoPlaylist
  ) throws -> VireoPlaylistTrack {
    try NumberedLines(tracks, title: \.title)
      .line(text, orElse: "there is no track \"\(text)\" in \"\(list.name)\"").object
  }

  /// What is said of tracks that were kept, or put into the queue.
  func done(_ taken: VireoTaken) -> Report {
    if let detail = taken.detail { renderer.session.output.note(detail) }
    return renderer.done([
      "name": .string(taken.playlist?.name), "added": .number(taken.added), "left": .number(taken.left),
    ])
  }
}

/// What people and programs are shown of playlists.
enum PlaylistsView {
  static func report(_ lists: [VireoPlaylist]) -> Report {
    var table = Table(["#", "NAME", "TRACKS", "TIME"], rightAligned: [0, 2, 3])
    for (index, list) in lists.enumerated() {
      table.add(["\(index + 1)", list.name, "\(list.count)", PlayTime.text(list.seconds)])
    }
    let json = lists.enumerated().map { index, list in
      JSON.members([
        "number": .number(index + 1), "id": .number(list.id), "name": .string(list.name),
        "tracks": .number(list.count), "duration": .number(list.seconds), "changed": .number(list.changed),
      ])
    }
    return Report(json: .array(json), body: .table(table), whenEmpty: "it has no playlists")
  }

  static func report(_ tracks: [VireoPlaylistTrack], of list: VireoPlaylist) -> Report {
    var table = Table(["#", "TITLE", "ARTIST", "ALBUM", "TIME"], rightAligned: [0, 4])
    for (index, track) in tracks.enumerated() {
      table.add([
        "\(index + 1)", track.title, track.artist, track.album, track.seconds.map { PlayTime.text($0) },
      ])
    }
    let json = tracks.enumerated().map { index, track in
      JSON.members([
        "number": .number(index + 1), "id": .number(track.id), "title": .string(track.title),
        "artist": .string(track.artist), "album": .string(track.album), "uri": .string(track.uri),
        "duration": .number(track.seconds),
      ])
    }
    return Report(
      json: .members(["name": .string(list.name), "tracks": .array(json)]), body: .table(table),
      whenEmpty: "the playlist is empty")
  }
}
