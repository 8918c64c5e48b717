/// What survives a restart.
struct SavedState: Sendable, Equatable {
  /// Level and mute of one volume channel.
  struct Channel: Sendable, Equatable {
    /// 1/256 dB, 0 or less; nil is silence.
    var level: Int?
    var isMuted: Bool
  }

  /// Volume as it was last heard; nil before the first start.
  struct Volume: Sendable, Equatable {
    var master: Channel
    var left: Channel
    var right: Channel
  }

  /// BOOTID of the last start; 0 before the first.
  var bootID: UInt32 = 0
  /// 32 hexadecimal digits that stand in for the machine's id where it has none.
  var installationID: String?
  var volume: Volume?
}
