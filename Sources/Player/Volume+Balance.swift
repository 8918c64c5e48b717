import Glibc

/// Balance, as another representation of the levels of left and right.
///
/// There is no stored balance. The louder side is the reference; a balance of b multiplies the other side's
/// amplitude by 1 - |b| / max, so that half way is -6 dB and the end is silence. Conversely, any two levels
/// have a balance: RenderingControl's LF and RF and OpenHome's balance always agree.
extension Volume {
  /// Balance ranges from minus this (left only) to this (right only).
  public static let balanceMax = 20

  public var balance: Int {
    let (left, right) = (level(of: .left), level(of: .right))
    guard left != right else { return 0 }
    guard let left else { return Self.balanceMax }
    guard let right else { return -Self.balanceMax }
    let ratio = pow(10, Double(-abs(left - right)) / VolumeCurve.unitsPerDecibel / 20)
    let distance = Int((Double(Self.balanceMax) * (1 - ratio)).rounded())
    return left < right ? distance : -distance
  }

  /// Sets the quieter side; the louder one keeps its level. When both are silent, the reference is full
  /// level.
  mutating func setBalance(_ balance: Int) {
    let balance = min(max(balance, -Self.balanceMax), Self.balanceMax)
    let reference = [level(of: .left), level(of: .right)].compactMap { $0 }.max() ?? 0
    let ratio = 1 - Double(abs(balance)) / Double(Self.balanceMax)
    let other =
      ratio > 0 ? reference + Int((20 * log10(ratio) * VolumeCurve.unitsPerDecibel).rounded()) : nil
    setLevel(balance > 0 ? other : reference, of: .left)
    setLevel(balance < 0 ? other : reference, of: .right)
  }
}
