import Glibc

/// The relation of volume steps (0...100), decibels (in 1/256 dB) and linear gain.
///
/// Step 100 is 0 dB, a gain of exactly 1. Step 0 is silence: gain 0, reported as the minimum of the range.
/// That minimum is below the value of step 1 for every curve, so that each step has its own decibel value.
public enum VolumeCurve: Sendable, Hashable {
  /// gain = (step / 100)³, step 1 = -120 dB, range from -121 dB. Perceived loudness is even over the upper
  /// two thirds.
  case cubic
  /// gain = step / 100, step 1 = -40 dB, range from -41 dB.
  case linear
  /// Equal decibels per step over a range in dB (10...120); the minimum is the negated range.
  case decibel(range: Int)

  /// Units of UPnP RenderingControl's VolumeDB per decibel.
  static let unitsPerDecibel = 256.0
  public static let steps = 0...100

  /// Lowest and highest value in 1/256 dB; the lowest is silence.
  public var decibelRange: ClosedRange<Int> {
    switch self {
    case .cubic: Int(-121 * Self.unitsPerDecibel)...0
    case .linear: Int(-41 * Self.unitsPerDecibel)...0
    case .decibel(let range): Int(-Double(Self.bounded(range)) * Self.unitsPerDecibel)...0
    }
  }

  /// Decibels of a step, in 1/256 dB.
  public func decibels(step: Int) -> Int {
    let step = min(max(step, 0), 100)
    guard step > 0 else { return decibelRange.lowerBound }
    let share = Double(step) / 100
    let decibels =
      switch self {
      case .cubic: 60 * log10(share)
      case .linear: 20 * log10(share)
      case .decibel(let range): Double(Self.bounded(range)) * (share - 1)
      }
    return Int((decibels * Self.unitsPerDecibel).rounded())
  }

  /// The step nearest to a value in 1/256 dB; 0 only for silence.
  public func step(decibels: Int) -> Int {
    guard decibels > decibelRange.lowerBound else { return 0 }
    let value = Double(decibels) / Self.unitsPerDecibel
    let share =
      switch self {
      case .cubic: pow(10, value / 60)
      case .linear: pow(10, value / 20)
      case .decibel(let range): 1 + value / Double(Self.bounded(range))
      }
    return min(max(Int((share * 100).rounded()), 1), 100)
  }

  /// Linear gain, 0...1, of a value in 1/256 dB.
  public func gain(decibels: Int) -> Double {
    guard decibels > decibelRange.lowerBound else { return 0 }
    guard decibels < 0 else { return 1 }
    return pow(10, Double(decibels) / Self.unitsPerDecibel / 20)
  }

  /// Linear gain of a shift in 1/1024 dB; exactly 1 for 0.
  func factor(binaryMilliDecibels shift: Int) -> Double {
    shift == 0 ? 1 : pow(10, Double(shift) / 1024 / 20)
  }

  private static func bounded(_ range: Int) -> Int { min(max(range, 10), 120) }
}
