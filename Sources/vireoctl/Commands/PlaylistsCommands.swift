import ArgumentParser
import ControlPoint
import Kept
import Renderers
import Text

struct PlaylistsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playlists", abstract: "Shows, plays and changes the playlists of a Vireo.",
    discussion: "A playlist is named by its name, the beginning of it, or its number in the list.",
    subcommands: [
      PlaylistsListCommand.self, PlaylistsShowCommand.self, SaveQueueCommand.self,
      LoadPlaylistCommand.self, PlaylistsAppendCommand.self, PlaylistsMoveCommand.self,
      PlaylistsRemoveCommand.self, PlaylistsRenameCommand.self, PlaylistsDeleteCommand.self,
      PlaylistsExportCommand.self, PlaylistsImportCommand.self,
    ], defaultSubcommand: PlaylistsListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct PlaylistsListCommand: Command {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the playlists.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    PlaylistsView.report(try await StoredPlaylists(session).all())
  }
}

struct PlaylistsShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Lists the tracks of a playlist.")
  @Argument(help: "The playlist.") var name: String
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    return PlaylistsView.report(try await stored.tracks(of: list), of: list)
  }
}

/// `playlists save`, which is `queue save` as well.
struct SaveQueueCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Keeps the queue of a Vireo as a playlist.")
  @Argument(help: "What the playlist is called.") var name: String
  @Flag(help: "Replace the tracks of a playlist that has the name already.") var replace = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let old = replace ? try await stored.named(name) : nil
    return stored.done(
      try await stored.renderer.control { [name] remote throws(RendererFailure) in
        if let old {
          try await remote.addToPlaylist(old.id, .queue, replacing: true)
        } else {
          try await remote.createPlaylist(name, .queue)
        }
      })
  }
}

/// `playlists load`, which is `queue load` as well.
struct LoadPlaylistCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Plays a playlist of a Vireo.",
    discussion: "It replaces the queue unless you say where it goes.")
  @Argument(help: "The playlist.") var name: String
  @Flag(help: "Where it goes.") var place = PlayCommand.Place.replace
  @Option(help: "The number of the track to begin with.") var start: Int?
  @Flag(help: "Play it in any order.") var shuffle = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let start, start < 1 { throw ValidationError("the first track is 1") }
  }

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    return stored.done(
      try await stored.renderer.control { [place, start, shuffle] remote throws(RendererFailure) in
        try await remote.playPlaylist(
          list.id, PlayPlace(rawValue: place.rawValue) ?? .replace, from: start.map { $0 - 1 },
          shuffles: shuffle ? true : nil)
      })
  }
}

struct PlaylistsAppendCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "append", abstract: "Adds tracks to a playlist; without WHAT those of the queue.")
  @Argument(help: "The playlist.") var name: String
  @OptionGroup var what: WhatOptions
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    let items = try await PlayWhat(session).items(what.words)
    let tracks = items.isEmpty ? VireoTracks.queue : .items(items)
    return stored.done(
      try await stored.renderer.control { remote throws(RendererFailure) in
        try await remote.addToPlaylist(list.id, tracks)
      })
  }
}

struct PlaylistsMoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Moves a track of a playlist to another place.")
  @Argument(help: "The playlist.") var name: String
  @Argument(help: "The track's number, or title.") var track: String
  @Argument(help: "The number that it gets.") var place: Int
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    let tracks = try await stored.tracks(of: list)
    let track = try StoredPlaylists.track(track, among: tracks, of: list)
    guard let after = tracks.map(\.id).predecessor(of: track.id, movedTo: place) else {
      throw Failure(.noInput, "the playlist has the places 1 to \(tracks.count)")
    }
    try await stored.renderer.control { remote throws(RendererFailure) in
      try await remote.movePlaylistTracks(list.id, [track.id], after: after, version: list.version)
    }
    return stored.renderer.done(["title": .string(track.title), "number": .number(place)])
  }
}

struct PlaylistsRemoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Takes tracks out of a playlist.", aliases: ["rm"])
  @Argument(help: "The playlist.") var name: String
  @Argument(help: "The tracks' numbers, or titles.") var tracks: [String]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    let all = try await stored.tracks(of: list)
    var ids: [Int] = []
    for text in tracks {
      let track = try StoredPlaylists.track(text, among: all, of: list)
      if !ids.contains(track.id) { ids.append(track.id) }
    }
    try await stored.renderer.control { [ids] remote throws(RendererFailure) in
      try await remote.removePlaylistTracks(list.id, ids, version: list.version)
    }
    return stored.renderer.done(["removed": .number(ids.count)])
  }
}

