import Player
import Text
import UPnP

/// The actions of Transport:1 that aren't simple getters.
struct TransportCommands: Transport1.Commands {
  let player: PlayerCore
  let log: CastLog

  func play() throws(UPnPError) { try change(.play) }
  func pause() throws(UPnPError) { try change(.pause) }
  func stop() throws(UPnPError) { try change(.stop) }
  func skipNext() throws(UPnPError) { try change(.skipNext) }
  func skipPrevious() throws(UPnPError) { try change(.skipPrevious) }

  /// Repeat and shuffle are those of the playlist.
  func setRepeat(`repeat` isOn: Bool) throws(UPnPError) { try player.change(.playlist(.setRepeat(isOn))) }
  func setShuffle(shuffle isOn: Bool) throws(UPnPError) { try player.change(.playlist(.setShuffle(isOn))) }

  func seekSecondAbsolute(streamId: UInt32, secondAbsolute: UInt32) throws(UPnPError) {
    try change(.seek(to: .seconds(secondAbsolute), stream: streamId))
  }

  func seekSecondRelative(streamId: UInt32, secondRelative: Int32) throws(UPnPError) {
    try change(.skip(by: .seconds(secondRelative), stream: streamId))
  }

  func playAs(mode: String, command: String) throws(UPnPError) {
    let mode = mode.trimmingASCIISpace
    guard let source = player.currentState.sources.first(where: { $0.names.mode == mode }),
      let command = PlayAsCommand(command)
    else { throw UPnPError(.notSupported) }
    switch (source, command) {
    case (.playlist, .resume): try player.change(.playlist(.play))
    case (.playlist, .id(let id)): try start(.playlist(.playID(id)))
    case (.playlist, .index(let index)): try start(.playlist(.playIndex(Int(index))))
    case (.playlist, .track(let uri, let metadata)): try add(Media(sent: uri, metadata: metadata))
    case (.radio, .resume): try player.change(.radio(.play))
    case (.radio, .id(let id)):
      try start(.radio(.setID(id, uri: "")))
      try player.change(.radio(.play))
    case (_, .resume):
      try player.change(.setSource(source))
      try change(.play)
    default: throw UPnPError(.notSupported)
    }
  }

  /// Inserts media after the current track and plays it.
  private func add(_ media: Media) throws(UPnPError) {
    try player.change(.playlist(.insert(after: player.currentState.playlist.currentID, media)))
    try player.change(.playlist(.playID(player.currentState.playlist.tracks.lastID)))
    log("casts", media)
  }

  /// Starts a track or preset; Transport has no error code for a missing one.
  private func start(_ command: Command) throws(UPnPError) {
    do {
      try player.change(command)
    } catch {
      throw UPnPError(.notSupported)
    }
  }

  private func change(_ command: TransportCommand) throws(UPnPError) {
    try player.change(.transport(command))
  }
}

/// The command of PlayAs, as far as the commands that control points send are known (Transport, "PlayAs").
enum PlayAsCommand: Sendable, Hashable {
  /// An empty command: resume.
  case resume
  /// `id=12`
  case id(UInt32)
  /// `index=3`, from 0
  case index(UInt32)
  /// `track={"uri":"…","metadata":"…"}`
  case track(uri: String, metadata: String)

  /// Parses a command; nil for an unknown one.
  init?(_ text: String) {
    let text = text.trimmingASCIISpace
    guard !text.isEmpty else {
      self = .resume
      return
    }
    let pair = text.split(separator: "=", maxSplits: 1).map(\.trimmingASCIISpace)
    guard pair.count == 2 else { return nil }
    switch pair[0].lowercased() {
    case "id":
      guard let id = UInt32(wire: pair[1]) else { return nil }
      self = .id(id)
    case "index":
      guard let index = UInt32(wire: pair[1]) else { return nil }
      self = .index(index)
    case "track":
      let members = SmallJSON.object(pair[1])
      guard let uri = members?["uri"]?.text, !uri.isEmpty else { return nil }
      self = .track(uri: uri, metadata: members?["metadata"]?.text ?? "")
    default: return nil
    }
  }
}
