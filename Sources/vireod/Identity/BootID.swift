/// BOOTID.UPNP.ORG: a number of 31 bits that is larger after every start (UPnP Device Architecture, "BOOTID").
enum BootID {
  /// The clock's seconds, or one more than last time where the clock stands still or runs behind (a Raspberry Pi
  /// has none of its own).
  static func next(after last: UInt32, unixTime: Int) -> UInt32 {
    let highest = UInt32(Int32.max)
    let floor = last < highest ? last + 1 : 1
    guard let time = UInt32(exactly: unixTime), time <= highest else { return floor }
    return max(floor, time)
  }
}
