import DIDLLite

/// What a renderer does, as far as it says.
package struct PlayerStatus: Sendable, Hashable {
  package enum State: String, Sendable, Hashable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
    case buffering = "Buffering"

    /// Reads a TransportState, of OpenHome or of AVTransport.
    package init(wire: String) {
      switch wire.uppercased() {
      case "PLAYING": self = .playing
      case "PAUSED", "PAUSED_PLAYBACK": self = .paused
      case "BUFFERING", "TRANSITIONING", "WAITING": self = .buffering
      default: self = .stopped
      }
    }
  }

  package var renderer: String
  package var udn: String
  package var state = State.stopped
  package var source: String?
  package var sourceType: String?
  package var isStandby: Bool?
  package var title: String?
  package var artist: String?
  package var album: String?
  package var uri: String?
  /// What an AVTransport was given: a playlist, or the track itself under the address that we know.
  package var givenURI: String?
  /// In seconds.
  package var position: Int?
  /// In seconds; nil if it isn't known, as for a station.
  package var duration: Int?
  package var volume: Int?
  package var isMuted: Bool?
  /// The number of the track in the queue, from 1, and how many there are.
  package var track: Int?
  package var tracks: Int?
  /// The id of the track in the queue.
  package var trackID: UInt32?
  package var format: String?
  /// The address of the renderer's page for people.
  package var page: String?
  /// False if the renderer says of the track nothing that it knows from playing it: a position, a length, a format.
  package var isHeard = true

  package init(renderer: String, udn: String) {
    self.renderer = renderer
    self.udn = udn
  }

  /// Takes what DIDL-Lite says.
  package mutating func take(metadata: String, uri: String) {
    // An AVTransport that doesn't tell the track says so by this word.
    self.uri = uri.isEmpty || uri == "NOT_IMPLEMENTED" ? self.uri : uri
    guard let item = DIDL.items(metadata).first else { return }
    title = item.title ?? title
    artist = item.artist ?? artist
    album = item.album ?? album
    if duration == nil { duration = item.resource(for: uri)?.duration.map { Int($0.components.seconds) } }
  }

  /// The same, but for what changes by itself all the time.
  package var withoutPosition: PlayerStatus {
    var status = self
    status.position = nil
    (status.isHeard, status.trackID) = (true, nil)
    return status
  }
}
