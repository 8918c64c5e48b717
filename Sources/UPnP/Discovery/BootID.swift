/// BOOTID.UPNP.ORG, which distinguishes one period of announcements from the next (UPnP Device Architecture,
/// "BOOTID.UPNP.ORG").
///
/// It has 31 bits and grows with every raise, even when the wall clock was set back.
struct BootID: Sendable, Hashable {
  private(set) var value: Int

  /// Makes a boot id; `value` is clamped to 1…2³¹−1.
  init(_ value: Int) {
    self.value = min(max(value, 1), Int(Int32.max))
  }

  /// Raises the value.
  ///
  /// - Parameter now: seconds since 1970.
  mutating func raise(now: Int) {
    let now = now & Int(Int32.max)
    // The highest value is followed by 1, which every control point takes for a restart.
    value = value == Int(Int32.max) ? 1 : max(value + 1, now)
  }
}
