import Glibc

/// Balance, as another way to say what the levels of left and right are.
///
/// There is no balance beside those levels. The louder side is the reference; a balance of b takes the other side's
/// amplitude down to 1 - |b| / max of it, so that half way is 6 dB and the end is silence. Read backwards, any two levels
/// have a balance: RenderingControl's LF and RF and OpenHome's balance always agree.
extension Volume {
  /// Balance goes from minus this (left only) to this (right only).
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

  /// The louder side stays as it is. When both are silent they come back at full level.
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
