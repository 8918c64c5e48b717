import Foundation
import Logging

@testable import Player
@testable import PlayerStore

extension FuzzTarget {
  /// The saved state, after whatever has happened to the disk: a database file, or the values of its rows in a readable
  /// form, since a mutation hardly ever makes another sound file.
  static let state = FuzzTarget(
    name: "state", maximumLength: 8192,
    words: [
      "SQLite format 3\0", "CREATE TABLE setting (", "CREATE TABLE track (",
      "CREATE VIEW setting AS SELECT 1",
      "fold 3 1 2 3\n", "track 1 0\n", "track 2 1\n", "deleted 3 2\n", "4294967295", "4294967296", "-65536",
      "9223372036854775807", "-9223372036854775808", "audio/flac ", "\n",
    ] + stateNames.map { "\($0)=" }
  ) { bytes in
    if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
      try readFile(bytes)
    } else {
      try readRows(bytes)
    }
  }

  private static let stateNames =
    StoreCoding.encode(HostState()).map(\.name)
    + StoreCoding.encode(
      SavedPlayer(
        master: .init(decibels: nil, isMuted: false), left: .init(decibels: nil, isMuted: false),
        right: .init(decibels: nil, isMuted: false))
    ).map(\.name)

  /// Whatever the file is, the daemon starts, and from then on saves.
  private static func readFile(_ bytes: [UInt8]) throws {
    let shared = "/dev/shm"
    let base = access(shared, W_OK) == 0 ? shared : NSTemporaryDirectory()
    let directory = StoreDirectory(path: "\(base)/vireo-fuzz-\(getpid())")
    defer { try? FileManager.default.removeItem(atPath: directory.path) }
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: directory.file))
    var saved = PlayerSnapshot(
      player: SavedPlayer(
        master: .init(decibels: -256, isMuted: true), left: .init(decibels: nil, isMuted: false),
        right: .init(decibels: 0, isMuted: false)),
      tracks: PlaylistTracks())
    var host = HostState()
    do {
      var writer = StoreWriter(directory: directory, logger: silent)
      host = writer.open()
      if let found = writer.load() {
        try check(found)
        saved = found
      }
      host.bootID &+= 1
      saved.player.isShuffling.toggle()
      // One track more, where there is a number left for it.
      if saved.tracks.lastID < .max {
        let track = PlaylistTrack(id: saved.tracks.lastID + 1, media: Media(uri: "u", metadata: "m"))
        saved.tracks.append(track)
      }
      try promise(writer.save(SavePlan.Wanted(host: host, player: saved)), "it isn't saved")
      writer.close()
    }
    var again = StoreWriter(directory: directory, logger: silent)
    try promise(again.open() == host, "the host comes back differently")
    try promise(again.load() == saved, "the player comes back differently")
    again.close()
  }

  /// Lines `NAME=VALUE` are values, integers where they look like it; `fold LAST ID …`, `track ID AFTER` and
  /// `deleted ID AFTER` are the playlist's order.
  private static func readRows(_ bytes: [UInt8]) throws {
    var rows: [String: StoreValue] = [:]
    var fold: (last: UInt32, ids: [UInt32]) = (0, [])
    var tracks: [(id: UInt32, after: UInt32, isDeleted: Bool)] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { UInt32($0) }
      if let equals = line.firstIndex(of: "=") {
        let value = line[line.index(after: equals)...]
        rows[String(line[..<equals])] = Int64(value).map { .integer($0) } ?? .text(String(value))
      } else if words.first == "fold", let last = numbers.first {
        fold = (last, Array(numbers.dropFirst()))
      } else if let kind = words.first, kind == "track" || kind == "deleted", numbers.count == 2 {
        tracks.append((numbers[0], numbers[1], kind == "deleted"))
      }
    }
    let host = StoreCoding.decodeHost(rows)
    try promise(StoreCoding.decodeHost(table(StoreCoding.encode(host))) == host, "another host")
    if let player = StoreCoding.decodePlayer(rows) {
      try check(PlayerSnapshot(player: player, tracks: PlaylistTracks()))
      try promise(
        StoreCoding.decodePlayer(table(StoreCoding.encode(player))) == player, "another player")
    }
    guard var replay = try? TrackReplay(fold: fold) else { return }
    for track in tracks.sorted(by: { $0.id < $1.id }) {
      guard (try? replay.add(id: track.id, after: track.after, isDeleted: track.isDeleted)) != nil else {
        return
      }
    }
    let order = replay.order()
    try promise(order.ids.allSatisfy { $0 <= order.lastID }, "an id that was never given away")
  }

  private static func check(_ snapshot: PlayerSnapshot) throws {
    for channel in [snapshot.player.master, snapshot.player.left, snapshot.player.right] {
      try promise((channel?.decibels ?? 0) <= 0, "louder than full")
    }
    try promise((snapshot.player.position ?? .zero) >= .zero, "before the beginning")
    let ids = snapshot.tracks.ids
    try promise(Set(ids).count == ids.count, "the same track twice")
    try promise(ids.allSatisfy { $0 <= snapshot.tracks.lastID }, "an id that was never given away")
  }

  private static func table(_ rows: [StoreRow]) -> [String: StoreValue] {
    Dictionary(rows.compactMap { row in row.value.map { (row.name, $0) } }) { $1 }
  }

  private static let silent = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
}
