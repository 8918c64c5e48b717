/// Which frames of a stream have come, and which are missing. Pure; times are nanoseconds of the monotonic clock.
///
/// Frames are delivered as they come: whoever plays them sorts them by their numbers.
struct FrameOrder {
  enum Arrival: Equatable {
    /// New, and wanted. `newlyMissing`: some before it have not come.
    case wanted(newlyMissing: Bool)
    /// It has come before, or comes too late.
    case unwanted
    /// It belongs to another run of the sender, or too much is missing before it.
    case begin
  }

  /// A larger gap isn't repaired.
  static let longestGap = 200
  /// After this time, nobody has a missing frame any more: ohPipeline keeps half a second.
  private static let patience: Int64 = 500_000_000
  /// As many as the other receivers ask for at once.
  private static let mostAsked = 20

  /// The highest number so far; nil before the first frame.
  private var highest: UInt32?
  /// The frames that are missing, and when that was noticed.
  private var missing: [UInt32: Int64] = [:]
  /// What tells the latest frames from others of the same number.
  private var recent: [UInt32: Int] = [:]

  var isComplete: Bool { missing.isEmpty }

  /// The missing frames to ask for, oldest first.
  var asked: [UInt32] {
    guard let highest else { return [] }
    let oldestFirst = missing.keys.sorted { highest &- $0 > highest &- $1 }
    return Array(oldestFirst.prefix(Self.mostAsked)).sorted()
  }

  /// The first frame of a run.
  mutating func begin(with message: AudioMessage) {
    highest = message.frame
    missing = [:]
    recent = [message.frame: Self.mark(message)]
  }

  mutating func take(_ message: AudioMessage, at now: Int64) -> Arrival {
    guard let highest else { return .begin }
    let distance = Int(Int32(bitPattern: message.frame &- highest))
    if distance > 0 {
      guard distance <= Self.longestGap else { return .begin }
      for frame in 1..<max(distance, 1) where missing.count < Self.longestGap {
        missing[highest &+ UInt32(frame)] = now
      }
      self.highest = message.frame
      remember(message)
      return .wanted(newlyMissing: distance > 1)
    }
    if missing.removeValue(forKey: message.frame) != nil {
      remember(message)
      return .wanted(newlyMissing: false)
    }
    if message.flags.contains(.resent) { return .unwanted }
    // A frame that came twice on the network looks the same; a sender that has begun again sends something else.
    if let mark = recent[message.frame] { return mark == Self.mark(message) ? .unwanted : .begin }
    return distance < -Self.longestGap || message.frame == 0 ? .begin : .unwanted
  }

  /// Gives up what has been missing for too long, and says how much that is.
  mutating func giveUp(at now: Int64) -> Int {
    let before = missing.count
    missing = missing.filter { now &- $0.value < Self.patience }
    return before - missing.count
  }

  private mutating func remember(_ message: AudioMessage) {
    recent[message.frame] = Self.mark(message)
    guard let highest else { return }
    if recent.count > 2 * Self.longestGap {
      recent = recent.filter { highest &- $0.key <= UInt32(Self.longestGap) }
    }
  }

  private static func mark(_ message: AudioMessage) -> Int {
    var hasher = Hasher()
    hasher.combine(message.timestamp)
    hasher.combine(message.sampleStart)
    hasher.combine(message.samples)
    for byte in message.sound.prefix(64) { hasher.combine(byte) }
    return hasher.finalize()
  }
}
