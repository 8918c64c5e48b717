/// Pauses between attempts: 1, 2, 4 … seconds.
public enum BackOff {
  /// Longest pause between two attempts at a track, in seconds.
  public static let longestForTracks = 10

  /// After this much sound of a live stream, earlier failures no longer count.
  static let steady = Duration.seconds(10)

  /// The pause before the next attempt.
  ///
  /// - Parameters:
  ///   - failures: number of failed attempts before the last one.
  ///   - most: longest pause, in seconds.
  public static func pause(after failures: Int, most: Int) -> Duration {
    .seconds(min(1 << min(max(failures, 0), 16), most))
  }
}
