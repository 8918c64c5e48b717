/// When to ask who plays in a zone: often at first, then less and less, and not at all once it is known. Pure.
struct ZoneWatch {
  let zone: String
  /// When to ask next; nil while nothing is to be asked. Nanoseconds of the monotonic clock.
  private(set) var deadline: Int64?
  /// How often it has been asked since ``begin(at:)``.
  private(set) var asked = 0

  init(zone: String, at now: Int64) {
    self.zone = zone
    deadline = now
  }

  /// Asks from the beginning, unless it is asking.
  mutating func begin(at now: Int64) {
    guard deadline == nil else { return }
    asked = 0
    deadline = now
  }

  /// The query to send now.
  mutating func ask(at now: Int64) -> [UInt8] {
    asked += 1
    let seconds: Double = asked < 5 ? 0.1 : asked < 10 ? 1 : asked < 20 ? 5 : 30
    deadline = now &+ Int64(seconds * 1_000_000_000)
    return OHZMessage.queryDatagram(zone: zone)
  }

  /// Its owner has said where it plays.
  mutating func answered() { deadline = nil }
}
