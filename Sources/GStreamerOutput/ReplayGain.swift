/// Playing tracks equally loud, as their tags say (ReplayGain, and EBU R 128 in Opus files).
public struct ReplayGain: Sendable, Hashable {
  /// Whose loudness counts.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Samples stay as they are.
    case off
    /// Every track by itself; a track that only knows its album's gain takes that.
    case track
    /// The album, whose tracks keep their differences; a track that only knows its own gain takes that.
    case album
  }

  public var mode: Mode
  /// Added to all gains, in dB.
  public var preamp: Double
  /// Gain of a track without tags, in dB, before ``preamp``.
  public var fallback: Double
  /// Whether a gain is lowered so far that the peak named by the tags (full scale when they name none) stays below
  /// full scale; otherwise what is too loud is cut off there.
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
