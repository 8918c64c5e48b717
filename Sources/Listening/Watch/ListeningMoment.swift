/// What the player does at one moment, as far as reports need to know.
public struct ListeningMoment: Sendable, Hashable {
  public enum Phase: String, Sendable, Hashable {
    case stopped
    /// On its way to sound: loading, waiting for data or for a server.
    case waiting
    /// It is heard.
    case playing
    case paused
  }

  public var phase: Phase
  public var source: ReportSource
  /// Rises whenever a track begins anew, also the same one. A pause, a seek or an outage begins nothing.
  public var start: UInt32
  /// Differs for each connection to the track's server.
  public var connection: UInt64
  /// A stream without an end, of which the title changes as it plays.
  public var isStation: Bool
  public var track: ReportedTrack
  /// In the track.
  public var position: Duration

  public init(
    phase: Phase, source: ReportSource = .playlist, start: UInt32 = 0, connection: UInt64 = 0,
    isStation: Bool = false, track: ReportedTrack = ReportedTrack(), position: Duration = .zero
  ) {
    self.phase = phase
    self.source = source
    self.start = start
    self.connection = connection
    self.isStation = isStation
    self.track = track
    self.position = position
  }

  public static let silence = ListeningMoment(phase: .stopped)
}
