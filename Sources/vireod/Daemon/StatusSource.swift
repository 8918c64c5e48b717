import HTTP
import NIOCore
import Player
import Services
import Synchronization
import Text
import UPnP

/// Takes the snapshot that the status page shows. Use only on the event loop, except for setting it up.
final class StatusSource: Sendable {
  private struct Facts: Sendable {
    var server: DeviceServer?
    var name = ""
    var room = ""
    var devices: [StatusSnapshot.Device] = []
    var settings = Settings.OpenHome()
    var mixer = ""
  }

  private let started = NIODeadline.now()
  private let player: PlayerCore
  private let facts = Mutex(Facts())

  init(player: PlayerCore) {
    self.player = player
  }

  func set(server: DeviceServer) {
    facts.withLock { $0.server = server }
  }

  func set(_ settings: Settings, devices: [RootDevice]) {
    facts.withLock {
      $0.name = FriendlyName.make(settings.device, hostName: FriendlyName.hostName)
      $0.room = settings.device.room
      $0.settings = settings.openHome
      $0.mixer = ((try? MixerChoice(settings.audio.mixer)) ?? .software).description
      $0.devices = devices.map(\.device).map {
        StatusSnapshot.Device(name: "\($0.type):\($0.version)", udn: $0.udn)
      }
    }
  }

  func page() -> HTTPPage {
    HTTPPage(contentType: "text/html; charset=\"utf-8\"", body: StatusPage.html(snapshot()))
  }

  private func snapshot() -> StatusSnapshot {
    let facts = facts.withLock { $0 }
    var snapshot = StatusSnapshot(name: facts.name, room: facts.room, devices: facts.devices)
    snapshot.uptime = .nanoseconds((NIODeadline.now() - started).nanoseconds)
    snapshot.mixer = facts.mixer
    snapshot.subscribers = facts.server?.assumeIsolated { $0.statistics.subscriptions } ?? 0
    player.assumeIsolated {
      snapshot.describe($0.state, position: $0.position)
      if facts.settings.enabled {
        snapshot.input = facts.settings[nameOf: $0.state.activeSource]
        snapshot.playlistCount = $0.state.playlist.tracks.count
      }
    }
    return snapshot
  }
}

extension StatusSnapshot {
  /// Adds what plays, or why nothing plays.
  mutating func describe(_ player: PlayerState, position: Duration) {
    switch player.transport {
    case .stopped where player.isStandby: state = "standby"
    case .stopped: state = player.currentTrack == nil ? "no media" : "stopped"
    case .resolving, .loading: state = "loading"
    case .reconnecting: state = "waiting to connect again"
    case .buffering: state = "waiting for data"
    case .playing: state = "playing"
    case .paused, .suspended: state = "paused"
    }
    volume = player.volume.step(of: .master)
    isMuted = player.volume.isMuted(.master)
    problem = player.failure?.message ?? ""
    switch player.device {
    case .closed: break
    case .open(let name, let path):
      device = "\(name): \(path.delivered.text)"
      bitPerfect = path.verdict
    case .silent(let text), .away(let text): problem = text
    }
    guard let track = player.currentTrack else { return }
    let heading = TrackHeading(player)
    title = redacted(title: heading.title, of: track.uri)
    (artist, album) = (redacted(text: heading.artist), redacted(text: heading.album))
    source = redacted(uri: track.uri)
    format = player.facts.details.map(Self.text) ?? ""
    duration = player.duration
    if player.transport != .stopped { self.position = position }
  }

  /// Describes a stream's format: `FLAC, 44.1 kHz, 16 bit, 2 channels`.
  static func text(_ details: StreamDetails) -> String {
    var parts = details.codecName.isEmpty ? [] : [details.codecName]
    if details.sampleRate > 0 {
      let (whole, rest) = details.sampleRate.quotientAndRemainder(dividingBy: 1000)
      parts.append(rest == 0 ? "\(whole) kHz" : "\(whole).\(rest / 100) kHz")
    }
    if details.bitDepth > 0 { parts.append("\(details.bitDepth) bit") }
    if details.bitRate > 0 { parts.append("\(details.bitRate / 1000) kbit/s") }
    if details.channels > 0 {
      parts.append("\(counted(details.channels, "channel"))")
    }
    return parts.joined(separator: ", ")
  }
}
