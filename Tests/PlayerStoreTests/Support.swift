import Foundation
import Logging
import Pins
import SeededRandom

@testable import Player
@testable import PlayerStore

/// A directory of its own for one test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/vireo-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  var database: String { path + "/state.db" }
}

/// Keeps what is logged.
final class LogLines: LogHandler, @unchecked Sendable {
  // Safe because `lines` is only used under the lock.
  private let lock = NSLock()
  private var lines: [String] = []
  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { lock.withLock { lines.append("\(event.level) \(event.message)") } }

  var all: [String] { lock.withLock { lines } }
  var logger: Logger { Logger(label: "test") { _ in self } }
}

func openStore(_ path: String, _ lines: LogLines = LogLines()) -> (
  store: PlayerStore, host: HostState, snapshot: PlayerSnapshot?
) {
  let (store, host) = PlayerStore.open(directory: path, logger: lines.logger)
  return (store, host, store.load())
}

extension PlayerSnapshot {
  static let fresh = PlayerSnapshot(
    player: SavedPlayer(
      master: Channel(decibels: -2560, isMuted: false), left: Channel(decibels: 0, isMuted: false),
      right: Channel(decibels: 0, isMuted: false)),
    tracks: PlaylistTracks())

  private static var pins: PinBank {
    var pins = PinBank()
    for (index, title) in [(0, "é\u{1F3B5}\"\n"), (5, ""), (11, "x")] {
      if let pin = try? Pin(
        .object(server: "s", id: "64$\(index)"), title: title, detail: "d", picture: "http://192.0.2.1/p",
        isShuffled: index == 5)
      {
        try? pins.set(pin, at: index)
      }
    }
    pins.reserve(through: 70)
    return pins
  }

  /// Everything different from what it is at first.
  static var full: PlayerSnapshot {
    var snapshot = PlayerSnapshot.fresh
    snapshot.player = SavedPlayer(
      master: Channel(decibels: -1234, isMuted: true),
      left: Channel(decibels: nil, isMuted: true, trim: -3, offset: 4),
      right: Channel(decibels: -65536, isMuted: false, trim: 512, offset: -15360), activeSource: .radio,
      isStandby: true, isRepeating: true, isShuffling: true, currentTrackID: 2,
      channel: Media(
        uri: "http://example.org/é?a=1&b='2'", metadata: "<DIDL-Lite>\u{0}\u{1F3B5}</DIDL-Lite>",
        contentFormat: "audio/aac", durationHint: .microseconds(1_500_001)),
      isPreset: true, position: .milliseconds(61_234), pins: pins)
    for id in 1...5 { snapshot.append(UInt32(id)) }
    snapshot.tracks.remove(5)
    return snapshot
  }

  mutating func append(_ id: UInt32, bytes: Int = 0) {
    tracks.append(PlaylistTrack(id: id, media: .numbered(id, bytes: bytes)))
  }

  /// A playlist of so many tracks, each with so many bytes of metadata.
  static func long(_ count: Int, bytes: Int = 1000) -> PlayerSnapshot {
    var snapshot = PlayerSnapshot.fresh
    for id in 0..<count { snapshot.append(UInt32(id + 1), bytes: bytes) }
    return snapshot
  }
}

extension Media {
  static func numbered(_ id: UInt32, bytes: Int = 0) -> Media {
    Media(
      uri: "http://192.0.2.1:9790/music/\(id).flac",
      metadata: id.isMultiple(of: 7)
        ? "" : "<DIDL-Lite>\(id)\(String(repeating: "x", count: bytes))</DIDL-Lite>",
      contentFormat: id.isMultiple(of: 3) ? nil : "audio/flac",
      durationHint: id.isMultiple(of: 2) ? .milliseconds(Int(id)) : nil)
  }
}

/// What happens at the `number`-th edit; the same every time.
func edit(_ number: Int, seed: UInt64, _ snapshot: inout PlayerSnapshot) {
  var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
  let ids = snapshot.tracks.ids
  switch Int.random(in: 0..<100, using: &random) {
  case 0 where ids.count > 300, 1 where Int.random(in: 0..<5, using: &random) == 0:
    snapshot.tracks.removeAll()
  case 0..<20: if let id = ids.randomElement(using: &random) { snapshot.tracks.remove(id) }
  case 20..<35: snapshot.player.master?.decibels = Int.random(in: -20000...0, using: &random)
  case 35..<40: snapshot.player.isShuffling.toggle()
  case 40..<45: snapshot.player.channel = .numbered(UInt32(number))
  case 45..<60: snapshot.player.currentTrackID = ids.randomElement(using: &random) ?? 0
  default:
    let after = Bool.random(using: &random) ? ids.last : ids.randomElement(using: &random)
    let id = snapshot.tracks.lastID + 1
    let media = Media.numbered(id, bytes: Int.random(in: 0...1500, using: &random))
    snapshot.tracks.insert(PlaylistTrack(id: id, media: media), after: after ?? 0)
  }
  // Tells which edit was the last.
  snapshot.player.position = .microseconds(number)
}

extension PlayerSnapshot {
  var editNumber: Int { Int(player.position?.microseconds ?? 0) }
}
