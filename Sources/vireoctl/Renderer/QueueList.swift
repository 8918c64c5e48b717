import ControlPoint
import DIDLLite
import Proxies
import Renderers

extension QueueEntry {
  func json(number: Int, isCurrent: Bool) -> JSON {
    let item = DIDL.items(metadata).first
    return .members([
      "number": .number(number), "id": .number(Int(id)), "current": .bool(isCurrent), "title": .string(title),
      "artist": .string(item?.artist), "album": .string(item?.album), "uri": .string(uri),
      "duration": .number(item?.resource(for: uri)?.duration.map { Int($0.components.seconds) }),
    ])
  }
}

/// A renderer's queue, read.
struct QueueList: Sendable, Hashable {
  /// Ids that are asked for at once.
  static let page = 50
  /// A queue that is longer is shown up to here.
  static let maximum = 10_000

  var entries: [QueueEntry]
  var current: UInt32?

  static func read(_ renderer: Renderer) async throws -> QueueList {
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    let (ids, current) = try await renderer.control { remote throws(RendererFailure) in
      try await remote.queueIDs()
    }
    let entries = try await entries(Array(ids.prefix(maximum)), of: renderer) { list throws(ActionFailure) in
      try await playlist.readList(idList: list)
    }
    return QueueList(entries: entries, current: current)
  }

  /// A renderer's stations.
  static func stations(_ renderer: Renderer) async throws -> QueueList {
    let radio: Radio2.Proxy = try renderer.proxy(.radio)
    let (array, current) = try await renderer.attempt { () async throws(ActionFailure) in
      (try await radio.idArray().array, try? await radio.id())
    }
    // Empty places have the id 0.
    let ids = IdList.ids(array).filter { $0 != 0 }.prefix(maximum)
    let entries = try await entries(Array(ids), of: renderer) { list throws(ActionFailure) in
      try await radio.readList(idList: list)
    }
    return QueueList(entries: entries, current: current)
  }

  private static func entries(
    _ ids: [UInt32], of renderer: Renderer, _ read: (String) async throws(ActionFailure) -> String
  ) async throws -> [QueueEntry] {
    var found: [UInt32: QueueEntry] = [:]
    for start in stride(from: 0, to: ids.count, by: page) {
      let list = ids[start..<min(start + page, ids.count)].map(String.init).joined(separator: " ")
      let text = try await renderer.attempt { () async throws(ActionFailure) in try await read(list) }
      for entry in EntryDocument.entries(text) { found[entry.id] = entry }
    }
    return ids.compactMap { found[$0] }
  }

  /// The entry that a user names: its number from 1, or its title, or the beginning of it if that is unique.
  ///
  /// - Parameters:
  ///   - noun: what is looked for, in words.
  ///   - place: where it isn't, in words.
  /// - Throws: ``Failure`` if there is none, or if several may be meant.
  func entry(_ text: String, noun: String = "track", in place: String = "the queue") throws -> QueueEntry {
    try NumberedLines(entries, title: \.title)
      .line(text, orElse: "there is no \(noun) \"\(text)\" in \(place)").object
  }

  /// As a list with numbers.
  func report(whenEmpty: String) -> Report {
    var table = Table(["", "#", "TITLE", "ARTIST", "ALBUM", "TIME"], rightAligned: [1, 5])
    for (index, entry) in entries.enumerated() {
      let item = DIDL.items(entry.metadata).first
      let seconds = item?.resource(for: entry.uri)?.duration.map { Int($0.components.seconds) }
      table.add([
        entry.id == current ? ">" : "", "\(index + 1)", entry.title, item?.artist, item?.album,
        seconds.map { PlayTime.text($0) },
      ])
    }
    let json = entries.enumerated().map { $1.json(number: $0 + 1, isCurrent: $1.id == current) }
    return Report(json: .array(json), body: .table(table), whenEmpty: whenEmpty)
  }
}
