/// How tracks are played equally loud, by their tags (ReplayGain, and EBU R 128 in Opus files).
public struct ReplayGain: Sendable, Hashable {
  /// Which gain is applied.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Samples stay as they are.
    case off
    /// The track's gain; a track that has only its album's gain uses that.
    case track
    /// The album's gain, which keeps the differences between its tracks; a track that has only its own gain uses that.
    case album
  }

  public var mode: Mode
  /// Added to all gains, in dB.
  public var preamp: Double
  /// Gain of a track without tags, in dB, before ``preamp``.
  public var fallback: Double
  /// Whether a gain is lowered until the peak from the tags (full scale if they have none) fits; otherwise louder
  /// samples are clipped at full scale.
  public var preventsClipping: Bool

  public init(
    mode: Mode = .off, preamp: Double = 0, fallback: Double = 0, preventsClipping: Bool = true
  ) {
    self.mode = mode
    self.preamp = preamp
    self.fallback = fallback
    self.preventsClipping = preventsClipping
  }
}
