import ArgumentParser
import ControlPoint
import Proxies
import Renderers

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Shows and changes the queue of an OpenHome renderer.",
    subcommands: [
      QueueListCommand.self, QueueAddCommand.self, QueuePlayCommand.self, QueueMoveCommand.self,
      QueueRemoveCommand.self, QueueClearCommand.self, QueueShuffleCommand.self, QueueRepeatCommand.self,
      SaveQueueCommand.self, LoadPlaylistCommand.self,
    ], defaultSubcommand: QueueListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct QueueListCommand: Command {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the tracks.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return try await QueueList.read(renderer).report(whenEmpty: "the queue is empty")
  }
}

struct QueueAddCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds at the end; the same as play WHAT --end.")
  @OptionGroup var what: WhatOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if what.words.isEmpty { throw ValidationError("say what to add") }
  }

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let tracks = try await PlayWhat(session).tracks(what.words)
    return try await Playing(renderer).put(tracks, .end)
  }
}

struct QueuePlayCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays a track of the queue.")
  @Argument(help: "Its number, or title.") var track: String
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let entry = try await QueueList.read(renderer).entry(track, in: "the queue of \(renderer.name)")
    try await renderer.attempt { () async throws(ActionFailure) in try await playlist.seekId(value: entry.id)
    }
    return renderer.done(["title": .string(entry.title)])
  }
}

struct QueueMoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Moves a track to another place.",
    discussion:
      "The track that plays can't be moved: OpenHome has no action for it, and taking it out would stop it.")
  @Argument(help: "Its number, or title.") var track: String
  @Argument(help: "The number that it gets.") var place: Int
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let queue = try await QueueList.read(renderer)
    let entry = try queue.entry(track, in: "the queue of \(renderer.name)")
    let isPlaying = try await renderer.status().state != .stopped
    guard entry.id != queue.current || !isPlaying else {
      throw Failure(.refused, "\"\(entry.title)\" is the track that plays; it can't be moved")
    }
    guard let after = queue.neighbour(of: entry, movedTo: place) else {
      throw Failure(.noInput, "the queue has the places 1 to \(queue.entries.count)")
    }
    guard after != entry.id else { return renderer.done() }
    try await renderer.attempt { () async throws(ActionFailure) in
      // The copy first: should anything fail, nothing is lost.
      _ = try await playlist.insert(afterId: after, uri: entry.uri, metadata: entry.metadata)
      try await playlist.deleteId(value: entry.id)
    }
    return renderer.done(["title": .string(entry.title), "number": .number(place)])
  }
}

extension QueueList {
  /// The id that `entry` stands after when it is at `place` (from 1): 0 for the first; its own if it is there already.
  func neighbour(of entry: QueueEntry, movedTo place: Int) -> UInt32? {
    let ids = entries.map(\.id)
    return ids[number: place] == entry.id ? entry.id : ids.predecessor(of: entry.id, movedTo: place)
  }
}

struct QueueRemoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Takes tracks out.", aliases: ["rm"])
  @Argument(help: "Their numbers, or titles.") var tracks: [String]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let queue = try await QueueList.read(renderer)
    var entries: [QueueEntry] = []
    for track in tracks {
      let entry = try queue.entry(track, in: "the queue of \(renderer.name)")
      if !entries.contains(entry) { entries.append(entry) }
    }
    for entry in entries {
      try await renderer.attempt { () async throws(ActionFailure) in
        try await playlist.deleteId(value: entry.id)
      }
    }
    return renderer.done(["removed": .number(entries.count)])
  }
}

struct QueueClearCommand: Command {
  static let configuration = CommandConfiguration(commandName: "clear", abstract: "Takes all tracks out.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    try await renderer.attempt { () async throws(ActionFailure) in try await playlist.deleteAll() }
    return renderer.done()
  }
}

struct QueueShuffleCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "shuffle", abstract: "Says whether it plays in any order, or sets it: on, off or toggle.")
  @Argument(help: "on, off or toggle.") var value: Switch?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let isNow = try await renderer.attempt { () async throws(ActionFailure) in try await playlist.shuffle() }
    guard let value else { return .lines([isNow ? "on" : "off"], json: .members(["shuffle": .bool(isNow)])) }
    let wanted = value.value(now: isNow)
    try await renderer.attempt { () async throws(ActionFailure) in
      try await playlist.setShuffle(value: wanted)
    }
    return renderer.done(["shuffle": .bool(wanted)])
  }
}

struct QueueRepeatCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "repeat",
    abstract: "Says whether it begins again after the last track, or sets it: on, off or toggle.")
  @Argument(help: "on, off or toggle.") var value: Switch?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let isNow = try await renderer.attempt { () async throws(ActionFailure) in try await playlist.repeat() }
    guard let value else { return .lines([isNow ? "on" : "off"], json: .members(["repeat": .bool(isNow)])) }
    let wanted = value.value(now: isNow)
    try await renderer.attempt { () async throws(ActionFailure) in try await playlist.setRepeat(value: wanted)
    }
    return renderer.done(["repeat": .bool(wanted)])
  }
}