struct PlaylistsRenameCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Gives a playlist another name.")
  @Argument(help: "The playlist.") var name: String
  @Argument(help: "Its new name.") var new: String
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    try await stored.renderer.control { [new] remote throws(RendererFailure) in
      try await remote.renamePlaylist(list.id, new)
    }
    return stored.renderer.done(["name": .string(new)])
  }
}

struct PlaylistsDeleteCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes playlists.",
    discussion: "Each is named whole, or by its number, so that none is deleted by mistake.")
  @Argument(help: "The playlists.") var names: [String]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let all = try await stored.all()
    var lists: [VireoPlaylist] = []
    for name in names {
      guard let list = StoredPlaylists.exactly(name, among: all) else {
        throw StoredPlaylists.missing(name, among: all, of: stored.renderer.name)
      }
      if !lists.contains(list) { lists.append(list) }
    }
    for list in lists {
      try await stored.renderer.control { remote throws(RendererFailure) in
        try await remote.deletePlaylist(list.id)
      }
    }
    return stored.renderer.done(["deleted": .array(lists.map { .string($0.name) })])
  }
}

struct PlaylistsExportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes a playlist as a file: M3U8, or XSPF.",
    discussion: "Addresses stand there whole: without them nobody could play the list.")
  @Argument(help: "The playlist.") var name: String
  @Argument(help: "The file; - for standard output, the default.") var file = "-"
  @Option(help: "m3u8 or xspf; by default what the file's ending says, else m3u8.")
  var format: PlaylistText.Format?
  @Flag(help: "Replace the file if it is there.") var force = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let stored = try await StoredPlaylists(session)
    let list = try await stored.list(name)
    let format = format ?? PlaylistFile.format(of: file) ?? .m3u8
    let text = try await stored.renderer.control { remote throws(RendererFailure) in
      try await remote.exportPlaylist(list.id, format: format.rawValue)
    }
    guard file != "-" else {
      try session.output.write(text)
      return nil
    }
    try PlaylistFile.write(text, to: file, replacing: force)
    return stored.renderer.done(["file": .string(file), "tracks": .number(list.count)])
  }
}

struct PlaylistsImportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Keeps a playlist file: M3U, XSPF, PLS and others.",
    discussion:
      "Tracks whose addresses the speaker doesn't play, such as files of this machine, are left out.")
  @Argument(help: "The file; - for standard input.") var file: String
  @Argument(help: "What the playlist is called; by default as the file, without its ending.") var name:
    String?
  @Flag(help: "Add the tracks to a playlist that has the name already.") var append = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if file == "-", name == nil { throw ValidationError("say what the playlist is called") }
  }

  func perform(_ session: Session) async throws -> Report? {
    let text = try PlaylistFile.read(file)
    guard let parts = ListParts.parts(text, most: VireoTracks.longestText), let first = parts.first,
      let name = name ?? PlaylistFile.name(of: file)
    else { throw Failure(.noInput, "\(file) is no playlist file") }
    let stored = try await StoredPlaylists(session)
    let old = append ? try await stored.named(name) : nil
    var all = try await stored.renderer.control { remote throws(RendererFailure) in
      if let old {
        try await remote.addToPlaylist(old.id, .text(first))
      } else {
        try await remote.createPlaylist(name, .text(first))
      }
    }
    var isWhole = true
    for part in parts.dropFirst() {
      guard let list = all.playlist else { break }
      do throws(RendererFailure) {
        let more = try await stored.renderer.remote.addToPlaylist(list.id, .text(part))
        all.added += more.added
        all.left += more.left
        all.playlist = more.playlist
      } catch {
        // What came before is kept.
        session.output.note("not all of it was taken: \(error.words(stored.renderer.name))")
        isWhole = false
        break
      }
    }
    // What of the rest would have been left out, nobody knows.
    if parts.count > 1 {
      all.detail = isWhole && all.left > 0 ? "\(counted(all.left, "track was", "tracks were")) left out" : nil
    }
    return stored.done(all)
  }
}

extension PlaylistText.Format: ExpressibleByArgument {}
