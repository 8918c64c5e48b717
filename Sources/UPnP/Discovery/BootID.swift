/// BOOTID.UPNP.ORG: tells one period of announcements from the next (UPnP Device Architecture, "BOOTID.UPNP.ORG").
///
/// 31 bits, higher at every raise, also when the wall clock was set back.
struct BootID: Sendable, Hashable {
  private(set) var value: Int

  /// `value` is cut to 1…2³¹−1.
  init(_ value: Int) {
    self.value = min(max(value, 1), Int(Int32.max))
  }

  /// - Parameter now: seconds since 1970.
  mutating func raise(now: Int) {
    let now = now & Int(Int32.max)
    // Behind the last number comes 1, which every control point takes for a restart.
    value = value == Int(Int32.max) ? 1 : max(value + 1, now)
  }
}
