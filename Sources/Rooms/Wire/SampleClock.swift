/// The ticks in which Songcast counts time: 256 for each sample of the rate's family (44.1 or 48 kHz).
public enum SampleClock {
  /// Ticks per second for a stream of `rate` samples per second.
  public static func ticksPerSecond(rate: Int) -> Int { rate % 441 == 0 ? 256 * 44100 : 256 * 48000 }

  /// Ticks in `nanoseconds`.
  public static func ticks(nanoseconds: Int64, rate: Int) -> Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let perSecond = Int64(ticksPerSecond(rate: rate))
    return seconds &* perSecond &+ rest &* perSecond / 1_000_000_000
  }

  /// Nanoseconds that `ticks` last.
  public static func nanoseconds(ticks: Int64, rate: Int) -> Int64 {
    let perSecond = Int64(ticksPerSecond(rate: rate))
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: perSecond)
    return seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / perSecond
  }
}
