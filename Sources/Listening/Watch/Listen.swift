/// One track, or one song of a station, from its first sound until something else plays.
public struct Listen: Sendable, Hashable {
  public var source: ReportSource
  public var isStation: Bool
  public var track: ReportedTrack
  /// When its first sound was heard.
  public var began: UpTime
  /// How long it was heard: without pauses, waits and what was sought over.
  public var heard: Duration
  /// Where it is, or was last.
  public var position: Duration
  public var phase: ListeningMoment.Phase

  public init(
    source: ReportSource, isStation: Bool = false, track: ReportedTrack, began: UpTime,
    heard: Duration = .zero, position: Duration = .zero, phase: ListeningMoment.Phase = .playing
  ) {
    self.source = source
    self.isStation = isStation
    self.track = track
    self.began = began
    self.heard = heard
    self.position = position
    self.phase = phase
  }
}
