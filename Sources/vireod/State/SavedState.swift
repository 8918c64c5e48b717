import Player

/// What survives a restart.
struct SavedState: Sendable, Equatable {
  /// BOOTID of the last start; 0 before the first.
  var bootID: UInt32 = 0
  /// 32 hexadecimal digits that stand in for the machine's id where it has none.
  var installationID: String?
  /// nil before the first start.
  var player: PlayerSnapshot?
  var formats: FormatCache?
}
