/// BOOTID.UPNP.ORG: a 31-bit number that increases with every start (UPnP Device Architecture, "BOOTID").
enum BootID {
  /// Returns the clock's seconds, or `last` plus one if the clock stands still or is behind (a Raspberry Pi has no
  /// battery-backed clock).
  static func next(after last: UInt32, unixTime: Int) -> UInt32 {
    let highest = UInt32(Int32.max)
    let floor = last < highest ? last + 1 : 1
    guard let time = UInt32(exactly: unixTime), time <= highest else { return floor }
    return max(floor, time)
  }
}
